"""``discox``, ``discox review``, ``discox build``, ``discox demo`` and ``discox tour``: opening the app."""

from __future__ import annotations

import gc
import sqlite3
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from discox_tui.cli.core.guideline import settings_of
from discox_tui.cli.core.options import GuidelineOptions, LibraryOptions, argument, flag
from discox_tui.cli.core.output import can_show_app, fail, note
from discox_tui.cli.core.session import library
from discox_tui.config.access import ONLY_LOOKING, access
from discox_tui.config.paths import Settings, data_directory, reviewer_name
from storage.base.errors import StorageError
from storage.base.files import why_not
from storage.base.text import storable
from storage.db import app_state
from storage.db.connection import Connection
from storage.reviews.blinding import choose_blinding


@dataclass(frozen=True, kw_only=True)
class ReviewOptions(GuidelineOptions):
    """Options of ``discox review``."""

    evaluation: str | None = argument(nargs="?", type=storable, metavar="ID", help="open this evaluation")
    blind: bool = flag(
        "--blind", "blind first: hide what the judge said until you reveal it, from now on", exclusive="hide"
    )
    hide_systems: bool = flag("--hide-systems", "hide the names of systems, from now on", exclusive="hide")


@dataclass(frozen=True, kw_only=True)
class BuildOptions(LibraryOptions):
    """Options of ``discox build`` alone; a guideline may be typed before it."""

    guideline: str | None = None


TourStart = Literal["offer", "begin"]


def review(options: ReviewOptions) -> int:
    """Open the app on the library, at an evaluation if one is named."""
    if not can_show_app():
        return fail("the app needs a terminal; for scripts there are `discox list --json` and `discox show ID --json`")
    settings = settings_of(options.guideline)
    with library(options, create=not options.evaluation, discreet=True) as connection:
        start = None
        if options.evaluation:
            from storage.record.library import resolve  # the queue opens without it

            start = resolve(connection, options.evaluation)
        name = reviewer_name(options.reviewer, settings)
        if options.blind or options.hide_systems:
            choose_blinding(connection, name, "first" if options.blind else "systems")
        return _run(connection, name, settings, start)


def building(options: BuildOptions) -> int:
    """Open the app on the candidates of a benchmark; without a terminal, list them."""
    if not can_show_app():
        from discox_tui.cli.build.candidates import list_candidates
        from discox_tui.cli.build.options import CandidateOptions

        return list_candidates(CandidateOptions(db=options.db, reviewer=options.reviewer))
    settings = settings_of(options.guideline)
    with library(options, discreet=True) as connection:
        return _run(connection, reviewer_name(options.reviewer, settings), settings, building=True)


def _run(
    connection: Connection,
    reviewer: str,
    settings: Settings,
    start: str | None = None,
    tour: TourStart | None = None,
    *,
    building: bool = False,
) -> int:
    """Run the app; return its exit code: 0, 1 after a crash, 128 and its number after a signal that ended it."""
    gc.disable()  # nothing that starting makes is garbage; the app turns it on once it is ready
    from discox_tui.app import DiscoxApp
    from discox_tui.core.keymap import KeymapError
    from discox_tui.terminal.signals import ended_by_signals

    try:
        reach = access()
        if not reach.write:
            connection.execute("PRAGMA query_only = ON")
            connection.notice = ONLY_LOOKING
        app = DiscoxApp(connection, reviewer, settings, start=start, tour=tour, building=building, access=reach)
    except KeymapError as error:
        raise StorageError(str(error)) from None
    except OSError as error:
        if settings.keymap is None:
            raise
        path = Path(settings.keymap).expanduser()
        raise StorageError(
            f"the keymap {path}: cannot be read ({why_not(path, error)}); name another in the settings (keymap)"
        ) from None
    except (StorageError, sqlite3.Error):
        raise
    except Exception as error:
        return _broken(error)
    with ended_by_signals(app):
        try:
            app.run()
        except Exception as error:
            return _broken(app.broken or error)
    if app.broken:
        return _broken(app.broken)
    if app.ending:
        return fail("stopped; what was done until now is kept", app.ending)
    return app.return_code or 0


def _broken(error: Exception) -> int:
    from discox_tui.terminal.crash_trace import report

    return fail(report(error))


def demo(options: GuidelineOptions) -> int:
    """Open the app on a fresh copy of the sample; without a terminal, print the sample's consistency report."""
    return _on_sample(options, "offer")


def tour(options: GuidelineOptions) -> int:
    """Open the app on a fresh copy of the sample and begin the tour, or go on where it was left."""
    if not can_show_app():
        return fail("the tour needs a terminal; to read instead there is `discox guideline`")
    return _on_sample(options, "begin")


def _on_sample(options: GuidelineOptions, start: TourStart) -> int:
    from discox_tui.cli.parser import run
    from discox_tui.cli.sample import copy_sample, load_sample
    from storage.integrity.backups import DEMO_FOLDER

    with tempfile.TemporaryDirectory(prefix=DEMO_FOLDER) as folder:
        kept = None if options.db else data_directory() / "tour.json"  # the copy is thrown away, what was seen is not
        made = options.db is None and copy_sample(Path(folder) / "demo.db")
        options = replace(options, db=options.db or str(Path(folder) / "demo.db"))
        with library(options, create=True, discreet=True) as connection:
            if not made:
                load_sample(connection)
            if can_show_app():
                reviewer = options.reviewer or "you"
                if kept:
                    app_state.bring(connection, reviewer, "tour", kept)
                code = _run(connection, reviewer, settings_of(options.guideline), tour=start)
                if kept:
                    app_state.take(connection, reviewer, "tour", kept)
                    if connection.file is not None:
                        connection.file.note_saved()  # there is nothing to save of what is thrown away
                return code
        note("discox demo: no terminal here, so this is the sample's consistency report; in a terminal the app opens")
        return run(
            ["consistency", "--db", str(options.db), *(["--reviewer", options.reviewer] if options.reviewer else [])]
        )
