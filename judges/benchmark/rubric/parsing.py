"""Parsing of a rubric point's prose: the words of the source, their renderings, and the forbidden ones."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import zip_longest
from typing import NamedTuple

from judges.benchmark.rubric.phrases import ANY, PHRASES, Phrases, language_of, pattern
from judges.grounding.fuzzy_search import Locator, han
from judges.grounding.normalization import fold
from judges.grounding.quotes import Mention, plain, quotes
from judges.words import NEVER

_LONGEST = 2_000
_LONGEST_RUN = 120
_HAN = "\u3400-\u9fff"
_QUOTED = "\x00"
"""Stands for every character of a quote where only what is outside of quotes is looked at."""
_BEFORE = re.compile(
    r"[\W_]*(?:(?:对于|文中|原文中?|文章中|其中|标题|术语|专有名词|成语|词语|短语|公司名"
    r"|关键词|语法|文化负载词|将|把|the (?:term|phrase|word)\b)的?)?[\W_]*",
    re.I,
)
_AFTER = re.compile(r"(?:[\s，,：:]|一词|一句|这个词|等词|等)+$")
_LATIN_RUN = re.compile(
    rf"[A-Za-z\u00c0-\u024f\d](?: ?或者? ?(?=[A-Za-z])|[^\u3000-\u303f{_HAN}\uff00-\uffef“”\"\n{_QUOTED}])*"
)
_WIDE_RUN = re.compile(rf"[^，。；;,\n“”\"‘（(【》《{_QUOTED}\s][^，。；;,\n“”\"‘（(【{_QUOTED}]*")
_WORDS_RUN = re.compile(
    rf"[^\s“”\"‘«»,.;:\n({_QUOTED}]"
    rf"(?:(?!\b(?:because|since|not|rather than|instead of|which|as it|in this)\b)[^“”\"«»,.;:\n(—{_QUOTED}])*"
)
_LEADS_ON = re.compile(
    r"(?:[为成作用是法名]|not|rather than|instead of|avoid|as|by|with|into|to|use|par|como|por|als|mit|как"
    r"|[:：→⇒≠=＝×✗]|->|=>)$",
    re.I,
)
_OR = re.compile(rf"\s*(?:[，,、]?\s*(?:或者?是?|\bor\b|\boder\b|\bou\b)|[/／、;；,，])\s*(?=[^{_QUOTED}])", re.I)
_JOINT = re.compile(r"[\s:：]*(?:或者?是?|or|oder|ou|или)?\s*", re.I)
_ALTERNATIVES = re.compile(rf"\s*[;；]\s*|\s+[/／]\s+|(?<=[{_HAN}])\s*[/／]\s*(?=[{_HAN}])")
_RUN_ALTERNATIVES = re.compile(
    rf"\s*[;；]\s*|\s*[/／]\s*|\s*[，,]?\s*或者?是?\s*(?=[A-Za-z])|(?<=[{_HAN}])\s*，?(?:或者|或)\s*(?=[{_HAN}])|\s+(?:or|oder)\s+"
)
_DOUBLE = re.compile(r"[“”\"＂〝〞]")
_EMPTY = re.compile(r"‘’|’‘")
_SAID = re.compile(r"[”“].{0,8}(?:译[为成]|推荐|应|不可|should|rendered)")
_PART = re.compile(r"\s*(?:[中里]的?)?[，,]?\s*([A-Za-z][\w -]{1,30}|[\u3400-\u9fff]{1,12}?)")
_CUED = re.compile(r"译[为成]")
_SINGLE = re.compile(r"^\s*'(?=\w)|(?<=[A-Za-z ])['’](?=\s*(?:[应译推必建]|不可))")
_GLOSSED = re.compile(
    r"(?P<term>[^\s，。：:；;、“”\"（）()]+(?: [^\s，。：:；;、“”\"（）()]+)*)[”\"]?"
    r"\s*[（(](?P<rendering>[^（）()]{2,80})[)）]"
)
_CUT = re.compile(r"是一?[个种]?|是|[，,（(：]|首次|在|中的?|的", re.I)
_ELLIPSIS = re.compile(r"^(?:[.…·\s]|\W)*$")


class Cue(NamedTuple):
    """A cue of the table met at ``start`` … ``end``: ``kind`` is its column's name."""

    kind: str
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class RubricTerm:
    """One term of a point with its renderings; the point names it at ``start`` … ``end`` (-1 where it does not)."""

    term: str
    expected: tuple[str, ...]
    forbidden: tuple[str, ...]
    start: int = -1
    end: int = -1


@dataclass(frozen=True, slots=True)
class Prose:
    """A point's text taken apart: its language ("" unknown), its quotes, its cues, and what is outside of quotes."""

    language: str
    quotes: tuple[Mention, ...]
    cues: tuple[Cue, ...]
    outside: str

    @property
    def wording(self) -> Phrases:
        """The table's row for its language."""
        return PHRASES.get(self.language, ANY)


@dataclass
class _PartialTerm:
    terms: list[Mention] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)

    def finished(self) -> RubricTerm:
        term = " / ".join(dict.fromkeys(mention.text for mention in self.terms))
        place = (self.terms[0].start, self.terms[-1].end) if self.terms else (-1, -1)
        return RubricTerm(term, tuple(dict.fromkeys(self.expected)), tuple(dict.fromkeys(self.forbidden)), *place)


def parse_prose(text: str, source: Locator) -> Prose:
    """Return a point's text in its parts; offsets are those of ``text``, of which 2,000 characters are read."""
    prose = facing(plain(text[:_LONGEST]))
    found = [m for m in quotes(prose, source.reach) if not _ELLIPSIS.match(m.text)]
    prose = prose[: len(text)]
    outside = prose
    for mention in found:
        hidden = _QUOTED * (mention.end - mention.start - 2)
        outside = outside[: mention.start + 1] + hidden + outside[mention.start + 1 + len(hidden) :]
    language = language_of(outside.replace(_QUOTED, ""))
    cues = [
        Cue(str(m.lastgroup), m.start(), m.end(), m[0])
        for m in _cues(language).finditer(outside)
        if _QUOTED not in m[0] and m[0].strip()
    ]
    return Prose(language, tuple(found), tuple(cues), outside)


def facing(prose: str) -> str:
    """Return a prose whose double quotes face the right way, as long as it was, or one longer to close the last quote.

    Authors close with an opening mark and open with a closing one. The marks are left alone where they pair up, one
    inside another at the most, and no quote holds what is said between quotes; else they open and close in turn.
    """
    prose = _EMPTY.sub(' "', prose)
    if "„" in prose:
        prose = prose.replace("“", "”").replace("„", "“")
    if len(_DOUBLE.findall(prose)) % 2:
        prose = _SINGLE.sub('"', prose, count=1)
    marks = [match.start() for match in _DOUBLE.finditer(prose)]
    held = re.findall(r"“([^“”]*(?:“[^“”]*”)?[^“”]*)”", prose)
    depth = [prose[: k + 1].count("“") - prose[: k + 1].count("”") for k in marks]
    straight = any(prose[k] not in "“”" for k in marks)
    paired = not straight and all(0 <= d <= 2 for d in depth) and (not depth or depth[-1] == 0)
    if paired and not any(_SAID.search(quote) for quote in held):
        return prose
    if len(marks) % 2 and prose[marks[-1]] == "”" and prose[marks[0]] == "”":
        return prose
    turned = list(prose)
    for number, k in enumerate(marks):
        turned[k] = "”" if number % 2 else "“"
    for one, two in zip_longest(marks[::2], marks[1::2], fillvalue=len(prose)):
        if len(marks) % 2 and _CUED.search(prose, one, two):  # it was never closed, so the words stand without marks
            turned[one] = " "
            return facing("".join(turned))
    return "".join(turned) + ("”" if len(marks) % 2 else "")


def rubric_terms(text: str, source: Locator) -> tuple[RubricTerm, ...]:
    """Return what a point's text says, one term for each that is given renderings; one at the least.

    The first may have no text, where the point names none, and no renderings, where it asks for something else.
    """
    prose = parse_prose(text, source)
    whole = han(source.text) * 4 > len(source.text)
    partials = list(_walk(prose, plain(text[:_LONGEST]), source, whole))
    said = [partial for partial in partials if partial.expected or partial.forbidden]
    said = said or list(_glossed(text[:_LONGEST], source, whole)) or partials[:1]
    return tuple(partial.finished() for partial in said)


@cache
def _cues(language: str) -> re.Pattern[str]:
    """Return one expression for all of a language's cues before a quote; what asks for no rendering comes first."""
    row = PHRASES.get(language, ANY)
    columns = {
        "demands": row.demands,
        "forbids": f"{row.forbids}|{ANY.forbids}",
        "expects": f"{row.expects}|{ANY.expects}",
        "explains": row.explains,
        "ends": r"[。\n]|\.(?=\s+[A-Z])",
    }
    return re.compile("|".join(f"(?P<{kind}>{entry})" for kind, entry in columns.items() if entry != NEVER), re.I)


def _walk(prose: Prose, text: str, source: Locator, wide: bool) -> Iterator[_PartialTerm]:
    """Yield terms in the order of the text, by what the last cue before a quote makes of it."""
    row = prose.wording
    asking = [cue for cue in prose.cues if cue.kind in ("expects", "forbids")]
    head_end = asking[0].start if asking else len(text)
    partial = _PartialTerm(terms=_head(prose, text, head_end, source, wide))
    neutral = not asking
    mode = "expects" if neutral else "explains"
    barred = False
    at = 0 if not partial.terms else partial.terms[-1].end if neutral else head_end
    tokens: list[Mention | Cue] = sorted([*prose.quotes, *prose.cues], key=lambda token: (token.start, token.end))
    for k, token in enumerate(tokens):
        if token.start < at or (isinstance(token, Cue) and neutral):
            continue
        if isinstance(token, Cue):
            mode = token.kind if token.kind != "ends" else "explains"
            if mode == "expects" and barred:  # “not to render A as B”: the “as” names what is not wanted
                mode = "forbids"
            barred = token.kind == "forbids" and token.text[-1:] in ("将", "把")
            if mode in ("expects", "forbids"):
                wanted = partial.expected if mode == "expects" else partial.forbidden
                run_end = _run(
                    wanted=wanted,
                    prose=prose,
                    text=text,
                    start=token.end,
                    wide=wide,
                    leads_on=_LEADS_ON.search(token.text.strip()) is not None,
                )
                at = max(at, run_end)
            continue
        following = next((t for t in tokens[k + 1 :] if isinstance(t, Cue)), None)
        another = next((t for t in tokens[k + 1 :] if isinstance(t, Mention)), None)
        asked = not neutral and (mode == "explains" or partial.expected or partial.forbidden or not partial.terms)
        if asked and _begins(token, following, another, prose) and _of_source(token.text, source, wide):
            yield partial
            held = any(fold(token.text) == fold(term.text) for term in partial.terms)
            partial = _PartialTerm(terms=partial.terms if held else [token])
            mode = "explains"
            continue
        direct = bool(_JOINT.fullmatch(prose.outside[tokens[k - 1].end if k else 0 : token.start]))
        explained = following is not None and following.kind == "explains" and following.start - token.end <= 1
        if mode not in ("expects", "forbids") or (explained and not direct and (partial.expected or partial.forbidden)):
            continue
        if _beside(quote=token, partial=partial, direct=direct, prose=prose, source=source, wide=wide):
            continue
        spurned = pattern(row.spurns).match(prose.outside, token.end) if row.spurns != NEVER else None
        if spurned and following and another and token.end <= following.start < spurned.end() < another.start:
            spurned = None  # “A” not to be rendered as “B”: what is not wanted is still to come
        wanted = partial.forbidden if mode == "forbids" or spurned else partial.expected
        paired = any("/" in term.text for term in partial.terms)  # “A / B” as “X / Y” is one rendering, not two
        wanted += [token.text] if paired else _split(token.text, _ALTERNATIVES)
        at = max(at, _run_on(wanted, prose, token.end, wide))
    yield partial


def _begins(quote: Mention, following: Cue | None, another: Mention | None, prose: Prose) -> bool:
    """Return whether a quote is what the cue right after it goes on to ask for, so that a new term begins."""
    if following is None or following.kind not in ("expects", "forbids"):
        return False
    if another is not None and following.end > another.start + 1:
        return False
    between = prose.outside[quote.end : following.start]
    return bool(re.fullmatch(r"(?:\s|一词|则|中的?|也|,|，|[A-Za-z]{0,3})*", between))


def _beside(quote: Mention, partial: _PartialTerm, direct: bool, prose: Prose, source: Locator, wide: bool) -> bool:
    """Return whether a quote where renderings are due is none: an aside in 【】, or the source's own words once more.

    ``direct``: it follows right on a cue or another quote.
    """
    chinese = wide and han(quote.text) * 2 > len(quote.text)
    if chinese and any(not han(rendering) for rendering in partial.expected):
        return True
    if direct:
        return False
    aside = prose.outside[quote.start] == "【" and bool(partial.expected or partial.forbidden)
    repeated = source.occurs(quote.text) and bool(han(quote.text)) == wide
    return aside or (bool(prose.language) and repeated)


def _head(prose: Prose, text: str, end: int, source: Locator, wide: bool) -> list[Mention]:
    """Return what a point names before it says how to render it: the terms, without the wider words that hold them."""
    row = prose.wording
    quoted = [m for m in prose.quotes if m.start < end]
    before = _BEFORE.match(text, 0, end)
    start = before.end() if before else 0
    stop = start + len(_AFTER.sub("", text[start:end]))
    bare = text[start:stop].strip(" “”\"'【】「」\u202f\u200b：:")
    lead = prose.outside[: quoted[0].start].strip() if quoted else ""
    if bare and (not quoted or (len(lead) > 1 and not _BEFORE.fullmatch(lead))):
        place = text.index(bare, max(0, start - 1))
        if _named(bare, prose, source, wide, not quoted and end < len(text)):
            return [Mention(bare, place, place + len(bare), "bare")]
        cuts = [match.start() for match in _CUT.finditer(bare)] if not quoted else []
        shorter = next((bare[:cut] for cut in reversed(cuts) if cut > 1 and source.forms(bare[:cut])), "")
        if shorter:
            return [Mention(shorter, place, place + len(shorter), "bare")]
        parts = [part for part in re.split(r"[、，,/和与]", bare) if part.strip()] if not quoted else []
        if len(parts) > 1 and all(source.forms(part) for part in parts):
            return [
                Mention(part.strip(), at, at + len(part), "bare") for part in parts for at in (text.index(part, place),)
            ]
    if end == len(text) and quoted:  # without a cue, the source tells; in a language unknown, its first words alone
        there = [m for m in quoted if source.occurs(m.text)] or quoted[:1]
        quoted = there if prose.language else there[:1]
    terms: list[Mention] = []
    for mention in quoted:
        between = prose.outside[terms[-1].end : mention.start] if terms else ""
        if terms and pattern(row.holds).fullmatch(between):
            terms[-1] = mention
        elif terms and (pattern(row.held).fullmatch(between) or _explained(prose, terms[-1].end, mention.start)):
            break
        elif not terms or re.fullmatch(r"[\s、，,和与及/&]*(?:and|und|et|y)?\s*", between):
            terms.append(mention)
    if terms and (part := _PART.fullmatch(text, terms[-1].end, stop)) and source.occurs(part[1]):
        return [Mention(part[1], part.start(1), part.end(1), "bare")]
    return terms


def _glossed(text: str, source: Locator, wide: bool) -> Iterator[_PartialTerm]:
    """Yield what a point says that only lists terms, each with its rendering in brackets."""
    for match in _GLOSSED.finditer(text):
        term, rendering = match["term"].strip('《》“”" '), match["rendering"]
        if bool(han(rendering)) != wide and source.occurs(term) and not source.occurs(match[0]):
            yield _PartialTerm([Mention(term, *match.span("term"), "bare")], _split(rendering, _RUN_ALTERNATIVES))


def _named(bare: str, prose: Prose, source: Locator, wide: bool, asked: bool) -> bool:
    """Return whether unquoted words are a term: in the source or, before a cue, in no script of the prose's."""
    if source.forms(bare):
        return True
    foreign = han(bare) * 2 > len(bare) if wide and prose.language != "zh" else not wide and not han(bare)
    return asked and foreign and len(bare) <= _LONGEST_RUN


def _explained(prose: Prose, start: int, end: int) -> bool:
    return any(cue.kind in ("explains", "demands") and start <= cue.start < end for cue in prose.cues)


def _of_source(quote: str, source: Locator, wide: bool) -> bool:
    """Return whether a quote is of the source: it stands there, or (Chinese, Latin letters) is in its script alone."""
    return bool(source.find(quote)) or (wide and han(quote) * 2 > len(quote))


def _split(text: str, by: re.Pattern[str]) -> list[str]:
    parts = [part.strip(" \t,，;；。") for part in by.split(text)]
    return [part for part in parts if any(map(str.isalnum, part))]


def _run(wanted: list[str], prose: Prose, text: str, start: int, wide: bool, leads_on: bool) -> int:
    """Add the unquoted rendering that begins at ``start``, if one does, and return where it ends."""
    while start < len(text) and (text[start].isspace() or text[start] in ":："):
        start += 1
    chinese = prose.language in ("zh", "ja", "")
    if wide and chinese:
        match = _LATIN_RUN.match(prose.outside, start)
    elif not leads_on:
        return start
    else:
        match = (_WIDE_RUN if chinese else _WORDS_RUN).match(prose.outside, start)
    if match is None:
        return start
    run = match[0]
    inside = next((c for c in prose.cues if start < c.start < match.end() and c.kind != "ends"), None)
    if inside is not None:
        run = run[: inside.start - start]
    talk = run.startswith(("指", "为了", "因", "其他")) or (
        start + len(run) < len(text) and text[start + len(run)] in '“”"【'
    )
    if 0 < len(run.strip()) <= _LONGEST_RUN * 3 and not talk:
        wanted += _split(run, _RUN_ALTERNATIVES)
    return start + len(run)


def _run_on(wanted: list[str], prose: Prose, start: int, wide: bool) -> int:
    """Add an unquoted rendering that follows a quoted one after “or”, and return where that ends."""
    match = _OR.match(prose.outside, start)
    if match is None or not re.search(r"或|/|or\b", match[0], re.I) or not wide:
        return start
    latin = _LATIN_RUN.match(prose.outside, match.end())
    if latin is None:
        return start
    wanted += _split(latin[0], _RUN_ALTERNATIVES)
    return latin.end()
