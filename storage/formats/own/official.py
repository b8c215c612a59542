"""What the official DiscoX code leaves on disk: ``…DISCOXpartial.jsonl`` and ``…DISCOXresult.json``."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from judges.metric_s.reading.official_record import explain_difference, read_judgement
from judges.model import Flag, Judgement, StoredScore
from storage.base.text import storable
from storage.formats.io.json_objects import value_under
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.rows import NO_SCORE, LeftOut, Row
from storage.formats.own.dataset import KNOWN as KNOWN_OF_ARTICLES
from storage.formats.own.dataset import read_article

RESULTS = "detailed_results"
"""The key of ``…result.json`` that holds the rows."""

KNOWN = KNOWN_OF_ARTICLES | {"model_output", "detailed_judgement", "score", "domain_score", "error", "traceback"}
"""The fields that a row may have: those of the article, and what the code adds."""
AROUND = frozenset(("average_accuracy", "model", RESULTS))
"""The fields that ``…result.json`` has around its rows."""

_NAME = re.compile(r"(?:\d{4}-\d\d-\d\d[ _T]\d\d[-:]\d\d[-:]\d\d-)?(?P<system>.+?)-?DISCOX(?:partial|result)?")
_PARTS = ("accuracy", "fluency", "appropriateness")


def system_name(path: Path) -> str:
    """Return the name of the system whose translations a file holds.

    ``…result.json`` says it. ``…partial.jsonl`` has it in its file name only, with "/" written "-": the result file
    of the same run says it if it is there, else the name from the file name is returned as it is (``system_slug``
    is the same for both).
    """
    result = path
    if path.name.endswith("partial.jsonl"):
        beside = path.with_name(path.name.removesuffix("partial.jsonl") + "result.json")
        result = beside if beside.is_file() else path
    name = value_under(result, "model")
    if isinstance(name, str) and name.strip():
        return name.strip()
    match = _NAME.fullmatch(path.stem)
    return storable(match["system"] if match else path.stem)


def read_official(
    path: Path, objects: Iterator[JsonObject | LeftOut], direction: str | None = None
) -> Iterator[Row | LeftOut]:
    """Yield each object as a Row with an article, a translation and a judgement, or as what is left out.

    ``direction``: of the articles that do not say theirs; without, it is told by the script.
    """
    system = system_name(path)
    for item in objects:
        if isinstance(item, LeftOut):
            yield item
        else:
            yield _read(item, system, direction)


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
        others={name: value for name, value in row.items() if name not in KNOWN},
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
