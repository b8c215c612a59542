"""Help of the command line: commands in groups, an example of each, and the name that was meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

GROUPS: Mapping[str, tuple[str, ...]] = {
    "review": ("review", "demo", "tour", "serve", "guideline", "plan"),
    "what judges said, and what people say": ("import", "list", "show", "ground", "verdicts", "mapping"),
    "figures": ("consistency", "leaderboard"),
    "ask a model": ("judge", "translate", "providers", "usage", "pack"),
    "files for others": ("export", "datasette-metadata"),
    "build a benchmark": ("build",),
    "the library": ("merge", "backup", "repair", "where", "completion"),
}
"""Title → the commands under it, in their order."""

EXAMPLES: Mapping[str, str] = {
    "review": "discox review --reviewer lin",
    "demo": "discox demo",
    "tour": "discox tour",
    "serve": "discox serve --reviewers lin,okafor --lead ana",
    "guideline": "discox guideline > guideline.md",
    "import": "discox import results/ --judge gemini-2.5-pro",
    "export": "discox export xlsx audit.xlsx",
    "datasette-metadata": "discox datasette-metadata > metadata.json",
    "mapping": "discox mapping severities.toml",
    "translate": "discox translate --system gpt-5 --provider openai --model gpt-5 --dry-run",
    "judge": "discox judge --provider gemini --model gemini-2.5-pro --dry-run",
    "providers": "discox providers",
    "usage": "discox usage",
    "list": "discox list news --json",
    "show": "discox show 3f2a",
    "ground": "discox ground",
    "consistency": "discox consistency --html report.html",
    "leaderboard": "discox leaderboard",
    "plan": "discox plan --reviewers lin,okafor --overlap 0.2",
    "build": "discox build",
    "build add": "discox build add candidates.jsonl",
    "build list": "discox build list",
    "build check": "discox build check",
    "build filter": "discox build filter --provider gemini --model gemini-2.5-pro --dry-run",
    "build assign": "discox build assign --people ana,ben",
    "build decide": "discox build decide accept dyke",
    "build people": "discox build people ana=author+reviewer",
    "build quotas": "discox build quotas discox",
    "build write": "discox build write benchmark.jsonl",
    "build test": "discox build test",
    "verdicts": "discox verdicts export lin.jsonl",
    "verdicts export": "discox verdicts export lin.jsonl --reviewer lin",
    "verdicts import": "discox verdicts import lin.jsonl",
    "pack": "discox pack list",
    "pack export": "discox pack export examples.jsonl",
    "pack list": "discox pack list",
    "pack show": "discox pack show 1c0d",
    "merge": "discox merge okafor.db",
    "backup": "discox backup audit-copy.db",
    "repair": "discox repair",
    "where": "discox where",
    "completion": "discox completion bash > ~/.local/share/bash-completion/completions/discox",
}
"""Command → a line that one could type."""


def meant(typed: str, known: Iterable[str]) -> str:
    """Return the question which of the known names was meant, empty where none is like what was typed."""
    near = get_close_matches(typed, list(known), n=1, cutoff=0.6)
    return f"; did you mean {near[0]}?" if near else ""
