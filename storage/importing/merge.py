"""Uniting libraries: everything that another file holds and this one does not is added; nothing here is changed.

What a thing is called is a hash of what it says, so the same thing is the same in both files, and merging twice, or in
another order, comes to the same. Numbers that only count rows (of imports, runs, batches, calls) are given anew. Where
a name stands for something else in the other file, this file's stays, and the other is kept in ``merge_conflicts``.
Theme and place, which the app remembers for a reviewer, stay where they are.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from storage.base.errors import Fault, StorageError
from storage.base.files import dangling
from storage.benchmark.settings import check_log
from storage.db.connection import Connection, open_database, read_only, room_for_many, transaction
from storage.db.sqlite_errors import explain
from storage.integrity.log_checks import unreadable_of
from storage.integrity.record_checks import drop_faulty, missing_parts
from storage.log.events import LOGS, Log, readable
from storage.reviews.blinding import COUNTED
from storage.reviews.contradictions import Reported, known_contradictions, new_contradictions
from storage.reviews.events import checked_entries
from storage.reviews.projections import derive_all


class Conflict(NamedTuple):
    """A row of the other file that says something else under the same name. ``fields``: in which columns."""

    record: str
    id: str
    fields: tuple[str, ...]


@dataclass(slots=True)
class MergeReport:
    """The result of merging one file: table → new rows; conflicts. ``problem``: why it brought nothing.

    ``whole``: False where what was hidden from whoever asked is left out.
    ``left_out``: rows that nothing can be made of, of its logs and of its record.
    ``contradictions``: what one reviewer did in both that cannot stand together.
    """

    file: Path
    added: dict[str, int] = field(default_factory=dict)
    conflicts: list[Conflict] = field(default_factory=list)
    left_out: list[Fault] = field(default_factory=list)
    contradictions: list[Reported] = field(default_factory=list)
    problem: str = ""
    whole: bool = True

    def leave_out_hidden(self) -> None:
        """Keep what tells nothing of what judges and reviewers say."""
        self.whole = False
        self.left_out = []
        self.added = {table: count for table, count in self.added.items() if table in COUNTED}
        self.conflicts = [conflict for conflict in self.conflicts if conflict.record in COUNTED]


class _Table(NamedTuple):
    """Columns by which rows are known, and those that may differ between two files that say the same."""

    name: str
    key: tuple[str, ...]
    free: tuple[str, ...] = ()


_NAMED = (
    _Table("articles", ("id",)),
    _Table("replaced_articles", ("article_id",), ("by_article_id",)),
    _Table("translations", ("id",)),
    _Table("signatures", ("id",)),
    _Table("texts", ("id",)),
    _Table("requests", ("id",)),
    _Table("plans", ("id",)),
    _Table("assignments", ("plan_id", "layer", "evaluation_id")),
    _Table("packs", ("id",), ("at", "name")),
    _Table("comparisons", ("id",), ("at",)),
    _Table("merge_conflicts", ("record", "id", "content")),
)
"""Tables whose rows name what they refer to by hashes: they are taken as they are."""
_OF_LOGS = tuple(_Table(log, ("id",)) for log in LOGS)
_EVALUATION = _Table("evaluations", ("id",), ("position", "import_id", "line", "run_id"))
_POINTS = _Table("rubric_points", ("article_id", "number"))
_SEGMENTS = _Table("segmentations", ("translation_id",))
_PARTS = (
    _Table("answers", ("evaluation_id",)),
    _Table("findings", ("evaluation_id", "number")),
    _Table("rubric_verdicts", ("evaluation_id", "position")),
    _Table("advice", ("evaluation_id", "position")),
    _Table("proved_evaluations", ("evaluation_id",)),
    _Table("proofs", ("evaluation_id", "number")),
)
"""Tables that belong to an evaluation, and come with it or not at all."""
_NUMBERED = ("imports", "runs")
"""Tables whose rows are known by all that they say but their number."""
_BATCH_STATES = "CASE {}.state WHEN 'collected' THEN 3 WHEN 'lost' THEN 2 WHEN 'submitted' THEN 1 ELSE 0 END"


def merge_file(connection: Connection, path: Path, progress: Callable[[str], None] = lambda what: None) -> MergeReport:
    """Add what another library holds, all of it in one transaction; the other file is only read.

    A library of an earlier version is read through a copy that is brought up to date. ``MergeReport.problem`` says why
    a file could not be read; StorageError is raised only where this library cannot be written.
    """
    report = MergeReport(path)
    try:
        with _copy_of(path, connection.path) as copy:
            report.left_out += _clean(path, copy)
            merge_library(connection, copy, report, progress)
    except _Unreadable as error:
        report.problem = str(error)
    except sqlite3.IntegrityError as error:
        return MergeReport(path, problem=f"{path}: holds rows that contradict each other ({error}); {_BROKEN}")
    except ValueError as error:
        return MergeReport(path, problem=f"{path}: {error}; ask for the file again (nothing was stored)")
    return report


def merge_library(
    connection: sqlite3.Connection,
    library: Path,
    report: MergeReport,
    progress: Callable[[str], None] = lambda what: None,
) -> None:
    """Add what a library file of this version holds that nobody else uses, all of it in one transaction."""
    connection.execute("ATTACH ? AS other", (str(library),))
    try:
        with room_for_many(connection), transaction(connection), checked_entries(connection):
            _merge(connection, report, progress)
    finally:
        connection.execute("DETACH other")


class _Unreadable(StorageError):
    """The other file cannot be read."""


@contextmanager
def _copy_of(path: Path, here: Path) -> Iterator[Path]:
    """A copy of the other library, of this version. Raises _Unreadable."""
    if broken := dangling(path):
        raise _Unreadable(f"{path}: {broken}; mend the link, or name the file itself")
    if path.is_dir():
        raise _Unreadable(f"{path}: is a folder; name the database file in it")
    if not path.exists():
        raise _Unreadable(f"{path}: there is no such file; check the name")
    if not path.stat().st_size:
        raise _Unreadable(f"{path}: is empty; ask for the file again")
    if here.exists() and path.samefile(here):
        raise _Unreadable(f"{path}: is the library itself; name the other ones")
    with tempfile.TemporaryDirectory(prefix="discox-merge-") as folder:
        copy = Path(folder) / "other.db"
        try:
            address = read_only(path)
            with closing(sqlite3.connect(address, uri=True)) as original, closing(sqlite3.connect(copy)) as target:
                original.backup(target)
            open_database(copy).close()
        except sqlite3.Error as error:
            raise _Unreadable(explain(error, path)) from None
        except StorageError as error:
            raise _Unreadable(str(error).replace(str(copy), str(path))) from None
        yield copy


def _clean(path: Path, copy: Path) -> list[Fault]:
    """Take out of the copy of a library what discox cannot have written, but for its logs. Raises _Unreadable."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as connection:
        if lacks := missing_parts(connection):
            raise _Unreadable(f"{path}: {' '.join(lacks[0])}, though it says that it is of this version; {_BROKEN}")
        try:
            return drop_faulty(connection)
        except sqlite3.Error as error:
            raise _Unreadable(explain(error, path)) from None
        except StorageError as error:
            raise _Unreadable(f"{path}: {error}; {_BROKEN}") from None


_BROKEN = "another program has changed it; ask for the file again (nothing was stored)"


def _merge(connection: sqlite3.Connection, report: MergeReport, progress: Callable[[str], None]) -> None:
    add = _Adder(connection, report)
    for name in ("evaluations", "articles"):
        connection.execute(
            f"CREATE TEMP TABLE new_{name} AS SELECT id FROM other.{name} EXCEPT SELECT id FROM main.{name}"
        )
    progress("articles, runs and the log")
    for log in _OF_LOGS:
        add.look_at(log)
    for table in (*_NAMED, *_OF_LOGS):
        add.named(table)
    add.part(_POINTS, "article_id", "new_articles")
    add.compare(_SEGMENTS)
    add.new("segmentations", "translation_id NOT IN (SELECT translation_id FROM main.segmentations)")
    for name in _NUMBERED:
        add.numbered(name)
    add.new("import_reasons", "1", ("import_id",), or_ignore=True)
    _add_batches(connection, add)
    add.rows("calls", ("run_id", "batch_id"))
    progress("evaluations")
    add.new(
        "made_translations", "translation_id NOT IN (SELECT translation_id FROM main.made_translations)", ("run_id",)
    )
    add.new("scores", "1", ("import_id",), or_ignore=True)
    add.compare(_EVALUATION)
    add.new(
        "evaluations", "id IN temp.new_evaluations ORDER BY position", ("import_id", "run_id"), without=("position",)
    )
    for table in _PARTS:
        add.part(table, "evaluation_id", "new_evaluations")
    ungrounded = "(evaluation_id, method) NOT IN (SELECT evaluation_id, method FROM main.groundings)"
    connection.execute(
        f"CREATE TEMP TABLE new_groundings AS SELECT evaluation_id, method FROM other.groundings WHERE {ungrounded}"
    )
    for name in ("groundings", "grounded_findings", "spans"):
        add.new(name, "(evaluation_id, method) IN temp.new_groundings")
    progress("what follows from the log")
    before = known_contradictions(connection)
    if report.added.get("build_events"):
        check_log(connection)
    derive_all(
        connection,
        connection.execute(
            "SELECT DISTINCT evaluation_id, reviewer FROM main.events "
            "WHERE (id IN (SELECT id FROM temp.new_events) OR evaluation_id IN temp.new_evaluations) "
            f"AND {readable('events')}"
        ).fetchall(),
    )
    report.contradictions = new_contradictions(connection, before)
    for name in (
        *("new_events", "new_build_events", "new_evaluations", "new_articles", "new_groundings"),
        *("imports_map", "runs_map", "batches_map"),
    ):
        connection.execute(f"DROP TABLE temp.{name}")


def _add_batches(connection: sqlite3.Connection, add: _Adder) -> None:
    """A batch is known by its token; of two states of it the later one holds, in whichever file."""
    add.new("batches", "token NOT IN (SELECT token FROM main.batches)", ("run_id",), without=("id",))
    connection.execute(
        "CREATE TEMP TABLE batches_map AS SELECT o.id AS theirs, m.id AS ours FROM other.batches o "
        "JOIN main.batches m ON m.token = o.token"
    )
    later = f"{_BATCH_STATES.format('o')} > {_BATCH_STATES.format('batches')}"
    connection.execute(
        "UPDATE main.batches SET (state, remote, reason) = (o.state, o.remote, o.reason) FROM other.batches o "
        f"WHERE o.token = batches.token AND {later}"
    )
    add.new("batch_requests", "1", ("batch_id",), or_ignore=True)


class _Adder:
    """Adds rows of the other file, table by table, and counts them."""

    def __init__(self, connection: sqlite3.Connection, report: MergeReport) -> None:
        self.connection = connection
        self.report = report

    def columns(self, table: str, without: Sequence[str] = ()) -> list[str]:
        """The columns of a table."""
        rows = self.connection.execute("SELECT name FROM pragma_table_info(?)", (table,))
        return [name for (name,) in rows if name not in without]

    def new(
        self,
        table: str,
        where: str,
        mapped: Sequence[str] = (),
        *,
        without: Sequence[str] = (),
        or_ignore: bool = False,
    ) -> None:
        """Add the other file's rows that an SQL condition selects; ``mapped``: columns of numbers given anew."""
        columns = self.columns(table, without)
        values = [_mapped(name) if name in mapped else f'"{name}"' for name in columns]
        verb = "INSERT OR IGNORE" if or_ignore else "INSERT"
        self._count(
            table,
            f"{verb} INTO main.{table} ({_list(columns)}) SELECT {', '.join(values)} FROM other.{table} WHERE {where}",
        )

    def look_at(self, log: _Table) -> None:
        """Leave out the events of a log of which nothing can be made, if this file does not have them just so."""
        differs = " OR ".join(f'm."{name}" IS NOT o."{name}"' for name in self.columns(log.name))
        self.connection.execute(
            f"CREATE TEMP TABLE new_{log.name} AS SELECT o.rowid AS entry, o.id FROM other.{log.name} o "
            f"LEFT JOIN main.{log.name} m ON m.id = o.id WHERE {differs}"
        )
        where = f"rowid IN (SELECT entry FROM temp.new_{log.name})"
        name: Log = "events" if log.name == "events" else "build_events"
        for entry, fault in list(unreadable_of(self.connection, name, where, schemas=("other", "main"))):
            self.report.left_out.append(fault)
            self.connection.execute(f"DELETE FROM temp.new_{log.name} WHERE entry = ?", (entry,))

    def named(self, table: _Table) -> None:
        """Add the rows whose name is not known here; keep what contradicts."""
        looked_at = f"rowid IN (SELECT entry FROM temp.new_{table.name})" if table in _OF_LOGS else "1"
        self.compare(table, looked_at)
        key = _list(table.key)
        self.new(table.name, f"({key}) NOT IN (SELECT {key} FROM main.{table.name}) AND {looked_at}")

    def part(self, table: _Table, whole: str, new: str) -> None:
        """Add the rows that belong to a thing which is new; of one that was here keep what contradicts."""
        self.compare(table, f"{whole} NOT IN temp.{new}", part=True)
        self.new(table.name, f"{whole} IN temp.{new}")

    def numbered(self, table: str) -> None:
        """Add the rows that say what no row here says, and keep which number each of the other file's has here."""
        columns = self.columns(table, ("id",))
        self._count(
            table,
            f"INSERT INTO main.{table} ({_list(columns)}) SELECT {_list(columns)} FROM other.{table} "
            f"EXCEPT SELECT {_list(columns)} FROM main.{table}",
        )
        same = " AND ".join(f'm."{name}" IS o."{name}"' for name in columns)
        self.connection.execute(
            f"CREATE TEMP TABLE {table}_map AS SELECT o.id AS theirs, min(m.id) AS ours FROM other.{table} o "
            f"JOIN main.{table} m ON {same} GROUP BY o.id"
        )

    def rows(self, table: str, mapped: Sequence[str]) -> None:
        """Add the rows of a table without names, once each, that are not here yet."""
        columns = self.columns(table, ("id",))
        values = [_mapped(name) if name in mapped else f'"{name}"' for name in columns]
        self._count(
            table,
            f"INSERT INTO main.{table} ({_list(columns)}) SELECT {', '.join(values)} FROM other.{table} "
            f"EXCEPT SELECT {_list(columns)} FROM main.{table}",
        )

    def compare(self, table: _Table, where: str = "1", *, part: bool = False) -> None:
        """Keep the other file's rows that differ from this file's of the same name.

        ``part``: of what is here already, so that a row which this file does not have contradicts it too.
        """
        name = table.name
        compared = self.columns(name, (*table.key, *table.free))
        if not compared:
            return
        differs = [f'o."{column}" IS NOT m."{column}"' for column in compared]
        joined = " AND ".join(f'm."{column}" = o."{column}"' for column in table.key)
        whole = ", ".join(f"'{column}', o.\"{column}\"" for column in self.columns(name, table.free))
        identity = " || ':' || ".join(f'o."{column}"' for column in table.key)
        kind = "LEFT JOIN" if part else "JOIN"
        missing = f' OR m."{table.key[0]}" IS NULL' if part else ""
        rows = self.connection.execute(
            f"SELECT {identity}, json_object({whole}), {', '.join(differs)} "
            f"FROM (SELECT * FROM other.{name} WHERE {where}) o {kind} main.{name} m ON {joined} "
            f"WHERE {' OR '.join(differs)}{missing}"
        ).fetchall()
        for key, content, *different in rows:
            fields = tuple(column for column, differ in zip(compared, different, strict=True) if differ)
            self.connection.execute("INSERT OR IGNORE INTO main.merge_conflicts VALUES (?, ?, ?)", (name, key, content))
            self.report.conflicts.append(Conflict(name, key, fields))

    def _count(self, table: str, statement: str) -> None:
        added = self.connection.execute(statement).rowcount
        if added:
            self.report.added[table] = self.report.added.get(table, 0) + added


def _list(columns: Sequence[str]) -> str:
    return ", ".join(f'"{column}"' for column in columns)


def _mapped(column: str) -> str:
    """The number here of what the other file's number in a column like ``run_id`` stands for."""
    table = {"import_id": "imports", "run_id": "runs", "batch_id": "batches"}[column]
    return f"(SELECT ours FROM temp.{table}_map WHERE theirs = {column})"
