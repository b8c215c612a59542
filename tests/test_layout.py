"""The layout that docs/architecture.md promises: sizes of folders and modules, first lines, calls by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

MODULES = sorted(
    path for package in ("discox_tui", "storage", "judges") for path in (REPOSITORY / package).rglob("*.py")
)
LARGEST_FOLDER, LONGEST_MODULE, SHORT = 20, 500, 60
RIDDLE = re.compile(r"(What|How|Which|Whose|Who|Whom|Whether|Where|When|Why|That|As|Of|In)\b")
"""The first words by which a docstring asks a riddle instead of naming a thing or an act."""
MOST_BY_POSITION = 7


def where(path: Path) -> str:
    return path.relative_to(REPOSITORY).as_posix()


@pytest.fixture(params=MODULES, ids=where)
def module(request: pytest.FixtureRequest) -> tuple[Path, ast.Module]:
    path: Path = request.param
    return path, ast.parse(path.read_text(encoding="utf-8"))


def test_no_folder_holds_more_modules_than_one_sees_at_a_glance() -> None:
    folders = {path.parent for path in MODULES}
    sizes = {where(folder): sum(path.name != "__init__.py" for path in folder.glob("*.py")) for folder in folders}
    assert not {name: size for name, size in sizes.items() if size > LARGEST_FOLDER}


def test_no_module_is_longer_than_one_can_read() -> None:
    lengths = {where(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert not {name: length for name, length in lengths.items() if length > LONGEST_MODULE}


def documented(tree: ast.AST) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        holds = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        if holds and (text := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), text


def test_a_docstring_begins_with_a_noun_or_a_verb(module: tuple[Path, ast.Module]) -> None:
    path, tree = module
    assert not [f"{where(path)}:{line}: {text[:60]}" for line, text in documented(tree) if RIDDLE.match(text)]


def test_many_values_are_passed_by_name(module: tuple[Path, ast.Module]) -> None:
    path, tree = module
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and len(node.args) > MOST_BY_POSITION]
    assert not [f"{where(path)}:{call.lineno}" for call in calls if not takes_any_number(call)]


VARIADIC = {
    node.name
    for path in MODULES
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    if isinstance(node, ast.FunctionDef) and node.args.vararg
} | {"max", "min", "print", "zip", "chain", "attrgetter"}


def takes_any_number(call: ast.Call) -> bool:
    """Tell if a call is of something that takes any number of things of one kind, such as ``max``."""
    return ast.unparse(call.func).split(".")[-1] in VARIADIC
