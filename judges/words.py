"""Word tables: TOML beside the module that reads them, with one schema and one loader for all.

A file holds sections; a section, entries; an entry, the list of its alternatives. A section within another is named
with a dot ("zh.types"). Alternatives are words, or regular expressions where the module says so. In those ``{name}``
stands for the alternatives of that entry of the section ``sets``, and a line break with its indentation for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

NEVER = r"(?!)"
"""The regular expression of an entry without alternatives: it matches nothing."""

Section: TypeAlias = Mapping[str, tuple[str, ...]]

_SET = re.compile(r"\{([a-z_]+)\}")
_BREAK = re.compile(r"\n *")


@cache
def word_tables(module: str) -> Mapping[str, Section]:
    """Return the sections of the TOML file beside ``module``, given by its ``__file__``; each file is read once.

    Raises ValueError for a file that has another schema.
    """
    import tomllib

    file = Path(module).with_suffix(".toml")
    return dict(_sections(file.stem, tomllib.loads(file.read_text("utf-8"))))


def _sections(name: str, table: Mapping[str, Any]) -> Iterator[tuple[str, Section]]:
    words = dict[str, tuple[str, ...]]()
    for key, value in table.items():
        if isinstance(value, dict):
            yield from _sections(f"{name}.{key}", value)
        elif isinstance(value, list) and all(isinstance(word, str) for word in value):
            words[key] = tuple(value)
        else:
            raise ValueError(f"{name}.{key}: a list of words is expected, not {value!r:.60}")
    if words:
        yield name.partition(".")[2], words


def expression(words: tuple[str, ...], sets: Section | None = None) -> str:
    """Return one regular expression of the alternatives, in their order, with ``sets`` put in."""

    def alternatives(found: re.Match[str]) -> str:
        return f"(?:{expression((sets or {})[found[1]])})"

    return _SET.sub(alternatives, _BREAK.sub("", "|".join(words))) if words else NEVER
