"""Forms over a candidate: a rubric point, a paragraph, its details. Escape never throws a change away unasked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Generic, Self, TypeVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.events import Click, Key
from textual.suggester import SuggestFromList
from textual.widgets import Input

from discox_tui.screens.common.base import NARROW
from discox_tui.screens.common.dialogs import Box, SafeInput
from discox_tui.screens.common.drafting import Drafting
from discox_tui.screens.common.style_sheets import style_sheet
from discox_tui.sessions.drafts import Draft, Fields
from discox_tui.terminal.typeahead import Gone
from discox_tui.text.glyphs import DECISION_MARKS, SEVERITY_MARKS
from discox_tui.text.runs import Run, Runs
from discox_tui.text.safe import safe
from discox_tui.text.widths import widths
from discox_tui.widgets.bars import Bar, TextBlock
from discox_tui.widgets.text_editor import TextEditor
from judges.benchmark.rubric.given_points import given_points
from judges.benchmark.rubric.lint import lint
from judges.benchmark.rubric.point_types import proposed_type
from judges.benchmark.rubric.points import (
    POINT_TYPES,
    Point,
    ReaderLanguage,
    places,
    reader_language,
    type_name,
    word,
    written,
)

if TYPE_CHECKING:
    from discox_tui.screens.common.app_base import AppBase

BETWEEN = "|"
"""Stands between two renderings; a Chinese input method's ｜ does too."""
SHORT_TYPES = ("none", "grammar", "keyword", "term", "culture", "name", "pun")
"""Types of a point, as `POINT_TYPES`, where there is little room."""
ONCE_MORE = "esc once more throws your changes away"

Given = TypeVar("Given")


class Form(Drafting[Given | None], Generic[Given]):
    """Something to fill in. Enter keeps it, escape leaves it; twice where something was changed."""

    DEFAULT_CSS = style_sheet(__file__, "Form")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", "cancel", show=False)]
    HINT = "enter keep  tab next field  esc cancel"

    if TYPE_CHECKING:
        app: AppBase

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self._asked = False

    def drafted(self, about: str) -> Self:
        """Keep what is typed, as being about a candidate, until it is stored."""
        self.draft = Draft(about, self._title, self._title)
        return self

    def changed(self) -> bool:
        """True if there is anything to lose."""
        raise NotImplementedError

    def hint(self, words: str = "", style: str = "faint") -> None:
        """Show the title with what keys do, or what is wrong."""
        self.query_one("#dialog-title", Bar).show((((self._title, "title"),), ((words or self.HINT, style),)))

    def action_leave(self) -> None:
        """Give nothing; if something was changed, say so first."""
        if self.changed() and not self._asked:
            self._asked = True
            self.hint(ONCE_MORE, "major")
            self.app.typeahead.drop(Gone(frozenset({"escape"})))
        else:
            self.dismiss(None)

    def forget_asking(self) -> None:
        """Something else was done, so the next escape asks again."""
        if self._asked:
            self._asked = False
            self.hint()

    def on_resize(self) -> None:
        """Leave no room between the fields on a low terminal."""
        self.set_class(self.size.height < 32, "-low")


# --- a point ------------------------------------------------------------------------------------------------------


class OneOf(Bar, can_focus=True):
    """A row of words of which one holds: arrows, space, a digit or a click choose."""

    DEFAULT_CSS = style_sheet(__file__, "OneOf")
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("left", "step(-1)", show=False),
        Binding("right,space", "step(1)", show=False),
    ]

    def __init__(self, words: Sequence[str], chosen: int, *, id: str, short: Sequence[str] = ()) -> None:
        """``short``: the words where the terminal is narrow."""
        super().__init__(id=id)
        self._long, self._short = words, short or words
        self.chosen = chosen

    @property
    def _words(self) -> Sequence[str]:
        return self._short if self.app.size.width < NARROW else self._long

    def on_resize(self) -> None:
        """Show the words that fit."""
        self.choose(self.chosen)

    def on_mount(self) -> None:
        """Show what holds."""
        self.choose(self.chosen)

    def on_focus(self) -> None:
        """The keys are for it."""
        self.choose(self.chosen)

    def on_blur(self) -> None:
        """They are not."""
        self.choose(self.chosen)

    def choose(self, index: int) -> None:
        """Choose a word."""
        self.chosen = index % len(self._words)
        runs: list[Run] = []
        for number, each in enumerate(self._words):
            mark = "▸" if number == self.chosen else " "
            style = ("title" if self.has_focus else "strong") if number == self.chosen else "faint"
            runs.append((f"{mark}{number} {each}  ", style))
        self.show((runs, ()))
        self.screen.query_one("#preview", TextBlock)
        if isinstance(self.screen, PointForm):
            self.screen.preview()

    def action_step(self, step: int) -> None:
        """Choose the next word, or the one before."""
        self.choose(self.chosen + step)

    def on_key(self, event: Key) -> None:
        """Choose by number; enter keeps the form."""
        if event.character and event.character in "0123456789"[: len(self._words)]:
            event.stop()
            self.choose(int(event.character))
        elif event.key == "enter" and isinstance(self.screen, PointForm):
            event.stop()
            self.screen.keep()

    def on_click(self, event: Click) -> None:
        """Choose what was clicked."""
        at = 0
        for number, each in enumerate(self._words):
            at += widths().of(f" {number} {each}  ")
            if event.x < at:
                self.choose(number)
                return


@dataclass(frozen=True, slots=True)
class About:
    """The context of a point: the article's source, its direction, its other points."""

    source: str
    direction: str
    others: tuple[Point, ...]


class PointForm(Form[Point]):
    """Type, term, renderings and words of a point; shows at once what judges will read and what is wrong with it."""

    DEFAULT_CSS = style_sheet(__file__, "PointForm")

    def __init__(self, title: str, point: Point, about: About, *, new: bool = False) -> None:
        """``point``: as it is; a ``new`` one has a number and perhaps a term."""
        super().__init__(title)
        self._before, self._about, self._new = point, about, new
        own = "" if point.text == word(point, self._language) else point.text
        self._fields = {
            "term": point.term,
            "expected": f" {BETWEEN} ".join(point.expected),
            "forbidden": f" {BETWEEN} ".join(point.forbidden),
            "text": own,
        }

    @property
    def _language(self) -> ReaderLanguage:
        return reader_language(self._about.direction)

    def compose(self) -> ComposeResult:
        """The fields, and what judges read."""
        kind = self._before.type
        with Box():
            yield Bar(id="dialog-title")
            chosen = POINT_TYPES.index(kind) + 1 if kind else 0
            yield OneOf(("as worded", *map(type_name, POINT_TYPES)), chosen, id="type", short=SHORT_TYPES)
            labels = {
                "term": "term, as the source has it",
                "expected": f"renderings that meet it, with {BETWEEN} between",
                "forbidden": f"renderings that violate it, with {BETWEEN} between",
                "text": "your own words for judges; empty: worded from the above",
            }
            for name, label in labels.items():
                yield Bar(id=f"label-{name}", classes="label")
                self._labels = labels
                yield SafeInput(safe(self._fields[name]), id=name, placeholder="" if name == "text" else label)
            yield TextBlock(id="preview")

    def on_mount(self) -> None:
        """Begin with what is likely to be typed next."""
        for name, label in self._labels.items():
            self.query_one(f"#label-{name}", Bar).show((((label, "faint"),), ()))
        self.query_one("#preview").can_focus = False
        self.hint()
        self.preview()
        self.set_focus(self.query_one("#expected" if self._before.term else "#term"))

    def _typed(self, name: str) -> str | None:
        """Return the text of a field; None if it was not changed."""
        value = self.query_one(f"#{name}", Input).value
        return None if value == safe(self._fields[name]) else value

    def changed(self) -> bool:
        """True if any field is another."""
        kind = self.query_one("#type", OneOf).chosen
        return kind != (POINT_TYPES.index(self._before.type) + 1 if self._before.type else 0) or any(
            self._typed(name) is not None for name in self._fields
        )

    def _renderings(self, name: str, before: tuple[str, ...]) -> tuple[str, ...]:
        typed = self._typed(name)
        return before if typed is None else tuple(typed.replace("｜", BETWEEN).split(BETWEEN))

    def point(self) -> Point:
        """The point that the fields make; what was not changed is as it was, to the code point."""
        before, chosen = self._before, self.query_one("#type", OneOf).chosen
        kind = POINT_TYPES[chosen - 1] if chosen else None
        term = self._typed("term")
        wanted = (
            before.term if term is None else term,
            self._renderings("expected", before.expected),
            self._renderings("forbidden", before.forbidden),
        )
        if (kind, *wanted) == (before.type, before.term, before.expected, before.forbidden) and not self._new:
            made = before
        else:
            made = written(before.number, *wanted, kind, self._language)
        own = self._typed("text")
        own = self._fields["text"] if own is None else own.strip()
        if not own:
            return replace(made, text=word(made, self._language) or before.text * (made is before))
        if made is before and own == before.text:
            return before
        said = {"number": before.number, "text": own, "type": kind, "term": made.term}
        said |= {"expected": list(made.expected), "forbidden": list(made.forbidden)}
        given = {name: value for name, value in said.items() if value or name == "number"}
        return given_points([given], self._about.source, self._about.direction)[0]

    def preview(self) -> None:
        """Show what judges read, where the term is, and what the lint has against it."""
        if not self.query("#preview"):
            return
        point = self.point()
        found: list[Runs] = [[("judges read  ", "faint"), (point.text or "nothing yet", "" if point.text else "faint")]]
        if point.term:
            count = len(places(point, self._about.source))
            where = f"the term stands {count}× in the source" if count else "the term is nowhere in the source"
            found.append([(where, "faint" if count else "major")])
        if point.text and point.type is None and (proposed := proposed_type(point, self._about.source)):
            found.append(
                [(f"by its form it is {type_name(proposed)}; {POINT_TYPES.index(proposed) + 1} says so", "faint")]
            )
        if point.text:
            others = [other for other in self._about.others if other.number != point.number]
            every = sorted([*others, point], key=lambda each: each.number)
            for one in lint(every, self._about.source):
                if one.number == point.number and one.code not in ("number_skipped", "number_repeated"):
                    found.append(
                        [(f"{SEVERITY_MARKS['major']} ", "major"), (one.message, ""), (f" {one.mend}", "faint")]
                    )
            if not any(SEVERITY_MARKS["major"] in runs[0][0] for runs in found):
                found.append([(f"{DECISION_MARKS['agree']} ", "good"), ("nothing is wrong with it", "faint")])
        self.query_one("#preview", TextBlock).show(found)

    @on(Input.Changed)
    def _changed(self) -> None:
        self.forget_asking()
        self.preview()

    @on(Input.Submitted)
    def keep(self) -> None:
        """Give the point."""
        point = self.point()
        if not point.text.strip():
            self.hint("give a term, a rendering, or your own words", "major")
            return
        self.dismiss(point)


# --- a paragraph --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Edited:
    """A paragraph as it is now, and why."""

    text: str
    why: str


class ParagraphForm(Form[Edited]):
    """One paragraph to change, and a line to say why."""

    DEFAULT_CSS = style_sheet(__file__, "ParagraphForm")
    BINDINGS: ClassVar[list[BindingType]] = [Binding("ctrl+n", "new_paragraph", "new paragraph", show=False)]
    HINT = "enter keep  ctrl+n new paragraph  tab why  esc cancel"

    def __init__(self, title: str, text: str) -> None:
        super().__init__(title)
        self._text = text

    def compose(self) -> ComposeResult:
        """The paragraph and the line."""
        with Box():
            yield Bar(id="dialog-title")
            yield TextEditor(self._text, id="paragraph")
            yield Bar(id="label-why", classes="label")
            yield SafeInput(placeholder="why is it changed? (may be left empty)", id="why")

    def on_mount(self) -> None:
        """Begin in the text."""
        self.hint()
        self.query_one("#label-why", Bar).show((((self.about(), "faint"),), ()))
        self.set_focus(self.editor)

    def about(self) -> str:
        """Return what becomes of the change."""
        return "A changed text is another version, and is judged again; the present one is kept."

    @property
    def editor(self) -> TextEditor:
        """The text."""
        return self.query_one("#paragraph", TextEditor)

    def changed(self) -> bool:
        """True if the text is another."""
        return self.editor.true_text != self._text

    def typed(self) -> Fields:
        """The text, and why."""
        return {**super().typed(), "paragraph": self.editor.true_text}

    def type_again(self, fields: Fields) -> None:
        """Put them there again."""
        super().type_again(fields)
        self.editor.true_text = fields.get("paragraph", self._text)

    @on(TextEditor.Changed)
    def _changed(self) -> None:
        self.forget_asking()
        self.keep_draft()

    def action_new_paragraph(self) -> None:
        """Begin another paragraph at the cursor."""
        if self.focused is self.editor:
            self.editor.action_new_line()

    @on(TextEditor.Kept)
    @on(Input.Submitted)
    def keep(self) -> None:
        """Give the text."""
        self.dismiss(Edited(self.editor.true_text, self.query_one("#why", Input).value))


# --- what is known of a candidate -----------------------------------------------------------------------------------


class DetailsForm(Form[dict[str, str]]):
    """Facts about a candidate beside its text: direction, domain, origin, licence."""

    LABELS: ClassVar[dict[str, str]] = {
        "direction": "direction, such as zh-en",
        "domain": "domain",
        "subdomain": "sub-domain; may be left empty",
        "origin": "origin: where the text is from",
        "licence": "licence: on what terms it may be used",
    }

    def __init__(self, title: str, before: Mapping[str, str], known: Mapping[str, Sequence[str]]) -> None:
        """``known``: field → what other candidates have there, which is proposed as one types."""
        super().__init__(title)
        self._before, self._known = before, known

    def compose(self) -> ComposeResult:
        """A line for each."""
        with Box():
            yield Bar(id="dialog-title")
            for name in self.LABELS:
                yield Bar(id=f"label-{name}", classes="label")
                known = SuggestFromList(list(map(safe, self._known.get(name, ()))), case_sensitive=False)
                yield SafeInput(safe(self._before[name]), id=name, suggester=known)

    def on_mount(self) -> None:
        """Begin with what is missing."""
        for name, label in self.LABELS.items():
            self.query_one(f"#label-{name}", Bar).show((((label, "faint"),), ()))
        self.hint()
        missing = next((name for name in self.LABELS if name != "subdomain" and not self._before[name]), "domain")
        self.set_focus(self.query_one(f"#{missing}"))

    def details(self) -> dict[str, str]:
        """Return the fields that differ, by name."""
        typed = {name: self.query_one(f"#{name}", Input).value for name in self.LABELS}
        return {name: value.strip() for name, value in typed.items() if value != safe(self._before[name])}

    def changed(self) -> bool:
        """True if any line is another."""
        return bool(self.details())

    @on(Input.Changed)
    def _changed(self) -> None:
        self.forget_asking()

    @on(Input.Submitted)
    def keep(self) -> None:
        """Give what is different."""
        self.dismiss(self.details())
