"""The data set that candidates of a benchmark become: DiscoX's JSON, and JSON Lines that keep points taken apart."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from judges.benchmark.rubric.points import to_json
from judges.metric_s.protocol.prompts import Prompts
from judges.metric_s.protocol.translating import render_translation
from judges.model import Article
from storage.benchmark.candidates import Candidate
from storage.formats.own.dataset import direction_of


@dataclass(frozen=True, slots=True)
class BuiltArticle:
    """One article of the data set: the candidate that it was, and its text and rubric as they stand."""

    candidate: Candidate
    article: Article


def as_discox(built: BuiltArticle) -> dict[str, Any]:
    """Return an article as DiscoX's data set has it, with its direction where the text's script would tell another.

    ``prompt`` is the article's own, else what the program would ask a system with, so that the official code runs.
    """
    article = built.article
    row = {
        "prompt": render_translation(article, Prompts.built_in()),
        "ori_text": article.source,
        "reference_list": article.rubric_text,
        "Primary_Domain": article.domain,
        "Secondary_Domain": article.subdomain,
        "prompt_id": article.key,
    }
    return row if direction_of(article.source) == article.direction else row | {"direction": article.direction}


def as_line(built: BuiltArticle) -> dict[str, Any]:
    """Return an article with all that is known of it, by the names that candidates are added with."""
    article, candidate = built.article, built.candidate
    return {
        "article": article.key,
        "direction": article.direction,
        "domain": article.domain,
        "subdomain": article.subdomain,
        "source": article.source,
        "points": [to_json(point) for point in candidate.version.points],
        "origin": candidate.origin,
        "licence": candidate.licence,
        "version": candidate.version.number,
    }


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
