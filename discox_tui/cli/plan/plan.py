"""``discox plan``: evaluations drawn and distributed among reviewers, and the progress of each reviewer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from discox_tui import __version__
from discox_tui.cli.core.output import fail, json_text, say
from discox_tui.cli.core.session import is_hiding, library, reviewer, say_left_out
from discox_tui.cli.plan.audit import plan_audit
from discox_tui.cli.plan.doubtful import plan_doubtful
from discox_tui.cli.plan.options import PlanCommandOptions
from discox_tui.reports.render.phrases import time_left
from discox_tui.text.columns import table
from discox_tui.text.counts import counted, duration
from judges.stats.sampling import Stratum
from storage.base.text import storable
from storage.db.connection import transaction
from storage.reviews.layers import split_layer
from storage.reviews.pace import ENOUGH, Pace, pace
from storage.reviews.plans import (
    ASSIGNED_FOR,
    KEYS,
    Plan,
    PlanOptions,
    count_by_doubt,
    draw_plan,
    planned_reviewers,
    write_plan,
)

SEED = 1
_TELLING = frozenset({"system", "score"})
"""Strata by which a plan says of evaluations what a blind pass hides."""


class _Wrong(Exception):
    """An option has a value that makes no sense; the message says which and what would."""


def plan(options: PlanCommandOptions) -> int:
    """Draw a plan and keep it; without reviewers to draw it for, print how far everybody is."""
    try:
        asked = _asked(options)
    except _Wrong as wrong:
        return fail(str(wrong), 2)
    if asked is None:
        return _progress(options)
    if asked.blind and (name := reviewer(options)) in asked.reviewers and (options.audit or _TELLING & {*asked.by}):
        return fail(
            f"{name} is to review this blind, and the plan would show what is hidden then; draw by what tells nothing "
            "(--by direction,domain), or let another draw it (--reviewer NAME)"
        )
    if options.audit is not None:
        return plan_audit(options, asked)
    if options.doubtful is not None:
        return plan_doubtful(options, asked)
    with library(options) as connection:
        if options.dry_run:
            made, identity = draw_plan(connection, asked), None
        else:
            with transaction(connection):
                made = draw_plan(connection, asked)
                identity = write_plan(connection, made, __version__) if made.drawn else None
    if options.json:
        print(json_text(_plan_json(made, identity)))
    elif made.drawn:
        _print_plan(made, identity)
    if made.drawn:
        return 0
    reasons = "; ".join(f"{count:,} {reason}" for reason, count in made.left_out.items())
    return fail(f"no evaluation can be drawn ({reasons or 'there is none'})")


def _asked(options: PlanCommandOptions) -> PlanOptions | None:
    """Return the plan that the options ask for, None where they ask only for progress. Raises _Wrong for nonsense."""
    given = {
        "--audit": options.audit is not None,
        "--doubtful": options.doubtful is not None,
        "--number": options.number is not None,
        "--by": options.by is not None,
        "--overlap": options.overlap is not None,
        "--overlap-with": options.overlap_with is not None,
        "--again": options.again is not None,
        "--blind": options.blind,
        "--seed": options.seed is not None,
        "--words": options.words is not None,
        "--dry-run": options.dry_run,
    }
    if options.reviewers is None:
        if wanting := [name for name, is_given in given.items() if is_given]:
            raise _Wrong(f"{wanting[0]} is of a new plan; name its reviewers: --reviewers ana,ben")
        return None
    if options.doubtful is not None:
        goes = ("--doubtful", "--words", "--dry-run")
        if other := [name for name, is_given in given.items() if is_given and name not in goes]:
            raise _Wrong(f"{other[0]} does not go with --doubtful, which draws nothing at random and hides nothing")
    if options.audit is not None:
        if other := [name for name in ("--number", "--by", "--again") if given[name]]:
            raise _Wrong(f"{other[0]} does not go with --audit, which draws whole articles, each once")
    elif options.judge is not None:
        raise _Wrong("--judge goes with --audit: the judge whose scores the draw is balanced by")
    names = tuple(storable(name.strip()) for name in options.reviewers.split(","))
    if not all(names) or len(set(names)) < len(names):
        raise _Wrong("--reviewers takes names with commas between, each once, such as ana,ben")
    if layers := [name for name in names if split_layer(name)[1]]:
        raise _Wrong(f"--reviewers takes people, and {layers[0]} is the name of a layer; name whose it is")
    wanted = list[str](KEYS) if options.by is None else [key.strip() for key in options.by.split(",") if key.strip()]
    by = tuple(each for name in wanted for each in KEYS if each == name)
    if len(by) < len(wanted) or len(set(by)) < len(by):
        raise _Wrong(f"--by takes some of {','.join(KEYS)}, with commas between, each once")
    if options.overlap and len(names) == 1:
        raise _Wrong("--overlap takes two reviewers at least")
    if options.overlap_with is not None and not (options.overlap and 2 <= options.overlap_with <= len(names)):
        raise _Wrong("--overlap-with goes with --overlap, and takes 2 or more, up to the number of reviewers")
    return PlanOptions(
        reviewers=names,
        number=options.audit or options.doubtful or options.number,
        by=by if options.audit is None else ("direction",),
        overlap=options.overlap or 0.0,
        overlap_with=options.overlap_with,
        again=options.again or 0.0,
        blind=options.blind,
        words=" ".join(options.words or ()),
        seed=SEED if options.seed is None else options.seed,
    )


def _in_strata(made: Plan) -> list[tuple[Stratum, int, int, list[int]]]:
    """Say of each stratum how many there were, how many were drawn, and how many each reviewer gets."""
    there, drawn = Counter(made.strata.values()), Counter(made.strata[item] for item in made.drawn)
    gets = Counter((made.strata[a.evaluation_id], a.reviewer) for a in made.assignments if a.purpose != "again")
    return [
        (each, there[each], drawn[each], [gets[each, name] for name in made.options.reviewers])
        for each in sorted(there)
    ]


def _purposes(made: Plan) -> dict[str, Counter[str]]:
    counts: dict[str, Counter[str]] = {name: Counter() for name in made.options.reviewers}
    for each in made.assignments:
        counts[each.reviewer][each.purpose] += 1
    return counts


def _print_plan(made: Plan, identity: str | None) -> None:
    asked, names = made.options, made.options.reviewers
    strata, purposes = _in_strata(made), _purposes(made)
    blank = [""] * max(0, len(asked.by) - 1)
    once = [purposes[name]["review"] + purposes[name]["overlap"] for name in names]
    rows = [[*(part or "–" for part in each), there, drawn, *gets] for each, there, drawn, gets in strata if drawn]
    if asked.by:
        rows.append(["together", *blank, len(made.strata), len(made.drawn), *once])
    else:
        rows = [["together", len(made.strata), len(made.drawn), *once]]
    shared = len({a.evaluation_id for a in made.assignments if a.purpose == "overlap"})
    again = len([a for a in made.assignments if a.purpose == "again"])
    rows.append(["overlap", *blank, "", shared, *(purposes[name]["overlap"] for name in names)])
    rows.append(["again", *blank, "", again, *(purposes[name]["again"] for name in names)])
    heads = [*(asked.by or [""]), "there", "drawn", *names]
    for line in table(
        heads, [list(map(str, row)) for row in rows], right=range(len(heads) - 2 - len(names), len(heads))
    ):
        say(line)
    say()
    with_whom = "all" if asked.overlap_with in (None, len(names)) else f"{asked.overlap_with} reviewers each"
    say(f"{counted(len(made.drawn), 'evaluation')} of {len(made.strata):,} that can be drawn, seed {asked.seed}")
    if shared:
        say(f"  {shared:,} go to {with_whom}; the others to one reviewer")
    if again:
        say(f"  {again:,} come a second time, in the layers {', '.join(f'{name}:again' for name in names)}")
    if asked.blind:
        say("  blind: the judge's errors and scores are hidden until the reviewer has marked their own")
    if bare := sum(not drawn for _, _, drawn, _ in strata):
        say(
            f"  {bare:,} of {counted(len(strata), 'stratum', 'strata')} got none, as there are more than were drawn; "
            "fewer keys in --by, or a greater --number, would cover them all"
        )
    if asked.number is not None and asked.number > len(made.drawn):
        say(f"  --number {asked.number:,} asks for more than there is")
    if made.left_out:
        say("left out")
        for reason, count in made.left_out.items():
            say(f"  {count:,} {reason}")
    say("this was a dry run; nothing was written" if identity is None else f"kept as plan {identity}")


def _plan_json(made: Plan, identity: str | None) -> dict[str, Any]:
    asked, names = made.options, made.options.reviewers
    purposes = _purposes(made)
    return {
        "plan": identity,
        "seed": asked.seed,
        "by": asked.by,
        "blind": asked.blind,
        "there": len(made.strata),
        "drawn": len(made.drawn),
        "overlap": len({a.evaluation_id for a in made.assignments if a.purpose == "overlap"}),
        "strata": [
            dict(zip(asked.by, stratum, strict=True))
            | {"there": there, "drawn": drawn, "reviewers": dict(zip(names, gets, strict=True))}
            for stratum, there, drawn, gets in _in_strata(made)
        ],
        "reviewers": {name: {purpose: purposes[name][purpose] for purpose in ASSIGNED_FOR} for name in names},
        "left_out": dict(made.left_out),
        "assignments": [each.as_json() for each in made.assignments],
    }


def _progress(options: PlanCommandOptions) -> int:
    with library(options, discreet=True) as connection:
        hiding = is_hiding(connection, options)
        names = [options.reviewer] if options.reviewer else planned_reviewers(connection)
        names = [name for name in names if not hiding or name == reviewer(options)]
        paces = [pace(connection, name) for name in names]
        by_doubt = {name: count_by_doubt(connection, name) for name in names}
    if options.json:
        print(json_text([_pace_json(each) | {"chosen_by_doubt": by_doubt[each.reviewer]} for each in paces]))
    elif not paces:
        say("nothing is planned yet; `discox plan --reviewers ana,ben --number 40 --overlap 0.2` plans")
    else:
        _print_progress(paces)
        for name, count in by_doubt.items():
            if count:
                say(f"{name}: {counted(count, 'evaluation')} chosen by doubt, not at random")
    if hiding:
        say_left_out(options, "how far others are")
    return 0


def _print_progress(paces: Sequence[Pace]) -> None:
    rows = []
    for each in paces:
        speed = each.speed
        fast = ("–", "–") if speed is None else (f"{speed.evaluations_an_hour:.1f}", f"{speed.findings_an_hour:.0f}")
        counts = map("{:,}".format, (each.assigned, each.done, each.in_progress, each.skipped))
        parts = (
            f"{each.done_for.get(purpose, 0):,}/{each.assigned_for.get(purpose, 0):,}" for purpose in ASSIGNED_FOR[1:]
        )
        rows.append((each.reviewer, *counts, *parts, *fast, time_left(each)))
    heads = ("reviewer", "assigned", "done", "in progress", "skipped", "overlap", "again", "evaluations/h", "errors/h")
    for line in table((*heads, "time left"), rows, right=range(1, len(heads))):
        say(line)
    say()
    for each in paces:
        if (speed := each.speed) is not None and each.left:
            say(
                f"{each.reviewer}: {duration(speed.a_finding)} an error and {duration(speed.besides)} besides for an "
                f"evaluation (medians of {speed.evaluations:,} done, without pauses); {each.findings_left:,.0f} errors "
                f"in {counted(each.left, 'evaluation')} left"
            )
        elif each.left:
            say(f"{each.reviewer}: a pace takes {ENOUGH} evaluations that were done with the time kept")


def _pace_json(each: Pace) -> dict[str, Any]:
    speed = each.speed
    return {
        "reviewer": each.reviewer,
        "assigned": each.assigned,
        "done": each.done,
        "in_progress": each.in_progress,
        "skipped": each.skipped,
        **{
            purpose: {"assigned": each.assigned_for.get(purpose, 0), "done": each.done_for.get(purpose, 0)}
            for purpose in ASSIGNED_FOR
        },
        "pace": None
        if speed is None
        else {
            "evaluations_an_hour": speed.evaluations_an_hour,
            "findings_an_hour": speed.findings_an_hour,
            "seconds_a_finding": speed.a_finding,
            "seconds_besides": speed.besides,
            "evaluations": speed.evaluations,
            "findings": speed.findings,
            "seconds": speed.seconds,
        },
        "findings_left": None if speed is None else each.findings_left,
        "seconds_left": each.seconds_left,
    }
