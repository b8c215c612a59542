"""``discox judge --check``: whether key, model, schema, context and price are right, by one question."""

from __future__ import annotations

from functools import partial
from typing import Any

from discox_tui.cli.core.output import json_text, note, say
from discox_tui.cli.judge import progress
from discox_tui.cli.judge.options import JudgeOptions
from discox_tui.config.prices import TOLD_CURRENCY
from discox_tui.runs import checking
from discox_tui.runs.checking import Checked, Point, Question
from discox_tui.runs.judging import Judging
from discox_tui.runs.orders import JudgeOrder
from discox_tui.text.columns import table
from discox_tui.text.counts import money

NEAR = 1.25
"""Times that the cost by a price file may be off what the server says: some do not tell what was cached."""


def run(options: JudgeOptions, order: JudgeOrder, judging: Judging, question: Question, currency: str) -> int:
    """Ask, print what was tried and found, and return 0 where all that can be known is right.

    A model of its own for de-duplication is asked a short question after that.
    """
    others = judging.choice.settings.models[1:]
    questions = [question, *(checking.short_question(judging.choice.settings, model) for model in others)]
    whole, reports = True, []
    for each in questions:
        ask = partial(checking.check, judging, each, order.asked.connect(), order.policy)
        found = progress.until_done(ask, "checked", judging.progress, judging.spending, currency)
        points = [*found.points(), _price(options, judging, found, currency)]
        right = found.usable and all(point.right is not False for point in points)
        whole = whole and right
        reports.append(_json(judging, found, points, right))
        if not options.json:
            _say(found, points)
    if options.json:
        print(json_text(reports[0] | ({"deduplication": reports[1]} if others else {})))
    return int(not whole)


def _say(found: Checked, points: list[Point]) -> None:
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
    if found.usable and found.question.article:
        say("the answer is on record: judging with the same settings will not ask it again")


def _word(right: bool | None) -> str:
    return {True: "right", False: "WRONG", None: "?"}[right]


def _price(options: JudgeOptions, judging: Judging, found: Checked, currency: str) -> Point:
    """Return what is known of the price, and what the attempts came to by it."""
    model, spent = found.question.request.model, judging.spending
    price = spent.price_of(model)
    by_file = sum((price.of(each.tokens) or 0.0) for each in found.attempts) if price else 0.0
    costs = [each.cost for each in found.attempts if each.cost is not None]
    told = f"the server says what calls cost: {money(sum(costs), TOLD_CURRENCY)}" if costs and spent.heed_told else ""
    if price is None and told:
        return Point("price", True, told)
    if price is None:
        wanted = bool(options.prices)
        lacks = f'{options.prices} has no price for {model}; add a table [models."{model}"]'
        said = lacks if wanted else "not known; --prices names a file"
        return Point("price", False if wanted else None, said)
    cached = "" if price.cached is None else f", {price.cached:g} cached"
    of = f"{price.input:g} for a million tokens in{cached}, {price.output:g} out {currency}".rstrip()
    came = f"{of}; by that the check came to {money(by_file, currency)}" if found.attempts else of
    if not told:
        return Point("price", True, came)
    right = sum(costs) / NEAR <= by_file <= sum(costs) * NEAR
    mend = "" if right else f"; mend the price in {options.prices}"
    return Point("price", right, f"{told}; by {options.prices}: {came}{mend}")


def _json(judging: Judging, found: Checked, points: list[Point], right: bool) -> dict[str, Any]:
    question, last = found.question, found.last
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
        "cost": judging.spending.bill,
    }
