"""Proofs of the errors of evaluations on record: each is mended and compared, and what comes of it stored beside."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from discox_tui.runs.batching import Batching
from discox_tui.runs.judging import PROGRAM, Choice, Judging
from discox_tui.runs.workers import OnStart, Result
from judges.metric_s.protocol.proofs import prove, proved_judgement
from judges.metric_s.protocol.protocol import Judged
from judges.metric_s.protocol.signature import Signature
from judges.providers.batch import Batches
from judges.providers.client import Policy
from judges.providers.model import Ask, Provider
from storage.db.connection import Connection
from storage.record.groundings import read_located
from storage.record.proofs import proved_of
from storage.runs import runs
from storage.runs.calls import Journal


@dataclass(frozen=True, slots=True)
class ToProve:
    """An evaluation whose errors are to be proved. ``work.standing``: what was proved of it, some of it in vain."""

    original: str
    work: runs.Work


def to_prove(connection: Connection, choice: Choice) -> Iterator[ToProve]:
    """Yield the evaluations by these settings that are not proved yet; or not whole, where failures are retried."""
    asked = Signature.of(choice.settings, PROGRAM).proved(choice.settings).asked
    for work in choice.work(connection, again=True):
        if work.standing is None or work.failed:
            continue
        found = proved_of(connection, work.standing, asked)
        if found is None:
            yield ToProve(work.standing, replace(work, standing=None))
        elif found[1] and choice.retry_failed:
            yield ToProve(work.standing, replace(work, standing=found[0], failed=True))


@dataclass
class Proving:
    """One run of proofs. ``judging``: whose evaluations they are of, with the run's own progress and spending."""

    judging: Judging

    async def live(self, provider: Provider, policy: Policy, on_start: OnStart) -> None:
        """Prove what is not proved yet. Raises StorageError where the record cannot be written."""
        items = to_prove(self.judging.connection, self.judging.choice)
        await self.judging.through(items, self._prove, provider, policy, on_start)

    def batching(self, provider: Batches) -> Batching[ToProve]:
        """Return what proves the same in batches: one round of mends, one of comparisons."""
        judging = self.judging
        return Batching(judging, provider, lambda: to_prove(judging.connection, judging.choice), self._prove)

    async def _prove(self, journal: Journal, item: ToProve, ask: Ask) -> Result:
        evaluation = read_located(self.judging.connection, item.original)
        settings, work = self.judging.choice.settings, item.work
        proved = await prove(
            article=evaluation.article,
            translation=evaluation.translation or "",
            located=[(each.finding, each.grounded) for each in evaluation.findings],
            alignment=evaluation.alignment,
            settings=settings,
            ask=ask,
            sample=work.sample,
        )
        judged = Judged(
            judgement=proved_judgement(evaluation.judgement, proved.proofs, settings),
            answers=proved.answers,
            quotes=evaluation.quotes or 0,
            quotes_verified=evaluation.quotes_verified or 0,
        )
        signature = replace(Signature.parse(evaluation.signature), program=PROGRAM).proved(settings, proved)
        await journal.write(
            lambda connection: runs.store_proved(
                connection,
                self.judging.run_id,
                work,
                item.original,
                signature=signature,
                judged=judged,
                proofs=proved.proofs,
            )
        )
        return "failed" if any(each and each.state == "not_tried" and each.place for each in proved.proofs) else "done"
