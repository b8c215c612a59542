"""The words judges use for severities, categories, verdicts, judges and fields, in every spelling they come in.

A word that could mean two things, such as a template copied unfilled ("普通/严重/非常严重"), is refused: None.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Generic, Literal, TypeVar

from judges.model import LEVELS, Judge, Severity

Field = Literal[
    "number",
    "paragraph",
    "category",
    "explanation",
    "severity",
    "verdict",
    "source_quote",
    "target_quote",
    "target_context",
    "suggestion",
]
"""What a judge says of one error or one rubric point."""

FIELDS: Mapping[Field, tuple[str, ...]] = {
    "number": ("问题序号", "考点序号", "序号", "编号", "考点编号", "问题编号", "number", "index", "id", "no", "point"),
    "paragraph": ("问题段落", "段落序号", "段落", "所在段落", "问题位置", "段落编号", "paragraph", "location"),
    "category": ("问题类型", "错误类型", "类型", "问题类别", "category", "type", "error_type"),
    "explanation": ("问题分析", "分析", "问题描述", "说明", "explanation", "analysis", "reason", "description"),
    "severity": ("问题严重程度", "严重程度", "问题程度", "严重性", "severity", "level"),
    "verdict": (
        "判断结果",
        "判断",
        "判定结果",
        "判定",
        "是否正确",
        "verdict",
        "result",
        "judgment",
        "judgement",
        "met",
    ),
    "source_quote": ("source_quote",),
    "target_quote": ("target_quote",),
    "target_context": ("target_context",),
    "suggestion": ("suggestion",),
}
"""Field → the keys it is written under, in lower case; the official prompts' own first."""

_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|<[^<>]*>|【[^【】]*】|〔[^〔〕]*〕")
_NOT_WORDS = re.compile(r"[\s()\[\]{}<>【】〔〕「」『』《》\"'“”‘’`*#~_:;,.!?。、…·—\-]+")


def normal(word: object) -> str:
    """Return a word as it is compared: NFKC, lower case, without blanks, brackets or punctuation ("/" and "|" stay)."""
    text = unicodedata.normalize("NFKC", word if isinstance(word, str) else "" if word is None else str(word))
    return _NOT_WORDS.sub("", text.casefold())


def _without_gloss(word: object) -> str:
    """The word without what stands in brackets ("普通（Major）"), unless all of it does ("【严重】")."""
    text = unicodedata.normalize("NFKC", word if isinstance(word, str) else "" if word is None else str(word))
    bare = normal(_BRACKETED.sub(" ", text))
    return bare or normal(text)


Value = TypeVar("Value")


class _Words(Generic[Value]):
    """A reading of words as one of several values: longest spelling first, and exactly one value or none."""

    def __init__(self, spellings: Mapping[Value, Iterable[str]], whole: Mapping[Value, Iterable[str]] | None = None):
        self._value = {normal(word): value for value, words in spellings.items() for word in words}
        self._whole = self._value | {normal(w): value for value, words in (whole or {}).items() for w in words}
        longest_first = sorted(self._value, key=len, reverse=True)
        self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def read(self, word: object) -> Value | None:
        """Return the one value the word names; None where it names none or several."""
        text = _without_gloss(word)
        if text in self._whole:
            return self._whole[text]
        values = {self._value[match.group()] for match in self._pattern.finditer(text)}
        return values.pop() if len(values) == 1 else None


NO_ERROR = "整体无问题"
"""What the official prompts ask for where there is no error: a sentinel, not an error."""

_NO_ERROR = (NO_ERROR, "无问题", "没有问题", "不存在问题", "未发现问题", "无明显问题", "没问题", "无错误", "没有错误")
_NO_ERROR_EN = ("no error", "no errors", "no issue", "no issues", "no problem", "no problems", "without errors")
_REFUSED = ("不严重", "非严重", "不算严重", "不够严重", "不太严重", "无严重", "没有严重", "未达严重", "不属于严重")
_REFUSED_EN = (
    "not critical",
    "not major",
    "not minor",
    "noncritical",
    "no critical",
    "no major",
    "no minor",
    "not severe",
)
_HEADINGS = ("严重程度", "严重性", "问题程度", "severity level", "severity")

_SEVERITY = _Words(
    {
        "none": (*_NO_ERROR, *_NO_ERROR_EN),
        "extremely_critical": (
            *("非常严重", "极其严重", "极为严重", "极度严重", "极严重", "特别严重", "十分严重", "最严重", "异常严重"),
            *("extremely critical", "extreme critical", "extremely severe", "extremely serious", "very critical"),
            *("very severe", "very serious", "extremely"),
        ),
        "critical": ("严重", "较严重", "比较严重", "critical", "severe", "serious"),
        "major": ("普通", "一般", "主要", "major", "ordinary"),
        "minor": (
            *(
                "轻微",
                "轻度",
                "较轻",
                "较小",
                "次要",
                "细微",
                "小问题",
                "minor",
                "slight",
                "trivial",
                "moderate",
                "中等",
            ),
        ),
        "some": ("有问题", "存在问题", "has problem", "has issue", "problematic"),
        "refused": (*_REFUSED, *_REFUSED_EN),
    },
    whole={
        "none": ("无", "否", "no"),
        "some": ("有", "是", "存在", "yes", "problem", "issue", "问题", "error"),
        "minor": ("轻", "小"),
        "major": ("中",),
    },
)


def read_severity(judge: Judge, word: object) -> tuple[Severity | None, bool]:
    """Return the severity that ``word`` names in this judge's scale, and whether it had to be moved onto the scale.

    Accuracy's mildest level is major, so "minor" and "轻微" there read as major (moved). Fluency and appropriateness
    know one level, so any readable problem word is that level. (None, False) where the word cannot be read, is the
    no-error sentinel, or where the judge is the rubric's (see ``read_verdict``).
    """
    level = _severity(word)
    if level in (None, "none", "refused") or judge == "rubric":
        return None, False
    if judge == "fluency":
        return "minor", level not in ("minor", "some")
    if judge == "appropriateness":
        return "major", level not in ("major", "some")
    match level:
        case "major" | "critical" | "extremely_critical":
            return level, False
        case "minor":
            return "major", True
    return None, False


def is_no_error(word: object) -> bool:
    """Whether the word says that there is no error at all ("整体无问题")."""
    return _severity(word) == "none"


def _severity(word: object) -> str | None:
    if isinstance(word, str):
        text = unicodedata.normalize("NFKC", word)
        for heading in _HEADINGS:  # "严重程度：普通" holds 严重 without saying it
            text = re.sub(rf"{heading}\s*[:=]", " ", text, flags=re.IGNORECASE)
        word = text
    return _SEVERITY.read(word)


_VERDICT = _Words(
    {
        "refused": (
            *(
                "部分正确",
                "基本正确",
                "大部分正确",
                "大致正确",
                "不完全正确",
                "未完全正确",
                "部分错误",
                "半对",
                "部分满足",
            ),
            *(
                "基本满足",
                "部分符合",
                "基本符合",
                "不完全符合",
                "partially correct",
                "partly correct",
                "mostly correct",
            ),
            *("partially", "partly", "mostly", "almost", "partial", "不确定", "无法判断", "unsure", "not sure"),
            *("not applicable", "not entirely", "not fully", "half", "correct or incorrect", "right or wrong"),
        ),
        "violated": (
            *("错误", "不正确", "未正确", "有误", "不准确", "不满足", "未满足", "不符合", "未符合", "不通过", "未通过"),
            *("不达标", "未达标", "并不正确", "incorrect", "wrong", "not correct", "not right", "not met", "unmet"),
            *("violated", "not satisfied", "unsatisfied", "isn't correct", "false", "failed", "mistaken"),
        ),
        "met": (
            *("正确", "完全正确", "没有错误", "无错误", "无误", "没有误", "满足", "符合", "通过", "达标", "not wrong"),
            *(
                "correct",
                "right",
                "satisfied",
                "true",
                "passed",
                "not violated",
                "not incorrect",
                "no error",
                "no errors",
            ),
        ),
    },
    whole={"violated": ("错", "不对", "fail", "×", "✗", "✘", "❌"), "met": ("对", "met", "pass", "√", "✓", "✔", "✅")},
)


def read_verdict(word: object) -> bool | None:
    """Return whether a rubric verdict says that the point was met; None for partly right, empty or both."""
    return {"met": True, "violated": False}.get(_VERDICT.read(word) or "")


def read_met(word: object) -> bool | None:
    """Return what ``read_verdict`` does where the question is whether a point was met: yes and no answer it too."""
    return {"yes": True, "是": True, "no": False, "否": False}.get(normal(word), read_verdict(word))


_CATEGORIES: Mapping[Judge, _Words[str]] = {
    "accuracy": _Words(
        {
            "mistranslation": ("错译", "误译", "翻译错误", "mistranslation", "mistranslated", "wrong translation"),
            "omission": ("漏译", "遗漏", "省译", "omission", "omitted", "undertranslation"),
            "untranslated": ("未译", "未翻译", "untranslated", "not translated", "non translation"),
            "over_translation": ("增译", "过译", "多译", "添译", "过度翻译", "overtranslation", "addition", "added"),
            "other": ("其他", "其它", "other"),
        },
    ),
    "rubric": _Words({"rubric_point": ("考点", "rubric", "checkpoint")}),
    "fluency": _Words(
        {
            "disfluent_phrasing": ("语言流畅", "流畅", "通顺", "自然", "disfluent", "fluency", "awkward", "unnatural"),
            "grammar": ("语法", "grammar", "grammatical"),
            "logical_incoherence": ("逻辑", "连贯", "逻辑连贯", "coherence", "incoherence", "logic", "logical"),
            "inconsistent_terminology": (
                *("词汇一致", "术语一致", "一致性", "术语不一致", "词汇不一致", "不一致"),
                *("consistency", "inconsistent", "inconsistency", "inconsistent terminology", "terminology"),
            ),
        },
    ),
    "appropriateness": _Words(
        {
            "style": ("风格", "文体", "语体", "语域", "style", "stylistic", "register"),
            "tone": ("情感", "感情", "语气", "情感色彩", "tone", "emotion", "emotional"),
            "literary_merit": ("文采", "文学", "literary", "literary merit"),
            "cultural_adaptation": ("文化", "文化适应", "cultural", "culture"),
        },
    ),
}


def read_category(judge: Judge, word: object) -> str | None:
    """Return our name of the category that ``word`` names, or None where it is none or several of this judge's."""
    return _CATEGORIES[judge].read(word)


JUDGE_SPELLINGS: Mapping[Judge, tuple[str, ...]] = {
    "accuracy": ("accuracy", "准确性", "准确度", "准确", "忠实度", "忠实"),
    "rubric": ("checkpoints", "checkpoint", "check points", "rubrics", "rubric", "考点", "评分点"),
    "fluency": ("fluency", "流畅性", "流畅度", "语言流畅度", "流畅", "通顺"),
    "appropriateness": (
        *("appropriateness", "appropiateness", "appropriate", "appropiate", "style", "得体性", "得体", "恰当性"),
        *("恰当", "适切性", "适当性", "适宜性", "风格"),
    ),
}
"""Judge → what it is called, the official key first."""

_JUDGE_OF_KEY = {normal(word): judge for judge, words in JUDGE_SPELLINGS.items() for word in words}


def judge_of_key(key: object) -> Judge | None:
    """Return the judge whose list stands under a key such as "appropiate", or None for any other key."""
    return _JUDGE_OF_KEY.get(normal(key))


_FIELD_OF = {normal(key): name for name, keys in FIELDS.items() for key in keys}


@lru_cache(maxsize=1024, typed=True)
def field_of(key: Hashable) -> Field | None:
    """Return the field that a key stands for ("段落序号" → "paragraph"), or None for an unknown key."""
    return _FIELD_OF.get(normal(key))


def fields_of(item: Mapping[Any, Any]) -> dict[Field, Any]:
    """Return an item's values by field; of two keys for one field the first that holds something stands."""
    values: dict[Field, Any] = {}
    for key, value in item.items():
        name = field_of(key)
        if name is not None and values.get(name) in (None, ""):
            values[name] = value
    return values


PLAIN_LABELS: Mapping[Judge, frozenset[str]] = {
    "accuracy": frozenset({"普通", "严重", "非常严重", "major", "critical", "extremely critical"}),
    "rubric": frozenset({"正确", "错误"}),
    "fluency": frozenset({"有问题"}),
    "appropriateness": frozenset({"有问题"}),
}
"""The labels that the official scorer is sure to read as they are meant, in lower case; others it may miscount."""

OWN_LABELS: Mapping[Judge, frozenset[str]] = {
    **{judge: labels | frozenset(LEVELS[judge]) for judge, labels in PLAIN_LABELS.items()},
    "rubric": PLAIN_LABELS["rubric"] | {"true", "false"},
}
"""The same, with those that this program's own prompts ask for."""
