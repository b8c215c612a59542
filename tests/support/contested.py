"""A library whose figures differ from one another, so that a picture shows when one is computed as another.

Two directions with other systems, articles in unlike numbers, scores that tie, and two reviewers who do not agree with
the judge nor with each other, each in a way of their own.
"""

from __future__ import annotations

import random
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from judges.model import LEVELS, Dimension, Finding, Judge
from storage.db.connection import Connection
from storage.integrity.opening import open_library
from storage.record.groundings import ground_pending
from storage.record.library import read_evaluation
from storage.reviews.review_log import ReviewLog
from tests.support import builders

SYSTEMS = {"zh-en": ("heron", "plover", "egret", "tern"), "en-zh": ("heron", "wren", "tern")}
ARTICLES = {"zh-en": 11, "en-zh": 4}
DOMAINS = ("文学", "法律", "新闻")
KEEPS = {"lin": (0.8, 10), "okafor": (0.6, 7)}
"""Reviewer → the share of the judge's errors that they confirm, and of how many of ten evaluations."""
HARSH = "heron"
"""The system of which the judge says more than is so: the reviewers confirm half as much of it."""
MOVED: dict[Judge, Dimension] = {"accuracy": "fluency", "fluency": "appropriateness"}
"""Where the reviewers count some of a judge's errors."""


def make(path: Path) -> None:
    """Make the library; it is the same every time."""
    chance = random.Random(11)
    with closing(open_library(path)) as connection:
        ids = [
            _evaluation(connection, chance, direction, number, place)
            for direction, systems in SYSTEMS.items()
            for number in range(ARTICLES[direction])
            for place in range(len(systems))
        ]
        ground_pending(connection, path)
        for reviewer, (kept, of_ten) in KEEPS.items():
            for number, identity in enumerate(ids):
                if number % 10 < of_ten:
                    _review(ReviewLog(connection, reviewer), identity, chance, kept)


def _evaluation(connection: Connection, chance: random.Random, direction: str, number: int, place: int) -> str:
    texts = builders.SOURCE, builders.TRANSLATION
    source, translation = texts if direction == "zh-en" else texts[::-1]
    if number % 3 == 0:
        found = builders.findings()  # a tie of all systems
    else:
        found = tuple(_other(finding, chance) for finding in builders.findings()[place:] if chance.random() < 0.8)
        found = tuple(replace(finding, duplicate_of=None, kept=True) for finding in found)
    return builders.add(
        connection,
        article=f"{direction}-{number}",
        system=SYSTEMS[direction][place],
        direction=direction,
        domain=DOMAINS[number % len(DOMAINS)],
        source=source,
        translation=translation,
        found=found,
    )


def _other(finding: Finding, chance: random.Random) -> Finding:
    return replace(finding, severity=chance.choice(LEVELS[finding.judge]))


def _review(log: ReviewLog, identity: str, chance: random.Random, kept: float) -> None:
    log.open(identity)
    evaluation = read_evaluation(log.connection, identity)
    kept = kept / 2 if evaluation.system == HARSH else kept
    for finding in evaluation.findings:
        if finding.finding.kept:
            log.decide(identity, finding.id, **_verdict(finding.finding, chance, kept))
    if chance.random() < 0.3:
        place = ["translation", 0, 9]
        log.mark(identity, "e1", spans=[place], dimension="fluency", category="grammar", severity="minor")
    log.set_state(identity, "done")


def _verdict(finding: Finding, chance: random.Random, kept: float) -> dict[str, str]:
    if chance.random() < kept:
        return {"decision": "agree"}
    if chance.random() < 0.15:
        return {"decision": "unsure"}
    if finding.judge in MOVED and chance.random() < 0.4:
        return {"decision": "reattribute", "dimension": MOVED[finding.judge]}
    others = [severity for severity in LEVELS[finding.judge] if severity != finding.severity]
    if not others or chance.random() < 0.5:
        return {"decision": "not_an_error"}
    return {"decision": "override", "severity": chance.choice(others)}
