"""The words by which authors of rubric points say what is wanted, by language: one table, one row a language.

Each entry is a regular expression met outside quotation marks. Where no row fits a point, its quotation marks alone are
read: the first quote that stands in the source is the term, the others are its renderings.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

PointType = Literal["grammar", "keyword", "terminology", "culture"]

NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class Wording:
    """One language's cues. Before a quote: ``expects`` a rendering, ``forbids`` one, ``demands`` something that can be
    checked without a rendering, ``explains``. After one: ``spurns`` (it is the rendering that is not wanted). Between
    two: ``holds`` (“whole”…“part”) and ``held`` (“part”…“whole”). ``each``: renderings in the terms' order.
    ``first``, ``throughout``: what is asked beside a rendering, of the term's first mention and of all of them.
    ``vague``: what nobody could check. ``types``: what a point says of its own kind."""

    expects: str
    forbids: str
    demands: str = NEVER
    explains: str = NEVER
    spurns: str = NEVER
    holds: str = NEVER
    held: str = NEVER
    each: str = NEVER
    first: str = NEVER
    throughout: str = NEVER
    vague: str = NEVER
    types: tuple[tuple[PointType, str], ...] = ()


ANY = Wording(expects=r"→|⇒|->|=>|＝|(?<=\s)=(?=\s)|✓|✔", forbids=r"≠|✗|✘|×|❌|!=")
"""Signs that all languages share."""

WORDINGS: dict[str, Wording] = {
    "zh": Wording(
        expects=r"(?:应该|应当|必须|推荐|建议|只能|可以|统一|需要|通常|固定|优先|不妨|分别|最好|完整|准确|正确|直接|或|被|仅|[应须宜可需要])*"
        r"(?:(?:[直意音改统]|翻|简)?译(?:为|成|作|做|名为|名是|名|法是|法为|：|:)|翻译(?:成|为|作|做|：|:|(?=\s*[“”\"‘【A-Za-z]))|表[述达](?:为"
        r"|成)|处理(?:为|成)"
        r"|理解为|写[作成为]|简化为|称为?|[译说]法[是为]|固定译法为)"
        r"|(?:应该?|应当|必须|只能|推荐|建议|可|宜|需)(?:是|为|用|使用|选用|采用)"
        r"|(?:推荐|建议|应)(?=\s*(?:[:：“\"'‘【A-Za-z]))|应保持|改[为成]|正确(?:译法|答案)?[:：]|即可译为",
        forbids=r"(?:避免|不可|不能|不要|不应|切勿|勿)再?[将把]|(?:不可以?|不能|不应该?|不应当|不得|不宜|不要|不该|不建议|不推荐|不准|不必|切勿|勿|切忌|避免|禁止|忌"
        r"|防止|[而并]?非|不)"
        r"(?:将?其|再|被|简单地?|生硬地?|机械地?|错误地?|直接|单独|仅|只|过度|拆分|混淆|一律|泛泛|笼统)*"
        r"(?:[直误错硬意音简]译|翻译|译|写|用|使用|采用|选用|理解|处理|简化|模糊|夸大|说|改|混用|混淆|表[述达]|等同|弱化)?(?:为|成|作|到|于)"
        r"|(?:不可以?|不能|不应该?|不应当|不得|不宜|不要|不建议|不推荐|勿|避免|禁止)(?:直接)?(?:[直误错硬]?译|翻译|使用|混用|用|写|出现|保留)?"
        r"(?=\s*[:：]?\s*[“”\"'‘【A-Za-z])|不可以?(?:简单地?)?[直误错硬]?译"
        r"|而不是|而非(?:简单的?)?|(?<=[（(，])非|避免(?:使用|混用|误译|直译)?|不(?:可|能|应)既?用|区别于|错误(?:译法)?[:：]",
        demands=r"(?:不[能可得宜应要]|避免|切勿|勿)(?:再)?(?:漏译?|遗漏|省略?|省去|缺[失少]|丢失?|删|忽略|保留)"
        r"|漏译|遗漏|省略|(?:需|应|要|须|必须|可|不用|无需|建议|统一|不必)?保[留持](?!了)|不(?:必|用|可|需|推荐|能|应)?(?:翻译|音译|翻)(?![译为成作])|翻?译完整|补译|补充"
        r"|一致|统一|全称|缩写|简称|大写|小写|斜体|连写|首字母|语序|加注|注明|单复数|时态|语态|主动|被动|标点|书名号|引号|断句|拆分|合并"
        r"|(?:需|应|须|要)(?:体现|译出|包含|包括|给出|(?:使用|用)(?!\s*[“”\"‘【A-Za-z]))|不得出现|不能出现",
        explains=r"因为|由于|意为|意思(?:是|为)|的意思|表示|(?:是|特|常|泛|专|即|多|也|主要)?指(?![标数令示出导南向])|属于?|是(?:一[个种]"
        r"|.{0,12}(?:术语|概念|专有名词|表达|说法|名称))"
        r"|以(?:免|保留|体现|突出|避免|符合|区分)|着重|强调|描述(?:的是)?|含有|包含|含义|源自|(?:首次)?出现(?:时)?|区别|区分|例如|比如|其中(?!的)|语境中|视为|不足以",
        spurns=r"\s*(?:不可|不行|不对|不正确|不准确|过于|是错误|为错误|有误|错误|视为次优)",
        holds=r"\s*(?:一?句|一文|这[句段]话|短语|词组|整?句话)?(?:(?:之?中|里)的?|的)[，,]?(?:[^“”\"，。；]{0,8})",
        held=r"\s*(?:一词)?(?:出现)?在(?:句子|短语|本句|本文)?\s*",
        each=r"分别",
        first=r"首[次现](?:出现)?时?[^“”，。；可]{0,6}[，,]?[^“”，。；可]{0,6}(?:给出?|注明|加注|保留|附|用)"
        r"|(?<!可)(?:注明|给出|加注|附上?|标注)[^“”，。；]{0,4}(?:缩写|全称|简称|原文|英文)",
        throughout=r"(?:前后|全文|译文|上下文)[^“”，。；]{0,6}(?:一致|统一)(?!译)|[保维]持[^“”，。；]{0,6}一致",
        vague=r"通顺|自然|流畅|地道|准确|得体|贴切|恰当|合适|合理|优美|文采|符合(?:语境|原文|习惯|中文|英文|逻辑|上下文)|信达雅|语气|风格"
        r"|灵活|注意|根据(?:语境|上下文|情况)|翻译?好|意译|正确|忠实|传神|生动|到位",
        types=(
            ("grammar", r"语法|单复数|时态|语态|被动|主动语态|词性|冠词|从句|句式|语序|主语|搭配"),
            ("culture", r"文化|成语|典故|俗语|俚语|谚语|习语|双关|隐喻|比喻|谐音|歇后语|诗"),
            ("keyword", r"关键词|核心词"),
            (
                "terminology",
                r"术语|专有名词|专业|固定(?:译法|翻译|表达)|官方译|学名|(?:公司|机构|文件|人|地)名|缩写|标准译",
            ),
        ),
    ),
    "en": Wording(
        expects=r"(?:\b(?:should|must|may|can|could|is|are|needs?|ought|has|to|be|best|also|always|preferably"
        r"|normally|only"
        r"|recommended|expected|please|either|better)\s+)*\b(?:translat|render|express|phras"
        r"|word)\w*(?:\s+\w+ly)?\s*(?:as|by|with|into|to|:)"
        r"|\b(?:should|must)\s+(?:be|read|become|say|use)\b|\b(?:translate|render)\b[^“”\"'.;]{0,40}?\b(?:as"
        r"|by|with)\b"
        r"|\b(?:recommended|expected|accepted|preferred|correct|standard)(?:\s+(?:translations?"
        r"|renderings?))?\s*(?:is|are|:)"
        r"|(?<=[\"”’»」])\s*as\b(?=\s*[\"“‘«「])|\buse\b",
        forbids=r"\b(?:must|should|may|can|do|is|are)(?:\s*not|n't)\b(?:\s+(?:be|to))?(?:\s+(?:literally"
        r"|directly|simply))?"
        r"(?:\s+(?:translat|render|use|read|becom|express)\w*)?(?:\s+(?:as|by|with|into))?"
        r"|\b(?:not|never)\b(?:\s+(?:be|to))?(?:\s+(?:translat|render|us)\w*)?(?:\s+(?:as|by|with))?"
        r"|\bavoid(?:ing)?\b"
        r"|\b(?:rather than|instead of|as opposed to)\b|\b(?:forbidden|wrong|incorrect"
        r"|unacceptable)\s*(?:renderings?)?\s*(?:is|are|:)",
        demands=r"\b(?:not|never|avoid)\W+(?:be\s+)?(?:omit|drop|left out|leav)\w*|\bomit\w*|\bkeep\b"
        r"|\bkept\b|\bretain\w*|\bconsisten\w*"
        r"|\babbreviat\w*|\bspelled\b|\bcapital\w*|\bitalic\w*|\bplural\b|\bsingular\b|\btense\b|\bpassive\b"
        r"|\bactive voice\b|\bword order\b"
        r"|\buntranslated\b|\bin full\b|\bpreserv\w*|\bfirst mention\b|\bpunctuation\b",
        explains=r"\b(?:because|since|meaning|means?|refers? to|denotes?|which is|so that|in the sense"
        r"|in order to|as it)\b",
        spurns=r"\s*(?:(?:is|are|would be)\s+)?(?:not\s+(?:acceptable|correct|right|allowed|enough)|wrong"
        r"|incorrect|unacceptable"
        r"|(?:should|must|to) (?:be avoided|not be used))",
        holds=r"\s*,?\s*(?:the\s+)?(?:words?|term|phrase)\s*",
        held=r"\s*(?:in|within|of)\s+(?:the\s+)?(?:sentence|phrase|clause|context)?\s*",
        each=r"\brespectively\b",
        first=r"\bfirst (?:mention|occurrence|use)\b|\bspell(?:ed|ing)? out\b|\bwith the (?:abbreviation|acronym)\b",
        throughout=r"\bconsisten\w*|\bthroughout\b",
        vague=r"\b(?:natural|fluen|smooth|idiomatic|accurate|appropriate|proper|elegan|readable|good|correct"
        r"|flexib|careful|style|tone"
        r"|faithful|context)\w*",
        types=(
            ("grammar", r"\b(?:grammar|grammatical|tense|plural|passive|voice|clause|article|word order)\b"),
            ("culture", r"\b(?:cultur\w*|idioms?|proverb|slang|allusion|pun|metaphor)\b"),
            ("keyword", r"\bkey ?words?\b"),
            ("terminology", r"\b(?:term|terms|terminology|proper (?:noun|name)|fixed translation|official name)\b"),
        ),
    ),
    "ja": Wording(
        expects=r"(?:訳は|訳語は|正しくは)",
        forbids=r"(?:誤訳|不可|NG)[:：]",
        demands=r"省略|訳し?漏|統一|一貫|略称|正式名称",
        explains=r"なぜなら|意味する|という意味|ため[、。]|を指す",
        spurns=r"\s*(?:ではなく|では?ない|は不可|とは?訳(?:さ|しては|すべきで)|は避け|を避け|としない|は誤)",
        holds=r"\s*(?:の中の|における|の)\s*",
        first=r"初出",
        throughout=r"統一|一貫",
        vague=r"自然|適切|流暢|正確|注意",
        types=(("terminology", r"用語|固有名詞"), ("culture", r"文化|慣用句|ことわざ"), ("grammar", r"文法|時制|語順")),
    ),
    "ko": Wording(
        expects=r"번역은|역어는",
        forbids=r"오역[:：]",
        demands=r"생략|누락|통일|일관",
        explains=r"왜냐하면|뜻하|의미하",
        spurns=r"\s*(?:(?:이|가)?\s*아니라|(?:으)?로\s*(?:번역|옮기|쓰)\S*(?:\s*(?:안|않|말)\S*)|은 안|는 안)",
        first=r"처음 나올|첫 등장",
        throughout=r"통일|일관",
        vague=r"자연스|적절|정확|유창",
        types=(("terminology", r"용어|고유명사"), ("culture", r"문화|관용|속담"), ("grammar", r"문법|시제")),
    ),
    "de": Wording(
        expects=r"\b(?:(?:soll(?:te)?|muss|kann|darf|ist|wird)\s+)?(?:hier\s+)?(?:als|mit|durch)\b|\bübersetzt?\w*:|\b(?:zulässig|möglich)\s+(?:ist|sind|wäre)\b",
        forbids=r"\b(?:(?:soll(?:te|en)?|muss|kann|darf|dürfen|ist|wird)\s+)?(?:hier\s+)?nicht\b(?:\s+(?:etwa|einfach|wörtlich))?(?:\s+(?:als|mit|durch))?|\b(?:niemals"
        r"|keinesfalls|vermeide\w*|statt|anstatt|anstelle von|falsch)\b:?",
        demands=r"\bauslassen\b|\bweglassen\b|\beinheitlich\b|\bbeibehalten\b|\bausgelassen\b|\bAbkürzung\b",
        explains=r"\b(?:weil|denn|bedeutet|gemeint|bezeichnet|da)\b",
        spurns=r"\s*(?:ist|wäre)\s+(?:falsch|nicht|unzulässig)",
        held=r"\s*in\s+(?:dem Satz\s+)?",
        first=r"\bersten? (?:Nennung|Erwähnung|Vorkommen)\b",
        throughout=r"\beinheitlich|\bdurchgehend",
        vague=r"\b(?:natürlich|flüssig|idiomatisch|angemessen|genau|korrekt)\w*",
        types=(
            ("terminology", r"\b(?:Fachbegriff|Fachwort|Terminus|Eigenname)"),
            ("culture", r"\b(?:Kultur|Redewendung|Sprichwort)"),
            ("grammar", r"\b(?:Grammatik|Zeitform|Plural|Passiv)"),
        ),
    ),
    "fr": Wording(
        expects=r"\b(?:(?:doit|devrait|peut|est à)\s+)?(?:(?:se|être)\s+)?(?:tradui\w+|rend\w+)\s+par\b|\bpar\b"
        r"|\bon\s+accepte\w*\b",
        forbids=r"\b(?:ne\s+(?:(?:se|doit|peut|devrait|faut)\s+)+|et\s+)?(?:non|pas)\b"
        r"(?:\s+(?:pas|se|être|tradui\w+|rend\w+))*(?:\s+par)?|\b(?:éviter"
        r"|jamais(?:\s+par)?|au lieu de|plutôt que)\b",
        demands=r"\bomettre\b|\bomis\w*\b|\bcohéren\w*|\bconserver\b|\babréviation\b",
        explains=r"\b(?:parce que|car|signifie|désigne|c'est-à-dire|puisque)\b",
        spurns=r"\s*(?:est|serait)\s+(?:faux|incorrect|à éviter|inacceptable)",
        held=r"\s*dans\s+",
        first=r"\bpremière (?:mention|occurrence)\b",
        throughout=r"\bcohéren|\bpartout\b",
        vague=r"\b(?:naturel|fluid|idiomatiqu|appropri|correct|précis)\w*",
        types=(
            ("terminology", r"\bterm(?:e|inologie)\b|\bnom propre\b"),
            ("culture", r"\bcultur\w+|\bproverbe\b"),
            ("grammar", r"\bgrammai\w+|\bpluriel\b"),
        ),
    ),
    "es": Wording(
        expects=r"\b(?:(?:debe|debería|puede|se)\s+)*(?:traduc\w+)\s+(?:por|como)\b|\bcomo\b|\bpor\b|\bse\s+(?:acepta|admite)n?\b",
        forbids=r"\b(?:y\s+)?no\b(?:\s+(?:debe|debería|se|traduc\w+))*(?:\s+(?:por|como))?|\b(?:ev[ií]t\w+|nunca(?:\s+(?:por|como))?"
        r"|en lugar de|en vez de)\b",
        demands=r"\bomitir\w*|\bcoheren\w*|\bconservar\b|\babreviatura\b",
        explains=r"\b(?:porque|ya que|significa|se refiere|pues)\b",
        spurns=r"\s*(?:es|sería)\s+(?:incorrect\w+|erróne\w+|inaceptable)",
        held=r"\s*en\s+",
        first=r"\bprimera (?:mención|aparición|vez)\b",
        throughout=r"\bcoheren|\ben todo el texto\b",
        vague=r"\b(?:natural|fluid|idiomátic|apropiad|correct|precis)\w*",
        types=(
            ("terminology", r"\btérmino\b|\bnombre propio\b"),
            ("culture", r"\bcultur\w+|\brefrán\b"),
            ("grammar", r"\bgram[aá]tic\w+|\bplural\b"),
        ),
    ),
    "ru": Wording(
        expects=r"(?:следует|нужно|должно|можно)?\s*(?:перев\w+|перед\w+)\s+как\b|\bкак\b",
        forbids=r"\b(?:а\s+)?не\b(?:\s+(?:следует|нужно|должно|перев\w+))*(?:\s+как)?|\b(?:избега\w+|вместо"
        r"|никогда)\b",
        demands=r"\b(?:пропус|опус|единообраз|сохран)\w*",
        explains=r"\b(?:потому что|так как|означает|поскольку)\b",
        held=r"\s*в\s+",
        first=r"\bпри первом (?:упоминании|употреблении)\b",
        throughout=r"\bединообраз|\bво всём тексте\b",
        vague=r"\b(?:естествен|точн|правильн|уместн)\w*",
        types=(("terminology", r"\bтермин"), ("culture", r"\bкультур|\bпослов|\bидиом"), ("grammar", r"\bграммат")),
    ),
}
"""Two-letter language of a point's own prose → its cues."""


@cache
def pattern(expression: str) -> re.Pattern[str]:
    """Return an entry of the table, compiled."""
    return re.compile(expression, re.I)


def language_of(outside: str) -> str:
    """Return the language of what stands outside a point's quotes: the row that knows most of it, or "" for none.

    Chinese prose that names Latin words has words of both, so whatever is said in Chinese characters decides.
    """
    if re.search(r"[\u3040-\u30ff]", outside):
        return "ja"
    known = {
        language: sum(
            len(m[0])
            for entry in (row.expects, row.forbids, row.demands, row.explains, row.spurns, row.vague)
            for m in pattern(entry).finditer(outside)
        )
        for language, row in WORDINGS.items()
    }
    best = "zh" if known["zh"] else max(known, key=lambda language: known[language])
    return best if known[best] else ""
