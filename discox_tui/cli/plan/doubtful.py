"""``discox plan --doubtful``: what to review where a judge's errors are sought, and not a sample of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from discox_tui import __version__
from discox_tui.cli.core.output import fail, json_text, say
from discox_tui.cli.core.session import library
from discox_tui.cli.plan.options import PlanCommandOptions
from discox_tui.reports.render.layout import note, number
from discox_tui.reports.render.phrases import learnt_from
from discox_tui.text.columns import table
from discox_tui.text.counts import counted
from storage.db.connection import transaction
from storage.reviews.plans import DOUBTFUL

if TYPE_CHECKING:
    from storage.analysis.uncertainty_sampling import DoubtfulPlan
    from storage.db.connection import Connection
    from storage.reviews.plans import PlanOptions

NOT_RANDOM = (
    "Not a random sample: what is found in these says nothing of other evaluations. They are left out of precision and "
    "of all other figures of consistency, and no article counts as drawn for an audit by them."
)
SHOWN = 20
"""Evaluations that are listed; JSON has them all."""


def plan_doubtful(options: PlanCommandOptions, asked: PlanOptions) -> int:
    """Choose the most doubtful evaluations and keep who is to review them."""
    from storage.analysis.uncertainty_sampling import draw_doubtful, write_doubtful

    with library(options) as connection:
        if options.dry_run:
            made, identity = draw_doubtful(connection, asked), None
        else:
            with transaction(connection):
                made = draw_doubtful(connection, asked)
                identity = write_doubtful(connection, made, __version__) if made.plan.drawn else None
        names = _names(connection)
    if not made.plan.drawn:
        reasons = "; ".join(f"{count:,} {reason}" for reason, count in made.plan.left_out.items())
        return fail(f"no evaluation can be chosen ({reasons or 'there is none'})")
    if options.json:
        print(json_text(_as_json(made, identity)))
    else:
        _print(made, identity, names)
    return 0


def _names(connection: Connection) -> dict[str, tuple[str, str, int]]:
    """Article, system and errors of every evaluation."""
    rows = connection.execute("SELECT id, article, system, errors FROM evaluations")
    return {identity: (article, system, errors) for identity, article, system, errors in rows}


def _print(made: DoubtfulPlan, identity: str | None, names: dict[str, tuple[str, str, int]]) -> None:
    plan = made.plan
    whose = {each.evaluation_id: each.reviewer for each in plan.assignments}
    rows = []
    for place, each in enumerate(plan.drawn[:SHOWN], 1):
        article, system, errors = names[each]
        rows.append((f"{place}", article, system, f"{errors:,}", number(made.expected[each]), whose[each]))
    for line in table(("", "article", "system", "errors", "doubtful", "reviewer"), rows, right=(0, 3, 4)):
        say(line)
    if (more := len(plan.drawn) - SHOWN) > 0:
        say(f"… and {more:,} more; --json has them all")
    say()
    say(f"{counted(len(plan.drawn), 'evaluation')} of {len(plan.strata):,} that can be chosen, {DOUBTFUL}")
    say("  doubtful: how many findings are expected not to stand")
    say(f"  {learnt_from(made.learnt.n, made.learnt.articles)}")
    if plan.options.number is not None and plan.options.number > len(plan.drawn):
        say(f"  --doubtful {plan.options.number:,} asks for more than there is")
    if plan.left_out:
        say("left out")
        for reason, count in plan.left_out.items():
            say(f"  {count:,} {reason}")
    say()
    for line in note(NOT_RANDOM, indent=0):
        say(line)
    say("this was a dry run; nothing was written" if identity is None else f"kept as plan {identity}")


def _as_json(made: DoubtfulPlan, identity: str | None) -> dict[str, Any]:
    plan = made.plan
    return {
        "plan": identity,
        "order": DOUBTFUL,
        "random": False,
        "learnt_from": {"verdicts": made.learnt.n, "articles": made.learnt.articles},
        "there": len(plan.strata),
        "drawn": len(plan.drawn),
        "left_out": dict(plan.left_out),
        "assignments": [each.as_json() | {"doubtful": made.expected[each.evaluation_id]} for each in plan.assignments],
    }
