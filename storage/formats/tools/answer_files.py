"""Answers of a judge alone, with what they are about in files of their own: a line, or a file, for each answer.

Texts and answers go together by their order, so there must be as many of each, else nothing is read.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from judges.grounding.normalization import fold
from judges.metric_s.schemes.mqm_answers import Style, read_answer
from storage.base.text import storable
from storage.formats.io.input_file import AnyFile, path_of
from storage.formats.io.json_objects import object_reader, starts_with_list
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import FormatError, read_lines
from storage.formats.io.rows import LeftOut

_LOOKED_AT = 200
_LINES = 4_000
"""Lines by which it is told how a file parts its answers."""
_END = "[SEP_WENDA]"
"""Line that InstructScore writes after each answer."""
_RULE = re.compile(r"\s*([-=*_#])\1{2,}\s*")
_HEADINGS = (
    re.compile(r"[\W_]*critical(?: errors?)?[\s*_]*:.*|critical", re.IGNORECASE),
    re.compile(r"[\W_]*major(?: errors?)?[\s*_]*:.*|major", re.IGNORECASE),
    re.compile(r"You are evaluating .*|\W*your translation contains \d+ errors?.*", re.IGNORECASE),
    re.compile(r"[\s*#]*error\s*1\s*[:.]?\**|[\s*-]*1[.)]\s*error type\b.*", re.IGNORECASE),
)
"""Beginnings of an answer, the surest first."""
_NUMBER = re.compile(r"\s*(\d{1,12})\t")
_PROMPT = re.compile(
    r"\s*You are evaluating .*?(?:The correct translation is \"(?P<reference>.*?)\"\. )?"
    r"The model generated translation is \"(?P<translation>.*?)\"\. Please identify all errors.*?will be noticed\.\s*",
    re.DOTALL,
)


class Given(NamedTuple):
    """An answer: where it begins, and the fields of a row that held it. ``number``: its own; ``name``: of its file."""

    line: int
    fields: Mapping[str, Any]
    number: int | None = None
    name: str = ""


def style_of(path: AnyFile) -> Style | None:
    """Return the judge whose answers a file or folder without texts holds; None if most of the first are not."""
    styles: Counter[Style | None] = Counter()
    files: Sequence[AnyFile] = _files(path_of(path)) if path_of(path).is_dir() else [path]
    for given in islice((given for file in files for given in _answers(file)), _LOOKED_AT):
        read = read_answer(given.fields["answer"])
        styles[read.style if read.readable else None] += 1
    return max(styles, key=styles.__getitem__, default=None)


def without_texts(path: AnyFile, style: Style) -> FormatError:
    """Return what is said of answers that come without what they are about."""
    line = next(_answers(path)).line
    return FormatError(
        f"{path}: holds answers of {style} (the first in line {line}) without the texts that they are about; bring "
        f"these along: discox import answers {path.name} SOURCE TRANSLATION, text files with a line for each, in order"
    )


def rows(answers: AnyFile, texts: Mapping[str, AnyFile]) -> Iterator[JsonObject | LeftOut]:
    """Yield a row for each answer, with its texts: ``texts`` has the files of ``source``, ``translation``, perhaps
    ``reference``, with a line for each answer (or, of a single answer, the whole); or folders, with a file of the
    answer's name in each. Raises FormatError where these are not as many.
    """
    if path_of(answers).is_dir():
        yield from _of_folder(path_of(answers), texts)
        return
    count = sum(1 for _ in _answers(answers))
    if not count:
        raise FormatError(f"{answers}: holds no answer; check that this is the right file")
    for path in texts.values():
        lines = sum(1 for _ in read_lines(path))
        if count not in (1, lines):
            raise FormatError(
                f"{answers}: holds {count:,} answers, and {path.name} has {lines:,} lines; give each answer one line "
                "of each text, and put a line --- between answers, so that an empty one counts too"
            )
    each: list[Iterable[str]] = [(line for _, line in read_lines(path)) for path in texts.values()]
    if count == 1:
        each = [["\n".join(lines)] for lines in each]
    first: int | None = None
    for at, (given, *held) in enumerate(zip_longest(_answers(answers), *each)):
        first = given.number if at == 0 else first
        if given.number is not None and first is not None and given.number != first + at:
            reason = f"is numbered {given.number:,} where {first + at:,} comes next: it is not sure what it is about"
            yield LeftOut(
                given.line, "misnumbered", "", reason, "put the answers in order, one for each line of the texts"
            )
        else:
            yield _row(given, dict(zip(texts, held, strict=True)))


def _files(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.is_file() and file.name[0] != ".")


def _of_folder(answers: Path, texts: Mapping[str, AnyFile]) -> Iterator[JsonObject | LeftOut]:
    for file in _files(answers):
        found = {what: sorted(path_of(folder).glob(f"{_literal(file.stem)}.*")) for what, folder in texts.items()}
        lacking = [texts[what].name for what, files in found.items() if len(files) != 1]
        try:
            if lacking:
                raise FormatError(f"has not exactly one file of its name in {', '.join(lacking)}")
            answer = "\n".join(line for _, line in read_lines(file))
            held = {what: "\n".join(line for _, line in read_lines(files[0])) for what, files in found.items()}
        except FormatError as error:
            yield LeftOut(0, "no_text", file.name, str(error).removeprefix(f"{file}: "), "add the file that is missing")
        else:
            yield _row(_given(1, answer)._replace(name=file.stem), held)


def _literal(name: str) -> str:
    return re.sub(r"([*?[])", r"[\1]", name)


def _row(given: Given, texts: Mapping[str, str]) -> JsonObject | LeftOut:
    """A row as the tables of ``judge_answers`` have it."""
    fields = {**given.fields, **texts, **({"article": given.name} if given.name else {})}
    said = given.fields.get("translation")
    if isinstance(said, str) and fold(said) != fold(texts["translation"]):
        reason = f"is about another translation (“{' '.join(said.split())[:60]}”) than the line that it goes with"
        return LeftOut(
            given.line, "other_text", "translation", reason, "give the translations that the judge was given"
        )
    return JsonObject(given.line, fields)


# --- where an answer ends ---


def _answers(path: AnyFile) -> Iterator[Given]:
    """Yield the answers of a file. Raises FormatError as ``read_lines`` does."""
    if starts_with_list(path) and (listed := _listed(path)):
        yield from (_given(line, text) for line, text in listed)
        return
    cut, blanks = _cutter(path)
    held: list[str] = []
    first, begun = 1, False
    for number, line in read_lines(path):
        rest, *new = cut(line)
        held.append(rest)
        for part in new:
            text = "\n".join(held)
            if text.strip() or (blanks and begun):
                yield _given(first, text)
            held, first, begun = [part], number + (not part.strip() and blanks != "every"), True
    text = "\n".join(held)
    if text.strip() or (blanks == "every" and begun):
        yield _given(first, text)


def _listed(path: AnyFile) -> list[tuple[int, str]]:
    """The members of a JSON list, each with its line, all held in memory; none where the file is no such list."""
    text = "\n".join(line for _, line in read_lines(path))
    found: list[tuple[int, str]] = []
    line = 1
    try:
        at = text.index("[") + 1
        while (begin := _BETWEEN.match(text, at)) and text[begin.end()] != "]":
            line += text.count("\n", at, begin.end())
            _, at = _DECODER.raw_decode(text, begin.end())
            found.append((line, text[begin.end() : at]))
            line += text.count("\n", begin.end(), at)
    except (ValueError, IndexError, RecursionError):
        return []
    return found


_BETWEEN = re.compile(r"[\s,]*")
_DECODER = json.JSONDecoder(strict=False)


def _cutter(path: AnyFile) -> tuple[Callable[[str], list[str]], str]:
    """Part a line into the end of the answer before it, and each answer that begins with it; and tell if blank ones
    count (those between rules, and every line where each is one).
    """
    lines = [line for _, line in islice(read_lines(path), _LINES)]
    texts = [line for line in lines if line.strip()]
    if any(_END in line for line in lines):
        return (lambda line: line.split(_END)), "between"
    if texts and _json(texts[0]) is not None:
        return (lambda line: ["", line]), "every"
    if any(map(_RULE.fullmatch, lines)):
        return (lambda line: ["", ""] if _RULE.fullmatch(line) else [line]), "between"
    found = (each for each in _HEADINGS if any(each.fullmatch(line.strip()) for line in lines))
    if heading := next(found, None):
        return (lambda line: ["", line] if heading.fullmatch(line.strip()) else [line]), ""
    if any(a.strip() and b.strip() for a, b in pairwise(lines)) and len(texts) < len(lines):
        return (lambda line: [line] if line.strip() else ["", ""]), ""
    return (lambda line: ["", line]), "every"


def _given(line: int, text: str) -> Given:
    """An answer out of what stands between two others."""
    value = _json(text.strip())
    if isinstance(value, dict) and (name := next((name for name in ANSWERS if name in value), "")):
        return Given(line, {**value, "answer": value[name]})
    if value is not None:
        return Given(line, {"answer": value})
    number = _NUMBER.match(text)
    text = text[number.end() :] if number else text
    prompt = _PROMPT.match(text)
    fields = {"answer": text[prompt.end() if prompt else 0 :].strip()}
    fields |= {name: said for name, said in (prompt.groupdict() if prompt else {}).items() if said}
    return Given(line, fields, int(number[1]) if number else None)


ANSWERS = ("answer", "output", "response", "error_spans", "raw_answer", "raw_output", "gemba_answer")
"""The names that a field with an answer may have."""


def _json(text: str) -> dict[str, Any] | str | None:
    """The text or the object that a JSON value is, safe to store; None for what is neither."""
    if text[:1] == "{":
        read = _read_object(text, 0)
        return read.value if isinstance(read, JsonObject) else None
    if text[:1] != '"':
        return None
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        return None
    return storable(value) if isinstance(value, str) else None


_read_object = object_reader()
