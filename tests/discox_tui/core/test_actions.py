"""The registry holds no conflict, its keys reach a program through every terminal, and a keymap file is checked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from textual._xterm_parser import XTermParser
from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.events import Event, Key
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from discox_tui.core.actions import ACTIONS, SCREENS, actions_of, bindings
from discox_tui.core.keymap import KeymapError, clashes, load_keymap
from discox_tui.core.keys import PORTABLE_KEYS, key_label, plain_key
from docs.make_keys import keys_tables

DEFAULTS = {action.id: action.keys for action in ACTIONS}


def test_no_two_actions_of_a_screen_share_a_key() -> None:
    assert list(clashes(DEFAULTS)) == []


def test_a_clash_would_be_found() -> None:
    assert ("review", "a", "agree", "note") in list(clashes(DEFAULTS | {"note": ("a",)}))
    assert ("review", "q", "quit", "note") in list(clashes(DEFAULTS | {"note": ("q",)}))
    assert list(clashes(DEFAULTS | {"open": ("a",)})) == []


def test_every_id_is_one_action_and_a_method_name() -> None:
    assert len(DEFAULTS) == len(ACTIONS)
    assert [name for name in DEFAULTS if not re.fullmatch(r"[a-z_]+", name)] == []


def test_only_portable_keys_are_used() -> None:
    assert {key for keys in DEFAULTS.values() for key in keys} <= PORTABLE_KEYS
    assert PORTABLE_KEYS.isdisjoint({"ctrl+m", "ctrl+i", "ctrl+h", "ctrl+c", "shift+enter", "ctrl+left", "alt+a"})


def test_every_action_has_a_key_that_an_input_method_leaves_alone() -> None:
    letters = [action.id for action in ACTIONS if all(len(key) == 1 and key.isalpha() for key in action.keys)]
    assert letters == []


def test_every_action_is_explained_in_one_sentence() -> None:
    for action in ACTIONS:
        assert action.help.endswith(".")
        assert action.help.count(". ") == 0
        assert len(action.title) <= 20
        assert set(action.screens) <= set(SCREENS)


def test_bindings_carry_the_id_and_show_in_the_footer_what_it_has_room_for() -> None:
    made = {binding.id: binding for binding in bindings("review") if isinstance(binding, Binding)}
    assert made["next_finding"] == Binding(
        "right_square_bracket,j,down",
        "next_finding",
        "next",
        show=True,
        tooltip="Go to the next error.",
        id="next_finding",
    )
    assert not made["unsure"].show
    at_once = [binding for name, binding in made.items() if binding.show and name not in ("reveal", "compare")]
    assert sum(len(binding.description) + 3 for binding in at_once) < 130, "a wide terminal has room for all"
    assert "quit" not in made
    assert {action.id for action in actions_of("app")} == {
        binding.id for binding in bindings("app") if isinstance(binding, Binding)
    }


@pytest.mark.parametrize(
    ("key", "label"),
    [("right_square_bracket", "]"), ("ctrl+p", "ctrl+p"), ("escape", "esc"), ("down", "↓"), ("L", "L"), ("f1", "f1")],
)
def test_keys_are_labelled_as_people_write_them(key: str, label: str) -> None:
    assert key_label(key) == label


def test_the_table_for_the_docs_names_every_action() -> None:
    table = keys_tables()
    assert all(f"| `{action.id}` | {action.help} |" in table for action in ACTIONS)
    rows = [line for line in table.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {4}


# --- input methods ---


@pytest.mark.parametrize(
    ("character", "key"),
    [
        ("ａ", "a"),
        ("Ｌ", "L"),
        ("１", "1"),
        ("，", "comma"),
        ("＝", "equals_sign"),
        ("？", "question_mark"),
        ("［", "left_square_bracket"),
        ("］", "right_square_bracket"),
        ("【", "left_square_bracket"),
        ("】", "right_square_bracket"),
        ("／", "slash"),
        ("、", "slash"),
        ("。", "full_stop"),
        ("｝", "right_curly_bracket"),
        ("《", "less_than_sign"),
        ("“", "quotation_mark"),
        ("＿", "underscore"),
        ("\u3000", "space"),
        ("١", "1"),
        ("۷", "7"),
        ("२", "2"),
        ("؟", "question_mark"),
        ("۔", "full_stop"),
    ],
)
def test_full_width_forms_are_the_key_that_was_pressed(character: str, key: str) -> None:
    assert plain_key("whatever_textual_calls_it", character)[0] == key


@pytest.mark.parametrize("key", ["a", "escape", "down", "国", "f1", "ctrl+p"])
def test_other_keys_are_left_alone(key: str) -> None:
    character = key if len(key) == 1 else None
    assert plain_key(key, character) == (key, character)


class Review(Screen[None]):
    BINDINGS = bindings("review")

    def compose(self) -> ComposeResult:
        yield Input()

    def action_next_finding(self) -> None:
        self.app.done.append("next_finding")  # type: ignore[attr-defined]

    def action_agree(self) -> None:
        self.app.done.append("agree")  # type: ignore[attr-defined]

    def action_not_an_error(self) -> None:
        self.app.done.append("not_an_error")  # type: ignore[attr-defined]


class Host(App[None]):
    BINDINGS = bindings("app")

    def __init__(self) -> None:
        super().__init__()
        self.done: list[str] = []

    def get_default_screen(self) -> Screen[None]:
        return Review()

    async def on_event(self, event: Event) -> None:
        if isinstance(event, Key):
            focused = self.focused
            if focused is None or not focused.check_consume_key(event.key, event.character):
                event.key, event.character = plain_key(event.key, event.character)
        await super().on_event(event)


async def typed(app: Host, pilot: Pilot[None], text: str) -> None:
    """Send what a terminal sends, through Textual's own reading of it."""
    for message in XTermParser().feed(text):
        app.post_message(message)
        await pilot.pause()


async def test_full_width_keys_act_but_stay_what_they_are_in_an_input() -> None:
    app = Host()
    async with app.run_test() as pilot:
        app.set_focus(None)
        await typed(app, pilot, "ａ】］j")
        assert app.done == ["agree", "next_finding", "next_finding", "next_finding"]
        app.query_one(Input).focus()
        await typed(app, pilot, "ａ】a")
        assert app.query_one(Input).value == "ａ】a"
        assert len(app.done) == 4


async def test_a_keymap_takes_effect_even_where_two_actions_swap_keys(tmp_path: Path) -> None:
    keymap = tmp_path / "keymap.toml"
    keymap.write_text('agree = ["x", "f10"]\nnot_an_error = "a"\n', encoding="utf-8")
    app = Host()
    app.set_keymap(load_keymap(keymap))
    async with app.run_test() as pilot:
        app.set_focus(None)
        await pilot.press("x", "f10", "a", "1", "2", "j")
        assert app.done == ["agree", "agree", "not_an_error", "next_finding"]


# --- the keymap file ---


def test_a_keymap_file_names_actions_and_keys(tmp_path: Path) -> None:
    keymap = tmp_path / "keymap.toml"
    keymap.write_text('# mine\nagree = "y"\nnext_finding = ["h", "]", " "]\nnext_undecided = "."\n', encoding="utf-8")
    assert load_keymap(keymap) == {
        "agree": "y",
        "next_finding": "h,right_square_bracket,space",
        "next_undecided": "full_stop",
    }


def test_an_empty_keymap_changes_nothing(tmp_path: Path) -> None:
    keymap = tmp_path / "keymap.toml"
    keymap.write_text("", encoding="utf-8")
    assert load_keymap(keymap) == {}


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ('\n\nagre = "y"', 3, "there is no action 'agre'. Did you mean 'agree'?"),
        ('[review]\nagree = "y"', 1, "there is no action 'review'"),
        ("agree = 3", 1, 'give agree a key or a list of keys, like "y" or ["y", "f9"].'),
        ("agree = []", 1, "a key or a list of keys"),
        ('x = 1\nagree = ["y", 1]', 1, "there is no action 'x'"),
        ('# agree\n"agree" = "ctrl+m"', 2, "'ctrl+m' is no key that every terminal sends."),
        ('agree = "bracket"', 1, "'bracket' is no key that every terminal sends."),
        ('agree = "pagedwn"', 1, "Did you mean 'pagedown'?"),
        ('note = "h"\nagree = "n"\nundo = "h"', 3, "'h' already means note on the review screen."),
        ('agree = "x"', 1, "'x' already means not_an_error on the review screen. Give one of the two another key."),
        ('agree = "?"', 1, "'?' already means help on the review screen."),
        ('quit = "?"', 1, "'?' already means help"),
    ],
)
def test_a_bad_keymap_names_file_line_and_mend(tmp_path: Path, text: str, line: int, says: str) -> None:
    keymap = tmp_path / "keymap.toml"
    keymap.write_text(text, encoding="utf-8")
    with pytest.raises(KeymapError) as caught:
        load_keymap(keymap)
    assert str(caught.value).startswith(f"{keymap}, line {line}: ")
    assert says in str(caught.value)


def test_a_file_that_is_not_toml_names_the_line(tmp_path: Path) -> None:
    keymap = tmp_path / "keymap.toml"
    keymap.write_text('agree = "y"\nnote = n', encoding="utf-8")
    with pytest.raises(KeymapError, match=r"keymap\.toml: .*line 2.* like: agree = \"y\""):
        load_keymap(keymap)
    keymap.write_bytes(b"agree = '\xb0\xa1'")
    with pytest.raises(KeymapError, match="not UTF-8"):
        load_keymap(keymap)
