"""Prompts of the user's own, from a folder or a single file."""

from __future__ import annotations

from pathlib import Path

from judges.metric_s.protocol.prompts import Prompts
from storage.base.errors import StorageError
from storage.base.files import dangling, why_not
from storage.base.text import storable


def read_prompts(folder: Path) -> Prompts:
    """Read a folder of prompts, ``accuracy.txt`` and so on; those that it lacks are the program's own.

    Hidden files are passed over. Raises StorageError, naming file, line and mend, for a file that is no prompt, says
    nothing or is no UTF-8.
    """
    if broken := dangling(folder):
        raise StorageError(f"{folder}: {broken}; mend the link, or name the folder itself")
    if not folder.is_dir():
        raise StorageError(f"{folder}: is no folder; name the one that holds your prompts, accuracy.txt and so on")
    texts = {file.stem: _read(file) for file in sorted(folder.glob("[!.]*.txt"))}
    if not texts:
        raise StorageError(f"{folder}: holds no .txt file; copy the prompts that you want to change into it")
    return _checked(folder.resolve().name, texts, folder)


def read_translation_prompt(file: Path) -> Prompts:
    """Read one file as the prompt that translations are asked with. Raises StorageError likewise."""
    try:
        return _checked(file.stem, {"translation": _read(file)}, file.parent)
    except StorageError as error:
        raise StorageError(str(error).replace(f"{file.parent}: translation.txt", str(file))) from None


def _read(file: Path) -> str:
    try:
        text = file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise StorageError(
            f"{file}: cannot be read ({why_not(file, error)}); check the name and its permissions"
        ) from None
    except UnicodeDecodeError as error:
        raise StorageError(f"{file}: is not UTF-8 (byte {error.start}); save it as UTF-8") from None
    if not text.strip():
        raise StorageError(f"{file}: says nothing; write the prompt, or take the file away to use the program's own")
    return text


def _checked(name: str, texts: dict[str, str], folder: Path) -> Prompts:
    try:
        return Prompts.of(storable(name), {name: storable(text) for name, text in texts.items()})
    except ValueError as error:
        raise StorageError(f"{folder}: {error}") from None
