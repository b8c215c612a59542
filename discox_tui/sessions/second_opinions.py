"""Second opinions on the open evaluation's findings: who else found them, how likely they stand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from discox_tui.sessions.library import Refused

if TYPE_CHECKING:
    from judges.ranking.acceptance_model import AcceptanceModel
    from storage.analysis.judge_votes import Vote
    from storage.db.connection import Connection
    from storage.record.library import StoredEvaluation, StoredFinding


class SecondOpinions:
    """The second opinions on one evaluation at a time, read once one of them is asked for.

    ``learnt``: what tells how likely findings stand, None where they have not asked for it.
    """

    def __init__(self, connection: Connection) -> None:
        self.learnt: AcceptanceModel | None = None
        self._connection = connection
        self._layer = ""
        self._evaluation: StoredEvaluation | None = None
        self._votes: tuple[Mapping[str, Vote], Sequence[str]] | None = None
        self._chances: Mapping[str, float] | None = None

    def turn_to(self, evaluation: StoredEvaluation, layer: str) -> None:
        """Speak of this evaluation, to who writes this layer."""
        self._evaluation, self._layer = evaluation, layer
        self._votes = self._chances = None

    def forget_votes(self) -> None:
        """Read anew who else found what: another program may have added evaluations."""
        self._votes = None

    def vote(self, finding: StoredFinding) -> tuple[Vote | None, Sequence[str]]:
        """Return how many found the error of a finding, and who judged the translation.

        None where nobody else did, or the finding has no vote.
        """
        assert self._evaluation is not None
        if self._votes is None:
            from storage.analysis.judge_votes import votes_at  # opening the app does not wait for it

            self._votes = votes_at(self._connection, self._evaluation.id)
        return self._votes[0].get(finding.id), self._votes[1]

    def toggle_chances(self) -> None:
        """Tell how likely findings stand, learnt from all that is said by now, or no more.

        Raises Refused, with the reason, where they are to judge unaided, or nothing can be learnt.
        """
        if self.learnt is not None:
            self.learnt = self._chances = None
            return
        from storage.analysis.acceptance import learn, unaided  # opening the app does not wait for it

        assert self._evaluation is not None
        if self._evaluation.hidden or self._evaluation.id in unaided(self._connection, self._layer):
            raise Refused("Not in a blind pass, nor a second time: it would draw you to what it says")
        learnt = learn(self._connection, self._layer)
        if learnt.why:
            raise Refused(f"Nothing can be learnt yet of which errors are doubtful: {learnt.why}")
        self.learnt = learnt

    def chance(self, finding: StoredFinding) -> float | None:
        """Return how likely a finding stands, 0–1; None where it is not asked for, or not to be told."""
        if self.learnt is None or self._evaluation is None:
            return None
        if self._chances is None:
            from storage.analysis.acceptance import told_to

            told = told_to(self._connection, self.learnt, self._layer, [self._evaluation.id])
            self._chances = told.get(self._evaluation.id, {})
        return self._chances.get(finding.id)
