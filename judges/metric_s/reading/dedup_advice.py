"""Advice of a de-duplicator in its own words: which findings to drop, and in favour of which.

Its answer is meant to be JSON; what it says in it is Chinese or English prose that names findings like
"【accuracy问题1】" and says where the error belongs.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from judges.metric_s.reading.json_answer import MOST_ITEMS, own_prose, read_answer, says_no_duplicates
from judges.metric_s.reading.key_scan import Item
from judges.metric_s.reading.labels import JUDGE_SPELLINGS, field_of, normal
from judges.metric_s.reading.material import NOTHING_SHOWN, Material
from judges.metric_s.reading.statements import CONCLUDED, DENIED, NEGATED, SUPPOSED, folded, sentences
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
_VERBS = ("drop", "keep", "cost", "belong", "nothing")
_TOKEN = re.compile(
    rf"(?P<reference>(?P<judge>{_NAME}){_FILLER}(?P<numbers>{_DIGITS}{_MORE}))"
    rf"|(?P<bare>{_NOUN}\s?(?P<number>{_DIGITS}{_MORE}))"
    rf"|(?P<supposed>{SUPPOSED})|(?P<concluded>{CONCLUDED})"
    r"|(?P<nothing>(?:无[需须]要?|不需要?|不用|不必|毋须)(?:任何|再|做|作|进行|对其)*(?:纠错|纠正|调整|处理|修改|改动|变动|更正|去重|操作)"
    r"|(?:维持|保持)(?:不变|原[状判样])|\bno (?:further )?(?:action|change|correction|adjustment)s?\b)"
    r"|(?P<contrast>(?:而非|而不是|不是|并非|\brather than\b|\binstead of\b|\bnot\b)"
    rf"(?=(?:\s|【|\[|“|\"|'|the\b){{0,4}}(?:{_NAME})))"
    r"|(?P<all>均|都|皆|全部|二者|两者|\b(?:both|all)\b)|(?P<others>其余|其[他它]|\b(?:others?|rest|remaining)\b)"
    r"|(?P<aside>(?<![原归起])因(?:为|与|其)?|由于|鉴于"
    r"|\b(?:because|since|in favou?r of|covered by|repeats?|duplicates?|overlaps?)\b)"
    r"|(?P<same>重复(?!扣|计)|重叠|相同|一致|雷同)"
    rf"|(?P<denied>{DENIED})|(?P<negated>{NEGATED})"
    r"|(?P<drop>删除|删去|删掉|删|去除|去掉|移除|剔除|排除|舍去|舍弃|剔|\b(?:remov|delet|dropp|drop|discard|exclud)\w*)"
    r"|(?P<keep>保留|留下|为准|\b(?:kept|keep|retain)\w*)"
    r"|(?P<cost>重复扣分|重复计分|计分|扣分|计入|\bcount\w*)"
    r"|(?P<belong>属于|归因于|归因为|归因到|归因至|归因|归属于|归于|归入|归到|归为|归至|算作|并入|合并[到至入于]|属"
    r"|\b(?:belong\w*|attribut\w*|merged?)\b)"
    rf"|(?P<name>{_NAME})"
    r"|(?P<former>前者|\bformer\b)|(?P<latter>后者|\blatter\b)"
    r"|(?P<ought>应该?当?|必须|须|需要?|建议|可以?|宜|予以"
    r"|\b(?:should|must|shall|needs? to|has to|is to|are to|ought to)\b)"
    r"|(?P<or>或者?|、|/|\b(?:or|and)\b|和|及|与|同|跟)"
    r"|(?P<end>[。;\n!?]|\.(?=\s|\Z))|(?P<comma>,)"
)
_ONLY_REFERENCES = re.compile(r"[\s【】\[\]()\"'“”、:和与及以而是但but]*\Z")
_QUOTATION = re.compile(r"“[^“”]*”|‘[^‘’]*’|「[^「」]*」|\"[^\"\n]*\"")
_DIFFERENT = re.compile(
    r"不重复(?!扣|计)|非重复|不属于重复|不构成重复|不是重复|不是同一|并非同一|非同一|not duplicat|no overlap"
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
    """Decision of one line of advice: the findings that go, those that stay, and the judge the error belongs to.

    ``spared``: they are said not to go. ``undecided``: something is supposed or asked, not said. ``nothing``: it is
    said that nothing is to be done; ``none``: that nothing of what is spoken of goes.
    """

    drops: list[Reference] = field(default_factory=list)
    keeps: list[Reference] = field(default_factory=list)
    spared: list[Reference] = field(default_factory=list)
    belongs: list[Judge] = field(default_factory=list)
    undecided: bool = False
    nothing: bool = False
    none: bool = False

    def says_something(self) -> bool:
        return bool(self.drops or self.keeps or self.spared or self.belongs or self.nothing)

    @property
    def contradicts_itself(self) -> bool:
        return not {*self.drops}.isdisjoint((*self.keeps, *self.spared)) or (self.none and bool(self.drops))

    def say_of_all(self, verb: str, everything: str) -> None:
        """Take a verb without a finding: "nothing needs correcting", "neither goes", "all others stay"."""
        spares = verb == "no drop" or (verb == "keep" and bool(everything))
        self.none = self.none or (spares and everything != "others")
        self.nothing = self.nothing or spares or verb == "nothing"

    def assign(self, verb: str, references: Iterable[Reference]) -> None:
        """Give findings to a verb; "cost" and "no belong" decide nothing."""
        match verb:
            case "drop" | "no keep" | "no cost":
                self.drops.extend(references)
            case "keep" | "belong":
                self.keeps.extend(references)
            case "no drop" | "nothing":
                self.spared.extend(references)


class _Known:
    """Findings that were named already, by their number: which one "问题2" without a judge is."""

    def __init__(self, references: Iterable[Reference] = ()) -> None:
        self.in_order: list[Reference] = []
        self._judges: set[Judge] = set()
        self._by_number: dict[int, set[Judge]] = {}
        self.add(references)

    def add(self, references: Iterable[Reference]) -> None:
        """Take further ones in."""
        for judge, number in references:
            self.in_order.append((judge, number))
            self._judges.add(judge)
            self._by_number.setdefault(number, set()).add(judge)

    def of_number(self, number: int) -> list[Reference]:
        """Return the one finding that a number can mean, if there is just one."""
        judges = self._by_number.get(number) or self._judges
        return [(judge, number) for judge in judges] if len(judges) == 1 else []


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
    written = [block.strip() for block in blocks[:MOST_ITEMS] if block.strip()]
    found = [_read_text(block, block, "", attributes=False) for block in written]
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
        line = Advice(shown, tuple(_unique(drops)), tuple(_unique(keeps)))
        return line if len(line.drops) + len(line.keeps) <= _MOST_NAMED else Advice(shown, status="refused")
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
    """One line of advice by the text that decides. ``attributes``: it stands under a key that says whose the error is.

    Only then does what is not named as staying go, and does the attribution alone decide.
    """
    if len(deciding) > LONGEST:
        return Advice(shown, status="refused")
    deciding = _without_quotations(folded(deciding))
    named = _Known(_references(mention))
    named.add(_references(deciding, named.in_order))
    mentioned = _unique(named.in_order)
    decision = _decide(deciding, mentioned, attributes=attributes)
    drops, keeps = _unique(decision.drops), _unique(decision.keeps)
    if decision.contradicts_itself:
        return Advice(shown, status="refused")
    apart = decision.nothing or _DIFFERENT.search(deciding)
    if not drops and (apart or decision.spared):
        return _advice(shown, (), keeps or mentioned)
    if not drops and attributes and decision.says_something():
        stays = {*keeps} or {r for r in mentioned if r[0] in decision.belongs}
        drops = [r for r in mentioned if r not in stays]
        keeps = [r for r in mentioned if r in stays]
    if not keeps:
        group = mentioned if mention else _unique(_grouped(deciding))
        gone = {*drops}
        keeps = [r for r in group if r not in gone and (not decision.belongs or r[0] in decision.belongs)]
    if mentioned and not drops and decision.undecided:
        return Advice(shown, status="refused")
    return _advice(shown, drops, keeps)


def _advice(shown: str, drops: Iterable[Reference], keeps: Iterable[Reference]) -> Advice:
    dropped = tuple(_unique(drops))
    gone = {*dropped}
    kept = tuple(r for r in _unique(keeps) if r not in gone)
    if len(dropped) + len(kept) > _MOST_NAMED:
        return Advice(shown, status="refused")
    return Advice(shown, dropped, kept, "applied" if dropped or kept else "names_nothing")


LONGEST = 20_000
"""Characters of prose that one line of advice may have; a longer one is no advice."""
_MOST_NAMED = 400
"""Findings that one line may name: more than all judges together may report."""


def _without_quotations(text: str) -> str:
    """Return prose without passages in quotation marks that hold advice of their own: somebody else gave it."""

    def kept(match: re.Match[str]) -> str:
        kinds = {token.lastgroup for token in _TOKEN.finditer(match[0])}
        whole = match[0] == text.strip()
        return " " if not whole and kinds & {*_VERBS} and kinds & {"reference", "bare", "name"} else match[0]

    return _QUOTATION.sub(kept, text)


def _grouped(text: str) -> list[Reference]:
    """The findings that prose names where it says that they are one, or that one of them goes."""
    return [r for sentence in sentences(text) if _ONE_CAUSE.search(sentence) for r in _references(sentence)]


_ONE_CAUSE = re.compile(
    r"重复|重叠|同一|相同|一致|删|去除|移除|剔|排除|duplic|overlap|same|drop|delet|remov|discard|exclud"
)


def _unique(references: Iterable[Reference]) -> list[Reference]:
    return list(dict.fromkeys(references))


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


def _references(text: str, known: Iterable[Reference] = ()) -> list[Reference]:
    """The findings that a text names, in its order; "问题2" without a judge is the one known finding of that number."""
    so_far = _Known(known)
    found: list[Reference] = []
    for token in _TOKEN.finditer(folded(text)):
        named = _named(token, so_far)
        so_far.add(named)
        found.extend(named)
    return found


def _named(token: re.Match[str], known: _Known) -> list[Reference]:
    if token["reference"]:
        return [(_JUDGE_OF[token["judge"]], number) for number in _numbers(token["numbers"])]
    if token["bare"]:
        return [reference for number in _numbers(token["number"]) for reference in known.of_number(number)]
    return []


@dataclass
class _Clause:
    """One clause on its way: its verbs and findings by place, and what negates the next verb."""

    verbs: list[tuple[int, str]] = field(default_factory=list)
    findings: list[tuple[int, list[Reference], bool]] = field(default_factory=list)
    belongs: list[Judge] = field(default_factory=list)
    named: list[Reference] = field(default_factory=list)
    place: int = 0
    denials: int = 0
    negations: int = 0
    before: int = 0
    contrast: bool = False
    aside: bool = False
    joined: bool = False
    related: bool = False
    everything: str = ""
    last: str = ""

    def finding(self, named: list[Reference]) -> None:
        """Take findings, unless they are only what another one is held against."""
        self.named.extend(named)
        if named and not self.aside:
            self.findings.append((self.place, named, self.contrast))
        self.before = self.negations
        self.take("finding")

    def same(self) -> None:
        """Set aside the findings that were said to be one, or with which another is: the verb means none of them."""
        since = self.verbs[-1][0] if self.verbs else -1
        recent = [found for found in self.findings[-2:] if found[0] > since]
        if len(recent) > 1 or self.joined or any(len(named) > 1 for _, named, _ in recent):
            while self.findings and self.findings[-1][0] > since:
                self.findings.pop()

    def take(self, kind: str) -> None:
        """Note what the last part was."""
        self.place += 1
        self.last = kind

    def verb(self, kind: str) -> None:
        """Take a verb, with its negation; a second one after "or" shares that of the first."""
        if self.last == "or after verb" and self.verbs:
            negated = self.verbs[-1][1].startswith("no ")
        else:
            negated = (self.denials + self.negations) % 2 == 1
        self.denials = self.negations = 0
        self.aside = self.joined = False
        self.verbs.append((self.place, f"no {kind}" if negated and kind != "nothing" else kind))
        self.take("verb")


_OPPOSITE = {"drop": "keep", "keep": "drop", "no drop": "drop", "no keep": "keep"}


def _decide(text: str, mentioned: Sequence[Reference], *, attributes: bool) -> _Decision:
    """Return the decision of a folded text on the findings it names.

    Chinese puts the finding before the verb ("A应删除") or after it ("删除A"): within a clause each finding goes with
    the next verb, or with the last one if the clause begins with its verb. A clause of nothing but findings goes with
    the next clause's verb. A verb is taken with its negations, two of which cancel out; what a sentence supposes or
    asks decides nothing. ``attributes``: a text without any verb names the right attribution itself.
    """
    decision = _Decision()
    known = _Known(mentioned)
    for sentence in sentences(text):
        _decide_sentence(sentence, known, mentioned, decision)
    if attributes and not decision.says_something() and not decision.undecided:
        tokens = list(_TOKEN.finditer(text))
        if any(token.lastgroup in _VERBS for token in tokens):
            decision.undecided = True
        else:
            decision.keeps = _references(text, mentioned)
            decision.belongs = [_JUDGE_OF[t["name"]] for t in tokens if t["name"]]
    return decision


def _decide_sentence(text: str, known: _Known, mentioned: Sequence[Reference], decision: _Decision) -> None:
    waiting: list[Reference] = []
    trailing: str | None = None
    subject: list[Reference] = []
    clause = _Clause()
    begin = 0
    supposed = text.rstrip().endswith("?")
    decision.undecided = decision.undecided or supposed
    for token in (*_TOKEN.finditer(text), None):
        kind = token.lastgroup if token else "end"
        if kind in ("supposed", "concluded"):
            supposed = kind == "supposed" or text.rstrip().endswith("?")
            decision.undecided = decision.undecided or supposed
            if not supposed:
                clause = _Clause()
        elif token and kind not in ("end", "comma"):
            _take(token, kind or "", clause, known, mentioned)
        else:
            if supposed:
                waiting, trailing = [], None
            else:
                only = bool(_ONLY_REFERENCES.match(_TOKEN.sub("", text[begin : token.start() if token else len(text)])))
                waiting, trailing = _close_clause(clause, decision, waiting, trailing, only=only, subject=subject)
            subject = clause.named if len(clause.named) == 1 and not clause.verbs and not supposed else []
            clause = _Clause()
            begin = token.end() if token else len(text)


def _take(token: re.Match[str], kind: str, clause: _Clause, known: _Known, mentioned: Sequence[Reference]) -> None:
    """Take one part of a clause."""
    match kind:
        case "drop" | "keep" | "cost" | "belong" | "nothing":
            clause.verb(kind)
        case "denied":
            clause.denials += 1
        case "negated":
            clause.negations += not (token[0] == "nor" and clause.denials)
        case "all" | "others":
            clause.everything = kind
        case "ought":
            if clause.last == "finding" and clause.negations == clause.before:  # it negated what came before
                clause.negations = 0
        case "or":
            clause.joined = clause.joined or clause.last != "finding"
            clause.last = "or after verb" if clause.last == "verb" else clause.last
        case "aside":
            clause.aside = clause.related = True
        case "same":
            clause.related = True
            clause.same()
        case "contrast":
            clause.contrast = True
        case "name":
            if clause.last == "verb" and clause.verbs[-1][1] == "belong":
                clause.belongs.append(_JUDGE_OF[token["name"]])
            clause.take("name")
        case _:
            named = _named(token, known)
            if kind in ("former", "latter"):
                named = [mentioned[kind == "latter"]] if len(mentioned) == 2 else []
            clause.finding(named)


def _close_clause(
    clause: _Clause,
    decision: _Decision,
    waiting: list[Reference],
    trailing: str | None,
    *,
    only: bool,
    subject: list[Reference],
) -> tuple[list[Reference], str | None]:
    """Give each finding of a clause to its verb; return what waits for a verb, and the verb that may take more.

    ``only``: the clause holds nothing but findings. ``subject``: the one finding that the clause before spoke of.
    """
    decision.belongs.extend(clause.belongs)
    verbs, findings = clause.verbs, clause.findings
    if not verbs:
        only = only and not clause.related
        if trailing and only:
            decision.assign(_OPPOSITE.get(trailing, "cost") if clause.contrast else trailing, clause.named)
            return waiting, trailing
        return (waiting + clause.named if only else []), None
    if not findings:
        decision.assign(verbs[0][1], waiting or subject)
        if not (waiting or subject):
            decision.say_of_all(verbs[0][1], clause.everything)
        return [], verbs[-1][1]
    verb_first = verbs[0][0] < findings[0][0]
    following = 0
    for place, references, contrast in findings:
        while following < len(verbs) and verbs[following][0] < place:
            following += 1
        if verb_first or following == len(verbs):
            verb = verbs[following - 1][1]
        elif verbs[following][1] in ("belong", "no belong"):
            continue
        else:
            verb = verbs[following][1]
        decision.assign(_OPPOSITE.get(verb, "cost") if contrast else verb, references)
    if not verb_first and waiting and verbs[0][1] not in ("belong", "no belong"):
        decision.assign(verbs[0][1], waiting)
    return [], verbs[-1][1] if verb_first else None
