"""A provider that another package adds: declared as an entry point, it judges like a built-in one."""

from __future__ import annotations

from pathlib import Path

import pytest

from judges.providers.registry import GROUP, provider_class, provider_names
from tests.conftest import Command
from tests.support.judging import listed, report

MODULE = """
import json, time

from judges.providers.model import Attempt


class Acme:
    name = "acme"
    key_variables = ("ACME_TOKEN", "ACME_API_KEY")
    address = "https://acme.example/v1"
    batches = ""

    def __init__(self, key, base_url=None):
        assert key in ("", "of-acme-12345")
        self.server = base_url or self.address

    async def attempt(self, request, form, timeout):
        answer = json.dumps({"accuracy": 51, "fluency": 17, "appropriateness": 16})
        return Attempt(request, form, "ok", started=time.time(), seconds=0.1, status=200, answer=answer, model="acme-1")

    async def close(self):
        pass
"""


def install(folder: Path, **entries: str) -> None:
    """Lay a package that declares providers into a folder, as an installer does."""
    (folder / "acme_discox.py").write_text(MODULE, encoding="utf-8")
    about = folder / "acme_discox-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-discox\nVersion: 1.0\n", encoding="utf-8")
    lines = [f"[{GROUP}]", *(f"{name} = {value}" for name, value in entries.items()), ""]
    (about / "entry_points.txt").write_text("\n".join(lines), encoding="utf-8")


@pytest.fixture
def acme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site-packages"
    folder.mkdir()
    entries = {
        "acme": "acme_discox:Acme",
        "openai": "acme_discox:Acme",
        "other": "acme_discox:Acme",
        "lost": "nowhere:A",
    }
    install(folder, **entries)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("ACME_API_KEY", "of-acme-12345")


@pytest.mark.usefixtures("acme")
def test_its_provider_judges(discox: Command, sample: Path) -> None:
    asking = ("judge", "--db", sample, "--provider", "acme", "--model", "kestrel", "--scheme", "single-simple")
    done = report(discox(*asking, "--article", "essay-02", "--system", "aurora-72b", "--json"))
    assert (done["done"], done["calls"], done["outcomes"]) == (1, 1, {"ok": 1})
    (row,) = listed(discox, sample)
    assert row["score"]["total"] == 84
    batch = discox(*asking, "--batch")
    assert batch.code != 0
    assert "'acme' has no batch API; leave --batch out" in batch.err


@pytest.mark.usefixtures("acme")
def test_its_key_is_looked_for_where_it_says(discox: Command, sample: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ACME_API_KEY")
    result = discox("judge", "--db", sample, "--provider", "acme", "--model", "kestrel", "--scheme", "single-simple")
    assert "ACME_TOKEN or ACME_API_KEY holds no key" in result.err


@pytest.mark.usefixtures("acme")
def test_the_registry_knows_it_and_keeps_the_built_in_ones() -> None:
    assert provider_names() == ("openai", "gemini", "acme", "lost", "other")
    assert provider_class("acme").address == "https://acme.example/v1"
    assert provider_class("openai").__module__ == "judges.providers.openai"
    with pytest.raises(ValueError, match=r"'other' .* calls itself 'acme'"):
        provider_class("other")
    with pytest.raises(ValueError, match=r"'lost' .* cannot be loaded: No module named 'nowhere'"):
        provider_class("lost")
    with pytest.raises(ValueError, match="no provider 'none'; known: openai, gemini, acme"):
        provider_class("none")


def test_an_unknown_provider_is_refused_with_those_there_are(discox: Command, sample: Path) -> None:
    result = discox("judge", "--db", sample, "--provider", "acme", "--model", "kestrel")
    assert result.code == 2
    assert "invalid choice: 'acme' (choose from openai, gemini, replay)" in result.err
