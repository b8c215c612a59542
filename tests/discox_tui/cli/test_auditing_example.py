"""The worked example of the auditing page says what the commands say, and its figures follow from them."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY, Command

PAGE = (REPOSITORY / "docs" / "auditing.md").read_text(encoding="utf-8")
LEFT_OUT = "…\n"
"""Stands in the page for any lines."""


def examples() -> Iterator[tuple[str, str]]:
    """Each command that the page shows with what it prints."""
    for block in re.findall(r"^```console\n(.*?)^```$", PAGE, re.M | re.S):
        for example in re.split(r"^\$ discox ", block, flags=re.M)[1:]:
            command, _, printed = example.partition("\n")
            yield command, printed


@pytest.fixture
def in_checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample_files: Path) -> None:
    """Commands find the sample where the page says, and leave nothing behind."""
    shutil.copytree(sample_files, tmp_path / "sample_data")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("in_checkout")
def test_commands_print_what_the_page_says(discox: Command) -> None:
    shown = list(examples())
    assert len(shown) >= 5
    for command, printed in shown:
        said = discox(*shlex.split(command))
        assert (said.code, said.err) == (0, "")
        wanted = "(?:.*\n)*".join(re.escape(part) for part in printed.split(LEFT_OUT))
        assert re.fullmatch(wanted, said.out), f"{command}\n{said.out}"


@pytest.mark.usefixtures("in_checkout")
def test_figures_in_the_text_are_those_of_the_example(discox: Command) -> None:
    assert discox("import", "sample_data/audit-sample.zip", "--db", "audit.db").code == 0
    (board,) = json.loads(discox("leaderboard", "--audited", "--json", "--db", "audit.db").out)["audited_leaderboards"]
    (cut,) = board["cuts"]
    of = {each["system"]: each for each in cut["scores"]}
    counts = [each for each in board["audited"] if each["counts"]]
    heron, place = of["heron"], board["systems"].index("heron")
    human, six, twelve = heron["human"], sum(each["judge"][place] for each in counts) / len(counts), heron["judge"]
    text = " ".join(re.sub("^> ", "", PAGE, flags=re.M).split())
    assert f"{human:.2f} − {cut['slope']:.3f} · ({six:.2f} − {twelve:.2f}) = {heron['audited']:.2f}" in text
    low, high = (heron["audited"] + side * heron["half_width"] for side in (-1, 1))
    assert f"{heron['audited']:.2f} ± {heron['half_width']:.2f}: {low:.1f} to {high:.1f}" in text
    plover = of["plover"]
    assert f"favoured by {plover['gap']:.2f} ± {plover['gap_half_width']:.2f} points" in text
    (plan,) = board["plans"]
    assert f"plan {plan['plan']}, seed {plan['seed']}" in text
    blind = sum(each["blind"] for each in counts)
    assert f"({blind} articles blind, {len(counts) - blind} having seen the judge's findings)" in text
    (pair,) = (each for each in cut["pairs"] if (each["first"], each["second"]) == ("heron", "plover"))
    assert f"heron leads plover by {pair['difference']:.1f} ± {pair['half_width']:.1f} points" in text
    assert pair["p_holm"] < 0.001
    assert f"The judge favours plover by {plover['gap']:.1f} ± {plover['gap_half_width']:.1f} points" in text
