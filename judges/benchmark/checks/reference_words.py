"""How languages refer to what stands elsewhere: earlier, later, in a numbered part, in a figure. One row a language."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

NEVER = r"(?!)"


@dataclass(frozen=True, slots=True)
class StandingWords:
    """Regular expressions of one language; `NEVER` where it has no such thing.

    ``back``, ``forward``: something said before, or still to come. ``elsewhere``: another part of the same book, that
    is in no article. ``numbered``: a numbered part of the text. ``figure``: a numbered figure or table. Both have the
    groups ``label`` and ``number``. ``picture``: one that is pointed at without a number. ``connective``: what joins a
    text's first sentence to one before it. ``of_another``: what follows a number that belongs to another document;
    ``another``: what names such a document, earlier in the sentence.
    """

    back: str
    forward: str
    elsewhere: str
    numbered: str
    figure: str
    picture: str
    connective: str
    of_another: str = NEVER
    another: str = NEVER


_NUMBER = r"(?P<number>[A-Z]?\d+(?:[.\-–]\d+)*|[IVX]+\b)[A-Za-z]?\b"
_HAN_NUMBER = r"(?P<number>\d+(?:[.\-–—]\d+)*|[一二三四五六七八九十]+(?=[章節节所中为显可）)。，、：:\s]|$))"

ROWS: dict[str, StandingWords] = {
    "zh": StandingWords(
        back=r"上文|前文|(?:如|前面|综合)上所述|如前(?:所|文)?述|前已述及|前述|上述|以上(?:分析|内容|讨论|论述|几)|上面(?:提到|说|讲)",
        forward=r"下文|后文|详见(?:后|下)|下面(?:将|我们)|如下所[述示]|接下来(?:将|我们)",
        elsewhere=r"[上下前后][一两几]?[章节卷篇](?!课|日|奏|目|能|省|约|点|气|制|选|假|[\u4e00-\u9fff]?会)|本书(?:第|前|后)",
        numbered=rf"(?P<label>第){_HAN_NUMBER}(?:章|节)(?!课)",
        figure=rf"(?<![地试企意力版蓝插拼截附构略草])(?P<label>(?:附)?[图表]|图表|公式)\s?{_HAN_NUMBER}(?![号级类册])",
        picture=r"[如见](?:[上下左右]|附)[图表]|[上下左右][图表](?:所示|为|中)|如图所示|如表所示|(?:见|参见)(?:图|附图|插图)",
        connective=r"(?:因此|所以|然而|但是|此外|另外|另一方面|其次|再次|最后|同样|同时|于是|不过|总之|综上|除此之外|与此同时|相反|反之)[，,]",
        another=r"》",
    ),
    "en": StandingWords(
        back=r"\b(?:mentioned|discussed|described|noted|stated|explained|shown|outlined|argued|defined|introduced|reported|"
        r"presented|listed|seen)\s+(?:above|earlier|previously)\b|\b(?:the|as)\s+above(?:-mentioned)?\b(?!\s+average)|"
        r"\bsee above\b|\baforementioned\b|\b(?:preceding|previous|foregoing)\s+(?:section|part|page|discussion)s?\b",
        forward=r"\b(?:discussed|described|explained|shown|outlined|presented|listed|given|see|seen)\s+(?:further\s+)?below\b|"
        r"\b(?:next|following|subsequent|later)\s+(?:section|part|page)s?\b(?!\s+of\s+the\s+(?:population|market))",
        elsewhere=r"\b(?:previous|preceding|next|following|last|later|earlier)\s+"
        r"chapters?\b|\bchapters?\s+(?:above|below)\b|\b(?:earlier|later|elsewhere)\s+in\s+this\s+(?:book|volume|thesis)\b",
        numbered=rf"\b(?P<label>Sections?|Sec\.|Chapters?|Chap\.|Appendix)\s+{_NUMBER}",
        figure=rf"\b(?P<label>Figures?|Figs?\.?|Tables?|Exhibits?|Plates?)\s+{_NUMBER}",
        picture=r"\b(?:figure|table|chart|graph|diagram|map|photo(?:graph)?|picture|image)s?\s+(?:above|below|at\s+(?:left|right)"
        r"|on\s+the\s+(?:left|right|next\s+page|opposite\s+page))\b|\bpictured\s+(?:above|below|here|left|right)\b|"
        r"\b(?:the\s+)?(?:above|following)\s+(?:figure|chart|graph|diagram|photo(?:graph)?|picture|image)\b",
        connective=r"(?:However|Therefore|Thus|Moreover|Furthermore|Hence|Nevertheless|Nonetheless|Consequently|Likewise|"
        r"Similarly|Conversely|In addition|In contrast|On the other hand|As a result|Besides|Finally|Second(?:ly)?|"
        r"Third(?:ly)?|Also|Accordingly),|(?:But|And|Or|Nor|Yet)\s",
        of_another=r"\s*(?:,\s*)?(?:of|in)\s+(?:the|that|its|their|his|her|this\s+(?:Act|Agreement|Contract|Law))\b"
        r"|\s+of\s+[A-Z]|\(\w\)\(",
        another=r"\b(?:Act|Code|Law|Regulations?|Treaty|Convention)\b",
    ),
    "de": StandingWords(
        back=r"\b(?:wie\s+)?(?:oben|zuvor|bereits)\s+(?:erwähnt|beschrieben|genannt|ausgeführt|dargestellt)|\bs(?:iehe|\.)\s+oben\b"
        r"|\bobige[nrsm]?\b",
        forward=r"\bs(?:iehe|\.)\s+unten\b|\b(?:im|in\s+den)\s+(?:folgenden|nächsten)\s+Abschnitt",
        elsewhere=r"\b(?:vorige|vorherige|letzte|nächste|folgende|vorangehende)[nrsm]?\s+Kapitels?\b",
        numbered=rf"\b(?P<label>Abschnitt|Kapitel|Kap\.|Anhang)\s+{_NUMBER}",
        figure=rf"\b(?P<label>Abbildung(?:en)?|Abb\.|Tabellen?|Tab\.)\s+{_NUMBER}",
        picture=r"\b(?:Abbildung|Tabelle|Grafik|Foto|Bild|Karte)\s+(?:oben|unten|links|rechts)\b",
        connective=r"(?:Jedoch|Daher|Deshalb|Außerdem|Dennoch|Zudem|Ferner|Allerdings|Somit|Aber|Und)\b",
        of_another=r"\s+(?:des|der)\s+[A-ZÄÖÜ]",
    ),
    "fr": StandingWords(
        back=r"\bci-dessus\b|\bsusmentionn\w+|\bplus haut\b|\bsection\s+précédente\b",
        forward=r"\bci-dessous\b|\bci-après\b|\bplus bas\b|\bsection\s+suivante\b",
        elsewhere=r"\bchapitres?\s+(?:précédents?|suivants?)\b",
        numbered=rf"\b(?P<label>section|chapitre|annexe)\s+{_NUMBER}",
        figure=rf"\b(?P<label>figures?|fig\.|tableaux?|tabl\.)\s+{_NUMBER}",
        picture=r"\b(?:figure|tableau|graphique|carte|photo|image|schéma)s?\s+(?:ci-dessus|ci-dessous|ci-contre)",
        connective=r"(?:Cependant|Toutefois|Par conséquent|En outre|De plus|Ainsi|Néanmoins|Enfin),|(?:Mais|Et|Or)\s",
        of_another=r"\s+(?:du|de\s+la|de\s+l['’])",
    ),
    "es": StandingWords(
        back=r"\b(?:mencionad|descrit|señalad|expuest|citad)[oa]s?\s+(?:más\s+arriba|anteriormente|arriba)\b|\bantes\s+mencionad\w+",
        forward=r"\bmás\s+(?:abajo|adelante)\b|\bsiguiente\s+(?:sección|apartado)\b",
        elsewhere=r"\bcapítulos?\s+(?:anterior|siguiente|precedente)(?:es)?\b|\b(?:próximo|siguiente)\s+capítulo\b",
        numbered=rf"\b(?P<label>sección|apartado|capítulo|anexo)\s+{_NUMBER}",
        figure=rf"\b(?P<label>figuras?|fig\.|tablas?|cuadros?|gráficos?)\s+{_NUMBER}",
        picture=r"\b(?:figura|tabla|cuadro|gráfico|foto(?:grafía)?|imagen|mapa)\s+(?:anterior|siguiente|de\s+(?:arriba|abajo))\b",
        connective=r"(?:Sin embargo|Por lo tanto|Por tanto|Además|Asimismo|No obstante|Finalmente),|(?:Pero|Y)\s",
        of_another=r"\s+(?:del|de\s+la)\s",
    ),
    "ru": StandingWords(
        back=r"\b(?:выше)?упомянут\w+\s+выше|\bвышеупомянут\w+|\b(?:см\.|как\s+(?:отмечено|указано|сказано|показано))\s+выше\b",
        forward=r"\bсм\.\s+ниже\b|\bв\s+следующем\s+разделе\b",
        elsewhere=r"\b(?:предыдущ|следующ)\w+\s+глав\w+",
        numbered=rf"\b(?P<label>раздел\w*|глав[аеуы]|приложени\w+)\s+{_NUMBER}",
        figure=rf"\b(?P<label>рис(?:\.|ун\w+)|табл(?:\.|иц\w+))\s+{_NUMBER}",
        picture=r"\bна\s+(?:рисунке|схеме|карте|фото(?:графии)?|графике)\s+(?:выше|ниже|слева|справа)\b",
        connective=r"(?:Однако|Поэтому|Кроме того|Таким образом|Следовательно|Наконец),|(?:Но|И|А)\s",
    ),
    "ja": StandingWords(
        back=r"上述|前述|先述|上記|前節",
        forward=r"後述|次節|下記",
        elsewhere=r"[前次]章|本書第",
        numbered=rf"(?P<label>第){_HAN_NUMBER}[章節]",
        figure=rf"(?<![地])(?P<label>[図表]|図表)\s?{_HAN_NUMBER}",
        picture=r"[上下左右次][図表]|(?:上|下|左|右)の(?:図|表|写真|グラフ)",
        connective=r"(?:しかし|したがって|また|さらに|そのため|それゆえ|なお|一方|だが|そして)、",
        another=r"』",
    ),
    "ko": StandingWords(
        back=r"위에서\s+(?:언급|설명|말)|앞서\s+(?:언급|설명|말)|상술한|전술한",
        forward=r"아래에서\s+(?:설명|살펴)|후술",
        elsewhere=r"(?:앞|다음)\s*장에서",
        numbered=r"(?P<label>제)\s?(?P<number>\d+)[장절]",
        figure=r"(?P<label>그림|표|도표)\s?(?P<number>\d+(?:[.\-]\d+)*)",
        picture=r"(?:위|아래|다음)\s*(?:의\s*)?(?:그림|표|사진|그래프)(?![가-힣]*현)",
        connective=r"(?:그러나|따라서|또한|그리고|하지만|그러므로|한편),?\s",
    ),
}
"""ISO 639 code of the source language → its row; the checks that need one are left out for other languages."""


@cache
def expression(words: str) -> re.Pattern[str]:
    """Return an entry of the table, compiled; letters' case counts only where it tells a name from a word."""
    return re.compile(words)
