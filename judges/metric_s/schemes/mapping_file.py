"""Mapping files: the program's own tables with the user's put over them, and what is wrong with the user's, by line."""

from __future__ import annotations

import json
import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import Any, Literal, cast, get_args

from judges.metric_s.reading.labels import normal
from judges.model import CATEGORIES, JUDGES, LEVELS, Judge

Kind = Literal["error", "note", "clean", "quality_check", "incomplete", "ask"]
"""The kind of a row. ``error``: costs points. ``note``: kept, weighs nothing. ``clean``: somebody looked and
found nothing. ``quality_check``: of the rater. ``incomplete``: not decided. ``ask``: no rule speaks of it."""
KINDS: tuple[Kind, ...] = get_args(Kind)

VERSION = 1
"""The version of the form of mapping files."""


class MappingError(ValueError):
    """A mapping file that cannot be used. One line: the file, the line, what is wrong, how to mend it."""


@cache
def own_tables() -> dict[str, Any]:
    """Return the program's own tables; not to be changed."""
    return tomllib.loads(files("judges.metric_s.schemes").joinpath("metric_s.toml").read_text(encoding="utf-8"))


def read_tables(text: str, name: str) -> dict[str, Any]:
    """Return the program's own tables, changed by what the ``text`` of the file ``name`` says.

    New rules come before the others; names and spellings are added, and taken from where they were; other keys replace
    the same ones. Raises MappingError, naming the line, for what is no TOML, no key of a mapping, or cannot be.
    """
    try:
        given = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise MappingError(f"{name}: is not TOML ({error})") from None
    fault = _Faults(name, text)
    _check_form(given, fault)
    tables = _merged(given)
    _check_sense(tables, given, fault)
    return tables


_GLOSS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
"""Words in brackets, which name no category: “(Translation 2)”, “[/-]”."""


def word(label: str) -> str:
    """Return a label as it is compared; one of signs alone is itself, and not the empty one."""
    return normal(label) or label.strip()


def name_parts(name: str) -> list[str]:
    """Return the parts of a category's name as they are compared; at least one; of those that are the same, one."""
    plain = unicodedata.normalize("NFKC", name)
    parts = [normal(part) for part in _GLOSS.sub(" ", plain).split("/")]
    return list(dict.fromkeys(part for part in parts if part)) or [word(plain)]


def name_key(name: str) -> str:
    """Return what a name in a mapping file is looked up by: its parts, with “/*” at the end if it has that."""
    return "/".join(name_parts(name.removesuffix("/*"))) + ("/*" if name.endswith("/*") else "")


_TYPES: Mapping[str, tuple[type, ...]] = {
    **dict.fromkeys(("names", "groups", "levels", "lost"), (list,)),
    **dict.fromkeys(("group", "judge", "category", "severity", "kind", "choice"), (str,)),
    **dict.fromkeys(("missing", "instruction_failed"), (bool,)),
    "weight": (int, float),
}
_KEYS: Mapping[str, tuple[str, ...]] = {
    "categories": ("names", "group", "judge", "category"),
    "rules": (
        *("groups", "levels", "missing", "kind", "judge", "category", "severity", "lost", "choice"),
        "instruction_failed",
    ),
    "weight_exceptions": ("levels", "weight"),
}
"""Table → the keys that each of its tables may have."""
_SAID: Mapping[type, str] = {
    list: 'a list of texts, like ["a", "b"]',
    str: "text in quotes",
    bool: "true or false",
    int: "a number that is not negative",
}


class _Faults:
    """Makes errors that name a file's line."""

    def __init__(self, name: str, text: str) -> None:
        self._name, self._text = name, text

    def __call__(self, keys: Sequence[str], message: str) -> MappingError:
        """Return the error of what ``keys`` lead to; its line is that of the last of them which is found."""
        at, line = 0, 1
        for key in keys:
            quoted = re.escape(key), re.escape(json.dumps(key, ensure_ascii=False))
            pattern = re.compile(rf"^[^#\n]*?(?<![\w-])(?:{'|'.join(quoted)})(?![\w-])", re.M)
            if found := pattern.search(self._text, at):
                at, line = found.start(), self._text.count("\n", 0, found.end()) + 1
        return MappingError(f"{self._name}, line {line}: {'.'.join(keys)} {message}")


def _check_form(given: dict[str, Any], fault: _Faults) -> None:
    """Refuse keys that mean nothing and values of the wrong type."""
    own = own_tables()
    for top, table in given.items():
        if top not in own:
            raise fault([top], f"is no part of a mapping; known are {', '.join(own)}")
        if top == "version":
            if table != VERSION or isinstance(table, bool):
                raise fault([top], f"must be {VERSION}: this program reads no other form")
            continue
        if not isinstance(table, dict):
            raise fault([top], f"must be a table, like [{top}]")
        for key, value in table.items():
            _check_entry(top, key, value, fault)


def _check_entry(top: str, key: str, value: Any, fault: _Faults) -> None:
    where = [top, key]
    if top in _KEYS:
        if not isinstance(value, dict):
            raise fault(where, f"must be a table, like [{top}.{key}]")
        for name, held in value.items():
            if name not in _KEYS[top]:
                raise fault([*where, name], f"is no key of it; known are {', '.join(_KEYS[top])}")
            _check_type([*where, name], held, _TYPES[name], fault)
        return
    if top.startswith("mqm_") and key not in (known := _places(top)):
        raise fault(where, f"is none of ours; known are {', '.join(known)}")
    kinds: dict[str, tuple[type, ...]] = {"severities": (list,), "weights": (int, float)}
    _check_type(where, value, kinds.get(top, (str,)), fault)


def _check_type(where: Sequence[str], value: Any, types: tuple[type, ...], fault: _Faults) -> None:
    wrong = not isinstance(value, types) or (isinstance(value, bool) and bool not in types)
    if list in types and not wrong:
        wrong = not all(isinstance(item, str) for item in value)
    if int in types and not wrong:
        wrong = not 0 <= value < float("inf")
    if wrong:
        raise fault(where, f"must be {_SAID[types[0]]}, not {repr(value)[:80]}")


def _places(top: str) -> list[str]:
    """The keys of the tables that lead back."""
    if top == "mqm_categories":
        return [*JUDGES, *(f"{judge}/{category}" for judge in JUDGES for category in CATEGORIES[judge])]
    return [*(f"{judge}/{severity}" for judge in JUDGES for severity in LEVELS[judge]), "none"]


def _merged(given: dict[str, Any]) -> dict[str, Any]:
    """Return the program's tables with the user's put over them: new rules first, names added, other keys replaced."""
    own = own_tables()
    tables = dict(own)
    for top, table in given.items():
        if top == "severities":
            added = {level: [*own[top].get(level, ()), *words] for level, words in table.items()}
            tables[top] = _last_wins({**own[top], **added}, table)
        elif top in _KEYS:
            entries = {key: {**own[top].get(key, {}), **entry} for key, entry in table.items()}
            if top == "rules":
                entries = {key: _decided(own[top].get(key, {}), entry) for key, entry in table.items()}
            if top == "categories":
                for key, entry in table.items():
                    entries[key]["names"] = [*own[top].get(key, {}).get("names", ()), *entry.get("names", ())]
                entries = _renamed({**own[top], **entries}, table)
            new = {key: entry for key, entry in entries.items() if key not in own[top]}
            tables[top] = {**new, **{key: entries.get(key, entry) for key, entry in own[top].items()}}
        elif top != "version":
            tables[top] = {**own[top], **table}
    return tables


_OUTCOME = frozenset(("kind", "judge", "category", "severity", "instruction_failed"))
_KEPT = "kept, weighs nothing"
_WEIGHT = frozenset(("weight differs", "weight inflated"))


def _decided(own: Mapping[str, Any], entry: Mapping[str, Any]) -> dict[str, Any]:
    """Put the user's keys over a rule; where they say what it comes to, no choice is left, and less may be lost."""
    rule = {**own, **entry}
    if not _OUTCOME & entry.keys():
        return rule
    if entry.get("kind", "error") != "error" and "severity" not in entry:
        rule["severity"] = "none"
    if "choice" not in entry:
        rule.pop("choice", None)
    if "lost" in entry:
        return rule
    if rule.get("kind") != "error":
        rule["lost"] = [_KEPT] if rule.get("kind") in ("note", "incomplete") else []
        return rule
    gone = {_KEPT}
    if "category" in entry:
        gone.add("category not given")
    if rule.get("levels") == [rule.get("severity")]:
        gone.add("severity lost")
    if rule.get("judge") != own.get("judge"):
        gone |= _WEIGHT  # those of another judge's errors
    rule["lost"] = [lost for lost in rule.get("lost", ()) if lost not in gone]
    return rule


def _last_wins(words: dict[str, list[str]], given: dict[str, list[str]]) -> dict[str, list[str]]:
    """Take the user's spellings away from the levels that had them."""
    theirs = {word(w): level for level, added in given.items() for w in added}
    return {level: [w for w in held if theirs.get(word(w), level) == level] for level, held in words.items()}


def _renamed(categories: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Take the user's names away from the categories that had them."""
    names = {key: category["names"] for key, category in categories.items()}
    theirs = {name_key(name): key for key, category in given.items() for name in category.get("names", ())}
    return {
        key: {**category, "names": [n for n in names[key] if theirs.get(name_key(n), key) == key]}
        for key, category in categories.items()
    }


def _check_sense(tables: dict[str, Any], given: dict[str, Any], fault: _Faults) -> None:
    """Refuse what is well formed and cannot be: judges, categories and severities that are not ours, and the like."""
    categories, levels = tables["categories"], list(tables["severities"])
    for key, category in categories.items():
        for needed in ("group", "judge"):
            if needed not in category:
                raise fault(["categories", key], f"has no {needed}")
        _check_ours(["categories", key], category, fault)
    for where, name, held in _named_twice(given):
        raise fault(where, f"names {name!r}, which {held} does too")
    groups = list(dict.fromkeys(category["group"] for category in categories.values()))
    for key, rule in tables["rules"].items():
        where = ["rules", key]
        if not (rule.get("groups") or rule.get("levels") or rule.get("missing")):
            near = get_close_matches(key, own_tables()["rules"], 1)
            meant = f"; to change a rule of ours write [rules.{near[0]}]" if near and near[0] != key else ""
            raise fault(where, f"must say which groups or levels it is for, or it would hold for every error{meant}")
        if "kind" not in rule:
            raise fault(where, "has no kind")
        _check_ours(where, rule, fault)
        _check_known(where, "groups", rule.get("groups", ()), groups, fault)
        _check_known(where, "levels", rule.get("levels", ()), levels, fault)
        _check_known(where, "kind", [rule["kind"]], [kind for kind in KINDS if kind != "ask"], fault)
        _check_severity(where, rule, categories, fault)
    for key, exception in tables["weight_exceptions"].items():
        if key not in categories:
            raise fault(["weight_exceptions", key], f"is no category; known are {', '.join(categories)}")
        for needed in _KEYS["weight_exceptions"]:
            if needed not in exception:
                raise fault(["weight_exceptions", key], f"has no {needed}")
        _check_known(["weight_exceptions", key], "levels", exception["levels"], levels, fault)
    _check_known([], "weights", list(tables["weights"]), levels, fault)


def _named_twice(given: dict[str, Any]) -> Iterator[tuple[list[str], str, str]]:
    """Yield what the user's own file names in two places."""
    seen: dict[str, str] = {}
    for key, category in given.get("categories", {}).items():
        for name in category.get("names", ()):
            if seen.setdefault(name_key(name), key) != key:
                yield ["categories", key, "names"], name, f"categories.{seen[name_key(name)]}"
    words: dict[str, str] = {}
    for level, held in given.get("severities", {}).items():
        for spelling in held:
            if words.setdefault(word(spelling), level) != level:
                yield ["severities", level], spelling, f"severities.{words[word(spelling)]}"


def _check_ours(where: list[str], entry: dict[str, Any], fault: _Faults) -> None:
    if "judge" in entry:
        _check_known(where, "judge", [entry["judge"]], JUDGES, fault)
    if "category" in entry:
        judges = [cast("Judge", entry["judge"])] if "judge" in entry else JUDGES
        known = [category for judge in judges for category in CATEGORIES[judge]]
        _check_known(where, "category", [entry["category"]], known, fault)


def _check_severity(where: list[str], rule: dict[str, Any], categories: dict[str, Any], fault: _Faults) -> None:
    """Refuse a severity that a judge does not have, an error without one, and one on what is no error."""
    severity = rule.get("severity", "none")
    if rule["kind"] != "error":
        if severity != "none":
            raise fault([*where, "severity"], f'must be "none", as kind is {rule["kind"]!r} and costs nothing')
        return
    held = [c for c in categories.values() if c["group"] in rule.get("groups", ())]
    judges = dict.fromkeys([rule["judge"]] if "judge" in rule else [c["judge"] for c in held])
    if not judges:
        raise fault(where, "must say which groups it is for, or which judge's errors they are")
    for judge in judges:
        _check_known(where, "severity", [severity], LEVELS[cast("Judge", judge)], fault)
        if "category" in rule:
            _check_known(where, "category", [rule["category"]], list(CATEGORIES[cast("Judge", judge)]), fault)


def _check_known(where: Sequence[str], key: str, values: Sequence[str], known: Sequence[str], fault: _Faults) -> None:
    for value in values:
        if value not in known:
            raise fault([*where, key], f"has {value!r}; known are {', '.join(known)}")
