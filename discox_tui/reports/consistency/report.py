"""Consistency report: all figures, what they leave out, who scored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from discox_tui.reports.consistency.acceptance import validity_section
from discox_tui.reports.consistency.annotators import people_section
from discox_tui.reports.consistency.sections import review_sections
from discox_tui.reports.consistency.stand_in import stand_in_section
from discox_tui.reports.pairwise.sections import all_signatures, pairwise_sections
from discox_tui.reports.pairwise.words import warnings_of
from discox_tui.reports.render.layout import intervals_in_words
from discox_tui.reports.render.model import Report, Section, Table, Value

if TYPE_CHECKING:
    from judges.consistency.report import ConsistencyReport
    from judges.ranking.acceptance_model import ModelAssessment
    from storage.analysis.pairwise import Pairwise
    from storage.analysis.stand_in import StandInReport
    from storage.exports.mqm_scores import SystemScore
    from storage.importing.import_report import FileReport


def consistency_report(
    found: Pairwise,
    reviews: ConsistencyReport | None,
    facts: Mapping[str, str],
    *,
    files: Sequence[FileReport] = (),
    by: str | None = None,
    beside: bool = False,
    validity: ModelAssessment | None = None,
    people: Sequence[SystemScore] = (),
    stand_in: StandInReport | None = None,
) -> Report:
    """Return the report: pairwise figures, and those of ``reviews`` where there is a library (None: scores alone).

    ``facts``: how it was made, by name. ``files``: what became of the tables of scores, where there is no library.
    ``by``: only this table of findings by group. ``beside``: with the published figures. ``validity``: how well one can
    tell which findings stand. ``people``: their scores, where there is no judge. ``stand_in``: whether a judge can
    stand in for a person.
    """
    intervals = intervals_in_words(found.report.resamples, found.report.seed)
    sections = [*pairwise_sections(found, f"Intervals: {intervals}", by=by, beside=beside)]
    people_alone = [people_section(people)] if people else []
    sections += [replace(each, on="page") for each in people_alone]
    if reviews is not None:
        basis = f"Intervals: {intervals_in_words(reviews.resamples, reviews.seed)}"
        sections += review_sections(reviews, by, basis, [replace(each, on="terminal") for each in people_alone])
    if stand_in is not None:
        sections.append(stand_in_section(stand_in))
    if validity is not None:
        drawn = intervals_in_words(validity.resamples, validity.seed)
        sections.append(validity_section(validity, f"Intervals: {drawn}"))
    sections += [
        _left_out(found, reviews, files),
        _signatures(all_signatures(found), reviews.signatures if reviews else {}),
    ]
    return Report("Consistency with humans", {**facts, "Intervals": intervals}, sections, warnings_of(found))


def _left_out(found: Pairwise, report: ConsistencyReport | None, files: Sequence[FileReport]) -> Section:
    tables = []
    if files:
        counts = [(file.file.name, file.rows, file.stored, file.unchanged, file.left_out) for file in files]
        tables.append(Table("Rows of the tables of scores", ("file", "rows", "used", "repeated", "left out"), counts))
    for file in files:
        if reasons := file.reasons():
            rows = [(file.line_of(reason).strip(), len(reason.things)) for reason in reasons]
            tables.append(Table(f"Left out or flagged: {file.file.name}", ("reason", "rows"), rows))
    if found.table.left_out:
        tables.append(Table("Scores left out", ("reason", "scores"), list(found.table.left_out.items())))
    if report is not None:
        tables.append(
            Table("Evaluations left out of all figures of findings", ("reason", "evaluations"), _rows(report.left_out))
        )
        if report.unfinished:
            tables.append(
                Table("Left out of the document figures only", ("reason", "reviews"), _rows(report.unfinished))
            )
        if report.unsearched:
            title = "Searched for missed errors, but left out of recall"
            tables.append(Table(title, ("reason", "reviews"), _rows(report.unsearched)))
    return Section("Left out, and why", tables or ["Nothing."], on="page")


def _rows(reasons: Mapping[str, int]) -> list[Sequence[Value]]:
    return [(reason, n) for reason, n in reasons.items()] or [("nothing", 0)]


def _signatures(of_scores: Sequence[str], of_reviews: Mapping[str, int]) -> Section:
    rows: list[Sequence[Value]] = [
        (said, of_reviews.get(said, "")) for said in dict.fromkeys((*of_scores, *of_reviews))
    ]
    words = "What decided the judge's scores, and of how many reviewed evaluations; of tables, the file."
    return Section("Signatures", [words, Table("Signatures", ("signature", "evaluations"), rows)], on="page")
