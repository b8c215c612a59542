"""``discox build add``, ``list``, ``check``: candidates for a benchmark, and what is wrong with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from discox_tui import __version__
from discox_tui.cli.build.options import AddOptions, CandidateOptions, CheckOptions
from discox_tui.cli.core.options import LibraryOptions
from discox_tui.cli.core.output import fail, json_text, note, say
from discox_tui.cli.core.session import is_hiding, library, reviewer
from discox_tui.cli.library.imports import exit_code, reports_json, store_each
from discox_tui.text.columns import table
from discox_tui.text.counts import counted
from judges.benchmark.checks.result import LEVELS
from judges.benchmark.rubric.points import type_name
from storage.base.errors import StorageError
from storage.base.files import files_within
from storage.base.text import named_by
from storage.benchmark.candidates import Candidate, Decided, candidates
from storage.benchmark.checks import Finding, findings
from storage.benchmark.difficulty import filter_words, judges_of
from storage.benchmark.log import BuildLog
from storage.benchmark.settings import Filtered, filters
from storage.benchmark.stages import exemption_words
from storage.db.connection import Connection
from storage.formats.own.candidates import SUFFIXES, CandidateRow, GivenFor, read
from storage.importing.candidates import add_candidates


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
        chosen = named(connection, options, options.keys)
        found = findings(connection, chosen)
        hidden = is_hiding(connection, options)
        of = {each.id: filter_json(connection, each, hidden=hidden) for each in filters(connection)}
    under = {each.key: of[each.filters[-1]] for each in chosen if each.filters}
    if options.json:
        print(json_text([as_json(each, found[each.key], under.get(each.key)) for each in chosen]))
    elif not chosen:
        say("there is no candidate yet; `discox build add FILE… --direction zh-en` adds some")
    else:
        heads = ["candidate", "stage", "direction", "domain", "version", "points", *LEVELS, "decisions"]
        for line in table(heads, [_row(each, found[each.key]) for each in chosen], right=range(4, 9)):
            say(line)
        counts = Counter(each.outcome for each in chosen)
        say()
        say(f"{counted(len(chosen), 'candidate')}: " + ", ".join(f"{n:,} {name}" for name, n in counts.items()))
        for words in dict.fromkeys(each["words"] for each in under.values()):
            say(f"filter: {words}")
        print_exemptions(chosen)
    return 0


def named(connection: Connection, options: LibraryOptions, keys: Sequence[str]) -> list[Candidate]:
    """The candidates of these ``keys``, without any all. Raises StorageError for one that there is not."""
    everyone = candidates(connection, reviewer(options))
    by_key = {each.key: each for each in everyone}
    if unknown := [key for key in keys if key not in by_key]:
        raise StorageError(f"{unknown[0]!r:.60}: there is no such candidate; `discox build list` shows those there are")
    return [by_key[key] for key in dict.fromkeys(keys)] or everyone


def _row(each: Candidate, found: Sequence[Finding]) -> list[str]:
    counts = _counts(found)
    numbers = (each.version.number, len(each.version.points), *(counts[level] for level in LEVELS))
    said = [f"{name} {decided.decision}" for name, decided in each.decisions.items()]
    said += [f"{name} waits" for name in each.waiting if name not in each.decisions]
    return [each.key, str(each.stage), each.direction, each.domain or "–", *map(str, numbers), _outcome(each, said)]


def _outcome(each: Candidate, said: Sequence[str]) -> str:
    who = f"{each.settled.person} settled it" if each.settled else ", ".join(said)
    without = " without a condition" if each.exemptions else ""
    return f"{each.outcome}{without} ({who})" if who else f"{each.outcome}{without}"


def print_exemptions(chosen: Sequence[Candidate]) -> None:
    """Say which candidates went on without a condition, and why."""
    for each in chosen:
        for of in each.exemptions:
            say(f"  {each.key}: {exemption_words(of)} ({of.person})")


def exemptions_json(each: Candidate) -> list[dict[str, Any]]:
    """Return what a candidate went on without as JSON-able objects."""
    return [
        {"step": of.step, "without": of.without, "person": of.person, "at": of.at, "why": of.why}
        for of in each.exemptions
    ]


def _counts(found: Sequence[Finding]) -> dict[str, int]:
    standing = Counter(one.severity for one in found if not one.checked_off)
    counts = {str(level): standing[level] for level in LEVELS}
    return counts | {"all_right": sum(1 for one in found if one.checked_off)}


def filter_json(connection: Connection, under: Filtered, *, hidden: bool = False) -> dict[str, Any]:
    """Return a filter as one JSON-able object, and in words; without its systems where something is ``hidden``."""
    return {
        "rule": under.rule,
        "judges": judges_of(connection, under, hidden=hidden),
        "systems": None if hidden else under.systems,
        "at": under.at,
        "person": under.person,
        "words": filter_words(connection, under, hidden=hidden),
    }


def as_json(each: Candidate, found: Sequence[Finding], under: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return a candidate as one JSON-able object; ``under``: the filter that it is under."""
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
        "filter": under,
        "exceptions": exemptions_json(each),
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
        "without": decided.without,
        "stage": decided.stage,
    }


# --- check ------------------------------------------------------------------------------------------------------


def check(options: CheckOptions) -> int:
    """Print what checks find of candidates, or call a finding all right; 1 where anything stands in the way."""
    if options.all_right is not None:
        return _check_off(options, options.all_right)
    if options.take_types:
        return _take_types(options)
    against = _texts_of(options.against)
    with library(options, discreet=True) as connection:
        chosen = named(connection, options, options.keys)
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
        (each,) = named(connection, options, options.keys)
        ids = {one.id for one in findings(connection, [each], against=against)[each.key]}
        matching = named_by(given, ids)
        if len(matching) != 1:
            which = "several findings" if matching else "no finding"
            return fail(f"{each.key}: {which} with the id {given}; `discox build check` shows the ids")
        BuildLog(connection, reviewer(options)).check_off(each.key, matching[0], options.why)
    say(f"{each.key}: {matching[0][:8]} is all right: {options.why}")
    return 0


def _take_types(options: CheckOptions) -> int:
    """Give untyped points the types that their form speaks for; the text, and what is decided on it, stays."""
    taken = 0
    with library(options, discreet=True) as connection:
        log = BuildLog(connection, reviewer(options))
        for each in named(connection, options, options.keys):
            found = findings(connection, [each], others=False)[each.key]
            types = {one.number: one.proposed for one in found if one.proposed}
            if types:
                points = [replace(one, type=one.type or types.get(one.number)) for one in each.version.points]
                log.revise(each.key, points=points, note=f"{counted(len(types), 'type')} as proposed")
                taken += len(types)
                say(f"{each.key}: {counted(len(types), 'point')} given a type")
    if not taken:
        say("no point without a type has a form that speaks for one")
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
        "proposed": one.proposed,
        "all_right": {"person": off.person, "at": off.at, "why": off.why} if off else None,
    }


def _print_findings(each: Candidate, found: Sequence[Finding]) -> None:
    if not found:
        return
    say(f"{each.key} (version {each.version.number})")
    untyped = [one for one in found if one.code == "untyped" and not one.checked_off]
    for one in found:
        if one in untyped:
            continue
        mark = "all right" if one.checked_off else one.severity
        where = f" point {one.number}:" if one.number is not None else ""
        why = f" All right, says {one.checked_off.person}: {one.checked_off.why}" if one.checked_off else f" {one.mend}"
        say(f"  {one.id[:8]} {mark}: {one.code}:{where} {one.message}{why}")
    if untyped:
        named = [f"{one.number} {type_name(one.proposed) if one.proposed else '?'}" for one in untyped]
        mend = "--take-types takes the types that their form speaks for"
        say(f"  remarks: untyped: {counted(len(untyped), 'point')} without a type; {mend}: {', '.join(named)}")


def _print_sum(found: Mapping[str, Sequence[Finding]]) -> None:
    if not found:
        return
    rows = []
    for code in sorted({one.code for each in found.values() for one in each}):
        of = [one for each in found.values() for one in each if one.code == code]
        open_ = Counter(one.severity for one in of if not one.checked_off)
        keys = sum(any(one.code == code for one in each) for each in found.values())
        numbers = (keys, *(open_[level] for level in LEVELS), sum(1 for one in of if one.checked_off))
        rows.append([code.replace("_", " "), *(f"{n:,}" if n else "–" for n in numbers)])
    if rows:
        say()
        for line in table(["found", "candidates", *LEVELS, "all right"], rows, right=range(1, 6)):
            say(line)
    counts = [_counts(each) for each in found.values()]
    sums = [f"{sum(1 for each in counts if each[name]):,} with what {name}" for name in LEVELS]
    say(f"{counted(len(found), 'candidate')} checked: {', '.join(sums)}")
