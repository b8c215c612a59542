"""How judges phrase things, class by class, on two short pairs: what must be lit, what may be, and nothing else.

In a case, ``text@k`` means the k-th occurrence (from 1) of a string; without it the string occurs once.
"""

from dataclasses import dataclass, field

import pytest

from judges.grounding import Report, ground, prepare

TEA = prepare(
    """老茶馆

清晨的老茶馆里人声鼎沸，茶客们慢悠悠地喝着盖碗茶。掌柜的说，这里的规矩三十年没有变过。

说书先生一拍醒木，满堂顿时鸦雀无声。他讲的是三国故事，讲到妙处，茶客们拍案叫绝。

“人走茶凉”这句话，在这里行不通。熟客即使半年不来，他的茶碗也一直留着。掌柜的常说：“茶碗就是人情。”

如今年轻人更爱喝咖啡，老茶馆的生意不如从前。可掌柜的并不着急，他相信茶碗里的人情不会凉。据统计，2019年全市还有318家老茶馆。
""",
    """The Old Tea House

In the early morning the old tea house is boiling with voices, and the tea guests slowly drink covered bowl tea. \
The shopkeeper says the rules here have not changed for thirteen years.

The storyteller slaps his wake-up wood, and the whole hall is instantly silent as crows and sparrows. He tells \
stories of the Three Kingdoms, and when he reaches the wonderful place, the customers slap the table.

The saying "people go, tea cools" does not work here. Even if an old guest does not come for half a year, his tea \
bowl is always kept. The boss often says: "A tea bowl is human feelings."

Nowadays young people prefer coffee, and the business of the old teahouse is not as good as before. But the \
shopkeeper is not worried; he believes that the favor in the tea cup will not cool. It is a miracle. According to \
statistics, there were still 381 old tea houses in the city in 2019.
""",
    "zh-en",
)

LEDGER = prepare(
    """Ledger of the Sea

The harbour master kept a ledger in which every vessel that cleared the bar was entered by hand. He trusted paper \
more than he trusted people.

In the winter of 1911 the lighthouse went dark for three nights. No vessel was lost, but the insurers took a dim \
view of it, and the harbour board ordered an inquiry.

The inquiry found that the keeper had fallen ill. “He did his duty until he could no longer stand,” the surgeon \
testified. The board nevertheless dismissed him without notice.

Readers may find the verdict harsh. Yet the ledger records, in the same careful hand, a collection taken up for the \
keeper’s family; the board gave nothing. The GPS age has no use for such ledgers.
""",
    """海洋分类账

港务长保存着一本分类账，每一艘清理了沙洲的船只都用手工登记在里面。比起人，他更相信纸张。

1911年冬天，灯塔熄灭了三个晚上。没有船只失踪，但保险公司对此持暗淡的看法，港口委员会下令进行询问。

调查发现，看守人病倒了。“他尽职尽责，直到再也站不起来，”外科医生作证说。然而，董事会还是没有通知就把他解雇了。幸运的是，他后来找到了新工作。

读者可能会觉得判决很严厉。然而，账本用同样仔细的手记录了为看守人的家人募集的一笔捐款；委员会什么也没给。GPS时代不需要这样的ledger。
""",
    "en-zh",
)


@dataclass
class Case:
    name: str
    explanation: str
    source: list[str] = field(default_factory=list)
    translation: list[str] = field(default_factory=list)
    allowed: list[str] = field(default_factory=list)
    hint: str = ""
    category: str = "错译"


def tea(name: str, explanation: str, **more: object) -> object:
    return pytest.param(TEA, Case(name, explanation, **more), id=f"tea-{name}")  # type: ignore[arg-type]


def ledger(name: str, explanation: str, **more: object) -> object:
    return pytest.param(LEDGER, Case(name, explanation, **more), id=f"ledger-{name}")  # type: ignore[arg-type]


CASES = [
    # --- suggestions, in many wordings; each suggestion here also stands somewhere in the translation
    tea(
        "suggest-改为",
        "“茶客们”译为“the tea guests”不自然，改为“customers”即可。",
        source=["茶客们@1"],
        translation=["the tea guests"],
    ),
    tea(
        "suggest-object",
        "建议将“the tea guests”改为“the customers”，对应原文“茶客们慢悠悠地喝着盖碗茶”。",
        source=["茶客们慢悠悠地喝着盖碗茶"],
        translation=["the tea guests"],
    ),
    tea(
        "suggest-不如",
        "译文“the favor in the tea cup”中“favor”一词不如“human feelings”贴切。",
        translation=["favor"],
        allowed=["the favor in the tea cup"],
    ),
    tea(
        "suggest-作…更妥",
        "原文“茶碗里的人情”，译文作“the favor in the tea cup”，而“tea cup”作“tea bowl”更妥。",
        source=["茶碗里的人情"],
        translation=["the favor in the tea cup"],
    ),
    tea(
        "suggest-一般译",
        "“掌柜的”英文一般译作“boss”或“shopkeeper”，此处译文“The boss often says”与第一段不统一。",
        source=["掌柜的@2"],
        translation=["The boss often says"],
        allowed=["掌柜的", "boss"],
        category="词汇一致性",
    ),
    tea(
        "suggest-list",
        "“拍案叫绝”可译为“slap the table in delight”、“cry out in admiration”或“old guest”，译文“slap the table”只译出了动作。",
        source=["拍案叫绝"],
        translation=["slap the table"],
    ),
    tea(
        "suggest-更",
        "“人声鼎沸”译成“is boiling with voices”，更地道的表达是“not worried”之类。",
        source=["人声鼎沸"],
        translation=["is boiling with voices"],
    ),
    tea(
        "suggest-后置",
        "“醒木”译为“wake-up wood”，译者望文生义，译为“tea bowl”更为恰当。",
        source=["醒木"],
        translation=["wake-up wood"],
    ),
    tea(
        "suggest-bare",
        "“醒木”直译为 wake-up wood 不知所云，宜译为 coffee 一类的文化词加注。",
        source=["醒木"],
        translation=["wake-up wood"],
    ),
    tea(
        "suggest-english",
        'The phrase "人走茶凉" is rendered literally as "people go, tea cools"; it should be "out of sight, out of mind" or simply "half a year".',
        source=["人走茶凉"],
        translation=["people go, tea cools"],
    ),
    tea(
        "suggest-english-better",
        '"wonderful place" for "妙处" is a calque. "coffee" would be better.',
        source=["妙处"],
        translation=["wonderful place"],
    ),
    tea(
        "suggest-english-instead",
        'The translator wrote "thirteen years" instead of "half a year" for "三十年".',
        source=["三十年"],
        translation=["thirteen years"],
    ),
    ledger(
        "suggest-宜",
        "“took a dim view of it”译为“对此持暗淡的看法”，过于字面，宜译“判决很严厉”一类说法。",
        source=["took a dim view of it"],
        translation=["对此持暗淡的看法"],
    ),
    ledger(
        "suggest-统一",
        "“harbour board”译为“港口委员会”，下一段“board”却译为“董事会”，应统一为“委员会”。",
        source=["board@2"],
        translation=["港口委员会", "董事会"],
        allowed=["harbour board", "board@1", "board@2"],
        category="词汇一致性",
    ),
    ledger(
        "suggest-而非", "“inquiry”在此应译为“调查”而非“询问”。", source=["inquiry@1"], translation=["询问"], hint="3"
    ),
    ledger(
        "forbid",
        "“ledger”不可译为“分类账”，此处指港口日志。",
        source=["ledger@1"],
        translation=["分类账@2"],
        allowed=["分类账@1", "海洋分类账", "Ledger"],
        category="考点",
    ),
    # --- glosses
    tea(
        "gloss-意为",
        "“favor”意为“恩惠”，与原文“人情”所指的人情味不同。",
        source=["人情@2"],
        translation=["favor"],
        allowed=["人情@1"],
    ),
    tea(
        "gloss-即",
        "译文“thirteen years”即“十三年”，而原文是“三十年”。",
        source=["三十年"],
        translation=["thirteen years"],
    ),
    tea(
        "gloss-相当于",
        "“old guest”相当于“年老的客人”，原文“熟客”指常来的客人。",
        source=["熟客"],
        translation=["old guest"],
    ),
    tea(
        "gloss-读者以为",
        "译文“covered bowl tea”会让读者以为是“茶碗”盖着，“盖碗茶”是一种冲泡方式。",
        source=["盖碗茶"],
        translation=["covered bowl tea"],
    ),
    ledger(
        "gloss-指",
        "“cleared the bar”指“驶过沙洲”，译文“清理了沙洲”把船只说成了清淤船。",
        source=["cleared the bar"],
        translation=["清理了沙洲"],
    ),
    ledger(
        "gloss-bracket",
        "“without notice”（即“未提前通知”）译为“没有通知就”，法律上notice指预先通知。",
        source=["without notice"],
        translation=["没有通知就"],
        allowed=["notice"],
    ),
    ledger(
        "gloss-english",
        'Here "in the same careful hand" means "handwriting", but the translation says "同样仔细的手", i.e. a physical hand.',
        source=["in the same careful hand"],
        translation=["同样仔细的手"],
        allowed=["hand"],
    ),
    # --- fine as it is, comparison with what is right
    tea(
        "fine-distractor",
        "“三国故事”译为“stories of the Three Kingdoms”没有问题，但“妙处”译成“the wonderful place”不通。",
        source=["妙处"],
        translation=["the wonderful place"],
        allowed=["三国故事", "stories of the Three Kingdoms"],
    ),
    tea(
        "fine-without-marks",
        "茶客们在第一段译成tea guests，生硬；而第二段的customers是对的。",
        source=["茶客们@1"],
        translation=["tea guests"],
        allowed=["茶客们@2", "the tea guests"],
    ),
    tea(
        "fine-尚可",
        "“鸦雀无声”译出“silent”尚可，“as crows and sparrows”则令人费解。",
        source=["鸦雀无声"],
        translation=["as crows and sparrows"],
        allowed=["silent"],
    ),
    tea(
        "elsewhere-right",
        "标题“老茶馆”译为“The Old Tea House”，而末段译为“the old teahouse”，前后拼写不一致。",
        source=["老茶馆@1", "老茶馆@3"],
        translation=["The Old Tea House", "the old teahouse"],
        category="词汇一致性",
    ),
    tea(
        "elsewhere-compare",
        "“茶碗”在末段误译为“tea cup”，前文均译为“tea bowl”，是正确的。",
        source=["茶碗@3"],
        translation=["tea cup"],
        hint="5",
    ),
    tea(
        "elsewhere-参照",
        "末段“茶碗”译为“tea cup”有误，应参照上文“tea bowl”统一。",
        source=["茶碗@3"],
        translation=["tea cup"],
    ),
    ledger(
        "elsewhere-english",
        'In the last paragraph "board" is rendered "委员会", which is correct; the third paragraph\'s "董事会" is wrong for "The board nevertheless dismissed him".',
        source=["The board nevertheless dismissed him"],
        translation=["董事会"],
        allowed=["委员会@2", "board"],
    ),
    # --- omissions
    tea(
        "omit-inner",
        "原文“满堂顿时鸦雀无声”中的“满堂”没有译出。",
        source=["满堂"],
        allowed=["满堂顿时鸦雀无声"],
        category="漏译",
    ),
    tea(
        "omit-then",
        "译文“the customers slap the table”漏译“叫绝”，情绪没有传达。",
        source=["叫绝"],
        translation=["the customers slap the table"],
        category="漏译",
    ),
    tea(
        "omit-译文仅",
        "原文“慢悠悠地喝着盖碗茶”，译文仅有“drink covered bowl tea”，遗漏了“慢悠悠地”。",
        source=["慢悠悠地"],
        translation=["drink covered bowl tea"],
        allowed=["慢悠悠地喝着盖碗茶"],
        category="漏译",
    ),
    tea("omit-suggest", "“常说”的“常”未体现，应补出“often”。", source=["常说"], category="漏译"),
    ledger(
        "omit-target",
        "“every vessel that cleared the bar”译文漏掉了“都”字之外的限定，“was entered by hand”译作“都用手工登记在里面”。",
        source=["every vessel that cleared the bar", "was entered by hand"],
        translation=["都用手工登记在里面"],
        category="漏译",
    ),
    ledger(
        "omit-english",
        'The translation omits "nevertheless" from "The board nevertheless dismissed him without notice".',
        source=["nevertheless"],
        allowed=["The board nevertheless dismissed him without notice"],
        category="omission",
    ),
    ledger(
        "omit-english-dropped",
        "'careful' is dropped: '用同样的手' would be wrong in any case. The source reads 'in the same careful hand'.",
        source=["careful"],
        allowed=["in the same careful hand"],
        category="omission",
    ),
    # --- additions
    tea("add", "译文“It is a miracle.”为译者增添，原文并无此句。", translation=["It is a miracle."], category="增译"),
    tea(
        "add-原文没有",
        "原文没有“奇迹”的意思，译者凭空加了“It is a miracle”。",
        translation=["It is a miracle"],
        category="增译",
    ),
    ledger(
        "add-段尾",
        "段尾“幸运的是，他后来找到了新工作。”在原文中不存在，属于增译。",
        translation=["幸运的是，他后来找到了新工作。"],
        category="增译",
    ),
    ledger(
        "add-english",
        'The sentence "幸运的是，他后来找到了新工作" has no counterpart in the source and was added by the translator.',
        translation=["幸运的是，他后来找到了新工作"],
        category="addition",
    ),
    # --- untranslated
    ledger(
        "untranslated",
        "末句“不需要这样的ledger”中“ledger”未译，中英夹杂，应译为“账本”。",
        translation=["ledger"],
        allowed=["不需要这样的ledger", "ledgers", "ledger@2"],
        category="未译",
    ),
    ledger(
        "untranslated-fine-elsewhere",
        "第4段的“ledger”未译，而第1段译为“分类账”是对的。",
        translation=["ledger"],
        allowed=["ledgers", "ledger@2"],
        category="未译",
    ),
    ledger(
        "untranslated-bare",
        "译文最后直接保留英文ledger，没有翻译。",
        translation=["ledger"],
        allowed=["ledgers", "ledger@2"],
        category="未译",
    ),
    # --- places
    ledger(
        "place-首段",
        "第二段“ledger”译作“分类账”，与第五段“账本”不一致。",
        source=["ledger@1"],
        translation=["分类账@2", "账本@1"],
        allowed=["ledger@2"],
        category="词汇一致性",
    ),
    tea(
        "place-title",
        "标题“老茶馆”译为“The Old Tea House”，多了冠词。",
        source=["老茶馆@1"],
        translation=["The Old Tea House"],
    ),
    tea(
        "place-第三句",
        "第四段第三句“掌柜的”译为“The boss”，其他各处译为“shopkeeper”。",
        source=["掌柜的@2"],
        translation=["The boss"],
        allowed=["shopkeeper"],
    ),
    tea(
        "occurrence-hint",
        "“掌柜的”译为“shopkeeper”，偏离了茶馆的语境。",
        source=["掌柜的@3"],
        translation=["shopkeeper@2"],
        hint="5",
    ),
    tea(
        "occurrence-partner",
        "“他相信茶碗里的人情不会凉”一句，“人情”译为“favor”。",
        source=["人情@2"],
        translation=["favor"],
        allowed=["他相信茶碗里的人情不会凉"],
    ),
    # --- numbers
    tea("number", "数字错误：原文“318”家，译文误作“381”。", source=["318"], translation=["381"]),
    tea(
        "number-unit",
        "“三十年”译成了“thirteen years”，数字有误，应为“thirty years”。",
        source=["三十年"],
        translation=["thirteen years"],
    ),
    # --- quoting styles
    tea(
        "style-corner",
        "「鸦雀无声」译作「silent as crows and sparrows」，过于直译。",
        source=["鸦雀无声"],
        translation=["silent as crows and sparrows"],
    ),
    tea(
        "style-single",
        "原文‘人走茶凉’译为‘people go, tea cools’，丧失成语意味。",
        source=["人走茶凉"],
        translation=["people go, tea cools"],
    ),
    tea(
        "style-straight-single",
        "原文 '说书先生' 译为 'The storyteller'，尚欠'说书'的文化色彩。",
        source=["说书先生"],
        translation=["The storyteller"],
        allowed=["说书"],
    ),
    tea("style-wrong-way", "”醒木“译为”wake-up wood“，令人费解。", source=["醒木"], translation=["wake-up wood"]),
    tea("style-mixed", '“醒木"译为"wake-up wood”，令人费解。', source=["醒木"], translation=["wake-up wood"]),
    tea(
        "style-nested",
        "原文“掌柜的常说：‘茶碗就是人情。’”译为“The boss often says: ‘A tea bowl is human feelings.’”，后半句不通。",
        source=["掌柜的常说：“茶碗就是人情。”"],
        translation=['The boss often says: "A tea bowl is human feelings."'],
    ),
    tea(
        "style-fullwidth",
        "“２０１９年”与“in ２０１９”一致，但“还有３１８家老茶馆”误译为“there were still ３８１ old tea houses”。",
        source=["还有318家老茶馆"],
        translation=["there were still 381 old tea houses"],
        allowed=["2019年", "in 2019"],
    ),
    tea("style-markdown", "**“醒木”** 译为 **“wake-up wood”** 不当。", source=["醒木"], translation=["wake-up wood"]),
    tea(
        "style-label",
        "原文：满堂顿时鸦雀无声；译文：the whole hall is instantly silent as crows and sparrows。直译生硬。",
        source=["满堂顿时鸦雀无声"],
        translation=["the whole hall is instantly silent as crows and sparrows"],
    ),
    tea("style-unquoted", "将醒木译为wake-up wood，令人费解。", source=["醒木"], translation=["wake-up wood"]),
    ledger(
        "style-unquoted",
        "notice译为通知，不准确。见“without notice”。",
        source=["without notice"],
        translation=["通知"],
        allowed=["notice"],
    ),
    ledger(
        "style-slash",
        "“keeper / surgeon”分别译为“看守人 / 外科医生”，前者在此指灯塔看守。",
        source=["keeper@1", "surgeon"],
        translation=["看守人@1", "外科医生"],
        hint="4",
    ),
    ledger(
        "style-apostrophe",
        "'the keeper's family' 译为 '看守人的家人' 尚可，但 'a collection taken up' 译为 '募集的一笔捐款' 语序欠妥。",
        source=["a collection taken up"],
        translation=["募集的一笔捐款"],
        allowed=["keeper’s family", "the\nkeeper’s family", "看守人的家人"],
    ),
    # --- ellipsis, misquotes, inventions
    tea(
        "ellipsis",
        "“The shopkeeper says … have not changed for thirteen years”语气平淡。",
        translation=["The shopkeeper says the rules here have not changed for thirteen years"],
        category="风格",
    ),
    tea(
        "ellipsis-dots",
        "“熟客即使……一直留着”译为“Even if an old guest...is always kept”，主语不清。",
        source=["熟客即使半年不来，他的茶碗也一直留着"],
        translation=["Even if an old guest does not come for half a year, his tea bowl is always kept"],
    ),
    ledger(
        "ellipsis-chinese",
        "“港务长……用手工登记在里面”一句冗长，拗口。",
        translation=["港务长保存着一本分类账，每一艘清理了沙洲的船只都用手工登记在里面"],
        category="语言流畅度",
    ),
    tea(
        "misquote",
        "“The customers slapped the tables”动作生硬。",
        translation=["the customers slap the table"],
        category="语言流畅度",
    ),
    ledger(
        "misquote",
        "译文“保险公司对此事持暗淡看法”照搬英文。",
        translation=["保险公司对此持暗淡的看法"],
        category="语言流畅度",
    ),
    tea("invented", "译文将“曲高和寡”误译为“too lofty to be popular”，应为“highbrow”。"),
    ledger("invented", "原文“the captain was hanged at dawn”译为“船长在黎明被处以绞刑”，与史实不符。"),
    tea("nothing-quoted", "译文整体语气平淡，丧失了原文的市井气息，读来像说明书。", category="风格"),
    # --- English prose, zh-en and en-zh
    tea(
        "english-bare-chinese",
        'The idiom 鸦雀无声 is translated word for word ("silent as crows and sparrows"), which is meaningless in English.',
        source=["鸦雀无声"],
        translation=["silent as crows and sparrows"],
    ),
    ledger(
        "english-source-first",
        'Mistranslation: source "took a dim view of it" vs. target "持暗淡的看法". Suggested: "对此颇为不满".',
        source=["took a dim view of it"],
        translation=["持暗淡的看法"],
    ),
    ledger(
        "english-rather",
        '"entered by hand" should read "手写登记" rather than "手工登记".',
        source=["entered by hand"],
        translation=["手工登记"],
    ),
    # --- freer prose, several quotes a finding
    tea(
        "free-01",
        "译者把“掌柜的”时而译作“shopkeeper”，时而译作“boss”，同一人物两种称呼，读者会误以为是两个人。建议统一为“owner”。",
        source=["掌柜的@1"],
        translation=["shopkeeper@1", "boss"],
        allowed=["掌柜的@2", "掌柜的@3"],
        category="词汇一致性",
    ),
    tea(
        "free-02",
        "“行不通”本意是道理不成立，译文“does not work here”勉强可以，但“people go, tea cools”没有交代“人走茶凉”的寓意，英语读者看不懂。",
        source=["人走茶凉"],
        translation=["people go, tea cools"],
        allowed=["行不通", "does not work here"],
    ),
    tea(
        "free-03",
        "译文首段“The shopkeeper says the rules here have not changed for thirteen years”，与原文“三十年没有变过”不符，“thirty”误为“thirteen”，一字之差，时间缩短了十七年。",
        source=["三十年没有变过"],
        translation=["thirteen"],
        allowed=["The shopkeeper says the rules here have not changed for thirteen years"],
        category="错译",
    ),
    tea(
        "free-04",
        "汉语“拍案叫绝”形容极为赞赏，译文处理成“slap the table”，只剩动作，让人联想到生气；参考译法有“applaud wildly”“shout bravo”等。",
        source=["拍案叫绝"],
        translation=["slap the table"],
        category="文化适应",
    ),
    tea(
        "free-05",
        "考点3：“茶碗”须全文统一译为“tea bowl”。译文第四段两处译为“tea bowl”，符合要求；第五段却写成“tea cup”，故判为错误。",
        source=["茶碗@3"],
        translation=["tea cup"],
        allowed=["茶碗@1", "茶碗@2"],
        category="考点",
    ),
    tea(
        "free-06",
        "“如今年轻人更爱喝咖啡”一句译得自然，问题在后面：“生意不如从前”译为“the business of the old teahouse is not as good as before”，偏啰嗦，可精简为“business has slipped”。",
        source=["生意不如从前"],
        translation=["the business of the old teahouse is not as good as before"],
        allowed=["如今年轻人更爱喝咖啡", "老茶馆的生意不如从前"],
        category="风格",
    ),
    tea("free-07", "统计数字搬错：原文318家，译文381家。", source=["318"], translation=["381"]),
    tea(
        "free-08",
        "“It is a miracle”系无中生有，“他相信茶碗里的人情不会凉”之后原文紧接着就是统计数据。",
        translation=["It is a miracle"],
        allowed=["他相信茶碗里的人情不会凉"],
        category="增译",
    ),
    tea(
        "free-09",
        "原文“满堂”指在座所有人，译文“the whole hall”字面无误，但与“as crows and sparrows”连用后画面滑稽，属于成语误译。",
        source=["满堂"],
        translation=["as crows and sparrows"],
        allowed=["the whole hall"],
    ),
    tea(
        "free-10",
        "熟客即老主顾，而译文中的“old guest”是“年老的客人”，语义走样；类似的还有“tea guests”，英语里没有这种说法。",
        translation=["old guest", "tea guests"],
    ),
    tea(
        "free-11",
        "“not worried”把“并不着急”的从容说浅了，不过尚属可接受；真正失当的是“favor”，它把“人情”窄化成了“帮忙”。",
        source=["人情@2"],
        translation=["favor"],
        allowed=["并不着急", "not worried"],
    ),
    tea(
        "free-12",
        "译文用“is boiling with voices”对应“人声鼎沸”，英语中boil不与voice搭配，正常说法如“buzzing with chatter”。",
        source=["人声鼎沸"],
        translation=["is boiling with voices"],
        category="语言流畅度",
    ),
    tea(
        "free-13",
        "“清晨的老茶馆里人声鼎沸，茶客们慢悠悠地喝着盖碗茶”本是一幅闲适的画面，译文把“慢悠悠”简单处理为slowly，意境全无。",
        source=["慢悠悠"],
        translation=["slowly"],
        allowed=["清晨的老茶馆里人声鼎沸，茶客们慢悠悠地喝着盖碗茶"],
        category="文采",
    ),
    tea(
        "free-14",
        "The rendering of “说书先生” as “The storyteller” is acceptable, but “wake-up wood” for “醒木” will puzzle readers; “a wooden block used to call for silence” is needed.",
        source=["醒木"],
        translation=["wake-up wood"],
        allowed=["说书先生", "The storyteller"],
    ),
    tea(
        "free-15",
        'In paragraph 5 the translation has "tea cup" where the source has 茶碗; elsewhere it correctly uses "tea bowl".',
        source=["茶碗@3"],
        translation=["tea cup"],
        category="inconsistent_terminology",
    ),
    tea(
        "free-16",
        'Omission: "顿时" ... well, it is there ("instantly"), but "叫绝" in "拍案叫绝" has been left out; only "slap the table" remains.',
        source=["叫绝"],
        translation=["slap the table"],
        allowed=["拍案叫绝", "顿时", "instantly"],
        category="omission",
    ),
    tea(
        "free-17",
        'Number error. The source says 318 tea houses; the translation says "381 old tea houses".',
        source=["318"],
        translation=["381 old tea houses"],
    ),
    tea(
        "free-18",
        "“熟客即使半年不来”中的“即使”译出，但“熟客”译为“an old guest”有歧义，不能译作“old guest”，而应译为“a regular”。",
        source=["熟客"],
        translation=["an old guest"],
        allowed=["熟客即使半年不来", "old guest"],
    ),
    tea(
        "free-19",
        "把“没有变过”译为“have not changed”是对的，但前面的“三十年”译错了。",
        source=["三十年"],
        allowed=["没有变过", "have not changed", "thirteen years"],
    ),
    tea(
        "free-20",
        "“The Old Tea House”“the old tea house”“the old teahouse”三种写法并存，原文都是“老茶馆”。",
        source=["老茶馆@1"],
        translation=["The Old Tea House", "the old tea house", "the old teahouse"],
        allowed=["老茶馆@2", "老茶馆@3"],
        category="词汇一致性",
    ),
    ledger(
        "free-01",
        "“vessel”一词在原文中出现两次，译文均作“船只”，并无不妥；但“cleared the bar”是航海用语，指出港时越过港口沙洲，译文“清理了沙洲”完全误解。",
        source=["cleared the bar"],
        translation=["清理了沙洲"],
        allowed=["vessel@1", "vessel@2", "船只@1", "船只@2"],
    ),
    ledger(
        "free-02",
        "原文 “He trusted paper more than he trusted people” 用重复的 trusted 造成节奏，译文 “比起人，他更相信纸张” 意思不差，只是失去了原句的对仗，可改为“他信纸，胜过信人”。",
        source=["He trusted paper more than he trusted people"],
        translation=["比起人，他更相信纸张"],
        category="文采",
    ),
    ledger(
        "free-03",
        "“went dark”在这里指灯没有点亮，译文“熄灭了三个晚上”搭配怪异——“熄灭”是瞬间动词，不能带时段。",
        source=["went dark"],
        translation=["熄灭了三个晚上"],
        allowed=["熄灭"],
        category="语言流畅度",
    ),
    ledger(
        "free-04",
        "“No vessel was lost”的lost应理解为“失事、损毁”，译者按“失踪”去译（“没有船只失踪”），属误译。",
        source=["No vessel was lost"],
        translation=["没有船只失踪"],
        allowed=["失踪"],
    ),
    ledger(
        "free-05",
        "前面的“港口委员会”译得准确，到了“The board nevertheless dismissed him”这里却成了“董事会”，容易让人以为是另一个机构。",
        source=["The board nevertheless dismissed him"],
        translation=["董事会"],
        allowed=["港口委员会"],
        category="错译",
    ),
    ledger(
        "free-06",
        "考点5：“the same careful hand”中的hand意为“笔迹”，不可译为“手”。译文“用同样仔细的手记录了”，判断结果：错误。",
        source=["the same careful hand"],
        translation=["用同样仔细的手记录了"],
        allowed=["hand", "手@2"],
        category="考点",
    ),
    ledger(
        "free-07",
        "“insurers”译“保险公司”没有问题。“inquiry”在第三段译“询问”，第四段译“调查”，同一事件前后两译。",
        source=["inquiry@1", "inquiry@2"],
        translation=["询问", "调查"],
        allowed=["insurers", "保险公司"],
        category="词汇一致性",
    ),
    ledger(
        "free-08",
        "译文末尾“GPS时代不需要这样的ledger”夹用英文，全文其他地方已有“账本”“分类账”两种译法，此处任选其一即可。",
        translation=["ledger"],
        allowed=[
            "GPS时代不需要这样的ledger",
            "ledgers",
            "The GPS age has no use for such ledgers",
            "账本",
            "分类账@2",
            "分类账@1",
            "ledger@2",
            "ledger@1",
        ],
        category="未译",
    ),
    ledger(
        "free-09",
        "标题译作“海洋分类账”，“分类账”是会计术语，用在这里不伦不类；“Ledger of the Sea”不妨译为“大海的账簿”。",
        source=["Ledger of the Sea"],
        translation=["海洋分类账"],
        allowed=["分类账@1"],
        category="风格",
    ),
    ledger(
        "free-10",
        "原文写“until he could no longer stand”，意思是病得站不住，译文“直到再也站不起来”会被理解成瘫痪。",
        source=["until he could no longer stand"],
        translation=["直到再也站不起来"],
    ),
    ledger(
        "free-11",
        "a collection taken up for the keeper’s family 译为“为看守人的家人募集的一笔捐款”，语义正确，但句子成分堆叠，“记录了……一笔捐款”中间隔得太远。",
        source=["a collection taken up for the"],
        translation=["为看守人的家人募集的一笔捐款"],
        allowed=["a collection taken up for the keeper’s family", "记录了为看守人的家人募集的一笔捐款"],
        category="语言流畅度",
    ),
    ledger(
        "free-12",
        'The sentence beginning "幸运的是" is invented. Nothing in the source corresponds to it: after "dismissed him without notice" the paragraph ends.',
        translation=["幸运的是"],
        allowed=["dismissed him without notice"],
        category="addition",
    ),
    ledger(
        "free-13",
        '"clear the bar" is a nautical idiom (to pass the sandbar at a harbour mouth). "清理了沙洲" takes it literally as cleaning; expected: "驶出港口" or similar.',
        source=["cleared the bar"],
        translation=["清理了沙洲"],
    ),
    ledger(
        "free-14",
        "“判决”一词不当：原文verdict在此并非法庭判决，而是委员会的处理决定，宜作“结论”。",
        source=["verdict"],
        translation=["判决"],
    ),
    ledger(
        "free-15",
        "译文第三句“他尽职尽责，直到再也站不起来，”引号内逗号位置有误；另外“作证说”中“surgeon”译“外科医生”，在当时语境中应为“军医/船医”。",
        source=["surgeon"],
        translation=["外科医生"],
        allowed=["作证说", "他尽职尽责，直到再也站不起来，", "“他尽职尽责，直到再也站不起来，”"],
        category="错译",
    ),
]


CASES += [
    # --- hypotheses, lists, doubts: what a sentence's frame does to the quotes in it
    tea(
        "frame-如果",
        "如果把“醒木”译为“tea bowl”，读者或许能懂；现在的“wake-up wood”无人能懂。",
        source=["醒木"],
        translation=["wake-up wood"],
    ),
    tea(
        "frame-若…则",
        "“醒木”译作“wake-up wood”；若译成“coffee”则更贴切。",
        source=["醒木"],
        translation=["wake-up wood"],
    ),
    tea(
        "frame-方能",
        "译文“favor”一词偏轻。原文用的是“人情”，语气更重，译为“human feelings”方能达意。",
        source=["人情@2"],
        translation=["favor"],
    ),
    tea(
        "frame-参考译法",
        "译者将“醒木”处理为“wake-up wood”，费解。参考译法：“tea bowl”。",
        source=["醒木"],
        translation=["wake-up wood"],
    ),
    tea(
        "frame-规范译名",
        "“wake-up wood”这种译法不通，“醒木”的规范译名为“coffee”。",
        source=["醒木"],
        translation=["wake-up wood"],
    ),
    tea(
        "frame-更自然",
        "把“醒木”译成“wake-up wood”不妥，过于生硬，“coffee”更自然。",
        source=["醒木"],
        translation=["wake-up wood"],
    ),
    tea(
        "frame-误以为",
        "“old guest”让人误以为是“half a year”，而“熟客”其实是另一个意思。",
        source=["熟客"],
        translation=["old guest"],
    ),
    tea(
        "frame-之意",
        "译者没有理解“熟客”，译成“old guest”，其实是“the customers”之意。",
        source=["熟客"],
        translation=["old guest"],
    ),
    tea(
        "frame-母语者",
        "“is boiling with voices”过于生硬，英语母语者会说“not worried”。原文“人声鼎沸”。",
        source=["人声鼎沸"],
        translation=["is boiling with voices"],
    ),
    tea(
        "frame-correct",
        "“醒木”误译。译文：“wake-up wood”。正确：“coffee”。",
        source=["醒木"],
        translation=["wake-up wood"],
    ),
    tea(
        "frame-two-names",
        "“茶碗”先后出现两种译名：“tea bowl”和“tea cup”，全文未统一。",
        source=["茶碗@1", "茶碗@3"],
        translation=["tea bowl", "tea cup"],
        allowed=["茶碗@2"],
        category="词汇一致性",
    ),
    tea(
        "frame-same-trouble",
        "“人声鼎沸”译为“is boiling with voices”，照字面译出；此前“妙处”一词也有同样的问题（“the wonderful place”）。",
        source=["人声鼎沸", "妙处"],
        translation=["is boiling with voices", "the wonderful place"],
    ),
    tea(
        "frame-no-issue",
        'No issue with "The storyteller". However, "wake-up wood" misrepresents "醒木".',
        source=["醒木"],
        translation=["wake-up wood"],
        allowed=["The storyteller"],
    ),
    tea(
        "frame-would-fit",
        'The clause "slaps his wake-up wood" contains an error: "wake-up wood" does not mean "醒木". "tea bowl" would fit.',
        source=["醒木"],
        translation=["wake-up wood"],
        allowed=["slaps his wake-up wood"],
    ),
    tea(
        "frame-consider",
        '"醒木" has been mistranslated as "wake-up wood"; consider "coffee" instead.',
        source=["醒木"],
        translation=["wake-up wood"],
    ),
    tea(
        "frame-preferable",
        'The word choice "wake-up wood" is unidiomatic ("醒木"); "coffee" or "tea bowl" is preferable.',
        source=["醒木"],
        translation=["wake-up wood"],
    ),
    ledger(
        "frame-doubt",
        "“insurers”译为“保险公司”没有疑问，但“lost”在海事语境指失事，译成“失踪”就不对了。",
        source=["lost"],
        translation=["失踪"],
        allowed=["insurers", "保险公司"],
    ),
    ledger(
        "frame-twin",
        "“family”译为“家人”没有疑问，“keeper”也译得对，而“without notice”译作“没有通知就”漏了“预先”。",
        source=["without notice"],
        translation=["没有通知就"],
        allowed=["family", "家人", "keeper@1", "keeper’s", "keeper"],
    ),
    ledger(
        "frame-not-but",
        "“law”并未出现；“verdict”不是“判决”，而是“处理决定”。",
        source=["verdict"],
        translation=["判决"],
    ),
    ledger(
        "frame-arrow",
        "“without notice”→“没有通知就”，应→“未经预告”。",
        source=["without notice"],
        translation=["没有通知就"],
    ),
    ledger(
        "frame-hand",
        "虽然“同样仔细的手”在字面上与“the same careful hand”对应，但中文不这样说，读者会以为是“账本”。",
        source=["the same careful hand"],
        translation=["同样仔细的手"],
    ),
    ledger(
        "left-out-words",
        "译文“账本用仔细的手记录了”不合中文习惯。",
        translation=["账本用同样仔细的手记录了"],
        category="语言流畅度",
    ),
]


def place(text: str, marked: str) -> tuple[int, int]:
    wanted, _, number = marked.partition("@")
    start = -1
    for _ in range(int(number or 1)):
        start = text.index(wanted, start + 1)
    return start, start + len(wanted)


def occurs(text: str, marked: str) -> bool:
    wanted, _, number = marked.partition("@")
    return text.count(wanted) >= int(number or 1)


def characters(spans: list[tuple[int, int]]) -> set[int]:
    return {i for start, end in spans for i in range(start, end)}


def check(pair, case):
    """Assert that every place meant is lit on both sides, and nothing that is neither meant nor allowed."""
    [grounded] = ground(pair, [Report(case.explanation, case.hint, case.category)])
    for side in ("source", "translation"):
        text = pair.sides[side].text
        lit = [(s.start, s.end) for s in grounded.spans if s.side == side and s.lit]
        gold = [place(text, marked) for marked in getattr(case, side)]
        may = characters(gold) | characters([place(text, m) for m in case.allowed if occurs(text, m)])
        shown = [text[start:end] for start, end in lit]
        for start, end in gold:
            assert characters([(start, end)]) & characters(lit), f"{side} lacks {text[start:end]!r}, lit: {shown}"
        for start, end in lit:
            assert 2 * len(characters([(start, end)]) & may) >= end - start, f"{side} wrongly lit: {text[start:end]!r}"


@pytest.mark.parametrize(("pair", "case"), CASES)
def test_lights_what_the_judge_means_and_nothing_else(pair, case):
    check(pair, case)
