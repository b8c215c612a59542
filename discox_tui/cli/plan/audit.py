"""``discox plan --audit``: whole articles are drawn to be audited; what intervals that many audits should give."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from discox_tui import __version__
from discox_tui.cli.core.output import fail, json_text, say
from discox_tui.cli.core.session import library
from discox_tui.cli.plan.options import PlanCommandOptions
from discox_tui.reports.ranking.leaderboard import signatures_of
from discox_tui.reports.render.layout import note, number
from discox_tui.text.columns import table
from discox_tui.text.counts import counted
from discox_tui.text.safe import safe
from storage.db.connection import transaction

if TYPE_CHECKING:
    from storage.analysis.audit.drawing import DrawnAudit
    from storage.analysis.audit.leaderboard import Expectation
    from storage.reviews.plans import PlanOptions


SOURCES = {
    "judge": "from how the judge's own scores vary, and a correlation of .5 with people within articles",
    "audits": "from what is audited so far",
}


def plan_audit(options: PlanCommandOptions, asked: PlanOptions) -> int:
    """Draw the plan of an audit and keep it; say what to expect of it."""
    from storage.analysis.audit.drawing import draw_audit, write_audit
    from storage.analysis.audit.leaderboard import expect_of_draw

    with library(options) as connection:
        if options.dry_run:
            made, identity = draw_audit(connection, asked, options.judge), None
        else:
            with transaction(connection):
                made = draw_audit(connection, asked, options.judge)
                identity = write_audit(connection, made, __version__) if made.plan.drawn else None
    if not made.plan.drawn:
        reasons = "; ".join(f"{count:,} {reason}" for reason, count in made.plan.left_out.items())
        return fail(f"no article can be drawn ({reasons or 'there is none'})")
    expected = expect_of_draw(made)
    if options.json:
        print(json_text(_as_json(made, identity, expected)))
    else:
        _print(made, identity, expected)
    return 0


def _print(made: DrawnAudit, identity: str | None, expected: Expectation) -> None:
    plan, audit = made.plan, made.of
    names = plan.options.reviewers
    each_direction = [
        (direction or "(none)", f"{there:,}", f"{drawn:,}", number(off), *map("{:,}".format, gets.values()))
        for direction, there, drawn, off, gets in _rows(made)
    ]
    for line in table(
        ("direction", "there", "drawn", "distance", *names), each_direction, right=range(1, 4 + len(names))
    ):
        say(line)
    say()
    say(
        f"{counted(len(plan.drawn), 'whole article')} of {len(plan.strata):,} that can be drawn, of "
        f"{counted(len(audit.systems), 'system')} each, seed {plan.options.seed}"
    )
    for line in note(safe(f"balanced by the scores of {audit.of.judge}: {made.frame.criterion}")):
        say(line)
    for signature in signatures_of(audit.of):
        say(f"  {signature}")
    if plan.options.overlap and len(names) > 1:
        say(f"  {_shared(made):,} go to several reviewers; the others to one")
    if plan.options.blind:
        say("  blind: the judge's errors and scores are hidden until the reviewer has marked their own")
    if plan.options.number is not None and plan.options.number > len(plan.drawn):
        say(f"  --audit {plan.options.number:,} asks for more than there is")
    if plan.left_out:
        say("left out")
        for reason, count in plan.left_out.items():
            say(f"  {counted(count, 'article')} {reason}")
    say()
    if expected.of["this-test-set"]:
        _print_expected(expected)
    else:
        say("what to expect cannot be told: that takes two systems that the judge tells apart")
    say()
    say("review all of them, in the queue's order; do not stop when something is certain")
    say("this was a dry run; nothing was written" if identity is None else f"kept as plan {identity}")


def _print_expected(expected: Expectation) -> None:
    for line in note(f"half width to expect of a difference's interval, {SOURCES[expected.source]}", indent=0):
        say(line)
    heads = ("articles", "this test set", "by people alone", "new documents", "by people alone")
    beyond = {each.n: each for each in expected.of["new-documents"]}  # which fewer than four tell nothing of
    rows = [
        (
            f"{here.n:,}",
            *(number(value) for value in (here.with_judge, here.alone)),
            *(number(getattr(beyond.get(here.n), name, None)) for name in ("with_judge", "alone")),
        )
        for here in expected.of["this-test-set"]
    ]
    for line in table(heads, rows, right=range(5)):
        say(line)


def _rows(made: DrawnAudit) -> list[tuple[str, int, int, float, dict[str, int]]]:
    """Say of each direction how many articles could be drawn and were, and how many each reviewer gets."""
    plan, directions, articles = made.plan, made.of.directions, _article_of(made)
    whole = {(each.reviewer, articles[each.evaluation_id]) for each in plan.assignments}
    gets = Counter((directions[article], name) for name, article in whole)
    there, drawn = Counter(directions[each] for each in plan.strata), Counter(directions[each] for each in plan.drawn)
    return [
        (each, there[each], drawn[each], off, {name: gets[each, name] for name in plan.options.reviewers})
        for each, off in sorted(made.frame.distances.items())
    ]


def _article_of(made: DrawnAudit) -> dict[str, str]:
    return {row.evaluation: row.article for row in made.of.of.rows}


def _shared(made: DrawnAudit) -> int:
    articles = _article_of(made)
    return len({articles[each.evaluation_id] for each in made.plan.assignments if each.purpose == "overlap"})


def _as_json(made: DrawnAudit, identity: str | None, expected: Expectation) -> dict[str, Any]:
    plan, audit = made.plan, made.of
    return {
        "plan": identity,
        "seed": plan.options.seed,
        "criterion": made.frame.criterion,
        "judge": audit.of.judge,
        "signature": audit.of.signature,
        "systems": list(audit.systems),
        "blind": plan.options.blind,
        "there": len(plan.strata),
        "articles": sorted(audit.keys[each] for each in plan.drawn),
        "overlap": _shared(made),
        "directions": [
            {"direction": direction, "there": there, "drawn": drawn, "distance": distance, "reviewers": gets}
            for direction, there, drawn, distance, gets in _rows(made)
        ],
        "left_out": dict(plan.left_out),
        "expected_from": expected.source,
        "expected": {
            target: [{"n": each.n, "alone": each.alone, "with_judge": each.with_judge} for each in of]
            for target, of in expected.of.items()
        },
        "assignments": [each.as_json() for each in plan.assignments],
    }
