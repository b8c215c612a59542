"""The words that generated articles are made of: terms with a right and a wrong wording, sentences, domains."""

from __future__ import annotations

from typing import Literal

Lang = Literal["zh", "en"]

TERMS: tuple[dict[Lang, tuple[str, str]], ...] = tuple(
    {"zh": (zh, other_zh), "en": (en, other_en)}
    for zh, other_zh, en, other_en in (
        ("国家金融监督管理总局", "金融监管局", "National Financial Regulatory Administration", "State Finance Bureau"),
        ("派出机构", "派遣机关", "local offices", "dispatched organs"),
        ("供应链金融", "供应环金融", "supply chain finance", "provision ring finance"),
        ("冷链物流", "冷冻运输", "cold-chain logistics", "freezing transport"),
        ("集装箱吞吐量", "货柜数量", "container throughput", "number of boxes"),
        ("全年日照时数", "一年的太阳时间", "annual sunshine hours", "sun time of the year"),
        ("妊娠早期", "怀孕初始", "early pregnancy", "the beginning of conceiving"),
        ("缺铁性贫血", "少铁贫血病", "iron-deficiency anaemia", "lack-iron thin blood"),
        ("蛋白质折叠", "蛋白的弯曲", "protein folding", "bending of proteins"),
        ("量子纠缠", "量子缠结", "quantum entanglement", "tangled quanta"),
        ("碳达峰", "碳到顶", "peak carbon emissions", "carbon arriving at its top"),
        ("自然保护区", "自然保护的地区", "nature reserve", "region of natural protection"),
        ("非物质文化遗产", "无形的文化财产", "intangible cultural heritage", "immaterial culture estate"),
        ("高考", "大学考试", "gaokao", "high test"),
        ("民间借贷", "人民借钱", "private lending", "folk borrowing"),
        ("不可抗力", "无法抵抗的力", "force majeure", "irresistible strength"),
        ("仲裁庭", "裁判的庭", "arbitral tribunal", "judging court of umpires"),
        ("知行合一", "知道和做一样", "the unity of knowledge and action", "to know and to do being the same"),
        ("城镇化率", "城市变化比例", "urbanisation rate", "share of turning to towns"),
        ("大语言模型", "大的语言模特", "large language model", "big tongue pattern"),
    )
)
"""Terms in both languages as (right, wrong); a source uses the right one, a translation either."""

SENTENCES: tuple[dict[Lang, str], ...] = tuple(
    {"zh": zh, "en": en}
    for zh, en in (
        (
            "{0}依照有关规定对{1}实施监督，并在授权范围内推动{2}。",
            "Within its mandate, {0} supervises {1} under the relevant rules and promotes {2}.",
        ),
        (
            "{0}是理解{1}的关键，也是{2}的起点。",
            "To understand {1}, one has to begin with {0}, which is where {2} starts.",
        ),
        ("然而，{0}并不等于{1}。", "However, {0} is not the same thing as {1}; neither is {2}."),
        (
            "展望未来，{0}有望得到提振，{1}将保持温和增长，这一趋势不仅得益于政策环境的优化，还受益于{2}。",
            "Looking ahead, {0} is expected to pick up and {1} to keep growing moderately, a trend that owes something "
            "to better policies and something to {2}.",
        ),
        (
            "第{n}条规定，当事人一方因{0}不能履行合同的，应当及时通知对方，并就{1}提供证明；{2}另有规定的除外。",
            "Under Article {n}, a party that cannot perform the contract because of {0} shall notify the other party "
            "promptly and furnish evidence of {1}, unless {2} provides otherwise.",
        ),
        (
            "这既是{0}的贡献，也是{1}的自豪。",
            "This is what {0} has contributed and what {1} takes pride in, {2} apart.",
        ),
        (
            "如果说{0}是骨架，那么{1}就是血肉，而{2}则是使二者相互支撑的东西。",
            "If {0} is the skeleton, then {1} is the flesh, and {2} is what makes the two hold each other up.",
        ),
        (
            "本文提出一种把{0}与{1}结合起来的方法，在{n}个数据集上优于仅使用{2}的做法。",
            "We propose a method that combines {0} with {1} and outperforms one that uses {2} alone on {n} data sets.",
        ),
        (
            "据统计，{0}已占全国的{n}‰，在各地区中位居前列。",
            "By one count {0} now makes up {n}‰ of the national total.",
        ),
        (
            "在{0}的影响下，{1}逐渐成为一门独立的学问，{2}也随之进入了大众的视野。",
            "Under the influence of {0}, {1} gradually became a discipline of its own, and {2} came into public view.",
        ),
    )
)
"""Sentence pairs; a slot takes the same term on both sides."""

DOMAINS: tuple[tuple[str, str], ...] = (
    ("垂类场景", "食品健康"),
    ("垂类场景", "法律"),
    ("新闻资讯", "财经"),
    ("新闻资讯", "科技"),
    ("学术论文", "社会科学"),
    ("学术论文", "自然科学"),
    ("学术论文", "人文科学"),
    ("文学艺术", "小说"),
)
"""Primary and secondary domains."""
