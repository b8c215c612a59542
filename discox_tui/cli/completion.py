"""``discox completion``: what lets a shell complete commands and options; alone here, as it needs the whole parser."""

from __future__ import annotations

from dataclasses import dataclass

from discox_tui.cli.core.options import LibraryOptions, argument

SHELLS = ("bash", "zsh", "fish", "tcsh", "powershell")


@dataclass(frozen=True, kw_only=True)
class CompletionOptions(LibraryOptions):
    """Options of ``discox completion``."""

    shell: str = argument(metavar="SHELL", choices=SHELLS, help=", ".join(SHELLS))


def print_completion(options: CompletionOptions) -> int:
    """Print a script to be put where the shell looks for completions."""
    import shtab

    from discox_tui.cli.core.output import say
    from discox_tui.cli.parser import build

    for line in shtab.complete(build(), options.shell).splitlines():
        say(line)
    return 0
