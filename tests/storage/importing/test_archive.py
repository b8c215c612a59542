"""Archives: everything comes back, nothing of a damaged or foreign one is stored, and its message says what to mend."""

from __future__ import annotations

import hashlib
import json
import re
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.db import schema
from storage.db.connection import insert
from storage.exports.archive import write
from storage.exports.selection import Selection
from storage.importing.archive import LEFT_OUT
from storage.importing.merge import merge_file
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.storage.db.test_migrations import made_by
from tests.storage.importing.test_merge import library, said
from tests.support import builders
from tests.support.nightly import by_day, rounds
from tests.support.tables import dump

Members = dict[str, bytes]


def archive_of(path: Path, target: Path) -> Path:
    with closing(open_library(path)) as connection:
        write(connection, target, Selection())
    return target


def counts(path: Path) -> dict[str, int]:
    """How many rows each table has, but what the app remembers."""
    return {name: len(rows) for name, rows in dump(path, without=("app_state", "_sqlite_migrations")).items()}


@given(seed=st.integers(0, 10_000), other=st.integers(0, 10_000))
@settings(max_examples=rounds(4, 120))
def test_an_archive_gives_an_equal_library_and_unites_with_another(
    tmp_path_factory: pytest.TempPathFactory, seed: int, other: int
) -> None:
    folder = tmp_path_factory.mktemp("archive")
    library(folder / "a.db", seed)
    library(folder / "b.db", other)
    with closing(open_library(folder / "a.db")) as connection:
        translation = connection.execute("SELECT id FROM translations").fetchone()[0]
        segments = json.dumps([["s\x00", 0, 0, 0, 0]] * 2)
        insert(connection, "segmentations", [{"translation_id": translation, "segments": segments}])
        connection.execute("INSERT INTO app_state VALUES ('lin', 'theme', '\"dark\"')")
    archive_of(folder / "a.db", folder / "a.zip")
    with closing(open_library(folder / "new.db")) as connection:
        report = import_path(connection, folder / "a.zip")
        assert (report.problem, report.unchanged, report.left_out) == ("", 0, 0)
        assert report.rows == report.stored > 0
        again = import_path(connection, folder / "a.zip")
        assert (again.stored, again.unchanged, again.notes) == (0, report.rows, [])
        assert connection.execute("SELECT * FROM app_state").fetchall() == []
    assert said(folder / "new.db") == said(folder / "a.db")
    assert counts(folder / "new.db") == counts(folder / "a.db")
    archive_of(folder / "new.db", folder / "new.zip")
    with closing(open_library(folder / "merged.db")) as connection:
        merge_file(connection, folder / "b.db")
        merge_file(connection, folder / "a.db")
    with closing(open_library(folder / "b.db")) as connection:
        assert import_path(connection, folder / "a.zip").problem == ""
    assert said(folder / "b.db") == said(folder / "merged.db")


def test_the_manifest_says_what_is_in_it(discox: Command, sample: Path, tmp_path: Path) -> None:
    result = discox("export", "archive", tmp_path / "a.zip", "--db", sample)
    assert result.code == 0
    assert "12 evaluations" in result.err
    with zipfile.ZipFile(tmp_path / "a.zip") as packed:
        manifest = json.loads(packed.read("manifest.json"))
        assert (manifest["format"], manifest["schema"]) == ("discox-archive", schema.VERSION)
        assert manifest["program"].startswith("discox ")
        tables = manifest["tables"]
        assert sorted(packed.namelist()) == sorted([*(table["file"] for table in tables.values()), "manifest.json"])
        for table in tables.values():
            data = packed.read(table["file"])
            assert (len(data), data.count(b"\n")) == (table["bytes"], table["rows"])
            assert hashlib.sha256(data).hexdigest() == table["sha256"]
    with closing(open_library(sample)) as connection:
        names = {row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert names - tables.keys() == LEFT_OUT
    assert discox("export", "archive", tmp_path / "a.zip", "--db", sample).code == 0, "an earlier archive is replaced"
    assert discox("export", "archive", tmp_path / "b.zip", "lin", "--db", sample).code == 2


@pytest.mark.parametrize("version", [1, 2, 3])
def test_an_archive_of_an_earlier_version_is_brought_up_to_date(version: int, discox: Command, tmp_path: Path) -> None:
    made_by(version, tmp_path / "old.db")
    with closing(sqlite3.connect(tmp_path / "old.db", isolation_level=None)) as old:
        old.execute("INSERT INTO articles VALUES ('a', 'news-1', 'zh-en', '', '', '河', '', '')")
        old.execute(
            "INSERT INTO events VALUES ('e', '2026-01-01T00:00:00.000000Z', 'lin', 'opened', 'x', NULL, '{}', NULL)"
        )
        write(old, tmp_path / "old.zip", Selection())
    result = discox("import", tmp_path / "old.zip", "--db", tmp_path / "new.db")
    assert (result.code, result.err) == (0, "")
    with closing(sqlite3.connect(tmp_path / "new.db")) as new:
        assert new.execute("SELECT key FROM articles").fetchall() == [("news-1",)]
        assert new.execute("SELECT reviewer, guideline FROM events").fetchall() == [("lin", "")]


def changed(change: Callable[[dict[str, Any]], object]) -> Callable[[Members], object]:
    """A change of the manifest."""

    def apply(members: Members) -> None:
        manifest = json.loads(members["manifest.json"])
        change(manifest)
        members["manifest.json"] = json.dumps(manifest).encode()

    return apply


def forged(table: str, old: str, new: str) -> Callable[[Members], object]:
    """A change of a table that the manifest agrees with."""

    def apply(members: Members) -> None:
        file = f"tables/{table}.jsonl"
        members[file] = members[file].replace(old.encode(), new.encode())
        manifest = json.loads(members["manifest.json"])
        manifest["tables"][table] |= {
            "bytes": len(members[file]),
            "sha256": hashlib.sha256(members[file]).hexdigest(),
        }
        members["manifest.json"] = json.dumps(manifest).encode()

    return apply


def dropped(*tables: str) -> Callable[[Members], object]:
    """Tables that neither the files nor the manifest have any more."""

    def apply(members: Members) -> None:
        for table in tables:
            del members[f"tables/{table}.jsonl"]
        changed(lambda manifest: [manifest["tables"].pop(table) for table in tables])(members)

    return apply


def twice(members: Members) -> None:
    """An event that stands twice, as the manifest says."""
    first = members[EVENTS].split(b"\n", 1)[0].decode()
    forged("events", first, f"{first}\n{first}")(members)
    changed(lambda m: m["tables"]["events"].update(rows=m["tables"]["events"]["rows"] + 1))(members)


EVENTS, FINDINGS = "tables/events.jsonl", "tables/findings.jsonl"
BAD: dict[str, tuple[Callable[[Members], object], str]] = {
    "a byte changed": (lambda m: m.update({EVENTS: m[EVENTS].replace(b"lin", b"lim")}), EVENTS),
    "a row gone": (lambda m: m.update({EVENTS: m[EVENTS].split(b"\n", 1)[1]}), EVENTS),
    "a table gone": (lambda m: m.pop(FINDINGS), FINDINGS),
    "a file more": (lambda m: m.update({"tables/more.jsonl": b"{}\n"}), "tables/more.jsonl"),
    "no manifest": (lambda m: m.pop("manifest.json"), "manifest.json"),
    "a broken manifest": (lambda m: m.update({"manifest.json": b"{"}), "manifest.json"),
    "a deep manifest": (lambda m: m.update({"manifest.json": b"[" * 99_999}), "manifest.json"),
    "a manifest that is a list": (lambda m: m.update({"manifest.json": b"[]"}), "manifest.json"),
    "another format": (changed(lambda m: m.update(format="other")), "manifest.json"),
    "a newer version": (changed(lambda m: m.update(schema=999)), "upgrade"),
    "no version": (changed(lambda m: m.update(schema=0)), "manifest.json"),
    "no columns": (changed(lambda m: m["tables"]["events"].pop("columns")), "manifest.json"),
    "no tables": (changed(lambda m: m.update(tables=[])), "manifest.json"),
    "tables that are none": (changed(lambda m: m["tables"].update(events=[])), "manifest.json"),
    "columns that are none": (changed(lambda m: m["tables"]["events"]["columns"].append(1)), EVENTS),
    "a version that is none": (changed(lambda m: m.update(version=[1])), "manifest.json"),
    "tables dropped": (dropped("events", "segmentations", "scores"), "no table events, scores, segmentations"),
    "a digit changed": (lambda m: m.update({EVENTS: m[EVENTS].replace(b"{", b"[", 1)}), "hash"),
    "a row twice": (twice, EVENTS),
    "another table": (changed(lambda m: m["tables"].update(app_state=m["tables"]["events"])), EVENTS),
    "a table of SQLite": (changed(lambda m: m["tables"].update(sqlite_master=m["tables"]["events"])), EVENTS),
    "other columns": (changed(lambda m: m["tables"]["events"]["columns"].append('x" --')), EVENTS),
    "no JSON": (forged("events", '{"id"', '"id"'), EVENTS),
    "a list for a value": (forged("events", '"reviewer":"lin"', '"reviewer":[1]'), EVENTS),
    "nothing where something must be": (forged("events", '"reviewer":"lin"', '"reviewer":null'), EVENTS),
    "another key": (forged("events", '"reviewer"', '"reviewed"'), EVENTS),
    "a reference to nothing": (forged("findings", '"evaluation_id":"', '"evaluation_id":"x'), FINDINGS),
    "a path out of it": (lambda m: m.update({"../evil.jsonl": b"{}"}), "../evil.jsonl"),
    "an absolute path": (lambda m: m.update({"/etc/evil": b"{}"}), "/etc/evil"),
    "a path of Windows": (lambda m: m.update({"..\\evil": b"{}"}), "evil"),
    "a bomb": (lambda m: m.update({EVENTS: b"\n" * (65 << 20)}), EVENTS),
}


def test_what_waits_for_its_evaluation_is_said(discox: Command, sample: Path, tmp_path: Path) -> None:
    with closing(open_library(sample)) as connection:
        event = {"id": "e", "at": "2026-01-01T00:00:00.000000Z", "reviewer": "lin", "kind": "opened"}
        insert(connection, "events", [{**event, "evaluation_id": "x" * 64, "changes": "{}", "guideline": ""}])
    archive_of(sample, tmp_path / "a.zip")
    for _ in range(2):
        result = discox("import", tmp_path / "a.zip", "--db", tmp_path / "new.db")
        assert result.code == 0
        assert "not here yet: 1; what was said waits" in result.out


@pytest.mark.parametrize("changes", ["", "[1]", "{", '{"missed": "maybe"}'])
def test_an_event_that_nothing_can_be_made_of_is_left_out_by_name(
    changes: str, discox: Command, sample: Path, tmp_path: Path
) -> None:
    archive_of(sample, tmp_path / "good.zip")
    with zipfile.ZipFile(tmp_path / "good.zip") as packed:
        members = {member: packed.read(member) for member in packed.namelist()}
    forged("events", r'"changes":"{\"missed\": true}"', f'"changes":{json.dumps(changes)}')(members)
    spoilt = [row["id"] for line in members[EVENTS].splitlines() if (row := json.loads(line))["changes"] == changes]
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as packed:
        for member, data in members.items():
            packed.writestr(member, data)
    report = discox("import", tmp_path / "bad.zip", "--json", "--db", tmp_path / "new.db")
    assert report.code == 0
    (file,) = json.loads(report.out)["files"]
    assert file["left_out"] == len(spoilt) > 0
    assert file["rows"] == file["stored"] + file["unchanged"] + file["left_out"]
    assert all(any(f"events {each}: " in note["message"] for note in file["notes"]) for each in spoilt)
    ids = {row[0] for row in dump(sample)["events"]}
    assert {row[0] for row in dump(tmp_path / "new.db")["events"]} == ids - set(spoilt)


@by_day(10)
@pytest.mark.parametrize("name", BAD)
def test_nothing_of_a_bad_archive_is_stored(name: str, discox: Command, sample: Path, tmp_path: Path) -> None:
    change, named = BAD[name]
    archive_of(sample, tmp_path / "good.zip")
    with zipfile.ZipFile(tmp_path / "good.zip") as packed:
        members = {member: packed.read(member) for member in packed.namelist()}
    change(members)
    bad = tmp_path / "bad.zip"
    with zipfile.ZipFile(bad, "w", zipfile.ZIP_DEFLATED) as packed:
        for member, data in members.items():
            packed.writestr(member, data)
    open_library(tmp_path / "b.db").close()
    before = dump(tmp_path / "b.db")
    result = discox("import", bad, "--db", tmp_path / "b.db")
    assert (result.code, result.out) == (1, "")
    assert len(result.err.strip().splitlines()) == 1, result.err
    assert str(bad) in result.err
    assert named in result.err
    assert not re.search("Traceback|Error|object|attribute|Expecting|failed", result.err), (
        "no words of Python or SQLite"
    )
    assert dump(tmp_path / "b.db") == before
    assert not list(tmp_path.parent.rglob("*evil*"))


def test_an_archive_in_a_folder_is_passed_over(discox: Command, sample: Path, tmp_path: Path) -> None:
    (tmp_path / "results").mkdir()
    archive_of(sample, tmp_path / "results" / "backup.zip")
    result = discox("import", tmp_path / "results", "--db", tmp_path / "new.db")
    assert result.code == 1
    assert "passed over: " in result.err
    assert "is an archive of a whole library; name it" in result.err
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "cut.zip").write_bytes((tmp_path / "results" / "backup.zip").read_bytes()[:3000])
    result = discox("import", tmp_path / "broken", "--db", tmp_path / "new.db")
    assert "cut.zip: is no whole zip file" in result.err
    assert discox("import", tmp_path / "results" / "backup.zip", "--db", tmp_path / "new.db").code == 0


def test_damaged_zip_files_are_named(discox: Command, sample: Path, tmp_path: Path) -> None:
    whole = archive_of(sample, tmp_path / "good.zip").read_bytes()
    twice = tmp_path / "twice.zip"
    with zipfile.ZipFile(twice, "w") as packed:
        packed.writestr("manifest.json", "{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            packed.writestr("manifest.json", "{}")
    files = {
        "cut": whole[: len(whole) // 2],
        "damaged": whole[:9000] + bytes(64) + whole[9064:],
        "twice": twice.read_bytes(),
        "empty": b"PK\x05\x06" + bytes(18),
        "encrypted": whole.replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00"),
    }
    for name, content in files.items():
        path = tmp_path / f"{name}.zip"
        path.write_bytes(content)
        result = discox("import", path, "--db", tmp_path / "n.db")
        assert (result.code, result.out) == (1, ""), name
        assert str(path) in result.err, name
        assert "; " in result.err, "how to mend it is said"


def test_a_run_of_ones_own_comes_back(tmp_path: Path) -> None:
    with closing(open_library(tmp_path / "a.db")) as connection:
        builders.a_run(connection)
    archive_of(tmp_path / "a.db", tmp_path / "a.zip")
    with closing(open_library(tmp_path / "b.db")) as connection:
        import_path(connection, tmp_path / "a.zip")
    assert said(tmp_path / "a.db") == said(tmp_path / "b.db")
    assert counts(tmp_path / "a.db") == counts(tmp_path / "b.db")


@given(place=st.floats(0, 1, exclude_max=True), byte=st.integers(0, 255), cut=st.booleans())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_one_wrong_byte_is_noticed_or_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, sample: Path, place: float, byte: int, cut: bool
) -> None:
    folder = tmp_path_factory.mktemp("byte")
    data = bytearray(archive_of(sample, folder / "a.zip").read_bytes())
    at = int(place * len(data))
    data[at:] = bytes([byte]) + (b"" if cut else data[at + 1 :])
    (folder / "a.zip").write_bytes(data)
    with closing(open_library(folder / "b.db")) as connection:
        report = import_path(connection, folder / "a.zip")
        stored = connection.execute("SELECT count(*) FROM evaluations").fetchone()[0]
    assert bool(report.problem) == (stored == 0)
    if report.problem:
        assert str(folder / "a.zip") in report.problem
    else:
        assert said(folder / "b.db") == said(sample)
