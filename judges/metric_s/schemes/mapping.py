"""Mapping of other schemes' categories and severities to Metric-S and back, by rules that are data.

The rules are in ``mappings/metric_s.toml``, which says how a file of one's own looks. What no rule speaks of is kept
with its labels and has no severity: it is never dropped and never guessed.
"""

from __future__ import annotations

import hashlib
import json
from collections import abc
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from judges.metric_s.schemes.mapping_file import (
    KINDS,
    VERSION,
    Kind,
    MappingError,
    name_key,
    name_parts,
    own_tables,
    read_tables,
    word,
)
from judges.model import CATEGORIES, JUDGES, LEVELS, Dimension, Judge, Severity, dimension_of

__all__ = [
    "KINDS",
    "BackRow",
    "Kind",
    "Mapped",
    "Mapping",
    "MappingError",
    "MqmLabel",
    "Row",
    "read_mapping",
]

NOT_MAPPED = "not mapped"
CATEGORY_NOT_KNOWN = "category not known"


@dataclass(frozen=True, slots=True)
class Mapped:
    """Result of the mapping for one category and severity of another scheme.

    ``rule``: its name, empty where none fits (``kind`` is then ``ask``). ``judge`` is None where the category is known
    by no name; ``category`` and ``severity`` are None where there is none of ours. ``…_label``: theirs, as given.
    ``lost``: what did not come along, in words. ``choice``: no right answer; what else the user might want, in words.
    ``instruction_failed``: it fails the instruction check, so that the translation is a judged 0.
    """

    rule: str
    kind: Kind
    judge: Judge | None
    category: str | None
    severity: Severity | None
    category_label: str
    severity_label: str
    lost: tuple[str, ...] = ()
    choice: str = ""
    instruction_failed: bool = False

    @property
    def dimension(self) -> Dimension | None:
        """The dimension it counts under, if its category is known."""
        return dimension_of(self.judge) if self.judge else None


class MqmLabel(NamedTuple):
    """Name of a Metric-S error in MQM. ``note``: what the label cannot say; empty if it says all."""

    category: str
    severity: str
    note: str = ""


class Row(NamedTuple):
    """One rule as people read it. ``changed``: it is not, or not only, the program's own."""

    rule: str
    categories: str
    severities: str
    kind: Kind
    ours: str
    lost: str
    choice: str
    changed: bool


class BackRow(NamedTuple):
    """One line of the table that goes beside an export: ours, and what it was written as."""

    judge: Judge
    category: str
    severity: str
    mqm_category: str
    mqm_severity: str
    note: str


@dataclass(frozen=True, slots=True)
class _Category:
    id: str
    names: tuple[str, ...]
    group: str
    judge: Judge
    category: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rule:
    id: str
    kind: Kind
    groups: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    missing: bool = False
    judge: Judge | None = None
    category: str | None = None
    severity: Severity | None = None
    lost: tuple[str, ...] = ()
    choice: str = ""
    instruction_failed: bool = False

    def fits(self, category: _Category | None, level: str | None, missing: bool) -> bool:
        return (
            (not self.groups or (category is not None and category.group in self.groups))
            and (not self.levels or level in self.levels)
            and (missing or not self.missing)
        )


class Mapping:
    """The rules that hold for an import or an export. ``read_mapping`` makes it; it never changes.

    ``text`` is all of it as canonical JSON, to be kept with what was mapped; ``id`` are 12 hex digits that stand for
    that text, so that comments and order of keys do not matter.
    """

    def __init__(self, tables: dict[str, Any]) -> None:
        self.text = json.dumps(tables, ensure_ascii=False, separators=(",", ":"))
        self.id = hashlib.sha256(json.dumps(_ordered(tables), sort_keys=True).encode()).hexdigest()[:12]
        self._categories = {
            name: _Category(**_frozen({"id": name, **table})) for name, table in tables["categories"].items()
        }
        self._rules = [_rule(name, table) for name, table in tables["rules"].items()]
        self._levels = {word(spelling): level for level, held in tables["severities"].items() for spelling in held}
        self._named = {name_key(name): category for category in self._categories.values() for name in category.names}
        self._tables = tables
        self._cached = lru_cache(maxsize=4096)(self._read)

    @property
    def signature(self) -> str:
        """The version of the form and what stands for the rules, such as ``1/0f3a…``."""
        return f"{VERSION}/{self.id}"

    def read(self, category: str | Sequence[str] | None, severity: str | None, *, missing: bool = False) -> Mapped:
        """Return what a category and a severity of theirs are in Metric-S.

        ``category``: in any spelling, “Main/Sub” or its parts; None or empty where the tool gives none. ``missing``:
        the tool marked no stretch but that something is missing.
        """
        if category is None or isinstance(category, str):
            return self._cached(category or "", severity or "", missing)
        return self._cached("/".join(category), severity or "", missing)

    def weight(self, category: str | None, severity: str | None) -> float | None:
        """Return what an error of theirs weighs in an MQM score (≥ 0, lower is better); None for an unknown severity.

        Errors of the source weigh as others do: WMT's scores count them.
        """
        level = self._levels.get(word(severity or ""))
        found = self._find(category or "")[0]
        exception = self._tables["weight_exceptions"].get(found.id) if found else None
        if exception and level in exception["levels"]:
            return float(exception["weight"])
        return None if level not in self._tables["weights"] else float(self._tables["weights"][level])

    def to_mqm(
        self, judge: Judge, category: str | None, severity: Severity | None, *, point: int | None = None
    ) -> MqmLabel:
        """Return the MQM label of an error of ours. ``point``: the number of the rubric point that it violates."""
        names, level = self._tables["mqm_categories"], f"{judge}/{severity}" if severity else "none"
        name = names.get(f"{judge}/{category}", names[judge])
        if judge == "rubric" and point is not None:
            name += f"/考点{point}"
        return MqmLabel(name, self._tables["mqm_severities"][level], self._tables["mqm_notes"].get(level, ""))

    def explain(self) -> list[Row]:
        """Return the rules in the order in which they are tried, as a table for people; what none fits comes last."""
        own, rows = own_tables(), []

        def changed(top: str, name: str) -> bool:
            return bool(self._tables[top][name] != own[top].get(name))

        for rule in self._rules:
            held = [c for c in self._categories.values() if c.group in rule.groups]
            names = ", ".join(dict.fromkeys(c.names[0] or "(none given)" for c in held if c.names)) or "any"
            spellings = (self._tables["severities"][level] for level in rule.levels)
            levels = ", ".join(next((one for one in held if one), "") for held in spellings)
            if rule.missing:
                levels = "[missing]"
            ours = _ours(rule, held)
            other = (
                changed("rules", rule.id)
                or any(changed("categories", c.id) for c in held)
                or any(changed("severities", level) for level in rule.levels)
            )
            rows.append(
                Row(
                    rule=rule.id,
                    categories=names,
                    severities=levels or "any",
                    kind=rule.kind,
                    ours=ours,
                    lost=", ".join(rule.lost),
                    choice=rule.choice,
                    changed=other,
                )
            )
        anything = "name it in a mapping file of your own"
        return [
            *rows,
            Row(
                rule="",
                categories="anything else",
                severities="anything else",
                kind="ask",
                ours="no severity",
                lost=NOT_MAPPED,
                choice=anything,
                changed=False,
            ),
        ]

    def explain_back(self) -> list[BackRow]:
        """Return what every category and severity of ours is written as: the table that goes beside an export."""
        return [
            BackRow(judge, category or "", severity or "", *self.to_mqm(judge, category, severity))
            for judge in JUDGES
            for category in (*CATEGORIES[judge], None)
            for severity in (*LEVELS[judge], None)
        ]

    def _read(self, category: str, severity: str, missing: bool) -> Mapped:
        found, whole = self._find(category)
        level = self._levels.get(word(severity or ""))
        ours = found.category if found and whole else None
        judge = found.judge if found else None
        rule = next((rule for rule in self._rules if rule.fits(found, level, missing)), None)
        if rule is None:
            return Mapped(
                rule="",
                kind="ask",
                judge=judge,
                category=ours,
                severity=None,
                category_label=category,
                severity_label=severity,
                lost=(NOT_MAPPED,),
            )
        lost = rule.lost if whole or found is None else (CATEGORY_NOT_KNOWN, *rule.lost)
        if rule.judge:
            judge, ours = rule.judge, rule.category if rule.judge != judge else rule.category or ours
        elif rule.category:
            ours = rule.category
        return Mapped(
            rule=rule.id,
            kind=rule.kind,
            judge=judge,
            category=ours,
            severity=rule.severity,
            category_label=category,
            severity_label=severity,
            lost=lost,
            choice=rule.choice,
            instruction_failed=rule.instruction_failed,
        )

    def _find(self, category: str) -> tuple[_Category | None, bool]:
        """Return the category that a name stands for, and whether the whole name is known and not only its Main."""
        parts = name_parts(category)
        if found := self._named.get("/".join(parts)) or self._named.get(f"{parts[0]}/*"):
            return found, True
        for end in range(len(parts) - 1, 0, -1):
            if found := self._named.get("/".join(parts[:end])):
                return found, end > 1
        return self._named.get(parts[-1]), True


def read_mapping(text: str, name: str = "the mapping") -> Mapping:
    """Return the program's own mapping, changed by what a text of the same form says. Raises MappingError."""
    return Mapping(read_tables(text, name))


def _rule(name: str, table: abc.Mapping[str, Any]) -> _Rule:
    given = _frozen({"id": name, **table})
    return _Rule(**(given | {"severity": None} if given.get("severity") == "none" else given))


def _frozen(table: abc.Mapping[str, Any]) -> dict[str, Any]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def _ordered(tables: dict[str, Any]) -> dict[str, Any]:
    """The tables with the rules and the categories as lists, since their order decides."""
    return tables | {top: list(tables[top].items()) for top in ("rules", "categories")}


def _ours(rule: _Rule, categories: Sequence[_Category]) -> str:
    """Return the outcome of a rule in words."""
    if rule.instruction_failed:
        return "fails the instruction check"
    if rule.severity is None:
        return "no severity"
    judges = dict.fromkeys([rule.judge] if rule.judge else [c.judge for c in categories])
    return f"{' or '.join(judge for judge in judges if judge)}: {rule.severity.replace('_', ' ')}"
