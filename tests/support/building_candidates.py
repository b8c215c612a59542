"""Six candidates for a benchmark, good and bad, Chinese and English, and a library that has them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import closing
from itertools import product
from pathlib import Path

from judges.benchmark.rubric.points import Point, read_points, rubric_text, written
from judges.benchmark.selection.difficulty_filter import Rule
from judges.metric_s.protocol.protocol import Judged
from judges.metric_s.reading.rubric import parse_rubric
from judges.model import Article, Judgement, RubricVerdict
from storage.benchmark.candidates import candidates
from storage.benchmark.difficulty import rule_to_json
from storage.benchmark.log import BuildLog
from storage.db.connection import transaction
from storage.integrity.opening import open_library
from storage.record.library import add_translation_of
from storage.runs.runs import Work, store_judged
from tests.support.builders import signature, start

WHO = ("守堤的老周", "摆渡的哑巴", "镇上的郎中", "县里来的技术员", "卖豆腐的寡妇", "放鸭的少年")
WHEN = ("开春以后", "梅雨将尽", "立秋那天", "霜降前后", "腊月二十三", "涨水的夜里")
WHAT = (
    "把水尺上的刻度一格一格抄进本子里，说今年的水比往年来得早",
    "提着马灯从堤头走到堤尾，看见哪里渗水便插上一根芦苇",
    "同村里人商量清淤，谁家出工，谁家出粮，都记在祠堂的墙上",
    "劝大家不要在行洪道上种棉花，话说得慢，却没有人打断",
    "讲起民国二十年的那场大水，讲到一半停下来，只顾着喝茶",
)
DYKE = "\n\n".join(
    "".join(f"{when}，{who}{what}。" for when, what in zip(WHEN, WHAT * 2, strict=False))
    + f"这一年的“岁修”，{who}记得很清楚。堤是大家的堤，命是大家的命，他常这样说。"
    for who in WHO
)
"""A good Chinese one: long enough, and it stands alone."""

TREES = ("银杏", "香樟", "老槐", "水杉", "乌桕", "枫杨", "皂荚", "苦楝", "榉树", "桑树", "柿子", "石榴")
GROVE = "\n".join(
    f"村东的{tree}是祖父手里种下的。{tree}落叶的时候，孩子们用竹竿去打，打下来的装进布袋，过年再拿出来分。"
    f"有人出钱要买这棵{tree}，祖父不肯，只说树比人活得久，卖树便是卖自己。后来修路，{tree}往西移了三丈，居然又活了。"
    for tree in TREES
)
"""A text that came in twice."""

PEOPLE = ("The harbour master", "An apprentice joiner", "The ferryman's widow", "A surveyor from the capital")
DID = (
    "kept a ledger of every plank that left the slipway and of every one that came back warped",
    "argued that seasoned oak was worth the wait, whatever the owners said about the price of time",
    "walked the length of the breakwater at low tide and counted the stones that the storm had moved",
    "wrote to the council about the lease, twice, and was answered once, in a hand nobody could read",
    "taught the children to splice a rope by feel so that they could do it in the dark",
    "refused to launch on a Friday and would not say whether it was from belief or from habit",
)
MONTHS = ("In March", "By midsummer", "When the herring came", "After the gale", "At the turn of the year")
SLIPWAY = "\n\n".join(
    " ".join(f"{month} {person[0].lower()}{person[1:]} {did}." for did in DID)
    + " Nobody called it a closed shop, yet no stranger was ever taken on."
    for month, person in product(MONTHS, PEOPLE)
)
"""A good English one."""

HOSTILE = (
    "第一段有制表符\t和双向控制符\u202e在里面。[@click=app.quit]别点[/]。\n"
    "第二段有行分隔符\u2028，有空字符\x00，有转义\x1b[31m红\x1b[0m，还有👩‍🚀和\ue000。\r\n"
    "第三段照旧。"
)
"""A text that would harm a careless screen, and is too short."""

CANDIDATES: dict[str, tuple[str, str, str, str]] = {
    "dyke": (DYKE, "zh-en", "文学艺术", ""),
    "slipway": (SLIPWAY, "en-zh", "文学艺术", ""),
    "grove": (GROVE, "zh-en", "新闻资讯", ""),
    "notice": ("如上文所述，本公司对下图所示之产品概不负责，详见", "zh-en", "垂类场景", ""),
    "letter": (GROVE.replace("祖父", "外公"), "en-zh", "文学艺术", ""),
    "hostile": (HOSTILE, "zh-en", "", ""),
}
"""Name → text, direction, domain, subdomain. ``grove`` and ``letter`` are nearly the same, ``letter`` is in no language of its
direction, ``notice`` does not stand alone, ``hostile`` is short and full of what harms a terminal."""

POINTS: dict[str, tuple[Point, ...]] = {
    "dyke": (
        written(1, "岁修", ["annual dyke repair", "yearly maintenance"], ["annual decoration"], "terminology"),
        written(2, "行洪道", ["floodway"], ["flood road"], "terminology"),
        written(3, "民国二十年", ["1931"], [], "culture"),
        written(4, "祠堂", ["ancestral hall"], ["shrine"], "culture"),
    ),
    "slipway": (
        written(1, "closed shop", ["封闭行会"], ["关门的店铺"], "keyword"),
        written(2, "slipway", ["船台"], [], "terminology"),
    ),
    "notice": read_points(
        parse_rubric("考点1：翻译要自然流畅。\n考点2：“合同”应译为“contract”。"), "本公司对下图所示之产品概不负责"
    ),
    "hostile": (written(1, "制表符", ["tab"], [], "terminology"),),
}


def build_library(path: Path, person: str = "mei", keys: Sequence[str] = tuple(CANDIDATES)) -> None:
    """Make a library with these candidates."""
    with closing(open_library(path)) as connection:
        log = BuildLog(connection, person)
        for key in keys:
            source, direction, domain, subdomain = CANDIDATES[key]
            points = POINTS.get(key, ())
            rubric = tuple(point.as_rubric() for point in points)
            text = rubric_text(points) if points else ""
            article = Article(key, source, direction, domain, subdomain, rubric_text=text, rubric=rubric)
            log.add(article, points, origin="a village chronicle", licence="CC BY 4.0", file="chronicle.jsonl", line=3)


OWLET = (
    DYKE.replace("守堤的老周", "Old Zhou the dyke keeper")
    .replace("岁修", "annual decoration")
    .replace("祠堂", "ancestral hall")
)
"""What stands for a translation: it holds a forbidden rendering, and an expected one."""


def judge(
    path: Path,
    failed: Mapping[str, Collection[int]],
    person: str = "mei",
    min_failed: int = 2,
    *,
    owed: Mapping[str, Collection[int]] = {},
    refused: Collection[str] = (),
) -> list[str]:
    """Put ``dyke`` under a filter, judged: system → the points that it fails; return the evaluations' ids.

    ``owed``: points of which the judge says nothing. ``refused``: systems whose text is no translation.
    """
    scheme = signature("rubric")
    with closing(open_library(path)) as connection:
        (now,) = (each for each in candidates(connection, person) if each.key == "dyke")
        ids = []
        with transaction(connection):
            run = start(connection)
            for system, points in failed.items():
                translation = add_translation_of(connection, now.article_id, system, f"{OWLET}\n\n{system}")
                verdicts = tuple(
                    RubricVerdict(point.number, point.number not in points, f"{system} on {point.term}")
                    for point in now.version.points
                    if point.number not in owed.get(system, ())
                )
                none = Judgement("instruction_failed", None)
                came = none if system in refused else Judgement("scored", None, rubric=verdicts)
                said = Judged(came, {}, ("osprey-2",), ("json_schema",))
                ids.append(store_judged(connection, run, Work(translation, 1), scheme, said))
        rule = rule_to_json(Rule(min_failed=min_failed))
        BuildLog(connection, person).filter(rule, list(failed), [scheme.asked], {now.key: now.article_id})
    return ids
