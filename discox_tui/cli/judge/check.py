"""``discox judge --check``: whether key, model, schema, context and price are right, by one question."""

from __future__ import annotations

from functools import partial
from typing import Any

from discox_tui.cli.core.output import json_text, note, say
from discox_tui.cli.judge import progress
from discox_tui.cli.judge.money import bill, money
from discox_tui.cli.judge.options import JudgeOptions
from discox_tui.cli.judge.settings import policy
from discox_tui.runs import checking
from discox_tui.runs.checking import Checked, Point, Question
from discox_tui.runs.judging import Judging
from discox_tui.text.columns import table
from judges.providers.model import Provider


def run(options: JudgeOptions, judging: Judging, question: Question, provider: Provider, currency: str) -> int:
    """Ask, print what was tried and found, and return 0 where all that can be known is right."""
    ask = partial(checking.check, judging, question, provider, policy(options))
    found = progress.until_done(ask, "checked", judging.progress, judging.spending, currency)
    points = [*found.points(), _price(options, judging, found, currency)]
    right = found.usable and all(point.right is not False for point in points)
    if options.json:
        print(json_text(_json(judging, found, points, right)))
        return int(not right)
    for line in table(["", "", ""], [[_word(point.right), point.name, point.said] for point in points])[1:]:
        say(line.strip())
    say("tried:")
    for each in found.attempts:
        dropped = f" without {', '.join(sorted(each.form.dropped))}" if each.form.dropped else ""
        status = "no answer" if each.status is None else str(each.status)
        why = f": {each.error}" if each.error else ""
        say(f"  {each.form.format}{dropped}: {status}, {each.outcome.replace('_', ' ')}, {each.seconds:.1f} s{why}")
    if found.problem:
        note(f"discox: {found.problem}")
    if found.usable and question.article:
        say("the answer is on record: judging with the same settings will not ask it again")
    return int(not right)


def _word(right: bool | None) -> str:
    return {True: "right", False: "WRONG", None: "?"}[right]


def _price(options: JudgeOptions, judging: Judging, found: Checked, currency: str) -> Point:
    """Return what is known of the price, and what this call came to by it."""
    spent, price = judging.spending, judging.spending.price
    told = f"the server says what calls cost; this check came to {bill(spent, currency)}" if spent.charged else ""
    if price is None and told:
        return Point("price", True, told)
    if price is None:
        wanted = bool(options.prices)
        said = f"{options.prices} has no price for {options.model}" if wanted else "not known; --prices names a file"
        return Point("price", False if wanted else None, said)
    cached = "" if price.cached is None else f", {price.cached:g} cached"
    of = f"{price.input:g} for a million tokens in{cached}, {price.output:g} out {currency}".rstrip()
    if told:
        by_file = money(sum(price.of(each.tokens) or 0.0 for each in found.attempts), currency)
        return Point("price", True, f"{told}, by {options.prices} to {by_file} ({of})")
    return Point("price", True, f"{of}; this check came to {bill(spent, currency)}" if found.attempts else of)


def _json(judging: Judging, found: Checked, points: list[Point], right: bool) -> dict[str, Any]:
    question, last, spent = found.question, found.last, judging.spending
    return {
        "right": right,
        "points": {point.name: {"right": point.right, "said": point.said} for point in points},
        "server": question.request.server,
        "model": question.request.model,
        "answered_by": last.model if last and last.model else None,
        "format": last.form.format if found.usable and last else None,
        "question": {
            "step": question.request.step,
            "article": question.article or None,
            "system": question.system or None,
            "characters": question.characters,
            "estimated_tokens": question.estimate,
            "counted_tokens": last.tokens.input if last else None,
        },
        "tried": checking.as_json(found.attempts),
        "problem": found.problem or None,
        "run": judging.run_id or None,
        "cost": spent.bill,
    }
