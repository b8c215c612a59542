"""What is imported when: nothing heavy to open the app, no Textual for ``--help``, and one way between the packages."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import discox_tui
import judges
import storage
from tests.conftest import REPOSITORY
from tests.support.driving import library
from tests.support.nightly import by_day

HEAVY = (
    "openai",
    "google.genai",
    "numpy",
    "py3langid",
    "scipy",
    "plotext",
    "textual_plotext",
    "sqlite_utils",
    "json_repair",
    "xlsxwriter",
    "pyarrow",
)

OPEN = """
import asyncio, json, sys
from pathlib import Path
from discox_tui.app import DiscoxApp
from storage.integrity.opening import open_library
from discox_tui.config.paths import Settings

async def use():
    app = DiscoxApp(open_library(Path(sys.argv[1])), "mei", Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        await pilot.press("enter")
        await pilot.press("a", "x", "s", "escape", "n", "escape", "u", "question_mark", "escape", "escape", "i")
        await pilot.pause()
        screen = type(app.screen).__name__
    print(json.dumps([screen, sorted(sys.modules)]))

asyncio.run(use())
"""


def modules_after(*command: str) -> set[str]:
    """The modules that a Python process had imported; it prints them as the last of a JSON list."""
    result = subprocess.run([sys.executable, *command], capture_output=True, text=True, check=True)
    return set(json.loads(result.stdout.splitlines()[-1])[-1])


def test_opening_the_app_and_reviewing_loads_nothing_heavy(tmp_path: Path) -> None:
    library(tmp_path / "a.db", {}, {})
    result = subprocess.run(
        [sys.executable, "-c", OPEN, str(tmp_path / "a.db")], capture_output=True, text=True, check=True
    )
    screen, modules = json.loads(result.stdout)
    assert screen == "ImportReportScreen"
    assert "textual.app" in modules
    assert set(modules).isdisjoint(HEAVY)


@by_day(2)
@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["import", "--help"],
        ["--version"],
        ["where"],
        ["list", "--json"],
        ["judge", "--help"],
        ["usage"],
        ["nonsense"],
    ],
    ids=str,
)
def test_the_command_line_waits_for_no_app(tmp_path: Path, arguments: list[str]) -> None:
    library(tmp_path / "a.db", {})
    code = (
        "import contextlib, io, json, sys\n"
        "from discox_tui.__main__ import run\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):\n"
        f"    run({['--db', str(tmp_path / 'a.db'), *arguments]!r})\n"
        "print(json.dumps([sorted(sys.modules)]))"
    )
    modules = modules_after("-c", code)
    assert "discox_tui.cli.parser" in modules
    assert modules.isdisjoint((*HEAVY, "textual", "textual.app", "asyncio"))


ALLOWED = {
    "judges": {"judges", "numpy", "py3langid", "rapidfuzz", "json_repair", "openai", "google", "httpx2"},
    "storage": {"judges", "storage", "sqlite_utils", "xlsxwriter", "pyarrow"},
    "discox_tui": {
        "judges",
        "storage",
        "discox_tui",
        "textual",
        "rich",
        "textual_plotext",
        "regex",
        "platformdirs",
        "dotenv",
        "shtab",
        "aiohttp",  # of the server alone, which a contract holds
    },
}


@pytest.mark.parametrize("package", [judges, storage, discox_tui], ids=lambda package: package.__name__)
def test_imports_go_one_way(package: object) -> None:
    name = package.__name__  # type: ignore[attr-defined]
    root = Path(package.__file__).parent  # type: ignore[attr-defined]
    for path in root.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, path
                found = [node.module or ""]
            for module in found:
                top = module.split(".")[0]
                assert top in sys.stdlib_module_names or top in ALLOWED[name], f"{path}: {module}"


def test_the_contracts_are_kept() -> None:
    if shutil.which("lint-imports", path=str(Path(sys.executable).parent)) is None:
        pytest.skip("import-linter is not installed")
    result = subprocess.run(
        [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout
