"""Rows of a candidate's screen: the article, its rubric points, results of checks on its text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

from discox_tui.screens.review import error_marks
from discox_tui.sessions.benchmark import Act, BuildSession
from discox_tui.text.counts import counted
from discox_tui.text.glyphs import DECISION_MARKS, SEVERITY_MARKS
from discox_tui.text.runs import Run, Runs
from discox_tui.widgets.virtual_table import Cell, Column
from judges.benchmark.checks.result import LEVELS
from judges.benchmark.rubric.points import type_name
from storage.benchmark.events import BuildEvent
from storage.benchmark.stages import conditions_words, exemption_words

if TYPE_CHECKING:
    from discox_tui.sessions.benchmark import Checked, Difficulty
    from judges.benchmark.checks.result import Level
    from judges.benchmark.rubric.points import Point
    from judges.benchmark.selection.difficulty_filter import PointOutcome, State
    from judges.benchmark.selection.selection import QuotaState
    from judges.model import PointDecision, RubricVerdict
    from storage.benchmark.candidates import Candidate, Decided, Outcome
    from storage.benchmark.checks import Finding
    from storage.benchmark.stages import Obstacle


Span = tuple[int, int]

FAILED, MET, UNKNOWN = SEVERITY_MARKS["violated"], DECISION_MARKS["agree"], DECISION_MARKS["unsure"]
BLOCKS, WARNS, ALL_RIGHT = SEVERITY_MARKS["critical"], SEVERITY_MARKS["major"], DECISION_MARKS["agree"]
SIGNS: dict[Level, Run] = {
    "blocks": (BLOCKS, "critical"),
    "warns": (WARNS, "major"),
    "remarks": (SEVERITY_MARKS["minor"], "faint"),
}
"""The sign of what a check finds, by how bad it is."""

OUTCOMES: dict[Outcome, Run] = {
    "accepted": ("✓ accepted", "good"),
    "rejected": ("✗ rejected", "critical"),
    "differ": ("⇢ differ", "major"),
    "undecided": ("∙ undecided", "faint"),
}
"""Outcome of the decisions."""
STATES: dict[State, Run] = {
    "stays": ("✓ stays", "good"),
    "easy": ("✗ easy", "faint"),
    "cannot_pass": ("⊘ too few", "major"),
    "waiting": ("∙ waiting", "faint"),
    "judge_failed": ("? judge", "critical"),
    "no_translation": ("⊘ no transl.", "major"),
}
"""Outcome of the filter; ``cannot_pass``: the article has fewer points than the rule asks for. ``no_translation``: a
system's text is none, so that nothing shows whether the article is hard."""
POINT_SAID: dict[PointDecision, str] = {
    "met": f"{MET} met",
    "violated": f"{FAILED} failed",
    "too_strict": f"{DECISION_MARKS['too_strict']} too strict",
}
DECIDED = {"accept": "✓ accept", "reject": "✗ reject", "undecided": "∙ undecided"}
SHOWN = 12
"""Places of one term that are named at the most."""

COLUMNS = (
    Column("number", "#", 3, align="right", priority=9),
    Column("sign", "", 2, priority=8),
    Column("systems", "", 3, priority=5),
    Column("type", "type", 12, priority=4),
    Column("words", "term", 10, flex=2, priority=7),
    Column("renderings", "renderings", 8, flex=2, priority=6),
)
NARROW_COLUMNS = (*COLUMNS[:3], COLUMNS[4])


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the list: the article as a whole, a point, or what a check finds of the text.

    ``index``: of the point. ``found``: what the lint has against the point, or the one finding.
    """

    kind: Literal["article", "point", "finding"]
    index: int = -1
    point: Point | None = None
    found: tuple[Finding, ...] = ()

    @property
    def key(self) -> str:
        """The identity of the row, wherever it stands."""
        return {"article": "article", "point": f"point {self.index}"}.get(self.kind) or f"finding {self.found[0].id}"

    @property
    def open(self) -> tuple[Finding, ...]:
        """True if nobody has called it all right."""
        return tuple(one for one in self.found if one.checked_off is None)


def rows_of(now: Candidate, checked: Checked | None) -> list[Row]:
    """The article, its points, then what checks find of its text; what blocks comes first."""
    found = checked.findings if checked else ()
    points = [
        Row("point", index, point, tuple(one for one in found if one.about == "points" and one.number == point.number))
        for index, point in enumerate(now.version.points)
    ]
    of_text = sorted(
        (one for one in found if one.about != "points"), key=lambda one: (not one.blocks, LEVELS.index(one.severity))
    )
    return [Row("article"), *points, *(Row("finding", found=(one,)) for one in of_text)]


def cells(row: Row, systems: Sequence[str], outcome: PointOutcome | None, *, narrow: bool) -> Sequence[Cell]:
    """A row as cells. ``systems``, ``outcome``: who fails the point, where it is under a filter."""
    if row.kind == "article":
        line: list[Cell] = ["", "", "", "", ("the article", "strong"), ""]
    elif row.point is not None:
        point, many = row.point, sum(one.severity != "remarks" for one in row.open)
        lint: Cell = (f"{WARNS}{many if many > 1 else ''}", "major") if many else ""
        renderings = [f"→ {' | '.join(point.expected)}"] if point.expected else []
        renderings += [f"✗ {' | '.join(point.forbidden)}"] if point.forbidden else []
        words = point.term or point.text
        if narrow and renderings:
            words = f"{words} {' '.join(renderings)}"
        line = [str(point.number), lint, systems_cell(systems, outcome), (_type(row), "faint"), words]
        line.append((" ".join(renderings), "faint"))
    else:
        (one,) = row.found
        line = ["", sign(one), "", (one.code.replace("_", " "), "faint"), one.message, ""]
    return [line[i] for i in (0, 1, 2, 4)] if narrow else line


def _type(row: Row) -> str:
    """The type of a row's point; where nobody gave one, the one that its form speaks for, with a question mark."""
    if row.point is not None and row.point.type:
        return type_name(row.point.type)
    proposed = next((one.proposed for one in row.open if one.proposed), None)
    return f"{type_name(proposed)}?" if proposed else ""


def systems_cell(systems: Sequence[str], outcome: PointOutcome | None) -> Cell:
    """A sign for each system: whether it fails the point."""
    if outcome is None:
        return ""
    signs = [FAILED if s in outcome.failed_by else UNKNOWN if s in outcome.unknown_by else MET for s in systems]
    return "".join(signs), "violated" if outcome.failed_by else "good" if outcome.by_none else "faint"


def sign(one: Finding) -> Run:
    """The sign of what a check finds."""
    if one.checked_off:
        return ALL_RIGHT, "faint"
    return SIGNS[one.severity]


def said_of(one: Finding) -> Runs:
    """Return a check's result with its remedy, or why it is all right."""
    mark, style = sign(one)
    if one.checked_off:
        by = f"  all right, says {one.checked_off.person}: {one.checked_off.why}"
        return [(f"{mark} ", style), (one.message, "faint"), (by, "")]
    return [(f"{mark} ", style), (one.message, ""), (f" {one.mend}", "faint")]


def obstacle(one: Obstacle) -> Runs:
    """Return what keeps a candidate from being accepted."""
    return [(f"{BLOCKS} ", "critical"), (one.message, "")]


# --- a row in full ------------------------------------------------------------------------------------------------


def article_detail(
    now: Candidate, checked: Checked | None, difficulty: Difficulty | None, rule: str, hidden: bool, person: str
) -> list[Runs]:
    """All that is known of a candidate but its points: where it is from, how far it is, who decided what.

    ``rule``: the filter that it is under, in words.
    """
    version = now.version
    long = f"{checked.length:,} {checked.unit}" if checked else "…"
    facts = [now.direction.replace("-", "→"), now.domain, now.subdomain, long, counted(len(version.points), "point")]
    paragraphs: list[Runs] = [
        [(now.key, "title"), (f"  {' · '.join(filter(None, facts))}", "")],
        [
            ("from  ", "faint"),
            (now.origin or "not said", ""),
            ("   licence  ", "faint"),
            (now.licence or "not said", ""),
        ],
    ]
    if len(now.versions) > 1:
        note = f": {version.note}" if version.note else ""
        paragraphs.append([("version  ", "faint"), (f"{version.number}, by {version.person}{note}", "")])
    paragraphs += list(_filter_detail(now, difficulty, rule, hidden))
    paragraphs += list(_decisions(now, person))
    return paragraphs


def quota_detail(stands: QuotaState | None) -> Iterator[Runs]:
    """Return the state of the quota that a candidate counts for; nothing where there are none."""
    if stands is not None:
        of = stands.quota
        kind = " · ".join(filter(None, (of.direction.replace("-", "→"), of.domain, of.subdomain)))
        asked = f"{kind or 'any'}  {stands.accepted} of {of.wanted} accepted, {stands.open} open"
        said = asked if of.wanted or kind else "none asks for such a candidate"
        missing: list[Run] = [(f"  {WARNS}{stands.lacking} to be looked for", "major")] if stands.lacking else []
        yield [("quota  ", "faint"), (said, ""), *missing]


def _filter_detail(now: Candidate, difficulty: Difficulty | None, rule: str, hidden: bool) -> Iterator[Runs]:
    if rule:
        yield [("rule  ", "faint"), (rule, "")]
    if hidden:
        if now.was_filtered:
            yield [("filter  ", "faint"), ("what judges said is hidden from you until you reveal it; so is this", "")]
    elif difficulty is not None:
        word, style = STATES[difficulty.outcome.state]
        yield [("filter  ", "faint"), (word, style), (f"  {difficulty.outcome.why}", "")]
        for name in difficulty.outcome.failed:
            said = difficulty.outcome.said_of(name)
            yield [("  ", ""), (name, "strong"), (f"  {said}; {difficulty.outcome.needed} are asked for", "faint")]
    elif now.was_filtered:
        yield [
            ("filter  ", "faint"),
            ("this version is not judged yet: ", "major"),
            ("discox build filter judges it", ""),
        ]


def _decisions(now: Candidate, person: str) -> Iterator[Runs]:
    for name, decided in now.decisions.items():
        yield [(f"{'you' if name == person else name}  ", "faint"), *_decided(decided)]
    for name, first in now.independent.items():
        later = now.decisions.get(name)
        if later is not None and (later.decision, later.reason) != (first.decision, first.reason):
            yield [(f"{name} at first  ", "faint"), *_decided(first)]
    if now.waiting:
        names = ["you" if name == person else name for name in now.waiting]
        yield [("yet to decide  ", "faint"), (", ".join(names), "")]
    if now.overlap and person in now.waiting:
        yield [("what the others decide is shown once all have decided", "faint")]
    for of in now.exemptions:
        if of.step != "accept":
            yield [(f"{of.person}  ", "faint"), (exemption_words(of), "major")]
    if now.settled:
        yield [(f"settled by {now.settled.person}  ", "faint"), *_decided(now.settled)]


def _decided(decided: Decided) -> list[Run]:
    style = {"accept": "good", "reject": "critical"}.get(decided.decision, "faint")
    if decided.without and decided.decision == "accept":
        return [
            (DECIDED["accept"], style),
            (f"  without {conditions_words(decided.without)}: {decided.reason}", "major"),
        ]
    return [(DECIDED[decided.decision], style), (f"  {decided.reason}" if decided.reason else "", "")]


def point_detail(point: Point, source: str, places: Sequence[Span]) -> list[Runs]:
    """A point, its term's places and its renderings."""
    found: list[Runs] = [[(f"{point.number}  ", "title"), (point.text, "")]]
    if point.term:
        where = _paragraphs(source, places)
        found.append(
            [
                (f"{type_name(point.type) if point.type else 'term'}  ", "faint"),
                (f"“{point.term}”", ""),
                (f"  {len(places)}× {where}" if places else "  nowhere in the source", "faint" if places else "major"),
            ]
        )
    elif point.type:
        found.append([(type_name(point.type), "faint")])
    return found


def rendering_detail(point: Point, translation: str | None, renderings: Mapping[str, Sequence[Span]]) -> Iterator[Runs]:
    """Each rendering that a point names, and whether the translation (None: there is none) holds it."""
    for role, words in (("expected", point.expected), ("forbidden", point.forbidden)):
        for each in words:
            runs: list[Run] = [(f"{role}  ", "faint"), (f"“{each}”", "violated" if role == "forbidden" else "")]
            if translation is not None:
                places = renderings.get(each, ())
                good = bool(places) == (role == "expected")
                where = _paragraphs(translation, places)
                runs.append((f"  {len(places)}× {where}" if places else "  not found", "good" if good else "violated"))
            yield runs


def verdict_detail(
    system: str, judged: RubricVerdict | None, owed: str, said: PointDecision | None, note: str | None
) -> Iterator[Runs]:
    """Return the judge's and this person's verdict on a system's translation; ``owed``: why there is none."""
    if judged is None:
        yield [(f"judge of {system}  ", "faint"), (owed, "")]
    else:
        style = "major" if judged.met is None else "good" if judged.met else "violated"
        word = "? unclear" if judged.met is None else POINT_SAID["met" if judged.met else "violated"]
        yield [(f"judge of {system}  ", "faint"), (word, style), (f"  {judged.explanation}", "")]
    if said is not None:
        yield [("you  ", "faint"), (POINT_SAID[said], "current"), (f"  {note}" if note else "", "")]


def tells_apart(outcome: PointOutcome | None) -> Iterator[Runs]:
    """Say that a point tells no systems apart."""
    if outcome is not None and outcome.by_all:
        yield [("every system fails it", "major"), (": it is hard, or asks for what is not so", "faint")]
    elif outcome is not None and outcome.by_none:
        yield [("no system fails it", "major"), (": it tells nobody apart", "faint")]


def _paragraphs(text: str, places: Sequence[Span]) -> str:
    numbers = dict.fromkeys(error_marks.paragraph_at(text, start) for start, _ in places)
    named = [f"¶{number + 1}" for number in numbers if number is not None]
    return " ".join(named[:SHOWN]) + (" …" if len(named) > SHOWN else "")


class Done(NamedTuple):
    """An act undone or redone, in words, and the candidate that it was about ("": none, or many)."""

    key: str
    words: str


def undo(building: BuildSession) -> Done:
    """Take back the latest act."""
    return _done(building, building.undo(), "Undid", "There is nothing left to undo.")


def redo(building: BuildSession) -> Done:
    """Do again what was taken back last."""
    return _done(building, building.redo(), "Did again", "There is nothing to do again.")


def _done(building: BuildSession, act: Act | None, did: str, nothing: str) -> Done:
    if act is None:
        return Done("", nothing)
    key = building.key_of(act)
    return Done(key, f"{did}: {words(act)}{f' ({key})' if key else ''}")


def words(act: Act) -> str:
    """An act in words."""
    if not isinstance(act, BuildEvent):
        return "your word on a rubric point"
    said = act.changes
    match act.kind:
        case "revised":
            return f"another version, {said['note']}" if said.get("note") else "another version"
        case "decided" | "settled":
            verb = {"accept": "accepted", "reject": "rejected"}.get(said["decision"], "undecided")
            return f"settled as {verb}" if act.kind == "settled" else verb
        case "checked_off":
            return f"a finding is all right: {said.get('why', '')}"
        case "assigned":
            return "who is to decide on which"
        case "written":
            return "why a data set was written without a condition"
        case "people":
            return "who is what"
        case "target":
            return "the share that should come in"
        case "filtered":
            return "the filter"
        case kind:
            return f"the {kind}"
