"""The words by which judges say what a quote is to them, as tables: Chinese and English prose, one entry a cue.

A cue's name says what it does to the quote after it (or, in ``TAIL``, to the quote before it). Order matters: at any
position the first table row that matches is taken, so composite phrases stand above their parts.
"""

from __future__ import annotations

import re
from functools import cache
from textwrap import dedent
from typing import Literal, NamedTuple

Cue = Literal[
    "hard",  # the sentence ends: nothing carries over
    "soft",  # a comma, colon or bracket
    "but",
    "here",  # back to the place in question
    "forbid",  # not to be rendered as …
    "deny",  # it is not …; for this clause only
    "instead",  # … rather than (what stands there now)
    "nothing",  # neutral phrase that holds another cue's letters
    "absent",  # the source (or the translation) does not have …
    "add",  # the translation adds …
    "suggest",
    "change",  # changed to …: a suggestion, or what the translation does from one place to the next
    "urge",  # a word of advice, whatever it goes on to say
    "endorsed",  # (in accordance with) what is right elsewhere
    "compare",  # unlike …, like …
    "elsewhere",
    "gloss",
    "fine",
    "poor",
    "left",  # left in the source language
    "omit",
    "object",  # 将 / 把: what follows is what gets changed
    "render",  # rendered as; who says so decides
    "fact",  # how it is now
    "source",
    "translation",
    "example",
    "together",  # used beside another quote, which is in the text too
]


class Found(NamedTuple):
    """A cue met in the prose at ``start`` … ``end``."""

    cue: Cue
    start: int
    end: int
    text: str


_SETS = {
    "better": r"""
        准确|精准|精确|自然|通顺|流畅|恰当|贴切|合适|适合|妥当?|妥帖|好|佳|地道|规范|专业|得体|到位|忠实|达意
        传神|合理|简洁|凝练|通行|通用|常见|常用|符合|贴近|接近|有文采|有韵味|生动|书面|正式|清晰|明确|理想|可取
        严谨|文雅|雅致|优美|口语化|通俗
    """,
    "translate": r"""
        翻译|意译|直译|直接译|改译|统译|译|处理|表述|表达|写|作|做|改写|改|换|说|用|使用|采用|选用|理解|称|叫
        定名|保持|为|是
    """,
    "modal": r"""
        (?<![反对相响效适供呼感回])应(?:该|当)?(?![用付聘邀急酬答验对])|宜(?!人)|须
        需要?(?=[译改用说写补统明保处加])|必须|最好(?![成的])|不妨|建议|推荐|提议|理应|本应|本该|本可|如果|假如|倘若?|要是
        若(?!干|非|无|即若|离)|如能|可以|可(?=[译改用说写处表作换考借直意理参酌采选统调])
    """,
    "saying": r"""
        译法|译文|译名|译词|表达|表述|说法|写法|措辞|选择|翻译|处理|形式|用词|用法|词|句式|方式|版本|搭配
    """,
}
"""Alternatives that several cues share; a row writes ``<better>`` for them."""

LEAD: tuple[tuple[Cue, str], ...] = (
    (
        "hard",
        r"""
        [。！？；!?;\n]|\.(?=\s+[A-Z\"“'‘「\u4e00-\u9fff])
        """,
    ),
    (
        "nothing",
        r"""
        反应|对应|相应|响应|效应|适应|呼应|供应|应用|应对|应付|应当注意|便宜|适宜|权宜|时宜|可能|可以?接受|可以理解|可见
        怎么?会|岂会|哪会|怎么?能|可惜|可读性|认可|许可|必要|重要|主要|需求|建议书|不应有|本应有|就是说|更多|更像|更偏|更容易|更为严重
        与原意|与原文不符|建议(?:译文|译者|此处|这里|该句|本句)
        (?:按照?|根据|依据|结合|忠实于|贴近|对照|参照)原文|(?:译文|译者)(?=(?:应|可|宜|最好|须|需))
        is suggested by|suggests? that|as (?:a|the) result
        """,
    ),
    (
        "endorsed",
        r"""
        (?:根据|按照|依照|参照|参考|沿用|遵循|承接|呼应|对照|依据)(?:了)?(?:上文|前文|下文|后文|前面|全文|标题|
            其他)[^，。；“”\"]{0,8}
        """,
    ),
    (
        "compare",
        r"""
        (?:与|和|同(?![段一样时文句处页])|(?<!紧)跟(?!着)|区别于|有别于|不同于|对比|相比于?|比起|较之|混同于|混淆于)(?:上文|前文|
            下文|后文|前面|后面|上一|下一|其他|其它|别处|此前|之前|文中|原文|正文|
            标题)?[^，。；：“”\"「『‘’']{0,12}(?=\s*[“\"「『‘'])(?<!译为)(?<!译成)(?<!译作)
        """,
    ),
    (
        "forbid",
        r"""
        (?:不可以?|不能|不应该?|不宜|不得|不要|不该|不必|不须|不建议|不推荐|不适合|不允许|勿|切勿|切忌|忌|避免|
            防止|禁止|严禁)(?:再|将其|把它|直接|简单地?|机械地?|一律|仅|误)?(?:直译|误译|错译|硬译|翻译|译|处理|
            理解|写|作|用|使用|采用|出现|合并|混用|混淆|拆|说|改|省|称|解释|归为)(?:为|成|作|到)?
        (?:不能|不可|不该|不应|不宜|不要|切勿|勿|岂能|怎能)[^，。；：“”\"「『‘']{0,10}?(?:译|搬|写|处理|理解|说|
            当|翻|硬套)(?:成|为|作)
        避免|切勿|不会?说|没有?人会?[说写用]
        (?:nobody|no one|no native \w+) (?:would |will |ever )?(?:says?|writes?|uses?)
        (?:would|does|do) (?:not|never|hardly) (?:say|write)|must not (?:be )?|should not (?:be )?
        (?:never|not) (?:be )?(?:translated|rendered) (?:as|by)|avoid
        """,
    ),
    (
        "deny",
        r"""
        并非|并不是|不是|不等于|(?:is|are|was)(?: not|n't)(?: the same as)?
        """,
    ),
    (
        "instead",
        r"""
        而不是|而非|而不|（非|\(非|并非译为|代替|取代|替代|instead of|rather than
        (?<=[\"”’'」,，] )not(?= [\"“‘'「])|, not(?= )|\(not
        """,
    ),
    (
        "suggest",
        r"""
        <modal>[^，。；：:“”\"「『‘'\n]{0,16}?<translate>(?:为|成|作|是|：|:)|<modal>(?:<translate>)?
        更(?:加|为)?<better>[^，。；“”\"「『\n]{0,14}?(?:是|为|可以是|如|有|：|:|即)
        (?:正确|标准|规范|理想|合适|恰当|准确|通行|通用|地道|自然|官方|习惯|推荐|参考|既定|约定俗成|惯用|通常|
            常见|较好|更好|合理|妥帖|固定)的?[^，。；“”\"「『\n]{0,6}?<saying>[^，。；“”\"「『\n]{0,8}?(?:是|为|
            应|：|:|有|即|作|如)
        (?:官方|标准|规范|固定|既定|通行|惯用|推荐|参考)(?:中文|英文)?(?:译名|译法|表达|说法|译文|
            术语)?(?=\s*[“\"「『‘'])
        (?:官方|既有|标准|通行)(?:的)?(?:中文|英文|译名|译法)?(?:是|为)|通译
        (?:正确|参考|建议|推荐|正解|修改|更正|订正|改)(?:译文|译法|为)?[:：]
        (?:通常|一般|习惯(?:上|于)?|惯常|惯例|往往|多|常|会)(?:会)?(?:译|说|用|写|作|称|表达|表述)(?:为|作|成)?
        (?<!译文的)(?<!译者的)(?<!现有的)(?<!目前的)(?<!此处的)(?<!这里的)(?<!现在的)(?<!原来的)(?<!这种)(?<!两种)(?<!三种)(?<!四种)(?<!多种)(?<!几种)(?<!不同)(?<!不同的)(?<!各种)(?:译法|
            译名|说法|写法|措辞)(?:应该|应当|应|可以|可)?(?:是|为|：|:|有)
        不如|不及|修改为|调整为|要求|期望|期待
        参考译文|优选|首选|统一为|补译|订正为|更正为|修正为|(?:才|方)(?:是|能|为)|少了|缺了|而应|更(?:宜|应)
        should(?! not)(?: have)?(?: been| be| read| say| use)?|ought to
        suggest(?:ion|ed|s)?(?: translation| rendering)?(?: is)?:?|recommend\w*|consider(?:ing)?|opt for|go with
        try|propose[ds]?|prefer\w*|ideally|ideal\w*
        (?:would|could|might|may|can)(?: better)? (?:be|have been|read|use|say)
        better(?: as| rendered| translated| rendering| translation| option)?
        correct(?:ly)?(?: rendering| translation| term| form| version)?(?: is| would be|:)?
        (?:standard|established|usual|conventional|idiomatic|natural|accepted|official|accurate|expected|
            required|appropriate) (?:[\w-]+ ){0,3}(?:is|would be|being|such as|like|rendering|translation|term|
            equivalent)
        something like|more (?:\w+) (?:\w+ ?)?(?:is|would be|such as|like|:)|must(?: be)?|needs? to|expects?
        requires?|calls? for|toned? down to|(?:change|changed|replace|corrected|revise[ds]?) (?:it )?(?:to|with|by)
        """,
    ),
    (
        "change",
        r"""
        改为|改成|改译|改作|改用|换成|换为|换用|换作|替换[为成]|改写[为成]|改称
        """,
    ),
    (
        "urge",
        r"""
        建议|推荐|最好(?=[是把将用统])|不妨|务必|统一(?=[^，。；]{0,4}(?:为|成|译|用))
        """,
    ),
    (
        "absent",
        r"""
        (?:原文|源文|原句|原作|原著)(?:中|里|本身)?(?:并|根本|均|都)?(?:没有|无|未|不含|不存在|未提|并未|
            没)[^，。；“”\"]{0,8}
        not (?:in|present in|found in) the (?:source|original)
        (?:source|original)(?: text)? (?:does not|doesn't|never|has no|makes no)[^,.;\"“]{0,24}
        """,
    ),
    (
        "add",
        r"""
        增译|添加了?|增添|增加了?|多出了?|凭空|擅自|所加|补充了|adds?|added|adding|addition(?:al)?|inserts?
        inserted
        """,
    ),
    (
        "omit",
        r"""
        漏译了?|遗漏了?|漏掉了?|漏了|丢掉了?|丢失了?|丢了|略去了?|省略了?|省去了?|缺失|缺少了?|缺了|未译出
        没有译出|未能译出|没译|未翻译|未译|未体现|没有体现|未能体现|未传达|未表达|未反映|没有反映|删去了?
        删除了?|脱漏|漏|忽略了?|忽视了?|少译了?|没有(?:译|说明|点明|处理)
        (?:译文|译句)(?:中|里)?(?:没有|缺|未|少)[^，。；“”\"]{0,6}|omit(?:s|ted|ting)?|omission of
        drop(?:s|ped|ping)?|miss(?:es|ed|ing)|leav(?:es|ing) out|left out|los(?:es|t|ing)|skips?|skipped
        fails? to (?:translate|render|convey)|without
        """,
    ),
    (
        "left",
        r"""
        保留(?:了)?(?:英文|中文|汉字|原文|原词)?|照搬|照抄|夹杂|残留|直接使用(?:英文|中文|原文)|直接沿用
        (?:leaves|left|kept|keeps|retain\w*|remains?)(?: \w+){0,3}? (?:untranslated|in (?:chinese|english))
        """,
    ),
    (
        "fact",
        r"""
        (?:does not|doesn't|do not|did not|cannot) (?:mean|convey|express|capture|render|reflect|correspond to|
            match)
        misrepresents?|误译|错译|误作|误为|误解|错误地?|却|现译|实译|实际|目前|当前|现有|现在(?:的|译)
        被(?!.{0,3}要求)|仅|只(?!要|有)|竟|均|都|仍|又|还|分别|一律|统统|直接|机械|硬译|生硬|译成了|译为了
        改成了|改为了|变[成回]了?|变为|回到|沦为|成了|译出|mistranslat\w*|wrongly|incorrectly|erroneously|instead
        (?:被|译者|译文|译本|一句|处|段)(?:却|又|则|竟|便|就|里|中)*(?:改|换)(?:成|为|作|用)了?|as it stands
        (?:译|翻|拍|搬|弄|搞|念|抄|套|错)(?:成|为|作)了|currently|actually|only|both|merely|just
        """,
    ),
    (
        "translation",
        r"""
        译文|译者|译句|译本|译语|译作(?=[的中里]|[“\"])|目标文本|the translat(?:ion|or)(?:'s)?|translation
        target(?: text)?|the rendering|rendering|version
        """,
    ),
    (
        "source",
        r"""
        原文|源文|原句|原词|原著|原作|原语|源语|source(?: text| phrase| term| word)?|original(?: text| phrase)?
        the author
        """,
    ),
    (
        "elsewhere",
        r"""
        (?:前文|上文|后文|下文|前面|后面|其[他它余]各?(?:地方|处|段落|部分|位置|章节|段)|别处|其余|此前|先前|
            之前|另一处|他处|上一[句段]|下一[句段]|前一[句段]|(?<!最)后一[句段])(?:的)?
        elsewhere|earlier|later|previous(?:ly)?|preceding|following|subsequent(?:ly)?|the next|in other places
        the rest of
        """,
    ),
    (
        "here",
        r"""
        此处|这里|本句|该句|此句|该处|本处|这句|这个|该词|此词|本段|同段|同一段|here
        in this (?:sentence|paragraph|place|context)
        """,
    ),
    (
        "gloss",
        r"""
        偏(?:指|向|于|重)?|意为|意思是|意思为|的意思|意即|意指|意在|义为|意味着|指的?是?|是指|泛指|特指|专指
        常指|多指|单指|暗指|也就是|亦即|相当于|等同于|等于|理解[为成]|解释为|解读为|解为|表示|含义[是为]?
        本义[是为]?|原义[是为]?|本意[是为]?|原意[是为]?|字面(?:意思|义|上)?(?:是|为)?|表达(?:的是|了|出)?|暗示
        强调|涵盖|体现|包含|带有|含有|让人(?:联想到|以为|误以为)|使人|误以为|以为|仿佛|联想到?|属于|形容|比喻
        [又也还兼][是指有]|俚语|俗语(?=[“"「『‘])|双关|谐音|兼有
        类似于?|好像|直译回|回译|释义|引申为?|义项|传达(?:了|的是)?|其实(?:是|指)|实指|实为|means?|meaning
        refers? to|denotes?|connotes?|impl(?:y|ies|ying)|literally(?=[ :,]*(?:means?|[\"“‘'「]))|signif(?:y|ies)
        i\.e\.,?|suggesting|in the sense of|sense of|as if|as though|(?:the )?opposite of
        (?:mis)?taken? for|mistook|confus\w+ (?:with|for)
        (?:sounds?|looks?) like|reminds? \w+ of|back-translat\w*|as in|describes?|conveys?|the idea of
        the notion of|indicates?
        """,
    ),
    (
        "fine",
        r"""
        (?:均|都|皆)已(?:经)?[^，。；：“”\"「『（(]{0,6}|正确(?:地)?(?:译为|译成|译作|译出|使用|处理为|的)|准确(?:地)?(?:译为|译成|译出|的译法)|规范的
        correctly (?:translated|rendered|uses|has)|no (?:issue|problem|objection)s? with|rightly|the right
        """,
    ),
    (
        "example",
        r"""
        例如|比如|譬如|诸如|如(?!何|果|此|同|今|下|实|其)|即(?!使|便|将|可)|for example|for instance|e\.g\.,?
        such as|namely
        """,
    ),
    (
        "object",
        r"""
        将|把|对
        """,
    ),
    (
        "poor",
        r"""
        不准确|不当|不妥|有误|错误|生硬|不通|不符
        """,
    ),
    (
        "render",
        r"""
        (?:直|音|意|翻|误|错|硬|死)?译(?:为|成|作|做|得|出来是)?了?|(?:搬|翻|弄|搞|拍|套|念|简化|压缩|表达|转写)(?:成|为|作)
        处理[为成]|表述[为成]|写[成作为]
        作(?=[“\"「『‘'])|称[为作]?|叫作?|使用|采用|选用|用|为|是|使用了
        translat(?:es|ed|ing)(?: it)?(?: as| by| with| into)?|render(?:s|ed|ing)?(?: it)?(?: as| by| with)?
        reads?|says?|uses?|used|writes?|has|gives?|becomes?|turns? (?:it )?into|turned into|as
        """,
    ),
    (
        "but",
        r"""
        但是?|然而|不过|可是|而|but|however|whereas|while|yet
        """,
    ),
    (
        "soft",
        r"""
        [，,：:、（(]
        """,
    ),
)
"""Cues before a quote. A row's lines are alternatives of one regular expression; a line indented further goes on."""

TAIL: tuple[tuple[Cue, str], ...] = (
    (
        "together",
        r"""
        连用|搭配|并用|连在一起|放在一起|并置|衔接|collocat\w*|together with|side by side
        """,
    ),
    (
        "elsewhere",
        r"""
        [这的]?部分|[一这该]?[节章]|章节|小节|条款|section|chapter
        """,
    ),
    (
        "hard",
        r"""
        [。！？；!?;\n]|\.(?=\s+[A-Z\"“'‘「\u4e00-\u9fff]|\s*$)
        [前后]者|[前后另]一[种个处]|the (?:former|latter)
        """,
    ),
    (
        "but",
        r"""
        虽然?|尽管|固然|although|though|但是?|然而|不过|but|however
        """,
    ),
    (
        "poor",
        r"""
        没翻|没有?译|压根|原封不动|原样|原封|也?(?:有|存在|是)?(?:同样|类似|相同)的?(?:问题|错误|毛病|情况)|同理|不对|不行|不正确|不够?准确|不够?恰当|不妥|不当
        有误|错误|生硬|不自然|不通|不符|不合|不能|不可|不宜|不应|不好|欠妥|欠佳|拗口|冗长|语病|突兀|不成立|误译
        错译|译错|用错|写错|出错
        (?:未能?|没能|无法|难以|不够|没有|并未|并不|不太)[^，。；“”\"]{0,6}(?:准确|正确|恰当|传达|体现|表达|
            妥当|合适|自然|到位|反映)
        (?:has|have|suffers?(?: from)?|shows?|shares?) (?:much )?the same (?:defect|problem|fault|flaw|issue|trouble)
        likewise|is no better|not (?:\w+ )?(?:correct|accurate|acceptable|appropriate|natural|right|fine)
        inaccurate|incorrect|wrong|awkward|unnatural
        """,
    ),
    (
        "suggest",
        r"""
        (?:则|会|似乎?|显得|可能|才|要|就)?(?:更(?:加|为)?|比较|较|最|会)<better>
        (?:则|较|更|最|才)?为(?:宜|佳|妥|好|上|当)|才(?:是|符合|准确|对|能|更|可)|方(?:能|可|为|是)|即可
        (?:等|之类|这样|这类|一类)(?:的)?(?:更|译法|表达|表述|说法)|(?:应|就)?可以?(?:更|体现|传达|避免|保留)
        (?:would|could|might) (?:be|sound|read|look)(?: \w+){0,2}? (?:better|closer|clearer|more|right|correct|
            preferable|enough|fine|natural|appropriate|accurate|idiomatic|usual|ideal|safer?|best|good|apt|acceptable|the)
        would (?:be|read|have been|work|convey|fit|do|suit|serve|capture|express|
            give)(?=[.,;)]|\s*$| better| well| the | it )
        (?:is|are) (?:required|needed|preferred|preferable|better|recommended|expected|more|the (?:standard|
            correct|established|usual|official))
        (?:should|must) be used|is the (?:standard|correct|established|usual)|instead(?! of)
        """,
    ),
    (
        "fine",
        r"""
        (?:也|则|都|均|是|处理|译得|译法|译为|基本|意思|翻译|本身|的|反而|反倒|倒|却|还|算|得|，|,)*(?:(?:并?没有?|并?无)(?:什么|任何)?(?:问题|
            错误|错|疑问|异议|争议|不妥|不当|毛病)|无可指摘|挑不出(?:毛病|错)|说得过去|讲得通|站得住脚?|无误|无错|(?<![不欠未])正确(?!的?(?:写法|译法|译名|说法|做法|翻译|表达|拼写|理解|译文))|
            (?:反而|反倒|倒)(?:是|还)?(?:对|可以|不错|行)的?|(?:是)?对的|对了|不错(?=[，。；,;]|$)|
            (?<![不欠未够])准确(?!性)|(?<!不)恰当|得当|尚可|可接受|可以接受|无可厚非|无妨|妥当|没错|不算错|合理|
            忠实|可取|较好|很好|到位|合适|也可|亦可|可以(?=[，。；,;]|$)|可(?=[，。；,;]|$))
        (?:译为|译成|译作)?(?:是|也是)?(?:正确|对)的
        (?:is|are|was) (?:quite |perfectly |basically )?(?:correct|fine|acceptable|accurate|right|good|
            appropriate|ok(?:ay)?|unproblematic)
        is (?:a )?(?:good|fine|happy|neat|nice|apt|sound|well)(?:[ -](?:choice|rendering|solution|touch|equivalent|
            match|chosen|done|rendered|put))|(?:works|reads) (?:well|fine)|correctly|no problem
        """,
    ),
    (
        "gloss",
        r"""
        (?:这一|这个|的|之)?(?:字面)?(?:含义|意思|意味|语义|内涵|概念|之意|之义|意义|感觉|语气|色彩|义项|印象|
            联想|解释|理解)
        一义|之意|之义|的意|的情况|in the sense|sense\b
        """,
    ),
    (
        "omit",
        r"""
        (?:整[句段])?(?:在译文中)?(?:被|均|都|则|也|并|完全|全部)?(?:漏译|遗漏|漏掉|未译出|没有译出|未译|没译|
            未体现|没有体现|缺失|丢失|省略|略去|删去|被漏|漏了|未翻译|未能体现|未传达)
        (?:is|are|was|were|has been|have been)? ?(?:omitted|missing|dropped|left out|lost|not translated|
            untranslated)
        """,
    ),
    (
        "add",
        r"""
        (?:是|为|属|系)?(?:译者|译文)?(?:所加|添加|增加|多余|增译|凭空)|在原文中(?:并)?(?:不存在|没有|无)
        原文(?:中)?(?:并)?(?:没有|无|未)|(?:is|was) (?:added|not in|absent|an addition)
        does not (?:appear|exist|occur) in the (?:source|original)|has no (?:counterpart|equivalent|basis)
        """,
    ),
    (
        "render",
        r"""
        (?:在|于)?(?:第[\d一二三四五六七八九十、,]+[段句处]|标题|文中|全文|正文|译文(?:中)?|这里|此处|该处|本段|
            [^，。；“”\"]{0,6})?(?:被|错|误|直|音|硬|死|机械地?|逐字|却|又|均|都|只|仅|应|宜|须|推荐|可|
            当)*(?:译|翻译|处理)(?:为|成|作|得|出)?
        (?:is|was|are|were|has been|gets?|should be|must be)? ?(?:\w+ly )?(?:mis)?(?:translated|rendered)
        """,
    ),
    (
        "soft",
        r"""
        [，,：:、（(]
        """,
    ),
)
"""Cues after a quote, up to the next one."""


@cache
def _lexer(table: tuple[tuple[Cue, str], ...]) -> re.Pattern[str]:
    sets = {f"<{name}>": f"(?:{_joined(words)})" for name, words in _SETS.items()}
    rows = []
    for k, (cue, words) in enumerate(table):
        pattern = re.sub(r"<[a-z]+>", lambda m: sets[m[0]], _joined(words))
        rows.append(f"(?P<{cue}_{k}>{_bounded(pattern)})")
    return re.compile("|".join(rows), re.I)


def _joined(words: str) -> str:
    """Return one alternation from the lines of a table row."""
    lines = dedent(words).strip("\n").rstrip().splitlines()
    return "".join(line.strip() if line[:1] == " " or not k else f"|{line}" for k, line in enumerate(lines))


def _bounded(pattern: str) -> str:
    """Put English cues at word boundaries: an alternative that starts with a letter must start a word."""
    return f"(?:(?<![A-Za-z])(?=[A-Za-z])|(?![A-Za-z]))(?:{pattern})(?:(?<=[A-Za-z])(?![A-Za-z])|(?<![A-Za-z]))"


def read_lead(prose: str, start: int, end: int) -> list[Found]:
    """Return the cues of ``prose[start:end]``, the words before a quote, in order."""
    return _read(LEAD, prose, start, end)


def read_tail(prose: str, start: int, end: int) -> list[Found]:
    """Return the cues of ``prose[start:end]``, the words after a quote, up to the sentence's end."""
    found = _read(TAIL, prose, start, end)
    stop = next((k for k, cue in enumerate(found) if cue.cue == "hard"), len(found))
    return found[:stop]


def _read(table: tuple[tuple[Cue, str], ...], prose: str, start: int, end: int) -> list[Found]:
    return [
        Found(match.lastgroup.rpartition("_")[0], match.start(), match.end(), match[0])  # type: ignore[arg-type,union-attr]
        for match in _lexer(table).finditer(prose, start, min(end + 1, len(prose)))
        if match.start() < end
    ]
