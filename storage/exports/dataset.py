"""The data set that candidates of a benchmark become: DiscoX's JSON, and JSON Lines in this program's own names.

Both hold the same of each article, so that each can be made of the other; ``formats.own.written_rows`` reads them.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judges.benchmark.rubric.points import to_json
from judges.benchmark.selection.difficulty_filter import Outcome
from judges.metric_s.protocol.prompts import Prompts
from judges.metric_s.protocol.translating import render_translation
from judges.model import Article
from storage.benchmark.candidates import Candidate
from storage.formats.own.written_rows import LARGEST, OFFICIAL, OWN, SHA256, content_hash


@dataclass(frozen=True, slots=True)
class BuiltArticle:
    """One article of the data set: the candidate that it was, and its text and rubric as they stand.

    ``number``: the one that the official code knows it by. ``filter``: what the difficulty filter came to, None where
    it is under none, or this is not told.
    """

    candidate: Candidate
    article: Article
    number: int = 0
    filter: Mapping[str, Any] | None = None

    @property
    def version(self) -> int:
        """The number of the version, counted on from the one that a file said it was."""
        number = 0
        for each in self.candidate.versions:
            number = each.written.get("version", number + 1)
            if each is self.candidate.version:
                break
        return int(number)


def numbers(everyone: Sequence[Candidate]) -> dict[str, int]:
    """Return the number of each candidate, by key: that of the file it is from, its name, or the next that is free."""
    found: dict[str, int] = {}
    taken: set[int] = set()
    for each in everyone:
        said = [version.written["prompt_id"] for version in each.versions if "prompt_id" in version.written]
        number = said[0] if said else _number(each.key)
        if number is not None and number not in taken:
            found[each.key] = number
            taken.add(number)
    free = 0
    for each in everyone:
        if each.key not in found:
            free = next(number for number in range(free + 1, LARGEST) if number not in taken)
            found[each.key] = free
    return {each.key: found[each.key] for each in everyone}


def _number(key: str) -> int | None:
    """The number that a name is, written as numbers are."""
    if not (key.isascii() and key.isdecimal() and len(key) < len(str(LARGEST))):
        return None
    return int(key) if str(int(key)) == key else None


def filter_of(
    candidate: Candidate, outcome: Outcome | None, rule: Mapping[str, Any], judges: Sequence[str]
) -> dict[str, Any] | None:
    """Return what the filter came to for a candidate, here, or as the file says that this version came in with.

    Its fields are in order of their names, as the log keeps them.
    """
    if outcome is None:
        said = candidate.version.written.get("filter")
        return dict(_in_order(said)) if said else None
    failed: list[dict[str, Any]] = []
    for system, count in outcome.failed.items():
        points = [point.number for point in outcome.points if system in point.failed_by]
        failed.append({"system": system, "failed": None if count is None else points})
    came = {"state": outcome.state, "rule": dict(rule), "needed": outcome.needed, "systems": failed}
    return dict(_in_order(came | {"judges": [*judges]}))


def _in_order(value: Any) -> Any:
    """Return a value of JSON with the fields of every object in order of their names."""
    if isinstance(value, Mapping):
        return {name: _in_order(value[name]) for name in sorted(value)}
    return [_in_order(each) for each in value] if isinstance(value, list) else value


def as_line(built: BuiltArticle) -> dict[str, Any]:
    """Return an article with all that is known of it, by the names that candidates are added with.

    ``prompt`` is the article's own, else what the program would ask a system with, so that the official code runs.
    """
    article, candidate = built.article, built.candidate
    return {
        "article": article.key,
        "prompt_id": built.number,
        "direction": article.direction,
        "domain": article.domain,
        "subdomain": article.subdomain,
        "source": article.source,
        "rubric": article.rubric_text,
        "points": [to_json(point) for point in candidate.version.points],
        "prompt": article.prompt if article.prompt.strip() else render_translation(article, Prompts.built_in()),
        "origin": candidate.origin,
        "licence": candidate.licence,
        "version": built.version,
        "filter": built.filter,
        SHA256: content_hash(article.source, article.rubric_text),
    }


def as_discox(built: BuiltArticle) -> dict[str, Any]:
    """Return an article as DiscoX's data set has it, with what else is known of it beside."""
    line = as_line(built)
    theirs = {name: line[ours] for ours, name in {"prompt": "prompt", **OFFICIAL, "prompt_id": "prompt_id"}.items()}
    return theirs | {name: line[name] for name in OWN}


def write_json(path: Path, articles: Iterable[BuiltArticle]) -> None:
    """Write DiscoX's JSON: one list of objects."""
    rows = [as_discox(built) for built in articles]
    path.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")


def write_jsonl(path: Path, articles: Iterable[BuiltArticle]) -> None:
    """Write JSON Lines: one object a line."""
    lines = (json.dumps(as_line(built), ensure_ascii=False) + "\n" for built in articles)
    path.write_text("".join(lines), encoding="utf-8", newline="\n")


def is_dataset(path: Path) -> bool:
    """Return True if a file is such a data set, which another one may replace."""
    try:
        with path.open(encoding="utf-8") as file:
            beginning = file.read(400)
    except (OSError, ValueError):
        return False
    return beginning.startswith('{"article": ') or (beginning.startswith("[\n {") and '"prompt"' in beginning)
