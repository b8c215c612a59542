"""The words that generated articles are made of: terms with a right and a wrong wording, sentences, domains."""

from __future__ import annotations

from typing import Literal

Lang = Literal["zh", "en"]

TERMS: tuple[dict[Lang, tuple[str, str]], ...] = tuple(
    {"zh": (zh, other_zh), "en": (en, other_en)}
    for zh, other_zh, en, other_en in (
        ("国家金融监督管理总局", "金融监管局", "National Financial Regulatory Administration", "State Finance Bureau"),
        ("宏观审慎管理", "宏观谨慎经营", "macroprudential management", "cautious macro operation"),
        ("派出机构", "派遣机关", "local offices", "dispatched organs"),
        ("银行业金融机构", "银行类组织", "banking institutions", "bank-type organisations"),
        ("供应链金融", "供应环金融", "supply chain finance", "provision ring finance"),
        ("第三利润源", "第三个利润来源", "third profit source", "third origin of gain"),
        ("冷链物流", "冷冻运输", "cold-chain logistics", "freezing transport"),
        ("多式联运", "多种方式运输", "multimodal transport", "transport of many modes"),
        ("集装箱吞吐量", "货柜数量", "container throughput", "number of boxes"),
        ("番茄制品", "西红柿产品", "tomato products", "love-apple goods"),
        ("全年日照时数", "一年的太阳时间", "annual sunshine hours", "sun time of the year"),
        ("微量营养素", "少量营养", "micronutrients", "small nutrition"),
        ("妊娠早期", "怀孕初始", "early pregnancy", "the beginning of conceiving"),
        ("叶酸补充剂", "叶酸药片", "folic acid supplements", "leaf acid pills"),
        ("缺铁性贫血", "少铁贫血病", "iron-deficiency anaemia", "lack-iron thin blood"),
        ("自组装", "自我组合", "self-assembly", "own putting together"),
        ("蛋白质折叠", "蛋白的弯曲", "protein folding", "bending of proteins"),
        ("基因编辑", "基因修改", "gene editing", "gene revising"),
        ("量子纠缠", "量子缠结", "quantum entanglement", "tangled quanta"),
        ("半导体外延层", "半导体外层", "semiconductor epitaxial layer", "outer half-conductor sheet"),
        ("碳达峰", "碳到顶", "peak carbon emissions", "carbon arriving at its top"),
        ("可再生能源", "再生的能量", "renewable energy", "energy born again"),
        ("自然保护区", "自然保护的地区", "nature reserve", "region of natural protection"),
        ("生物多样性", "生物的多种", "biodiversity", "many kinds of beings"),
        ("非物质文化遗产", "无形的文化财产", "intangible cultural heritage", "immaterial culture estate"),
        ("烧烤花束", "烤肉的花", "barbecue bouquet", "barbecue flowers"),
        ("高考", "大学考试", "gaokao", "high test"),
        ("顶尖学府", "最高的学校", "top-tier university", "school at the peak"),
        ("民间借贷", "人民借钱", "private lending", "folk borrowing"),
        ("善意取得", "好意获得", "bona fide acquisition", "well-meant obtaining"),
        ("不可抗力", "无法抵抗的力", "force majeure", "irresistible strength"),
        ("举证责任", "举例责任", "burden of proof", "duty of giving examples"),
        ("仲裁庭", "裁判的庭", "arbitral tribunal", "judging court of umpires"),
        ("人性本恶", "人的性格坏", "the innate badness of human nature", "men having bad tempers"),
        ("知行合一", "知道和做一样", "the unity of knowledge and action", "to know and to do being the same"),
        ("田野调查", "田地里的调查", "fieldwork", "inquiry in the fields"),
        ("城镇化率", "城市变化比例", "urbanisation rate", "share of turning to towns"),
        ("老龄化社会", "老人的社会", "ageing society", "society of the old"),
        ("大语言模型", "大的语言模特", "large language model", "big tongue pattern"),
        ("注意力机制", "注意的机器", "attention mechanism", "machinery of heeding"),
    )
)
"""Each term in both languages as (right, wrong); a source uses the right one, a translation either."""

SENTENCES: tuple[dict[Lang, str], ...] = tuple(
    {"zh": zh, "en": en}
    for zh, en in (
        (
            "{0}依照有关规定对{1}实施监督，并在授权范围内推动{2}。",
            "Within its mandate, {0} supervises {1} under the relevant rules and promotes {2}.",
        ),
        (
            "过去{n}天里，关于{0}的讨论从未停止，但很少有人把它与{1}联系起来，更没有人提到{2}。",
            "Over the past {n} days the debate about {0} has never stopped, yet few have linked it with {1}, "
            "and nobody has mentioned {2}.",
        ),
        (
            "{0}是理解{1}的关键，也是{2}的起点。",
            "To understand {1}, one has to begin with {0}, which is where {2} starts.",
        ),
        (
            "研究者考察了{n}个样本，发现{0}与{1}之间存在显著的联系，而{2}的影响则较为有限。",
            "The researchers examined {n} samples and found a marked link between {0} and {1}, "
            "whereas the effect of {2} was limited.",
        ),
        ("然而，{0}并不等于{1}。", "However, {0} is not the same thing as {1}; neither is {2}."),
        (
            "随着经济发展和生活方式的改变，{0}在部分人群中依然存在，{1}和{2}都会因此受到影响。",
            "As the economy grows and ways of life change, {0} still persists among some groups, "
            "and both {1} and {2} are affected by it.",
        ),
        (
            "展望未来，{0}有望得到提振，{1}将保持温和增长，这一趋势不仅得益于政策环境的优化，还受益于{2}。",
            "Looking ahead, {0} is expected to pick up and {1} to keep growing moderately, a trend that owes something "
            "to better policies and something to {2}.",
        ),
        (
            "“{0}”，他说，“不过是{1}的另一个名字。”",
            "“{0},” he said, “is only another name for {1}, as {2} used to be.”",
        ),
        (
            "第{n}条规定，当事人一方因{0}不能履行合同的，应当及时通知对方，并就{1}提供证明；{2}另有规定的除外。",
            "Under Article {n}, a party that cannot perform the contract because of {0} shall notify the other party "
            "promptly and furnish evidence of {1}, unless {2} provides otherwise.",
        ),
        (
            "从{0}到{1}，中间隔着{n}公里的山路，也隔着整整一代人关于{2}的记忆。",
            "Between {0} and {1} lie {n} kilometres of mountain road, and a whole generation's memory of {2}.",
        ),
        (
            "这既是{0}的贡献，也是{1}的自豪。",
            "This is what {0} has contributed and what {1} takes pride in, {2} apart.",
        ),
        (
            "专家建议，每天应当关注{0}，每周至少了解{n}次{1}，同时避免{2}。",
            "Experts advise keeping an eye on {0} every day and reading up on {1} at least {n} times a week, "
            "while steering clear of {2}.",
        ),
        (
            "如果说{0}是骨架，那么{1}就是血肉，而{2}则是使二者相互支撑的东西。",
            "If {0} is the skeleton, then {1} is the flesh, and {2} is what makes the two hold each other up.",
        ),
        ("她没有回答，只是望着窗外，想起了{0}。", "She gave no answer but looked out of the window, thinking of {0}."),
        (
            "本文提出一种把{0}与{1}结合起来的方法，在{n}个数据集上优于仅使用{2}的做法。",
            "We propose a method that combines {0} with {1} and outperforms one that uses {2} alone on {n} data sets.",
        ),
        (
            "{0}的成本主要来自{1}，因此降低成本的重点不在{2}，而在于流程优化和资源整合。",
            "Most of the cost of {0} comes from {1}; cutting it is therefore a matter not of {2} "
            "but of better processes and pooled resources.",
        ),
        (
            "据统计，{0}已占全国的{n}‰，在各地区中位居前列。",
            "By one count {0} now makes up {n}‰ of the national total.",
        ),
        (
            "有人认为{0}源于{1}，也有人认为恰恰相反：没有{0}，就没有今天的{1}，更谈不上{2}。",
            "Some hold that {0} springs from {1}; others hold the opposite, that without {0} there would be no {1} "
            "today, let alone {2}.",
        ),
        (
            "在{0}的影响下，{1}逐渐成为一门独立的学问，{2}也随之进入了大众的视野。",
            "Under the influence of {0}, {1} gradually became a discipline of its own, and {2} came into public view.",
        ),
        (
            "值得注意的是，{0}对环境十分敏感：温度每变化{n}分之一度，{1}就会发生改变，{2}的结果也随之不同。",
            "It is worth noting how sensitive {0} is to its surroundings: with every change of one part in {n} of a "
            "degree, {1} shifts, and the outcome of {2} shifts with it.",
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
