"""The beginning of a file, as formats are told by it: what several ask for is read once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

from storage.formats.io.input_file import InputFile
from storage.formats.io.json_objects import LOOKED_AT, objects_by_line, starts_with_list, top_level_keys
from storage.formats.io.json_parser import JsonObject
from storage.formats.io.lines import read_lines
from storage.formats.io.records import is_json
from storage.formats.io.zips import is_zip

T = TypeVar("T")


class Head:
    """The beginning of a file, or a folder. All but the first three raise FormatError where it is no text in UTF-8."""

    def __init__(self, file: InputFile) -> None:
        self.file = file
        self._answers: dict[Callable[[Head], Any], Any] = {}

    @property
    def path(self) -> Path:
        """Return where it lies."""
        return self.file.path

    @cached_property
    def is_folder(self) -> bool:
        """Tell if it is a folder; then ``path`` alone says more."""
        return self.path.is_dir()

    @cached_property
    def is_zip(self) -> bool:
        """Tell if it is a zip file, as workbooks and documents are."""
        return not self.is_folder and is_zip(self.file)

    @cached_property
    def first_line(self) -> str:
        """The first line that is not blank; "" where all are."""
        return next((line for _, line in read_lines(self.file) if line.strip()), "")

    @cached_property
    def is_list(self) -> bool:
        """Tell if it is a JSON list as a whole."""
        return starts_with_list(self.file)

    @cached_property
    def is_json(self) -> bool:
        """Tell if it begins as JSON does, a list or an object."""
        return is_json(self.file)

    @cached_property
    def objects(self) -> Sequence[Mapping[str, Any]]:
        """The objects among the first lines, of which some may be broken."""
        lines = islice(objects_by_line(self.file), LOOKED_AT)
        return [item.value for item in lines if isinstance(item, JsonObject)]

    @cached_property
    def keys(self) -> Sequence[str]:
        """The keys of the object that the file is, or that is first in it; empty where it begins with none."""
        return list(top_level_keys(self.file))

    def once(self, ask: Callable[[Head], T]) -> T:
        """Return what a function finds out of this head; it is asked once."""
        if ask not in self._answers:
            self._answers[ask] = ask(self)
        return cast(T, self._answers[ask])
