"""``discox build add``, ``list``, ``check``, ``assign``: candidates for a benchmark, and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from discox_tui import __version__
from discox_tui.cli.build.options import AddOptions, AssignOptions, CandidateOptions, CheckOptions
from discox_tui.cli.core.output import fail, json_text, note, say
from discox_tui.cli.core.session import library, reviewer
from discox_tui.cli.library.imports import exit_code, reports_json, store_each
from discox_tui.text.columns import table
from discox_tui.text.counts import counted
from judges.benchmark.selection.difficulty_filter import Outcome
from judges.stats.sampling import assign_items
from storage.base.errors import StorageError
from storage.base.files import files_within
from storage.base.text import named_by, storable
from storage.benchmark.candidates import Candidate, Decided, candidates
from storage.benchmark.checks import Finding, findings
from storage.benchmark.difficulty import outcomes
from storage.benchmark.log import BuildLog
from storage.db.connection import Connection
from storage.formats.own.candidates import SUFFIXES, CandidateRow, GivenFor, read
from storage.importing.candidates import add_candidates
from storage.reviews.layers import split_layer

TOGETHER = 2
"""People who decide on each candidate of the overlap."""


def add(options: AddOptions) -> int:
    """Add files of candidates, say what became of every row, then check what is new."""
    given = GivenFor(options.direction, options.domain, options.subdomain, options.origin, options.licence)
    against = _texts_of(options.against)
    named = [Path(path) for path in options.paths]
    with library(options, create=True, discreet=True) as connection:
        person = reviewer(options)
        before = {each.key: each.article_id for each in candidates(connection, person)}
        reports = store_each(
            _paths(named),
            lambda path, progress: add_candidates(
                connection,
                path,
                person,
                given,
                revise=options.revise,
                program=f"discox {__version__}",
                progress=progress,
            ),
            named,
            silent=options.json,
        )
        new = [each for each in candidates(connection, person) if before.get(each.key) != each.article_id]
        found = findings(connection, new, against=against) if new else {}
    if not reports:
        folders = ", ".join(options.paths)
        note(f"discox: {folders}: there is no file to add in it (of {', '.join(SUFFIXES)}); name the files")
    if options.json:
        print(json_text(reports_json(reports) | {"checks": [_checked(each, found[each.key]) for each in new]}))
    else:
        for each in new:
            _print_findings(each, found[each.key])
        _print_sum(found)
    return exit_code(reports)


def _paths(named: Sequence[Path]) -> Iterator[Path]:
    for path in named:
        if path.is_dir():
            yield from files_within(path, SUFFIXES)
        else:
            yield path


def _texts_of(files: Sequence[str]) -> dict[str, str]:
    """The articles of data sets beside the library, by a name for people. Raises FormatError."""
    found: dict[str, str] = {}
    for file in map(Path, files):
        rows = [row for row in read(file, GivenFor("und-und")) if isinstance(row, CandidateRow)]
        found |= {f"{row.article.key} of {file.name}": row.article.source for row in rows}
        if not rows:
            raise StorageError(f"{file}: holds no article to compare with; check that it is the right file")
    return found


# --- list -------------------------------------------------------------------------------------------------------


def list_candidates(options: CandidateOptions) -> int:
    """List the candidates: how far each is, what checks find, who has decided what."""
    with library(options, discreet=True) as connection:
        chosen = named(connection, options)
        found = findings(connection, chosen)
    if options.json:
        print(json_text([as_json(each, found[each.key]) for each in chosen]))
    elif not chosen:
        say("there is no candidate yet; `discox build add FILE… --direction zh-en` adds some")
    else:
        heads = ["candidate", "stage", "direction", "domain", "version", "points", "blocks", "warns", "decisions"]
        for line in table(heads, [_row(each, found[each.key]) for each in chosen], right=range(4, 8)):
            say(line)
        counts = Counter(each.outcome for each in chosen)
        say()
        say(f"{counted(len(chosen), 'candidate')}: " + ", ".join(f"{n:,} {name}" for name, n in counts.items()))
    return 0


def named(connection: Connection, options: CandidateOptions) -> list[Candidate]:
    """The candidates that the options name, else all. Raises StorageError for one that there is not."""
    everyone = candidates(connection, reviewer(options))
    by_key = {each.key: each for each in everyone}
    if unknown := [key for key in options.keys if key not in by_key]:
        raise StorageError(f"{unknown[0]!r:.60}: there is no such candidate; `discox build list` shows those there are")
    return [by_key[key] for key in dict.fromkeys(options.keys)] or everyone


def _row(each: Candidate, found: Sequence[Finding]) -> list[str]:
    counts = _counts(found)
    numbers = (each.version.number, len(each.version.points), counts["blocks"], counts["warns"])
    said = [f"{name} {decided.decision}" for name, decided in each.decisions.items()]
    said += [f"{name} waits" for name in each.waiting if name not in each.decisions]
    return [each.key, str(each.stage), each.direction, each.domain or "–", *map(str, numbers), _outcome(each, said)]


def _outcome(each: Candidate, said: Sequence[str]) -> str:
    who = f"{each.settled.person} settled it" if each.settled else ", ".join(said)
    return f"{each.outcome} ({who})" if who else each.outcome


def _counts(found: Sequence[Finding]) -> dict[str, int]:
    standing = Counter(one.severity for one in found if not one.checked_off)
    return {
        "blocks": standing["blocks"],
        "warns": standing["warns"],
        "all_right": sum(1 for one in found if one.checked_off),
    }


def as_json(each: Candidate, found: Sequence[Finding]) -> dict[str, Any]:
    """Return a candidate as one JSON-able object."""
    version = each.version
    return {
        "key": each.key,
        "stage": each.stage,
        "direction": each.direction,
        "domain": each.domain,
        "subdomain": each.subdomain,
        "origin": each.origin,
        "licence": each.licence,
        "version": version.number,
        "versions": len(each.versions),
        "article": version.article_id,
        "points": len(version.points),
        "checks": _counts(found),
        "filters": each.filters,
        "assigned": each.assigned,
        "waiting": each.waiting,
        "decisions": [_decided(decided) for decided in each.decisions.values()],
        "settled": _decided(each.settled) if each.settled else None,
        "outcome": each.outcome,
    }


def _decided(decided: Decided) -> dict[str, Any]:
    return {
        "person": decided.person,
        "at": decided.at,
        "decision": decided.decision,
        "reason": decided.reason or None,
        "stage": decided.stage,
    }


# --- check ------------------------------------------------------------------------------------------------------


def check(options: CheckOptions) -> int:
    """Print what checks find of candidates, or call a finding all right; 1 where anything stands in the way."""
    if options.all_right is not None:
        return _check_off(options, options.all_right)
    against = _texts_of(options.against)
    with library(options, discreet=True) as connection:
        chosen = named(connection, options)
        found = findings(connection, chosen, against=against)
    if options.json:
        print(json_text([_checked(each, found[each.key]) for each in chosen]))
    else:
        for each in chosen:
            _print_findings(each, found[each.key])
        _print_sum(found)
    return int(any(one.blocks for each in found.values() for one in each))


def _check_off(options: CheckOptions, given: str) -> int:
    if len(options.keys) != 1 or not options.why.strip():
        return fail("--all-right takes one KEY, and --why TEXT that says why", 2)
    against = _texts_of(options.against)
    with library(options, discreet=True) as connection:
        (each,) = named(connection, options)
        ids = {one.id for one in findings(connection, [each], against=against)[each.key]}
        matching = named_by(given, ids)
        if len(matching) != 1:
            which = "several findings" if matching else "no finding"
            return fail(f"{each.key}: {which} with the id {given}; `discox build check` shows the ids")
        BuildLog(connection, reviewer(options)).check_off(each.key, matching[0], options.why)
    say(f"{each.key}: {matching[0][:8]} is all right: {options.why}")
    return 0


def _checked(each: Candidate, found: Sequence[Finding]) -> dict[str, Any]:
    return {"key": each.key, "version": each.version.number, "findings": [finding_json(one) for one in found]}


def finding_json(one: Finding) -> dict[str, Any]:
    """Return what a check found as one JSON-able object."""
    off = one.checked_off
    return {
        "id": one.id,
        "about": one.about,
        "code": one.code,
        "severity": one.severity,
        "point": one.number,
        "other": one.other or None,
        "start": one.start,
        "end": one.end,
        "message": one.message,
        "mend": one.mend,
        "all_right": {"person": off.person, "at": off.at, "why": off.why} if off else None,
    }


def _print_findings(each: Candidate, found: Sequence[Finding]) -> None:
    if not found:
        return
    say(f"{each.key} (version {each.version.number})")
    for one in found:
        mark = "all right" if one.checked_off else one.severity
        where = f" point {one.number}:" if one.number is not None else ""
        why = f" All right, says {one.checked_off.person}: {one.checked_off.why}" if one.checked_off else f" {one.mend}"
        say(f"  {one.id[:8]} {mark}: {one.code}:{where} {one.message}{why}")


def _print_sum(found: Mapping[str, Sequence[Finding]]) -> None:
    if not found:
        return
    counts = [_counts(each) for each in found.values()]
    blocked, warned = (sum(1 for each in counts if each[name]) for name in ("blocks", "warns"))
    say(f"{counted(len(found), 'candidate')} checked: {blocked:,} with what blocks, {warned:,} with what warns")


# --- assign -----------------------------------------------------------------------------------------------------


def assign(options: AssignOptions) -> int:
    """Distribute candidates among people, some of them to two; without people, say how far everybody is."""
    if options.people is None:
        return _progress(options)
    people = tuple(storable(name.strip()) for name in options.people.split(","))
    if not all(people) or len(set(people)) < len(people) or any(split_layer(name)[1] for name in people):
        return fail("--people takes names with commas between, each once, such as ana,ben", 2)
    if options.overlap and len(people) < TOGETHER:
        return fail("--overlap takes two people at least", 2)
    with library(options, discreet=bool(options.keys)) as connection:  # unnamed, only what a filter let through
        chosen = [each for each in named(connection, options) if _can_be_assigned(each, options.again)]
        if not options.keys:
            chosen = _let_through(connection, chosen)
        if not chosen:
            return fail(
                "no candidate can be assigned: all are decided on, assigned already (--again takes these), or were "
                "not let through by the filter (which they need not be where they are named)"
            )
        strata = {each.key: (each.direction, each.domain) for each in chosen}
        dealt = assign_items(strata, people, round(options.overlap * len(chosen)), TOGETHER, options.seed)
        gets: dict[str, list[str]] = {each.key: [] for each in chosen}
        for name in people:
            for key in (*dealt.alone[name], *dealt.shared[name]):
                gets[key].append(name)
        if not options.dry_run:
            BuildLog(connection, reviewer(options)).assign(gets, overlap=options.overlap, seed=options.seed)
    _print_assigned(gets, people, options)
    return 0


def _can_be_assigned(each: Candidate, again: bool) -> bool:
    return each.outcome == "undecided" and (again or not each.assigned)


def _let_through(connection: Connection, chosen: Sequence[Candidate]) -> list[Candidate]:
    """Those that the difficulty filter keeps, or that it was never asked about; the others are named."""
    found = outcomes(connection, chosen)
    out = [each.key for each in chosen if each.was_filtered and not _stays(found.get(each.key))]
    if out:
        note(
            f"left out, {counted(len(out), 'candidate')} that the filter did not let through: {', '.join(sorted(out))}"
        )
    return [each for each in chosen if each.key not in out]


def _stays(outcome: Outcome | None) -> bool:
    return outcome is not None and outcome.state == "stays"


def _print_assigned(gets: Mapping[str, Sequence[str]], people: Sequence[str], options: AssignOptions) -> None:
    if options.json:
        print(
            json_text({"people": gets, "seed": options.seed, "overlap": options.overlap, "kept": not options.dry_run})
        )
        return
    loads = Counter(name for names in gets.values() for name in names)
    shared = Counter(name for names in gets.values() for name in names if len(names) > 1)
    rows = [[name, str(loads[name]), str(shared[name])] for name in people]
    for line in table(["person", "candidates", "with another"], rows, right=(1, 2)):
        say(line)
    both = sum(1 for names in gets.values() if len(names) > 1)
    say(f"{counted(len(gets), 'candidate')}, {both:,} of them to two people, seed {options.seed}")
    if options.dry_run:
        say("this was a dry run; nothing was written")


def _progress(options: CandidateOptions) -> int:
    with library(options, discreet=True) as connection:
        chosen = named(connection, options)
    assigned = Counter(name for each in chosen for name in each.assigned)
    waiting = Counter(name for each in chosen for name in each.waiting)
    if options.json:
        people = [{"person": name, "assigned": n, "decided": n - waiting[name]} for name, n in sorted(assigned.items())]
        print(json_text(people))
    elif not assigned:
        say("nothing is assigned yet; `discox build assign --people ana,ben --overlap 0.2` assigns")
    else:
        rows = [[name, str(n), str(n - waiting[name])] for name, n in sorted(assigned.items())]
        for line in table(["person", "assigned", "decided"], rows, right=(1, 2)):
            say(line)
    return 0
