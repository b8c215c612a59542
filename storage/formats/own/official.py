"""The files that the official DiscoX code leaves on disk: ``…DISCOXpartial.jsonl`` and ``…DISCOXresult.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from judges.metric_s.reading.official_record import explain_difference, read_judgement
from judges.model import Flag, Judgement, StoredScore
from storage.base.text import storable
from storage.formats.base.format import Item, ReadOptions
from storage.formats.base.items import UnknownFields
from storage.formats.io.input_file import AnyFile, InputFile, path_of
from storage.formats.io.json_objects import objects_in_array, read_objects, starts_with_list, value_under, values_beside
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.rows import NO_SCORE, LeftOut, Row
from storage.formats.own.dataset import KNOWN as KNOWN_OF_ARTICLES
from storage.formats.own.dataset import read_article
from storage.formats.own.objects import PARTIAL, RESULT, RESULTS, OwnFormat
from storage.formats.own.written_rows import unknown

KNOWN = KNOWN_OF_ARTICLES | {"model_output", "detailed_judgement", "score", "domain_score", "error", "traceback"}
"""The fields that a row may have: those of the article, and what the code adds."""
AROUND = frozenset(("average_accuracy", "model", RESULTS))
"""The fields that ``…result.json`` has around its rows."""

_NAME = re.compile(r"(?:\d{4}-\d\d-\d\d[ _T]\d\d[-:]\d\d[-:]\d\d-)?(?P<system>.+?)-?DISCOX(?:partial|result)?")
_PARTS = ("accuracy", "fluency", "appropriateness")


class OfficialRows(OwnFormat):
    """Articles, translations and judgements as the official code leaves them."""

    known = KNOWN | AROUND

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield a row for each object. A direction that nobody gives is told by the script."""
        yield from self._rows(file, read_objects(file), options)

    @staticmethod
    def _rows(
        file: InputFile, objects: Iterator[JsonObject | LeftOut], options: ReadOptions
    ) -> Iterator[Row | LeftOut]:
        system = system_name(file)
        for item in objects:
            yield item if isinstance(item, LeftOut) else _read(item, system, options.direction)


class DiscoxPartial(OfficialRows):
    """``…partial.jsonl``, a row for each task as it ended."""

    name, title, phrase = PARTIAL, "DiscoX partial results", "the official code's results"
    needed = ("prompt_id", "model_output", "detailed_judgement")


class DiscoxResult(OfficialRows):
    """``…result.json``, the rows in a list within an object, or a list of rows alone."""

    name, title = RESULT, "DiscoX results"

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield a row for each object, then what stands around them. Raises FormatError where there is no list."""
        alone = starts_with_list(file)
        yield from self._rows(file, objects_in_array(file, None if alone else RESULTS), options)
        yield UnknownFields(1, {} if alone else values_beside(file, AROUND))


def system_name(file: AnyFile) -> str:
    """Return the name of the system whose translations a file holds.

    ``…result.json`` says it. ``…partial.jsonl`` has it in its file name only, with "/" written "-": the result file
    of the same run says it if it is there, else the name from the file name is returned as it is (``system_slug``
    is the same for both).
    """
    result: AnyFile = file
    if file.name.endswith("partial.jsonl"):
        beside = path_of(file).with_name(file.name.removesuffix("partial.jsonl") + "result.json")
        result = beside if beside.is_file() else file
    name = value_under(result, "model")
    if isinstance(name, str) and name.strip():
        return name.strip()
    match = _NAME.fullmatch(file.stem)
    return storable(match["system"] if match else file.stem)


def _read(item: JsonObject, system: str, direction: str | None) -> Row | LeftOut:
    row = item.value
    if "error" in row and "detailed_judgement" not in row and "model_output" not in row:
        said = " ".join(str(row["error"]).split())[:200]
        mend = "run that task again, unless it stands elsewhere in the file"
        which = f"the task of article {row['prompt_id']}" if isinstance(row.get("prompt_id"), int | str) else "the task"
        return LeftOut(item.line, "task_failed", "error", f"{which} failed: {said}", mend)
    article, flags = read_article(item, direction)
    if isinstance(article, LeftOut):
        return article
    translation = row.get("model_output")
    if translation is not None and not isinstance(translation, str):
        reason = f"is {kind(translation)}, not text (article {article.key})"
        return LeftOut(item.line, "bad_field", "model_output", reason, "give the translation as text, or null for none")
    detailed = row.get("detailed_judgement")
    judgement = read_judgement(detailed, len(article.rubric), translation)
    stored = _score(row, flags)
    if (difference := _difference(judgement, stored)) is not None:
        flags.append(difference)
    return Row(
        line=item.line,
        article=article,
        system=system,
        translation=translation,
        judgement=judgement,
        stored_score=stored,
        raw=json.dumps(detailed, ensure_ascii=False),
        flags=(*item.flags, *flags),
        others=unknown(row, KNOWN),
    )


def _score(row: dict[str, Any], flags: list[Flag]) -> StoredScore:
    """The score as the row gives it, None for each part that is no number."""
    parts = row.get("domain_score")
    values = [row.get("score"), *(parts if isinstance(parts, list) and len(parts) == 3 else [parts] * 3)]
    if values == [None] * 4:
        return NO_SCORE
    numbers = [_number(value) for value in values]
    for name, value, number in zip(("score", *_PARTS), values, numbers, strict=True):
        if number is None:
            flags.append(Flag("stored_score_unreadable", f"the stored {name} is {kind(value)}, not a score"))
    return numbers[0], numbers[1], numbers[2], numbers[3]


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or abs(value) > 10**6:
        return None
    return value


def _difference(judgement: Judgement, stored: StoredScore) -> Flag | None:
    """A flag that gives both scores and the reasons, where the stored one is not the recomputed one."""
    reasons = explain_difference(judgement, stored)
    if not reasons:
        return None
    own = judgement.score
    recomputed = f"{own.total} ({own.accuracy}/{own.fluency}/{own.appropriateness})" if own else "none"
    total, *parts = ("?" if value is None else f"{value:g}" for value in stored)
    return Flag("score_differs", f"stored {total} ({'/'.join(parts)}), recomputed {recomputed}: {'; '.join(reasons)}")
