"""No string of a document, a judge or a reviewer reaches a widget that would parse it, or a terminal that would obey it.

Read from the source, so that a careless line fails here before anybody's text finds it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import discox_tui

ROOT = Path(discox_tui.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))

SAFE = {"safe", "display", "fit", "json_text", "_shown"}
"""What makes a string harmless; ``_shown`` is ``safe`` for a stream, right-to-left text in its place."""

PARSING = {
    *("Label", "Button", "OptionList", "Option", "Select", "SelectionList", "RadioButton", "Checkbox", "Markdown"),
    *("RichLog", "Log", "Tree", "DirectoryTree", "DataTable", "Tab", "Tabs", "TabbedContent", "Collapsible", "Pretty"),
    *("TextArea", "Footer", "Header", "Link", "Digits", "Toast", "MaskedInput", "ListItem"),
}
"""Widgets that parse markup, or pass control characters on, and that the app therefore does without."""

EDITOR = "widgets/text_editor.py"
"""The one module that has Textual's editor, of whose text it makes stand-ins first."""

PAINTERS = {
    *("widgets/bars.py", "widgets/minimap.py", "widgets/text_view.py", "widgets/virtual_table.py"),
    "widgets/bidi_filter.py",  # which makes segments of segments
    "widgets/compositor.py",  # which makes blanks
}
"""The modules that paint: they alone make segments, from what ``safe`` or ``display`` gave."""


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def name_of(node: ast.expr) -> str:
    """The last name of what is called: ``Static`` for ``Static(…)``, ``notify`` for ``self.app.notify(…)``."""
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def is_harmless(node: ast.expr) -> bool:
    """A constant, a number format, or something that went through ``safe``."""
    match node:
        case ast.Constant():
            return True
        case ast.Call():
            return name_of(node.func) in SAFE or (
                name_of(node.func) in ("capitalize", "join") and isinstance(node.func, ast.Attribute)
            )
        case ast.JoinedStr():
            return all(is_harmless(part) for part in node.values)
        case ast.FormattedValue():
            return is_harmless(node.value) or name_of(node.value) in ("width", "height") or is_size(node.value)
    return False


def is_size(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) and name_of(node.value) == "SMALLEST"


def faults(tree: ast.AST, path: str) -> Iterator[str]:
    """Yield what must not be, as ``file:line: what``."""
    screens = any(
        isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual") for node in ast.walk(tree)
    )
    for node in ast.walk(tree):
        at = f"{path}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("textual"):
            for alias in node.names:
                if alias.name in PARSING and (path, alias.name) != (EDITOR, "TextArea"):
                    yield f"{at}: {alias.name} parses what it shows, or shows it to the terminal as it is"
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Attribute) and target.attr in ("border_title", "border_subtitle", "tooltip"):
                    yield f"{at}: {target.attr} parses markup"
        if not isinstance(node, ast.Call):
            continue
        called = name_of(node.func)
        keywords = {keyword.arg: keyword.value for keyword in node.keywords}
        literal = isinstance(keywords.get("markup"), ast.Constant) and keywords["markup"].value is False  # type: ignore[attr-defined]
        if called in ("Static", "notify") and not literal:
            yield f"{at}: {called} without markup=False"
        if called in ("Static", "notify") and node.args and not is_harmless(node.args[0]):
            yield f"{at}: {called} of a string that may not be harmless"
        if called == "from_markup":
            yield f"{at}: markup made from a string"
        if called == "Input":
            yield f"{at}: an Input shows its text to the terminal as it is; SafeInput does not"
        if called == "tooltip" or ("tooltip" in keywords and path != "core/actions.py"):
            yield f"{at}: a tooltip parses markup"
        if called == "Segment" and path not in PAINTERS:
            yield f"{at}: a segment made outside of the painters"
        if called == "update" and screens and isinstance(node.func, ast.Attribute) and node.args:
            (argument,) = node.args
            if not isinstance(argument, ast.GeneratorExp) and not is_harmless(argument) and path not in PAINTERS:
                yield f"{at}: a widget updated with a string that may not be harmless"
        if called == "print" and not all(map(is_harmless, node.args)) and not is_line_of_json(node, path):
            yield f"{at}: printed without safe() or json_text()"


def is_line_of_json(node: ast.Call, path: str) -> bool:
    """The export prints the lines that ``json_text`` made; progress, what was made safe at its start."""
    if path == "cli/judge/progress.py":
        return "'\\n'.join(rows)" in ast.unparse(node.args[0])
    return path == "cli/library/verdicts.py" and [name_of(argument) for argument in node.args] == ["line"]


@pytest.mark.parametrize("path", FILES, ids=where)
def test_no_raw_string_reaches_a_widget_or_the_terminal(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert list(faults(tree, where(path))) == []


@pytest.mark.parametrize(
    "line",
    [
        "Static(text)",
        "Static(text, markup=False)",
        "Static(safe(text))",
        "self.app.notify(text, markup=False)",
        "self.app.notify(f'{safe(a)} {b}', markup=False)",
        "from textual.widgets import Label",
        "from textual.widgets import DataTable",
        "self.border_title = safe(text)",
        "widget.tooltip = text",
        "Content.from_markup(text)",
        "Text.from_markup(safe(text))",
        "Input(text)",
        "Segment(text)",
        "print(text)",
        "print(f'{a}')",
        "from textual.widgets import Static\nself.query_one('#x', Static).update(text)",
    ],
)
def test_the_check_sees_a_careless_line(line: str) -> None:
    assert list(faults(ast.parse(line), "screens/new.py"))


@pytest.mark.parametrize(
    "line",
    [
        "Static(safe(text), markup=False)",
        "Static('', markup=False, id='x')",
        "self.app.notify(safe(text), markup=False)",
        "print(safe(text))",
        "print(json_text(value, indent=None))",
        "seen.update(x for x in y)",
    ],
)
def test_the_check_lets_a_careful_line_pass(line: str) -> None:
    assert not list(faults(ast.parse(line), "screens/new.py"))
