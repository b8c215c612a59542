"""De-duplication: what a de-duplicator advised, carried out exactly and held to the metric's priorities.

Source of the priorities: the DiscoX paper (ICLR 2026, arXiv 2511.10984): one root cause is penalised once; an
extremely critical accuracy error always stands; a violated rubric point wins over any other finding; a rubric point
that was met absorbs nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from judges.metric_s.reading.dedup_advice import Reference
from judges.model import Advice, AdviceStatus, Finding, Flag, Judge, RubricVerdict


def apply(
    findings: Sequence[Finding],
    advice: Sequence[Advice],
    rubric: Sequence[RubricVerdict],
    numbers: Mapping[Reference, int] | None = None,
) -> tuple[tuple[Finding, ...], tuple[Advice, ...], tuple[Flag, ...]]:
    """Carry out the advice on the findings, in its order, and return (findings, advice, flags).

    ``numbers`` gives, for a reference as the judges numbered their lists, the position in ``findings``; without it
    a finding goes by its ``index``, a rubric point's by the point's number. Each drop is decided by itself, so that one
    that is refused takes no other with it.

    Where a line keeps what the metric ranks below something that it drops, its findings have one cause all the same:
    the line is turned round and flagged ``advice_turned``. The advice that is returned says what was carried out, its
    text what was advised.

    A drop is refused, and flagged, where the finding has nothing to give way to: nothing is named (its cause would not
    be penalised at all), or only a rubric point that was met or something that does not exist, or what it absorbed
    itself. Refused as well is the drop of what the same line keeps, of an extremely critical accuracy error, and of a
    violated rubric point for anything but such an error. The inputs are not changed.
    """
    where = dict(numbers) if numbers is not None else _positions(findings)
    met = {verdict.point for verdict in rubric if verdict.met}
    result = list(findings)
    read: list[Advice] = []
    flags: list[Flag] = []
    for line, given in enumerate(advice):
        obeyed = _turned(given, result, where)
        if obeyed is not given:
            stays, goes = (_listed(references) for references in (obeyed.keeps, obeyed.drops))
            said = f"{stays} stays and {goes} goes: the metric ranks them the other way round than advised"
            flags.append(Flag("advice_turned", f"advice {line + 1}: {said}"))
        status: AdviceStatus = given.status
        if status == "applied" and not (given.drops or given.keeps):
            status = "names_nothing"
        for reference in obeyed.drops:
            outcome = _drop(findings=result, where=where, met=met, advice=obeyed, reference=reference, line=line)
            if outcome is not None:
                status = outcome[0] if status != "refused" else status
                flags.append(Flag(f"advice_{outcome[0]}", f"advice {line + 1}: {outcome[1]}"))
        if given.status == "refused" and not given.drops:
            why = "it does not say for certain which finding stays and which goes"
            flags.append(Flag("advice_refused", f"advice {line + 1}: nothing was dropped: {why}"))
        if status == "names_nothing":
            flags.append(
                Flag("advice_names_nothing", f"advice {line + 1} names no finding; nothing was dropped for it")
            )
        read.append(replace(obeyed, status=status))
    return tuple(result), tuple(read), tuple(flags)


def _rank(finding: Finding) -> int:
    """Return a finding's place in the metric's priorities: the lower the number, the less it gives way."""
    if finding.judge == "accuracy" and finding.severity == "extremely_critical":
        return 0
    return 1 if finding.judge == "rubric" else 2


def _turned(given: Advice, findings: Sequence[Finding], where: Mapping[Reference, int]) -> Advice:
    """Return the advice with what stays by the metric's priorities kept; the very same where it is kept already."""
    ranks = {r: _rank(findings[where[r]]) for r in (*given.keeps, *given.drops) if r in where}
    keeps = [reference for reference in given.keeps if reference in ranks and reference not in given.drops]
    drops = [reference for reference in given.drops if reference in ranks and reference not in given.keeps]
    first = min((ranks[reference] for reference in drops), default=2)
    if not keeps or first >= min(ranks[reference] for reference in keeps):
        return given
    stays = [reference for reference in drops if ranks[reference] == first]
    goes = [*keeps, *(reference for reference in given.drops if reference not in stays)]
    return replace(given, drops=tuple(goes), keeps=tuple(stays))


def drop_repeated(findings: Sequence[Finding]) -> tuple[tuple[Finding, ...], tuple[Flag, ...]]:
    """Drop what a judge says word for word again, of the same place; return (findings, flags).

    A repeated error counts once. Only a model that goes round in circles repeats itself so.
    """
    first: dict[Finding, int] = {}
    result: list[Finding] = []
    repeated: dict[Judge, int] = {}
    for place, finding in enumerate(findings):
        original = first.setdefault(replace(finding, index=0), place)
        if original != place:
            repeated[finding.judge] = repeated.get(finding.judge, 0) + 1
            finding = replace(finding, kept=False, duplicate_of=original)
        result.append(finding)
    flags = (
        Flag("finding_repeated", f"{judge}: {number} findings repeat another word for word and count once")
        for judge, number in repeated.items()
    )
    return tuple(result), tuple(flags)


def _positions(findings: Sequence[Finding]) -> dict[Reference, int]:
    return {
        (f.judge, f.rubric_point if f.judge == "rubric" and f.rubric_point is not None else f.index): place
        for place, f in reversed(list(enumerate(findings)))
    }


def _drop(
    findings: list[Finding],
    where: Mapping[Reference, int],
    met: set[int],
    advice: Advice,
    reference: Reference,
    line: int,
) -> tuple[AdviceStatus, str] | None:
    """Drop one finding, or return why it stands."""
    name = _name(reference)
    if reference not in where:
        if reference[0] == "rubric" and reference[1] in met:
            return "no_such_finding", f"{name} was met, so there is nothing to drop"
        return "no_such_finding", f"there is no {name}"
    target = where[reference]
    finding = findings[target]
    if _rank(finding) == 0:
        return "refused", f"{name} is extremely critical and always stands"
    if not advice.keeps:
        return "refused", f"{name} stands: nothing is named that it could give way to"
    if reference in advice.keeps:
        return "refused", f"{name} is to stay by the same advice"
    keepers = [where[r] for r in advice.keeps if r in where and where[r] != target]
    if not keepers:
        if any(judge == "rubric" and number in met for judge, number in advice.keeps):
            return "refused", f"{name} stands: the rubric point it was to give way to was met, and absorbs nothing"
        return "no_such_finding", f"{name} stands: there is no {_listed(advice.keeps)} that it could give way to"
    if finding.judge == "rubric":
        keepers = [place for place in keepers if _rank(findings[place]) == 0]
        if not keepers:
            return "refused", f"{name} is violated and gives way only to an extremely critical error"
    if not finding.kept:
        return None
    standing = [place for place in keepers if _root(findings, place) != target]
    if not standing:
        return "refused", f"{name} stands: what it was to give way to was itself dropped for it"
    # the violated rubric point comes first of what absorbs, then what still stands
    standing.sort(key=lambda place: (findings[place].judge != "rubric", not findings[place].kept))
    findings[target] = replace(finding, kept=False, duplicate_of=standing[0], advice=line)
    return None


def _root(findings: Sequence[Finding], place: int) -> int:
    """Return the finding that absorbed this one in the end."""
    seen = {place}
    while (absorbed_by := findings[place].duplicate_of) is not None and absorbed_by not in seen:
        place = absorbed_by
        seen.add(place)
    return place


def _listed(references: Sequence[Reference]) -> str:
    return ", ".join(map(_name, references))


def _name(reference: Reference) -> str:
    judge, number = reference
    return f"rubric point {number}" if judge == "rubric" else f"{judge} finding {number}"
