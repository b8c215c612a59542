"""Style sheets of the screens, one ``.tcss`` a folder; a module of its own since screens and dialogs alike need it.

Each class takes its own rules as its ``DEFAULT_CSS``. By ``CSS_PATH`` the toolkit would parse every sheet of the app
anew, and match all widgets against it, when the first screen of a folder opens.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path


def style_sheet(module: str, name: str) -> str:
    """Return the rules of a class. ``module``: the file of its module, beside the sheet; KeyError if there are none."""
    folder = Path(module).parent
    return _rules(folder / f"{folder.name}.tcss")[name]


@cache
def _rules(path: Path) -> dict[str, str]:
    """Return the rules of a sheet by class: all that begin, at the left margin, with its name."""
    found: dict[str, str] = {}
    for rule in re.split(r"\n(?=[A-Z])", "\n" + path.read_text(encoding="utf-8"))[1:]:
        name = re.split(r"\W", rule, maxsplit=1)[0]
        found[name] = found.get(name, "") + rule + "\n"
    return found
