"""Word tables: one schema, each file read once."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import judges
from judges.words import NEVER, expression, word_tables

TABLES = [file for file in sorted(Path(judges.__file__).parent.rglob("*.toml")) if file.with_suffix(".py").exists()]


@pytest.mark.parametrize("file", TABLES, ids=lambda file: file.stem)
def test_no_entry_of_a_table_is_empty_or_has_a_word_twice(file: Path) -> None:
    for name, section in word_tables(str(file.with_suffix(".py"))).items():
        for entry, words in section.items():
            assert words, f"{name}.{entry}"
            assert len(set(words)) == len(words), f"{name}.{entry}: {sorted(w for w in words if words.count(w) > 1)}"


def test_a_table_of_another_schema_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "words.toml").write_text('[de.types]\ngrammar = "Fall"\n', encoding="utf-8")
    with pytest.raises(ValueError, match=re.escape("words.de.types.grammar: a list of words is expected, not 'Fall'")):
        word_tables(str(tmp_path / "words.py"))


def test_an_expression_holds_its_sets_and_no_line_breaks() -> None:
    sets = {"better": ("good", "best")}
    assert expression(("is {better}", "a{2}\n    |b"), sets) == "is (?:good|best)|a{2}|b"
    assert expression(()) == NEVER
    assert not re.search(NEVER, "anything")
