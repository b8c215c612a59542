"""Context dependence of a text: it points at what is not in it, or begins or ends in the middle."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from judges.benchmark.checks.reference_words import ROWS, ReferenceWords, pattern
from judges.benchmark.checks.result import Check, listed

EDGE = 0.03
"""The share of a text, from its end, in which "below" points out of it. "Above" does before a sentence has ended."""
LONG_LINE = 120
"""The letters (a Chinese character counts three) from which a line without a full stop is no heading or list item."""

SENTENCE = 300
"""Characters before a number in which the document is looked for that it belongs to."""
LONG_QUOTE = 1500
"""Characters after which a quotation that a paragraph opened is no longer taken to be closed by another."""

_SENTENCE_END = re.compile(r"[。！？।۔]|[^\W\d_]{2}[”\"’)]?[.!?](?=\s|$)")
_LINE = re.compile(r"[^\n]*\S[^\n]*")
_CLOSERS = "”\"’'）)】]》」』»›*_ \t\u00a0\u3000"
_FULL_STOPS = ".!?…。！？．｡؟۔।॥։።"
_GOES_ON = ",，、;；:：،؛—–-－（(「“"
_NO_FULL_STOP = ("th", "lo", "km", "my")
_AFTER_THE_END = re.compile(
    r"(?:\[\d+(?:[-–,，\s]+\d+)*\]|［\d+］|[¹²³⁰⁴-⁹]+|[①-⑳]|(?<=[.!?。！？”\"\s])(?:\([^()\n]*\)|（[^（）\n]*）))\s*$"
)
"""Marks of notes, and a parenthesis that is a sentence of its own: an author's name, a source."""
_STARTS_AMID = re.compile(r"[,.;:!?)\]}»”，。、；：！？）】》」』…](?!\d)")
_PREFIXED = re.compile(r"\w+[-‐]?[A-Z]|(?:https?:|www\.)|[a-z]-[a-z]|[a-z]['’]")
_HEADING_NUMBER = re.compile(
    r"\s*(?:第?([二三四五六七八九])[、章节]|[（(]([二三四五六七八九])[）)]|([2-9](?:\.\d+)+)\.?\s+(?=[^\W\d_])(?![a-z万亿])"
    r"|([2-9])[.、]\s*(?=[^\W\d])|(II|III|IV|VI|VII|VIII|IX)\.\s)"
)

_NOTE = re.compile(r"(?:\[|［)(\d{1,3})(?:\s*[-–,，、]\s*\d{1,3})*(?:\]|］)")
_RAISED = re.compile(
    r"(?<=[^\W\d_]{4})[¹²³⁰⁴-⁹]+|(?<=[.,;”\"’)。，；”）])[¹²³⁰⁴-⁹]+|(?<=[。，；”）])[①-⑳](?=\s*(?:\n|$|[，。；、]))"
)
_RAISED_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_NOTE_LINE = re.compile(r"^[^\S\n]*(?:[\[［(（]?(\d{1,3})[\]］)）.、\s]|([①-⑳])|([¹²³⁰⁴-⁹]+))", re.MULTILINE)

_PAIRS = {"（": "）", "[": "]", "【": "】", "“": "”", "「": "」", "『": "』", "《": "》", "〈": "〉", "{": "}"}
_ONE_OF = {"(": "（", ")": "）", "［": "[", "］": "]"}
_OPENS = {closer: opener for opener, closer in _PAIRS.items()}
_BRACKET = re.compile("[" + re.escape("".join((*_PAIRS, *_OPENS, *_ONE_OF))) + "]")
_NO_BRACKET = re.compile(
    r"[\[(（［]\s*[-−+]?[\w.∞]+\s*[,，]\s*[-−+]?[\w.∞]+\s*[\])）］]"  # an interval, such as [0, 1)
    r"|[:;=]-?[()\[\]](?!\w)"  # a face
)
_LIST_MARK = re.compile(r"(?:^|\W)(?:\d{1,3}|[a-zA-Z]|[ivx]{1,5}|[一二三四五六七八九十]{1,3})$")


def context_dependence(text: str, source: str) -> Iterator[Check]:
    """Yield what shows that a text is a part of something. ``source``: the code of its language."""
    yield from _begins(text, source)
    yield from _ends(text, source)
    if row := ROWS.get(source):
        yield from _references(text, row)
        yield from _figures(text, row)
    yield from _notes(text)
    yield from _unclosed(text)


def _begins(text: str, source: str) -> Iterator[Check]:
    line = _LINE.search(text)
    if line is None:
        return
    start = line.start() + len(line[0]) - len(line[0].lstrip())
    first = text[start : line.end()]
    connective = (row := ROWS.get(source)) and pattern(row.connective).match(first)
    number = _HEADING_NUMBER.match(first)
    if connective:
        words, end = f"“{connective[0].strip()}”, which joins it to something before", start + connective.end()
    elif number:
        words, end = f"a part that is not the first (“{number[0].strip()}”)", start + number.end()
    elif mark := _STARTS_AMID.match(first):
        words, end = f"“{mark[0]}”", start + 1
    elif first[0].islower() and not _PREFIXED.match(first):
        word = re.match(r"\S+", first)
        words, end = "a small letter", start + (word.end() if word else 1)
    else:
        return
    yield Check(
        code="begins_amid",
        severity="warns",
        message=f"The text begins with {words}.",
        mend="Begin where readers need nothing before.",
        start=start,
        end=end,
    )


def _ends(text: str, source: str) -> Iterator[Check]:
    start = text.rstrip().rfind("\n") + 1
    last = text[start:].rstrip()
    while mark := _AFTER_THE_END.search(last):
        last = last[: mark.start()].rstrip()
    last = last.rstrip(_CLOSERS)
    if not last or last[-1] in _FULL_STOPS:
        return
    if last[-1] in _GOES_ON:
        words = f"with “{last[-1]}”"
    elif source not in _NO_FULL_STOP and _letters(last) >= LONG_LINE:
        words = "without a full stop"
    else:
        return
    end = start + len(last)
    yield Check(
        code="ends_amid",
        severity="warns",
        message=f"The text ends {words}.",
        mend="End it with a whole sentence.",
        start=max(start, end - 20),
        end=end,
    )


def _letters(line: str) -> int:
    return sum(3 if character >= "\u2e80" else 1 for character in line if character.isalpha())


def _references(text: str, row: ReferenceWords) -> Iterator[Check]:
    stop, last = _SENTENCE_END.search(text), len(text) * (1 - EDGE)
    places = list(pattern(row.back).finditer(text, 0, stop.start() if stop else len(text)))
    places += (place for place in pattern(row.forward).finditer(text) if place.start() > last)
    places += pattern(row.elsewhere).finditer(text)
    places += _absent(text, row.numbered, row, heading=True)
    yield from _about(
        "dangling_reference",
        places,
        "The text points at what is not in it: {}.",
        "Take the reference out, say what it stands for, or add the part.",
    )


def _figures(text: str, row: ReferenceWords) -> Iterator[Check]:
    table = re.search(r"\t|\|.*\|", text) is not None
    places = list(_absent(text, row.figure, row, heading=False))
    places += (place for place in pattern(row.picture).finditer(text) if not table)
    yield from _about(
        "missing_figure",
        places,
        "The text points at a figure or table that is not in it: {}.",
        "Take the reference out, or add the figure's caption or the table as text.",
    )


def _numbered(text: str, words: str, row: ReferenceWords) -> Iterator[re.Match[str]]:
    """Yield what is named by a number and is no part of another document."""
    after, before = pattern(row.of_another), pattern(row.another)
    for place in pattern(words).finditer(text):
        sentence = max(text.rfind(stop, 0, place.start()) for stop in ("\n", "。", ". "))
        if not after.match(text, place.end()) and not before.search(
            text, max(sentence + 1, place.start() - SENTENCE), place.start()
        ):
            yield place


def _absent(text: str, words: str, row: ReferenceWords, heading: bool) -> Iterator[re.Match[str]]:
    """Yield what is named by a number and heads no line of the text."""
    there: dict[tuple[str, str], bool] = {}
    for place in _numbered(text, words, row):
        named = place["label"], place["number"]
        if named not in there:
            there[named] = _heads_a_line(text, *named, heading)
        if not there[named]:
            yield place


def _heads_a_line(text: str, label: str, number: str, heading: bool) -> bool:
    """Return whether a line begins as captions and headings do: "Figure 3. …", "表1", "3.2 Results", "第三章"."""
    number, label = re.escape(number), re.escape(label.rstrip(".s"))
    labelled = rf"{label}\w*\.?\s*{number}(?:[章节節장절])?"
    named = rf"(?:{labelled}|{number})" if heading else labelled
    caption = re.compile(
        rf"^[^\S\n]*[*#【\[（(]*{named}(?:[a-z]?[^\S\n]*(?:[.:：、|—–)）】-]|$)|[^\S\n]+(?![a-z])[^\n]{{0,120}}?[^\n.。!！?？]$)",
        re.MULTILINE,
    )
    return caption.search(text) is not None


def _notes(text: str) -> Iterator[Check]:
    there = {number or ring or raised.translate(_RAISED_DIGITS) for number, ring, raised in _NOTE_LINE.findall(text)}
    places = [place for place in _NOTE.finditer(text) if place[1] not in there and not _begins_line(text, place)]
    places += (
        place
        for place in _RAISED.finditer(text)
        if place[0].translate(_RAISED_DIGITS) not in there and not _begins_line(text, place)
    )
    yield from _about(
        "missing_note",
        places,
        "The text has marks of notes that are not in it: {}.",
        "Take the marks out, or add the notes.",
    )


def _begins_line(text: str, place: re.Match[str]) -> bool:
    return not text[text.rfind("\n", 0, place.start()) + 1 : place.start()].strip()


def _about(code: str, places: Iterable[re.Match[str]], message: str, mend: str) -> Iterator[Check]:
    ordered = sorted(places, key=lambda place: place.start())
    if ordered:
        names = [f"“{' '.join(place[0].split())}”" for place in ordered]
        yield Check(code, "warns", message.format(listed(names)), mend, *ordered[0].span())  # type: ignore[arg-type]


def _unclosed(text: str) -> Iterator[Check]:
    """Yield where a bracket or quotation mark has no other half.

    A quotation of several paragraphs opens each of them and closes the last. What only looks like half a pair is left
    out: intervals, marks of lists, faces. So are ‘ and ’, as an apostrophe is one, and marks in other roles in
    languages that quote „thus“.
    """
    low = "„" in text
    blank = _NO_BRACKET.sub(lambda place: "\0" * len(place[0]), text)
    open_: list[tuple[str, int]] = []
    unmatched = Counter[str]()
    alone: list[int] = []
    for place in _BRACKET.finditer(blank):
        mark = _ONE_OF.get(place[0], place[0])
        if low and mark in "“”":
            continue
        if mark in _PAIRS:
            if mark == "“" and _again(text, open_, place.start()):
                continue
            open_.append((mark, place.start()))
            unmatched[mark] += 1
        elif unmatched[_OPENS[mark]]:
            while (last := open_.pop())[0] != _OPENS[mark]:
                alone.append(last[1])
                unmatched[last[0]] -= 1
            unmatched[last[0]] -= 1
        elif mark not in ")）" or not _LIST_MARK.search(text, max(0, place.start() - 6), place.start()):
            alone.append(place.start())
    alone += (start for _, start in open_)
    alone += _odd(text)
    if alone:
        first = min(alone)
        names = [f"“{text[at : at + 12].splitlines()[0]}”" for at in sorted(alone)]
        yield Check(
            code="unclosed",
            severity="warns",
            message=f"A bracket or quotation mark has no other half: {listed(names, 3)}.",
            mend="Close it, or take it out.",
            start=first,
            end=first + 1,
        )


def _again(text: str, open_: list[tuple[str, int]], at: int) -> bool:
    """Return whether a quotation goes on in a new paragraph, which opens with another mark."""
    return bool(open_) and open_[-1][0] == "“" and not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _odd(text: str) -> Iterator[int]:
    """Yield the last straight quotation mark of each paragraph that has an odd number, inches left out.

    One that begins with a mark may be closed by the next such paragraph, as verse is, or go on in paragraphs that begin
    so too.
    """
    opened: int | None = None
    for line in _LINE.finditer(text):
        marks = [mark.start() for mark in re.finditer('"', line[0])]
        inches = sum(line[0][at - 1].isdigit() for at in marks if at)
        odd = len(marks) % 2 == 1 and (not inches or (len(marks) - inches) % 2 == 1)
        begins = line[0].lstrip().startswith('"')
        if opened is not None and line.start() - opened > LONG_QUOTE:
            yield opened
            opened = None
        if opened is not None and (begins or odd):
            opened = opened if begins and odd else None
        elif odd and begins:
            opened = line.start() + marks[-1]
        elif odd:
            yield line.start() + marks[-1]
    if opened is not None:
        yield opened
