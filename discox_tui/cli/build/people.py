"""``discox build people``: who is author, reviewer and adjudicator of a benchmark, and the hours of everybody."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from discox_tui.cli.build.options import PeopleOptions
from discox_tui.cli.core.output import fail, json_text, say
from discox_tui.cli.core.session import library, reviewer
from discox_tui.text.columns import table
from discox_tui.text.counts import counted
from storage.benchmark.candidates import ROLES, candidates
from storage.benchmark.log import BuildLog
from storage.benchmark.settings import Person, people_of
from storage.db.connection import at_once


def people(options: PeopleOptions) -> int:
    """Record roles and hours that are given, all of them or none, then print everybody."""
    if options.what and not options.hours:
        return fail("--what goes with --hours NAME=HOURS", 2)
    with library(options, create=True, discreet=True) as connection:
        log = BuildLog(connection, reviewer(options))
        with at_once(connection):
            if options.roles:
                log.set_roles(dict(options.roles))
            for of, hours in options.hours:
                log.add_hours(of, options.stage, hours, options.what)
        everyone = people_of(connection)
        chosen = candidates(connection, reviewer(options))
    assigned = Counter(name for each in chosen for name in each.assigned)
    waiting = Counter(name for each in chosen for name in each.waiting)
    if options.json:
        print(json_text([_as_json(each, assigned[each.name], waiting[each.name]) for each in everyone]))
    elif not everyone:
        say("nobody has worked on a benchmark here yet; `discox build people ana=author ben=reviewer` says who will")
    else:
        _print(everyone, assigned, waiting)
    return 0


def _as_json(each: Person, assigned: int, waiting: int) -> dict[str, Any]:
    return {
        "person": each.name,
        "roles": each.said or each.acted,
        "said": each.said,
        "acted": each.acted,
        "assigned": assigned,
        "decided": assigned - waiting,
        "hours": {"inside": each.inside / 3600, "outside": each.outside / 3600},
    }


def _print(everyone: Sequence[Person], assigned: Mapping[str, int], waiting: Mapping[str, int]) -> None:
    rows = [
        [
            each.name,
            ", ".join(each.said) or "–",
            ", ".join(each.acted) or "–",
            str(assigned[each.name]),
            str(assigned[each.name] - waiting[each.name]),
            f"{each.inside / 3600:.1f}",
            f"{each.outside / 3600:.1f}",
        ]
        for each in everyone
    ]
    heads = ["person", "role", "acted as", "assigned", "decided", "hours inside", "hours outside"]
    for line in table(heads, rows, right=range(3, 7)):
        say(line)
    roles = Counter(role for each in everyone for role in each.said or each.acted)
    said = ", ".join(counted(n, role) for role in ROLES if (n := roles[role]))
    inside, outside = sum(each.inside for each in everyone), sum(each.outside for each in everyone)
    say(
        f"{counted(len(everyone), 'expert')}{f': {said}' if said else ''}; {(inside + outside) / 3600:.1f} hours, "
        f"{outside / 3600:.1f} of them outside of the program"
    )
