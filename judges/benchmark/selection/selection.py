"""Selection of articles for the data set: quotas and balance, rates of selection, and agreement of two experts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from judges.benchmark.checks.result import Check
from judges.benchmark.selection.difficulty_filter import State
from judges.benchmark.selection.domain_names import is_domain
from judges.consistency.inter_annotator import Agreement
from judges.stats.figure import Figure, ratio
from judges.stats.intervals import ExpandedBootstrap, wilson
from judges.stats.kappa import NO_VARIATION, alphas, gwet_ac1s, observed_agreement, weighted_kappas
from judges.stats.resampling import RESAMPLES, SEED

if TYPE_CHECKING:
    from judges.stats.arrays import Floats


Outcome: TypeAlias = Literal["accepted", "rejected", "differ", "undecided"]

Decision: TypeAlias = Literal["accept", "reject"]
DECISIONS: tuple[Decision, ...] = get_args(Decision)

NONE_FILTERED = "no candidate has been through the filter"
NONE_SELECTED = "nothing has been decided in the selection"
NONE_ENDED = "no candidate is accepted, rejected or filtered out yet"
NONE_ACCEPTED = "nothing is accepted yet"
NO_QUOTA = "no article is asked for"
NONE_BY_BOTH = "no candidate was decided by both"
INDEPENDENT = "Wilson, every candidate by itself"


@dataclass(frozen=True, slots=True)
class CandidateState:
    """State of a candidate. ``difficulty``: the filter's outcome, None where it was under none.

    ``outcome``: what people's decisions come to. ``stage``: where it was decided (1 intake, 2 filter, 3 selection).
    """

    direction: str
    domain: str = ""
    subdomain: str = ""
    difficulty: State | None = None
    outcome: Outcome = "undecided"
    stage: int = 3

    @property
    def filtered_out(self) -> bool:
        """Return whether the filter alone keeps it out."""
        return self.difficulty in ("easy", "cannot_pass") and self.outcome != "accepted"

    @property
    def is_open(self) -> bool:
        """Return whether it can still come in."""
        return self.outcome in ("undecided", "differ") and not self.filtered_out


@dataclass(frozen=True, slots=True)
class Quota:
    """Number of articles (``wanted``, from 0) that a direction, domain and subdomain should have; "" for any."""

    wanted: int
    direction: str = ""
    domain: str = ""
    subdomain: str = ""

    def __post_init__(self) -> None:
        if self.wanted < 0:
            raise ValueError(f"{self.wanted} articles cannot be asked for")

    def holds(self, one: CandidateState) -> bool:
        """Return whether a candidate is of this kind, whether the domains are named by code, in Chinese or English."""
        direction = not self.direction or self.direction.strip().casefold() == one.direction.strip().casefold()
        domains = ((self.domain, one.domain), (self.subdomain, one.subdomain))
        return direction and all(not asked or is_domain(asked, given) for asked, given in domains)

    @property
    def narrowness(self) -> int:
        """Return how many of its three fields are given."""
        return sum(map(bool, (self.direction, self.domain, self.subdomain)))


_DISCOX: Mapping[tuple[str, str], Mapping[str, int]] = {
    ("学术论文", "社会科学"): {"zh-en": 21, "en-zh": 17},
    ("学术论文", "自然科学"): {"zh-en": 13, "en-zh": 22},
    ("学术论文", "人文科学"): {"zh-en": 12, "en-zh": 16},
    ("学术论文", "应用学科"): {"zh-en": 10, "en-zh": 10},
    ("新闻资讯", ""): {"zh-en": 29, "en-zh": 8},
    ("垂类场景", ""): {"zh-en": 8, "en-zh": 20},
    ("文学艺术", ""): {"zh-en": 7, "en-zh": 7},
}
"""Domain and subdomain, as the data set names them → its articles by direction."""


def discox(articles: int = 200, directions: Sequence[str] = ("zh-en", "en-zh")) -> tuple[Quota, ...]:
    """Return DiscoX's own distribution over domains, scaled to so many ``articles``, as many in each direction.

    Social science 38 of 200, natural science 35, humanities 28, applied 20; news 37, domain-specific 28, literature and
    arts 14. A direction that DiscoX has not takes the mean of its two. What scaling leaves over goes to the largest
    remainders (Hamilton's method), so that the quotas add up to ``articles``.
    """
    cells = [
        (direction, domain, subdomain, of.get(direction, sum(of.values()) / 2))
        for direction in dict.fromkeys(directions)
        for (domain, subdomain), of in _DISCOX.items()
    ]
    total = sum(share for *_, share in cells)
    exact = [articles * share / total for *_, share in cells] if cells else []
    wanted = [int(each) for each in exact]
    by_remainder = sorted(range(len(cells)), key=lambda i: (wanted[i] - exact[i], i))
    for i in by_remainder[: articles - sum(wanted)]:
        wanted[i] += 1
    return tuple(Quota(n, *cell[:3]) for n, cell in zip(wanted, cells, strict=True))


def quotas_to_json(quotas: Iterable[Quota]) -> dict[str, Any]:
    """Return quotas as JSON takes them: ``{"quotas": [{"wanted", "direction", "domain", "subdomain"}, …]}``."""
    names = ("wanted", "direction", "domain", "subdomain")
    return {"quotas": [{name: value for name in names if (value := getattr(each, name)) != ""} for each in quotas]}


def quotas_from_json(value: Mapping[str, Any]) -> tuple[Quota, ...]:
    """Return the quotas that `quotas_to_json` gave, or that a person wrote so; ValueError says which one is none."""
    rows = value.get("quotas")
    if not isinstance(rows, Sequence) or isinstance(rows, str):
        raise ValueError('quotas are a list: {"quotas": [{"wanted": 10, "domain": "law"}]}')
    return tuple(_read(number, row) for number, row in enumerate(rows, 1))


def _read(number: int, row: object) -> Quota:
    if not isinstance(row, Mapping) or type(wanted := row.get("wanted")) is not int or wanted < 0:
        raise ValueError(f"quota {number}: “wanted” is the number of articles, from 0")
    names = {name: row.get(name, "") for name in ("direction", "domain", "subdomain")}
    if unknown := sorted(row.keys() - names.keys() - {"wanted"}):
        raise ValueError(f"quota {number}: “{unknown[0]}” is no field of it")
    if wrong := next((name for name, given in names.items() if not isinstance(given, str)), None):
        raise ValueError(f"quota {number}: “{wrong}” is a name")
    return Quota(wanted, **names)


@dataclass(frozen=True, slots=True)
class QuotaState:
    """A quota with the articles ``accepted`` of its kind, and the candidates that are still ``open``."""

    quota: Quota
    accepted: int
    open: int

    @property
    def short(self) -> int:
        """Return how many are still wanted."""
        return max(0, self.quota.wanted - self.accepted)

    @property
    def over(self) -> int:
        """Return how many are more than wanted."""
        return max(0, self.accepted - self.quota.wanted)

    @property
    def lacking(self) -> int:
        """Return how many candidates are to be looked for, even if all that are open were accepted."""
        return max(0, self.short - self.open)


@dataclass(frozen=True, slots=True)
class Balance:
    """State of the quotas, each in its place. ``outside``: candidates that no quota asks for; its quota is of none.

    ``distance``: the total variation distance ½ Σ |accepted share - wanted share|, in [0, 1]: the share of the accepted
    articles that would have to be of another kind. Undefined where nothing is accepted or asked for.
    """

    quotas: tuple[QuotaState, ...]
    outside: QuotaState
    distance: Figure

    def of(self, one: CandidateState) -> QuotaState:
        """The quota that a candidate counts for: the narrowest that holds it, of these the first; else ``outside``."""
        order = sorted(self.quotas, key=lambda each: -each.quota.narrowness)
        return next((each for each in order if each.quota.holds(one)), self.outside)


def balance(quotas: Sequence[Quota], candidates: Iterable[CandidateState]) -> Balance:
    """Return how the quotas stand; a candidate counts for the narrowest that holds it, of these for the first."""
    accepted, waiting = Counter[int](), Counter[int]()
    order = sorted(range(len(quotas)), key=lambda i: -quotas[i].narrowness)
    for one in candidates:
        place = next((i for i in order if quotas[i].holds(one)), -1)
        accepted[place] += one.outcome == "accepted"
        waiting[place] += one.is_open
    filled = tuple(QuotaState(quota, accepted[i], waiting[i]) for i, quota in enumerate(quotas))
    outside = QuotaState(Quota(0), accepted[-1], waiting[-1])
    return Balance(filled, outside, _distance((*filled, outside)))


def _distance(filled: Sequence[QuotaState]) -> Figure:
    accepted, wanted = sum(each.accepted for each in filled), sum(each.quota.wanted for each in filled)
    if not accepted or not wanted:
        return Figure(None, accepted, NO_QUOTA if accepted else NONE_ACCEPTED)
    # Over a common denominator, so that a perfect balance is exactly 0.
    apart = sum(abs(each.accepted * wanted - each.quota.wanted * accepted) for each in filled)
    return Figure(apart / (2 * accepted * wanted), accepted)


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of the candidates by what became of them, with Wilson's intervals.

    ``filter``: those that stay, of those for which the filter came to an end. ``selection``: those accepted, of those
    decided in stage 3. ``overall``: those accepted, of all that came to an end anywhere (DiscoX: 200 of 665).
    ``added``: all candidates; ``open``: those that can still come in.
    """

    filter: Figure
    selection: Figure
    overall: Figure
    added: int
    open: int


def rates(candidates: Iterable[CandidateState]) -> Rates:
    """Return the rates of filter and selection; what is not decided counts in none."""
    every = list(candidates)
    through = [one.difficulty == "stays" for one in every if one.difficulty in ("stays", "easy", "cannot_pass")]
    selected = [
        one.outcome == "accepted" for one in every if one.outcome in ("accepted", "rejected") and one.stage == 3
    ]
    ended = [one.outcome == "accepted" for one in every if not one.is_open]
    return Rates(
        _rate(through, NONE_FILTERED),
        _rate(selected, NONE_SELECTED),
        _rate(ended, NONE_ENDED),
        len(every),
        len(every) - len(ended),
    )


def _rate(said: Sequence[bool], why: str) -> Figure:
    return _with_wilson(ratio(sum(said), len(said), why))


def _with_wilson(figure: Figure) -> Figure:
    interval = None if figure.value is None else wilson(figure.value, figure.n, INDEPENDENT)
    return Figure(figure.value, figure.n, figure.why, interval=interval)


@dataclass(frozen=True, slots=True)
class Shared:
    """A candidate that several people are to decide on, and what each said before seeing the others' decisions."""

    key: str
    assigned: tuple[str, ...]
    decisions: Mapping[str, Decision]


@dataclass(frozen=True, slots=True)
class Experts:
    """Two experts on the candidates that both were given, ``overlap`` of them.

    ``agreement`` is over those that both decided; ``left_out`` counts the others, which only the first, only the
    second, or neither has decided. ``differ``: the keys of those that one accepts and the other rejects.
    """

    people: tuple[str, str]
    overlap: int
    agreement: Agreement
    left_out: tuple[int, int, int]
    differ: tuple[str, ...]


def experts(shared: Iterable[Shared], resamples: int = RESAMPLES, seed: int = SEED) -> list[Experts]:
    """Compare every two experts who were given a candidate in common, in the order of their names.

    Observed agreement has Wilson's interval, as candidates are independent of one another; the three that are corrected
    for chance have that of the bootstrap over candidates. All are undefined where there is nothing that both
    decided, and kappa and alpha where everybody accepts, or rejects, everything.
    """
    every = list(shared)
    people = sorted({name for one in every for name in one.assigned})
    found = []
    for first, second in combinations(people, 2):
        overlap = [one for one in every if {first, second} <= set(one.assigned)]
        if overlap:
            found.append(_experts(first, second, overlap, ExpandedBootstrap(resamples, seed)))
    return found


def _experts(first: str, second: str, overlap: Sequence[Shared], bootstrap: ExpandedBootstrap) -> Experts:
    said = [(one.key, one.decisions.get(first), one.decisions.get(second)) for one in overlap]
    both = [(key, a, b) for key, a, b in said if a and b]
    left_out = Counter((a is not None, b is not None) for _, a, b in said)
    return Experts(
        (first, second),
        len(overlap),
        _agreement([(DECISIONS.index(a), DECISIONS.index(b)) for _, a, b in both], bootstrap),
        (left_out[True, False], left_out[False, True], left_out[False, False]),
        tuple(key for key, a, b in both if a != b),
    )


def _agreement(pairs: Sequence[tuple[int, int]], bootstrap: ExpandedBootstrap) -> Agreement:
    import numpy as np

    n, q = len(pairs), len(DECISIONS)
    tables = np.zeros((n, q, q))
    for i, (a, b) in enumerate(pairs):
        tables[i, a, b] = 1
    whole = tables.sum(axis=0)
    draws = bootstrap.draws(tables.reshape(n, q * q)).reshape(-1, q, q)

    def figure(statistic: Callable[[Floats], Floats]) -> Figure:
        value = float(statistic(whole))
        if np.isnan(value):
            return Figure(None, n, NO_VARIATION if n else NONE_BY_BOTH)
        return Figure(value, n, interval=bootstrap.interval(statistic(draws), n))

    observed = observed_agreement(whole)
    return Agreement(
        _with_wilson(Figure(observed, n, "" if n else NONE_BY_BOTH)),
        figure(weighted_kappas),
        figure(gwet_ac1s),
        figure(lambda stack: alphas(stack + stack.swapaxes(-1, -2), "nominal")),
    )


def described(said: Mapping[str, str], points: int, quotas: Sequence[Quota] = ()) -> Iterator[Check]:
    """Yield what is missing of rubric points, domain, subdomain, origin and licence, or fits none of the quotas."""
    if not points:
        mend = "Write points: without one the filter cannot say anything, and no judge knows what matters here."
        yield Check("no_points", "blocks", "It has no rubric point.", mend)
    kind = CandidateState(said["direction"], said["domain"], said["subdomain"])
    if not kind.domain.strip():
        yield Check("domain", "warns", "It has no domain.", "Say of which it is: the benchmark is balanced by domain.")
    elif quotas and not any(quota.holds(kind) for quota in quotas):
        named = ", ".join(filter(None, (kind.direction, kind.domain, kind.subdomain)))
        mend = "Correct direction, domain or sub-domain, or ask for such articles in the quotas."
        yield Check("domain", "warns", f"No quota is for {named}.", mend)
    if not said["origin"].strip():
        yield Check("origin", "warns", "Nobody said where it is from.", "Say who published it, where and when.")
    if not said["licence"].strip():
        mend = "Say under which licence or permission it is; without one it may be of no use to others."
        yield Check("licence", "blocks", "Nobody said on what terms it may be used.", mend)


def few_points(points: int, mean: float) -> Check | None:
    """Say that an article has fewer points than the benchmark's candidates have on average; None where it has not."""
    if not 0 < points < mean:
        return None
    said = f"It has {points} rubric point{'' if points == 1 else 's'}; candidates have {mean:.1f} on average."
    return Check("few_points", "remarks", said, "Look whether something that matters is not asked for yet.")
