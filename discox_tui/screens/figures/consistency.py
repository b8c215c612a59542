"""The consistency screen: how far judge and reviewers agree, part by part, over what the filter leaves.

Counts of findings follow every verdict at once, at the cost of the evaluation that it is in. What takes longer (the
bootstrap of pairwise consistency, the long report) is computed behind the screen, which says so meanwhile.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import closing
from time import sleep
from typing import TYPE_CHECKING, ClassVar

from textual import on, work
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.events import Resize
from textual.widget import Widget

from discox_tui.core import actions
from discox_tui.screens.common.base import LOOK_AFTER
from discox_tui.screens.common.filtered import FilteredScreen
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.screens.figures import consistency_parts as parts
from discox_tui.text.runs import Run, Runs
from discox_tui.text.safe import safe
from discox_tui.widgets.bars import Bar, TabBar, TextBlock
from discox_tui.widgets.virtual_table import Cell, VirtualTable
from judges.consistency.error_slices import SliceOutcome, Tallies
from judges.meta_eval.pair_counts import RULES
from judges.metric_s.scoring import METRIC_S
from storage.analysis.error_slices import latest_act, read_tallies, touched_since
from storage.base.errors import StorageError
from storage.db.connection import data_version, open_beside

if TYPE_CHECKING:
    from discox_tui.widgets.scatter import Scatter
    from judges.meta_eval.pairwise import Points
    from storage.analysis.metric_scores import ScoreReader
    from storage.analysis.pairwise import Pairwise

SECTIONS = (
    ("1", "headline", "show_headline"),
    ("2", "weak spots", "show_weak_spots"),
    ("3", "heat maps", "show_heat_maps"),
    ("4", "scatter", "show_scatter"),
    ("5", "figures", "show_figures"),
    ("6", "validity", "show_validity"),
)
HEADLINE, SPOTS, MAPS, SCATTER, FIGURES, VALIDITY = range(len(SECTIONS))
COUNTING: list[Runs] = [[("Counting…", "faint")]]
TYPING = 0.15
"""Seconds within which the next letter of a filter is likely to come, so that no work is begun for each."""


class ConsistencyScreen(FilteredScreen):
    """The figures in six parts; numpy and the plot's library are loaded only where they are used."""

    NAME = "consistency"
    BINDINGS: ClassVar[list[BindingType]] = actions.bindings(NAME)
    DEFAULT_CSS = style_sheet(__file__, "ConsistencyScreen")

    HINT = "words that article, system, direction, domain, judge or reviewer contain"

    def __init__(self) -> None:
        super().__init__()
        self._section = HEADLINE
        self._rule = 0
        self._metric = 0
        self._asked = 0
        self._updating = False
        self._outdated = self._report_outdated = True
        self._at = -1
        self._version = -1
        self._tallies: Tallies | None = None
        self._pairwise: Pairwise | None = None
        self._points: dict[str, dict[str, Points]] = {}
        self._report: list[Runs] | None = None
        self._validity: list[Runs] | None = None
        self._people: list[Runs] = []

    def content(self) -> ComposeResult:
        """A title, the parts' names, and what a part needs; the plot is made when it is first asked for."""
        yield Bar(id="title")
        yield TabBar(SECTIONS, id="sections")
        yield TextBlock(id="figures")
        yield VirtualTable[SliceOutcome]((), self._cells, key=lambda found: found.spot, id="spots")
        yield TextBlock(id="about")

    @property
    def table(self) -> VirtualTable[SliceOutcome]:
        """The weak spots."""
        return self.query_one("#spots", VirtualTable)

    def on_mount(self) -> None:
        """Compute over everything."""
        self.query_one("#about", TextBlock).can_focus = False
        self.set_focus(self.body())
        self.filtered()
        self.set_interval(LOOK_AFTER, self._look_elsewhere)

    def on_resize(self, event: Resize) -> None:
        """More or less fits."""
        super().on_resize(event)
        self._show()

    def body(self) -> Widget:
        """Return the widget of the part that is shown."""
        if self._section == SCATTER and (plots := self.query("#plot")):
            return plots.first()
        return self.table if self._section == SPOTS else self.query_one("#figures")

    # --- computing ---

    def filtered(self) -> None:
        """Compute everything anew, over what the words leave."""
        self._tallies = self._pairwise = self._report = self._validity = None
        self._points, self._people = {}, []
        self._begin()

    def _begin(self) -> None:
        """Read everything again; what is shown stays until then."""
        self._outdated = self._report_outdated = True
        self._at = latest_act(self.app.session.connection, self.app.session.reviewer)
        with self.app.looking():
            self._version = data_version(self.app.session.connection)
        self._ask()

    def _look_elsewhere(self) -> None:
        """Begin anew if another program has written to the file, but let what was begun come to its end."""
        with self.app.looking():
            version = data_version(self.app.session.connection) if self.is_active else self._version
            if version != self._version and not self._updating:
                self._begin()

    def on_screen_resume(self) -> None:
        """Count what was decided meanwhile: the evaluations that were touched, and the rest behind the screen."""
        with self.app.safely():
            session = self.app.session
            before, self._at = self._at, latest_act(session.connection, session.reviewer)
            if self._at == before or not self.is_mounted:
                return
            touched = touched_since(session.connection, session.reviewer, before)
            if self._tallies is not None:
                now = {tally.evaluation: tally for tally in read_tallies(session.connection, self.words, touched)}
                for evaluation in touched:
                    self._tallies.put(evaluation, now.get(evaluation))
            self._report_outdated = True
            self._ask()

    def _ask(self) -> None:
        """Compute behind the screen what is not up to date; whatever is being computed is out of date."""
        self._asked += 1
        self._updating = True
        self._show()
        self._compute(self._asked, self.words, self._outdated, self._section == FIGURES)

    @work(thread=True, exclusive=True, group="figures")
    def _compute(self, asked: int, words: str, count: bool, long: bool) -> None:
        from discox_tui.reports.consistency.acceptance import validity_section
        from discox_tui.reports.consistency.annotators import people_section
        from discox_tui.reports.consistency.sections import review_sections
        from discox_tui.reports.consistency.stand_in import stand_in_section
        from discox_tui.reports.pairwise.sections import pairwise_sections
        from discox_tui.reports.pairwise.words import metrics_of
        from discox_tui.reports.render.text import as_text
        from judges.meta_eval.pairwise import points
        from storage.analysis.acceptance import assess
        from storage.analysis.metric_scores import ScoreReader
        from storage.analysis.pairwise import compute_pairwise
        from storage.analysis.review_data import read_reviewed, reviewer_among
        from storage.analysis.stand_in import stand_in_report
        from storage.exports import mqm_scores

        def wanted() -> bool:
            return asked == self._asked and self.is_attached

        if words:
            sleep(TYPING)
        if not wanted():
            return
        try:
            with closing(open_beside(self.app.session.connection)) as connection:
                if count:
                    tallies = Tallies(read_tallies(connection, words))
                    self.app.call_from_thread(self._take, asked, tallies=tallies)
                if wanted():
                    reviewer, others = reviewer_among(connection, words)
                    reader = ScoreReader(connection, others, reviewer)
                    found = compute_pairwise(reader.table())
                    every = points(found.table.rows)
                    plotted = {metric: every[metric] for metric in metrics_of(found) if metric in every}
                    scores = mqm_scores.people_scores(connection, others, reviewer)
                    people = _styled(as_text([people_section(scores)]).rstrip("\n")) if scores else []
                    self.app.call_from_thread(self._take, asked, pairwise=found, plotted=plotted, people=people)
                if wanted():
                    validity = as_text([validity_section(assess(connection, others, reviewer))])
                    self.app.call_from_thread(self._take, asked, validity=_styled(validity))
                report: list[Runs] | None = None
                if long and wanted():
                    text = as_text(pairwise_sections(found)), _more(found, connection, others, reader)
                    reviewed = read_reviewed(connection, words=words)
                    of_reviews = as_text(review_sections(reviewed.report()))
                    stand_in = stand_in_report(connection, reader.table, reviewed.findings, reviewed.markings)
                    beside = as_text([stand_in_section(stand_in)])
                    report = _styled("\n".join((of_reviews, *text, beside, validity)))
                self.app.call_from_thread(self._take, asked, report=report, last=True)
        except (sqlite3.Error, StorageError) as error:
            self.app.call_from_thread(self._fail, asked, error)

    def _take(
        self,
        asked: int,
        *,
        tallies: Tallies | None = None,
        pairwise: Pairwise | None = None,
        plotted: dict[str, dict[str, Points]] | None = None,
        people: list[Runs] | None = None,
        validity: list[Runs] | None = None,
        report: list[Runs] | None = None,
        last: bool = False,
    ) -> None:
        """Show what was computed, unless something else was asked for since."""
        if asked != self._asked or not self.is_attached:
            return
        if tallies is not None:
            self._tallies, self._outdated = tallies, False
        self._pairwise = pairwise or self._pairwise
        self._points = self._points if plotted is None else plotted
        self._people = self._people if people is None else people
        self._validity = validity or self._validity
        if report is not None:
            self._report, self._report_outdated = report, False
        self._updating = not last
        self._show()
        if last and self._section == FIGURES and self._report_outdated:
            self._ask()

    def _fail(self, asked: int, error: Exception) -> None:
        if asked == self._asked and self.is_attached:
            self._updating = False
            self._describe()
            self.app.refuse(error)

    # --- showing ---

    def _show_section(self, section: int) -> None:
        self._section = section
        if section == SCATTER and not self.query("#plot"):
            from discox_tui.widgets.scatter import Scatter

            self.mount(Scatter(parts.SIGNS, id="plot"), after="#spots")
        self._show()
        self.set_focus(self.body())
        self.refresh_bindings()
        if section == FIGURES and self._report_outdated and not self._updating:
            self._ask()

    def _show(self) -> None:
        if not self.is_attached or not self.query("#about"):
            return
        self._describe()
        nothing = self._nothing()
        of_table, of_plot = self._section == SPOTS and not nothing, self._section == SCATTER and not nothing
        self.query_one("#figures").display = not of_table and not of_plot
        self.table.display = self.query_one("#about").display = of_table
        for plot in self.query("#plot"):
            plot.display = of_plot
        if of_table:
            self._show_spots()
        elif of_plot:
            self._show_plot()
        else:
            self.query_one("#figures", TextBlock).show(nothing or list(self._text()))

    def _describe(self) -> None:
        left = [("discox", "title"), ("  consistency", "")]
        if self.words:
            left.append((f"  with “{self.words}”", "faint"))
        right = "updating…" if self._updating else "" if self.words else "all reviewers"
        aside = self._aside()
        self.query_one("#title", Bar).show((left, [*aside, (right, "current" if self._updating else "faint")]))
        self.query_one("#sections", TabBar).mark(self._section)

    def _aside(self) -> list[Run]:
        """Return the title's words about the part that is shown."""
        if self._section == HEADLINE:
            return [("ties: ", "faint"), (f"{RULES[self._rule]}   ", "")]
        if self._section == SCATTER and self._points:
            signs = parts.signs_of(self._points[self._plotted])
            more = f"metric {self._metric % len(self._points) + 1} of {len(self._points)}   "
            return [*signs, (more if len(self._points) > 1 else "", "faint")]
        return []

    @property
    def _plotted(self) -> str:
        return list(self._points)[self._metric % len(self._points)]

    def _nothing(self) -> list[Runs]:
        """Return the sentence for a part that has nothing to show, or not yet; else nothing."""
        tallies, found = self._tallies, self._pairwise
        reviewed = tallies is not None and len(tallies)
        none = self._people or parts.kindly(parts.NOTHING_FOUND if self.words else parts.NOTHING_REVIEWED)
        if tallies is None:
            return COUNTING
        if self._section in (SPOTS, MAPS):
            return [] if tallies.counts.right + tallies.counts.wrong else none
        if self._section == FIGURES:
            if not reviewed and (found is None or not (found.people.pairs or found.rated)):
                return none
            return [] if self._report is not None else COUNTING
        if self._section == VALIDITY:
            return [] if self._validity else COUNTING
        if found is None:
            return COUNTING
        if self._section == SCATTER:
            return [] if self._points else parts.kindly(parts.NO_SCORES) if reviewed else none
        return [] if reviewed or self._people or found.people.pairs or found.rated else none

    def _text(self) -> list[Runs]:
        width = self.size.width - 3
        if self._section == HEADLINE and self._pairwise and self._people and not self._pairwise.rated:
            return [*self._people, *parts.among_people(self._pairwise, RULES[self._rule])]
        if self._section == HEADLINE and self._pairwise and self._tallies is not None:
            return list(parts.headline(self._pairwise, RULES[self._rule], self._tallies.counts, width))
        if self._section == MAPS and self._tallies is not None:
            return parts.maps(self._tallies, width)
        return (self._validity if self._section == VALIDITY else [*self._people, *(self._report or ())]) or []

    def _show_spots(self) -> None:
        assert self._tallies is not None
        self.table.set_columns(parts.spot_columns(self.size.width))
        self.table.set_rows(self._tallies.weak_spots())
        self.query_one("#about", TextBlock).show([[(parts.SPOTS, "faint")]])

    def _cells(self, found: SliceOutcome) -> Sequence[Cell]:
        return parts.spot_cells(found)[: len(self.table.columns)]

    def _show_plot(self) -> None:
        from judges.meta_eval.pairwise import equal_limits

        plot: Scatter = self.query_one("#plot")  # type: ignore[assignment]
        groups = self._points[self._plotted]
        plot.draw(groups, (safe(self._plotted), "humans"), equal_limits(groups, sum(METRIC_S.maxima.values())))

    # --- what keys do ---

    def action_next_section(self) -> None:
        """Show the next part."""
        self._show_section((self._section + 1) % len(SECTIONS))

    def action_previous_section(self) -> None:
        """Show the part before."""
        self._show_section((self._section - 1) % len(SECTIONS))

    def action_show_headline(self) -> None:
        """Show the mean of the four cells."""
        self._show_section(HEADLINE)

    def action_show_weak_spots(self) -> None:
        """Show where the judge is weak."""
        self._show_section(SPOTS)

    def action_show_heat_maps(self) -> None:
        """Show attribution and severity."""
        self._show_section(MAPS)

    def action_show_scatter(self) -> None:
        """Show metric against humans."""
        self._show_section(SCATTER)

    def action_show_figures(self) -> None:
        """Show everything."""
        self._show_section(FIGURES)

    def action_show_validity(self) -> None:
        """Show how well one can tell which findings stand."""
        self._show_section(VALIDITY)

    def action_next_rule(self) -> None:
        """Count ties by the next rule."""
        self._rule = (self._rule + 1) % len(RULES)
        self._show()

    def action_next_metric(self) -> None:
        """Plot the next metric."""
        if len(self._points) < 2:
            self.app.say("There is one metric only.")
            return
        self._metric = (self._metric + 1) % len(self._points)
        self._show()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Some keys are of one part only."""
        of_one = {"next_rule": HEADLINE, "next_metric": SCATTER}
        return of_one.get(action, self._section) == self._section

    @on(VirtualTable.Selected)
    def _open_spot(self) -> None:
        from discox_tui.screens.figures.error_slice import WeakSpotScreen

        if (found := self.table.current) is not None:
            self.app.push_screen(WeakSpotScreen(found.spot, self.words))


def _more(found: Pairwise, connection: sqlite3.Connection, words: str, reader: ScoreReader) -> str:
    """Raters and segments as far as there are any; with metrics beside people, these in order, pairwise figures by
    every group there is, and every two metrics and systems compared where they are few.
    """
    from discox_tui.reports.pairwise.sections import further_sections
    from discox_tui.reports.render.text import as_text
    from storage.analysis.pairwise import CUTS, compare_each, grouped, ranked_if_few, with_segments, with_severity
    from storage.exports.mqm_scores import judges_by_segment

    whole = with_segments(with_severity(found), lambda: judges_by_segment(connection, words))
    if not found.report.raters or not found.report.cells:
        return as_text(further_sections(whole))
    more = (ranked_if_few(whole), *(grouped(found, cut, reader.table) for cut in CUTS), *compare_each(found))
    return as_text(section for each in more for section in further_sections(each))


def _styled(text: str) -> list[Runs]:
    return [[(line, _style(line))] for line in text.split("\n")]


def _style(line: str) -> str:
    """Headings stand out, definitions stand back."""
    return "title" if line.isupper() else "faint" if line.startswith("    ") else ""
