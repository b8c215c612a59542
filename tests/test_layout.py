"""The layout that docs/architecture.md promises: sizes of folders and modules, first lines, calls by name."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

LARGEST_FOLDER, LONGEST_MODULE = 20, 500
RIDDLE = re.compile(r"(What|How|Which|Whose|Who|Whom|Whether|Where|When|Why|That|As|Of|In)\b")
"""The first words by which a docstring asks a riddle instead of naming a thing or an act."""
MOST_BY_POSITION = 7

Module = tuple[str, str, ast.Module]
"""A module's path in the repository, its text, and what that is parsed to."""


@pytest.fixture(scope="module")
def modules() -> list[Module]:
    paths = sorted(
        path for package in ("discox_tui", "storage", "judges") for path in (REPOSITORY / package).rglob("*.py")
    )
    texts = [(path, path.read_text(encoding="utf-8")) for path in paths]
    return [(path.relative_to(REPOSITORY).as_posix(), text, ast.parse(text)) for path, text in texts]


def test_no_folder_holds_more_modules_than_one_sees_at_a_glance(modules: list[Module]) -> None:
    sizes = Counter(Path(name).parent for name, _, _ in modules if not name.endswith("__init__.py"))
    assert {folder: size for folder, size in sizes.items() if size > LARGEST_FOLDER} == {}


def test_no_module_is_longer_than_one_can_read(modules: list[Module]) -> None:
    lengths = {name: len(text.splitlines()) for name, text, _ in modules}
    assert {name: length for name, length in lengths.items() if length > LONGEST_MODULE} == {}


def docstrings(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if text := ast.get_docstring(node):
            yield getattr(node, "lineno", 1), text
        for named, said in pairwise(node.body):
            match named, said:
                case ast.Assign() | ast.AnnAssign(), ast.Expr(ast.Constant(str(text))):
                    yield said.lineno, text


def test_a_docstring_begins_with_a_noun_or_a_verb(modules: list[Module]) -> None:
    found = [(name, line, text) for name, _, tree in modules for line, text in docstrings(tree)]
    assert [f"{name}:{line}: {text[:60]}" for name, line, text in found if RIDDLE.match(text)] == []


def test_many_values_are_passed_by_name(modules: list[Module]) -> None:
    variadic = {"max", "min", "print", "zip", "chain", "attrgetter"} | {
        node.name
        for _, _, tree in modules
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and node.args.vararg
    }
    calls = [
        (name, node)
        for name, _, tree in modules
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and len(node.args) > MOST_BY_POSITION
    ]
    assert [
        f"{name}:{call.lineno}" for name, call in calls if ast.unparse(call.func).split(".")[-1] not in variadic
    ] == []
