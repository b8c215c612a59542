"""``discox build quotas``: what the benchmark should hold, how long its articles should be, and how that stands."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, get_args

from discox_tui.cli.build.options import QuotasOptions
from discox_tui.cli.core.output import fail, json_text, say
from discox_tui.cli.core.session import library, reviewer
from discox_tui.text.columns import table
from discox_tui.text.counts import counted
from judges.benchmark.checks.length import Unit
from judges.benchmark.selection.selection import Balance, Quota, QuotaState, balance, discox, quotas_from_json
from judges.stats.numerics import rounded_up
from storage.base.errors import StorageError
from storage.base.files import why_not
from storage.benchmark.candidates import Candidate, candidates
from storage.benchmark.log import BuildLog
from storage.benchmark.settings import lengths, standing, target
from storage.benchmark.settings import quotas as standing_quotas

DISCOX = "discox"
"""The word for DiscoX's own distribution."""
ARTICLES = 200
_LEAST = re.compile(r"([a-z]{2,3})=(\d{1,7})([a-z]*)")
_SPACED = "words"


def quotas(options: QuotasOptions) -> int:
    """Set what is given, then print how the quotas stand."""
    if options.articles is not None and options.quotas != DISCOX:
        return fail("--articles goes with the word discox", 2)
    if options.target == 0:
        return fail("--target takes a share above 0, such as 0.3", 2)
    try:
        least = dict(map(_least, options.least))
    except ValueError as error:
        return fail(str(error), 2)
    wanted = None if options.quotas in (None, DISCOX) else _from_file(Path(options.quotas))
    with library(options, create=True, discreet=True) as connection:
        everyone = candidates(connection, reviewer(options))
        if options.quotas == DISCOX:
            directions = dict.fromkeys(each.direction for each in everyone)
            wanted = discox(options.articles or ARTICLES, *([list(directions)] if directions else []))
        log = BuildLog(connection, reviewer(options))
        if wanted is not None:
            log.set_quotas(wanted)
        if least:
            log.set_lengths(least)
        if options.target is not None:
            log.set_target(options.target)
        states = [standing(each) for each in everyone]
        stands = balance(standing_quotas(connection), states)
        asked = lengths(connection)
        share = target(connection)
    accepted, excepted = sum(each.outcome == "accepted" for each in states), _excepted(everyone)
    if options.json:
        said = {"target": share, "candidates": len(states), "accepted": accepted, "exceptions": excepted}
        print(json_text(_json(stands, asked) | said))
        return 0
    if not stands.quotas:
        say("there are no quotas yet; `discox build quotas discox` takes DiscoX's own distribution")
    else:
        _print(stands)
    for language, (count, unit) in asked.items():
        say(f"articles in {language} should have {count:,} {unit} at least")
    if states:
        aim = f"; {share:.0%} should come in, {rounded_up(share * len(states)):,}" if share is not None else ""
        say(f"{accepted:,} of {counted(len(states), 'candidate')} accepted ({accepted / len(states):.0%}){aim}")
    if excepted:
        say(f"of those accepted, {excepted:,} without a condition of the stages; `discox build list` says which")
    return 0


def _excepted(everyone: Iterable[Candidate]) -> int:
    """Return how many of the accepted came in without a condition."""
    return sum(each.outcome == "accepted" and bool(each.exemptions) for each in everyone)


def _least(given: str) -> tuple[str, tuple[int, str]]:
    """Read ``fr=1200`` or ``ja=2000characters``. Raises ValueError."""
    from judges.benchmark.checks.intake import DEFAULT

    found = _LEAST.fullmatch(given.strip().casefold())
    if found is None or found[3] not in ("", *get_args(Unit)):
        raise ValueError(f"--least takes LANG=COUNT, such as fr=1200 or ja=2000characters, not {given!r:.40}")
    usual = DEFAULT.least.get(found[1])
    return found[1], (int(found[2]), found[3] or (usual.unit if usual else _SPACED))


def _from_file(path: Path) -> tuple[Quota, ...]:
    """Read quotas from TOML or JSON. Raises StorageError naming file, place and mend."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise StorageError(f"{path}: is not UTF-8; save it as UTF-8") from None
    except OSError as error:
        raise StorageError(f"{path}: cannot be read ({why_not(path, error)}); check the name, or say discox") from None
    try:
        value = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
        return quotas_from_json(value)
    except (ValueError, RecursionError, AttributeError) as error:
        mend = 'write each as [[quotas]] with wanted = 10, and direction, domain or subdomain = "…"'
        raise StorageError(f"{path}: {error}; {mend}") from None


def _print(stands: Balance) -> None:
    heads = ["direction", "domain", "subdomain", "wanted", "accepted", "open", "short", "lacking"]
    rows = [_row(each) for each in stands.quotas]
    rows.append(["together", "", "", *_numbers(stands.quotas)])
    if stands.outside.accepted or stands.outside.open:
        rows.append(["in no quota", "", "", "", str(stands.outside.accepted), str(stands.outside.open), "", ""])
    for line in table(heads, rows, right=range(3, 8)):
        say(line)
    if stands.distance.value is not None:
        say(f"{stands.distance.value:.0%} of what is accepted would have to be of another kind")


def _row(each: QuotaState) -> list[str]:
    names = (each.quota.direction, each.quota.domain, each.quota.subdomain)
    return [*(name or "any" for name in names), *_numbers([each])]


def _numbers(filled: Sequence[QuotaState]) -> list[str]:
    sums = (
        sum(each.quota.wanted for each in filled),
        sum(each.accepted for each in filled),
        sum(each.open for each in filled),
        sum(each.short for each in filled),
        sum(each.lacking for each in filled),
    )
    return [f"{number:,}" for number in sums]


def _json(stands: Balance, least: dict[str, tuple[int, str]]) -> dict[str, Any]:
    return {
        "quotas": [
            {
                "direction": each.quota.direction,
                "domain": each.quota.domain,
                "subdomain": each.quota.subdomain,
                "wanted": each.quota.wanted,
                "accepted": each.accepted,
                "open": each.open,
                "short": each.short,
                "lacking": each.lacking,
            }
            for each in stands.quotas
        ],
        "outside": {"accepted": stands.outside.accepted, "open": stands.outside.open},
        "distance": stands.distance.value,
        "least": least,
    }
