"""The commands of ``discox``: names, functions, and the run of the one that was typed."""

from __future__ import annotations

import argparse
import importlib
import sqlite3
import sys
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from discox_tui import __version__
from discox_tui.cli.core.options import GuidelineOptions, LibraryOptions, add_arguments, read
from discox_tui.cli.core.output import fail, ready_streams
from discox_tui.cli.help import EXAMPLES, GROUPS, meant
from storage.base.errors import StorageError

if TYPE_CHECKING:
    from argparse import _SubParsersAction


class Command(NamedTuple):
    """A command: what is typed for it, its function and the type of its options, and what it is for.

    The function takes such options and returns an exit code. Both are ``module:name`` within ``discox_tui.cli``, so
    that they are imported once they are needed. A command without a function is only a name before others.
    """

    name: str
    function: str
    options: str
    help: str


def _named(target: str) -> Any:
    module, name = target.split(":")
    return getattr(importlib.import_module(f"discox_tui.cli.{module}"), name)


COMMANDS = (
    Command("review", "open_app:review", "open_app:ReviewOptions", "open the review app (the same as no command)"),
    Command("demo", "open_app:demo", "core.options:GuidelineOptions", "open the app on a fresh copy of the sample"),
    Command(
        "tour", "open_app:tour", "core.options:GuidelineOptions", "learn to review, on the sample, in three minutes"
    ),
    Command("serve", "serve:serve", "serve:ServeOptions", "open the app to browsers: a link for each reviewer"),
    Command(
        "guideline",
        "core.guideline:guideline",
        "core.options:GuidelineOptions",
        "print what reviewers judge by, as Markdown",
    ),
    Command(
        "import",
        "library.imports:import_files",
        "library.imports:ImportOptions",
        "store DiscoX data sets, Metric-S results and other tools' files",
    ),
    Command(
        "export",
        "library.export:export",
        "library.export:ExportOptions",
        "write what the library holds for people and other tools",
    ),
    Command(
        "datasette-metadata",
        "library.export:print_datasette_metadata",
        "core.options:LibraryOptions",
        "print what Datasette shows beside the library: descriptions of tables and columns, and queries",
    ),
    Command(
        "mapping",
        "library.mapping:mapping",
        "library.mapping:MappingOptions",
        "show how other schemes' categories and severities become Metric-S's",
    ),
    Command(
        "translate", "judge.translate:translate", "judge.options:TranslateOptions", "let a model translate the articles"
    ),
    Command("judge", "judge.judge:judge", "judge.options:JudgeOptions", "let a model judge translations by Metric-S"),
    Command(
        "providers",
        "judge.providers:providers",
        "core.options:JsonOptions",
        "list the protocols and servers that judges can be asked at",
    ),
    Command(
        "usage",
        "judge.usage:usage",
        "judge.options:UsageOptions",
        "what runs asked and cost: calls, tokens, failures, money",
    ),
    Command("list", "library.list_show:list_evaluations", "library.list_show:ListOptions", "list the evaluations"),
    Command(
        "show",
        "library.list_show:show",
        "library.list_show:ShowOptions",
        "show one evaluation: texts, findings, verdicts",
    ),
    Command(
        "ground",
        "library.ground:ground",
        "judge.options:GroundOptions",
        "locate errors in the texts (again, if the method improved), or ask a model where they are",
    ),
    Command(
        "consistency",
        "figures.consistency:consistency",
        "figures.options:ConsistencyOptions",
        "how consistent the judge is with humans",
    ),
    Command(
        "leaderboard",
        "figures.leaderboard:leaderboard",
        "figures.options:LeaderboardOptions",
        "rank the systems by each judge",
    ),
    Command(
        "plan",
        "plan.plan:plan",
        "plan.options:PlanCommandOptions",
        "distribute evaluations among reviewers, or say how far they are",
    ),
    Command("build", "open_app:building", "open_app:BuildOptions", "build a benchmark out of candidates for it"),
    Command(
        "build add",
        "build.candidates:add",
        "build.options:AddOptions",
        "add articles that may come into the benchmark, and check them",
    ),
    Command(
        "build list",
        "build.candidates:list_candidates",
        "build.options:CandidateOptions",
        "list the candidates, and how far they are",
    ),
    Command("build check", "build.candidates:check", "build.options:CheckOptions", "check texts and rubric points"),
    Command(
        "build filter", "build.filter:filter_candidates", "build.options:FilterOptions", "keep what systems find hard"
    ),
    Command(
        "build assign",
        "build.deciding:assign",
        "build.options:AssignOptions",
        "distribute candidates among the people who decide on them",
    ),
    Command(
        "build decide", "build.deciding:decide", "build.options:DecideOptions", "accept or reject candidates, or settle"
    ),
    Command(
        "build people",
        "build.people:people",
        "build.options:PeopleOptions",
        "who is author, reviewer and adjudicator, and the hours of all",
    ),
    Command(
        "build quotas",
        "build.quotas:quotas",
        "build.options:QuotasOptions",
        "say what the benchmark should hold, and what is missing",
    ),
    Command(
        "build write",
        "build.write:write",
        "build.options:WriteOptions",
        "write the data set that it has become, and its data sheet",
    ),
    Command("build test", "build.test:test", "build.test:TestOptions", "say whether what is judged makes a good test"),
    Command("verdicts", "", "", "the review log as a file"),
    Command(
        "verdicts export",
        "library.verdicts:export_log",
        "library.verdicts:ExportLogOptions",
        "write the review log, one event a line",
    ),
    Command(
        "verdicts import",
        "library.verdicts:import_log",
        "library.verdicts:ImportLogOptions",
        "add the events of a review log; repeating it changes nothing",
    ),
    Command("pack", "", "", "examples for judges"),
    Command(
        "pack export",
        "judge.pack:export_pack",
        "judge.pack:ExportPackOptions",
        "write what people decided of findings, as examples",
    ),
    Command("pack list", "judge.pack:list_packs", "core.options:JsonOptions", "list the packs that judges were shown"),
    Command("pack show", "judge.pack:show_pack", "judge.pack:ShowPackOptions", "print a pack's examples, one a line"),
    Command(
        "merge",
        "library.merge:merge_files",
        "library.merge:MergeOptions",
        "add what other people's libraries hold to this one",
    ),
    Command(
        "backup",
        "library.backup:back_up_library",
        "library.backup:BackupOptions",
        "copy the whole library to one new file, at any time",
    ),
    Command(
        "repair",
        "library.repair:repair_library",
        "core.options:JsonOptions",
        "set aside what nothing can be made of, and derive all else anew",
    ),
    Command(
        "where", "library.list_show:where", "core.options:JsonOptions", "say which database and settings file are used"
    ),
    Command(
        "completion",
        "completion:print_completion",
        "completion:CompletionOptions",
        "print what lets a shell complete commands and options",
    ),
)
REVIEW = COMMANDS[0]
"""The command that no command stands for."""


class _Word(str):
    """A word that stands behind ``--``, so it is no option whatever it begins with."""

    __slots__ = ()


class _Parser(argparse.ArgumentParser):
    """A parser that says what is wrong in one line, and where to look. Options may stand among other words."""

    _among = False
    groups: argparse._SubParsersAction[_Parser] | None = None
    """The commands, where the help shows them in groups."""

    example = ""
    """A line to type, which the help shows as it is."""

    def format_help(self) -> str:
        """Return the help, with an example, or with the commands in groups."""
        if self.groups is None:
            return f"{super().format_help()}\nexample:\n  {self.example}\n"
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        by_name = {action.dest: action for action in self.groups._choices_actions}
        for title, names in GROUPS.items():
            formatter.start_section(title)
            formatter.add_arguments([by_name[name] for name in names])
            formatter.end_section()
        formatter.start_section("options")
        formatter.add_arguments(self._get_optional_actions())
        formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if isinstance(action, argparse._SubParsersAction) and value not in action.choices:
            raise argparse.ArgumentError(None, f"there is no command {value!r}{meant(value, action.choices)}")
        super()._check_value(action, value)

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        """Read a command's options first, then all its other words; a word that names a command ends what is before it.

        By itself `argparse` hands the first words that stand together to all positionals, and takes none after that.
        """
        if self._among or self._subparsers is not None or args is None:
            return super().parse_known_args(args, namespace)
        end = args.index("--") if "--" in args else len(args)
        self._among = True  # each of the two readings comes here again
        try:
            found, unknown = self.parse_known_intermixed_args([*args[:end], *map(_Word, args[end + 1 :])], namespace)
        finally:
            self._among = False
        for word in unknown if self.example else ():
            if word.startswith("-") and not isinstance(word, _Word):
                name = word.partition("=")[0]
                self.error(f"there is no option {name}{meant(name, self._option_string_actions)}")
        return found, unknown

    def _parse_optional(self, arg_string: str) -> Any:
        return None if isinstance(arg_string, _Word) else super()._parse_optional(arg_string)

    def error(self, message: str) -> NoReturn:
        """End with exit code 2."""
        self.exit(fail(f"{message}; see `{self.prog} --help`", 2))


def build(typed: Collection[str] | None = None) -> _Parser:
    """Return the parser of all commands, each with its options; ``typed``: only of those whose names are among these.

    So the modules of a command's options are loaded only where it may be meant.
    """
    parser = _without_commands(add_help=True)
    parsers: dict[str, _SubParsersAction[_Parser]] = {
        "": parser.add_subparsers(metavar="COMMAND", title="commands"),
    }
    parser.groups = parsers[""]
    for command in COMMANDS:
        group, _, name = command.name.rpartition(" ")
        own = parsers[group].add_parser(
            name,
            help=command.help,
            description=f"{command.help[0].upper()}{command.help[1:]}.",
        )
        own.example = EXAMPLES[command.name]
        if command.function:
            own.set_defaults(command=command)
        if not command.function:
            add_arguments(own, LibraryOptions)
        elif typed is None or name in typed:
            add_arguments(own, _named(command.options))
        if within := [each.name.split()[1] for each in COMMANDS if each.name.startswith(f"{command.name} ")]:
            parsers[command.name] = own.add_subparsers(
                dest="part", metavar="|".join(within), title="commands", required=not command.function
            )
    return parser


def _without_commands(*, add_help: bool) -> _Parser:
    parser = _Parser(
        prog="discox",
        description="Audit an LLM judge of translation: source and translation side by side, every error highlighted.",
        epilog="Without a command, discox opens the review app. `discox demo` opens it on a sample, and "
        "`discox help judge` tells of a command.",
        add_help=add_help,
    )
    parser.add_argument("-V", "--version", action="version", version=f"discox {__version__}")
    add_arguments(parser, GuidelineOptions)
    return parser


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    """Return what was typed; the parsers of the commands are made only where it is more than the options of the app."""
    typed, rest = _without_commands(add_help=False).parse_known_args(arguments)
    return build(arguments).parse_args(arguments) if rest else typed


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 done, 1 could not, 2 wrong use."""
    ready_streams()
    if arguments[:1] == ["help"]:
        arguments = [*arguments[1:], "--help"]
    try:
        typed = _parsed(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    for name in ("db", "reviewer", "guideline"):
        if getattr(typed, name, None) == "":
            return fail(f"--{name} is given but empty; give it a value or leave it out", 2)
    command: Command = getattr(typed, "command", REVIEW)
    try:
        code: int = _named(command.function)(read(_named(command.options), typed, given=tuple(arguments)))
        sys.stdout.flush()  # a full disk is said here, not by Python at exit
        return code
    except StorageError as error:
        return fail(str(error))
    except sqlite3.Error as error:
        from discox_tui.config.paths import database_path
        from storage.db.sqlite_errors import explain

        return fail(explain(error, database_path(getattr(typed, "db", None)).path))
    except BrokenPipeError:
        sys.stderr.close()  # the reader went away; nothing is left to say, and Python would complain at exit
        return 0
    except OSError as error:
        return fail(f"what was asked for could not be written or read ({error.strerror or error}); check the disk")
    except KeyboardInterrupt:
        return fail("stopped; what was done until now is kept")
