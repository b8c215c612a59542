"""Examples for judges out of the library: which of people's verdicts make one, and which are taken under a limit."""

from __future__ import annotations

import sqlite3
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judges.metric_s.human_score import human_deduction
from judges.metric_s.protocol.few_shot import OVERRULED, VERDICTS, Example, ReviewedValues, text_hash
from judges.model import DIMENSIONS, SHOWN, SIDES, Finding, Verdict
from judges.stats.sampling import random_number
from storage.analysis.audit.plans import read_audit_plans
from storage.base.errors import StorageError
from storage.base.text import named_by
from storage.exports.evaluations import Exported, exported, words_of
from storage.exports.selection import Selection
from storage.log.events import readable
from storage.reviews.layers import is_adjudicated, is_again

UNSCORED = "of an evaluation without a score by the judge"
NOT_DONE = "of a review that is not done, or hides the judge's findings yet"
UNSURE = "unsure"
DUPLICATE = "a duplicate of another finding"
DROPPED = "dropped by de-duplication"
DISAGREE = "reviewers disagree, and nobody settled it"
SILENT = "neither explains nor quotes anything, or names no rubric point"
WITHOUT = "of an article that is to be left out"
LIMITED = "over the limit"
LABELS = ("dimension", "category", "severity")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The examples that were chosen, and how many findings with a verdict were left out, by reason."""

    examples: tuple[Example, ...]
    left_out: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Articles:
    """Articles by their keys and the hashes of their sources: either tells one."""

    keys: frozenset[str] = frozenset()
    sources: frozenset[str] = frozenset()

    def holds(self, key: str, source: str) -> bool:
        """Return True if an article, by its key and the hash of its source, is one of them."""
        return key in self.keys or source in self.sources


def articles_named(connection: sqlite3.Connection, names: Collection[str], plans: Collection[str]) -> Articles:
    """Return the articles of these keys or ids, and those that these plans of audits drew (by the beginnings of ids).

    Raises StorageError for a name that nothing has.
    """
    there = connection.execute("SELECT id, key, source FROM articles").fetchall()
    known = {name for identity, key, _ in there for name in (identity, key)}
    if unknown := [name for name in names if name not in known]:
        raise StorageError(f"no article has the name {unknown[0]!r:.60}; check the keys in the data set")
    drawn = {article for plan in plans for article in _drawn(connection, plan)}
    chosen = [(key, source) for identity, key, source in there if identity in drawn or {identity, key} & set(names)]
    return Articles(frozenset(key for key, _ in chosen), frozenset(text_hash(source) for _, source in chosen))


def _drawn(connection: sqlite3.Connection, beginning: str) -> frozenset[str]:
    plans = {plan.id: plan for plan in read_audit_plans(connection)}
    found = named_by(beginning, plans)
    if len(found) != 1:
        listed = ", ".join(plans) or "none"
        raise StorageError(f"{beginning!r:.60} names {len(found)} plans of an audit, not one; there is: {listed}")
    return plans[found[0]].frame.articles


def drawn_among(connection: sqlite3.Connection, examples: Sequence[Example]) -> dict[str, int]:
    """Return the plans of audits that drew articles which examples are of → how many examples."""
    found = {}
    for plan in read_audit_plans(connection):
        articles = articles_named(connection, plan.frame.articles, ())
        found[plan.id] = sum(articles.holds(each.article, each.source_hash) for each in examples)
    return {plan: count for plan, count in found.items() if count}


def choose_examples(
    connection: sqlite3.Connection,
    selection: Selection,
    without: Articles = Articles(),
    limit: int | None = None,
    seed: int = 1,
    licence: str | None = None,
) -> Chosen:
    """Return people's verdicts on findings as examples, in the order of articles, systems and dimensions.

    Of each finding what an adjudication came to, else what all agree on who are done with their review and not unsure;
    or what the one layer of the selection says. ``limit``: so many of a dimension at most, first those by which the
    judge was wrong, of as many articles and systems as there are, by chance as the ``seed`` has it.
    """
    found: list[Example] = []
    left_out: Counter[str] = Counter()
    for one in exported(connection, selection):
        if not one.verdicts:
            continue
        for example in _of_evaluation(connection, one, licence, mixes=selection.reviewer is None):
            if isinstance(example, str):
                left_out[example] += 1
            elif without.holds(example.article, example.source_hash):
                left_out[WITHOUT] += 1
            else:
                found.append(example)
    if limit is not None:
        within = [
            example
            for dimension in DIMENSIONS
            for example in _limited([each for each in found if each.dimension == dimension], limit, seed)
        ]
        if over := len(found) - len(within):
            left_out[LIMITED] = over
        found = within
    return Chosen(tuple(sorted(found, key=lambda each: (each.article, each.system, each.dimension))), left_out)


def _of_evaluation(
    connection: sqlite3.Connection, one: Exported, licence: str | None, *, mixes: bool
) -> Iterator[Example | str]:
    """Yield an example for each finding with a verdict, or why there is none."""
    evaluation = one.evaluation
    texts = evaluation["source"], evaluation["translation"] or ""
    done = {each["reviewer"] for each in one.reviews if each["state"] == "done" and each["blind"] != "started"}
    versions = {row[:2]: row[2] for row in connection.execute(_GUIDELINES, (evaluation["evaluation"],))}
    points = dict(connection.execute(_POINTS, (evaluation["evaluation"],)))
    verdicts: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for verdict in one.verdicts:
        if verdict["decision"] is not None and not (mixes and is_again(verdict["reviewer"])):
            verdicts[verdict["finding"]].append(verdict)
    for finding in one.findings:
        if not (said := verdicts[finding["finding"]]):
            continue
        point = points.get(finding["rubric_point"]) if finding["step"] == "rubric" else None
        words = words_of([span for span in finding["spans"] if span[3] >= SHOWN], *texts)
        quotes = [words[f"{side}_words"] or None for side in SIDES]
        explanation = finding["explanation"] if finding["explanation"].strip() else None
        kept = _settled([each for each in said if each["reviewer"] in done], mixes=mixes)
        if evaluation["state"] != "scored":
            yield UNSCORED
        elif isinstance(kept, str):
            yield kept
        elif not finding["kept"] and kept[0]["decision"] != "restore":
            yield DROPPED
        elif (finding["step"] == "rubric") != bool(point) or not any((explanation, *quotes)):
            yield SILENT
        else:
            yield Example(
                article=evaluation["article"],
                source_hash=text_hash(texts[0]),
                system=evaluation["system"],
                translation_hash=text_hash(texts[1]),
                direction=evaluation["direction"],
                dimension=finding["dimension"],
                category=finding["category"],
                severity=finding["severity"],
                point=point,
                source_quote=quotes[0],
                target_quote=quotes[1],
                explanation=explanation,
                decision=kept[0]["decision"],
                became=_became(finding, kept[0], texts),
                note=_joined(each["note"] for each in kept),
                guideline=_joined(versions.get((each["finding"], each["reviewer"])) for each in kept),
                licence=licence,
            )


def _settled(said: Sequence[dict[str, Any]], *, mixes: bool) -> list[dict[str, Any]] | str:
    """The verdicts that say what a finding is, all of them the same; or why there is none."""
    if not said:
        return NOT_DONE
    sure = [each for each in said if each["decision"] != "unsure"]
    settling = [each for each in sure if mixes and is_adjudicated(each["reviewer"])] or sure
    if not settling:
        return UNSURE
    if len({_word(each) for each in settling}) > 1:
        return DISAGREE
    return settling if settling[0]["decision"] in VERDICTS else DUPLICATE


def _word(verdict: Mapping[str, Any]) -> tuple[object, ...]:
    decision = verdict["decision"]
    return VERDICTS.get(decision, decision), *(verdict[f"new_{name}"] for name in LABELS)


def _became(finding: Mapping[str, Any], verdict: Mapping[str, Any], texts: tuple[str, str]) -> ReviewedValues:
    """Return what the finding counts as now, where that is something else, and its words, where others were marked."""
    if VERDICTS[verdict["decision"]] != "changed":
        return ReviewedValues()
    changed = {name: verdict[f"new_{name}"] for name in LABELS}
    was = Finding(finding["step"], 1, "", severity=finding["severity"], kept=finding["kept"])
    dimension, severity = human_deduction(was, Verdict(verdict["decision"], **changed)) or (None, None)
    words = words_of(verdict["spans"] or [], *texts)
    return ReviewedValues(
        dimension=dimension if dimension != finding["dimension"] else None,
        category=verdict["new_category"],
        severity=severity if severity != finding["severity"] else None,
        source_quote=words["source_words"] or None,
        target_quote=words["translation_words"] or None,
    )


def _joined(texts: Iterable[str | None]) -> str | None:
    """Different texts as one; None where there is none."""
    return "; ".join(dict.fromkeys(text for text in texts if text and text.strip())) or None


def _limited(examples: Sequence[Example], limit: int, seed: int) -> list[Example]:
    """Return so many of these, one by one: by which the judge was wrong, of the article and system with fewest."""
    left = {(random_number(seed, repr(each)), place): each for place, each in enumerate(examples)}
    articles: Counter[str] = Counter()
    systems: Counter[str] = Counter()
    chosen: list[Example] = []
    while left and len(chosen) < limit:
        best = min(
            left,
            key=lambda key: (
                left[key].decision not in OVERRULED,
                articles[left[key].source_hash],
                systems[left[key].system],
                key,
            ),
        )
        example = left.pop(best)
        articles[example.source_hash] += 1
        systems[example.system] += 1
        chosen.append(example)
    return chosen


_GUIDELINES = f"""
SELECT finding_id, reviewer, guideline FROM events
WHERE evaluation_id = ? AND kind = 'verdict' AND id NOT IN (SELECT event_id FROM undone) AND {readable("events")}
ORDER BY +counter, +at, +id
"""
"""Guidelines by which verdicts were given; the last of a finding's counts."""
_POINTS = """
SELECT p.number, p.text FROM evaluations e JOIN rubric_points p ON p.article_id = e.article_id WHERE e.id = ?
"""
