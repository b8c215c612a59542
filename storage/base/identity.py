"""Names that do not depend on where or when something was imported: hashes of what it says."""

from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

from judges.model import Article, Finding


def digest(*parts: object) -> str:
    """Return 20 hex digits that stand for the JSON-able parts (80 bits: no accidental twins among 10^9 rows).

    A dataclass stands for the mapping of its fields.
    """
    import hashlib

    text = json.dumps(parts, ensure_ascii=True, sort_keys=True, separators=(",", ":"), default=_fields)
    return hashlib.sha256(text.encode()).hexdigest()[:20]


def _fields(value: Any) -> dict[str, Any]:
    return {part.name: getattr(value, part.name) for part in fields(value)}


def text_id(text: str) -> str:
    """Identity of a text that many requests may share. Raises UnicodeEncodeError for one that is not storable."""
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:20]


def system_slug(system: str) -> str:
    """Return what a system's name has in common with its form in a file name ("a/b" is written "a-b" there)."""
    return system.strip().replace("/", "-").lower()


def article_id(article: Article) -> str:
    """Identity of an article: its key, its text and its rubric. Another text under one key is another article."""
    return digest("article", article.key, article.source, article.rubric_text)


def translation_id(article: str, system: str, text: str | None) -> str:
    """Identity of one system's translation of an article."""
    return digest("translation", article, system_slug(system), text)


def evaluation_id(translation: str, judge: str, raw: object) -> str:
    """Identity of an evaluation: whose translation, which judge model, and what was answered."""
    return digest("evaluation", translation, judge, raw)


def finding_id(evaluation: str, finding: Finding) -> str:
    """Identity of a finding: its evaluation, its judge and its place in that judge's list."""
    return digest("finding", evaluation, finding.judge, finding.index, finding.explanation)
