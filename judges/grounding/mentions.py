"""Find all that a judge's prose mentions of the texts: its quotes, labelled stretches, and words without any marks.

Unquoted words are told by their script, by a verb that points at them, or by being figures; what is taken to be one
must stand in the texts, so that a judge's own words are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.grounding.documents import Documents
from judges.grounding.locate import han
from judges.grounding.quotes import Mention, quotes, size_of
from judges.model import SIDES

_LATIN = "A-Za-z\u00c0-\u024f"
_HAN = "\u3400-\u9fff"
_FOREIGN_WORDS = re.compile(
    rf"(?:(?<![\d第])\d[\d,.]*[ -]?)?[{_LATIN}][\w'’&/.%-]*(?:[ ,]{{1,2}}(?:[{_LATIN}]|\d)[\w'’&/.%-]*)*", re.A
)
_WIDE_RUN = re.compile(rf"[{_HAN}](?:[{_HAN}\d、·%％]*[{_HAN}])?|\d[\d,.]*[%％]?的?[{_HAN}](?:[{_HAN}\d、·]*[{_HAN}])?")
_ONWARD = re.compile(r"[^，。；：！？;:\n“”\"「」（）()—]*")
_FIGURE = re.compile(r"(?<![\d第.,A-Za-z])\d[\d,.:/~～–-]*(?<![,.:/~～–-])[%％]?")
_COUNTING = re.compile(
    r"(?:第|考点|要点|paragraphs?|points?|lines?|para\.?|item|No\.?|(?<![A-Za-z])[PST])\s*$|^\s*(?:段|句|处|次|个考点)",
    re.I,
)
_UNIT = re.compile(rf"\s?(?:°\s?[CF](?![A-Za-z])|[℃℉‰])|\s?[{_HAN}]{{1,6}}|[ -]?[{_LATIN}]+(?: [{_LATIN}]+)?")
_NOT_WORDS = re.compile(r"(?:MQM|LLM|AI|OK|vs|e\.g|i\.e|etc|P|S|T)\.?", re.I)
_CHINESE_TALK = re.compile(r"[应误错直]译|译[为成作文]|推荐|建议|原文|不[可能宜应]译|中的(?=\s|$)")
_LONGEST_RUN = 200

_LABEL = re.compile(
    r"(?:^|(?<=[\s，。；;,.\n]))"
    r"(?:原文|译文|原句|译句|源文|source(?: text)?|original|translation|target(?: text)?)\s*[:：]\s*"
    r"(?![“\"‘'「『《＂`\s])(?P<text>[^“”\"「」\n]+?)"
    r"(?=\s*(?:[；;。\n]|$|[，,.]?\s*(?:原文|译文|原句|译句|建议|应|宜|source|original|translation|target|suggest)\b))",
    re.I,
)
_RENDERED = (
    r"(?:译|翻|翻译|写|说|拍|搬|变|弄|搞|做|处理|表述|改|换|当|理解|错|抄|看|读|简化|作|译写|念|套)(?:成|为|作)了?"
)
_POINTED = re.compile(  # what comes right after is named, as far as it stands in the texts
    rf"(?<![应宜可须再议荐以要好是])(?:{_RENDERED}|成了|变了|变为|沦为|用了|误作|误为|而非|而不是|并非|→|≠|＝|=>|->|加了(?:一[句个段])?|添了(?:一[句个段])?"
    r"|(?:凭空|擅自|自行)(?:加|添|多)(?:出|上|了)?(?:一[句个段])?|多[出了]+(?:一[句个段]|半句)?"
    r"|(?:译文|译者|中译|英译|汉译)(?:里|中)?(?:却|竟然?|则|只|仅|误|错)*(?:写|说|用|作|是|为|有|译)(?:的是)?(?:作|成|为|出)?了?"
    r"|(?:原文|原句|源文|原作)(?:里|中)?(?:明明|本来?|只|却|里)*(?:的是|[写说讲用]的(?:明明|分明)?是|是|为|有|作|写|说|用))[\s:：]*",
)
_POINTED_LATIN = re.compile(
    r"(?:→|≠|＝|=>?|->|\b(?:rendered|translated|put|given|comes? (?:out|across)|came out) as"
    r"|\b(?:translation|target|english|chinese|source|original|rendering) (?:has|says|reads|gives|uses|writes)"
    r"|\bturned into|\bnot\b|\bbecomes?\b)"
    r"[\s:]*",
    re.I,
)
_TOPIC = re.compile(  # what stands right before is named: “将X译为”, “X一词”, “X译成了”
    rf"(?:^|(?<=[，。；：:、！？;\s—（(])|(?<=将)|(?<=把)|(?<=原文的)|(?<=原文)|(?<=术语)|(?<=名词)|(?<=其中))"
    rf"(?P<topic>(?![将把不应可宜直误译被却竟都均又仅只这此该一]|推荐|建议|原文|最好)[{_HAN}]{{2,12}}?)"
    r"(?=一[词语]|二字|[两三四]个?字|这个?(?:词|术语|说法|概念)|这一(?:术语|词|概念)"
    r"|(?:全文|文中|在文中|前后|先后|贯穿|时而|一会儿?|居然|竟|却|直接|直|误|错|机械地?|被|都)*"
    r"(?:译|翻译?|写|处理|拍|变|改|当)(?:成|为|作|得|名|法)"
    r"|(?:全文|文中|在文中|前后|先后)?(?:共|竟|出现了?|共有|竟有|有)*[两三四五几多](?:种|个|套)(?:译|叫|说|写|不同)"
    r"|(?:本|原|在此)?(?:意为|意思|指|是说|说的是|形容|比喻|喻指)|(?:原封不动|原样|未译|没译|没翻|漏译|被漏|未作翻译))"
)
_ENDS = re.compile(rf"[^{_HAN}]|$|[的了这那而并就]|[一二两三四](?:词|字|语|句|个字|处)|之[类说义]")


def mentions(prose: str, pair: Documents) -> list[Mention]:
    """Return all mentions of a ``plain`` prose in order. Outermost quotes only; bare words never overlap a quote."""
    found = quotes(prose, pair.reach)
    own_chinese = _chinese(prose, found)
    for match in _LABEL.finditer(prose):
        start, end = match.span("text")
        if size_of(match["text"]) >= 2 and not _overlap(found, start, end):
            found.append(Mention(match["text"].strip(), start, end, "label"))
    quoted = sorted(found, key=lambda m: m.start)
    for start, end in _gaps(quoted, len(prose)):
        for mention in _bare(prose, start, end, own_chinese, pair):
            if not _overlap(found, mention.start, mention.end):
                found.append(mention)
    return sorted(found, key=lambda m: m.start)


def foreign_runs(text: str, wide: bool) -> Iterator[str]:
    """Yield the stretches of a quote that are in the other script: Chinese ones (``wide``) or Latin ones."""
    for match in (_WIDE_RUN if wide else _FOREIGN_WORDS).finditer(text):
        run = match[0].strip(" ,.-'’/&、·")
        if size_of(run) >= 2:
            yield run


def _chinese(prose: str, quoted: list[Mention]) -> bool:
    """Whether the prose itself (outside its quotes) is written in Chinese."""
    held = prose
    for mention in reversed(quoted):
        held = held[: mention.start] + held[mention.end :]
    if _CHINESE_TALK.search(held):
        return True
    wide = han(held)
    return wide * 4 >= sum(1 for c in held if c.isalpha()) - wide and wide > 0


def _overlap(found: list[Mention], start: int, end: int) -> bool:
    return any(m.start < end and start < m.end for m in found)


def _gaps(quoted: list[Mention], length: int) -> Iterator[tuple[int, int]]:
    at = 0
    for mention in quoted:
        yield at, mention.start
        at = mention.end
    yield at, length


def _bare(prose: str, start: int, end: int, own_chinese: bool, pair: Documents) -> Iterator[Mention]:
    """Yield what ``prose[start:end]``, a stretch without quotes, names; earlier ones take precedence."""
    for match in (_FOREIGN_WORDS if own_chinese else _WIDE_RUN).finditer(prose, start, end):
        text = match[0].rstrip(" ,.-'’/&")
        if size_of(text) < 2 or _NOT_WORDS.fullmatch(text):
            continue
        at = match.start()
        text = _onward(prose, at, end, text, pair)
        if (number := _FIGURE.match(text)) and pair.reach(text) <= number.end() + 1:  # a number of the judge's own
            at, text = at + number.end() + 1, text[number.end() + 1 :]
        bracketed = at > 0 and prose[at - 1] in "(（["
        outright = not own_chinese and len(text) > 1 and pair.reach(text) == len(text)
        yield Mention(text, at, at + len(text), "bracketed" if bracketed else "quote" if outright else "bare")
    yield from _figures(prose, start, end, pair)
    if not own_chinese and not all(pair.wide.values()):
        for match in _POINTED_LATIN.finditer(prose, start, end):
            ahead = _ONWARD.match(prose, match.end(), min(end, match.end() + _LONGEST_RUN))
            text = ahead[0] if ahead else ""
            text = text[: pair.reach(text)].rstrip()
            if size_of(text) >= 5 and not han(text):
                yield Mention(text, match.end(), match.end() + len(text), "bare")
    if own_chinese and any(pair.wide.values()):
        chinese = [side for side in SIDES if pair.wide[side]]
        for match in _POINTED.finditer(prose, start, end):
            ahead = _ONWARD.match(prose, match.end(), min(end, match.end() + _LONGEST_RUN))
            text = ahead[0] if ahead else ""
            text = text[: max((pair.sides[side].reach(text) for side in chinese), default=0)]
            if han(text) >= 2 and (han(text) >= 5 or _ENDS.match(prose, match.end() + len(text))):
                yield Mention(text, match.end(), match.end() + len(text), "bare")
        for match in _TOPIC.finditer(prose, start, end):
            if any(pair.sides[side].occurs(match["topic"]) for side in chinese):
                yield Mention(match["topic"], *match.span("topic"), "bare")


def _onward(prose: str, start: int, end: int, text: str, pair: Documents) -> str:
    """Return as much of the prose from ``start`` as stands together in a text, if that is more than ``text``."""
    ahead = _ONWARD.match(prose, start, min(end, start + _LONGEST_RUN))
    whole = ahead[0] if ahead else ""
    if not any(map(str.isalnum, whole[len(text) :])):
        return text
    reached = whole[: pair.reach(whole)].rstrip()
    return reached if len(reached) > len(text) + 1 else text


def _figures(prose: str, start: int, end: int, pair: Documents) -> Iterator[Mention]:
    """Yield the numbers that stand in the texts, with as much of their unit as stands there beside them."""
    for match in _FIGURE.finditer(prose, start, end):
        if _COUNTING.search(prose[max(0, match.start() - 12) : match.start()]) or _COUNTING.match(
            prose[match.end() : match.end() + 4]
        ):
            continue
        unit = _UNIT.match(prose, match.end(), end)
        whole = prose[match.start() : unit.end()] if unit else match[0]
        text = whole[: pair.reach(whole)].rstrip()
        if len(text) > len(match[0]) or (len(text) == len(match[0]) and size_of(text) >= 2):
            yield Mention(text, match.start(), match.start() + len(text), "bare")
