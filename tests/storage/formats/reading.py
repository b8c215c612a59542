"""Formats by their names, as the registry knows them, for tests of single formats."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from storage.formats.base.format import Format, Item, ReadOptions
from storage.formats.io.head import Head
from storage.formats.io.input_file import InputFile
from storage.formats.registry import detect, fits, format_named, format_of, formats


def named(name: str) -> Format:
    """A format by its name."""
    return format_named([*formats()], name)


def sniffed(path: Path, name: str) -> bool:
    """Whether a format knows a file as its own."""
    with InputFile(path) as file:
        return fits(named(name), Head(file))


def read_as(path: Path, name: str, options: ReadOptions = ReadOptions()) -> Iterator[Item]:  # noqa: B008
    """What a format reads a file into."""
    with InputFile(path) as file:
        yield from named(name).read(file, options)


def format_in(path: Path) -> str | None:
    """The name of the format that a file is in."""
    with InputFile(path) as file:
        found = format_of(Head(file))
    return found and found.name


def detected(path: Path) -> str:
    """The same. Raises FormatError saying what was expected."""
    with InputFile(path) as file:
        return detect(Head(file)).name
