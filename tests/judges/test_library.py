"""The package as others use it: the examples of its page run, and one table says what can be imported."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import judges.consistency
from judges.consistency import PUBLIC
from tests.conftest import REPOSITORY
from tests.test_docs import blocks, read

EXAMPLES = blocks(read(REPOSITORY / "docs" / "library.md"), "python")


@pytest.mark.parametrize("example", EXAMPLES, ids=["score", "ground", "agreement", "audit"])
def test_the_examples_print_what_they_say(example: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(example, "library.md", "exec"), {})
    said = [line.partition("# ")[2] for line in example.splitlines() if "print(" in line or line.startswith("# ")]
    printed = capsys.readouterr().out
    assert printed
    assert all(words in printed for words in said)


def test_the_names_that_can_be_imported_are_those_that_type_checkers_see() -> None:
    tree = ast.parse(read(Path(judges.consistency.__file__)))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        (node.module, alias.name) for node in block.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert seen == {(f"judges.{module}", name) for module, names in PUBLIC.items() for name in names}
    for _, name in seen:
        assert getattr(judges.consistency, name).__name__ == name
    assert {name for _, name in seen} <= set(dir(judges.consistency))


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(ImportError):
        from judges.consistency import nonsense  # type: ignore[attr-defined]  # noqa: F401


def test_importing_a_name_loads_no_numpy() -> None:
    code = "import sys; from judges.consistency import krippendorff_alpha; print('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize("package", ["judges", "storage", "discox_tui"])
def test_the_packages_say_that_they_are_typed(package: str) -> None:
    assert (REPOSITORY / package / "py.typed").exists()
