"""Files as the official DiscoX code writes them, of any size, with texts and findings that behave like real ones.

The same seed gives the same bytes.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from benchmarks.vocabulary import DOMAINS, SENTENCES, TERMS, Lang

ARTICLES = 200
"""Articles of the data set, unless fewer evaluations are asked for; each system translates them all."""
LENGTHS = (2_000, 16_000)
"""Least and greatest length of an article's English side in characters; the Chinese is about a third of it."""
STAMP = "2026-03-02 09-15-04"

_NO_ERROR = [{"问题严重程度": "整体无问题"}]
_CHECK_PASSED = "【质量问题检测】\n助手A:\n是否存在问题：否\n问题等级：无"
_CHECK_FAILED = (
    "【质量问题检测】\n助手A:\n是否存在问题：是\n问题等级：主需问题\n[指令遵循-严重偏差] - 译文仅为内容总结。"
)
_TYPES = {
    "accuracy": ("错译", "错译", "错译", "漏译", "未译", "增译", "其他"),
    "fluency": ("语言流畅度", "语法正确性", "逻辑连贯性", "词汇一致性"),
    "appropiate": ("风格", "情感色彩", "文采", "文化适应"),
}
_SEVERITIES = {
    "accuracy": ("普通", "严重", "普通（Major）", "非常严重"),
    "fluency": ("有问题",),
    "appropiate": ("有问题",),
}
_COST = {"普通": 5, "普通（Major）": 5, "严重": 10, "非常严重": 50}
_QUOTES = ("“{}”", "“{}”", "“{}”", '"{}"', "「{}」", "‘{}’")
_HINTS = ("{}", "{}", "第{}段", "P{}", "段落{}")


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence of an article: the template, and the terms in its slots."""

    template: int
    terms: tuple[int, ...]
    number: int

    def text(self, lang: Lang, variants: tuple[int, ...] = (0, 0, 0)) -> str:
        """The sentence in one language; ``variants``: which wording of each term is used."""
        words = [TERMS[term][lang][variant] for term, variant in zip(self.terms, variants, strict=False)]
        return SENTENCES[self.template][lang].format(*words, n=self.number)


@dataclass(frozen=True, slots=True)
class Article:
    """An article as a plan: paragraphs of sentences, to be written out in either language."""

    key: int
    source: Lang
    paragraphs: tuple[tuple[Sentence, ...], ...]
    points: tuple[int, ...]

    @property
    def translation(self) -> Lang:
        """The language translated into."""
        return "en" if self.source == "zh" else "zh"


def article(key: int, seed: int = 0, length: int | None = None) -> Article:
    """Plan an article whose English side is about ``length`` characters, or as long as ``LENGTHS`` allows by chance."""
    chance = random.Random(f"article {seed} {key}")
    wanted = length or round(math.exp(chance.uniform(*map(math.log, LENGTHS))))
    pool = chance.sample(range(len(TERMS)), 18)
    paragraphs, paragraph, taken = [], list[Sentence](), 0
    while taken < wanted:
        template = chance.randrange(len(SENTENCES))
        sentence = Sentence(template, tuple(chance.sample(pool, 3)), chance.randrange(2, 900))
        taken += len(sentence.text("en")) + 1
        paragraph.append(sentence)
        if chance.random() < 0.22:
            paragraphs.append(tuple(paragraph))
            paragraph = []
    paragraphs.append((*paragraph, Sentence(0, tuple(pool[:3]), 7)))
    return Article(key, "zh" if key % 2 else "en", tuple(paragraphs), tuple(pool[: chance.randrange(4, 13)]))


def source_row(plan: Article) -> dict[str, Any]:
    """The article as a row of the data set."""
    gap = " " if plan.source == "en" else ""
    text = "\n\n".join(gap.join(s.text(plan.source) for s in sentences) for sentences in plan.paragraphs)
    task = "中文翻译成英文" if plan.source == "zh" else "英文翻译成中文"
    domain, subdomain = DOMAINS[plan.key % len(DOMAINS)]
    points = []
    for number, term in enumerate(plan.points, 1):
        here, there = TERMS[term][plan.source], TERMS[term][plan.translation]
        points.append(f"考点{number}：“{here[0]}”推荐译为“{there[0]}”，不可译为“{there[1]}”。")
    return {
        "prompt_id": plan.key,
        "prompt": f"翻译，{task}。不要输出译文以外的内容。\n以下是你本次的任务：\n\n{text}",
        "reference_list": "\n".join(points),
        "ori_text": text,
        "Primary_Domain": domain,
        "Secondary_Domain": subdomain,
    }


@dataclass(frozen=True, slots=True)
class Place:
    """A sentence as a system translated it, for findings to quote."""

    paragraph: int
    sentence: Sentence
    source: str
    translation: str
    variants: tuple[int, ...]


def _translate(plan: Article, chance: random.Random) -> tuple[str, list[Place]]:
    gap = " " if plan.translation == "en" else ""
    places, paragraphs = list[Place](), []
    for number, sentences in enumerate(plan.paragraphs, 1):
        written = []
        for sentence in sentences:
            variants = (int(chance.random() < 0.3), int(chance.random() < 0.3), int(chance.random() < 0.3))
            text = "" if chance.random() < 0.02 else sentence.text(plan.translation, variants)
            if text:
                written.append(text)
            places.append(Place(number, sentence, sentence.text(plan.source), text, variants))
        paragraphs.append(gap.join(written))
    return "\n\n".join(paragraphs), places


def _stretch(text: str, chance: random.Random) -> str:
    """Return some words in a row."""
    if " " in text:
        words = text.split(" ")
        start = chance.randrange(max(1, len(words) - 3))
        return " ".join(words[start : start + chance.randrange(2, 9)]).strip(" ,.;")
    start = chance.randrange(max(1, len(text) - 8))
    return text[start : start + chance.randrange(4, 18)].strip("，。；、")


def _explanation(kind: str, plan: Article, place: Place, chance: random.Random) -> str:
    """Return a judge's prose that quotes source and translation, some of it cut short, some not to the letter."""
    quote = chance.choice(_QUOTES).format
    said = [
        slot for slot in range(3) if all(f"{{{slot}}}" in text for text in SENTENCES[place.sentence.template].values())
    ]
    slot = chance.choice([slot for slot in said if place.variants[slot]] or said)
    term = TERMS[place.sentence.terms[slot]]
    here, better = term[plan.source][0], term[plan.translation][1 - place.variants[slot]]
    there = term[plan.translation][place.variants[slot]]
    if kind == "漏译" or not place.translation:
        return f"译文漏译了{quote(_stretch(place.source, chance))}，这一内容在译文中没有体现，影响信息的完整性。"
    if kind in ("语言流畅度", "语法正确性", "风格", "情感色彩", "文采", "逻辑连贯性"):
        words = _stretch(place.translation, chance)
        if chance.random() < 0.15 and " " in words:
            words = words.lower().replace(" the ", " a ", 1)
        return f"译文{quote(words)}表达生硬，不符合目标语的习惯，读者需要反复阅读才能理解，建议重新组织句子。"
    if kind == "词汇一致性":
        return f"{quote(here)}前文译为{quote(better)}，此处译为{quote(there)}，同一术语译法前后不一致。"
    if chance.random() < 0.3 and len(place.source) > 24:
        cut = f"{place.source[:12]}……{place.source[-9:-1]}"
        return f"原文{quote(cut)}一句中，{quote(here)}译为{quote(there)}，含义有偏差，应译为{quote(better)}。"
    return (
        f"原文为{quote(here)}，译文译为{quote(there)}，未能准确传达原文的专业含义，"
        f"应译为{quote(better)}，否则会使读者误解这一机构或概念的性质。"
    )


def _finding(number: int, judge: str, plan: Article, place: Place, chance: random.Random) -> dict[str, str]:
    kind = chance.choice(_TYPES[judge])
    return {
        "问题序号": str(number),
        "问题段落": chance.choice(_HINTS).format(place.paragraph),
        "问题类型": kind,
        "问题分析": _explanation(kind, plan, place, chance),
        "问题严重程度": chance.choices(_SEVERITIES[judge], (60, 30, 1, 3)[: len(_SEVERITIES[judge])])[0],
    }


def _judgement(plan: Article, places: list[Place], count: int, failed: str, chance: random.Random) -> dict[str, Any]:
    """The judges' lists with ``count`` findings between them, what de-duplication advised, and the lists after it."""
    violated = min(len(plan.points) - 1, count // 6) if failed != "checkpoints" else 0
    wrong = set(chance.sample(range(1, len(plan.points) + 1), violated))
    open_judges = [judge for judge in _TYPES if judge != failed]
    counts = dict.fromkeys(open_judges, 0)
    for judge in chance.choices(open_judges, [5, 3, 2][: len(open_judges)], k=count - violated):
        counts[judge] += 1
    initial: dict[str, list[dict[str, str]]] = {}
    for judge in ("accuracy", "checkpoints", "fluency", "appropiate"):
        if judge == failed:
            initial[judge] = []
        elif judge == "checkpoints":
            initial[judge] = [_point(number, term, plan, number in wrong) for number, term in enumerate(plan.points, 1)]
        else:
            chosen = [place for _, place in sorted(_some(list(enumerate(places)), counts[judge], chance))]
            initial[judge] = [_finding(i, judge, plan, place, chance) for i, place in enumerate(chosen, 1)] or _NO_ERROR
    drops = [
        (judge, number, chance.choice(sorted(wrong)))
        for judge in ("accuracy", "fluency")
        for number in range(1, counts.get(judge, 0) + 1)
        if wrong and chance.random() < 0.06 and initial[judge][number - 1]["问题严重程度"] != "非常严重"
    ]
    advice = [
        {
            "问题序号": str(i),
            "重复维度": f"【checkpoints考点{point}】与【{judge}问题{number}】",
            "问题分析": "二者指向同一处译文，根源相同。",
            "判断结果": f"此问题属于checkpoints，【{judge}问题{number}】应删除",
        }
        for i, (judge, number, point) in enumerate(drops, 1)
    ] or [{"判断结果": "本次评估无重复问题"}]
    gone = {(judge, number) for judge, number, _ in drops}
    final = {
        judge: [item for i, item in enumerate(found, 1) if (judge, i) not in gone]
        or ([] if judge == failed else _NO_ERROR)
        for judge, found in initial.items()
    }
    return {
        "instruction_following": _CHECK_PASSED,
        "initial_judgement": initial,
        "self_critique": json.dumps(advice, ensure_ascii=False, indent=1),
        **final,
    }


def _some(places: list[tuple[int, Place]], count: int, chance: random.Random) -> list[tuple[int, Place]]:
    """Return so many places by chance, none twice unless there are too few."""
    rounds, rest = divmod(count, len(places))
    return places * rounds + chance.sample(places, rest)


def _point(number: int, term: int, plan: Article, wrong: bool) -> dict[str, str]:
    here, there = TERMS[term][plan.source][0], TERMS[term][plan.translation]
    said = f"“{here}”译为“{there[1]}”，考点明确不可如此翻译。" if wrong else f"“{here}”译为“{there[0]}”，正确。"
    return {"问题序号": str(number), "问题段落": "", "问题分析": said, "判断结果": "错误" if wrong else "正确"}


def _domain_score(judgement: dict[str, Any]) -> list[int]:
    """The score that the official code stores."""
    lost = [sum(_COST.get(item["问题严重程度"], 0) for item in judgement["accuracy"])]
    lost[0] += 5 * sum(item["判断结果"] == "错误" for item in judgement["checkpoints"] if "判断结果" in item)
    for judge, weight in (("fluency", 2), ("appropiate", 5)):
        lost.append(weight * sum(item["问题严重程度"] == "有问题" for item in judgement[judge]))
    return [max(0, most - less) for most, less in zip((60, 20, 20), lost, strict=True)]


def evaluation_row(plan: Article, system: int, count: int, seed: int = 0, failed: str = "") -> dict[str, Any]:
    """One line of a system's results with ``count`` findings; ``failed``: the judge that gave nothing, if one did."""
    chance = random.Random(f"evaluation {seed} {plan.key} {system}")
    text, places = _translate(plan, chance)
    judgement = _judgement(plan, places, count, failed, chance)
    points = _domain_score(judgement)
    row = {"model_output": text, "domain_score": points, "score": sum(points), "detailed_judgement": judgement}
    return source_row(plan) | row


def _refused(plan: Article) -> dict[str, Any]:
    row = {"model_output": "本文概述如下。", "domain_score": [0, 0, 0], "score": 0}
    return source_row(plan) | row | {"detailed_judgement": {"instruction_following": _CHECK_FAILED}}


def rows(
    plans: list[Article], systems: range, evaluations: int, findings: int, seed: int = 0
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (system, row) with that many evaluations and, between them, exactly that many findings.

    About one evaluation in 60 has a failed judge, one in 120 did not pass the instruction check and has no findings.
    """
    chance = random.Random(f"rows {seed}")
    written = 0
    for number in range(evaluations):
        plan, system = plans[number % len(plans)], systems[number // len(plans)]
        last = number == evaluations - 1
        if number % 120 == 77 and not last:
            yield system, _refused(plan)
            continue
        due = findings * (number + 1) / evaluations - written
        count = findings - written if last else max(0, round(due * chance.uniform(0.4, 1.6)))
        written += count
        failed = chance.choice(("accuracy", "checkpoints", "fluency", "appropiate")) if number % 60 == 31 else ""
        yield system, evaluation_row(plan, system, count, seed, failed)


def write_folder(folder: Path, evaluations: int, findings: int, seed: int = 0) -> list[Path]:
    """Write the data set and each system's results into a folder; return the files, the data set first."""
    folder.mkdir(parents=True, exist_ok=True)
    plans = [article(key, seed) for key in range(1, min(ARTICLES, evaluations) + 1)]
    files = [folder / "DISCOX.json"]
    with files[0].open("w", encoding="utf-8") as out:
        json.dump([source_row(plan) | {"prompt_id": str(plan.key)} for plan in plans], out, ensure_ascii=False)
    systems = range(1, math.ceil(evaluations / len(plans)) + 1)
    files += [folder / f"{STAMP}-house-system-{system:02}-DISCOXpartial.jsonl" for system in systems]
    for system, own in groupby(rows(plans, systems, evaluations, findings, seed), key=lambda pair: pair[0]):
        with files[system].open("w", encoding="utf-8") as out:
            out.writelines(json.dumps(row, ensure_ascii=False) + "\n" for _, row in own)
    return files


def write_result(path: Path, megabytes: float, seed: int = 0) -> int:
    """Write one system's ``…result.json`` of about that size; return how many evaluations it holds."""
    size, count = 0, 0
    with path.open("wb") as out:
        out.write(b'{\n "average_accuracy": 0.5,\n "model": "house/system-01",\n "detailed_results": [')
        while size < megabytes * 1e6:
            count += 1
            text = json.dumps(evaluation_row(article(count, seed), 1, 30, seed), ensure_ascii=False, indent=2)
            size += out.write(((",\n" if count > 1 else "\n") + text).encode())
        out.write(b"\n ]\n}\n")
    return count
