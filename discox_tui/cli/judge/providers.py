"""``discox providers``: protocols and presets, where each asks, and whether a key is set. Nobody is asked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from discox_tui.cli.core.options import JsonOptions
from discox_tui.cli.core.output import json_text, say
from discox_tui.config.credentials import setting
from discox_tui.config.paths import load_settings, settings_file
from discox_tui.config.presets import Preset, presets
from discox_tui.text.columns import table
from judges.providers.registry import provider_class, provider_names


def providers(options: JsonOptions) -> int:
    """Print protocols and presets."""
    known = list(presets(load_settings().presets, str(settings_file())).values())
    protocols = [_protocol(name) for name in provider_names()]
    if options.json:
        print(json_text({"protocols": protocols, "presets": [_json(each) for each in known]}))
        return 0
    say("PROTOCOLS (--provider)")
    rows = [[each["name"], each["address"] or each["problem"], _keys(each["keys"])] for each in protocols]
    for line in table(["", "address", "key"], rows):
        say(line)
    say()
    say("PRESETS (--preset)")
    lines = []
    for each in known:
        address = each.address or " or ".join((*each.address_variables, "--base-url")) if each.elsewhere else "its own"
        yours = " (yours)" if each.own else ""
        lines.append([f"{each.name}{yours}", each.provider, address, _keys(_found(each)), "; ".join(each.odd()) or "–"])
    for line in table(["", "protocol", "address", "key", "set"], lines):
        say(line)
    say()
    for each in known:
        if each.note:
            say(f"  {each.name}: {each.note}")
    say(f"your own stand in {settings_file()}, as [presets.NAME]")
    return 0


def _protocol(name: str) -> dict[str, Any]:
    try:
        kind = provider_class(name)
    except ValueError as problem:
        return {"name": name, "address": None, "keys": {}, "batches": False, "problem": str(problem)}
    keys = {variable: bool(setting(variable, Path.cwd())) for variable in kind.key_variables}
    return {"name": name, "address": kind.address, "keys": keys, "batches": bool(kind.batches), "problem": None}


def _found(each: Preset) -> dict[str, bool]:
    variables = each.key_variables
    if not variables and not each.elsewhere and each.provider in provider_names():
        variables = provider_class(each.provider).key_variables
    return {variable: bool(setting(variable, Path.cwd())) for variable in variables}


def _keys(keys: dict[str, bool]) -> str:
    """Say which variables hold the key, and whether one is set."""
    if not keys:
        return "none"
    here = next((name for name, held in keys.items() if held), "")
    return f"{here} (set)" if here else f"{' or '.join(keys)} (not set)"


def _json(each: Preset) -> dict[str, Any]:
    """Return a preset as JSON, without the values of headers."""
    return {
        "name": each.name,
        "title": each.title or None,
        "provider": each.provider,
        "address": each.address or None,
        "address_variables": list(each.address_variables),
        "keys": _found(each),
        "format": each.format or None,
        "limit_name": each.limit_name or None,
        "dropped": list(each.dropped),
        "stream": each.stream,
        "tells_cost": each.tells_cost,
        "headers": list(each.headers),
        "query": list(each.query),
        "params": dict(each.params),
        "note": each.note or None,
        "own": each.own,
    }
