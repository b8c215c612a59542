"""Every action of the app as data: one registry feeds the footer, the help, the command palette and the docs.

An action's ``id`` is also the name of the ``action_…`` method on its screen and of its line in the user's keymap.
Keys are Textual's names; only ``PORTABLE_KEYS`` are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, cast, get_args

from textual.binding import Binding

from discox_tui.core.keys import named

if TYPE_CHECKING:
    from textual.binding import BindingType

ScreenName = Literal[
    "queue",
    "review",
    "selection",
    "consistency",
    "weak_spot",
    "leaderboard",
    "audited",
    "import_report",
    "model_run",
    "matching",
    "deduplication",
    "rubric",
    "waterfall",
    "adjudication",
    "build",
    "candidate",
    "versions",
    "team",
    "app",
]
"""Screens on which an action is valid; ``selection``: in a text of the review, while something is selected in it,
before what the same key does there otherwise; ``app``: everywhere."""
SCREENS: tuple[ScreenName, ...] = get_args(ScreenName)


class Action(NamedTuple):
    """One thing the user can do.

    ``keys``: Textual key names, the one to show first; none: the command palette only. ``title``: a word or three,
    for the footer. ``help``: one sentence. ``footer``: shown there.
    """

    id: str
    keys: tuple[str, ...]
    title: str
    help: str
    group: str
    screens: tuple[ScreenName, ...]
    footer: bool


_FOOTER = frozenset(
    {
        *("agree", "not_an_error", "severity", "dimension", "duplicate", "note", "undo", "next_finding", "finish"),
        *("mark_error", "other_place"),
        *("open", "filter", "sort", "consistency", "leaderboard", "back", "help"),
        *("next_cut", "next_judge", "published", "audited", "next_target", "together", "next_weighing"),
        *("change_setting", "dry_run", "start_run", "pause_run", "stop_run"),
        *("next_section", "next_rule", "next_metric"),
        *("hand_out", "remind"),
        *("take_first", "take_second", "no_error", "own_word", "settle", "settle_all", "next_disagreement"),
        *("point_met", "point_violated", "point_too_strict", "next_term", "go_to_error"),
        *("reveal", "compare", "same_error", "missed_error", "other_finding", "next_unconfirmed"),
        *(
            "accept",
            "reject",
            "add_point",
            "edit_point",
            "check_off",
            "edit_text",
            "next_system",
            "versions",
            "balance",
        ),
    }
)
"""Actions that the footer has room for; everything else is a ``?`` away."""


def _group(group: str, screens: str, *rows: tuple[str, ...]) -> tuple[Action, ...]:
    """Make actions from rows of id, keys (separated by spaces, punctuation as itself), title and help.

    What follows in a row are further screens that it is valid on.
    """
    made = []
    for name, keys, title, help, *more in rows:
        where = cast("tuple[ScreenName, ...]", (*screens.split(), *more))
        made.append(Action(name, tuple(map(named, keys.split())), title, help, group, where, name in _FOOTER))
    return tuple(made)


ACTIONS: tuple[Action, ...] = (
    *_group(
        "Decide",
        "review",
        ("agree", "a 1", "agree", "Agree with the judge: the finding stands, or is rightly dropped.", "deduplication"),
        ("not_an_error", "x 2", "not an error", "Overturn the finding: there is no error here."),
        ("severity", "s 3", "severity", "Give the error another severity."),
        ("category", "c 4", "category", "Give the error another category."),
        ("dimension", "d 5", "dimension", "Count the error under another dimension."),
        ("duplicate", "= 6", "duplicate", "Call the error a duplicate of another, which you choose.", "deduplication"),
        ("unsure", "w 7", "unsure", "Leave the finding for now, to come back to."),
        ("note", "n 8", "note", "Write a note on the finding, or on the rubric point.", "deduplication", "rubric"),
        ("restore", "b 9", "bring back", "Restore a finding that was dropped: it should count.", "deduplication"),
        ("repeat", 't "', "same mistake", "Group the error with another, the same mistake: they count once."),
        ("invented", "i #", "invented quote", "Say that what the judge quotes occurs nowhere, or take that back."),
        (
            "clear_verdict",
            "backspace delete",
            "clear verdict",
            "Take your verdict back, so that nothing is decided; your note stays.",
            *("deduplication", "rubric", "matching", "adjudication", "candidate"),
        ),
    ),
    *_group(
        "Decide",
        "rubric",
        ("point_met", "m 1", "met", "The translation does what the point asks for."),
        ("point_violated", "v 2", "violated", "The translation does not do what the point asks for."),
        ("point_too_strict", "s 3", "too strict", "The point asks for too much: what stands there is no error."),
    ),
    *_group(
        "Decide",
        "candidate",
        ("accept", "a 1", "accept", "Accept the candidate into the benchmark."),
        ("reject", "x 2", "reject", "Reject the candidate, with a reason."),
        ("leave_undecided", "w 3", "undecided", "Take your decision on the candidate back."),
        ("settle_accept", "A f3", "settle: accept", "Where people differ, settle that the candidate is accepted."),
        ("settle_reject", "X f4", "settle: reject", "Where people differ, settle that it is rejected, with a reason."),
    ),
    *_group(
        "Revise",
        "candidate",
        ("add_point", "e 0", "new point", "Write a rubric point about the selected term, or a new one."),
        ("edit_point", "c 4 enter", "change point", "Change the current rubric point."),
        ("remove_point", "d 5", "remove point", "Take the current rubric point out."),
        ("check_off", "y 6", "all right", "Call all right what a check finds here, and say why."),
        ("edit_text", "t 7", "edit text", "Edit the paragraph that is selected, or where the point is, or at the top."),
        ("edit_details", "i f5", "details", "Change direction, domain, sub-domain, origin or licence."),
        ("versions", "V 8", "versions", "Show every version and what is different, or no more.", "versions"),
    ),
    *_group(
        "Judge",
        "candidate",
        ("next_system", "n 9", "next system", "Show the next system's translation."),
        ("system_meets", "m +", "met", "Overrule the judge: the translation does what the point asks for."),
        ("system_fails", "f -", "failed", "Overrule the judge: the translation does not do what the point asks for."),
        ("asks_too_much", "s =", "too strict", "Overrule the judge: the point asks for too much."),
    ),
    *_group(
        "Decide",
        "review matching deduplication rubric waterfall adjudication build candidate",
        ("undo", "u <", "undo", "Undo your last act, on whichever document it was."),
        ("redo", "r >", "redo", "Do again what you undid."),
    ),
    *_group(
        "Move",
        "review",
        ("next_finding", "] j down", "next", "Go to the next error."),
        ("previous_finding", "[ k up", "previous", "Go to the previous error."),
        ("next_undecided", "space .", "next undecided", "Go to the next error that you have not decided."),
        ("next_evaluation", "}", "next evaluation", "Go to the next evaluation of the queue."),
        ("next_doubtful", "Y f11", "next doubtful", "Go to the undecided error that is least likely to stand."),
        ("previous_evaluation", "{", "previous evaluation", "Go to the previous evaluation of the queue."),
    ),
    *_group("Move", "review", ("search", "/", "search", "Search both texts.", "candidate")),
    *_group(
        "Move",
        "rubric",
        (
            "next_term",
            "o &",
            "its terms",
            "Go to the next place of the point's terms, in one text, then in the other.",
            "candidate",
        ),
        ("next_open_point", "space .", "next open", "Go to the next point of which you have said nothing."),
    ),
    *_group(
        "Move",
        "deduplication rubric waterfall",
        ("next_row", "] j down", "next", "Go to the next row.", "candidate", "versions"),
        ("previous_row", "[ k up", "previous", "Go to the previous row.", "candidate", "versions"),
        ("go_to_error", "enter", "in the review", "Go to the error in the review."),
    ),
    *_group(
        "Move",
        "candidate",
        ("next_open", "space .", "next undecided", "Go to the next candidate that you have yet to decide on."),
        ("next_candidate", "}", "next candidate", "Go to the next candidate of the list."),
        ("previous_candidate", "{", "previous candidate", "Go to the previous candidate of the list."),
    ),
    *_group(
        "Move",
        "review matching rubric adjudication candidate",
        ("switch_pane", "tab", "other pane", "Go to the other pane; on a small screen, show it."),
    ),
    *_group(
        "Evaluation",
        "review",
        ("finish", "f f9", "finish", "Mark the evaluation as done and go to the next one."),
        ("skip", "z f8", "skip", "Put the evaluation aside, with a reason."),
        ("lock", "L |", "lock scrolling", "Let source and translation scroll together, or each alone.", "candidate"),
        ("auto_advance", "g f6", "auto-advance", "Go to the next error after each verdict, or stay."),
    ),
    *_group(
        "Look closer",
        "review",
        ("deduplication", "D -", "de-duplication", "Show what was dropped, and why, or no more.", "deduplication"),
        ("rubric", "P :", "rubric points", "Show the rubric points and where their terms are, or no more.", "rubric"),
        ("waterfall", "W $", "waterfall", "Show what each error takes from the score, or no more.", "waterfall"),
        ("validity", "V f3", "how likely", "Show how likely each undecided error stands, or no more."),
        ("instruction", "I ;", "instruction check", "Agree with the instruction check, or overturn it."),
    ),
    *_group(
        "Select",
        "review",
        (
            "select_start",
            "v f7",
            "select text",
            "Select text: begin at the current error or point, or at the top of the view.",
            "candidate",
        ),
    ),
    *_group(
        "While text is selected",
        "selection",
        ("select_left", "left", "character back", "Move the end that moves one character back."),
        ("select_right", "right", "character on", "Move the end that moves one character on."),
        ("select_up", "up", "row up", "Move the end that moves one row up."),
        ("select_down", "down", "row down", "Move the end that moves one row down."),
        ("select_word", "w .", "word", "Select on to the end of a word, in Chinese of a character."),
        ("select_word_back", "b ,", "word back", "Select back to the beginning of a word."),
        ("select_sentence", ")", "sentence", "Select on to the end of the sentence, then of the next."),
        ("select_sentence_back", "(", "sentence back", "Select back to the beginning of the sentence."),
        ("select_paragraph", "}", "paragraph", "Select on to the end of the paragraph, then of the next."),
        ("select_paragraph_back", "{", "paragraph back", "Select back to the beginning of the paragraph."),
        ("select_row_start", "home", "start of row", "Select back to the beginning of the row."),
        ("select_row_end", "end", "end of row", "Select on to the end of the row."),
        ("select_whole_sentence", "s '", "whole sentence", "Select the sentence around, and nothing else."),
        ("select_swap", "o %", "other end", "Let the other end of the selection move."),
        ("select_anew", "v f7", "begin here", "Begin the selection anew at the end that moves."),
        ("select_copy", "y ctrl+y", "copy", "Put the selected text on the clipboard of your terminal or browser."),
        ("select_across", "tab", "other text", "Keep this selection and select in the other text too."),
        ("select_nothing", "escape", "clear", "Select nothing; then go back to what is selected in the other text."),
    ),
    *_group(
        "Mark",
        "review",
        ("mark_error", "e 0", "missed error", "Mark the selected words as an error that the judge missed."),
        ("other_place", "p @", "other place", "Say that the error is where text is selected, or at the place shown."),
        ("next_occurrence", "o &", "next occurrence", "Show the next place where the judge's quote occurs."),
        ("search_done", "m +", "search done", "State that you searched for missed errors, or take that back."),
    ),
    *_group(
        "Blind pass",
        "review",
        ("reveal", "R f5", "reveal", "Show what the judge said of an evaluation that you began blind, for good."),
        ("compare", "M f4", "compare", "Say of each error that you marked blind whether the judge found it."),
    ),
    *_group(
        "Compare",
        "matching",
        ("same_error", "y 1", "same error", "Your error and the judge's are the same: the judge found it."),
        ("missed_error", "m 2", "missed", "The judge did not find your error."),
        ("other_finding", "o 3", "another", "Choose another one of the judge's errors."),
        ("next_unconfirmed", "space .", "later", "Leave it for later: go to the next that is not confirmed."),
        ("next_pair", "] j down", "next", "Go to your next error."),
        ("previous_pair", "[ k up", "previous", "Go to your previous error."),
    ),
    *_group(
        "Settle",
        "adjudication",
        ("take_first", "1 a", "first", "The first reviewer's word holds."),
        ("take_second", "2 b", "second", "The second reviewer's word holds."),
        ("take_third", "3", "third", "The third reviewer's word holds."),
        ("take_fourth", "4", "fourth", "The fourth reviewer's word holds."),
        ("take_fifth", "5", "fifth", "The fifth reviewer's word holds."),
        ("take_sixth", "6", "sixth", "The sixth reviewer's word holds."),
        ("take_seventh", "7", "seventh", "The seventh reviewer's word holds."),
        ("take_eighth", "8", "eighth", "The eighth reviewer's word holds."),
        ("take_ninth", "9", "ninth", "The ninth reviewer's word holds."),
        ("no_error", "x -", "no error", "There is no error here, whatever the reviewers say."),
        ("own_word", "o 0", "own word", "Decide otherwise, in the review; it goes to the adjudicated layer too."),
        ("next_disagreement", "space .", "next", "Go to the next that is not settled, or not ended."),
        ("settle", "f f9", "end", "Take over what all agree about, and end this evaluation."),
        ("settle_all", "F f10", "end all", "End every evaluation in which nothing is left to settle."),
    ),
    *_group("Rows", "queue weak_spot build", ("open", "enter", "open", "Open the evaluation, or the candidate.")),
    *_group(
        "Rows",
        "queue consistency leaderboard audited import_report build",
        ("filter", "/", "filter", "Show only what contains the words you type."),
    ),
    *_group(
        "Rows",
        "queue",
        ("sort", "o f6", "sort", "Sort by the next column.", "build"),
        ("reverse", "O f7", "reverse", "Turn the order of the rows round.", "build"),
        ("blinding", "h f8", "hide", "Hide systems, then all that the judge said until you reveal it, then nothing."),
        ("assigned", "m f9", "my assignments", "Show what you are to review, or to decide on, or everything.", "build"),
    ),
    *_group(
        "Rows",
        "build",
        ("balance", "b f5", "quotas", "Show how quotas and balance stand, or no more."),
    ),
    *_group(
        "Figures",
        "leaderboard",
        (
            "next_cut",
            "v f6",
            "next table",
            "Show the next table: total, dimensions, directions, domains, kinds of system.",
            "audited",
        ),
        (
            "next_judge",
            "m f7",
            "next judge",
            "Show the leaderboard by the next judge, or by the same asked otherwise.",
            "audited",
        ),
        ("published", "p f8", "published", "Show the published figures beside, or no more."),
        ("all_published", "P f11", "all published", "Show every published figure, of systems and metrics, or no more."),
        (
            "next_weighing",
            "w f10",
            "weigh",
            "Weigh each error by how many judges found it, then samples by their ranks, then neither.",
            "audited",
        ),
        (
            "audited",
            "a f9",
            "audited",
            "Show what people's audits of a few articles make of the judge's scores of all.",
        ),
    ),
    *_group(
        "Figures",
        "audited",
        ("next_target", "t f8", "target", "Estimate the means over these very articles, or over new documents."),
        ("together", "h f9", "Holm", "Decide all pairs together by Holm's rule, or each for itself."),
    ),
    *_group(
        "Figures",
        "consistency",
        ("next_section", "tab", "next part", "Show the next part."),
        ("previous_section", "shift+tab", "previous part", "Show the part before."),
        ("show_headline", "1", "headline", "Show the headline: the mean of the four cells, and the cells."),
        ("show_weak_spots", "2", "weak spots", "Show where reviewers reject or move most; enter lists these findings."),
        ("show_heat_maps", "3", "heat maps", "Show what became of the judge's dimensions and severities."),
        ("show_scatter", "4", "scatter plot", "Show metric against humans, a point a translation."),
        ("show_figures", "5", "all figures", "Show every figure of findings, documents and reviewers."),
        ("show_validity", "6", "validity", "Show how well one can tell beforehand which findings stand."),
        ("next_rule", "v f6", "next rule", "Count ties by the next rule, in the headline."),
        ("next_metric", "m f7", "next metric", "Plot the next metric."),
    ),
    *_group(
        "Ask a model",
        "model_run",
        ("change_setting", "enter e f4", "change", "Change the setting: what is asked about, who is asked, and how."),
        ("dry_run", "d f5", "dry run", "Count the calls, tokens and money that it would take; nobody is asked."),
        ("start_run", "s f6", "start", "Begin, or go on with what was not finished; asks before money is spent."),
        (
            "pause_run",
            "p f7",
            "pause",
            "Begin no further call until you press it again; answers on their way are kept.",
        ),
        ("stop_run", "x f8", "stop", "End it and keep every answer; once more gives up what is not finished."),
    ),
    *_group(
        "Screens",
        "queue",
        ("consistency", "c f3", "consistency", "Show how far judge and reviewers agree."),
        ("leaderboard", "l f4", "leaderboard", "Show which system is ahead by each judge, and how surely."),
        ("import_report", "i f5", "import report", "Show what was imported, flagged and left out."),
        ("build", "b f11", "build", "Build a benchmark: its candidates, their points and versions, what is decided."),
        ("judge", "J !", "judge…", "Let a model judge translations: what, by whom, how, at what cost."),
        (
            "translate",
            "t %",
            "translate…",
            "Let a model translate the articles: as which system, by whom, at what cost.",
        ),
        (
            "adjudicate",
            "d f10",
            "adjudicate",
            "Settle what reviewers disagree about: this shows what each of them said.",
        ),
        ("team", "p +", "team", "Show how far and where everybody is, hand out work, write a note to a reviewer."),
    ),
    *_group(
        "Team",
        "team",
        ("hand_out", "h f5", "hand out", "Give the current reviewer more evaluations, drawn from those nobody has."),
        ("remind", "n f6", "note", "Write a note that the current reviewer sees at once, or when they come."),
    ),
    *_group(
        "Screens",
        "review consistency weak_spot leaderboard audited import_report model_run matching deduplication rubric"
        " waterfall adjudication build candidate versions team",
        ("back", "escape", "back", "Go back one level; never quits."),
    ),
    *_group(
        "App",
        "app",
        ("help", "? f1", "help", "Show the keys that are valid now, and what they do."),
        ("command_palette", "ctrl+p", "commands", "Find any action by its name."),
        ("guideline", "G f12", "guideline", "Read what each dimension, category, severity and verdict means."),
        ("tour", "*", "tour", "Take the tour on the sample, go on with it, or skip one step of it."),
        ("change_theme", "T f2", "theme", "Change to the next theme: dark, light, the terminal's 16 colours."),
        ("time", "ctrl+t", "keep time", "Keep how long you spend on each finding, pauses left out, or no more."),
        ("quit", "q ctrl+q", "quit", "Quit; everything is already saved."),
    ),
)


def actions_of(screen: ScreenName) -> tuple[Action, ...]:
    """The actions of a screen in registry order, without those valid everywhere (``app`` gives these)."""
    return tuple(action for action in ACTIONS if screen in action.screens)


def bindings(screen: ScreenName) -> list[BindingType]:
    """The ``BINDINGS`` of a screen, or of the app; each has the action's id so that a keymap can change its keys."""
    return [
        Binding(",".join(action.keys), action.id, action.title, show=action.footer, tooltip=action.help, id=action.id)
        for action in actions_of(screen)
        if action.keys
    ]


def keys_of(action: str) -> str:
    """The keys of an action as a binding takes them: ``a,1``."""
    return ",".join(next(each for each in ACTIONS if each.id == action).keys)
