"""How judges phrase things when they write freely: several texts, two directions, Chinese and English explanations.

Laid out as the cases of ``test_grounding_phrasing``; each batch is on texts of its own.
"""

import pytest

from judges.grounding import prepare
from tests.judges.grounding.test_phrasing import Case, check

WETLAND = prepare(
    """候鸟归来

每年十月，成千上万只候鸟飞抵东洲湿地。管理站的老陈说，今年的候鸟比往年早到了半个月。湿地管理站成立于1998年，如今有十二名巡护员。

白鹤是这里的明星。它们靠吃藕和苦草的块茎过冬，一天要进食八个小时。老陈笑言，白鹤比上班族还忙。

管理站与周边村民签了协议：村民留下两百亩藕田不挖，管理站按每亩八百元补偿。起初有人说风凉话，后来大家都尝到了甜头，生态补偿成了村里的口头禅。

今年夏天长江流域遭遇大旱，水位一度降到3.2米。管理站连夜抽水补湖，才保住了块茎。巡护员小李三过家门而不入，被大家叫作“湖长”。
""",
    """The Migrants Return

Every October, thousands of migrant birds arrive at Dongzhou Wetland. Old Chen of the management station says the \
migratory birds came half a month earlier this year. The wetland management station was founded in 1989, and it now \
has twelve patrollers.

The white crane is the star here. They live on lotus roots and the tubers of 苦草 through the winter, and eat for \
eight hours a day. Old Chen joked that white cranes are busier than people who go to work.

The station signed an agreement with nearby villagers: the villagers leave 200 acres of lotus fields undug, and the \
administration station compensates 800 yuan per mu. At first someone said wind-cool words, but later everyone tasted \
the sweetness, and ecological compensation became the village's oral Zen. The village head even bought a new car.

This summer the Yangtze basin met a great drought, and the water level once fell to 3.2 metres. The administration \
pumped water into the lake overnight, and only then were the roots kept. Ranger Xiao Li passed his door three times \
without entering and was called the "lake chief".
""",
    "zh-en",
)

DOME = prepare(
    """The Last Night at Mount Hale

The observatory on Mount Hale closed its dome for good on June 30. For 84 years it had photographed the southern sky, \
plate after plate, on glass no thicker than a slice of toast. Nobody had expected the funding to dry up so quickly.

"We ran on a shoestring," said the director, Anna Voss. The plates, some 26,000 of them, will go to the state \
archive. Each plate weighs about 3 pounds. The CCD, installed in 1991, made the plates obsolete overnight, yet the \
plates hold a record that no CCD can replace.

Seeing was never good here. On most nights the air shimmered, and the stars bled into one another. Voss would take it \
with a grain of salt whenever a visiting astronomer boasted of half an arcsecond.

On the last night she invited the town. Some forty people came up the road with their children. They looked at \
Saturn, and one boy asked if the rings were glued on. Voss said she had never heard a better question.
""",
    """黑尔山的最后一夜

黑尔山上的天文台于6月30日永久关闭了圆屋顶。84年来，它一张底片接一张底片地拍摄北天，底片玻璃不比一片吐司厚。没有人料到资金会这么快就干涸。

“我们靠鞋带运行，”台长安娜·沃斯说。这些盘子，约26000张，将交给国家档案馆。每块玻璃板重约3公斤。1991年安装的CCD一夜之间淘汰了感光板，但感光板保存着任何CCD都无法替代的记录。

这里的视力从来都不好。大多数夜晚，空气闪烁，星星互相流血。每当来访的天文学家吹嘘自己达到半角秒时，沃斯都会带着一粒盐去听。她最讨厌别人吹牛。

最后一夜，她邀请了全镇的人。大约四十个人带着孩子上山。他们看了Saturn，一个男孩问光环是不是粘上去的。沃斯说，她从没听过更好的问题。
""",
    "en-zh",
)


def on(pair: object, text: str, explanation: str, **more: object) -> object:
    return pytest.param(pair, Case("", explanation, **more), id=text)  # type: ignore[arg-type]


FIRST = [
    on(
        WETLAND,
        "wetland-01",
        "“候鸟”一词在头两句里译法就没统一：先是“migrant birds”，紧接着又成了“migratory birds”，标题更省作“The Migrants”，容易让人想到移民。",
        source=["候鸟@1", "候鸟@2", "候鸟@3"],
        translation=["migrant birds", "migratory birds", "The Migrants"],
        category="词汇一致性",
    ),
    on(
        WETLAND,
        "wetland-02",
        "管理站年份抄错了：1998成了1989。",
        source=["1998"],
        translation=["1989"],
        allowed=["管理站@2"],
    ),
    on(
        WETLAND,
        "wetland-03",
        "块茎里的“苦草”压根没翻，汉字就这么留在了英文句子中，正确写法是Vallisneria。",
        source=["苦草"],
        translation=["苦草"],
        allowed=["苦草的块茎"],
        category="未译",
    ),
    on(
        WETLAND,
        "wetland-04",
        "200 acres换算不对，原文是两百亩，一亩只有约六分之一英亩，面积放大了六倍。",
        source=["两百亩"],
        translation=["200 acres"],
    ),
    on(
        WETLAND,
        "wetland-05",
        "'wind-cool words' is word-salad. What the source calls 风凉话 is a snide remark; \"made snide remarks\" would be closer.",
        source=["风凉话"],
        translation=["wind-cool words"],
    ),
    on(
        WETLAND,
        "wetland-06",
        "“口头禅”译成“oral Zen闹了笑话，这里不过是说大家常挂在嘴边。",
        source=["口头禅"],
        translation=["oral Zen"],
    ),
    on(
        WETLAND,
        "wetland-07",
        "译文末段拿“roots”来对“块茎”，与第三段的“tubers”对不上；前面“tubers”倒是对的。",
        source=["块茎@2"],
        translation=["roots@2"],
        allowed=["块茎@1", "tubers"],
        category="词汇一致性",
    ),
    on(
        WETLAND,
        "wetland-08",
        'The idiom 尝到了甜头 comes across as if the villagers had actually eaten sugar: "tasted the sweetness". Better: "saw the benefits".',
        source=["尝到了甜头"],
        translation=["tasted the sweetness"],
    ),
    on(
        WETLAND,
        "wetland-09",
        '"The village head even bought a new car" is pure invention; the source paragraph ends at 口头禅.',
        translation=["The village head even bought a new car"],
        allowed=["口头禅"],
        category="增译",
    ),
    on(
        WETLAND,
        "wetland-10",
        "管理站前后三个叫法——management station、administration station，到末段干脆只剩The administration——读者会以为有三个机构。",
        source=["管理站@1", "管理站@4", "管理站@5"],
        translation=["management station@1", "administration station", "The administration"],
        allowed=["管理站@2", "管理站@3", "management station@2"],
        category="词汇一致性",
    ),
    on(
        WETLAND,
        "wetland-11",
        "“三过家门而不入”用的是大禹治水的典故，直译passed his door three times without entering虽不算错，却没有注释，英语读者体会不到敬业之意。",
        source=["三过家门而不入"],
        translation=["passed his door three times without entering"],
        category="文化适应",
    ),
    on(
        WETLAND,
        "wetland-12",
        "'people who go to work' for 上班族 reads oddly; native usage would be \"office workers\".",
        source=["上班族"],
        translation=["people who go to work"],
    ),
    on(
        WETLAND,
        "wetland-13",
        "“今年夏天长江流域遭遇大旱”一句，met作“遭遇”讲生硬，drought不与meet搭配，可用suffered。",
        source=["遭遇"],
        translation=["met"],
        allowed=["今年夏天长江流域遭遇大旱", "met a great drought", "drought"],
    ),
    on(
        DOME,
        "dome-01",
        "南天拍成了北天，半个天球都搞反了：the southern sky → 北天。",
        source=["the southern sky"],
        translation=["北天"],
    ),
    on(
        DOME,
        "dome-02",
        "「ran on a shoestring」是说经费拮据，译文「靠鞋带运行」望文生义；“资金会这么快就干涸”处理得倒还可以。",
        source=["ran on a shoestring"],
        translation=["靠鞋带运行"],
        allowed=["资金会这么快就干涸"],
    ),
    on(
        DOME,
        "dome-03",
        "plate一词译名前后打架：首段“底片”，次段先说“盘子”、再说“玻璃板”，随后又写成“感光板”。四种说法指的其实是同一样东西。",
        source=["plate@1", "plate@3", "plate@4", "plate@5"],
        translation=["底片@1", "盘子", "玻璃板", "感光板@1"],
        allowed=["plate@2", "plate@6", "plates@1", "plates@2", "plates@3", "底片@2", "感光板@2"],
        category="词汇一致性",
    ),
    on(
        DOME,
        "dome-04",
        "Saturn原封不动搬进了译文，连个中文名都没有。",
        source=["Saturn"],
        translation=["Saturn"],
        category="未译",
    ),
    on(
        DOME,
        "dome-05",
        "重量单位也有问题，3 pounds约合1.4公斤，译文却写3公斤。",
        source=["3 pounds"],
        translation=["3公斤"],
    ),
    on(
        DOME,
        "dome-06",
        "Here 'Seeing' is a term of art (how steady the air is). The target has 视力, which is eyesight; 视宁度 is what astronomers say.",
        source=["Seeing"],
        translation=["视力"],
    ),
    on(
        DOME,
        "dome-07",
        '"grain of salt"的习语义是将信将疑，不能照字面搬成“一粒盐”。',
        source=["grain of salt"],
        translation=["一粒盐"],
    ),
    on(
        DOME,
        "dome-08",
        "译者自己加了一句她最讨厌别人吹牛，原文查无此话。",
        translation=["她最讨厌别人吹牛"],
        category="增译",
    ),
    on(
        DOME,
        "dome-09",
        "'bled into one another' describes blurred star images. 星星互相流血 sounds like a massacre and should be toned down to “星点糊成一片”.",
        source=["bled into one another"],
        translation=["星星互相流血"],
    ),
]

LETTER = prepare(
    """致股东的信

各位股东：过去一年，公司实现营业收入46.8亿元，同比增长12%；归母净利润3.5亿元，同比下降6.4%。面对原材料价格上涨的压力，我们没有躺平，而是把降本增效落到了实处。

渠道下沉仍是重中之重。截至年底，公司在县域市场新开门店七百余家，经销商总数突破三千。经销商是我们的衣食父母，没有经销商的支持就没有公司的今天。部分窜货行为扰乱了价格体系，公司已对相关经销商作出处罚。

研发方面，公司投入1.2亿元，推出零糖酸奶等新品，其中“山楂爽”成为爆款。研发团队平均年龄只有29岁，敢打敢拼。

展望新的一年，消费复苏的步伐可能慢于预期。我们将继续修炼内功，稳扎稳打，不盲目铺摊子。预计全年资本开支不超过5亿元。
""",
    """Letter to Shareholders

Dear shareholders: Over the past year the company achieved revenue of 468 million yuan, up 12% year on year; net \
profit attributable to the parent was 350 million yuan, up 6.4%. Facing the pressure of rising raw material prices, we \
did not lie flat, but carried cost reduction and efficiency increase into a real place.

Channel sinking is still the most important of the heavy. By the end of the year, the company had opened more than 700 \
new stores in county markets, and the total number of distributors exceeded three thousand. Dealers are our food and \
clothing parents; without the support of dealers there would be no company today. Some 窜货 behaviour disturbed the \
price system, and the company has punished the relevant agents, some of whom have since left the industry.

In R&D the company invested 120 million yuan and launched new products such as zero sugar yogurt, among which \
"Shanzhashuang" became an explosive product. The average age of the research team is only 29, and they dare to fight \
and spell.

Looking ahead to the new year, the pace of consumption recovery may be slower than expected. We will continue to \
practice inner strength, be steady and not blindly spread stalls. Capital expenditure for the whole year is expected \
to be no less than 500 million yuan.
""",
    "zh-en",
)

TENANT = prepare(
    """The Tenant of Number Nine

Mrs. Pell had let the top room at Number Nine for eleven years, and in that time she had never once lost a lodger to \
anything but marriage or the sea. The new lodger was different. He paid in advance, he kept himself to himself, and he \
owned nothing that she could see but a tin trunk and a clock that did not go.

"It stopped at twenty past four," he told her, when she asked. "I like to know where I stand." Mrs. Pell thought this \
was the drollest thing she had heard since the war. She told it to the butcher, who did not laugh.

By November the fog had come up the river and the gas was lit at three. The lodger coughed. Mrs. Pell took him up a \
basin of gruel, and found him at the window in his shirtsleeves, counting barges under his breath. There were seven. \
"There ought to be eight," he said. "One is always late."

On the first of December he was gone. The trunk was gone too. The clock was on the mantelpiece, ticking, and beside it \
lay eleven shillings and a ticket for the ferry, return half unused.
""",
    """九号的房客

佩尔太太把九号顶层的房间出租了十一年，在此期间，除了结婚或出海，她从未失去过一位房客。新来的租客与众不同。他预先付款，自己保管自己，而且据她所见，除了一只锡箱子和一座不走的钟之外，一无所有。

“它停在四点二十分，”当她问起时，他告诉她。“我喜欢知道我站在哪里。”佩尔太太认为这是她自战后以来听到的最无聊的事情。她把这话告诉了屠夫，屠夫没有笑，只是耸了耸肩。

到了十一月，雾从河上升起，三点就点上了汽油。寄宿者咳嗽起来。佩尔太太端了一盆gruel上去，发现他穿着衬衫袖子站在窗前，在呼吸下面数驳船。一共有七艘。“应该有八艘，”他说。“总有一艘迟到。”

12月1日，他走了。箱子也不见了。钟在壁炉架上滴答作响，旁边放着十一先令和一张渡船票，回程的一半没有使用。
""",
    "en-zh",
)

SECOND = [
    on(
        LETTER,
        "letter-01",
        "数字差了一个数量级：46.8亿元怎么会是468 million yuan？应为4.68 billion。",
        source=["46.8亿元"],
        translation=["468 million yuan"],
    ),
    on(
        LETTER,
        "letter-02",
        "“同比下降6.4%”到了英文里反倒up 6.4%，涨跌完全说反。",
        source=["同比下降6.4%"],
        translation=["up 6.4%"],
    ),
    on(
        LETTER,
        "letter-03",
        "We 'did not lie flat' — 躺平 is internet slang for giving up; read literally it is baffling, and \"refused to coast\" or similar would serve.",
        source=["躺平"],
        translation=["did not lie flat"],
    ),
    on(
        LETTER,
        "letter-04",
        "经销商一词，同一段里distributors、Dealers、agents轮番上场，股东会以为说的是三类伙伴。",
        source=["经销商@1", "经销商@2", "经销商@4"],
        translation=["distributors", "Dealers", "agents"],
        allowed=["经销商@3"],
        category="词汇一致性",
    ),
    on(
        LETTER,
        "letter-05",
        "“重中之重”被拆成the most important of the heavy，逐字硬翻，英文读者会一头雾水。",
        source=["重中之重"],
        translation=["the most important of the heavy"],
    ),
    on(
        LETTER,
        "letter-06",
        "句中“窜货”二字直接以汉字形式出现，没有给出diversion之类的对应说法。",
        source=["窜货"],
        translation=["窜货"],
        category="未译",
    ),
    on(
        LETTER,
        "letter-07",
        "'some of whom have since left the industry' – where does this come from? Nothing in the Chinese supports it.",
        translation=["some of whom have since left the industry"],
        category="增译",
    ),
    on(
        LETTER,
        "letter-08",
        '"explosive product" suggests something that blows up. 爆款 = runaway hit.',
        source=["爆款"],
        translation=["explosive product"],
    ),
    on(
        LETTER,
        "letter-09",
        "“敢打敢拼”的“拼”是拼搏，竟给当成了“拼写”，于是有了they dare to fight and spell这样的句子。",
        source=["敢打敢拼"],
        translation=["they dare to fight and spell"],
    ),
    on(
        LETTER,
        "letter-10",
        "“不超过5亿元”译成no less than 500 million yuan，把上限变成了下限，投资者会据此高估开支。",
        source=["不超过5亿元"],
        translation=["no less than 500 million yuan"],
    ),
    on(
        LETTER,
        "letter-11",
        "'spread stalls': 铺摊子 here means overexpanding, so rendering it word for word makes the company sound like a street vendor. The preceding 'practice inner strength' (修炼内功) has the same defect.",
        source=["铺摊子", "修炼内功"],
        translation=["spread stalls", "practice inner strength"],
    ),
    on(
        LETTER,
        "letter-12",
        "“衣食父母”译得太实。food and clothing parents在英语里不成话；其实说the people we live off就够了。",
        source=["衣食父母"],
        translation=["food and clothing parents"],
    ),
    on(
        LETTER,
        "letter-13",
        "末段“稳扎稳打”只剩一个steady，力度不够；与之相比，首段“落到了实处”的carried … into a real place则是过犹不及。",
        source=["稳扎稳打", "落到了实处"],
        translation=["steady", "carried cost reduction and efficiency increase into a real place"],
        category="风格",
    ),
    on(
        TENANT,
        "tenant-01",
        "lodger前后有“房客”“租客”“寄宿者”三个译名，小说里同一个人物不宜换来换去。",
        source=["lodger@1", "lodger@2", "lodger@3"],
        translation=["房客@2", "租客", "寄宿者"],
        allowed=["房客@1"],
        category="词汇一致性",
    ),
    on(
        TENANT,
        "tenant-02",
        '"kept himself to himself"是说不与人来往，译成"自己保管自己"简直莫名其妙。',
        source=["kept himself to himself"],
        translation=["自己保管自己"],
    ),
    on(
        TENANT,
        "tenant-03",
        "the drollest thing → 最无聊的事情，意思正好相反：droll是滑稽可笑。",
        source=["the drollest thing"],
        translation=["最无聊的事情"],
    ),
    on(
        TENANT,
        "tenant-04",
        "gas指煤气灯，译文“汽油”会引起火灾联想；the gas was lit应作“点起了煤气灯”。",
        source=["gas"],
        translation=["汽油"],
        allowed=["the gas was lit"],
    ),
    on(
        TENANT,
        "tenant-05",
        "'gruel' has been left in English in the middle of a Chinese sentence (\"端了一盆gruel上去\").",
        source=["gruel"],
        translation=["gruel"],
        allowed=["端了一盆gruel上去"],
        category="untranslated",
    ),
    on(
        TENANT,
        "tenant-06",
        '"under his breath" = very quietly. “在呼吸下面” is a howler; 低声 or 小声 would be right.',
        source=["under his breath"],
        translation=["在呼吸下面"],
    ),
    on(
        TENANT,
        "tenant-07",
        "屠夫没有笑之后多了只是耸了耸肩，原作没有这个动作。",
        translation=["只是耸了耸肩"],
        allowed=["屠夫没有笑"],
        category="增译",
    ),
    on(
        TENANT,
        "tenant-08",
        "‘return half unused’说的是往返票的返程联没用过，译作‘回程的一半没有使用，读者会理解成路程的一半。",
        source=["return half unused"],
        translation=["回程的一半没有使用"],
    ),
    on(
        TENANT,
        "tenant-09",
        "译文“我喜欢知道我站在哪里”字面没错，可where I stand还有“处境、境地”一层双关，全丢了。",
        source=["where I stand"],
        translation=["我喜欢知道我站在哪里"],
        category="文采",
    ),
    on(
        TENANT,
        "tenant-10",
        "'in his shirtsleeves' does not mean he was wearing sleeves; 穿着衬衫袖子 gives exactly that impression.",
        source=["in his shirtsleeves"],
        translation=["穿着衬衫袖子"],
    ),
    on(
        TENANT,
        "tenant-11",
        "“锡箱子”可以接受（tin trunk），倒是“一座不走的钟”有点歧义，“不走”既可指停摆，也可指不离开，a clock that did not go是前者。",
        source=["a clock that did not go"],
        translation=["一座不走的钟"],
        allowed=["tin trunk", "锡箱子", "不走"],
    ),
    on(
        TENANT,
        "tenant-12",
        "标题里是“房客”，正文第一次出现却叫“租客”——The new lodger——前后对不上号。",
        source=["The new lodger"],
        translation=["房客@1", "租客"],
        allowed=["Tenant", "The Tenant of Number Nine", "lodger@1"],
        category="词汇一致性",
    ),
    on(
        TENANT,
        "tenant-13",
        'Date style is fine ("12月1日"), but “三点就点上了汽油” is not: nobody lights petrol.',
        translation=["三点就点上了汽油"],
        allowed=["12月1日", "the gas was lit at three", "On the first of December"],
    ),
]

GARDEN = prepare(
    """网师园小记

网师园在苏州城东南，占地不过八亩，却被陈从周先生推为“小园极则”。园子始建于南宋，原名“渔隐”，清乾隆年间宋宗元重建，取今名。

入园先见轿厅，再进是万卷堂。堂前砖雕门楼高约六米，雕的是郭子仪上寿与文王访贤，刀法细腻，有“江南第一门楼”之誉。过了门楼，便是彩霞池。池水不过半亩，因为岸线曲折，看去竟有汪洋之意。

池北的看松读画轩前，立着一株八百岁的古柏，据说是园主人手植。轩中悬一匾，写的是“濯缨水阁”对面的风光。当地人管这种借来的景致叫借景，懂行的人一眼就能看出门道。

夜花园是近年的新花样。每晚七点半，评弹、昆曲轮番上演，游客三三两两，走走停停。票价一百元，本地人嫌贵，外地人倒觉得值。我去的那晚下着小雨，只有十来个观众，演员却一点不含糊。
""",
    """Notes on the Master of Nets Garden

The Master of Nets Garden is in the southeast of Suzhou. It covers no more than eight mu, yet Mr Chen Congzhou called \
it "the extreme rule of small gardens". It was first built in the Northern Song dynasty under the name "Fishing \
Hidden"; it was rebuilt by Song Zongyuan in the Qianlong reign of the Qing dynasty and given its present name.

On entering you first see the Sedan Hall, and further in is the Hall of Ten Thousand Volumes. The brick-carved gate in \
front of the hall is about 6 feet high and is carved with Guo Ziyi's birthday and King Wen visiting the virtuous; the \
knife skill is delicate, and it has the reputation of "the first gatehouse south of the Yangtze". Past the gate tower \
is the Rosy Cloud Pool. The pond is only half a mu, but because its shoreline twists and turns, it looks vast as an \
ocean. Many poets have praised it.

In front of the Studio for Watching Pines and Reading Paintings, north of the water, stands an ancient pine eight \
hundred years old, said to have been planted by the owner's own hand. Local people call this borrowed scenery 借景, \
and people who understand the line can see the doorway at a glance.

The night garden is a new pattern of recent years. At half past seven every evening, Pingtan and Kunqu take turns on \
stage, and tourists walk and stop in threes and twos. The ticket is 100 yuan; locals find it expensive, while \
foreigners think it is worth it. The night I went there was a drizzle and there were only a dozen spectators, but the \
actors were not vague at all.
""",
    "zh-en",
)

BARISTA = prepare(
    """Barista Pro 200 — Quick Start

Before first use, rinse the water tank and run two full cycles with no coffee in the basket. Never immerse the base in \
water. Descale the machine every 3 months, or sooner if the descale light comes on.

To brew, place 18 grams of finely ground coffee in the portafilter and tamp it level. Lock the portafilter into the \
group head by turning it to the right until it feels snug. Press the brew button once for a single shot or twice for a \
double. If the shot pulls in under 20 seconds, grind finer.

To froth milk, purge the steam wand first. Keep the tip just below the surface until the milk has grown by half, then \
bury it. Stop at 140°F; beyond that the milk scalds. Wipe the wand immediately: dried milk is a bear to remove.

Troubleshooting. If the machine will not turn on, check that the tank is seated. If the pump is noisy, it has lost its \
prime: open the steam valve and run water through the wand. Under warranty, do not attempt to open the housing; doing \
so voids your coverage. For service, call 1-800-555-0147.
""",
    """Barista Pro 200——快速入门

首次使用前，请冲洗水箱，并在滤篮中不放咖啡的情况下运行两个完整循环。切勿将底座浸入水中。每3周除垢一次，如果除垢灯亮起则应提前。

冲煮时，将18克研磨细致的咖啡放入过滤手柄，并将其压平。将手柄向右旋转锁入组头，直到感觉舒适为止。按一下冲煮键为单份，按两下为双份。如果射击在20秒内拉出，请磨得更细。萃取时间以30秒左右为佳。

打奶泡前先清除蒸汽棒。将尖端保持在表面以下，直到牛奶增长一半，然后埋葬它。在140°C时停止；超过该温度牛奶会烫伤。立即擦拭喷管：干奶是一只需要移除的熊。

故障排除。如果机器无法开机，请检查水箱是否坐好。如果泵有噪音，说明它失去了prime：打开蒸汽阀，让水流过蒸汽杆。在保修期内，请尝试打开外壳；这样做会使您的保障失效。如需维修，请致电1-800-555-0147。
""",
    "en-zh",
)

THIRD = [
    on(GARDEN, "garden-01", "朝代搞错，南宋写成了Northern Song。", source=["南宋"], translation=["Northern Song"]),
    on(
        GARDEN,
        "garden-02",
        "“小园极则”的“极则”是最高典范，extreme rule听着像什么极端规定；陈从周这句话通行英译为“the finest of small gardens”。",
        source=["极则"],
        translation=["extreme rule"],
        allowed=["小园极则"],
    ),
    on(
        GARDEN,
        "garden-03",
        "A gate 'about 6 feet high' would be shorter than most visitors. The Chinese gives 高约六米, i.e. some 20 feet.",
        source=["高约六米"],
        translation=["about 6 feet high"],
    ),
    on(
        GARDEN,
        "garden-04",
        "门楼在同一段里一会儿是gate，一会儿是gatehouse，一会儿又是gate tower。",
        source=["门楼@1", "门楼@2", "门楼@3"],
        translation=["gate@1", "gatehouse", "gate tower"],
        category="词汇一致性",
    ),
    on(
        GARDEN,
        "garden-05",
        "'knife skill' sounds like cooking or combat; 刀法 here is the carver's workmanship.",
        source=["刀法"],
        translation=["knife skill"],
    ),
    on(
        GARDEN,
        "garden-06",
        "“Many poets have praised it.”一句来历不明，原文说到“汪洋之意”便收住了。",
        translation=["Many poets have praised it."],
        allowed=["看去竟有汪洋之意"],
        category="增译",
    ),
    on(
        GARDEN,
        "garden-07",
        "古柏误作ancient pine，柏是cypress。",
        source=["古柏"],
        translation=["ancient pine"],
    ),
    on(
        GARDEN,
        "garden-08",
        "借景后面跟着的汉字“借景”没有任何必要，既然已译borrowed scenery，再留中文就成了夹生饭。",
        source=["借景"],
        translation=["借景"],
        allowed=["borrowed scenery"],
        category="未译",
    ),
    on(
        GARDEN,
        "garden-09",
        "“懂行的人一眼就能看出门道”几处都出了问题：understand the line把“行”当成了线，see the doorway把“门道”当成了门。",
        source=["懂行的人一眼就能看出门道"],
        translation=["understand the line", "see the doorway"],
    ),
    on(
        GARDEN,
        "garden-10",
        "译文整段漏了一句，“轩中悬一匾，写的是“濯缨水阁”对面的风光”没有译出来。",
        source=["轩中悬一匾，写的是“濯缨水阁”对面的风光"],
        category="漏译",
    ),
    on(
        GARDEN,
        "garden-11",
        "外地人≠foreigners. Visitors from other parts of China are meant, so 'out-of-towners'.",
        source=["外地人"],
        translation=["foreigners"],
    ),
    on(
        GARDEN,
        "garden-12",
        "演员“一点不含糊”是说演得认真，not vague at all完全跑偏。",
        source=["一点不含糊"],
        translation=["not vague at all"],
    ),
    on(
        GARDEN,
        "garden-13",
        "“三三两两”处理成in threes and twos，语序照搬中文，英语习惯说in twos and threes。另外“新花样”译pattern也不妥，可考虑novelty。",
        source=["三三两两", "新花样"],
        translation=["in threes and twos", "pattern"],
    ),
    on(
        BARISTA,
        "barista-01",
        "Interval is wrong: source 'every 3 months' → target “每3周”.",
        source=["every 3 months"],
        translation=["每3周"],
    ),
    on(
        BARISTA,
        "barista-02",
        "“切勿”译得好；反观保修那句，do not attempt to open the housing竟变成了“请尝试打开外壳”，否定丢了，后果可想而知。",
        source=["do not attempt to open the housing"],
        translation=["请尝试打开外壳"],
        allowed=["切勿", "Never"],
    ),
    on(
        BARISTA,
        "barista-03",
        "温度单位：140°F不等于140°C，前者约合60°C。译文照后者操作牛奶早就沸了。",
        source=["140°F"],
        translation=["140°C"],
    ),
    on(
        BARISTA,
        "barista-04",
        "The steam wand has three names here: 蒸汽棒, 喷管 and 蒸汽杆. Pick one.",
        source=["steam wand"],
        allowed=["wand@2", "wand@3"],
        translation=["蒸汽棒", "喷管", "蒸汽杆"],
        category="inconsistent_terminology",
    ),
    on(
        BARISTA,
        "barista-05",
        "“shot”在咖啡行业指一份浓缩，译成“射击，整句“如果射击在20秒内拉出”读来荒唐。",
        source=["shot@2"],
        translation=["射击"],
        allowed=["如果射击在20秒内拉出"],
    ),
    on(
        BARISTA,
        "barista-07",
        "'until it feels snug' — snug的意思是“紧”而不是“舒适”。",
        source=["snug"],
        translation=["舒适"],
        allowed=["until it feels snug"],
    ),
    on(
        BARISTA,
        "barista-08",
        "译文里的prime没有处理，英文单词赤裸裸地摆在那儿。",
        source=["prime"],
        translation=["prime"],
        category="未译",
    ),
    on(
        BARISTA,
        "barista-09",
        "加译一句：“萃取时间以30秒左右为佳。”，且与原文20秒的说法冲突。",
        translation=["萃取时间以30秒左右为佳。"],
        allowed=["in under 20 seconds"],
        category="增译",
    ),
    on(
        BARISTA,
        "barista-10",
        '"bury it" 在这里是把喷嘴没入奶中，不是“埋葬它”。',
        source=["bury it"],
        translation=["埋葬它"],
    ),
    on(
        BARISTA,
        "barista-11",
        "水箱“坐好”——is seated的字面翻译；放在说明书里应当说“安装到位”。",
        source=["is seated"],
        translation=["坐好"],
    ),
    on(
        BARISTA,
        "barista-12",
        "“组头”一词业内通行，没毛病；“过滤手柄”后文又简称“手柄”，也说得过去。真正费解的是“清除蒸汽棒”：purge指放汽排水。",
        source=["purge"],
        translation=["清除蒸汽棒"],
        allowed=["组头", "过滤手柄", "手柄@2", "group head", "portafilter@1", "portafilter@2"],
    ),
]

BUZZER = prepare(
    """绝杀！

昨晚的比赛打到加时才分出胜负。主队一度落后19分，末节靠全场紧逼把分差一点点啃了下来。终场前3.7秒，替补后卫林涛接球就投，皮球打板入网，97比96，全场沸腾。

林涛今年36岁，是队里的老黄牛。他赛后说：“教练让我上，我就豁出去了。”主教练周毅坦言，换他上场是死马当活马医。

客队主帅则对判罚不满，认为最后一攻存在走步。裁判组赛后出具报告，认定判罚无误。联盟对他的言论开出五万元罚单。

这场胜利让主队的季后赛前景柳暗花明。下一场他们将客场挑战卫冕冠军，届时外援哈里斯有望伤愈复出。票务网站显示，余票已不足两成。
""",
    """Lore Kill!

Last night's game was not decided until overtime. The home team was once behind by 9 points, and in the last quarter \
relied on a full-court press to gnaw the difference down bit by bit. With 3.7 seconds left, substitute guard Lin Tao \
caught the ball and voted; the ball hit the board and entered the net, 97 to 96, and the whole field boiled.

Lin Tao is 36 this year and is the old yellow ox of the team. After the game he said, "The coach asked me to go up, so \
I went out." Head coach Zhou Yi admitted that putting him on was treating a dead horse as a live one. He smiled when he \
said it.

The away side's commander was dissatisfied with the penalty and thought there was walking in the final attack. The \
referee team issued a report after the game and found that the call was correct. The league issued him a fine of \
500,000 yuan for his remarks.

This victory made the home team's playoff prospects 柳暗花明. In the next game they will challenge the defending \
champions away, when foreign aid Harris is expected to return from injury. The ticketing website shows that more than \
20 percent of the tickets remain.
""",
    "zh-en",
)

PREMIUM = prepare(
    """Why We Overpay for Certainty

People hate uncertainty more than they hate loss. In one study, volunteers who had a 50 percent chance of receiving an \
electric shock were more stressed than those who knew that a shock was coming. The finding has been replicated six \
times.

Economists call the price of peace of mind a risk premium. Insurance is the textbook case: on average you pay $1.40 \
for every dollar you get back. Extended warranties are worse. Salespeople push them hard because the margins are fat, \
and because few buyers ever read the fine print.

None of this means that insurance is for suckers. If your house burned down tomorrow, could you rebuild it out of \
pocket? If not, pay the premium and sleep well. But insuring a $30 toaster is another kettle of fish.

My own rule of thumb is simple: self-insure whatever would not keep me up at night. I learned it from my grandmother, \
who never bought a warranty in her life and left an estate of a quarter of a million dollars. She called it "betting \
on yourself."
""",
    """我们为何为确定性多付钱

人们讨厌不确定性甚于讨厌损失。在一项研究中，有15%的几率受到电击的志愿者比那些知道会被电击的志愿者压力更大。这一发现已被复制了六次。

经济学家把心灵和平的价格称为风险溢价。保险是教科书案例：平均而言，你每拿回一美元就要支付1.40美元。延长保修更糟。销售人员努力推动它们，因为边缘很胖，也因为很少有买家读过精美的印刷品。

这并不意味着保险是给吸盘准备的。如果你的房子明天烧毁了，你能自掏腰包重建吗？如果不能，就支付保险金，睡个好觉。但给30美元的烤面包机投保是另一锅鱼。我劝你别这么做。

我自己的拇指规则很简单：凡是不会让我彻夜难眠的东西，都self-insure。这是我从外婆那里学到的，她一生从未买过保修，留下了25万美元的房产。她称之为“赌你自己”。
""",
    "en-zh",
)

FOURTH = [
    on(
        BUZZER,
        "buzzer-01",
        "标题“绝杀”译得不知所云，Lore Kill在英语篮球报道里根本不存在，一般说buzzer-beater或Game-winner。",
        source=["绝杀"],
        translation=["Lore Kill"],
    ),
    on(
        BUZZER,
        "buzzer-02",
        "落后19分写成了behind by 9 points，少了十分。",
        source=["落后19分"],
        translation=["behind by 9 points"],
    ),
    on(
        BUZZER,
        "buzzer-03",
        '"接球就投"的"投"是投篮，译文却用了voted，把打球说成了投票，闹了大笑话。',
        source=["接球就投"],
        translation=["voted"],
    ),
    on(
        BUZZER,
        "buzzer-04",
        "The team's 'old yellow ox' will mean nothing to a foreign reader; 老黄牛 stands for someone who works hard without complaint (\"workhorse\" would do nicely).",
        source=["老黄牛"],
        translation=["old yellow ox"],
    ),
    on(
        BUZZER,
        "buzzer-05",
        "“死马当活马医”是说尽最后一点努力。英译treating a dead horse as a live one虽然保留了形象，但缺少“医”的意味，读者未必看得懂。",
        source=["死马当活马医"],
        translation=["treating a dead horse as a live one"],
        category="文化适应",
    ),
    on(
        BUZZER,
        "buzzer-06",
        "“走步”是篮球术语，对应travelling，译成walking属于外行话；同句“penalty”也不对，“判罚”在这里指call，后面“the call was correct”就用对了。",
        source=["走步", "判罚@1"],
        translation=["walking", "penalty"],
        allowed=["the call was correct", "判罚@2"],
    ),
    on(
        BUZZER,
        "buzzer-07",
        "罚款金额多了一个零：原文五万元，译文500,000 yuan。",
        source=["五万元"],
        translation=["500,000 yuan"],
    ),
    on(
        BUZZER,
        "buzzer-08",
        "柳暗花明 is simply left in Chinese characters. An English reader sees four unreadable glyphs.",
        source=["柳暗花明"],
        translation=["柳暗花明"],
        category="untranslated",
    ),
    on(
        BUZZER,
        "buzzer-09",
        "“余票已不足两成”的意思是剩下不到20%，译成more than 20 percent of the tickets remain正好相反。",
        source=["余票已不足两成"],
        translation=["more than 20 percent of the tickets remain"],
    ),
    on(
        BUZZER,
        "buzzer-10",
        "'foreign aid' is what one government gives another; 外援 in sport is a foreign player (or import).",
        source=["外援"],
        translation=["foreign aid"],
    ),
    on(
        BUZZER,
        "buzzer-11",
        "“He smiled when he said it”纯属杜撰。",
        translation=["He smiled when he said it"],
        category="增译",
    ),
    on(
        BUZZER,
        "buzzer-12",
        "“全场沸腾”里的“全场”指观众，the whole field boiled听起来像球场烧开了；“full-court press”中的“全场”则译得准确。",
        source=["全场沸腾"],
        translation=["the whole field boiled"],
        allowed=["full-court press", "全场@1"],
    ),
    on(
        BUZZER,
        "buzzer-13",
        "“主帅”翻成commander，军事味太浓。上一段的“主教练”译Head coach没问题，这里照用就行。",
        source=["主帅"],
        translation=["commander"],
        allowed=["主教练", "Head coach"],
        category="语域",
    ),
    on(
        BUZZER,
        "buzzer-14",
        "我就豁出去了 → so I went out：字面上成了“于是我出门了”，拼命一搏的狠劲全没了。",
        source=["我就豁出去了"],
        translation=["so I went out"],
    ),
    on(
        PREMIUM,
        "premium-01",
        "50 percent被抄成15%，概率差得太远。",
        source=["50 percent"],
        translation=["15%"],
    ),
    on(
        PREMIUM,
        "premium-02",
        "'replicated' in science means the result was reproduced. 被复制了 reads like copying a file, 得到重复验证 would be better.",
        source=["replicated"],
        translation=["被复制了"],
    ),
    on(
        PREMIUM,
        "premium-03",
        "“心灵和平”、“边缘很胖”、“精美的印刷品”都是逐字硬译的产物，分别对应peace of mind、the margins are fat、the fine print。三处无一通顺。",
        source=["peace of mind", "the margins are fat", "the fine print"],
        translation=["心灵和平", "边缘很胖", "精美的印刷品"],
    ),
    on(
        PREMIUM,
        "premium-04",
        'the fine print ("精美的印刷品") is legal small print – nothing "fine" about it.',
        source=["the fine print"],
        translation=["精美的印刷品"],
    ),
    on(
        PREMIUM,
        "premium-05",
        "suckers（冤大头）译成“吸盘，整句不知所云。",
        source=["suckers"],
        translation=["吸盘"],
    ),
    on(
        PREMIUM,
        "premium-06",
        "premium先译“溢价”（risk premium，没错），到“支付保险金”却成了“保险金”，保险金是赔款，保费才是premium。",
        source=["premium@2"],
        translation=["保险金"],
        allowed=["risk premium", "溢价", "支付保险金", "pay the premium"],
    ),
    on(
        PREMIUM,
        "premium-07",
        "另一锅鱼？another kettle of fish明明是“另一回事”。",
        source=["another kettle of fish"],
        translation=["另一锅鱼"],
    ),
    on(
        PREMIUM,
        "premium-08",
        "estate在这里是遗产总额而非房产，译文缩小了范围。",
        source=["estate"],
        translation=["房产"],
    ),
    on(
        PREMIUM,
        "premium-09",
        "self-insure两个词没译，直接夹在中文句子里。",
        source=["self-insure"],
        translation=["self-insure"],
        category="未译",
    ),
    on(
        PREMIUM,
        "premium-10",
        "译者在段末自作主张添了“我劝你别这么做”。",
        translation=["我劝你别这么做"],
        category="增译",
    ),
    on(
        PREMIUM,
        "premium-11",
        "“拇指规则”这种译法，中文读者是看不懂的——rule of thumb应译“经验法则”。",
        source=["rule of thumb"],
        translation=["拇指规则"],
    ),
    on(
        PREMIUM,
        "premium-12",
        "“销售人员努力推动它们”，推动的宾语“它们”指代不清；push在此为“推销”。",
        source=["push"],
        translation=["推动"],
        allowed=["Salespeople push them hard", "销售人员努力推动它们"],
    ),
]

WINTER = prepare(
    """腊月里的信

腊月二十三，小年。天还没亮，母亲就起来扫灶台。灶王爷的像贴了一年，烟熏火燎，只剩半张脸。母亲说，灶王爷上天言好事，得用糖瓜把他的嘴粘住。

信是邮递员老郑送来的。他骑一辆二八大杠，车铃早哑了，进村全靠嗓子喊。“老陈家的，南边来信！”母亲在围裙上擦了擦手，接过来，却不拆，压在了炕席底下。

那是父亲出门的第三个年头。头一年他寄回四百块钱，第二年寄回三百五，今年到腊月还没有动静。村里人嘴上不说，心里都有一本账。二婶来借箩筐，拐弯抹角地打听，母亲只说：“好着呢。”

夜里母亲把信拿出来，就着煤油灯看了又看。我装睡，听见她叹了口气，把灯吹了。第二天一早，糖瓜还摆在灶台上，一个也没少。
""",
    """A Letter in La Yue

On the twenty-third day of the twelfth lunar month, it was Little Year. Before daybreak, Mother got up to sweep the \
stove. The picture of the Kitchen God had been posted for a year, smoked and burned, and only half a face was left. \
Mother said that when the Stove King goes to heaven to say good things, his mouth must be stuck with sugar melons.

The letter was brought by the postman Lao Zheng. He rode a 28 big bar, the bell had long been dumb, and he relied on \
his throat to enter the village. "Old Chen's family, a letter from the south!" Mother wiped her hands on her skirt, \
took it, but did not open it, and pressed it under the kang mat.

That was the third year since Father left home. In the first year he sent back four hundred yuan, in the second year \
three hundred and fifteen, and this year there was still no movement by the twelfth month. The villagers said nothing, \
but each had an account book in the heart. Second Aunt came to borrow a basket and asked around corners. Mother only \
said, "It's good." The wind was howling outside.

At night Mother took out the letter and read it again and again by the 煤油灯. I pretended to sleep, and heard her sigh \
and blow out the lamp. The next morning the candied melons were still on the stove, and not one was missing.
""",
    "zh-en",
)

OUTAGE = prepare(
    """Postmortem: The July 9 Outage

At 14:02 UTC on July 9, a routine deploy took down checkout for 47 minutes. Roughly 12,000 orders were dropped on the \
floor. This document explains what broke, why our alarms stayed silent, and what we are doing about it.

The deploy shipped a config change that renamed a feature flag. The old flag was still read by the cart service, which \
failed closed. Canary traffic looked healthy because the canary pool does not serve logged-in users. By the time the \
on-call engineer noticed, the bad build had been promoted to every region.

Rolling back should have taken five minutes. It took thirty, because the rollback script depended on the very service \
that was down. We eventually restored the old build by hand. Nobody was at fault; the process was.

Action items: we will add logged-in users to the canary pool, decouple the rollback script from the cart service, and \
page a human whenever checkout volume drops by more than 20 percent. We also owe an apology to the support team, who \
took the heat without a heads-up.
""",
    """事后分析：7月9日停电

世界协调时间7月9日14:02，一次例行部署使结账服务中断了47分钟。约有1.2万份订单掉在了地板上。本文件解释了什么坏了，为什么我们的警报保持沉默，以及我们正在做什么。

该部署发布了一项配置更改，重命名了一个功能旗帜。购物车服务仍在读取旧标志，它关闭失败了。金丝雀流量看起来很健康，因为canary池不为已登录用户提供服务。等到待命工程师注意到时，坏建筑已经被提升到每个地区。

回滚本应需要五十分钟。实际花了三十分钟，因为回退脚本依赖于正在宕机的那个服务。我们最终手动恢复了旧版本。这是谁的错；流程才是。

行动项目：我们将把登录用户加入金丝雀池，将回滚脚本与购物车服务脱钩，并在结账量下降超过20%时呼叫人类。我们还欠支持团队一个道歉，他们在没有抬头的情况下承受了热量。我们会尽快改进。
""",
    "en-zh",
)

FIFTH = [
    on(
        WINTER,
        "winter-01",
        "标题的La Yue是拼音，英语读者不知所指；「腊月」正文里译作the twelfth lunar month就很好，标题也该照办。",
        source=["腊月@1"],
        translation=["La Yue"],
        allowed=["the twelfth lunar month", "腊月@2"],
    ),
    on(
        WINTER,
        "winter-02",
        "灶王爷在同一段里先是Kitchen God后是Stove King，一神二名。",
        source=["灶王爷@1", "灶王爷@2"],
        translation=["Kitchen God", "Stove King"],
        category="词汇一致性",
    ),
    on(
        WINTER,
        "winter-03",
        "“糖瓜”前后也不一样：‘sugar melons’、‘candied melons’。况且糖瓜是麦芽糖做的，跟melon没关系，maltose candy更稳妥。",
        source=["糖瓜@1", "糖瓜@2"],
        translation=["sugar melons", "candied melons"],
        category="词汇一致性",
    ),
    on(
        WINTER,
        "winter-04",
        "'a 28 big bar' is unintelligible. The source's 二八大杠 is an old-style 28-inch roadster bicycle.",
        source=["二八大杠"],
        translation=["a 28 big bar"],
    ),
    on(
        WINTER,
        "winter-05",
        "寄钱的数目对不上：三百五写成three hundred and fifteen。",
        source=["三百五"],
        translation=["three hundred and fifteen"],
    ),
    on(
        WINTER,
        "winter-06",
        "“围裙”变成了her skirt，母亲穿的成了裙子。",
        source=["围裙"],
        translation=["her skirt"],
    ),
    on(
        WINTER,
        "winter-07",
        "译文照录汉字“煤油灯”，不译也不注，“by the 煤油灯”读不下去；同段的“lamp”反而没毛病。",
        source=["煤油灯"],
        translation=["煤油灯"],
        allowed=["by the 煤油灯", "lamp"],
        category="未译",
    ),
    on(
        WINTER,
        "winter-08",
        "'The wind was howling outside.' is nowhere in the source.",
        translation=["The wind was howling outside."],
        category="addition",
    ),
    on(
        WINTER,
        "winter-09",
        "拐弯抹角 is an idiom for beating about the bush. 'asked around corners' follows the characters too closely.",
        source=["拐弯抹角"],
        translation=["asked around corners"],
    ),
    on(
        WINTER,
        "winter-10",
        "“心里都有一本账”是心中有数的意思，译为each had an account book in the heart令人捧腹。",
        source=["心里都有一本账"],
        translation=["each had an account book in the heart"],
    ),
    on(
        WINTER,
        "winter-11",
        "“好着呢”是报平安，说的是父亲过得好。It's good指代不清，改成He's fine就清楚了。",
        source=["好着呢"],
        translation=["It's good"],
    ),
    on(
        WINTER,
        "winter-12",
        "“天还没亮”译为Before daybreak，“叹了口气”译为sigh，这些细节都处理得当。但“车铃早哑了”译成the bell had long been dumb，dumb用于人，铃“哑”应是broken。",
        source=["车铃早哑了"],
        translation=["the bell had long been dumb"],
        allowed=["天还没亮", "Before daybreak", "叹了口气", "sigh"],
    ),
    on(
        WINTER,
        "winter-13",
        "漏译“进村全靠嗓子喊”的“喊”：he relied on his throat to enter the village让人以为他用喉咙走路。",
        source=["喊"],
        translation=["he relied on his throat to enter the village"],
        allowed=["进村全靠嗓子喊"],
        category="漏译",
    ),
    on(
        OUTAGE,
        "outage-01",
        "Outage在IT语境里是服务中断，标题却译成了“停电”。",
        source=["Outage"],
        translation=["停电"],
    ),
    on(
        OUTAGE,
        "outage-02",
        "'dropped on the floor' is engineers' slang for lost. 掉在了地板上 takes it literally; 丢失 is all that is needed.",
        source=["dropped on the floor"],
        translation=["掉在了地板上"],
    ),
    on(
        OUTAGE,
        "outage-03",
        "同一个flag，上句“旗帜”，下句“标志”，读者会以为是两样东西；行话叫“开关”。",
        source=["flag@1", "flag@2"],
        translation=["旗帜", "标志"],
        category="词汇一致性",
    ),
    on(
        OUTAGE,
        "outage-04",
        "canary这个词译文一处作“金丝雀”，一处干脆不翻（“canary池”），到行动项目里又变回“金丝雀池”。",
        source=["Canary", "canary@1", "canary@2"],
        translation=["金丝雀@1", "canary池", "金丝雀池"],
        category="词汇一致性",
    ),
    on(
        OUTAGE,
        "outage-05",
        "五分钟译成了“五十分钟”，翻了十倍。",
        translation=["五十分钟"],
        allowed=["five minutes"],
    ),
    on(
        OUTAGE,
        "outage-06",
        "“Nobody was at fault”译反了，成了“这是谁的错”。",
        source=["Nobody was at fault"],
        translation=["这是谁的错"],
    ),
    on(
        OUTAGE,
        "outage-07",
        "'failed closed' is a technical term (deny by default). The Chinese “关闭失败了” says the closing failed, which is a different thing altogether.",
        source=["failed closed"],
        translation=["关闭失败了"],
    ),
    on(
        OUTAGE,
        "outage-08",
        "the bad build → 坏建筑，build指构建版本，跟房子没有关系。",
        source=["the bad build"],
        translation=["坏建筑"],
    ),
    on(
        OUTAGE,
        "outage-09",
        "“took the heat”（挨骂）与“heads-up”（事先知会）双双误译，前者成了“承受了热量”，后者成了“抬头”。",
        source=["took the heat", "heads-up"],
        translation=["承受了热量", "抬头"],
    ),
    on(
        OUTAGE,
        "outage-10",
        "“我们会尽快改进”系译者添足。",
        translation=["我们会尽快改进"],
        category="增译",
    ),
    on(
        OUTAGE,
        "outage-11",
        "rollback前译“回滚”，后译“回退”，再后来又回到“回滚”，应统一。",
        source=["rollback@1"],
        translation=["回滚@1", "回退"],
        allowed=["rollback@2", "Rolling back", "回滚@2"],
        category="词汇一致性",
    ),
    on(
        OUTAGE,
        "outage-12",
        'page a human: page is "to alert by pager". 呼叫人类 sounds like an alien speaking and should be something like “通知值班人员”.',
        source=["page a human"],
        translation=["呼叫人类"],
    ),
    on(
        OUTAGE,
        "outage-13",
        "Timing is right here (14:02 and 47 minutes both survive), so the only complaint about the first sentence is 世界协调时间, officially 协调世界时.",
        translation=["世界协调时间"],
        allowed=["UTC", "14:02", "47 minutes", "47分钟", "At 14:02 UTC"],
    ),
]

NOTICE = prepare(
    """市政府关于加强电动自行车管理的通告

为预防火灾事故，保障人民群众生命财产安全，现就加强电动自行车管理有关事项通告如下。

一、严禁在楼道、门厅等公共区域停放电动自行车或者为其充电，严禁“飞线充电”。违者处五百元以上一千元以下罚款；情节严重的，依法追究刑事责任。

二、物业服务企业应当履行消防安全责任，发现问题及时劝阻；劝阻无效的，应当在二十四小时内报告属地街道办事处。街道办事处不得推诿扯皮。

三、鼓励社区见缝插针建设集中充电点。到2026年6月底，全市新增充电端口不少于十二万个，其中老旧小区占比不低于四成。

四、快递、外卖企业应当落实主体责任，为骑手统一配备符合国家标准的车辆和头盔。超标车一律不得上路。

本通告自发布之日起施行，有效期五年。
""",
    """Municipal Notice on Strengthening the Management of Electric Bicycles

In order to prevent fire accidents and protect the life and property safety of the masses, the following matters on \
strengthening the management of electric bicycles are hereby notified.

1. It is strictly forbidden to park electric bicycles or charge them in public areas such as corridors and entrance \
halls, and "flying line charging" is strictly prohibited. Violators shall be fined not less than 500 yuan but not more \
than 10,000 yuan; if the circumstances are serious, administrative liability shall be investigated according to law.

2. Property service enterprises shall fulfil their fire safety responsibilities and promptly dissuade problems when \
they are found; if dissuasion is ineffective, they shall report to the local subdistrict office within 24 hours. The \
street office must not push and pull skin.

3. Communities are encouraged to insert needles when they see a seam to build centralized charging points. By the end \
of June 2026, no less than 120,000 new charging ports will be added across the city, of which old communities will \
account for no less than 14 percent. Citizens warmly welcomed the plan.

4. Express and takeaway enterprises should implement the main responsibility and uniformly equip 骑手 with vehicles and \
helmets that meet national standards. Vehicles exceeding the standard are not allowed on the road.

This announcement shall come into force on the date of release and is valid for fifteen years.
""",
    "zh-en",
)

REVIEW = prepare(
    """Live Review: Margo Lane at the Roundhouse

Margo Lane walked on twenty minutes late, barefoot, and opened with a song nobody knew. It was a gamble, and for a \
while it looked like a bad one. Then the bass dropped out, and there was only her voice, dry as kindling, holding a \
note for what felt like a week.

Lane has been at this since she was nineteen. Her first record went nowhere; her second went gold. She has never \
played the hits for the sake of it, and on Friday she did not play them at all. The closest she came was "Paper \
Boats," slowed to a crawl and sung an octave down.

The band was tight to the point of telepathy. Drummer Joe Abara plays behind the beat, so that every bar seems to lean \
back in its chair. At one point he dropped a stick, fished another from his boot, and never lost time.

If there is a quibble, it is the sound. From the balcony the vocals were buried, and the mix turned to mud whenever \
the strings came in. But a bad seat at a great show is still a great show. She left without an encore. Nobody felt \
cheated.
""",
    """现场评论：玛戈·莱恩在圆屋剧场

玛戈·莱恩晚了十二分钟才走上台，光着脚，以一首没人知道的歌开场。这是一场赌博，有一阵子看起来像是一场糟糕的赌博。然后贝斯掉了出去，只剩下她的声音，像引火柴一样干燥，举着一张钞票，感觉有一周之久。

莱恩从十九岁起就在这里了。她的第一张记录无处可去；第二张唱片变成了金色。她从不为了演奏热门歌曲而演奏，周五她根本没有演奏。最接近的是《纸船》，放慢到爬行的速度，低八度演唱。

乐队紧到了心灵感应的程度。鼓手Joe Abara在节拍后面演奏，所以每一个酒吧似乎都靠在椅子上。有一次他掉了一根棍子，从靴子里钓出另一根，从来没有浪费时间。

如果有什么吹毛求疵的话，那就是声音。从阳台上，歌声被埋葬了，每当弦乐进来时，混音就变成了泥。但是一场伟大演出的坏座位仍然是一场伟大的演出。她没有返场就离开了。观众久久不愿离去。没有人觉得自己受骗了。
""",
    "en-zh",
)

SIXTH = [
    on(
        NOTICE,
        "notice-01",
        'Fine range garbled: 一千元 has become "10,000 yuan".',
        source=["一千元"],
        translation=["10,000 yuan"],
    ),
    on(
        NOTICE,
        "notice-02",
        "'administrative liability' for 刑事责任 is a serious legal error – criminal liability is what the notice threatens.",
        source=["刑事责任"],
        translation=["administrative liability"],
    ),
    on(
        NOTICE,
        "notice-03",
        "“飞线充电”指从楼上拉电线下来给车充电，“flying line charging”外国读者无法理解，不如解释性地译为charging via cables hung from windows。",
        source=["飞线充电"],
        translation=["flying line charging"],
    ),
    on(
        NOTICE,
        "notice-04",
        '"push and pull skin" is nonsense in English: the translator split 推诿扯皮 into its characters, whereas it simply means passing the buck.',
        source=["推诿扯皮"],
        translation=["push and pull skin"],
    ),
    on(
        NOTICE,
        "notice-05",
        "街道办事处先后译作subdistrict office与street office，同一机构两个名字，法规文本尤其忌讳。",
        source=["街道办事处@1", "街道办事处@2"],
        translation=["subdistrict office", "street office"],
        category="词汇一致性",
    ),
    on(
        NOTICE,
        "notice-06",
        "“insert needles when they see a seam”把“见缝插针”直译出来，画面感倒是有了，意思却丢了：make use of every available space才是本意。",
        source=["见缝插针"],
        translation=["insert needles when they see a seam"],
    ),
    on(
        NOTICE,
        "notice-07",
        "四成→14 percent. The figure should read 40 percent.",
        source=["四成"],
        translation=["14 percent"],
    ),
    on(
        NOTICE,
        "notice-08",
        "没有任何原文依据的一句：Citizens warmly welcomed the plan。",
        translation=["Citizens warmly welcomed the plan"],
        category="增译",
    ),
    on(
        NOTICE,
        "notice-09",
        "第四条里“骑手”两个字没有译，夹在英文中间，可补riders或couriers。",
        source=["骑手"],
        translation=["骑手"],
        category="未译",
    ),
    on(
        NOTICE,
        "notice-10",
        "公文标题用的是Notice，结尾却改称This announcement，“通告”的译名没有统一。",
        source=["通告@1", "通告@3"],
        translation=["Notice", "This announcement"],
        allowed=["通告@2"],
        category="词汇一致性",
    ),
    on(
        NOTICE,
        "notice-11",
        "有效期写成fifteen years，原文明明是五年。",
        source=["五年"],
        translation=["fifteen years"],
        allowed=["有效期五年"],
    ),
    on(
        NOTICE,
        "notice-12",
        "'implement the main responsibility' tracks 落实主体责任 word by word. In English one would say that companies bear primary responsibility.",
        source=["落实主体责任"],
        translation=["implement the main responsibility"],
    ),
    on(
        NOTICE,
        "notice-13",
        "dissuade problems搭配不成立，dissuade的宾语只能是人。",
        translation=["dissuade problems"],
        allowed=["劝阻@1"],
        category="语言流畅度",
    ),
    on(
        REVIEW,
        "review-01",
        "迟到的时间不对，原文twenty minutes，译文写成了十二分钟。",
        source=["twenty minutes"],
        translation=["十二分钟"],
    ),
    on(
        REVIEW,
        "review-02",
        "'holding a note' is about singing. 举着一张钞票 turns it into holding up a banknote, a hilarious misreading.",
        source=["holding a note"],
        translation=["举着一张钞票"],
    ),
    on(
        REVIEW,
        "review-03",
        "record在音乐报道里是唱片，“第一张记录”不通；紧接着“第二张唱片”就译对了，前后对照更显荒唐。",
        source=["record"],
        translation=["第一张记录"],
        allowed=["第二张唱片", "唱片"],
    ),
    on(
        REVIEW,
        "review-04",
        "“went nowhere”=没有反响，译“无处可去”；“went gold”=销量达到金唱片，译“变成了金色”。两处都错。",
        source=["went nowhere", "went gold"],
        translation=["无处可去", "变成了金色"],
    ),
    on(REVIEW, "review-05", "bar是小节，不是“酒吧”。", source=["bar@3"], translation=["酒吧"]),
    on(
        REVIEW,
        "review-06",
        "“plays behind the beat”指刻意拖后一点，译成“在节拍后面演奏虽不算错，但不像内行话。",
        source=["plays behind the beat"],
        translation=["在节拍后面演奏"],
    ),
    on(
        REVIEW,
        "review-07",
        "The drummer's name is left as \"Joe Abara\" although the singer's is transliterated (玛戈·莱恩).",
        source=["Joe Abara"],
        translation=["Joe Abara"],
        allowed=["玛戈·莱恩@1", "玛戈·莱恩@2"],
        category="untranslated",
    ),
    on(
        REVIEW,
        "review-08",
        "‘never lost time’ has nothing to do with wasting time; in music it means he kept the tempo. cf. target ‘从来没有浪费时间’.",
        source=["never lost time"],
        translation=["从来没有浪费时间"],
    ),
    on(
        REVIEW,
        "review-09",
        "译文“观众久久不愿离去。”不见于原文，前一句She left without an encore之后直接就是Nobody felt cheated。",
        translation=["观众久久不愿离去。"],
        allowed=["She left without an encore", "Nobody felt cheated"],
        category="增译",
    ),
    on(
        REVIEW,
        "review-10",
        "turned to mud说的是声音混浊，“混音就变成了泥”没人这么讲。",
        source=["turned to mud"],
        translation=["混音就变成了泥"],
    ),
    on(
        REVIEW,
        "review-11",
        "the vocals were buried → 歌声被埋葬了（应作“被盖住了”），‘埋葬’在这儿太吓人。",
        source=["the vocals were buried"],
        translation=["埋葬"],
        allowed=["歌声被埋葬了"],
    ),
    on(
        REVIEW,
        "review-12",
        '"Lane has been at this since she was nineteen" 的at this指从事这一行，"从十九岁起就在这里了"误解为地点。',
        source=["at this"],
        translation=["从十九岁起就在这里了"],
        allowed=["Lane has been at this since she was nineteen"],
    ),
    on(
        REVIEW,
        "review-13",
        '译者没看懂the hits，"她从不为了演奏热门歌曲而演奏"绕口，直说"从不为唱而唱那些金曲"就行。',
        source=["the hits"],
        translation=["她从不为了演奏热门歌曲而演奏"],
    ),
]

BEES = prepare(
    """蜜蜂会数数吗？

蜜蜂的大脑只有芝麻大小，约含一百万个神经元，却能完成许多令人咋舌的任务。它们会跳“8”字舞告诉同伴蜜源的方位，也能分辨莫奈和毕加索的画。

2019年，澳大利亚的一个团队发现，蜜蜂能理解“零”的概念。研究者先训练蜜蜂飞向图形较少的卡片，再把一张空白卡片放进来，结果蜜蜂一眼就认准了空白卡片。换句话说，它们明白“没有”比“一”更少。

批评者认为，这个实验的样本太小，难以服众；还有人怀疑蜜蜂只是靠图形的总面积来判断。团队随后控制了面积这一变量，重复了实验，正确率仍在六成以上，这才堵住了悠悠之口。

当然，数数归数数，别指望蜜蜂给你报税。不过，这项研究给人工智能提了个醒：聪明不一定要靠堆算力，小脑袋也能有大智慧。
""",
    """Can Bees Count?

The brain of a bee is only the size of a sesame seed and contains about ten million neurons, yet it can complete many \
tongue-biting tasks. They dance the figure-of-eight dance to tell their companions the direction of the nectar source, \
and they can also tell the paintings of Monet and Picasso apart.

In 2019, a team in Austria found that bees can understand the concept of "zero". The researchers first trained the \
bees to fly to the card with fewer figures, and then put in a blank card; as a result, the honeybees recognised the \
white card at a glance. In other words, they understand that "nothing" is less than "one".

Critics believe that the sample of this experiment is too small to convince the crowd; others suspect that bees only \
judge by the total area of the figures. The team then controlled the variable of area and repeated the experiment, and \
the correct rate was still less than 60 percent, which blocked the leisurely mouths. The paper won a prize.

Of course, counting is counting; don't expect bees to do your taxes. However, this study has reminded artificial \
intelligence that being smart does not necessarily depend on piling up computing power, and a cerebellum can also have \
great wisdom.
""",
    "zh-en",
)

LISBON = prepare(
    """Three Days in Lisbon

Lisbon is built on seven hills, and you will feel every one of them in your calves. Do yourself a favor and leave the \
heels at home. The sidewalks are paved with polished limestone that turns into an ice rink at the first drop of rain.

Start in Alfama, the oldest quarter, where laundry hangs across the alleys and grandmothers sell ginjinha out of their \
front doors for a euro a shot. Skip Tram 28, which is packed with tourists and pickpockets; walk instead, and let \
yourself get lost. You can't go wrong, since everything runs downhill to the river.

For lunch, find a tasca, a no-frills neighborhood joint. Order whatever is on the board and don't ask too many \
questions. A plate of grilled sardines, bread, olives and a half-bottle of house wine should set you back no more than \
12 euros. The bread and olives are not on the house: if you don't want them, send them back.

Save the last afternoon for Belém. The custard tarts are the draw, and the line moves faster than it looks. Eat them \
warm, dusted with cinnamon, standing at the counter. They go down easy. You have been warned.
""",
    """里斯本三日

里斯本建在七座山上，你的小牛会感受到每一座山。帮自己一个忙，把高跟留在家里。人行道铺着抛光的石灰石，一滴雨落下就会变成溜冰场。

从阿尔法玛开始，这是最古老的季度，小巷里晾着衣物，祖母们在自家门口卖ginjinha，一欧元一枪。跳过28路电车，那里挤满了游客和镐口袋；改为步行，让自己迷路。你不会走错，因为一切都朝下坡流向河流。

午餐，找一家tasca，一个没有褶边的邻里关节。点黑板上写的任何东西，不要问太多问题。一盘烤沙丁鱼、面包、橄榄和半瓶自酿酒，花费应不超过20欧元。面包和橄榄不在房子上：如果你不想要，就把它们送回去。

把最后一个下午留给贝伦。蛋挞是平局，队伍移动得比看起来快。趁热吃，撒上肉桂，站在柜台前。它们很容易下降。你已被警告。祝你旅途愉快！
""",
    "en-zh",
)

SEVENTH = [
    on(
        BEES,
        "bees-01",
        "神经元数量差了十倍：“一百万”误作ten million。",
        source=["一百万"],
        translation=["ten million"],
    ),
    on(
        BEES,
        "bees-02",
        "Australia, not Austria! The source is perfectly clear: 澳大利亚.",
        source=["澳大利亚"],
        translation=["Austria"],
    ),
    on(
        BEES,
        "bees-03",
        "“咋舌”表示惊讶，tongue-biting则是咬舌头，完全是望文生义，jaw-dropping才对路。",
        source=["咋舌"],
        translation=["tongue-biting"],
    ),
    on(
        BEES,
        "bees-04",
        "译文说正确率less than 60 percent，而原文是“六成以上”，一上一下，结论整个翻转。",
        source=["六成以上"],
        translation=["less than 60 percent"],
    ),
    on(
        BEES,
        "bees-05",
        '"blocked the leisurely mouths" is a literal rendering of 堵住了悠悠之口, and no English speaker will work out that the critics were silenced.',
        source=["堵住了悠悠之口"],
        translation=["blocked the leisurely mouths"],
    ),
    on(
        BEES,
        "bees-06",
        "小脑袋 is 'little head', but the translator took the first two characters for 小脑, so that we get 'a cerebellum'.",
        source=["小脑袋"],
        translation=["a cerebellum"],
    ),
    on(
        BEES,
        "bees-07",
        "“空白卡片”先译blank card，紧接着又译white card，前一种才是对的，后一种会让人以为卡片是白色的。",
        source=["空白卡片@1", "空白卡片@2"],
        translation=["blank card", "white card"],
        category="词汇一致性",
    ),
    on(
        BEES,
        "bees-08",
        "全文用bees，惟独这里冒出honeybees，虽不算错，但略嫌随意。",
        translation=["honeybees"],
        source=[],
        allowed=["蜜蜂@5", "蜜蜂@6", "bees@1", "bees@2", "bees@3", "bees"],
        category="词汇一致性",
        hint="3",
    ),
    on(
        BEES,
        "bees-09",
        "“The paper won a prize.”这句话原文里根本找不到，译者想当然了。",
        translation=["The paper won a prize."],
        category="增译",
    ),
    on(
        BEES,
        "bees-10",
        "原文“蜜蜂能识别人脸”译为“bees can recognise human faces”，时态有误。",
    ),
    on(
        BEES,
        "bees-11",
        "“难以服众”译成too small to convince the crowd，the crowd像是在说围观的人群，改成anyone即可。",
        source=["难以服众"],
        translation=["too small to convince the crowd"],
        allowed=["the crowd"],
    ),
    on(
        BEES,
        "bees-12",
        "counting is counting套用了汉语“A归A”的格式（“数数归数数”），英语不这么说，不妨写成counting is one thing。",
        source=["数数归数数"],
        translation=["counting is counting"],
    ),
    on(
        LISBON,
        "lisbon-01",
        "calves在这里是小腿肚，译成“小牛”成了笑谈。",
        source=["calves"],
        translation=["小牛"],
    ),
    on(
        LISBON,
        "lisbon-02",
        'Price wrong: "no more than 12 euros" → 不超过20欧元.',
        source=["no more than 12 euros"],
        translation=["不超过20欧元"],
    ),
    on(
        LISBON,
        "lisbon-03",
        "“季度”是quarter的另一个义项，此处应为“城区”。",
        source=["quarter"],
        translation=["季度"],
    ),
    on(
        LISBON,
        "lisbon-04",
        "ginjinha和tasca两个葡语词都没有翻译，前者至少应加注“樱桃酒”，后者可译“小酒馆”。",
        source=["ginjinha", "tasca"],
        translation=["ginjinha", "tasca"],
        category="未译",
    ),
    on(
        LISBON,
        "lisbon-05",
        "pickpockets被拆成pick和pockets，得出“镐口袋”这样的怪词；同一句的“挤满了游客”倒没问题。",
        source=["pickpockets"],
        translation=["镐口袋"],
        allowed=["挤满了游客"],
    ),
    on(
        LISBON,
        "lisbon-06",
        "'a no-frills neighborhood joint' is a plain local eatery. What the Chinese offers, 一个没有褶边的邻里关节, is about ruffles and body parts.",
        source=["a no-frills neighborhood joint"],
        translation=["一个没有褶边的邻里关节"],
    ),
    on(
        LISBON,
        "lisbon-07",
        "“on the house”=免费赠送。译文“不在房子上”照单词逐个对译，读者莫名其妙。",
        source=["on the house"],
        translation=["不在房子上"],
    ),
    on(
        LISBON,
        "lisbon-08",
        "house wine作“自酿酒”不确，指的是餐厅的招牌散装酒。",
        source=["house wine"],
        translation=["自酿酒"],
    ),
    on(
        LISBON,
        "lisbon-09",
        "the draw指吸引人之处，跟体育比赛的“平局毫无关系。",
        source=["the draw"],
        translation=["平局"],
    ),
    on(
        LISBON,
        "lisbon-10",
        '"They go down easy" means you will eat too many; "它们很容易下降" is gibberish.',
        source=["They go down easy"],
        translation=["它们很容易下降"],
    ),
    on(
        LISBON,
        "lisbon-11",
        "文末“祝你旅途愉快！”为译者所加，与原文You have been warned的俏皮收尾相抵触。",
        translation=["祝你旅途愉快！"],
        allowed=["You have been warned"],
        category="增译",
    ),
    on(
        LISBON,
        "lisbon-12",
        "shot不是枪，‘一欧元一枪’简直吓人。a euro a shot说的是一小杯一欧元。",
        source=["a euro a shot"],
        translation=["一欧元一枪"],
        allowed=["枪"],
    ),
]

CLINIC = prepare(
    """春困不是病，困起来要人命？

“春困秋乏夏打盹”，一到三月，门诊上喊累的人就多了起来。其实春困不是病，而是身体适应季节转换的自然反应。气温回升，体表血管扩张，流向大脑的血液相对减少，人自然昏昏欲睡。

不过，有些“困”要当心。如果每晚睡足八小时，白天仍哈欠连天，甚至开会、开车时打瞌睡，就要警惕睡眠呼吸暂停。患者多半打鼾，夜里会憋醒。打鼾不等于睡得香，恰恰说明气道不通畅。

甲状腺功能减退也会让人犯困。这类患者往往怕冷、便秘、体重增加，抽血查一下甲功就能明确。贫血的人同样容易疲劳，尤其是育龄女性。

怎么办？一是午睡二十分钟，不宜过长；二是多晒太阳，多到户外走走；三是饮食清淡，少吃肥甘厚味。如果休息两周仍不见好转，建议到医院挂个号，别硬扛。
""",
    """Spring Sleepiness Is Not a Disease, but It Kills?

"Spring sleepy, autumn tired, summer naps." As soon as March comes, more people shout tired in the clinic. In fact, \
spring drowsiness is not a disease but a natural reaction of the body adapting to the change of seasons. As the \
temperature rises, the blood vessels on the body surface contract, the blood flowing to the brain is relatively \
reduced, and people are naturally drowsy.

However, some "trapped" should be careful. If you sleep a full eight hours every night and still yawn all day long, \
and even doze off in meetings or while driving, you should be alert to sleep apnoea. Most patients snore and will hold \
back awake at night. Snoring does not mean sleeping sweetly; it just shows that the airway is unobstructed.

Hypothyroidism can also make people sleepy. Such patients are often afraid of cold, constipated and gain weight, and a \
blood test of 甲功 can make it clear. People with anaemia are also prone to fatigue, especially women of teaching age.

What to do? First, take a nap of two hours, not too long; second, get more sun and walk outdoors; third, eat a light \
diet and less fat, sweet and thick flavours. If there is no improvement after two weeks of rest, it is recommended to \
go to the hospital to hang a number, and do not carry it hard. Wish you good health.
""",
    "zh-en",
)

STARTUP = prepare(
    """How We Almost Died (Twice)

We incorporated in a garage in Tucson with $40,000 and a folding table. The first product was a scheduling app for \
dog groomers. It had eleven paying customers, three of whom were my aunt. We were burning through cash and too proud \
to say so.

The pivot came in March. A customer asked whether she could use the app to text her clients, and a light went on. \
Within a month we had thrown out the calendar and kept the texting. By summer, churn had fallen from 9 percent to 2 \
percent, and we were default alive for the first time.

Then our biggest client walked. They were 60 percent of revenue. I learned about it from a press release. We cut \
everyone's pay in half, mine to zero, and told the team the truth. Nobody quit. That week we shipped more than we had \
in the whole quarter.

If there is a moral, it is this: runway is a state of mind until it isn't. Keep a cushion, tell people bad news early, \
and never let one client become the tail that wags the dog. We now have 300 customers, none bigger than 4 percent, \
and I still use the folding table.
""",
    """我们如何差点死掉（两次）

我们在图森的一个车库里成立，有4000美元和一张折叠桌。第一个产品是给狗狗美容师用的日程安排应用。它有十一个付费客户，其中三个是我的阿姨。我们正在烧掉现金，而且太骄傲而不愿说出来。

枢轴在三月到来。一位顾客问她能否用这个应用给她的委托人发短信，一盏灯亮了。一个月之内，我们扔掉了日历，保留了短信。到了夏天，搅拌从9%下降到2%，我们第一次默认活着。

然后我们最大的客户走了路。他们占收入的60%。我从新闻稿中得知此事。我们把每个人的工资砍了一半，我的砍到零，并告诉团队真相。没有人辞职。那一周我们运送的东西比整个季度都多。

如果有什么寓意的话，那就是：跑道是一种心态，直到它不是。保留一个垫子，尽早告诉人们坏消息，永远不要让一个客户变成摇狗的尾巴。我们现在有300名客户，没有一个超过4%，而我还在用那张folding table。创业就是这样残酷。
""",
    "en-zh",
)

EIGHTH = [
    on(
        CLINIC,
        "clinic-01",
        "‘体表血管扩张’译成了‘the blood vessels on the body surface contract’，一个扩张一个收缩，医学常识错误。",
        source=["体表血管扩张"],
        translation=["the blood vessels on the body surface contract"],
    ),
    on(
        CLINIC,
        "clinic-02",
        "“春困”的译法在标题和首段就不一样：标题是「Spring Sleepiness」，首段引语作「Spring sleepy」，下一句又成「spring drowsiness」。",
        source=["春困@1", "春困@2", "春困@3"],
        translation=["Spring Sleepiness", "Spring sleepy", "spring drowsiness"],
        category="词汇一致性",
    ),
    on(
        CLINIC,
        "clinic-03",
        '有些“困”要当心的"困"是犯困，译者理解成"被困住"，译作"trapped"，主语还跟着错了。',
        source=["有些“困”要当心"],
        translation=["trapped"],
    ),
    on(
        CLINIC,
        "clinic-04",
        "'will hold back awake' — not English at all. 憋醒 means to wake up gasping for air.",
        source=["憋醒"],
        translation=["will hold back awake"],
    ),
    on(
        CLINIC,
        "clinic-05",
        "“气道不通畅”的“不”字丢了：译文“the airway is unobstructed”意思恰好相反，患者会误以为打鼾无害。",
        source=["气道不通畅"],
        translation=["the airway is unobstructed"],
    ),
    on(
        CLINIC,
        "clinic-06",
        "抽血那句里夹着“甲功”两个汉字（a blood test of 甲功），应译thyroid function。",
        source=["甲功"],
        translation=["甲功"],
        allowed=["a blood test of 甲功"],
        category="未译",
    ),
    on(
        CLINIC,
        "clinic-07",
        "育龄女性译为women of teaching age，把“育”理解成教育，应为women of childbearing age。",
        source=["育龄女性"],
        translation=["women of teaching age"],
    ),
    on(
        CLINIC,
        "clinic-08",
        "午睡时长：二十分钟→two hours，且与后半句not too long自相矛盾。",
        source=["二十分钟"],
        translation=["two hours"],
        allowed=["not too long", "午睡二十分钟"],
    ),
    on(
        CLINIC,
        "clinic-09",
        "考点2：“肥甘厚味”宜意译为“rich, greasy food”，不可逐字译。译文：“fat, sweet and thick flavours”。不得分。",
        source=["肥甘厚味"],
        translation=["fat, sweet and thick flavours"],
        category="考点",
    ),
    on(
        CLINIC,
        "clinic-10",
        "“挂个号”直译成hang a number，“硬扛”直译成carry it hard，两个口语词全军覆没；“两周”倒是译对了。",
        source=["挂个号", "硬扛"],
        translation=["hang a number", "carry it hard"],
        allowed=["两周", "two weeks"],
    ),
    on(
        CLINIC,
        "clinic-11",
        "The closing 'Wish you good health' has been tacked on by the translator; the article ends with 别硬扛.",
        translation=["Wish you good health"],
        allowed=["别硬扛"],
        category="over_translation",
    ),
    on(
        CLINIC,
        "clinic-12",
        "第一段“shout tired”属中式搭配，shout后不接形容词，宜改complain of fatigue。",
        translation=["shout tired"],
        category="语法",
    ),
    on(
        STARTUP,
        "startup-01",
        "启动资金少了一个零，$40,000成了4000美元。",
        source=["$40,000"],
        translation=["4000美元"],
    ),
    on(
        STARTUP,
        "startup-02",
        "「枢轴在三月到来」不知所云。pivot是创业圈行话，指“转型”。",
        source=["pivot"],
        translation=["枢轴"],
        allowed=["枢轴在三月到来"],
    ),
    on(
        STARTUP,
        "startup-03",
        "client/customer的处理很乱：customers译“客户”，同样的customer下一段译“顾客”，clients又成了“委托人”，到第四段client再译回“客户”。",
        source=["customers@1", "customer@2", "clients"],
        translation=["客户@1", "顾客", "委托人"],
        allowed=["客户", "client", "clients", "customers", "client@2", "客户@2", "client@3", "客户@3", "customer@3"],
        category="词汇一致性",
    ),
    on(
        STARTUP,
        "startup-04",
        "'churn' is customer attrition; 搅拌 is what you do to butter.",
        source=["churn"],
        translation=["搅拌"],
    ),
    on(
        STARTUP,
        "startup-05",
        "“default alive”（Paul Graham语，指按现有收支可活到盈利）译成“默认活着，不加解释没人懂。",
        source=["default alive"],
        translation=["默认活着"],
    ),
    on(
        STARTUP,
        "startup-06",
        "our biggest client walked的walked是“离我们而去”，“走了路”让人喷饭。",
        source=["walked"],
        translation=["走了路"],
        allowed=["our biggest client walked"],
    ),
    on(
        STARTUP,
        "startup-07",
        "shipped ≠ 运送. In software you ship a feature; 发布 would be right.",
        source=["shipped"],
        translation=["运送"],
    ),
    on(
        STARTUP,
        "startup-08",
        "folding table前面译作“折叠桌”，结尾却保留英文，同一物件两副面孔。",
        source=["folding table@2"],
        translation=["folding table"],
        allowed=["折叠桌", "folding table@1"],
        category="未译",
    ),
    on(
        STARTUP,
        "startup-09",
        "“Keep a cushion”说的是留余钱，被理解成家里的垫子（“保留一个垫子”）；“尽早告诉人们坏消息”则无可厚非。",
        source=["Keep a cushion"],
        translation=["保留一个垫子"],
        allowed=["尽早告诉人们坏消息", "垫子"],
    ),
    on(
        STARTUP,
        "startup-10",
        "the tail that wags the dog喻指喧宾夺主，译文“摇狗的尾巴”丢了这层意思。",
        source=["the tail that wags the dog"],
        translation=["摇狗的尾巴"],
    ),
    on(
        STARTUP,
        "startup-11",
        "结尾凭空冒出“创业就是这样残酷”，破坏了原文以folding table收束的余味。",
        translation=["创业就是这样残酷"],
        allowed=["folding table@2", "folding table"],
        category="增译",
    ),
    on(
        STARTUP,
        "startup-12",
        "原文“We laid off half the team”误译为“我们解雇了一半的团队成员”，与后文“没有人辞职”矛盾。",
        allowed=["没有人辞职", "Nobody quit"],
    ),
]

KILN = prepare(
    """龙窑不熄火

在景德镇，人们常说“一满二烧三熟”，意思是装窑要满、烧窑要稳、火候要熟。老把桩师傅胡家旺今年七十六岁，烧了一辈子柴窑。他看火不用测温锥，往窑里吐一口唾沫，就知道温度到没到1300度。

柴窑费工费料。一窑要烧掉八百担松柴，连续烧二十个小时，成品率却不到七成。年轻人图省事，都改用气窑。胡师傅不劝，只说：“气窑出的瓷器，釉面发贼光，没有魂。”

2009年，当地复建了一座清代镇窑，请他出山。点火那天，来了上千人。开窑时，青花梅瓶完好无损，釉色莹润如玉。有收藏家当场出价五十万，被他一口回绝：“头一窑的东西，不卖。”

把桩这门手艺，讲究的是眼力和胆识，书本上学不来。胡师傅带过三个徒弟，如今只剩一个还在守窑。问他后不后悔，他摆摆手：“火认人。”
""",
    """The Dragon Kiln Does Not Turn Off the Fire

In Jingdezhen, people often say "one full, two burning, three cooked", which means that the kiln should be loaded full, \
fired steadily and the heat should be ripe. The old pile-holding master Hu Jiawang is sixty-seven years old and has \
fired wood kilns all his life. He does not use pyrometric cones to watch the fire; he spits a mouthful of saliva into \
the kiln and knows whether the temperature has reached 1300 degrees Fahrenheit.

Wood kilns are labour and material intensive. One kiln burns eight hundred dan of pine and burns for twenty hours in a \
row, but the finished rate is less than 70 percent. Young people want to save trouble and have switched to gas ovens. \
Master Hu does not persuade them and only says: "The china from the gas furnace has a thief light on the glaze and no \
soul."

In 2009, a Qing dynasty town kiln was rebuilt locally and he was asked to come out of the mountain. On the day of \
ignition, a thousand people came. When the kiln was opened, the blue and white plum vase was intact, and the glaze was \
as lustrous as jade. A collector offered 500,000 on the spot and was refused in one mouthful: "Things from the first \
kiln are not for sale." The crowd burst into applause.

The craft of 把桩 pays attention to eyesight and courage, which cannot be learned from books. Master Hu has taken three \
apprentices, and now only one is still guarding the kiln. Asked whether he regrets it, he waved his hand: "Fire \
recognises people."
""",
    "zh-en",
)

FUND = prepare(
    """A Letter to Limited Partners

Dear Partners, The fund returned 4.2 percent net of fees in the third quarter, against a loss of 1.1 percent for the \
benchmark. We take no victory lap. One good quarter proves nothing, and we have had plenty of bad ones.

Our largest position, Kestrel Freight, reported earnings that beat the street. The stock popped and then gave back most \
of the move. We trimmed a third of the stake at $58 and are happy holders of the rest. The bear case is that rates \
stay higher for longer; we think that is already in the price.

We were early on uranium, which is a polite way of saying wrong. The position cost us 90 basis points. We have cut our \
losses and moved on. Shorts added 60 basis points, chiefly in subprime auto lenders that had been skating on thin ice.

Redemptions were light. As a reminder, the gate is 25 percent per quarter, and notice must be given 60 days in advance. \
Dry powder stands at 18 percent of the fund. We sleep well at night, and we hope you do too.
""",
    """致有限合伙人的信

亲爱的合伙人：第三季度，扣除费用后基金回报率为2.4%，而基准亏损1.1%。我们没有跑胜利圈。一个好季度证明不了什么，我们也有过许多糟糕的季度。

我们最大的职位红隼货运公布的收益击败了街道。股票弹出，然后退回了大部分涨幅。我们以58美元的价格修剪了三分之一的股份，并且是其余部分的快乐持有者。熊案是利率将在更长时间内保持较高水平；我们认为这已经反映在价格中。

我们在铀上很早，这是说错了的礼貌方式。该头寸花费了我们90个基点。我们已经砍掉了损失并继续前进。短裤增加了60个基点，主要是在一直如履薄冰的次级汽车贷款机构。我们对此深感自豪。

救赎很轻。提醒一下，gate为每季度25%，通知必须提前六天发出。干粉占基金的18%。我们晚上睡得很好，希望你们也是。
""",
    "en-zh",
)

NINTH = [
    on(
        KILN,
        "kiln-01",
        "师傅的年纪弄颠倒了：七十六岁，不是sixty-seven。",
        source=["七十六岁"],
        translation=["sixty-seven"],
    ),
    on(
        KILN,
        "kiln-02",
        "“一满二烧三熟”是行话口诀，译文逐字对译成'one full, two burning, three cooked'，尤其cooked让人想到做饭。",
        source=["一满二烧三熟"],
        translation=["one full, two burning, three cooked"],
        allowed=["cooked"],
        category="文化适应",
    ),
    on(
        KILN,
        "kiln-03",
        "'pile-holding master' is meaningless. 把桩师傅 is the master in charge of the firing (the kiln boss, if you like).",
        source=["把桩师傅"],
        translation=["pile-holding master"],
    ),
    on(
        KILN,
        "kiln-04",
        "1300 degrees Fahrenheit单位有误——中文语境中的“1300度”指摄氏，华氏1300度根本烧不成瓷。",
        source=["1300度"],
        translation=["1300 degrees Fahrenheit"],
    ),
    on(
        KILN,
        "kiln-05",
        "气窑在同一段中一处译gas ovens，一处译gas furnace，oven更是烤箱，统一用gas kiln即可。",
        source=["气窑@1", "气窑@2"],
        translation=["gas ovens", "gas furnace"],
        category="词汇一致性",
    ),
    on(
        KILN,
        "kiln-06",
        "The glaze has 'a thief light'? 贼光 describes a harsh, glaring shine and has nothing to do with thieves.",
        source=["贼光"],
        translation=["a thief light"],
    ),
    on(
        KILN,
        "kiln-07",
        "“出山”比喻重新出来做事，come out of the mountain却成了走出大山，读者真以为他隐居山中。",
        source=["出山"],
        translation=["come out of the mountain"],
    ),
    on(
        KILN,
        "kiln-08",
        "“上千人”是一千多人的意思，a thousand people只是一千人，数量偏少。",
        source=["上千人"],
        translation=["a thousand people"],
    ),
    on(
        KILN,
        "kiln-09",
        "被他一口回绝 → refused in one mouthful，滑稽；flatly turned down才像英语。",
        source=["被他一口回绝"],
        translation=["refused in one mouthful"],
    ),
    on(
        KILN,
        "kiln-10",
        "掌声是哪来的？“The crowd burst into applause.”原文没有。",
        translation=["The crowd burst into applause."],
        category="增译",
    ),
    on(
        KILN,
        "kiln-11",
        "末段的“把桩”没有译，直接嵌在英文里：The craft of 把桩 pays attention to…；此外首段同一词译作pile-holding，也是错的。",
        source=["把桩@2"],
        translation=["把桩"],
        allowed=["The craft of 把桩 pays attention to", "pile-holding", "把桩@1"],
        category="未译",
    ),
    on(
        KILN,
        "kiln-12",
        "eyesight是视力，“眼力”在这里指判断力、鉴别力，judgment更贴切；courage对“胆识”尚可接受。",
        source=["眼力"],
        translation=["eyesight"],
        allowed=["胆识", "courage"],
    ),
    on(
        FUND,
        "fund-01",
        "Return figure transposed: 4.2 percent in the source, 2.4% in the target.",
        source=["4.2 percent"],
        translation=["2.4%"],
    ),
    on(
        FUND,
        "fund-02",
        "position在投资语境中是“头寸/持仓”，首次译成“职位”，第三段又译“头寸”，不但前后不一，前者还是误译。",
        source=["position@1", "position@2"],
        translation=["职位", "头寸"],
        category="词汇一致性",
    ),
    on(
        FUND,
        "fund-03",
        "'beat the street' = beat Wall Street's expectations. 击败了街道 is absurd.",
        source=["beat the street"],
        translation=["击败了街道"],
    ),
    on(
        FUND,
        "fund-04",
        "popped（股价急涨）被译成“弹出”，像是弹窗；gave back most of the move译“退回了大部分涨幅”还算准确。",
        source=["popped"],
        translation=["弹出"],
        allowed=["gave back most of the move", "退回了大部分涨幅"],
    ),
    on(
        FUND,
        "fund-05",
        "“The bear case”是“看空的理由”，到了译文里成了“熊案，莫名其妙。",
        source=["The bear case"],
        translation=["熊案"],
    ),
    on(
        FUND,
        "fund-06",
        "Shorts → 短裤！空头头寸变成了衣服，本篇最离谱的错误。",
        source=["Shorts"],
        translation=["短裤"],
    ),
    on(
        FUND,
        "fund-07",
        "“Redemptions were light”说的是赎回不多，“救赎很轻”把金融术语译成了宗教概念。",
        source=["Redemptions were light"],
        translation=["救赎很轻"],
    ),
    on(
        FUND,
        "fund-08",
        "gate没有翻译，英文词直接留用，应作“赎回上限”。",
        source=["gate"],
        translation=["gate"],
        category="未译",
    ),
    on(
        FUND,
        "fund-09",
        "通知期：60 days译成了“六天”，投资者照此办理必然误事。",
        source=["60 days"],
        translation=["六天"],
    ),
    on(
        FUND,
        "fund-10",
        '"dry powder" is uninvested cash; 干粉 sounds like a fire extinguisher. Idiom apart, 如履薄冰 for "skating on thin ice" is a good choice.',
        source=["Dry powder"],
        translation=["干粉"],
        allowed=["如履薄冰", "skating on thin ice"],
    ),
    on(
        FUND,
        "fund-11",
        "Nothing in the English answers to 我们对此深感自豪 at the end of paragraph 4; indeed the author says 'We take no victory lap'.",
        translation=["我们对此深感自豪"],
        allowed=["We take no victory lap"],
        category="addition",
    ),
    on(
        FUND,
        "fund-12",
        "原文“We were early on uranium, which is a polite way of saying wrong”的自嘲味道很浓，译文“我们在铀上很早”生硬难懂，“这是说错了的礼貌方式”也不顺。",
        source=["We were early on uranium, which is a polite way of saying wrong"],
        translation=["我们在铀上很早", "这是说错了的礼貌方式"],
        category="风格",
    ),
]

NOODLES = prepare(
    """面馆老板的账

老周的面馆开在老街拐角，门脸不大，六张桌子，二十四条板凳。早上五点半开门，下午两点打烊，雷打不动。招牌是雪菜肉丝面，一碗十八块，三年没涨价。

“面好不好，全看汤。”老周说。他的汤用老母鸡、猪筒骨和黄鳝骨熬足六个钟头，不放味精。有人劝他做外卖，他摆手：“面一坨，神仙也救不回来。”

去年，隔壁开了家连锁面馆，装修时髦，扫码点餐，开业头一周买一送一。老街坊替老周捏把汗，他却不慌不忙，照样五点半生火。三个月后，连锁店悄悄关了门。

记账是老周的习惯。账本用的是小学生的田字格，一天一页，进多少、出多少，谁赊了几碗，一清二楚。赊账的多是附近工地的工人，月底结清，从没人赖账。“人心都是肉长的。”他说。
""",
    """The Accounts of a Noodle Shop Owner

Lao Zhou's noodle shop is on the corner of the old street. The face of the door is not big: six tables and \
forty-two benches. It opens at half past five in the morning and closes at two in the afternoon, and thunder cannot \
move it. The signboard is noodles with snow vegetables and shredded pork, 80 yuan a bowl, and the price has not gone \
up for three years.

"Whether the noodles are good depends on the soup," says Lao Zhou. His broth is boiled with old hens, pork bones and \
eel bones for six clocks, without monosodium glutamate. Someone advised him to sell outside, but he waved his hand: \
"Once the noodles are in a lump, even the gods cannot save them."

Last year a chain noodle restaurant opened next door, with fashionable decoration and code-scanning ordering, and half \
price in the first week. The old neighbours pinched a sweat for Lao Zhou, but he was in no hurry and lit the fire at \
half past five as usual. Three months later the chain store quietly closed. Everyone was happy.

Keeping accounts is Lao Zhou's habit. The ledger is a pupil's 田字格, one page a day: how much came in, how much went \
out, and who owes how many bowls, all clear at a glance. Most of those who buy on credit are workers from nearby \
building sites, who settle at the end of the year; no one has ever repudiated a debt. "People's hearts are all made of \
meat," he says.
""",
    "zh-en",
)

TIDES = prepare(
    """Why the Sea Comes Twice a Day

Stand on any beach for a day and you will see the sea come in twice. The moon is to blame. Its gravity pulls hardest \
on the water nearest to it, and the ocean on that side bulges. That much is intuitive. What trips people up is the \
second bulge, on the far side of the Earth.

Here is the trick. The moon pulls on the solid Earth more than it pulls on the water on the far side, so the Earth is, \
in effect, pulled out from under that water. The planet then spins beneath both bulges once every 24 hours, and each \
coast passes through two high tides.

The sun gets a say as well. When sun and moon line up, their pulls add up and we get spring tides, which have nothing \
to do with the season. When they are at right angles, they work against each other, and the result is a neap tide. At \
the Bay of Fundy the range can exceed 16 metres; in the Mediterranean it is barely a foot.

Tides also act as a brake. Friction between water and seabed slows the Earth's spin by about 2 milliseconds a century. \
Over the long haul it adds up: 400 million years ago, a day lasted 22 hours and a year had 400 days. Fossil corals, of \
all things, kept the score.
""",
    """为什么大海一天来两次

在任何一个海滩上站一天，你都会看到大海两次进来。月亮应该受到责备。它的引力对离它最近的水拉得最厉害，那一侧的海洋就会隆起。这一点很直观。把人绊倒的是地球远侧的第二个凸起。

这是把戏。月亮对固体地球的拉力大于对远侧海水的拉力，因此地球实际上是从那片水下面被拉了出来。然后，地球每42小时在两个鼓包下旋转一次，每个海岸都会经历两次高潮。

太阳也得到一个说法。当太阳和月亮排成一线时，它们的拉力叠加，我们就有了春天的潮汐，这与季节无关。当它们在正确的角度时，它们互相对抗，结果就是neap潮。在芬迪湖，潮差可以超过16米；在地中海，它赤脚。

潮汐还起到休息的作用。水与海床之间的摩擦使地球自转每世纪减慢约2分钟。长途运输加起来：4亿年前，一天持续22小时，一年有400天。化石珊瑚，在所有事物中，保持了分数。大自然真是奇妙。
""",
    "en-zh",
)

TENTH = [
    on(
        NOODLES,
        "noodles-01",
        "The bench count is off: 二十四条板凳 cannot be 'forty-two benches'.",
        source=["二十四条板凳"],
        translation=["forty-two benches"],
    ),
    on(
        NOODLES,
        "noodles-02",
        'Literalism: "thunder cannot move it" for 雷打不动. "rain or shine" is what an English writer would put.',
        source=["雷打不动"],
        translation=["thunder cannot move it"],
    ),
    on(
        NOODLES,
        "noodles-03",
        "价格错了，十八块怎么成了80 yuan？",
        source=["十八块"],
        translation=["80 yuan"],
    ),
    on(
        NOODLES,
        "noodles-04",
        "Readers will wonder what 'six clocks' are. 钟头 is colloquial for hours.",
        source=["钟头"],
        translation=["six clocks"],
        allowed=["六个钟头"],
    ),
    on(
        NOODLES,
        "noodles-05",
        "“做外卖”是送餐，sell outside成了到外面摆摊。",
        source=["做外卖"],
        translation=["sell outside"],
    ),
    on(
        NOODLES,
        "noodles-06",
        "‘买一送一’与‘half price’不完全等值：前者要买两碗才划算，后者一碗也便宜。建议直译为‘buy one, get one free’。",
        source=["买一送一"],
        translation=["half price"],
    ),
    on(
        NOODLES,
        "noodles-07",
        "The phrase 'pinched a sweat for' does not exist; 捏把汗 should become 'were anxious for' or 'feared for'.",
        source=["捏把汗"],
        translation=["pinched a sweat for"],
    ),
    on(
        NOODLES,
        "noodles-08",
        "连锁店关门之后译者多嘴一句Everyone was happy，立场都变了。",
        translation=["Everyone was happy"],
        source=[],
        allowed=["连锁店悄悄关了门", "连锁店"],
        category="增译",
    ),
    on(
        NOODLES,
        "noodles-09",
        "“田字格”仍是汉字，英文读者根本不认得。可意译为a pupil's squared exercise book。",
        source=["田字格"],
        translation=["田字格"],
        category="未译",
    ),
    on(
        NOODLES,
        "noodles-10",
        "月底结清被翻成settle at the end of the year，月变成了年。",
        source=["月底结清"],
        translation=["settle at the end of the year"],
    ),
    on(
        NOODLES,
        "noodles-11",
        "Lao Zhou's shop is a 面馆 throughout, yet the English has 'noodle shop' in one place and 'noodle restaurant' in another. Not a serious matter, but the terms should be harmonised.",
        source=["面馆@2", "面馆@3"],
        translation=["noodle shop", "noodle restaurant"],
        allowed=["面馆@1", "Noodle Shop"],
        category="inconsistent_terminology",
    ),
    on(
        NOODLES,
        "noodles-12",
        "meat放在这里令人不适，“人心都是肉长的”无非是说人都有感情；hearts … made of meat应改为made of flesh and blood。",
        source=["人心都是肉长的"],
        translation=["meat"],
        allowed=["hearts are all made of meat"],
    ),
    on(
        TIDES,
        "tides-01",
        "bulge一词三译：“隆起”“凸起”“鼓包”，科普文里同一概念应当始终如一。",
        source=["bulges@1", "bulge@2", "bulges@2"],
        translation=["隆起", "凸起", "鼓包"],
        allowed=["bulge"],
        category="词汇一致性",
    ),
    on(
        TIDES,
        "tides-02",
        "'trips people up' is figurative. Translating it as 把人绊倒 conjures up someone falling over on the beach.",
        source=["trips people up"],
        translation=["把人绊倒"],
    ),
    on(
        TIDES,
        "tides-03",
        "24 hours被写成42小时，数字颠倒，科学事实全错。",
        source=["24 hours"],
        translation=["42小时"],
    ),
    on(
        TIDES,
        "tides-04",
        "“高潮”容易引起不雅联想，潮汐学上说“满潮”或“高潮位”；high tides原词并无歧义。",
        source=["high tides"],
        translation=["高潮"],
    ),
    on(
        TIDES,
        "tides-05",
        "right angles是直角，译文“正确的角度”望文生义。",
        source=["right angles"],
        translation=["正确的角度"],
    ),
    on(
        TIDES,
        "tides-06",
        "spring tides译成“春天的潮汐”，而紧接着的“这与季节无关”译得一点没错，两句放在一起自相矛盾。",
        source=["spring tides"],
        translation=["春天的潮汐"],
        allowed=["这与季节无关", "which have nothing to do with the season"],
    ),
    on(
        TIDES,
        "tides-07",
        "neap没有译出来，半英半中的“neap潮”不合规范，应译“小潮”。",
        source=["neap"],
        translation=["neap"],
        allowed=["neap潮", "a neap tide"],
        category="未译",
    ),
    on(
        TIDES,
        "tides-08",
        "Fundy is a bay (湾), not a lake: 芬迪湖 must be corrected.",
        source=["Fundy"],
        translation=["芬迪湖"],
        allowed=["Bay of Fundy", "the Bay of Fundy"],
    ),
    on(
        TIDES,
        "tides-09",
        "barely a foot怎么会是“赤脚”？把barely看成了barefoot，真是令人瞠目。",
        source=["barely a foot"],
        translation=["赤脚"],
    ),
    on(
        TIDES,
        "tides-10",
        "制动（brake）当成了休息（break），“休息的作用”完全不通。",
        source=["brake"],
        translation=["休息的作用"],
        allowed=["休息"],
    ),
    on(
        TIDES,
        "tides-11",
        "‘Over the long haul’被误解成‘长途运输，其实是“长此以往”的意思；句末‘保持了分数’也不知何意，kept the score此处是“留下了记录”。",
        source=["Over the long haul", "kept the score"],
        translation=["长途运输", "保持了分数"],
    ),
    on(
        TIDES,
        "tides-12",
        "The final exclamation (“大自然真是奇妙”) is the translator's own.",
        translation=["大自然真是奇妙"],
        category="addition",
    ),
]

VERDICT = prepare(
    """租车纠纷判决书（节选）

原告李某诉称：2022年5月6日，其通过被告平台租用小轿车一辆，租期七日，日租金280元，并缴纳违章押金2000元。还车后第二十五日，被告以车辆存在剐蹭为由，单方扣除押金1500元，原告多次交涉未果。

被告某公司辩称：原告还车时未按约定拍照留存，应视为认可车况；定损单由合作维修厂出具，金额合理。平台《用户协议》第十二条载明，承租人对租期内的损坏承担全部责任。

本院认为，案涉《用户协议》第十二条系格式条款，被告未以显著方式提示，原告主张该条款不成为合同内容，于法有据。被告提交的定损单无车辆照片佐证，且出具日期晚于还车日近一个月，真实性存疑，本院不予采信。

综上，判决如下：一、被告于本判决生效之日起十日内返还原告押金1500元；二、驳回原告其他诉讼请求。案件受理费50元，由被告负担。
""",
    """Judgment in a Car Rental Dispute (Excerpt)

The plaintiff, Li, claimed that on May 6, 2022 he rented a car through the defendant's platform for seven weeks at a \
daily rent of 280 yuan, and paid a violation deposit of 2,000 yuan. On the twenty-fifth day after returning the car, \
the defendant unilaterally deducted 15,000 yuan from the deposit on the ground that the vehicle had scratches. The \
plaintiff negotiated many times without fruit.

The respondent company argued that the plaintiff failed to take photos when returning the car and should be regarded \
as recognising the car condition; the fixed loss order was issued by a cooperative repair shop and the amount was \
reasonable. Article 12 of the platform's User Agreement states that the lessor is fully responsible for damage during \
the lease term.

The court holds that Article 12 of the User Agreement involved in the case is a format clause, and the accused did not \
prompt it in a conspicuous way. The plaintiff's claim that the clause does not become part of the contract has a basis \
in law. The 定损单 submitted by the defendant is not supported by photos of the vehicle, and its date is nearly one \
year later than the date of return; its authenticity is doubtful, and the court does not adopt it. The court is deeply \
sorry about this.

In summary, the judgment is as follows: first, the defendant shall return the deposit of 1,500 yuan to the plaintiff \
within ten days; second, the plaintiff's other claims are rejected. The case acceptance fee of 50 yuan shall be borne \
by the plaintiff.
""",
    "zh-en",
)

GHOST = prepare(
    """The Lighthouse Shift

Nobody lasted long on the night shift at Crane Point. The pay was decent, the work was light, and the place was, to \
put it mildly, off. Ines took it because she was broke and because she did not believe in ghosts.

The first week was dead quiet. She read, she made tea, she logged the ships. On the eighth night the radio crackled \
and a man's voice asked for the time. "Two fifteen," she said. "Thank you," said the voice. "I keep losing track." She \
checked the log. No vessel was within forty miles.

He called every night after that, always at a quarter past two. He never gave a name. She took to leaving the kettle \
on. They talked about the weather, about football, about a girl he had left in Leith in, as he put it, the year of the \
short war. She looked it up. She wished she had not.

In March they automated the light. On her last night she waited, and the radio stayed silent until dawn. When she \
packed her bag she found, on the back of the log, in a hand that was not hers, one line: "Gone off shift. Much \
obliged."
""",
    """灯塔班次

没有人在鹤角的夜班上持续很长时间。薪水体面，工作是光，而这个地方，温和地说，是关着的。伊内斯接受了它，因为她坏了，也因为她不相信有鬼。

第一个星期死一般的安静。她读书，泡茶，砍伐船只。第八个晚上，收音机噼啪作响，一个男人的声音问时间。“两点五十，”她说。“谢谢，”那个声音说。“我一直在失去轨道。”她查了日志。十四英里内没有船只。

从那以后，他每晚都打电话来，总是在两点一刻。他从未给出名字。她习惯了把水壶留着。他们谈论天气，谈论橄榄球，谈论他在Leith留下的一个女孩，正如他所说，在短暂战争的那一年。她抬头看了看。她希望自己没有。窗外开始下雪。

三月，他们把灯自动化了。最后一晚她等待着，无线电一直沉默到天亮。收拾行李时，她在航海日记的背面发现了一行字，出自一只不是她的手：“下班了。非常有义务。”
""",
    "en-zh",
)

ELEVENTH = [
    on(
        VERDICT,
        "verdict-01",
        "租期七日错译为seven weeks，时间相差甚大。",
        source=["租期七日"],
        translation=["seven weeks"],
    ),
    on(
        VERDICT,
        "verdict-02",
        "被告在全文中分别译成defendant、respondent和accused，三个词的法律含义各不相同，accused更是刑事被告，民事判决中不可混用。",
        source=["被告@1", "被告@3", "被告@4"],
        translation=["defendant@1", "respondent", "accused"],
        allowed=[
            "被告",
            "被告@2",
            "被告@5",
            "被告@6",
            "被告@7",
            "defendant",
            "defendant@2",
            "defendant@3",
            "defendant@4",
        ],
        category="词汇一致性",
    ),
    on(
        VERDICT,
        "verdict-03",
        "'fixed loss order' for 定损单 makes no sense; a 'damage assessment report' is meant. Later in the text the same term is simply left in Chinese.",
        source=["定损单@1"],
        translation=["fixed loss order"],
        allowed=["定损单@2", "定损单"],
    ),
    on(
        VERDICT,
        "verdict-04",
        "The 定损单 submitted by the defendant里直接出现了汉字“定损单”，属漏翻。",
        source=["定损单@2"],
        translation=["定损单"],
        allowed=["The 定损单 submitted by the defendant", "定损单@1"],
        category="未译",
    ),
    on(
        VERDICT,
        "verdict-05",
        "承租人（lessee）译成了lessor（出租人），责任主体颠倒。",
        source=["承租人"],
        translation=["lessor"],
    ),
    on(
        VERDICT,
        "verdict-06",
        "扣除金额1500元写作15,000 yuan，多了一位。末段的1,500 yuan倒是对的。",
        source=["1500元@1"],
        translation=["15,000 yuan"],
        allowed=["1,500 yuan", "1500元@2"],
    ),
    on(
        VERDICT,
        "verdict-07",
        "‘近一个月’→‘nearly one year’，时间单位错误。",
        source=["近一个月"],
        translation=["nearly one year"],
    ),
    on(
        VERDICT,
        "verdict-08",
        "“格式条款”的规范英译是standard terms，format clause系生造。",
        source=["格式条款"],
        translation=["format clause"],
    ),
    on(
        VERDICT,
        "verdict-09",
        'The costs order is reversed: 由被告负担 means the defendant pays, whereas the translation says "borne by the plaintiff".',
        source=["由被告负担"],
        translation=["borne by the plaintiff"],
    ),
    on(
        VERDICT,
        "verdict-10",
        "法院怎么会说“The court is deeply sorry about this”？纯属译者虚构。",
        translation=["The court is deeply sorry about this"],
        category="增译",
    ),
    on(
        VERDICT,
        "verdict-11",
        "判项一漏了“本判决生效之日起”，within ten days的起算点不明。",
        source=["本判决生效之日起"],
        translation=["within ten days"],
        category="漏译",
    ),
    on(
        VERDICT,
        "verdict-12",
        "negotiated many times without fruit搭配怪异，fruitlessly才说得通；原文不过是“多次交涉未果”。",
        source=["多次交涉未果"],
        translation=["negotiated many times without fruit"],
    ),
    on(
        GHOST,
        "ghost-01",
        "light在这里是“轻松”，竟译成“工作是光，简直是机器翻译的水平。",
        source=["light"],
        translation=["工作是光"],
        allowed=["the work was light"],
    ),
    on(
        GHOST,
        "ghost-02",
        "'off' here means strange, slightly wrong. 是关着的 treats it as the opposite of 'on'.",
        source=["off"],
        translation=["是关着的"],
    ),
    on(
        GHOST,
        "ghost-03",
        "she was broke译作“她坏了”，应为“身无分文”。",
        source=["she was broke"],
        translation=["她坏了"],
    ),
    on(
        GHOST,
        "ghost-04",
        "logged the ships（登记船只）→ 砍伐船只，log的动词义选错。",
        source=["logged the ships"],
        translation=["砍伐船只"],
    ),
    on(
        GHOST,
        "ghost-05",
        "时间前后矛盾：“Two fifteen”译为“两点五十”，下一段的a quarter past two却是“两点一刻”（这处没错）。",
        source=["Two fifteen"],
        translation=["两点五十"],
        allowed=["a quarter past two", "两点一刻"],
    ),
    on(
        GHOST,
        "ghost-06",
        '"I keep losing track" (of time) has come out as 我一直在失去轨道, as though he were a train.',
        source=["I keep losing track"],
        translation=["我一直在失去轨道"],
    ),
    on(
        GHOST,
        "ghost-07",
        "within forty miles译为“十四英里内”，四十与十四看串了。",
        source=["within forty miles"],
        translation=["十四英里内"],
    ),
    on(
        GHOST,
        "ghost-08",
        "The log is called 日志 at first and 航海日记 at the end; readers may think there are two books.",
        source=["the log@1", "the log@2"],
        translation=["日志", "航海日记"],
        allowed=["log", "logged", "the log", "log@2", "log@3", "She checked the log"],
        category="inconsistent_terminology",
    ),
    on(
        GHOST,
        "ghost-09",
        "football在英国指足球，译“橄榄球”不对；故事发生在苏格兰附近，从Leith可知。",
        source=["football"],
        translation=["橄榄球"],
        allowed=["Leith"],
    ),
    on(
        GHOST,
        "ghost-10",
        "地名Leith未译，可作“利斯”。",
        source=["Leith"],
        translation=["Leith"],
        category="未译",
    ),
    on(
        GHOST,
        "ghost-11",
        "“She looked it up”是去查资料，“她抬头看了看”把短语动词拆开了。",
        source=["She looked it up"],
        translation=["她抬头看了看"],
    ),
    on(
        GHOST,
        "ghost-12",
        "hand意为字迹，“出自一只不是她的手”读来惊悚——虽是鬼故事，也不该如此；“Much obliged”译“非常有义务”更是硬伤，不过是“多谢”。",
        source=["hand", "Much obliged"],
        translation=["出自一只不是她的手", "非常有义务"],
        allowed=["in a hand that was not hers"],
    ),
]

ORCHARD = prepare(
    """苹果熟了，卖给谁？

十月的洛川，漫山遍野都是红苹果。种了三十年果树的老党却高兴不起来：今年雨水多，果面有锈斑，收购商压价压得厉害，一斤只给两块二。

往年这个时候，客商的大车能从村口排到镇上。今年倒好，门可罗雀。村支书王芳急得嘴上起泡，带着几个年轻人支起手机搞直播。头一场没经验，对着镜头干巴巴地念稿子，两个小时只卖出七单。

第二场，王芳豁出去了，把直播间搬到果园里，现摘现切，咔嚓一口，汁水四溅。她不说普通话，一口陕北腔：“额们的苹果，丑是丑了点，甜得很！”没想到这句话火了，“丑苹果”成了网红，三天卖了一万两千斤。

镇上趁热打铁，请来农技专家教果农套袋防锈，又建了两座冷库。老党算了一笔账：错峰销售，一斤能多卖八毛。“靠天吃饭的日子，该翻篇了。”他说。
""",
    """The Apples Are Ripe. Who Will Buy Them?

In October in Luochuan, red apples are all over the mountains and plains. Old Party, who has grown fruit trees for \
thirty years, is not happy: there has been much rain this year, the skins have rust spots, and buyers are pressing the \
price hard, giving only 2.2 yuan a kilo.

In previous years at this time, the merchants' big cars could line up from the village entrance to the town. This year \
is better: you could catch sparrows at the door. Wang Fang, the village secretary, was so anxious that her mouth \
bubbled, and she set up mobile phones with several young people to do live broadcasting. In the first session, they had \
no experience and dryly read the manuscript to the camera, selling only seven orders in twelve hours.

In the second session Wang Fang went all out, moved the live room to the orchard, and picked and cut on the spot; one \
crunchy bite and the juice splashed. She did not speak Mandarin but a northern Shaanxi cavity: "额们 apples are a bit \
ugly, but very sweet!" Unexpectedly this sentence was on fire, the "ugly apple" became a net red, and 12,000 jin were \
sold in three days. Customers left nothing but praise.

The town struck while the iron was hot, invited agricultural experts to teach growers to put on bags against rust, and \
built two cold storehouses. Old Party did the sums: by selling off-peak he could get eight cents more per jin. "The \
days of eating by the sky should be turned over," he said.
""",
    "zh-en",
)

KEYNOTE = prepare(
    """Commencement Remarks

Graduates, parents, faculty: good morning. I was asked to keep this short, which is like asking a Labrador to keep off \
the couch. I will do my best.

Four years ago I flunked out of this very university. My transcript looked like an alphabet with the good letters \
missing. I went home, moved into my mother's basement and took a job at a car wash. I was, as the kids say, living the \
dream.

What turned me around was a customer, a retired machinist named Earl. He drove a mint 1964 Impala and tipped in \
quarters. One day he said: "Son, you wash this car like you own it. Why don't you live like that?" I rolled my eyes. \
Then I went home and could not sleep.

So here is my advice, and it is worth every penny you paid for it. Sweat the small stuff. Show up. Call your mother. \
And when someone sees something in you, take their word for it. I am proud to say that Earl is here today, in the \
third row, and no, he still will not let me drive the car.
""",
    """毕业典礼致辞

各位毕业生、家长、老师：早上好。有人要求我说得简短些，这就像要求一只拉布拉多离开沙发。我会尽力的。

四十年前，我从这所大学晕倒了出去。我的抄本看起来像缺了好字母的字母表。我回到家，搬进母亲的地下室，在洗车店找了份工作。正如孩子们所说，我活在梦里。

让我转过身来的是一位顾客，一位名叫Earl的退休机械师。他开着一辆薄荷色的1964年Impala，用四分之一给小费。有一天他说：“儿子，你洗这辆车就像你拥有它一样。为什么你不那样活着呢？”我滚动了我的眼睛。然后我回家，睡不着觉。他改变了我的一生。

所以这是我的建议，它值得你付的每一分钱。为小东西流汗。露面。打电话给你妈妈。当有人在你身上看到什么时，就拿走他们的话。我很自豪地说，厄尔今天在这里，在第三排，而且不，他仍然不让我开那辆车。
""",
    "en-zh",
)

TWELFTH = [
    on(
        ORCHARD,
        "orchard-01",
        "“老党”是姓党的老汉，Old Party会被看成“老党派”，应作Lao Dang。",
        source=["老党@1"],
        translation=["Old Party@1"],
        allowed=["老党@2", "Old Party@2"],
    ),
    on(
        ORCHARD,
        "orchard-02",
        "The unit is wrong: 一斤 is half a kilo, so '2.2 yuan a kilo' halves the price again.",
        source=["一斤@1"],
        translation=["2.2 yuan a kilo"],
        allowed=["一斤只给两块二"],
    ),
    on(
        ORCHARD,
        "orchard-03",
        "门可罗雀本指门前冷落，译文you could catch sparrows at the door虽是字面，前面却接了This year is better，把反语“今年倒好”译成了真好。",
        source=["门可罗雀", "今年倒好"],
        translation=["you could catch sparrows at the door", "This year is better"],
    ),
    on(
        ORCHARD,
        "orchard-04",
        "'her mouth bubbled' — 嘴上起泡 refers to blisters on the lips from anxiety.",
        source=["嘴上起泡"],
        translation=["her mouth bubbled"],
    ),
    on(
        ORCHARD,
        "orchard-05",
        "两个小时译成twelve hours，直播时长被放大六倍。",
        source=["两个小时"],
        translation=["twelve hours"],
    ),
    on(
        ORCHARD,
        "orchard-06",
        "“陕北腔”的“腔”是口音，northern Shaanxi cavity成了“陕北的空腔”。",
        source=["陕北腔"],
        translation=["northern Shaanxi cavity"],
        allowed=["腔"],
    ),
    on(
        ORCHARD,
        "orchard-07",
        "引语里的方言词“额们”照搬汉字，英语读者读到额们 apples只会一头雾水。",
        source=["额们"],
        translation=["额们"],
        allowed=["额们 apples"],
        category="未译",
    ),
    on(
        ORCHARD,
        "orchard-08",
        "“火了”译成was on fire，“网红”译成a net red，都是机翻式硬译，前者可改went viral，后者可改internet sensation。",
        source=["火了", "网红"],
        translation=["was on fire", "a net red"],
    ),
    on(
        ORCHARD,
        "orchard-09",
        "'Customers left nothing but praise' has no basis in the source.",
        translation=["Customers left nothing but praise"],
        category="addition",
    ),
    on(
        ORCHARD,
        "orchard-10",
        "八毛不是eight cents——一毛等于十分，应当是eight jiao或0.8 yuan。",
        source=["八毛"],
        translation=["eight cents"],
    ),
    on(
        ORCHARD,
        "orchard-11",
        "“靠天吃饭”译为eating by the sky不知所云；“该翻篇了”译为should be turned over，主语是days，更显怪异。而struck while the iron was hot对“趁热打铁”，天造地设。",
        source=["靠天吃饭", "该翻篇了"],
        translation=["eating by the sky", "should be turned over"],
        allowed=["struck while the iron was hot", "趁热打铁"],
    ),
    on(
        ORCHARD,
        "orchard-12",
        "“大车”当作big cars，指的其实是大卡车。",
        source=["大车"],
        translation=["big cars"],
    ),
    on(
        KEYNOTE,
        "keynote-01",
        "Four years ago译成“四十年前”，演讲者一下老了几十岁。",
        source=["Four years ago"],
        translation=["四十年前"],
    ),
    on(
        KEYNOTE,
        "keynote-02",
        "'flunked out' has nothing to do with fainting; 晕倒了出去 is nonsense.",
        source=["flunked out"],
        translation=["晕倒了出去"],
    ),
    on(
        KEYNOTE,
        "keynote-03",
        "transcript是成绩单，这里写作“抄本，不对。",
        source=["transcript"],
        translation=["抄本"],
    ),
    on(
        KEYNOTE,
        "keynote-04",
        "living the dream是反话，说自己混得很惨，译成“我活在梦里”完全没有这层自嘲。",
        source=["living the dream"],
        translation=["我活在梦里"],
        category="情感色彩",
    ),
    on(
        KEYNOTE,
        "keynote-05",
        "turned me around（使我浪子回头）给译成了“让我转过身来”，动作化了。",
        source=["turned me around"],
        translation=["让我转过身来"],
    ),
    on(
        KEYNOTE,
        "keynote-06",
        "人名Earl前面保留英文，末段又译“厄尔”，前后不统一。",
        source=["Earl@1", "Earl@2"],
        translation=["Earl", "厄尔"],
        category="词汇一致性",
    ),
    on(
        KEYNOTE,
        "keynote-07",
        "mint这里是“崭新如初”，可不是“薄荷色”；同一句“四分之一”也错了，quarters指25美分的硬币。",
        source=["mint", "quarters"],
        translation=["薄荷色", "四分之一"],
        allowed=["薄荷色的"],
    ),
    on(
        KEYNOTE,
        "keynote-08",
        '"Son" is just a friendly form of address from an older man; 儿子 makes Earl his father. 小伙子 is what a Chinese Earl would say.',
        source=["Son"],
        translation=["儿子"],
    ),
    on(
        KEYNOTE,
        "keynote-09",
        "I rolled my eyes→我滚动了我的眼睛，好像在做眼保健操，一般说“翻了个白眼”。",
        source=["I rolled my eyes"],
        translation=["我滚动了我的眼睛"],
    ),
    on(
        KEYNOTE,
        "keynote-10",
        "“他改变了我的一生。”这一句属于蛇足，原文到could not sleep打住。",
        translation=["他改变了我的一生。"],
        allowed=["could not sleep"],
        category="增译",
    ),
    on(
        KEYNOTE,
        "keynote-11",
        "The advice section is a string of literalisms: “为小东西流汗” for 'Sweat the small stuff', “拿走他们的话” for 'take their word for it'. “打电话给你妈妈” is fine.",
        source=["Sweat the small stuff", "take their word for it"],
        translation=["为小东西流汗", "拿走他们的话"],
        allowed=["打电话给你妈妈"],
    ),
    on(
        KEYNOTE,
        "keynote-12",
        "句末and no译成“而且不”，这个no是料到听众要问而先作的回答，译“你们别问了”之类才传神。",
        source=["and no"],
        translation=["而且不"],
        allowed=["no"],
    ),
]

SATELLITE = prepare(
    """给地球拍“证件照”的卫星

“天眼三号”昨日升空，这是我国首颗分辨率达到0.3米的民用遥感卫星。通俗地说，它在五百公里高空能看清地面上的斑马线。总设计师沈岚介绍，卫星设计寿命八年，每天绕地球飞行十五圈。

遥感卫星不只会拍照。去年黄河凌汛期间，它的“哥哥”天眼二号每隔六小时传回一次冰情，为抢险争取了宝贵时间。农业部门用它估产，保险公司用它查勘灾损，连考古队也来凑热闹。

有网友担心隐私被“偷窥”。沈岚笑着说，0.3米的分辨率只能看出路上有辆车，看不清车牌，更认不出人脸，大可不必杞人忧天。

下一步，团队计划组网。到2030年，将有三十六颗卫星在轨运行，届时全球任意地点的重访周期将缩短到半小时以内。“好戏还在后头。”沈岚说。
""",
    """The Satellite That Takes "Certificate Photos" of the Earth

"Sky Eye-3" lifted off yesterday. It is the country's first civilian remote sensing satellite with a resolution of 0.3 \
metres. In vulgar terms, it can see zebra crossings on the ground from an altitude of 500 miles. Chief designer Shen \
Lan said that the satellite has a design life of eighteen years and circles the Earth fifteen times a day.

Remote control satellites can do more than take pictures. During the ice flood season of the Yellow River last year, \
its "brother" Skyeye-2 sent back the ice situation every six hours, winning precious time for rescue. Agricultural \
departments use it to estimate production, insurance companies use it to survey disaster losses, and even archaeological \
teams come to join the hot noise. Everyone speaks highly of it.

Some netizens worry that their privacy will be "peeped". Shen Lan said with a smile that a resolution of 0.3 metres can \
only tell that there is a car on the road, and can see the licence plate clearly, let alone recognise faces; there is \
no need for 杞人忧天.

Next, the team plans to form a network. By 2030, thirty-six satellites will be in orbit, and the revisit period of any \
place in the world will be shortened to less than half a day. "The good play is still behind," said Shen Lan.
""",
    "zh-en",
)

DIVORCE = prepare(
    """Dear Agony Aunt

My husband of sixteen years has taken up the bagpipes. He practices in the garage from six to eight every evening, and \
the neighbors have stopped speaking to us. When I asked him to cut it out, he hit the roof. Am I being a wet blanket?

Drowning in Dundee

Dear Drowning, You are not a wet blanket; you are a saint. Still, before you throw in the towel, hear me out. A man who \
takes up the bagpipes at fifty is not out to get you. He is looking for something that is his own.

Strike a deal. He gets three evenings a week and moves the rehearsals to the church hall, which can be had for a song. \
In return you go to his first recital, sit in the front row and clap until your hands hurt. Put it in writing if you \
must.

And do something about the neighbors. A cake will go a long way. If all else fails, remember what my mother used to \
say: you cannot change the wind, but you can buy good earplugs. Chin up.
""",
    """亲爱的痛苦阿姨

我结婚六十年的丈夫开始学风笛。他每天晚上六点到八点在车库练习，邻居们已经不跟我们说话了。当我要求他剪掉时，他撞到了屋顶。我是一条湿毯子吗？

邓迪的溺水者

亲爱的溺水者：你不是扫兴鬼，你是圣人。不过，在你扔毛巾之前，听我说完。一个五十岁开始学风笛的男人并不是要出去接你。他在寻找属于自己的东西。

罢工一笔交易。他每周有三个晚上，并把排练搬到教堂大厅，那里可以为了一首歌而得到。作为回报，你去听他的第一次独奏会，坐在前排，鼓掌到手疼。如果有必要，写下来。

还要对邻居做点什么。一块蛋糕会走很长的路。如果一切都失败了，记住我母亲常说的话：你不能改变风，但你可以买好的earplugs。下巴向上。祝你们幸福。
""",
    "en-zh",
)

THIRTEENTH = [
    on(
        SATELLITE,
        "satellite-01",
        "“天眼三号”译Sky Eye-3，下文的天眼二号却写成Skyeye-2，同一系列两种拼法。",
        source=["天眼三号", "天眼二号"],
        translation=["Sky Eye-3", "Skyeye-2"],
        category="词汇一致性",
    ),
    on(
        SATELLITE,
        "satellite-02",
        "'In vulgar terms' is unfortunate: 通俗地说 is simply 'put simply'.",
        source=["通俗地说"],
        translation=["In vulgar terms"],
    ),
    on(
        SATELLITE,
        "satellite-03",
        "轨道高度搞错单位，五百公里变成500 miles。",
        source=["五百公里"],
        translation=["500 miles"],
    ),
    on(
        SATELLITE,
        "satellite-04",
        "设计寿命原为八年，译文多出十年（eighteen years）。",
        source=["八年"],
        translation=["eighteen years"],
        allowed=["设计寿命八年"],
    ),
    on(
        SATELLITE,
        "satellite-05",
        "遥感（remote sensing）在第三段被误作Remote control，那是“遥控”。首段的remote sensing satellite无误。",
        source=["遥感@2"],
        translation=["Remote control"],
        allowed=["remote sensing satellite", "remote sensing", "遥感@1", "遥感卫星@1", "遥感卫星@2"],
    ),
    on(
        SATELLITE,
        "satellite-06",
        "“凑热闹”译为join the hot noise，词典式拼凑，get in on the act更妙。",
        source=["凑热闹"],
        translation=["join the hot noise"],
    ),
    on(
        SATELLITE,
        "satellite-07",
        'Sense inverted: 看不清车牌 means the plate is NOT legible, while the English has "can see the licence plate clearly".',
        source=["看不清车牌"],
        translation=["can see the licence plate clearly"],
    ),
    on(
        SATELLITE,
        "satellite-08",
        "成语“杞人忧天”未做翻译，整个以汉字塞进句尾（there is no need for 杞人忧天）。",
        source=["杞人忧天"],
        translation=["杞人忧天"],
        allowed=["there is no need for 杞人忧天"],
        category="未译",
    ),
    on(
        SATELLITE,
        "satellite-09",
        "“半小时以内”与less than half a day相差悬殊。",
        source=["半小时以内"],
        translation=["less than half a day"],
    ),
    on(
        SATELLITE,
        "satellite-10",
        "“Everyone speaks highly of it”属于译者的发挥，“凑热闹”之后原文即分段。",
        translation=["Everyone speaks highly of it"],
        allowed=["凑热闹"],
        category="增译",
    ),
    on(
        SATELLITE,
        "satellite-11",
        "“好戏还在后头”不能理解成戏在后面，The good play is still behind恰恰暗示精彩已过，the best is yet to come才是原意。",
        source=["好戏还在后头"],
        translation=["The good play is still behind"],
    ),
    on(
        SATELLITE,
        "satellite-12",
        "标题里的“证件照”译作Certificate Photos不合英语习惯，ID photo即可；引号保留得当。",
        source=["证件照"],
        translation=["Certificate Photos"],
    ),
    on(
        DIVORCE,
        "divorce-01",
        "sixteen years错成“六十年”，结婚六十年的人怎么会五十岁？",
        source=["sixteen years"],
        translation=["六十年"],
        allowed=["五十岁"],
    ),
    on(
        DIVORCE,
        "divorce-02",
        "An agony aunt is an advice columnist; 痛苦阿姨 would make any Chinese reader laugh.",
        source=["Agony Aunt"],
        translation=["痛苦阿姨"],
    ),
    on(
        DIVORCE,
        "divorce-03",
        "wet blanket第一次直译“湿毯子”，第二次又意译“扫兴鬼”，后者可取，前者读者看不懂。",
        source=["wet blanket@1", "wet blanket@2"],
        translation=["湿毯子", "扫兴鬼"],
        category="词汇一致性",
    ),
    on(
        DIVORCE,
        "divorce-04",
        "hit the roof是大发雷霆，不是真的“撞到了屋顶”。",
        source=["hit the roof"],
        translation=["撞到了屋顶"],
    ),
    on(
        DIVORCE,
        "divorce-05",
        "“throw in the towel”→“扔毛巾，拳击典故没有化开，应译“认输”或“放弃”。",
        source=["throw in the towel"],
        translation=["扔毛巾"],
    ),
    on(
        DIVORCE,
        "divorce-06",
        "'out to get you' = trying to harm you. The target text makes it 出去接你, i.e. going out to pick you up.",
        source=["out to get you"],
        translation=["出去接你"],
    ),
    on(
        DIVORCE,
        "divorce-07",
        "Strike在strike a deal里是“达成”，译者取了“罢工”义，于是有了“罢工一笔交易”这种句子。",
        source=["Strike"],
        translation=["罢工一笔交易"],
        allowed=["Strike a deal", "罢工"],
    ),
    on(
        DIVORCE,
        "divorce-08",
        "for a song是“很便宜”，“为了一首歌而得到”错得可笑。",
        source=["for a song"],
        translation=["为了一首歌而得到"],
    ),
    on(
        DIVORCE,
        "divorce-09",
        "earplugs是普通名词，没有理由不译。",
        source=["earplugs"],
        translation=["earplugs"],
        category="未译",
    ),
    on(
        DIVORCE,
        "divorce-10",
        "“下巴向上”（Chin up）是身体部位的字面翻译，意思是“打起精神”。",
        source=["Chin up"],
        translation=["下巴向上"],
    ),
    on(
        DIVORCE,
        "divorce-11",
        "文末多出“祝你们幸福”，原文以Chin up收笔。",
        translation=["祝你们幸福"],
        allowed=["Chin up"],
        category="增译",
    ),
    on(
        DIVORCE,
        "divorce-12",
        '"A cake will go a long way" is about being helpful. As translated, "一块蛋糕会走很长的路", the cake seems to have legs.',
        source=["A cake will go a long way"],
        translation=["一块蛋糕会走很长的路"],
    ),
]

METRO = prepare(
    """末班地铁

零点二十分，末班地铁驶出人民广场站。站务员小秦锁好闸机，开始清点遗失物：三把雨伞、一只保温杯、半袋没吃完的糖炒栗子。他在这条线上干了九年，见惯了醉汉和加班族。

“最怕的是有人睡过站。”他说。一次，一个姑娘抱着电脑坐在站台上哭，说方案被甲方毙了。小秦不会安慰人，递过去一瓶水，陪她等到了出租车。后来姑娘寄来一面锦旗，上书“雪中送炭”。

夜里两点到四点，是检修的“天窗”时间。三十多个工人下到轨行区，用锤子敲，用耳朵听，一毫米的裂纹也不放过。天亮前，他们像潮水一样退去，仿佛从没来过。
""",
    """The Last Subway

At twenty past twelve, the last subway pulled out of People's Square Station. Station attendant Xiao Qin locked the \
gates and began to count the lost items: three umbrellas, a thermos and half a bag of sugar-fried chestnuts. He has \
worked on this line for nineteen years and is used to drunk men and overtime families.

"What I fear most is people sleeping through the station," he said. Once, a girl sat crying on the platform with her \
computer, saying that her plan had been shot dead by Party A. Xiao Qin could not comfort people; he handed her a bottle \
of water and waited with her until a taxi came. Later the girl sent a 锦旗 which read "send charcoal in the snow".

From two to four at night is the "skylight" time for maintenance. More than thirty workers go down to the track area, \
knock with hammers and listen with ears, and will not let go of a crack of one centimetre. Before dawn they retreat \
like the tide, as if they had never come. They are the heroes of the city.
""",
    "zh-en",
)

PLUMBER = prepare(
    """Notes from a Plumber

I have been unclogging other people's drains since 1987, and I can tell you that every house keeps a secret in its \
pipes. Wedding rings are common. So are toy soldiers. Once I snaked a toilet and brought up a set of false teeth that \
nobody would own to.

The trade is dying out. Kids would rather code than crawl, and I don't blame them. A good plumber makes six figures, \
but his knees go first. My apprentice, Dee, is a keeper: she listens to a pipe before she touches it.

People think the job is about water. It is about pressure. Let it build up and something gives, usually at 3 a.m. on a \
holiday weekend. My rate doubles after midnight. I sleep like a log.
""",
    """一个水管工的笔记

我从1978年起就在疏通别人的下水道，我可以告诉你，每一所房子都在管道里藏着一个秘密。婚礼戒指很常见。玩具士兵也是。有一次我蛇了一个马桶，捞出了一副没人愿意拥有的假牙。

这个贸易正在消亡。孩子们宁愿写代码也不愿爬行，我不怪他们。一个好的水管工能赚六个数字，但他的膝盖先走。我的apprentice小迪是个守门员：她在碰管道之前先听。

人们认为这份工作与水有关。它与压力有关。让它建立起来，有些东西就会给予，通常是在假日周末的下午三点。午夜之后我的费率翻倍。我睡得像一根木头。生活就是如此。
""",
    "en-zh",
)

FOURTEENTH = [
    on(
        METRO,
        "metro-01",
        "工龄多算了十年，九年写成nineteen years。",
        source=["九年"],
        translation=["nineteen years"],
    ),
    on(
        METRO,
        "metro-02",
        "'overtime families' is a howler: the 族 in 加班族 means 'tribe' or 'set', so 'people working late' is all we need.",
        source=["加班族"],
        translation=["overtime families"],
    ),
    on(
        METRO,
        "metro-03",
        "“毙了”指方案被否决，shot dead成了枪毙；“甲方”按合同术语译Party A也令人费解，不如the client。",
        source=["毙了", "甲方"],
        translation=["shot dead", "Party A"],
    ),
    on(
        METRO,
        "metro-04",
        "锦旗二字原样留在译文里，没有解释，可译为silk banner。",
        source=["锦旗"],
        translation=["锦旗"],
        category="未译",
    ),
    on(
        METRO,
        "metro-05",
        "The inscription 雪中送炭 is put as 'send charcoal in the snow', which no English reader will connect with timely help.",
        source=["雪中送炭"],
        translation=["send charcoal in the snow"],
    ),
    on(
        METRO,
        "metro-06",
        "“一毫米的裂纹”被放大成a crack of one centimetre，精度差十倍。",
        source=["一毫米的裂纹"],
        translation=["a crack of one centimetre"],
    ),
    on(
        METRO,
        "metro-07",
        "漏译“没吃完的”：半袋没吃完的糖炒栗子只剩half a bag of sugar-fried chestnuts。",
        source=["没吃完的"],
        translation=["half a bag of sugar-fried chestnuts"],
        allowed=["半袋没吃完的糖炒栗子"],
        category="漏译",
    ),
    on(
        METRO,
        "metro-08",
        "结句“They are the heroes of the city”拔高主题，原文没有这样的评论。",
        translation=["They are the heroes of the city"],
        category="增译",
    ),
    on(
        PLUMBER,
        "plumber-01",
        "年份误植：1987→1978。",
        source=["1987"],
        translation=["1978"],
    ),
    on(
        PLUMBER,
        "plumber-02",
        "snaked用作动词指用疏通弹簧捅，译文竟说“我蛇了一个马桶，中文没有这种用法。",
        source=["snaked"],
        translation=["我蛇了一个马桶"],
    ),
    on(
        PLUMBER,
        "plumber-03",
        "trade此处是“行当”，译作“贸易”就成了做买卖。",
        source=["trade"],
        translation=["贸易"],
    ),
    on(
        PLUMBER,
        "plumber-04",
        "'a keeper' is someone worth keeping. 守门员 turns Dee into a goalkeeper!",
        source=["a keeper"],
        translation=["守门员"],
    ),
    on(
        PLUMBER,
        "plumber-05",
        "3 a.m.错成了下午三点，凌晨与下午颠倒。",
        source=["3 a.m."],
        translation=["下午三点"],
    ),
    on(
        PLUMBER,
        "plumber-06",
        "apprentice漏翻，夹在中文里很刺眼；上文的“玩具士兵”都译了，没道理留这一个。",
        source=["apprentice"],
        translation=["apprentice"],
        allowed=["玩具士兵"],
        category="未译",
    ),
    on(
        PLUMBER,
        "plumber-07",
        "“something gives”里的gives是“撑不住、垮掉”，译成“有些东西就会给予”是典型的望文生义；I sleep like a log译“我睡得像一根木头”倒不算大毛病。",
        source=["something gives"],
        translation=["有些东西就会给予"],
        allowed=["I sleep like a log", "我睡得像一根木头"],
    ),
    on(
        PLUMBER,
        "plumber-08",
        '"生活就是如此" does not come from the author, who stops at "I sleep like a log".',
        translation=["生活就是如此"],
        allowed=["I sleep like a log"],
        category="addition",
    ),
]

BATCHES = (
    FIRST,
    SECOND,
    THIRD,
    FOURTH,
    FIFTH,
    SIXTH,
    SEVENTH,
    EIGHTH,
    NINTH,
    TENTH,
    ELEVENTH,
    TWELFTH,
    THIRTEENTH,
    FOURTEENTH,
)


@pytest.mark.parametrize(("pair", "case"), [case for batch in BATCHES for case in batch])
def test_lights_what_the_judge_means_and_nothing_else(pair, case):
    check(pair, case)
