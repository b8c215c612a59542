"""Find the judge's own words that echo a text, where one side has nothing yet and the other says where to look.

A judge who writes in the language of one text names its words without marks: “古柏误作ancient pine”. Such words are
only believed at the beginning of a clause, and beside what they go with on the other side.
"""

from __future__ import annotations

import re

from judges.grounding.documents import Documents
from judges.grounding.fuzzy_search import Locator, Match, size
from judges.grounding.quotes import Mention
from judges.model import Side

_HAN_START = re.compile(r"(?:^|[，。；：、！？;:\s—（(]|将|把|对|原文的?|原词|[里中]的|术语)(?=[\u3400-\u9fff])")
_HAN_RUN = re.compile(r"[\u3400-\u9fff\d·、]{2,40}")
_HAN_ENDS = re.compile(
    r"[^\u3400-\u9fff]|$|[误译被在是指的一本原这应宜不只竟却既和与及也都属就更用写成作当叫为有前怎变错会能没又再]|处理|全文|贯穿"
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


def echo(prose: str, held: list[Mention], pair: Documents, side: Side, beside: tuple[Side, Match]) -> Mention | None:
    """Return the longest stretch of ``prose`` outside ``held`` that stands on ``side`` about where ``beside`` does."""
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
