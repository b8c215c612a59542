"""The data sheet of a benchmark: what it holds, how it was made, by whom, in how many hours, and on what terms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import mean, median

from discox_tui.reports.render.layout import domains, intervals_in_words
from discox_tui.reports.render.model import SHARE, Report, Section, Shown, Table, Value
from discox_tui.text.counts import counted
from judges.benchmark.checks.length import UNITS, Unit, characters, tokens, words
from judges.benchmark.rubric.points import POINT_TYPES, type_name
from judges.benchmark.selection.selection import Balance, Experts, Rates
from judges.stats.resampling import RESAMPLES, SEED
from storage.benchmark.candidates import ROLES, Candidate, Stage
from storage.benchmark.difficulty import rule_from_json
from storage.benchmark.settings import Filtered, Person
from storage.benchmark.stages import Obstacle, conditions_words, exemption_words
from storage.exports.dataset import BuiltArticle

_COUNTED: Mapping[Unit, str] = {
    "characters": "Code points, white space and line ends among them.",
    "words": "Runs of letters and digits; in scripts without spaces between words each character is one.",
    "tokens": "An estimate of what large models read, by a rule that needs no model's vocabulary: every 8 letters of a "
    "word, every 3 digits, every run of punctuation one; a character of a script without spaces .75.",
}
_LENGTH = {"characters": characters, "words": words, "tokens": tokens}
_STAGES: Mapping[Stage, str] = {1: "intake and rubric points", 2: "difficulty filter", 3: "selection and revision"}
_SPREAD = ("articles", "mean", "median", "least", "most")
NOT_SAID = "not said"
_EXCEPTION = ("article", "exception", "by", "date")


@dataclass(frozen=True, slots=True)
class Making:
    """Account of how a benchmark was made. ``states``: what the filter came to → how many candidates put under it.

    ``obstacles``: of each article written, what a stage's condition has against it. ``filter_judges``: of each filter
    (its id) the models that judge. ``no_translation``: systems → on how many candidates their text is none.
    ``target``: the share of all candidates that should come in. ``seconds``, ``outside``: in the program and outside,
    by stage and person.
    ``blocked``: candidates with a finding of the checks that stands in the way. ``found``: code of a finding that
    stands → how many of the articles written have one; ``passed``: likewise, all right as a person said.
    ``translated``: system and model, of the filters' systems whose translations were made here; ``judges``: signatures.
    """

    candidates: Sequence[Candidate]
    obstacles: Mapping[str, Sequence[Obstacle]]
    blocked: int
    found: Mapping[str, int]
    passed: Mapping[str, int]
    filters: Sequence[Filtered]
    filter_judges: Mapping[str, Sequence[str]]
    no_translation: Mapping[str, int]
    translated: Sequence[tuple[str, str]]
    judges: Sequence[str]
    states: Mapping[str, int]
    rates: Rates
    balance: Balance
    experts: Sequence[Experts]
    target: float | None
    people: Sequence[Person]
    outside: Mapping[tuple[Stage, str], float]
    seconds: Mapping[tuple[Stage, str], float]


def data_sheet(built: Sequence[BuiltArticle], making: Making, facts: Mapping[str, str], *, accepted: bool) -> Report:
    """Return the data sheet of these articles. ``accepted``: they are what was accepted, and not all there is."""
    what = "accepted candidates" if accepted else "all candidates that were not rejected; nothing here is final"
    warnings = [] if accepted else ["These are not only accepted candidates: the data set is not finished."]
    if unknown := sum(not each.candidate.licence for each in built):
        warnings.append(f"{counted(unknown, 'article')} without a licence: nobody said on what terms they may be used.")
    sections = [
        _contents(built),
        _lengths(built),
        _points(built),
        _checks(making),
        _made(making),
        _exceptions(built, making),
        _people(making.people),
        _agreement(making.experts),
        _hours(making.seconds, making.outside),
        _origins(built),
    ]
    held = {"Holds": f"{counted(len(built), 'article')} ({what}), {_all_points(built):,} rubric points"}
    return Report("Data sheet", {**facts, **held}, sections, warnings)


def _all_points(built: Iterable[BuiltArticle]) -> int:
    return sum(len(each.article.rubric) for each in built)


def _contents(built: Sequence[BuiltArticle]) -> Section:
    directions = sorted({each.article.direction for each in built})
    kinds = Counter((each.article.domain, each.article.subdomain, each.article.direction) for each in built)
    rows: list[Sequence[Value]] = []
    for domain, subdomain in sorted({kind[:2] for kind in kinds}):
        counts = [kinds[domain, subdomain, direction] for direction in directions]
        rows.append((domains(domain, subdomain) or NOT_SAID, *counts, sum(counts)))
    totals = [sum(n for kind, n in kinds.items() if kind[2] == direction) for direction in directions]
    rows.append(("all", *totals, sum(totals)))
    header = ("domain", *(direction or NOT_SAID for direction in directions), "all")
    return Section("What it holds", [Table("Articles by domain and direction", header, rows)])


def _lengths(built: Sequence[BuiltArticle]) -> Section:
    tables = []
    for unit in UNITS:
        by_direction = _by_direction(built, [_LENGTH[unit](each.article.source) for each in built])
        tables.append(Table(f"Length of an article in {unit}", ("direction", *_SPREAD), by_direction, [_COUNTED[unit]]))
    return Section("Lengths", tables)


def _by_direction(built: Sequence[BuiltArticle], numbers: Sequence[int]) -> list[Sequence[Value]]:
    """A row for each direction, and one for all where there are several."""
    groups: dict[str, list[int]] = {}
    for each, number in zip(built, numbers, strict=True):
        groups.setdefault(each.article.direction or NOT_SAID, []).append(number)
    rows = [_spread(direction, groups[direction]) for direction in sorted(groups)]
    return rows if len(rows) == 1 else [*rows, _spread("all", list(numbers))]


def _spread(name: str, numbers: Sequence[int]) -> Sequence[Value]:
    shown = (f"{mean(numbers):,.1f}", f"{median(numbers):,.1f}", f"{min(numbers):,}", f"{max(numbers):,}")
    return (name, len(numbers), *shown)


def _points(built: Sequence[BuiltArticle]) -> Section:
    an_article = _by_direction(built, [len(each.article.rubric) for each in built])
    types = Counter(point.type for each in built for point in each.candidate.version.points)
    total = sum(types.values())
    rows = [
        (type_name(name) if name else "no type given", types[name], f"{types[name] / total:.0%}")
        for name in (*POINT_TYPES, None)
        if types[name]
    ]
    tables = [Table("Rubric points an article", ("direction", *_SPREAD), an_article)]
    if rows:
        tables.append(Table("Rubric points by type", ("type", "points", "share"), rows))
    return Section("Rubric points", tables)


def _checks(making: Making) -> Section:
    codes = sorted(making.found.keys() | making.passed.keys())
    if not codes:
        return Section("What checks find", ("Checks find nothing in these articles and their points.",))
    rows = [(code.replace("_", " "), making.found.get(code, 0), making.passed.get(code, 0)) for code in codes]
    header = ("found", "articles", "all right, as somebody said")
    return Section("What checks find", [Table("Articles of which checks find something", header, rows)])


def _made(making: Making) -> Section:
    rates, everyone = making.rates, making.candidates
    outcomes = Counter(each.outcome for each in everyone)
    revised = sum(1 for each in everyone if sum(not version.undone for version in each.versions) > 1)
    rows: list[Sequence[Value]] = [
        ("candidates added", rates.added),
        ("of them with a finding that stands in the way", making.blocked),
        *((f"filter: {state.replace('_', ' ')}", n) for state, n in making.states.items()),
        *((outcome, outcomes[outcome]) for outcome in ("accepted", "rejected", "differ", "undecided")),
        ("revised after they were added", revised),
    ]
    shares: list[Sequence[Value]] = [
        ("filter: stay, of those for which it came to an end", Shown(rates.filter, scale=SHARE), rates.filter.n),
        ("selection: accepted, of those decided on", Shown(rates.selection, scale=SHARE), rates.selection.n),
        ("overall: accepted, of those that came to an end", Shown(rates.overall, scale=SHARE), rates.overall.n),
    ]
    if making.target is not None:
        shares.append(("target: accepted, of all candidates", f"{making.target:.0%}", rates.added))
    tables = [
        Table("What became of the candidates", ("candidates", "n"), rows),
        Table("Rates", ("rate", "share", "n"), shares, ["Intervals: 95 %, Wilson, each candidate by itself"]),
    ]
    if reasons := _reasons(everyone):
        tables.append(Table("Why candidates were rejected", ("reason", "candidates"), reasons))
    if making.filters:
        filtered = [
            (
                each.at[:10],
                each.person,
                ", ".join(each.systems),
                rule_from_json(each.rule).words,
                ", ".join(making.filter_judges[each.id]) or NOT_SAID,
                len(each.candidates),
            )
            for each in making.filters
        ]
        notes = [
            f"{system}: {counted(n, 'text')} failed the instruction check; an article that only stays by that counts "
            "apart (no translation), as nothing shows whether it is hard"
            for system, n in making.no_translation.items()
        ]
        header = ("date", "by", "systems", "rule", "rubric judge", "candidates")
        tables.append(Table("Filters", header, filtered, notes))
        asked = [("translation", *made) for made in making.translated]
        asked += [("rubric judge", "–", signature) for signature in making.judges]
        if asked:
            tables.append(Table("Models that the filters asked", ("for", "system", "model, or signature"), asked))
    if making.balance.quotas:
        tables.append(_quotas(making.balance))
    return Section("How it was made", tables)


def _exceptions(built: Sequence[BuiltArticle], making: Making) -> Section:
    """Say which articles came in without a condition of the stages, and of which nobody said why."""
    rows: list[Sequence[Value]] = [
        (each.candidate.key, exemption_words(of), of.person, of.at[:10])
        for each in built
        for of in each.candidate.exemptions
    ]
    for each in built:
        known = {code for of in each.candidate.exemptions for code in of.without}
        said = [one.code for one in making.obstacles.get(each.candidate.key, ()) if one.code not in known]
        if said:
            rows.append((each.candidate.key, f"without {conditions_words(said)}: {NOT_SAID} why", "–", "–"))
    if not rows:
        return Section("Exceptions", ("Every article meets the conditions of all stages.",))
    return Section("Exceptions", [Table("Articles without a condition of the stages", _EXCEPTION, rows)])


def _people(people: Sequence[Person]) -> Section:
    if not people:
        return Section("People", ("Nobody is known to have worked on it.",))
    counts = Counter(role for each in people for role in each.said or each.acted)
    rows: list[Sequence[Value]] = [
        (each.name, ", ".join(each.said) or NOT_SAID, ", ".join(each.acted) or "–") for each in people
    ]
    sums = ", ".join(counted(counts[role], role) for role in ROLES if counts[role])
    said = f"{counted(len(people), 'expert')}{f': {sums}' if sums else ''}"
    return Section("People", [Table("Experts", ("person", "role", "acted as"), rows, [said])])


def _reasons(everyone: Iterable[Candidate]) -> list[Sequence[Value]]:
    """Each reason that holds of a rejected candidate, the commonest first; of two people's each counts once."""
    counts: Counter[str] = Counter()
    for each in everyone:
        if each.outcome == "rejected":
            said = [each.settled] if each.settled else each.decisions.values()
            counts.update({decided.reason.strip() or NOT_SAID for decided in said})
    return [(reason, n) for reason, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]


def _quotas(balance: Balance) -> Table:
    rows: list[Sequence[Value]] = [
        (
            " / ".join(filter(None, (each.quota.direction, each.quota.domain, each.quota.subdomain))) or "any",
            each.quota.wanted,
            each.accepted,
        )
        for each in balance.quotas
    ]
    if balance.outside.accepted:
        rows.append(("in no quota", 0, balance.outside.accepted))
    return Table("Quotas", ("quota", "wanted", "accepted"), rows)


def _agreement(pairs: Sequence[Experts]) -> Section:
    if not pairs:
        return Section("Agreement of experts", ("No candidate was given to two people.",))
    rows: list[Sequence[Value]] = []
    for each in pairs:
        of = each.agreement
        figures = [Shown(figure) for figure in (of.observed, of.kappa, of.ac1, of.alpha)]
        rows.append((" ~ ".join(each.people), of.observed.n, each.overlap - of.observed.n, *figures))
    header = ("experts", "n", "left out", "observed", "Cohen's kappa", "Gwet's AC1", "Krippendorff's alpha")
    notes = [
        "n: candidates that both decided on before either saw the other's decision",
        "Left out: given to both, and not decided by both",
        f"Intervals: observed Wilson, the others of candidates: {intervals_in_words(RESAMPLES, SEED)}",
    ]
    return Section("Agreement of experts", [Table("Accept or reject", header, rows, notes)])


def _hours(seconds: Mapping[tuple[Stage, str], float], outside: Mapping[tuple[Stage, str], float]) -> Section:
    found = []
    if seconds:
        notes = ["Only while a candidate was open in the program, pauses left out"]
        found.append(_hours_table("Hours in the program by person and stage", seconds, notes))
    if outside:
        notes = ["As people said; nothing measured them"]
        found.append(_hours_table("Hours outside of the program by person and stage", outside, notes))
    if not found:
        return Section("Hours", ("No time was kept: it is counted while candidates are open in the program.",))
    return Section("Hours", found)


def _hours_table(title: str, seconds: Mapping[tuple[Stage, str], float], notes: Sequence[str]) -> Table:
    people = sorted({person for _, person in seconds})
    rows: list[Sequence[Value]] = [
        (person, *(f"{seconds.get((stage, person), 0) / 3600:.1f}" for stage in _STAGES), _sum(seconds, person))
        for person in people
    ]
    of_stages = [sum(spent for (of, _), spent in seconds.items() if of == stage) for stage in _STAGES]
    rows.append(("all", *(f"{spent / 3600:.1f}" for spent in of_stages), f"{sum(of_stages) / 3600:.1f}"))
    return Table(title, ("person", *_STAGES.values(), "all"), rows, notes)


def _sum(seconds: Mapping[tuple[Stage, str], float], person: str) -> str:
    return f"{sum(spent for (_, of), spent in seconds.items() if of == person) / 3600:.1f}"


def _origins(built: Sequence[BuiltArticle]) -> Section:
    counts = Counter((each.candidate.origin or NOT_SAID, each.candidate.licence or NOT_SAID) for each in built)
    rows = [(*names, n) for names, n in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    return Section(
        "Origins and licences", [Table("Where the articles are from", ("origin", "licence", "articles"), rows)]
    )
