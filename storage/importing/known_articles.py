"""Articles that a file's texts are of: one that is here, known by its name and its text, a new one, or not clear which.

A translation of a known article is one of it with its rubric, domain and direction, whatever else the file calls it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from judges.metric_s.reading.rubric import parse_rubric
from judges.model import Article
from storage.base.identity import text_id
from storage.base.text import storable
from storage.formats.base.format import Unclear
from storage.formats.io.rows import LeftOut
from storage.importing.carried_over import carry_over
from storage.importing.import_report import NAME_SHOWN, SHOWN, Doubt, Import, first_of
from storage.record.article_texts import (
    KnownArticle,
    articles_named,
    articles_of_text,
    folded,
    is_of_direction,
    replaced,
)
from storage.record.library import add_article, read_article

ANOTHER = ""
"""The answer to a doubt that the article is another one, in place of a known one's id."""


class KnownArticles:
    """Finds what articles the texts of one import are of, and stores new ones.

    Articles that came with the same import under other names are other articles, whatever their texts.
    """

    def __init__(self, under_way: Import, unclear: Unclear | None = None, answers: Mapping[str, str] | None = None):
        self.connection, self.report, self._import = under_way.connection, under_way.report, under_way
        self.unclear, self.answers = unclear, answers or {}
        self.arrived: dict[str, Article] = {}
        self._gone = replaced(self.connection)
        (self._before,) = self.connection.execute("SELECT coalesce(max(rowid), 0) FROM articles").fetchone()
        self._other_names: dict[str, str] = {}
        self._other_domains: dict[str, str] = {}

    def add(self, article: Article) -> tuple[str, bool]:
        """Store an article; return its id and whether it was new."""
        identity, new = add_article(self.connection, article)
        if new:
            self.arrived[identity] = article
        return identity, new

    def of(self, article: Article, line: int, *, keep: bool = False) -> KnownArticle | LeftOut | None:
        """Return the article that is here of a text and its name ("": none is said); None: it is a new one.

        ``article`` is what the file says. Points that it gives make another article of those that have others.
        ``keep``: nothing is left out, as people's work hangs on it; what is not clear is said, and another article.
        """
        points = parse_rubric(article.rubric_text)
        found = [
            each
            for each in articles_of_text(self.connection, article.source, self._gone)
            if is_of_direction(each.direction, article.direction)
        ]
        if points:
            others = [each for each in found if each.key == article.key and each.rubric_text]
            found = [each for each in found if parse_rubric(each.rubric_text) == points]
            if others and not found:
                message = f"{article.key[:NAME_SHOWN]} is here with the same text and other points; both are kept"
                self.report.flag(line, "other_points", message, "rubric")
                return None
        named = [each for each in found if each.key == article.key]
        pool = _with_rubric(named or [each for each in found if each.position <= self._before])
        elsewhere = [] if named or not article.key else self._elsewhere(article)
        if not (elsewhere or len(pool) > 1):
            if pool:
                self._compare(article, pool[0])
            return pool[0] if pool else self._nameless(article, line)
        return self._settled(article, line, pool, elsewhere, keep)

    def of_row(self, article: Article) -> Article:
        """Return the article of a row of our own formats, which names it: the one here, if that has points and it none.

        Also note where it is here with another domain.
        """
        same = [
            each for each in articles_named(self.connection, article.key, self._gone) if each.source == article.source
        ]
        if not article.rubric and (with_points := [each for each in same if each.rubric_text]):
            if len(with_points) == 1:
                article = read_article(self.connection, with_points[0].id)
        elif here := next((each for each in same if each.rubric_text == article.rubric_text), None):
            self._compare(article, here)
        return article

    def named(self, name: str, line: int) -> KnownArticle | LeftOut | None:
        """Return the article that is here of a name alone; None: there is none yet."""
        found = articles_named(self.connection, name, self._gone) or articles_named(
            self.connection, name.removesuffix(".0"), self._gone
        )
        pool = _with_rubric(found)
        if len(pool) < 2:
            return pool[0] if pool else None
        chosen = self.answers.get(_case(name))
        if known := next((each for each in pool if each.id == chosen), None):
            return known
        message = f"{name[:NAME_SHOWN]} is the name of {len(pool):,} articles here"
        return self._left_out(Doubt(_case(name), line, message, _choices(pool), new=False), "give its source as well")

    def _elsewhere(self, article: Article) -> list[KnownArticle]:
        """The articles that were here before under the same name, all of which have another text."""
        return [
            each
            for each in articles_named(self.connection, article.key, self._gone)
            if each.position <= self._before and is_of_direction(each.direction, article.direction)
        ]

    def _nameless(self, article: Article, line: int) -> LeftOut | None:
        if article.key:
            return None
        reason = "is empty, and no article that is here has this text"
        mend = "give it a name, or import the articles first, then this file again"
        return LeftOut(line, "no_article", "article", reason, mend)

    def _settled(
        self,
        article: Article,
        line: int,
        pool: Sequence[KnownArticle],
        elsewhere: Sequence[KnownArticle],
        keep: bool,
    ) -> KnownArticle | LeftOut | None:
        """Return what was said of a text of which it is not clear what article it is of."""
        name = article.key[:NAME_SHOWN]
        if elsewhere:
            begins = " ".join(elsewhere[-1].source.split())[:_BEGINNING]
            message = f"{name} is here with another text (it begins “{begins}”)"
            if pool:
                message = f"{message}, and this text is that of {pool[0].key[:NAME_SHOWN]}"
            mend = (
                "give it another name, or its source as it is here; or say --unclear known (it is a translation of "
                "that one) or --unclear another (it is another article)"
            )
        else:
            message = (
                f"{len(pool):,} articles here have this text: {first_of([each.key[:NAME_SHOWN] for each in pool])}"
            )
            mend = "name the one that is meant, in a column article or with --article, or give its points"
        if keep:
            self.report.flag(line, "which_article", f"{message}; it is kept as another article", "article")
            return None
        choices = [*_with_rubric(elsewhere), *pool]
        case = _case(article.key, article.source)
        answer = self.answers.get(case)
        if answer is None and self.unclear == "another" and article.key:
            answer = ANOTHER
        if answer is None and self.unclear == "known" and len(_with_rubric(elsewhere)) == 1:
            answer = _with_rubric(elsewhere)[0].id
        if answer == ANOTHER and article.key:
            return None
        if known := next((each for each in choices if each.id == answer), None):
            return known
        return self._left_out(Doubt(case, line, message, _choices(choices), new=bool(article.key)), mend)

    def _left_out(self, doubt: Doubt, mend: str) -> LeftOut:
        self.report.doubts.setdefault(doubt.case, doubt)
        return LeftOut(doubt.line, "which_article", "article", doubt.message, mend)

    def _compare(self, article: Article, known: KnownArticle) -> None:
        """Remember by what name an article is here that the file calls otherwise, and of which domain."""
        if article.key and article.key != known.key:
            self._other_names[article.key] = known.key
        said, here = (article.domain, article.subdomain), (known.domain, known.subdomain)
        if any(said) and said != here and (article.subdomain or article.domain != known.domain):
            ours, theirs = (" / ".join(filter(None, names)) or "none" for names in (here, said))
            self._other_domains[known.key] = f"{ours} here, {theirs} in the file"

    def finish(self) -> None:
        """Say by what names articles are here; what came without a rubric is of those that now came with one."""
        if named := [f"{name[:NAME_SHOWN]} is {key[:NAME_SHOWN]}" for name, key in self._other_names.items()]:
            message = f"articles that are here by another name, by their text: {first_of(named)}"
            self.report.flag(0, "known_by_text", message)
        if other := [f"{key[:NAME_SHOWN]} ({said[:SHOWN]})" for key, said in self._other_domains.items()]:
            message = f"articles that are here with another domain, which stays: {first_of(other)}"
            self.report.flag(0, "other_domain", message)
        taken, left = list[str](), list[str]()
        for identity, article in self.arrived.items():
            for bare in self._bare(article):
                replaces = carry_over(self._import, bare, identity, article)
                (taken if replaces else left).append(article.key[:NAME_SHOWN])
                if replaces:
                    self._gone.add(bare.id)
        were = "articles whose translations were here without a rubric"
        if taken:
            self.report.flag(0, "joined", f"{were}, and have theirs now: {first_of(taken)}")
        if left:
            stays = "the translations are here with it now, and what people did stays with the text without it"
            self.report.flag(0, "joined", f"{were}, and that people have worked on; {stays}: {first_of(left)}")

    def _bare(self, article: Article) -> list[KnownArticle]:
        """The articles of the same text that have no rubric, as this one has."""
        if not article.rubric:
            return []
        return [
            each
            for each in articles_of_text(self.connection, article.source, self._gone)
            if not each.rubric_text
            and is_of_direction(each.direction, article.direction)
            and (each.position <= self._before or each.key == article.key)
        ]


_BEGINNING = 40
"""Characters of a text that a message shows."""


def _with_rubric(found: Sequence[KnownArticle]) -> list[KnownArticle]:
    """Those that have a rubric, else all."""
    return [each for each in found if each.rubric_text] or [*found]


def _choices(found: Sequence[KnownArticle]) -> tuple[tuple[str, str], ...]:
    return tuple((each.id, f"{each.key[:NAME_SHOWN]}: {' '.join(each.source.split())[:_BEGINNING]}…") for each in found)


def _case(name: str, source: str = "") -> str:
    return json.dumps([name, text_id(folded(storable(source))) if source else ""], ensure_ascii=False)
