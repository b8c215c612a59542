"""Find all that a judge's prose mentions of the texts: its quotes, labelled stretches, and words without any marks.

Unquoted words are told by their script, by a verb that points at them, or by being figures; what is taken to be one
must stand in the texts, so that a judge's own words are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from judges.grounding.documents import Documents
from judges.grounding.fuzzy_search import Locator, Match, han, size
from judges.grounding.quotes import Mention, Reach, quotes, size_of
from judges.model import SIDES, Side

_LATIN = "A-Za-z\u00c0-\u024f"
_HAN = "\u3400-\u9fff"
_FOREIGN_WORDS = re.compile(
    rf"(?:(?<![\d第])\d[\d,.]*[%％]?[ -]?)?[{_LATIN}][\w'’&/.%-]*(?:[ ,]{{1,2}}(?:[{_LATIN}]|\d)[\w'’&/.%-]*)*", re.A
)
_WIDE_RUN = re.compile(rf"[{_HAN}](?:[{_HAN}\d、·%％]*[{_HAN}])?|\d[\d,.]*[%％]?的?[{_HAN}](?:[{_HAN}\d、·]*[{_HAN}])?")
_ONWARD = re.compile(r"[^、，。；：！？;:\n“”\"「」（）()—]*")
_FIGURE = re.compile(r"(?<![\d第.,A-Za-z])\d[\d,.:/~～–-]*(?<![,.:/~～–-])[%％]?")
_COUNTING = re.compile(
    r"(?:第|考点|要点|paragraphs?|points?|lines?|para\.?|item|No\.?|(?<![A-Za-z])[PST])\s*$|^\s*(?:段|句|处|次|个考点)",
    re.I,
)
_UNIT = re.compile(rf"\s?(?:°\s?[CF](?![A-Za-z])|[℃℉‰])|\s?[{_HAN}]{{1,6}}|[ -]?[{_LATIN}]+(?: [{_LATIN}]+)?")
_NOT_WORDS = re.compile(r"(?:MQM|LLM|AI|OK|vs|e\.g|i\.e|etc|P|S|T)\.?", re.I)
_CHINESE_TALK = re.compile(r"[，。；、]|[应误错直漏未]译|译[为成作文法名]|推荐|建议|原文|不[可能宜应]译|中的(?=\s|$)")
_MOST_LOOKUPS = 300
_LONGEST_RUN = 200
_HAN_RUNS = re.compile(rf"[{_HAN}\d]+")
_ECHO = 6
"""Characters from which Chinese in a Chinese prose is taken from a text."""
_PHRASE = 5
"""Size from which words can hardly stand in a text by chance."""

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
_ARROW = r"→|≠|＝|=>|->|而非|而不是|并非"
_POINTED: dict[Side, re.Pattern[str]] = {  # what comes right after is named, as far as it stands in that text
    "source": re.compile(
        rf"(?:{_ARROW}|原[为是作]|(?:原文|原句|源文|原作)[里中]?(?:明明|本来?|只|却)*"
        r"(?:的是|[写说讲用]的(?:明明|分明)?是|是|为|有|作|写|说|用))[\s:：]*"
    ),
    "translation": re.compile(
        rf"(?:{_ARROW}|(?<![应宜可须再议荐以要好])(?:{_RENDERED})|成了|变了|变为|沦为|用了|误[作为]|[加添]了(?:一[句个段])?"
        r"|(?:凭空|擅自|自行)[加添多][出上了]?(?:一[句个段])?|多[出了]+(?:一[句个段]|半句)?"
        r"|(?:译文|译者|[中英汉]译)[里中]?(?:却|竟然?|则|只|仅|误|错)*[写说用作是为有译](?:的是)?[作成为出]?了?)[\s:：]*"
    ),
}
_POINTED_LATIN = re.compile(
    r"(?:→|≠|＝|=>?|->|\b(?:rendered|translated|put|given|comes? (?:out|across)|came out) as"
    r"|\b(?:translation|target|english|chinese|source|original|rendering) (?:has|says|reads|gives|uses|writes)"
    r"|\bturned into|\bnot\b|\bbecomes?\b)"
    r"[\s:]*",
    re.I,
)
_TOPIC = re.compile(  # what stands right before is named: “将X译为”, “X一词”, “X译成了”
    rf"(?:^|(?<=[，。；：:、！？;\s—（(])|(?<=将)|(?<=把)|(?<=原文的)|(?<=原文)|(?<=术语)|(?<=名词)|(?<=其中)|(?<=[前上下后]文的)|(?<=段的)|(?<=[里中]的))"
    rf"(?P<topic>(?![将把不应可宜直误译被却竟都均又仅只这此该一第]|推荐|建议|最好|[原译前上下后]文|[首末本同]段)[{_HAN}]{{2,12}}?)"
    r"(?=一[词语]|二字|[两三四]个?字|这个?(?:词|术语|说法|概念)|这一(?:术语|词|概念)"
    r"|(?:全文|文中|在文中|前后|先后|贯穿|时而|一会儿?|居然|竟|却|直接|直|误|错|机械地?|被|都)*"
    r"(?:译|翻译?|写|处理|拍|变|改|当)(?:成|为|作|得|名|法)"
    r"|(?:全文|文中|在文中|前后|先后)?(?:共|竟|出现了?|共有|竟有|有)*[两三四五几多](?:种|个|套)(?:译|叫|说|写|不同)"
    r"|(?:本|原|在此)?(?:意为|意思|指|是说|说的是|形容|比喻|喻指)|(?:原封不动|原样|未译|没译|没翻|漏译|被漏|未作翻译))"
)
_LISTED = re.compile(r"\s*(?:[、/]|和|与|以及)\s*")
_ENDS = re.compile(
    rf"[^{_HAN}]|$|[的了这那而并就也会不都太很又却便完过和与及再后前]|[一二两三四](?:词|字|语|句|个字|处)|之[类说义]"
)

_HAN_START = re.compile(r"(?:^|[，。；：、！？;:\s—（(]|将|把|对|原文的?|原词|[里中]的|术语)(?=[\u3400-\u9fff])")
_HAN_RUN = re.compile(r"[\u3400-\u9fff\d·、]{2,40}")
_HAN_ENDS = re.compile(
    r"[^\u3400-\u9fff]|$|[误译被在是指的一本原这应宜不只竟却既和与及也都属就更用写成作当叫为有前怎变错会能没又再约即等到]|处理|全文|贯穿"
)
_LATIN_START = re.compile(
    r"(?:^|[,.;:(—–] ?)(?:The (?:term|word|phrase|name) |The |the |A |An |This |In |For |Here )?(?=[A-Za-z])"
)
_LATIN_RUN = re.compile(r"[A-Za-z][\w'’-]*(?: [A-Za-z][\w'’-]*){0,5}")
_OWN = re.compile(
    r"译文|原文|一[个种些]|这[个种里样]|那[个种]|此处|我们|他们|没有|可以|因为|所以|但是|读者|作者|中文|英文|意思|全[文篇]|前后|同[一样]"
    r"|(?:translat|source|target|reader|english|chinese|which|there|their|where|when|would|should|could|however|this|that"
    r"|these|those|other|phrase|sentence|paragraph|wrong|number|number|nothing|also|even|only|both|same)\w*",
    re.I,
)


def mentions(prose: str, pair: Documents) -> list[Mention]:
    """Return all mentions of a ``plain`` prose in order. Outermost quotes only; bare words never overlap a quote."""
    reach = _sparing(pair.reach)
    found = quotes(prose, reach)
    own_chinese = _chinese(prose, found)
    for match in _LABEL.finditer(prose):
        start, end = match.span("text")
        if size_of(match["text"]) >= 2 and not _overlap(found, start, end):
            found.append(Mention(match["text"].strip(), start, end, "label"))
    quoted = sorted(found, key=lambda m: m.start)
    for start, end in _gaps(quoted, len(prose)):
        for mention in _bare(prose=prose, start=start, end=end, own_chinese=own_chinese, pair=pair, reach=reach):
            if not _overlap(found, mention.start, mention.end):
                found.append(mention)
    return sorted(found, key=lambda m: m.start)


def _sparing(reach: Reach) -> Reach:
    """Return ``reach`` with a memory, and with an end to its patience where a prose is all fragments."""
    known: dict[str, int] = {}

    def look(text: str) -> int:
        if text not in known:
            if len(known) >= _MOST_LOOKUPS:
                return 0
            known[text] = reach(text)
        return known[text]

    return look


def _chinese(prose: str, quoted: list[Mention]) -> bool:
    """Return whether the prose itself (outside its quotes) is written in Chinese."""
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


def _bare(prose: str, start: int, end: int, own_chinese: bool, pair: Documents, reach: Reach) -> Iterator[Mention]:
    """Yield what ``prose[start:end]``, a stretch without quotes, names; earlier ones take precedence."""
    yield from _foreign(prose, start, end, own_chinese, reach)
    yield from _figures(prose, start, end, reach)
    wide = [side for side in SIDES if pair.wide[side]]
    if own_chinese and wide:
        for side in wide:
            yield from _pointed(_POINTED[side], prose, start, end, reach)
        yield from _echoes(prose, start, end, reach)
        for match in _TOPIC.finditer(prose, start, end):
            if reach(match["topic"]) == len(match["topic"]):
                yield Mention(match["topic"], *match.span("topic"), "bare")
    elif not own_chinese and len(wide) < len(SIDES):
        yield from _pointed(_POINTED_LATIN, prose, start, end, reach)


def _foreign(prose: str, start: int, end: int, own_chinese: bool, reach: Reach) -> Iterator[Mention]:
    """Yield words of another script than the prose's own. Chinese that stands there in English prose is quoted."""
    for match in (_FOREIGN_WORDS if own_chinese else _WIDE_RUN).finditer(prose, start, end):
        text, at = match[0].rstrip(" ,.-'’/&"), match.start()
        if size_of(text) < 2 or _NOT_WORDS.fullmatch(text):
            continue
        ahead = _ahead(prose, at, end)
        if any(map(str.isalnum, ahead[len(text) :])) and reach(ahead) > len(text) + 1:
            text = ahead[: reach(ahead)].rstrip(" ,.，。、")
        if (number := _FIGURE.match(text)) and reach(text) < min(number.end() + 2, len(text)):  # the judge's own number
            text = text[number.end() :].lstrip(" -")
            at = prose.index(text, at)
        bracketed = at > 0 and prose[at - 1] in "(（["
        outright = not own_chinese and len(text) > 1 and reach(text) == len(text)
        yield Mention(text, at, at + len(text), "bracketed" if bracketed else "quote" if outright else "bare")


def _pointed(pattern: re.Pattern[str], prose: str, start: int, end: int, reach: Reach) -> Iterator[Mention]:
    """Yield what the prose points at, as far as it stands in a text; short Chinese words only where they end.

    So too what is listed after it: “译为A、B和C”.
    """
    for match in pattern.finditer(prose, start, end):
        begin = match.end()
        while True:
            ahead = _ahead(prose, begin, end)
            text = ahead[: reach(ahead)].rstrip()
            stop = begin + len(text)
            whole = han(text) >= _PHRASE or (han(text) >= 2 and bool(_ENDS.match(prose, stop)))
            if not (whole or (pattern is _POINTED_LATIN and size_of(text) >= _PHRASE)):
                break
            yield Mention(text, begin, stop, "bare")
            more = _LISTED.match(prose, stop, end)
            if more is None:
                break
            begin = more.end()


def _echoes(prose: str, start: int, end: int, reach: Reach) -> Iterator[Mention]:
    """Yield the stretches of Chinese that stand in a text word for word and are too long for chance."""
    for run in _HAN_RUNS.finditer(prose, start, end):
        at = run.start() + len(run[0]) - len(run[0].lstrip("是的在把将被"))
        while at + _ECHO <= run.end():
            length = reach(prose[at : run.end()]) if reach(prose[at : at + _ECHO]) == _ECHO else 0
            if length:
                yield Mention(prose[at : at + length], at, at + length, "bare")
            at += length or 1


def _ahead(prose: str, start: int, end: int) -> str:
    """Return the prose from ``start`` up to a pause."""
    match = _ONWARD.match(prose, start, min(end, start + _LONGEST_RUN))
    return match[0] if match else ""


def _figures(prose: str, start: int, end: int, reach: Reach) -> Iterator[Mention]:
    """Yield the numbers that stand in the texts, with as much of their unit as stands there beside them."""
    for match in _FIGURE.finditer(prose, start, end):
        if _COUNTING.search(prose[max(0, match.start() - 12) : match.start()]) or _COUNTING.match(
            prose[match.end() : match.end() + 4]
        ):
            continue
        unit = _UNIT.match(prose, match.end(), end)
        whole = prose[match.start() : unit.end()] if unit else match[0]
        text = whole[: reach(whole)].rstrip()
        if len(text) > len(match[0]) or (len(text) == len(match[0]) and len(text) >= 2):
            yield Mention(text, match.start(), match.start() + len(text), "bare")


def unquoted_mention(
    prose: str, held: list[Mention], pair: Documents, side: Side, beside: tuple[Side, Match]
) -> Mention | None:
    """Return the longest stretch of ``prose`` outside ``held`` that stands on ``side`` about where ``beside`` does.

    A judge who writes in the language of one text names its words without marks: “古柏误作ancient pine”. Such words are
    only believed at the beginning of a clause, and beside what they go with on the other side.
    """
    window = pair.window(side, pair.place(beside[0], beside[1].middle))
    if window is None:
        return None
    there = Locator(pair.sides[side].text[window[0] : window[1]])
    wide = pair.wide[side]
    best: Mention | None = None
    for start in (_HAN_START if wide else _LATIN_START).finditer(prose):
        run = (_HAN_RUN if wide else _LATIN_RUN).match(prose, start.end())
        if run is None or _OWN.match(run[0]):
            continue
        text = run[0][: there.reach(run[0])].rstrip(" ,、")
        found = Mention(text, run.start(), run.start() + len(text), "bare")
        least = 3 if start[0][-1:] == " " and not wide else 4  # after an article
        if size(text) < least or any(m.start < found.end and found.start < m.end for m in held):
            continue
        if wide and size(text) < 10 and not _HAN_ENDS.match(prose, found.end):
            continue
        if best is None or size(text) > size(best.text):
            best = found
    return best
