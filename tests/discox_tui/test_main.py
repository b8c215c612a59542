"""The command beside the modules of others: in the user's folder, and installed where ours should be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from sysconfig import get_path

import pytest

from tests.conftest import REPOSITORY
from tests.support.nightly import by_day

WORKERS = """
import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
import discox_tui.__main__

if __name__ == "__main__":
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(os.getpid).result() != os.getpid()
"""


def python(folder: Path, *arguments: str, path: Path | str = REPOSITORY) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(path)}
    environment.pop("PYTHONSAFEPATH", None)
    return subprocess.run(
        [sys.executable, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


def test_modules_in_the_users_folder_are_not_taken_for_ours(tmp_path: Path) -> None:
    for name in ("storage", "judges", "argparse", "tempfile"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken for another')")
    result = python(tmp_path, "-m", "discox_tui", "where", "--json")
    assert (result.returncode, result.stderr) == (0, "")


def test_workers_import_nothing_from_the_users_folder(tmp_path: Path) -> None:
    program = tmp_path / "program" / "workers.py"
    program.parent.mkdir()
    program.write_text(WORKERS)
    (tmp_path / "pickle.py").write_text("raise SystemExit('taken for another')")
    result = python(tmp_path, str(program))
    assert (result.returncode, result.stderr) == (0, "")


@by_day(2)
@pytest.mark.parametrize("name", ["judges", "storage"])
@pytest.mark.parametrize(
    "content", ["", "import nothing_that_there_is", "raise SystemExit", None], ids=["other", "broken", "exits", "gone"]
)
def test_another_package_in_the_place_of_ours_is_said_in_one_line(
    tmp_path: Path, name: str, content: str | None
) -> None:
    site = tmp_path / "site"
    site.mkdir()
    for ours in {"discox_tui", "judges", "storage"} - {name}:
        (site / ours).symlink_to(REPOSITORY / ours)
    if content is not None:
        (site / name).mkdir()
        (site / name / "__init__.py").write_text(content)
    # Without `site`, an editable install of ours does not bring back what is gone.
    result = python(
        tmp_path, "-S", "-P", "-m", "discox_tui", "--version", path=f"{site}{os.pathsep}{get_path('purelib')}"
    )
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith(f"discox: another package named {name} is installed where discox's own should be")
    assert "`uv tool install .`" in result.stderr
    assert result.stderr.count("\n") == 1


def test_another_packages_files_among_ours_are_said_too(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "judges").mkdir(parents=True)
    (site / "judges" / "__init__.py").write_bytes((REPOSITORY / "judges" / "__init__.py").read_bytes())
    (site / "judges" / "model.py").write_text("")
    for ours in ("discox_tui", "storage"):
        (site / ours).symlink_to(REPOSITORY / ours)
    result = python(tmp_path, "-P", "-m", "discox_tui", "list", path=site)
    assert result.returncode == 1
    assert result.stderr.startswith("discox: another package named judges is installed where discox's own should be")
    assert result.stderr.count("\n") == 1


def test_the_queue_opens_without_what_reviews_and_scores(tmp_path: Path) -> None:
    program = (
        "import sys, discox_tui.app, discox_tui.cli.open_app\n"
        "heavy = ('discox_tui.sessions.review', 'judges.model', 'storage.record.library', 'numpy', 'openai')\n"
        "print(*(name for name in heavy if name in sys.modules))"
    )
    result = python(tmp_path, "-c", program)
    assert (result.returncode, result.stdout, result.stderr) == (0, "\n", "")


def test_only_what_is_typed_beyond_the_apps_own_options_needs_the_parsers_of_commands(tmp_path: Path) -> None:
    program = (
        "from discox_tui.cli import parser\n"
        "made = parser.build\n"
        "parser.build = lambda *given: print('all') or made(*given)\n"
        "print(parser._parsed(['--reviewer', 'export', '--db', 'x.db']).reviewer)\n"
        "print(parser._parsed(['--db', 'x.db', 'review', '--blind']).blind)"
    )
    result = python(tmp_path, "-c", program)
    assert (result.returncode, result.stdout.split(), result.stderr) == (0, ["export", "all", "True"], "")
