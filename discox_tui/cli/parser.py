"""What can be typed after ``discox``, and which function does it."""

from __future__ import annotations

import argparse
import importlib
import sqlite3
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NoReturn

from discox_tui import __version__
from discox_tui.cli.build import options as build_options
from discox_tui.cli.core.output import fail, ready_streams
from discox_tui.cli.judge import options as run_options
from storage.base.errors import StorageError
from storage.base.text import storable
from storage.exports.registry import WRITERS


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, and where to look."""

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(fail(f"{message}; see `{self.prog} --help`", 2))


if TYPE_CHECKING:
    from argparse import _SubParsersAction

    Commands = _SubParsersAction[_Parser]


def build() -> argparse.ArgumentParser:
    """Return the parser of all commands."""
    parser = _Parser(
        prog="discox",
        description="Audit an LLM judge of translation: source and translation side by side, every error highlighted.",
        epilog="Without a command, discox opens the review app. `discox demo` opens it on a sample.",
    )
    parser.add_argument("--version", action="version", version=f"discox {__version__}")
    _common(parser)
    _guideline(parser)
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")

    review = _command(commands, "review", "open_app:review", "open the review app (the same as no command)")
    review.add_argument("evaluation", nargs="?", type=storable, metavar="ID", help="open this evaluation")
    hide = review.add_mutually_exclusive_group()
    hide.add_argument(
        "--blind", action="store_true", help="blind first: hide what the judge said until you reveal it, from now on"
    )
    hide.add_argument("--hide-systems", action="store_true", help="hide the names of systems, from now on")
    _guideline(review)

    _guideline(_command(commands, "demo", "open_app:demo", "open the app on a fresh copy of the sample"))
    _guideline(_command(commands, "tour", "open_app:tour", "learn to review, on the sample, in three minutes"))
    _guideline(
        _command(commands, "guideline", "core.guideline:guideline", "print what reviewers judge by, as Markdown")
    )

    imports = _command(
        commands,
        "import",
        "library.imports:import_files",
        "store DiscoX data sets, Metric-S results and other tools' files",
    )
    imports.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="a file, or a folder of them; or the word scores and tables of scores by metrics and people; or the word "
        "pair, a source and its translation as plain text or DOCX; or the word answers, a judge's answers and the "
        "files of source and translation with a line for each",
    )
    imports.add_argument(
        "--judge", type=storable, help="the judge model that made the evaluations (official files do not say)"
    )
    imports.add_argument("--system", type=storable, help="the system that translated, instead of what the file says")
    imports.add_argument("--direction", type=storable, metavar="SRC-TGT", help="languages, where a file does not say")
    imports.add_argument("--format", metavar="NAME", help="the format, where it is not to be told from the file")
    imports.add_argument(
        "--mapping", metavar="FILE.toml", help="how other schemes' severities become Metric-S's (see `discox mapping`)"
    )
    imports.add_argument("--no-ground", action="store_true", help="store only; locate the errors later")
    _json(imports)

    export = _command(
        commands, "export", "library.export:export", "write what the library holds for people and other tools"
    )
    export.add_argument("format", metavar="FORMAT", help=f"one of {', '.join(writer.name for writer in WRITERS)}")
    export.add_argument("file", metavar="FILE", help="where to; - for standard output")
    export.add_argument(
        "words", nargs="*", type=storable, metavar="WORD", help="only evaluations in which every word occurs"
    )
    export.add_argument(
        "--judge", action="append", default=[], type=storable, metavar="NAME", help="only this judge (repeatable)"
    )
    export.add_argument(
        "--mapping", metavar="FILE.toml", help="how severities become other schemes' (see `discox mapping`)"
    )

    mapping = _command(
        commands,
        "mapping",
        "library.mapping:mapping",
        "show how other schemes' categories and severities become Metric-S's",
    )
    mapping.add_argument("file", nargs="?", metavar="FILE.toml", help="with what this file changes")
    _json(mapping)

    translate = _command(commands, "translate", "judge.translate:translate", "let a model translate the articles")
    run_options.add_translate(translate)
    _json(translate)

    judge = _command(commands, "judge", "judge.judge:judge", "let a model judge translations by Metric-S")
    run_options.add_judge(judge)
    _json(judge)

    usage = _command(commands, "usage", "judge.usage:usage", "what runs asked and cost: calls, tokens, failures, money")
    run_options.add_usage(usage)
    _json(usage)

    listing = _command(commands, "list", "library.list_show:list_evaluations", "list the evaluations")
    listing.add_argument(
        "words", nargs="*", type=storable, metavar="WORD", help="only those in which every word occurs"
    )
    _validity(listing)
    _json(listing)

    show = _command(commands, "show", "library.list_show:show", "show one evaluation: texts, findings, verdicts")
    show.add_argument("evaluation", type=storable, metavar="ID", help="the evaluation's id, or the beginning of it")
    _validity(show)
    _json(show)

    ground = _command(
        commands, "ground", "library.ground:ground", "locate errors in the texts (again, if the method improved)"
    )
    ground.add_argument(
        "cases", nargs="?", metavar="CASES.json", help="print predictions for a file of grounding cases"
    )
    ground.add_argument("--quiet", action="store_true", help="say nothing")

    consistency = _command(
        commands, "consistency", "figures.consistency:consistency", "how consistent the judge is with humans"
    )
    consistency.add_argument(
        "words", nargs="*", type=storable, metavar="WORD", help="only evaluations in which every word occurs"
    )
    _consistency(consistency)

    board = _command(commands, "leaderboard", "figures.leaderboard:leaderboard", "rank the systems by each judge")
    board.add_argument(
        "words", nargs="*", type=storable, metavar="WORD", help="only evaluations in which every word occurs"
    )
    board.add_argument(
        "--by",
        action="append",
        choices=("total", "dimension", "direction", "domain", "subdomain"),
        help="only these tables (repeatable; else all but the last)",
    )
    board.add_argument("--published", action="store_true", help="with the published figures beside")
    board.add_argument("--seed", type=int, metavar="N", help="of the random draws (else 1)")
    board.add_argument("--resamples", type=int, metavar="N", help="how many random draws, at least 2000 (else 2000)")
    board.add_argument(
        "--weigh",
        choices=("votes",),
        help="weigh each error by the share of the judges, or samples, that found it",
    )
    _audited(board)
    output = board.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument("--csv", action="store_true", help="print CSV, a row for each system and table")
    _files(board)

    plan = _command(
        commands, "plan", "plan.plan:plan", "distribute evaluations among reviewers, or say how far they are"
    )
    _plan(plan)

    building = _command(commands, "build", "open_app:building", "build a benchmark out of candidates for it")
    building.set_defaults(keys=[], json=False)
    parts = building.add_subparsers(dest="part", metavar="COMMAND", title="commands")
    for part in build_options.PARTS:
        parser_of_part = _command(parts, part.name, part.target, part.help)
        part.add(parser_of_part)
        _json(parser_of_part)

    verdicts = commands.add_parser("verdicts", help="the review log as a file", description="The review log as a file.")
    _common(verdicts)
    log = verdicts.add_subparsers(dest="log", metavar="export|import", required=True)
    export = _command(log, "export", "library.verdicts:export_log", "write the review log, one event a line")
    export.add_argument("file", metavar="FILE.jsonl", help="where to; - for standard output")
    take = _command(
        log, "import", "library.verdicts:import_log", "add the events of a review log; repeating it changes nothing"
    )
    take.add_argument("file", metavar="FILE.jsonl")
    _json(take)

    _packs(commands)

    merge = _command(
        commands, "merge", "library.merge:merge_files", "add what other people's libraries hold to this one"
    )
    merge.add_argument("files", nargs="+", metavar="OTHER.db", help="libraries; they are only read")
    _json(merge)

    backup = _command(
        commands, "backup", "library.backup:back_up_library", "copy the whole library to one new file, at any time"
    )
    backup.add_argument("file", metavar="FILE", help="where to; nothing may be there yet")
    _json(backup)

    repair = _command(
        commands,
        "repair",
        "library.repair:repair_library",
        "set aside what nothing can be made of, and derive all else anew",
    )
    _json(repair)

    where = _command(commands, "where", "library.list_show:where", "say which database and settings file are used")
    _json(where)
    return parser


def _consistency(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--scores",
        action="append",
        metavar="FILE",
        help="of this table of scores alone, without a database (repeatable)",
    )
    parser.add_argument(
        "--by",
        choices=("dimension", "severity", "category", "system", "direction", "domain", "reviewer", "spot"),
        help="also within each of these; spot: every weak spot of the judge",
    )
    parser.add_argument(
        "--judge",
        action="append",
        default=[],
        type=storable,
        metavar="NAME",
        help="only this judge, or metric (repeatable)",
    )
    parser.add_argument(
        "--ties",
        choices=("acc_eq", "c_index", "drop_human_ties", "drop_all_ties", "half"),
        default="acc_eq",
        help="the rule for ties that headlines (else acc_eq)",
    )
    parser.add_argument(
        "--compare", nargs=2, type=storable, metavar=("A", "B"), help="two metrics, or two systems: is B ahead of A?"
    )
    parser.add_argument("--published", action="store_true", help="with the published figures beside")
    parser.add_argument("--seed", type=int, metavar="N", help="of the random draws (else 1)")
    parser.add_argument("--resamples", type=int, metavar="N", help="how many random draws, at least 2000 (else 2000)")
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--json", action="store_true", help="print JSON")
    output.add_argument(
        "--csv",
        action="store_true",
        help="print CSV, a row for each metric, level and direction; with --by spot each spot",
    )
    _files(parser)


def _audited(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--audited", action="store_true", help="what people's audits of a few articles and the judge's scores come to"
    )
    parser.add_argument(
        "--target",
        dest="estimated",
        choices=("this-test-set", "new-documents"),
        help="audited: the means over these articles (else), or over all that they are a sample of",
    )
    parser.add_argument("--holm", action="store_true", help="audited: decide all pairs together")
    parser.add_argument(
        "--scores",
        action="append",
        metavar="FILE",
        help="audited: of this table of scores alone, without a database (repeatable)",
    )
    parser.add_argument(
        "--alpha", type=float, metavar="RATE", help="audited: the rate of error of intervals and pairs (else 0.05)"
    )


def _packs(commands: Commands) -> None:
    packs = commands.add_parser("pack", help="examples for judges", description="Examples for judges.")
    _common(packs)
    parts = packs.add_subparsers(dest="part", metavar="export|list|show", required=True)
    export = _command(parts, "export", "judge.pack:export_pack", "write what people decided of findings, as examples")
    export.add_argument("file", metavar="FILE.jsonl", help="where to; - for standard output")
    export.add_argument(
        "words", nargs="*", type=storable, metavar="WORD", help="only evaluations in which every word occurs"
    )
    export.add_argument("--limit", type=int, metavar="N", help="N of a dimension at most, the judge's mistakes first")
    export.add_argument("--seed", type=int, default=1, metavar="N", help="of the choice under a limit (else 1)")
    export.add_argument(
        "--without",
        action="append",
        default=[],
        type=storable,
        metavar="ARTICLE",
        help="nothing of this article (repeatable)",
    )
    export.add_argument(
        "--without-plan",
        action="append",
        default=[],
        metavar="PLAN",
        help="nothing of the articles that this plan of an audit drew (repeatable)",
    )
    export.add_argument("--licence", type=storable, metavar="TEXT", help="on what terms the texts may be passed on")
    _json(export)
    _json(_command(parts, "list", "judge.pack:list_packs", "list the packs that judges were shown"))
    show = _command(parts, "show", "judge.pack:show_pack", "print a pack's examples, one a line")
    show.add_argument("pack", metavar="PACK", help="the pack's id, or the beginning of it")


def _plan(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--reviewers", metavar="NAME,NAME", help="among whom; without it: how far each reviewer is")
    parser.add_argument(
        "--audit",
        type=int,
        metavar="N",
        help="N whole articles, every system's translation, for an audited leaderboard",
    )
    parser.add_argument("--judge", type=storable, metavar="NAME", help="audit: the judge whose scores balance the draw")
    parser.add_argument(
        "--doubtful", type=int, metavar="N", help="the N most doubtful evaluations, to find errors: no random sample"
    )
    parser.add_argument("--number", type=int, metavar="N", help="how many evaluations (else all that can be drawn)")
    parser.add_argument(
        "--by", metavar="KEY,KEY", help="strata by these of system, direction, domain and score (else all)"
    )
    parser.add_argument("--overlap", type=float, metavar="SHARE", help="share of them that all reviewers get, 0 to 1")
    parser.add_argument(
        "--overlap-with", type=int, metavar="N", help="the overlap goes to N reviewers each, not to all"
    )
    parser.add_argument(
        "--again", type=float, metavar="SHARE", help="share that a reviewer gets a second time, late, 0 to 1"
    )
    parser.add_argument("--blind", action="store_true", help="errors are marked before the judge's are shown")
    parser.add_argument("--seed", type=int, metavar="N", help="of the random draw (else 1)")
    parser.add_argument(
        "--words", nargs="+", type=storable, metavar="WORD", help="only evaluations in which every word occurs"
    )
    parser.add_argument("--dry-run", action="store_true", help="show what the plan would be, and write nothing")
    _json(parser)


def _validity(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--validity", action="store_true", help="say how likely the errors that you have not decided stand"
    )


def _common(parser: argparse.ArgumentParser) -> None:
    # SUPPRESS lets the options stand before or after the command without the one overwriting the other.
    parser.add_argument(
        "--db", metavar="FILE", default=argparse.SUPPRESS, help="the database (else DISCOX_DB, else yours)"
    )
    parser.add_argument("--reviewer", metavar="NAME", default=argparse.SUPPRESS, help="whose verdicts these are")


def _guideline(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--guideline", metavar="FILE", default=argparse.SUPPRESS, help="a guideline of your own, instead of ours"
    )


def _files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--html", metavar="FILE", help="write a report for people; - for standard output")
    parser.add_argument("--markdown", metavar="FILE", help="write the tables as Markdown; - for standard output")
    parser.add_argument("--latex", metavar="FILE", help="write the tables as LaTeX; - for standard output")


def _json(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON")


def _command(commands: Commands, name: str, target: str, help_text: str) -> _Parser:
    parser = commands.add_parser(name, help=help_text, description=help_text[0].upper() + help_text[1:] + ".")
    _common(parser)
    parser.set_defaults(target=target)
    return parser


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 could not, 2 wrong use."""
    ready_streams()
    try:
        options = build().parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    options.given = tuple(arguments)
    options.db = getattr(options, "db", None)
    options.reviewer = getattr(options, "reviewer", None)
    options.guideline = getattr(options, "guideline", None)
    options.evaluation = getattr(options, "evaluation", None)
    options.blind = getattr(options, "blind", False)
    options.hide_systems = getattr(options, "hide_systems", False)
    for name in ("db", "reviewer", "guideline"):
        if getattr(options, name) == "":
            return fail(f"--{name} is given but empty; give it a value or leave it out", 2)
    module, function = getattr(options, "target", "open_app:review").split(":")
    command: Callable[[argparse.Namespace], int] = getattr(
        importlib.import_module(f"discox_tui.cli.{module}"), function
    )
    try:
        code = command(options)
        sys.stdout.flush()  # a full disk is said here, not by Python at exit
        return code
    except StorageError as error:
        return fail(str(error))
    except sqlite3.Error as error:
        from discox_tui.config.paths import database_path
        from storage.db.sqlite_errors import explain

        return fail(explain(error, database_path(options.db).path))
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away; nothing is left to say, and Python would complain at exit
        return 0
    except OSError as error:
        return fail(f"what was asked for could not be written or read ({error.strerror or error}); check the disk")
    except KeyboardInterrupt:
        return fail("stopped; what was done until now is kept")
