"""Advice of a de-duplicator in its own words: which findings to drop, and in favour of which.

Its answer is meant to be JSON; what it says in it is Chinese or English prose that names findings like
"【accuracy问题1】" and says where the error belongs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from judges.metric_s.reading.json_answer import own_prose, read_answer, says_no_duplicates
from judges.metric_s.reading.key_scan import Item
from judges.metric_s.reading.labels import JUDGE_SPELLINGS, field_of, normal
from judges.metric_s.reading.material import NOTHING_SHOWN, Material
from judges.model import Advice, Judge

Reference = tuple[Judge, int]
"""A finding as advice names it: a judge and the number in that judge's list, or the rubric point's number."""

_JUDGE_OF: Mapping[str, Judge] = {
    unicodedata.normalize("NFKC", word).casefold(): judge for judge, words in JUDGE_SPELLINGS.items() for word in words
}
_NAME = "|".join(re.escape(word) for word in sorted(_JUDGE_OF, key=len, reverse=True))
_NOUN = r"(?:问题|考点|错误|序号|编号|维度|第|no\.?|number|issue|error|finding|item|point|problem)"
_FILLER = rf"[\s的中里_#\-:\"'“”【\[(]{{0,4}}(?:{_NOUN}[\s_#\-:\"'“”【\[(]{{0,3}}){{0,3}}"
_DIGITS = r"(?:\d{1,4}|[一二三四五六七八九十]{1,3}(?!致|般|定|个|样|些|段|处|次|者|种|同|并|律|直|旦|句|词))"
_MORE = rf"(?:\s?[、,和及与&/\-~至到]\s?{_NOUN}?\s?{_DIGITS}(?!\d))*"
_TOKEN = re.compile(
    rf"(?P<reference>(?P<judge>{_NAME}){_FILLER}(?P<numbers>{_DIGITS}{_MORE}))"
    rf"|(?P<bare>{_NOUN}\s?(?P<number>{_DIGITS}{_MORE}))"
    r"|(?P<not_drop>(?:不|无|勿|毋|别)[应该需要必须用予能可当得会宜]{0,3}(?:被|将其|再)?(?:删除|删去|去除|移除|剔除|删)"
    r"|(?:not|n't|never)\s(?:to\s)?(?:be\s)?(?:remov|delet|dropp|drop|discard|exclud)\w*)"
    r"|(?P<drop>(?:不|无)[应该需要必须用予能可当再得宜]{0,3}(?:保留|计分|扣分|计入|重复扣分|重复计分)"
    r"|(?:not|n't)\s(?:be\s)?(?:kept|keep|retain\w*|count\w*)"
    r"|删除|删去|删掉|删|去除|去掉|移除|剔除|排除|舍去|舍弃|剔|\b(?:remov|delet|dropp|drop|discard|exclud)\w*)"
    r"|(?P<keep>保留|留下|为准|\b(?:kept|keep|retain)\w*)"
    r"|(?P<not_belong>(?:不|非)(?:应|该|能|可)?(?:属于|归因于|归于|归入|归为|属))"
    r"|(?P<belong>属于|归因于|归因为|归因到|归因至|归因|归属于|归于|归入|归到|归为|归至|算作|并入|合并[到至入于]|属"
    r"|\b(?:belong\w*|attribut\w*|merged?)\b)"
    rf"|(?P<name>{_NAME})"
    r"|(?P<former>前者|\bformer\b)|(?P<latter>后者|\blatter\b)"
    r"|(?P<end>[。;\n!?])|(?P<comma>,)"
)
_ONLY_REFERENCES = re.compile(r"[\s【】\[\]()\"'“”、:和与及以]*\Z")
_DIFFERENT = re.compile(
    r"不重复|非重复|不属于重复|不构成重复|不是重复|不是同一|并非同一|非同一|not duplicat|no overlap"
)

_CHINESE = {digit: value for value, digit in enumerate("一二三四五六七八九", 1)}

_MENTIONS = frozenset(map(normal, ("重复维度", "重复问题", "duplicates", "duplicate", "overlap", "findings")))
_DECIDES = frozenset(
    map(
        normal,
        ("正确归因", "归因", "处理结果", "处理建议", "处理", "结论", "attribution", "decision", "advice", "action"),
    )
)
_DROPS = frozenset(map(normal, ("删除", "应删除", "drop", "drops", "remove", "delete", "dropped", "removed")))
_KEEPS = frozenset(map(normal, ("保留", "应保留", "keep", "keeps", "kept", "retain")))


@dataclass
class _Decision:
    """Decision of one line of advice: the findings that go, those that stay, and the judge the error belongs to."""

    drops: list[Reference] = field(default_factory=list)
    keeps: list[Reference] = field(default_factory=list)
    spared: list[Reference] = field(default_factory=list)
    belongs: list[Judge] = field(default_factory=list)

    def says_something(self) -> bool:
        return bool(self.drops or self.keeps or self.spared or self.belongs)


def read_advice(raw: str, material: Material = NOTHING_SHOWN) -> list[Advice] | None:
    """Read a de-duplicator's answer as one Advice a line of it; empty where it says that nothing is duplicated.

    None where nothing usable could be read: that is no statement about duplicates. Advice in prose is read where it
    names findings ("【accuracy问题1】应删除"). Advice that names nothing has status ``names_nothing``.
    """
    answer = read_answer(raw, material)
    if answer.items is not None:
        read = (_read_item(item) for item in answer.items)
        return [advice for advice in read if advice is not None]
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:\d+[.、)]|[-*•]|[\"“]?(?:问题序号|重复维度)))", own_prose(raw, material))
    found = [_read_text(block.strip(), block, "", attributes=False) for block in blocks if block.strip()]
    return [advice for advice in found if advice.drops] or None


def _read_item(item: Item) -> Advice | None:
    """One line of advice, wherever in the item its references and its verdict stand; None if it says none is needed."""
    texts = {key: _text(value) for key, value in item.items()}
    shown = "\n".join(text for key, text in texts.items() if text and field_of(key) != "number")
    if says_no_duplicates(shown) and not _references(shown):
        return None
    drops = [r for key, text in texts.items() if normal(key) in _DROPS for r in _references(text)]
    if not drops and any(normal(key) in _DROPS and value == [] for key, value in item.items()):
        return None  # an empty list of what to drop is meant as one, whatever the explanation weighs
    if drops:
        keeps = [r for key, text in texts.items() if normal(key) in _KEEPS for r in _references(text)]
        return Advice(shown, tuple(_unique(drops)), tuple(_unique(keeps)))
    mention = " ".join(text for key, text in texts.items() if normal(key) in _MENTIONS)
    deciding = [t for key, t in texts.items() if normal(key) in _DECIDES or field_of(key) == "verdict"]
    advice = _read_text(shown, "。".join(deciding), mention, attributes=True)
    if advice.status == "names_nothing" or not (advice.drops or advice.keeps):
        others = "。".join(
            t for key, t in texts.items() if normal(key) not in _MENTIONS and field_of(key) != "number" and t
        )
        elsewhere = _read_text(shown, others, mention or shown, attributes=False)
        if elsewhere.drops:
            return elsewhere
    return advice


def _text(value: Any) -> str:
    """A value as text: what a nested object or list holds, joined."""
    if isinstance(value, dict):
        return " ".join(_text(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return "、".join(_text(inner) for inner in value)
    return "" if value is None else str(value)


def _read_text(shown: str, deciding: str, mention: str, *, attributes: bool) -> Advice:
    mentioned = _unique(_references(mention) + _references(deciding, _references(mention)))
    decision = _decide(deciding, mentioned, attributes=attributes)
    drops, keeps = _unique(decision.drops), _unique(decision.keeps)
    if not drops and decision.says_something() and not _DIFFERENT.search(_folded(deciding)):
        stays = keeps or [r for r in mentioned if r[0] in decision.belongs]
        if stays or decision.belongs:
            drops = [r for r in mentioned if r not in stays and r not in decision.spared]
            keeps = stays
    if not keeps:
        keeps = [r for r in mentioned if r not in drops and (not decision.belongs or r[0] in decision.belongs)]
    return _advice(shown, drops, keeps)


def _advice(shown: str, drops: Iterable[Reference], keeps: Iterable[Reference]) -> Advice:
    dropped = tuple(_unique(drops))
    kept = tuple(r for r in _unique(keeps) if r not in dropped)
    return Advice(shown, dropped, kept, "applied" if dropped or kept else "names_nothing")


def _unique(references: Iterable[Reference]) -> list[Reference]:
    return list(dict.fromkeys(references))


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def _numbers(text: str) -> list[int]:
    """The numbers in "1、3", "2-4" or "三"; a range counts only where it is short and rising."""
    numbers: list[int] = []
    for match in re.finditer(rf"([\-~至到])?[^\d一-十]*({_DIGITS})", text):
        number = _number(match[2])
        if match[1] and numbers and numbers[-1] < number <= numbers[-1] + 50:
            numbers.extend(range(numbers[-1] + 1, number + 1))
        else:
            numbers.append(number)
    return numbers


def _number(word: str) -> int:
    if word.isdigit():
        return int(word)
    tens, ten, ones = word.rpartition("十")
    return (_CHINESE.get(tens, 1) * 10 if ten else 0) + _CHINESE.get(ones, 0)


def _references(text: str, known: Sequence[Reference] = ()) -> list[Reference]:
    """The findings that a text names, in its order; "问题2" without a judge is the one known finding of that number."""
    found: list[Reference] = []
    for token in _TOKEN.finditer(_folded(text)):
        found.extend(_named(token, [*known, *found]))
    return found


def _named(token: re.Match[str], known: Sequence[Reference]) -> list[Reference]:
    if token["reference"]:
        return [(_JUDGE_OF[token["judge"]], number) for number in _numbers(token["numbers"])]
    if token["bare"]:
        judges = {judge for judge, _ in known}
        named: list[Reference] = []
        for number in _numbers(token["number"]):
            candidates = {r for r in known if r[1] == number}
            if len(candidates) == 1:
                named.extend(candidates)
            elif not candidates and len(judges) == 1:
                named.append((next(iter(judges)), number))
        return named
    return []


def _decide(text: str, mentioned: Sequence[Reference], *, attributes: bool) -> _Decision:
    """Return the decision of a text on the findings it names.

    Chinese puts the finding before the verb ("A应删除") or after it ("删除A"): within a clause each finding goes with
    the next verb, or with the last one if the clause begins with its verb. A clause of nothing but findings goes with
    the next clause's verb. ``attributes``: a text without any verb names the right attribution itself.
    """
    decision = _Decision()
    folded = _folded(text)
    waiting: list[Reference] = []
    trailing: str | None = None
    clause: list[tuple[str, list[Reference]]] = []
    begin = 0
    tokens = [*_TOKEN.finditer(folded), None]
    for token in tokens:
        kind = token.lastgroup if token else "end"
        if token and kind not in ("end", "comma"):
            clause.append(_clause_part(token, mentioned, decision))
            continue
        waiting, trailing = _close_clause(
            clause, decision, waiting, trailing, only=_is_only_references(folded, begin, token)
        )
        if kind == "end":
            waiting, trailing = [], None
        clause = []
        begin = token.end() if token else len(folded)
    if attributes and not decision.says_something():
        decision.keeps = _references(text, mentioned)
        decision.belongs = [_JUDGE_OF[t["name"]] for t in _TOKEN.finditer(folded) if t["name"]]
    return decision


def _is_only_references(folded: str, begin: int, token: re.Match[str] | None) -> bool:
    clause = folded[begin : token.start() if token else len(folded)]
    return bool(_ONLY_REFERENCES.match(_TOKEN.sub("", clause)))


_VERBS = ("drop", "not_drop", "keep", "belong", "not_belong")


def _clause_part(
    token: re.Match[str], mentioned: Sequence[Reference], decision: _Decision
) -> tuple[str, list[Reference]]:
    for kind in _VERBS:
        if token[kind]:
            return kind, []
    if token["name"]:
        return "name:" + _JUDGE_OF[token["name"]], []
    if token["former"] or token["latter"]:
        place = 0 if token["former"] else 1
        return "finding", [mentioned[place]] if len(mentioned) == 2 else []
    return "finding", _named(token, mentioned)


def _close_clause(
    clause: Sequence[tuple[str, list[Reference]]],
    decision: _Decision,
    waiting: list[Reference],
    trailing: str | None,
    *,
    only: bool,
) -> tuple[list[Reference], str | None]:
    """Give each finding of a clause to its verb; return what waits for a verb, and the verb that may take more."""
    verbs = [(at, kind) for at, (kind, _) in enumerate(clause) if kind in _VERBS]
    findings = [(at, references) for at, (kind, references) in enumerate(clause) if kind == "finding" and references]
    for (verb, _), (name, _) in pairwise(clause):
        if verb == "belong" and name.startswith("name:"):
            decision.belongs.append(next(judge for judge in JUDGE_SPELLINGS if name == "name:" + judge))
    if not verbs:
        references = [r for _, found in findings for r in found]
        if trailing and only:
            _assign(decision, trailing, references)
            return waiting, trailing
        return (waiting + references if only else []), None
    if not findings:
        _assign(decision, verbs[0][1], waiting)
        return [], verbs[-1][1]
    verb_first = verbs[0][0] < findings[0][0]
    for at, references in findings:
        before = [kind for place, kind in verbs if place < at]
        after_it = [kind for place, kind in verbs if place > at]
        if verb_first or not after_it:
            _assign(decision, before[-1], references)
        elif after_it[0] not in ("belong", "not_belong"):
            _assign(decision, after_it[0], references)
    if not verb_first and waiting and verbs[0][1] in ("drop", "not_drop", "keep"):
        _assign(decision, verbs[0][1], waiting)
    return [], verbs[-1][1] if verb_first else None


def _assign(decision: _Decision, verb: str, references: list[Reference]) -> None:
    match verb:
        case "drop":
            decision.drops.extend(references)
        case "keep" | "belong":
            decision.keeps.extend(references)
        case "not_drop":
            decision.spared.extend(references)
