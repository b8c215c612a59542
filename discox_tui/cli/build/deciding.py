"""``discox build assign``, ``decide``: who is to decide on which candidates, and what they decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from discox_tui.cli.build.candidates import exemptions_json, named, print_exemptions
from discox_tui.cli.build.options import AssignOptions, CandidateOptions, DecideOptions
from discox_tui.cli.core.output import fail, json_text, note, say
from discox_tui.cli.core.session import is_hiding, library, reviewer
from discox_tui.text.columns import table
from discox_tui.text.counts import counted
from judges.stats.sampling import assign_items
from storage.base.errors import StorageError
from storage.base.text import storable
from storage.benchmark.candidates import Candidate, Stage, Step, candidate
from storage.benchmark.difficulty import outcomes
from storage.benchmark.log import BuildLog
from storage.benchmark.stages import Obstacle, conditions_words, every_obstacle, stage_of
from storage.db.connection import Connection, at_once
from storage.reviews.layers import split_layer

TOGETHER = 2
"""People who decide on each candidate of the overlap."""
EXCEPTION = "--exception WHY takes it all the same, and is kept in the log, lists and the data sheet"


def let_through(
    connection: Connection, chosen: Sequence[Candidate], step: Step, exception: str, *, again: bool = False
) -> tuple[list[Candidate], dict[str, list[str]], dict[str, tuple[Obstacle, ...]]]:
    """Return which candidates may take a step, what those go on without by an ``exception``, and what keeps the others.

    Whoever is left out is named on standard error, with why.
    """
    every = every_obstacle(connection, chosen, step, again=again)
    kept = {key: of for key, of in every.items() if of and (not exception or any(one.final for one in of))}
    without = {key: [one.code for one in of] for key, of in every.items() if of and key not in kept}
    reasons: dict[str, list[str]] = {}
    for key, of in kept.items():
        reasons.setdefault(" ".join(one.message for one in of), []).append(key)
    for why, keys in reasons.items():
        note(f"left out, {', '.join(keys)}: {why}")
    return [each for each in chosen if each.key not in kept], without, kept


def assign(options: AssignOptions) -> int:
    """Distribute candidates among people, some of them to two; without people, say how far everybody is."""
    if options.people is None:
        return _progress(options)
    people = tuple(storable(name.strip()) for name in options.people.split(","))
    if not all(people) or len(set(people)) < len(people) or any(split_layer(name)[1] for name in people):
        return fail("--people takes names with commas between, each once, such as ana,ben", 2)
    if options.overlap and len(people) < TOGETHER:
        return fail("--overlap takes two people at least", 2)
    with library(options) as connection:  # what a filter let through says what judges came to
        chosen, without, _ = let_through(
            connection, named(connection, options, options.keys), "assign", options.exception, again=options.again
        )
        if not chosen:
            return fail(f"no candidate can be assigned; --again takes what is assigned already, {EXCEPTION}")
        strata = {each.key: (each.direction, each.domain) for each in chosen}
        dealt = assign_items(strata, people, round(options.overlap * len(chosen)), TOGETHER, options.seed)
        gets: dict[str, list[str]] = {each.key: [] for each in chosen}
        for name in people:
            for key in (*dealt.alone[name], *dealt.shared[name]):
                gets[key].append(name)
        if not options.dry_run:
            log = BuildLog(connection, reviewer(options))
            log.assign(gets, without=without, why=options.exception, overlap=options.overlap, seed=options.seed)
    _print_assigned(gets, without, people, options)
    return 0


def _print_assigned(
    gets: Mapping[str, Sequence[str]],
    without: Mapping[str, Sequence[str]],
    people: Sequence[str],
    options: AssignOptions,
) -> None:
    if options.json:
        report = {"people": gets, "seed": options.seed, "overlap": options.overlap, "kept": not options.dry_run}
        print(json_text(report | {"exceptions": without, "why": options.exception or None}))
        return
    loads = Counter(name for names in gets.values() for name in names)
    shared = Counter(name for names in gets.values() for name in names if len(names) > 1)
    rows = [[name, str(loads[name]), str(shared[name])] for name in people]
    for line in table(["person", "candidates", "with another"], rows, right=(1, 2)):
        say(line)
    both = sum(1 for names in gets.values() if len(names) > 1)
    say(f"{counted(len(gets), 'candidate')}, {both:,} of them to two people, seed {options.seed}")
    for key, codes in without.items():
        say(f"  {key}: dealt out without {conditions_words(codes)}: {options.exception}")
    if options.dry_run:
        say("this was a dry run; nothing was written")


def _progress(options: CandidateOptions) -> int:
    with library(options, discreet=True) as connection:
        chosen = named(connection, options, options.keys)
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


# --- decide -----------------------------------------------------------------------------------------------------


def decide(options: DecideOptions) -> int:
    """Accept or reject candidates, take a decision back, or settle what people differ about; all of them or none."""
    if options.decision == "reject" and not options.why.strip():
        return fail("reject takes --why TEXT, for the others and the data sheet", 2)
    if options.exception and options.decision != "accept":
        return fail("--exception goes with accept", 2)
    with library(options, discreet=True) as connection:
        person = reviewer(options)
        chosen = named(connection, options, options.keys)
        without: dict[str, list[str]] = {}
        if options.decision == "accept":
            who, hidden = "" if options.settle else person, is_hiding(connection, options)
            every = every_obstacle(connection, chosen, "accept", person=who, hidden=hidden)
            for key, of in every.items():
                if any(one.final for one in of):
                    return fail(f"{key}: {of[0].message}")
            without = {key: [one.code for one in of] for key, of in every.items() if of}
            if without and not options.exception.strip():
                for key in without:
                    note(f"{key}: {' '.join(one.message for one in every[key])}")
                return fail(f"{', '.join(without)}: not accepted; {EXCEPTION}")
        log = BuildLog(connection, person)
        came = {} if is_hiding(connection, options) else outcomes(connection, chosen)
        with at_once(connection):
            for each in chosen:
                _say(log, each, options, stage_of(each, came.get(each.key)), without.get(each.key, ()))
        now = [found for key in dict.fromkeys(options.keys) if (found := candidate(connection, key, person))]
    if options.json:
        print(json_text([{"key": e.key, "outcome": e.outcome, "exceptions": exemptions_json(e)} for e in now]))
        return 0
    for each in now:
        waits = [name for name in each.waiting if name != person]
        say(f"{each.key}: {each.outcome}" + (f", waits for {', '.join(waits)}" if waits else ""))
    print_exemptions(now)
    return 0


def _say(log: BuildLog, each: Candidate, options: DecideOptions, stage: Stage, without: Sequence[str]) -> None:
    reason = options.exception if without else options.why
    if options.settle:
        log.settle(each.key, options.decision, reason, without)
    elif options.decision == "undecided" and log.person not in each.decisions:
        raise StorageError(f"{each.key}: {log.person} has not decided on it, so there is nothing to take back")
    else:
        log.decide(each.key, options.decision, reason, stage, without)
