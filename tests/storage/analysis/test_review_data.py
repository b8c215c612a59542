"""The rows that the figures of consistency rest on, as they are read out of a library."""

import json
import sqlite3
from collections import Counter
from contextlib import closing

from storage.analysis.review_data import read_reviewed
from storage.integrity.opening import open_library


def test_every_verdict_is_read_once(sample):
    with closing(open_library(sample)) as connection:
        table = read_reviewed(connection).findings
        stored = Counter(
            connection.execute(
                "SELECT reviewer, evaluation, dimension, severity, kept, decision, new_dimension, "
                "new_severity FROM v_verdicts JOIN evaluations e ON e.id = evaluation "
                "WHERE decision IS NOT NULL AND e.state = 'scored'"
            )
        )
    read: Counter[tuple[object, ...]] = Counter()
    for review, kind in zip(table.review, table.kind, strict=True):
        row, finding = table.reviews[review], table.kinds[kind]
        if finding.decision:
            labels = (finding.dimension, finding.severity, finding.kept, finding.decision)
            read[row.reviewer, row.evaluation, *labels, finding.human_dimension, finding.human_severity] += 1
    assert sum(read.values()) > 100
    assert read == stored


def test_who_reviewed_the_same_finding_shares_its_number(sample):
    with closing(open_library(sample)) as connection:
        table = read_reviewed(connection).findings
        alone = read_reviewed(connection, "lin").findings
    who: dict[int, set[str]] = {}
    for review, finding in zip(table.review, table.finding, strict=True):
        who.setdefault(finding, set()).add(table.reviews[review].reviewer)
    assert set(map(frozenset, who.values())) >= {frozenset({"lin", "okafor"})}
    assert {row.reviewer for row in alone.reviews} == {"lin"}
    assert {finding for finding, names in who.items() if "lin" in names} == set(alone.finding)


def test_invented_quotes_are_those_that_are_nowhere(sample, discox):
    """Against what ``discox show`` says of every evaluation that was reviewed."""
    with closing(open_library(sample)) as connection:
        reviewed = read_reviewed(connection)
    quoting = invented = 0
    for evaluation in {row.evaluation for row in reviewed.findings.reviews}:
        for finding in json.loads(discox("show", evaluation, "--db", sample, "--json").out)["findings"]:
            unlocated = bool(finding["unlocated_quotes"])
            quoting += unlocated or any(span["role"] == "quote" for span in finding["spans"])
            invented += unlocated
    assert sum(count.quoting for count in reviewed.quotes) == quoting > 0
    assert sum(count.invented for count in reviewed.quotes) == invented > 0
    assert sum(count.marked for count in reviewed.quotes) == sum(count.both for count in reviewed.quotes) == 1


def test_a_judge_that_was_asked_for_quotes_is_taken_at_its_notes(sample):
    with closing(sqlite3.connect(sample)) as connection:
        (identity,) = connection.execute("SELECT evaluation_id FROM reviews WHERE state = 'done' LIMIT 1").fetchone()
        connection.execute("DROP TRIGGER evaluations_no_update")  # as if the judge of this one had been asked to quote
        connection.execute("UPDATE evaluations SET quotes = 2, quotes_verified = 1 WHERE id = ?", (identity,))
        connection.executemany(
            "INSERT INTO findings (id, evaluation_id, number, judge, judge_index, dimension, category_label, "
            "severity_label, hint, explanation, kept, translation_quote, quote_notes) "
            "VALUES (?, ?, ?, 'accuracy', ?, 'accuracy', '', '', '', '', 1, ?, ?)",
            [
                ("x1", identity, 901, 901, "there", "[]"),
                ("x2", identity, 902, 902, "nowhere", '["translation_not_found"]'),
                ("x3", identity, 903, 903, None, "[]"),
            ],
        )
        connection.commit()
    with closing(open_library(sample)) as connection:
        article = connection.execute("SELECT article FROM evaluations WHERE id = ?", (identity,)).fetchone()[0]
        with_quotes = {count.article: count for count in read_reviewed(connection).quotes}[article]
        prose = connection.execute(
            "SELECT count(*) FROM grounded_findings g JOIN evaluations e ON e.id = g.evaluation_id "
            "WHERE e.article = ? AND e.id <> ? AND g.unlocated <> '[]' AND e.id IN (SELECT evaluation_id FROM reviews)",
            (article, identity),
        ).fetchone()[0]
    assert with_quotes.invented == prose + 1
