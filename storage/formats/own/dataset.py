"""The DiscoX data set: articles with their rubric points, as one JSON list or one object a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from judges.benchmark.rubric.given_points import given_rubric
from judges.metric_s.reading.rubric import parse_rubric
from judges.model import Article, Flag
from storage.formats.base.directions import direction_name
from storage.formats.base.format import Item, ReadOptions
from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import read_objects
from storage.formats.io.json_parser import JsonObject, kind
from storage.formats.io.rows import LeftOut, Row
from storage.formats.own.objects import DATASET, OwnFormat
from storage.formats.own.written_rows import is_edited, is_written, official, read_written, unknown

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_LATIN = re.compile(r"[A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f]")
_WIDE = re.compile(r"[\u3041-\u30fa\uac00-\ud7a3]")

KNOWN = frozenset(
    ("prompt_id", "ori_text", "reference_list", "Primary_Domain", "Secondary_Domain", "prompt", "direction")
)
"""The fields that a row of the data set may have."""
_TEXTS = {"domain": "Primary_Domain", "subdomain": "Secondary_Domain", "prompt": "prompt"}


class DiscoxDataset(OwnFormat):
    """The data set: articles, of which nothing is judged. A direction that nobody gives is told by the script."""

    name, title, phrase = DATASET, "DiscoX data set", "the DiscoX data set"
    needed = ("prompt_id", "ori_text", "reference_list")
    known = KNOWN

    def read(self, file: InputFile, options: ReadOptions) -> Iterator[Item]:
        """Yield an article for each object, or what is left out."""
        for item in read_objects(file):
            if isinstance(item, LeftOut):
                yield item
                continue
            article, flags = read_article(item, options.direction)
            if isinstance(article, LeftOut):
                yield article
            else:
                yield Row(item.line, article, flags=(*item.flags, *flags), others=unknown(item.value, KNOWN))


def read_article(item: JsonObject, direction: str | None = None) -> tuple[Article | LeftOut, list[Flag]]:
    """Read an object's article and what to flag about it, or what keeps it from being one."""
    flags = list[Flag]()
    if written := read_written(item.value):
        return written.article, [] if written.article.rubric else [_no_rubric()]
    if is_edited(item.value):
        said = "text or points were changed since this was written; its hash is of what they were"
        flags.append(Flag("edited", said))
    row = official(item.value)
    key = _key(row["article"] if is_written(row) and row["article"] else row.get("prompt_id"))
    if key is None:
        reason = f"is {kind(row['prompt_id'])}, not the article's number" if "prompt_id" in row else "is missing"
        return _left_out(item, "prompt_id", reason, "give the article's prompt_id as in the data set"), flags
    source = row.get("ori_text")
    if not isinstance(source, str) or not source.strip():
        reason = "is missing or empty" if source is None or isinstance(source, str) else f"is {kind(source)}, not text"
        return _left_out(item, "ori_text", f"{reason} (article {key})", "give the article's source text"), flags
    texts = {name: _text(row, field, flags) for name, field in _TEXTS.items()}
    direction = direction_name(_text(row, "direction", flags) or direction or "") or direction_of(source)
    rubric = _rubric(row.get("reference_list"), source, direction, flags)
    if not direction:
        said = "the source text is neither Chinese nor in Latin script; say its languages with --direction"
        flags.append(Flag("direction_unknown", said))
    points = parse_rubric(rubric)
    if not points:
        flags.append(_no_rubric())
    return Article(key, source, direction, rubric_text=rubric, rubric=points, **texts), flags


def _no_rubric() -> Flag:
    return Flag("no_rubric", "the article has no rubric points")


def direction_of(source: str) -> str:
    """Return "zh-en" or "en-zh" by the script of the source; "" where most of it is in neither.

    A Chinese character says about as much as three Latin letters, and counts so; Japanese and Korean ones do too.
    """
    han, latin, wide = (len(script.findall(source)) for script in (_HAN, _LATIN, _WIDE))
    others = sum(map(str.isalpha, source)) - han - latin + 2 * wide
    if others >= 3 * han + latin:
        return ""
    return "zh-en" if 3 * han >= latin else "en-zh"


def _key(value: object) -> str | None:
    """A prompt_id as the name of an article: 8, "8" and 8.0 are one."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int | str):
        return None
    return str(value).strip() or None


def _rubric(value: object, source: str, direction: str, flags: list[Flag]) -> str:
    """Return the text of a rubric, given as such or as points in any layout."""
    if isinstance(value, str) and value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return given_rubric(value, source, direction)[0]
    except ValueError as error:
        flags.append(Flag("field_type", f"reference_list: {error}; read as no rubric"))
        return ""


def _text(row: dict[str, Any], field: str, flags: list[Flag]) -> str:
    value = row.get(field)
    if isinstance(value, str):
        return value
    if value is not None:
        flags.append(Flag("field_type", f"{field} is {kind(value)}, not text; read as empty"))
    return ""


def _left_out(item: JsonObject, field: str, reason: str, mend: str) -> LeftOut:
    return LeftOut(item.line, "bad_field", field, reason, mend)
