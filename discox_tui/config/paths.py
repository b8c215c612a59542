"""Paths on this machine, the settings file, and the reviewer's name."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from storage.base.errors import StorageError
from storage.base.files import dangling
from storage.base.text import storable

if TYPE_CHECKING:
    from judges.metric_s.published import Kind

APP = "discox"


def data_directory() -> Path:
    """The user's data directory for this program (not created)."""
    import platformdirs

    return Path(platformdirs.user_data_dir(APP, appauthor=False))


def cache_directory() -> Path:
    """The user's folder for what this program can make again (not created)."""
    import platformdirs

    return Path(platformdirs.user_cache_dir(APP, appauthor=False))


def log_directory() -> Path:
    """The folder for traces of crashes (not created)."""
    import platformdirs

    return Path(platformdirs.user_log_dir(APP, appauthor=False))


def settings_file() -> Path:
    """The settings file: ``DISCOX_CONFIG``, else ``config.toml`` in the user's configuration directory."""
    if given := os.environ.get("DISCOX_CONFIG"):
        return Path(given)
    import platformdirs

    return Path(platformdirs.user_config_dir(APP, appauthor=False)) / "config.toml"


class DatabasePath(NamedTuple):
    """Path of the database, and the rule that chose it."""

    path: Path
    chosen_by: str


def database_path(option: str | None) -> DatabasePath:
    """Return the database file: the ``--db`` option, else ``DISCOX_DB``, else one in the user's data directory."""
    if option:
        return DatabasePath(Path(option), "--db")
    if given := os.environ.get("DISCOX_DB"):
        return DatabasePath(Path(given), "DISCOX_DB")
    return DatabasePath(data_directory() / "discox.db", "the user's data directory")


@dataclass(frozen=True, slots=True)
class Settings:
    """Settings that the file may hold. All are optional."""

    reviewer: str | None = None
    theme: str | None = None
    auto_advance: bool = True
    wide_quotes: bool = False
    """Count “ ” — … as two cells, for terminals set to wide ambiguous characters."""
    time: bool = True
    """Keep how long the reviewer spends on each finding."""
    keymap: str | None = None
    guideline: str | None = None
    """The team's own guideline; None: ours."""
    presets: Mapping[str, Any] = field(default_factory=dict)
    """Servers that judges are asked at, as ``config.presets`` reads them."""
    kinds: Mapping[str, Any] = field(default_factory=dict)
    """Kinds of systems by their names, as ``system_kinds`` reads them."""


def system_kinds(settings: Settings) -> dict[str, Kind]:
    """Return the kinds of systems that the settings say. Raises StorageError for a word that is no kind."""
    if not settings.kinds:
        return {}
    from judges.metric_s.published import KINDS

    for system, kind in settings.kinds.items():
        if kind not in KINDS:
            raise StorageError(f"the settings: kinds: {system}: {kind!r:.60} is none of {', '.join(KINDS)}")
    return dict(settings.kinds)


def load_settings() -> Settings:
    """Read the settings file, or return the defaults where there is none.

    Raises StorageError for a file that is not TOML or holds an unknown name or a value of the wrong type.
    """
    path = settings_file()
    if broken := dangling(path):
        raise StorageError(f"the settings {path}: {broken}; mend the link, or delete it")
    if not path.exists():
        return Settings()
    import tomllib  # most have no settings file; they do not wait for it

    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise StorageError(f"{path}: cannot be read as TOML ({error}); mend or delete it") from error
    kinds: dict[str, type] = {
        each.name: bool if isinstance(each.default, bool) else str if each.default is None else dict
        for each in fields(Settings)
    }
    for name, value in table.items():
        if name not in kinds:
            raise StorageError(f"{path}: unknown setting {name!r}; known are {', '.join(kinds)}")
        if not isinstance(value, kinds[name]):
            wanted = {bool: "true or false", str: "text in quotes"}.get(kinds[name], f"tables, like [{name}.NAME]")
            raise StorageError(f"{path}: setting {name!r} must be {wanted}, not {value!r}")
    return Settings(**table)


def reviewer_name(option: str | None, settings: Settings) -> str:
    """Return who reviews: the ``--reviewer`` option, else the settings file's, else the login name."""
    for name in (option, settings.reviewer):
        if name and name.strip():
            return storable(name.strip())
    try:
        return storable(getpass.getuser())
    except (OSError, KeyError):
        return "reviewer"
