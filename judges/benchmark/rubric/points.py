"""Rubric points as their authors think of them: a term of the source, how to render it, and how not to."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args

from judges.benchmark.rubric.parsing import parse_prose, rubric_terms
from judges.benchmark.rubric.phrases import PointType, pattern
from judges.grounding.fuzzy_search import Locator
from judges.grounding.rubric_terms import term_occurrences
from judges.metric_s.reading.rubric import parse_rubric
from judges.model import RubricPoint

POINT_TYPES: tuple[PointType, ...] = get_args(PointType)

ReaderLanguage = Literal["zh", "en"]
"""The language that points are worded in, which is that of those who read them."""

_MARKS = ("“”", "「」", "『』", "【】", "《》", "〈〉", "«»", "‘’")


@dataclass(frozen=True, slots=True)
class Point:
    """One checkable point. ``number`` is the one the judge names it by, ``text`` what judges read.

    ``term``: what it is about, as the source has it; several are joined by " / "; "" where it names none.
    ``expected``: renderings that meet it, each of them enough; ``forbidden``: those that violate it.
    ``type``: None where its author did not say and nothing in its words tells.
    """

    number: int
    text: str
    type: PointType | None = None
    term: str = ""
    expected: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()

    def as_rubric(self) -> RubricPoint:
        """The point as judges are given it."""
        return RubricPoint(self.number, self.text)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Words:
    """Sentences of a point in one language; ``{term}``, ``{expected}`` and ``{forbidden}`` are quoted lists."""

    types: Mapping[PointType, str]
    either: str
    full: str
    only_expected: str
    only_forbidden: str
    bare: str
    untermed_full: str
    untermed_expected: str
    untermed_forbidden: str


_WORDS: dict[ReaderLanguage, _Words] = {
    "zh": _Words(
        types={
            "grammar": "语法：",
            "keyword": "关键词：",
            "terminology": "术语：",
            "proper_noun": "专有名词：",
            "culture": "文化负载词：",
            "wordplay": "双关：",
        },
        either="或",
        full="{term}应译为{expected}，不可译为{forbidden}。",
        only_expected="{term}应译为{expected}。",
        only_forbidden="{term}不可译为{forbidden}。",
        bare="{term}须译出。",
        untermed_full="译文应使用{expected}，不可使用{forbidden}。",
        untermed_expected="译文应使用{expected}。",
        untermed_forbidden="译文不可使用{forbidden}。",
    ),
    "en": _Words(
        types={
            "grammar": "Grammar: ",
            "keyword": "Keyword: ",
            "terminology": "Term: ",
            "proper_noun": "Proper noun: ",
            "culture": "Culture: ",
            "wordplay": "Wordplay: ",
        },
        either=" or ",
        full="{term} should be translated as {expected}, not as {forbidden}.",
        only_expected="{term} should be translated as {expected}.",
        only_forbidden="{term} should not be translated as {forbidden}.",
        bare="{term} should be translated.",
        untermed_full="The translation should use {expected}, not {forbidden}.",
        untermed_expected="The translation should use {expected}.",
        untermed_forbidden="The translation should not use {forbidden}.",
    ),
}


def type_name(kind: PointType) -> str:
    """Return the name of a type for people."""
    return kind.replace("_", " ")


def reader_language(direction: str) -> ReaderLanguage:
    """Return what a direction's points are worded in: Chinese where one of its sides is, else English."""
    return "zh" if "zh" in re.split(r"[-_>→]", direction.casefold()) else "en"


def word(point: Point, language: ReaderLanguage = "zh") -> str:
    """Return the text that judges read for a point of which only term and renderings are given; "" if nothing is.

    Every term and rendering stands in quotation marks that it does not hold itself, so that `read_point` gives the
    same point back.
    """
    words = _WORDS[language]
    term, expected, forbidden = point.term, point.expected, point.forbidden
    if term:
        sentence = (
            (words.full if forbidden else words.only_expected)
            if expected
            else (words.only_forbidden if forbidden else words.bare)
        )
    elif expected:
        sentence = words.untermed_full if forbidden else words.untermed_expected
    elif forbidden:
        sentence = words.untermed_forbidden
    else:
        return ""
    label = words.types[point.type] if point.type else ""
    return label + sentence.format(
        term=_quoted(term), expected=_listed(expected, words.either), forbidden=_listed(forbidden, words.either)
    )


def written(
    number: int,
    term: str,
    expected: Iterable[str] = (),
    forbidden: Iterable[str] = (),
    type: PointType | None = None,
    language: ReaderLanguage = "zh",
) -> Point:
    """Return the point that an author's term and renderings make, worded.

    Spaces are made single and those at the ends are dropped, as are empty and repeated renderings.
    """
    point = Point(
        number=number, text="", type=type, term=_clean(term), expected=_cleaned(expected), forbidden=_cleaned(forbidden)
    )
    return Point(
        number=number,
        text=word(point, language),
        type=type,
        term=point.term,
        expected=point.expected,
        forbidden=point.forbidden,
    )


def read_point(point: RubricPoint, source: str) -> Point:
    """Return what an expert's free text says: its term, its renderings and, where its words tell, its type.

    What `word` wrote is read back exactly; all else by the cues of `wordings`, and where no language's cues fit, by
    quotation marks alone. ``source`` tells terms from renderings.
    """
    if (known := _read_back(point)) is not None:
        return known
    located = searchable(source)
    said = rubric_terms(point.text, located)
    prose = parse_prose(point.text, located)
    outside = prose.outside.replace("\x00", "")
    kind = next((name for name, words in prose.wording.types if pattern(words).search(outside)), None)
    return Point(
        number=point.number,
        text=point.text,
        type=kind,
        term=said[0].term,
        expected=tuple(dict.fromkeys(rendering for claim in said for rendering in claim.expected)),
        forbidden=tuple(dict.fromkeys(rendering for claim in said for rendering in claim.forbidden)),
    )


def read_points(rubric: Sequence[RubricPoint], source: str) -> tuple[Point, ...]:
    """Return a rubric's points, read. About 6 ms an article of 2,000 tokens with 9 points."""
    return tuple(read_point(point, source) for point in rubric)


def places(point: Point, source: str) -> tuple[tuple[int, int], ...]:
    """Return every place ``[start, end)`` of the source where a point's term stands, in order, without repetition.

    Any grammatical form, else its parts, else the one stretch that resembles it; () where there is no such place.
    """
    located = searchable(source)
    terms = [point.term] if located.find(point.term) else point.term.split(" / ")
    found = {(match.start, match.end) for term in terms if term for match in term_occurrences(located, term)}
    return tuple(sorted(found))


@lru_cache(maxsize=4)
def searchable(source: str) -> Locator:
    """Return a source made ready for being searched; kept, for its points are read one after another."""
    return Locator(source)


def rubric_text(points: Sequence[Point]) -> str:
    """Return the rubric that judges read, a line for each point as DiscoX has it.

    Raises ValueError for a point that would not be read back as it is.
    """
    text = "\n".join(f"考点{point.number}：{point.text}" for point in points)
    read = parse_rubric(text)
    for position, point in enumerate(points):
        if not point.text or read[position : position + 1] != (point.as_rubric(),):
            raise ValueError(
                f"point {point.number}: is empty, has a number that another has, or holds what begins a point of its "
                "own; word it otherwise"
            )
    if len(read) > len(points):
        raise ValueError(f"point {points[-1].number}: holds what begins a point of its own; word it otherwise")
    return text


def to_json(point: Point) -> dict[str, Any]:
    """Return a point as JSON's own types."""
    return {
        "number": point.number,
        "text": point.text,
        "type": point.type,
        "term": point.term,
        "expected": list(point.expected),
        "forbidden": list(point.forbidden),
    }


def from_json(value: Mapping[str, Any]) -> Point:
    """Return the point that `to_json` made. Raises ValueError, with the field's name, for what is no point."""
    number = value.get("number")
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:
        raise ValueError(f"number: {number!r} is no number of a point")
    kind = value.get("type")
    if kind is not None and kind not in POINT_TYPES:
        raise ValueError(f"type: {kind!r} is none of {', '.join(POINT_TYPES)}")
    for field in ("text", "term"):
        if not isinstance(value.get(field, ""), str):
            raise ValueError(f"{field}: {value[field]!r} is no text")
    renderings = {}
    for field in ("expected", "forbidden"):
        given = value.get(field) or []
        if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
            raise ValueError(f"{field}: {given!r} is no list of texts")
        renderings[field] = tuple(given)
    return Point(number, value.get("text", ""), kind, value.get("term", ""), **renderings)


def _clean(text: str) -> str:
    text = " ".join(text.split())
    if all(mark[1] in text for mark in _MARKS):  # no marks are left that it does not hold
        text = text.replace("“", '"').replace("”", '"')
    return text


def _cleaned(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(clean for text in texts if (clean := _clean(text))))


def _quoted(text: str) -> str:
    marks = next((marks for marks in _MARKS if not set(marks) & set(text)), None)
    marks = marks or next((marks for marks in _MARKS if marks[1] not in text), _MARKS[0])
    return f"{marks[0]}{text}{marks[1]}"


def _listed(texts: Sequence[str], either: str) -> str:
    return either.join(map(_quoted, texts))


_QUOTE = [(re.escape(marks[0]), re.escape(marks[1])) for marks in _MARKS]
_ONE = "(?:" + "|".join(f"{opening}[^{closing}]*{closing}" for opening, closing in _QUOTE) + ")"


def _expression(words: _Words, sentence: str) -> re.Pattern[str]:
    """Return what reads a sentence of the table back."""
    many = f"{_ONE}(?:{re.escape(words.either)}{_ONE})*"
    body = re.escape(sentence)
    for name, quoted in (("term", _ONE), ("expected", many), ("forbidden", many)):
        body = body.replace(re.escape("{" + name + "}"), f"(?P<{name}>{quoted})")
    labels = "|".join(f"(?P<{kind}>{re.escape(label)})" for kind, label in words.types.items())
    return re.compile(f"(?:{labels})?{body}")


_SENTENCES = tuple(
    _expression(words, sentence)
    for words in _WORDS.values()
    for sentence in (
        words.full,
        words.only_expected,
        words.only_forbidden,
        words.bare,
        words.untermed_full,
        words.untermed_expected,
        words.untermed_forbidden,
    )
)
_EACH = re.compile(_ONE)


def _read_back(point: RubricPoint) -> Point | None:
    """Return the point whose text `word` wrote, None for any other text."""
    for sentence in _SENTENCES:
        if match := sentence.fullmatch(point.text):
            fields = match.groupdict()
            kind = next((kind for kind in POINT_TYPES if fields.get(kind)), None)
            expected, forbidden = (
                tuple(quoted[1:-1] for quoted in _EACH.findall(fields.get(name) or ""))
                for name in ("expected", "forbidden")
            )
            read = Point(
                number=point.number,
                text=point.text,
                type=kind,
                term=(fields.get("term") or "  ")[1:-1],
                expected=expected,
                forbidden=forbidden,
            )
            if point.text in (word(read, "zh"), word(read, "en")):
                return read
    return None
