"""``discox serve``: the app in the browser of whoever has a link."""

from __future__ import annotations

import asyncio
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from discox_tui.cli.core.options import LibraryOptions, argument, filled, flag, name, number, several
from discox_tui.cli.core.output import fail, note, say
from discox_tui.cli.core.session import library, reviewer
from discox_tui.config.paths import data_directory, database_path
from storage.base.errors import StorageError
from storage.db.connection import Connection

if TYPE_CHECKING:
    from discox_tui.serve.links import Link, Links, Role

PORT = 8722
EXTRA = (
    "discox serve needs textual-serve: `pip install textual-serve` where discox is installed, "
    "`pipx inject discox-tui textual-serve`, or `uv tool install --with textual-serve .` in the project's folder"
)
NEEDED = ("aiohttp", "textual_serve")


def names(given: str) -> tuple[str, ...]:
    """Return names with commas between them, each once."""
    return tuple(dict.fromkeys(name(each) for each in given.replace("，", ",").split(",")))


@dataclass(frozen=True, kw_only=True)
class ServeOptions(LibraryOptions):
    """Options of ``discox serve``."""

    host: str = argument(
        "--host",
        default="127.0.0.1",
        type=filled,
        metavar="ADDRESS",
        help="the address to listen on (default: this machine's own, which nobody else reaches)",
    )
    port: int = argument(
        "--port", default=PORT, type=number(int, 0, 65535), metavar="N", help=f"the port (default: {PORT}; 0: any)"
    )
    public_url: str | None = argument(
        "--public-url", type=filled, metavar="URL", help="the address under which a proxy shows this server"
    )
    reviewers: tuple[str, ...] = argument(
        "--reviewers", default=(), type=names, metavar="NAMES", help="a link for each of these, commas between them"
    )
    reviewers_from: str | None = argument(
        "--reviewers-from", choices=("plan",), help="a link for everybody to whom the plans assign something"
    )
    lead: str | None = argument(
        "--lead", type=name, metavar="NAME", help="a link for whoever leads: they also see how far everybody is"
    )
    read_only: bool = flag("--read-only", "links with which everything can be looked at and nothing changed")
    demo: bool = flag("--demo", "serve a fresh copy of the sample, which is thrown away afterwards")
    open: bool = flag("--open", "open the first link in the browser of this machine")
    revoke: tuple[str, ...] = several(
        "--revoke", "let this person's link open nothing any more, and serve nothing now", type=name, metavar="NAME"
    )
    sessions: int = argument(
        "--sessions", default=16, type=number(int, 1, 256), metavar="N", help="pages open at once (default: 16)"
    )
    idle: float = argument(
        "--idle",
        default=60,
        type=number(float, 1, 10_080),
        metavar="MINUTES",
        help="end a page in which nothing was typed for so long (default: 60)",
    )


def serve(options: ServeOptions) -> int:
    """Serve the app to browsers until it is stopped."""
    if any(find_spec(each) is None for each in NEEDED):
        return fail(EXTRA)
    with _served(options) as (connection, links):
        if options.revoke:
            for each in options.revoke:
                links.revoke(each)
                say(f"the link of {each} opens nothing any more; `--reviewers {each}` makes another one")
            return 0
        people = _people(options, connection, links)
        connection.close()  # each page opens the library for itself
        with suppress(KeyboardInterrupt):
            return asyncio.run(_run(options, connection.path, links, people))
    return 0


@contextmanager
def _served(options: ServeOptions) -> Iterator[tuple[Connection, Links]]:
    """Open the library that is to be served, and its links."""
    from discox_tui.serve.links import Links

    if not options.demo:
        with library(options, create=False, discreet=True) as connection:
            yield connection, Links.of(database_path(options.db).path, data_directory() / "serve")
        return
    from discox_tui.cli.sample import copy_sample, load_sample
    from storage.integrity.backups import DEMO_FOLDER

    with tempfile.TemporaryDirectory(prefix=DEMO_FOLDER) as folder:
        file = Path(folder) / "demo.db"
        made = copy_sample(file)
        with library(LibraryOptions(db=str(file)), create=True, discreet=True) as connection:
            if not made:
                load_sample(connection)
            yield connection, Links.of(file, Path(folder))


def _people(options: ServeOptions, connection: Connection, links: Links) -> dict[str, Role]:
    """Return who gets a link, and their part: who is named, else who has a link already, else whoever asks."""
    from storage.reviews.plans import planned_reviewers

    found: dict[str, Role] = {}
    planned = planned_reviewers(connection) if options.reviewers_from else []
    if options.reviewers_from and not planned:
        raise StorageError("nothing is planned yet; `discox plan --reviewers ana,ben --number 40` plans")
    for each in (*options.reviewers, *planned):
        found[each] = "reader" if options.read_only else "reviewer"
    if options.lead:
        found[options.lead] = "lead"
    if not found and options.read_only:
        found["guest"] = "reader"
    if not found and not options.reviewer:
        found = {each.name: each.role for each in links if not each.revoked}
    return found or {"you" if options.demo and not options.reviewer else reviewer(options): "reviewer"}


async def _run(options: ServeOptions, path: Path, links: Links, people: dict[str, Role]) -> int:
    from discox_tui.serve.server import Limits, Server, is_loopback, run

    def arguments(link: Link) -> list[str]:
        return ["review", "--db", str(path.resolve()), "--reviewer", link.name]

    server = Server(
        links,
        arguments,
        lambda line: note(f"discox: {line}"),
        admits=lambda link: people.get(link.name) == link.role,
        limits=Limits(options.sessions, options.idle * 60),
        public=options.public_url or "",
        title="sample" if options.demo else path.stem,
    )
    secrets = {each: links.give(each, role) for each, role in people.items()}

    def ready(port: int) -> None:
        host = f"[{options.host}]" if ":" in options.host else options.host
        base = (options.public_url or f"http://{host}:{port}").rstrip("/")
        for each, secret in secrets.items():
            say(f"{each}{'' if people[each] == 'reviewer' else f' ({people[each]})'}: {base}/{secret}/")
        say("Each link is a key: give it to that person alone. `discox serve --revoke NAME` makes one open nothing.")
        if not is_loopback(options.host):
            note(
                "discox: WARNING: other machines reach this server, and nothing between them and it is encrypted: "
                "whoever listens reads the links and the texts. Put it behind a proxy that speaks HTTPS "
                "(`--host 127.0.0.1 --public-url https://…`); docs/serve.md says how."
            )
        say("ctrl+c stops it; what was decided until then is kept")
        sys.stdout.flush()
        if options.open:
            import webbrowser

            webbrowser.open(f"{base}/{next(iter(secrets.values()))}/")

    task = asyncio.ensure_future(run(server, options.host, int(options.port), ready))
    for each in (signal.SIGINT, signal.SIGTERM):
        with suppress(NotImplementedError):  # there are no such handlers on Windows, where ctrl+c still ends it
            asyncio.get_running_loop().add_signal_handler(each, task.cancel)
    try:
        await task
    except asyncio.CancelledError:
        return 0
    except OSError as error:
        return fail(
            f"cannot listen on {options.host}, port {options.port} ({error.strerror or error}); "
            "name another with --host or --port"
        )
    return 0
