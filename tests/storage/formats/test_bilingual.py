"""Bilingual files of translators' tools: XLIFF, TMX and tables of two columns are documents, segment by segment."""

from __future__ import annotations

import random
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from storage.formats.base.format import ReadOptions
from storage.formats.base.items import Document, Remark
from storage.formats.io.lines import FormatError
from storage.formats.io.rows import LeftOut
from storage.importing.pipeline import import_path
from storage.integrity.opening import open_library
from tests.conftest import Command
from tests.storage.formats.reading import detected, format_in, read_as

NONE = ReadOptions()
XLIFF_1 = """<?xml version="1.0" encoding="UTF-8"?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
<file original="novel.docx" source-language="en-US" target-language="zh-CN"><header><note>n</note></header><body>
{}
</body></file>
</xliff>
"""
XLIFF_2 = """<xliff xmlns="urn:oasis:names:tc:xliff:document:2.0" version="2.0" srcLang="en" trgLang="fr">
<file id="f1">{}</file>
</xliff>
"""
TMX = """<?xml version="1.0"?>
<tmx version="1.4"><header srclang="en-US" creationtool="x"/><body>
{}
</body></tmx>
"""


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def unit(number: int, source: str, target: str | None) -> str:
    translated = "" if target is None else f"<target>{target}</target>"
    return f'<trans-unit id="{number}"><source>{source}</source>{translated}</trans-unit>'


def documents(path: Path, options: ReadOptions = NONE) -> list[Document]:
    return [item for item in read_as(path, detected(path), options) if isinstance(item, Document)]


def texts(document: Document) -> list[tuple[str, str, str]]:
    return [(s.id, s.source, s.translation) for s in document.segments]


def test_xliff_1_is_a_document_for_each_file(tmp_path: Path) -> None:
    path = write(
        tmp_path / "heron.xlf",
        XLIFF_1.format("<group>" + unit(2, "Two", "二") + "</group>" + unit(1, " One&amp;\u2028 ", "一😀")).replace(
            "</xliff>",
            '<file source-language="en" target-language="de" original="b"><body>'
            + unit(7, "x", "y")
            + "</body></file></xliff>",
        ),
    )
    assert format_in(path) == "xliff"
    first, second = documents(path)
    assert (first.article, first.system, first.direction) == ("novel.docx", "heron", "en-zh")
    assert texts(first) == [("2", "Two", "二"), ("1", " One&\u2028 ", "一😀")], "in the order of the file"
    assert (first.line, [s.line for s in first.segments]) == (3, [4, 4])
    assert (second.article, second.direction, texts(second)) == ("b", "en-de", [("7", "x", "y")])
    (only, _) = documents(path, ReadOptions(system="A", direction="en-ja"))
    assert (only.system, only.direction) == ("A", "en-ja")


def test_what_stands_beside_a_unit_s_two_texts_is_not_taken(tmp_path: Path) -> None:
    more = '<seg-source><mrk mtype="seg" mid="0">S</mrk></seg-source>'
    beside = "<alt-trans><source>Q</source><target>Z</target></alt-trans><note>n</note>"
    body = f'<trans-unit id="1"><source>S</source>{more}<target><mrk mtype="seg" mid="0">T</mrk></target>{beside}</trans-unit>'
    (one,) = documents(write(tmp_path / "a.sdlxliff", XLIFF_1.format(body)))
    assert texts(one) == [("1", "S", "T")]


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('<g id="1">bold</g> x', "bold x"),
        ('a<x id="2"/>b', "a<2/>b"),
        ('a<x id="2" equiv-text="{0}"/>b', "a{0}b"),
        ('a<x id="2" ctype="lb"/>b', "a\nb"),
        ('<bpt id="1">&lt;b&gt;</bpt>b<ept id="1">&lt;/b&gt;</ept>', "<b>b</b>"),
        ('<ph id="3">%s<sub>in</sub></ph>!', "%sin!"),
        ('<ph id="3"/>!', "<3/>!"),
        ('<mrk mtype="term">t</mrk><it id="1" pos="open">[</it>', "t["),
        ("&lt;p&gt;a&lt;/p&gt;", "<p>a</p>"),
    ],
)
def test_codes_of_xliff_1_are_what_they_stand_for(tmp_path: Path, written: str, shown: str) -> None:
    (one,) = documents(write(tmp_path / "a.xlf", XLIFF_1.format(unit(1, written, f"t {written}"))))
    assert texts(one) == [("1", shown, f"t {shown}")]


def test_xliff_2_has_segments_in_units_and_codes_beside(tmp_path: Path) -> None:
    body = """<unit id="u1"><mtc:matches xmlns:mtc="urn:oasis:names:tc:xliff:matches:2.0"><mtc:match ref="#1">
<source>M</source><target>MM</target></mtc:match></mtc:matches>
<originalData><data id="d1">&lt;b></data><data id="d2">&lt;/b></data></originalData>
<segment id="s1"><source>One <pc id="1" dataRefStart="d1" dataRefEnd="d2">b</pc>.</source>
<target>Un <pc id="1" dataRefStart="d1" dataRefEnd="d2">g</pc>.</target></segment>
<ignorable><source> </source></ignorable>
<segment><source>Two<ph id="2" equiv="%d"/><sc id="4" dataRef="d1"/></source><target>Deux<cp hex="0041"/><ph id="9"/></target></segment></unit>"""
    (one,) = documents(write(tmp_path / "heron.xlf", XLIFF_2.format(body)))
    assert (one.article, one.direction) == ("heron", "en-fr"), "a file without a name is called as the XLIFF file"
    assert texts(one) == [("u1.s1", "One <b>b</b>.", "Un <b>g</b>."), ("u1", "Two%d<b>", "DeuxA<9/>")]


def test_a_segment_without_a_translation_is_left_out_with_its_line(tmp_path: Path) -> None:
    body = "\n".join(
        (unit(1, "One", None), unit(2, "Two", "二"), unit(3, "Three", " "), unit(4, "", "x"), unit(5, "", None))
    )
    items = list(read_as(write(tmp_path / "a.xlf", XLIFF_1.format(body)), "xliff"))
    assert [(out.line, out.field) for out in items if isinstance(out, LeftOut)] == [
        (4, "target"),
        (6, "target"),
        (7, "source"),
    ]
    assert [r.code for r in items if isinstance(r, Remark)] == ["system"]
    with pytest.raises(FormatError, match="holds no segment with a source and a translation; "):
        list(read_as(write(tmp_path / "b.xlf", XLIFF_1.format(unit(1, "One", None))), "xliff"))


def test_languages_come_from_the_target_the_name_or_the_user(tmp_path: Path) -> None:
    text = XLIFF_1.format(unit(1, "a", "b").replace("<target>", '<target xml:lang="ja">'))
    text = text.replace(' target-language="zh-CN"', "")
    assert documents(write(tmp_path / "a.xlf", text))[0].direction == "en-ja"
    bare = text.replace(' xml:lang="ja"', "")
    assert documents(write(tmp_path / "novel.en-ko.xlf", bare))[0].direction == "en-ko"
    items = list(read_as(write(tmp_path / "novel.xlf", bare), "xliff"))
    assert [r.code for r in items if isinstance(r, Remark)] == ["system", "direction_unknown"]


def test_tmx_is_a_document_of_its_units_by_direction(tmp_path: Path) -> None:
    def tu(more: str, **variants: str) -> str:
        return f"<tu {more}>" + "".join(
            f'<tuv xml:lang="{code.replace("_", "-")}"><seg>{text}</seg></tuv>' for code, text in variants.items()
        ) + "</tu>"  # fmt: skip

    body = "\n".join(
        (
            tu('tuid="7"', zh="一", en_US='One <bpt i="1">&lt;b></bpt>x<hi>y</hi>'),
            tu("", en="Two", zh="二"),
            tu("", en_US="only"),
            tu("", en_US="Three", zh="三", de="Drei"),
        )
    )
    path = write(tmp_path / "memory.tmx", TMX.format(body))
    first, second = documents(path)
    assert (first.article, first.system, first.direction) == ("memory (en-zh)", "memory", "en-zh")
    assert texts(first) == [("7", "One <b>xy", "一"), ("2", "Two", "二"), ("4", "Three", "三")]
    assert (second.article, texts(second)) == ("memory (en-de)", [("4", "Three", "Drei")])
    (only,) = documents(path, ReadOptions(direction="zh-de"))
    assert (only.article, only.direction, texts(only)) == ("memory", "zh-de", [("4", "三", "Drei")])
    left = [item for item in read_as(path, "tmx") if isinstance(item, LeftOut)]
    assert [(out.line, out.field, "it has en-US" in out.reason) for out in left] == [(5, "tuv", True)]


def test_units_of_a_memory_that_name_a_file_are_documents(tmp_path: Path) -> None:
    def tu(file: str, text: str) -> str:
        return f'<tu><prop type="file">{file}</prop><tuv xml:lang="en"><seg>{text}</seg></tuv><tuv xml:lang="fr"><seg>f {text}</seg></tuv></tu>'

    path = write(tmp_path / "m.tmx", TMX.format(tu("a.md", "1") + tu("b.md", "2") + tu("a.md", "3")))
    assert [(d.article, [s.source for s in d.segments]) for d in documents(path)] == [
        ("a.md", ["1", "3"]),
        ("b.md", ["2"]),
    ]


BOMB = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


@pytest.mark.parametrize("declared", [BOMB, OUTSIDE, '<!DOCTYPE x [<!ENTITY % p "x"> %p;]>'])
@pytest.mark.parametrize("text", [XLIFF_1, TMX])
def test_a_document_type_with_entities_is_refused(tmp_path: Path, declared: str, text: str, discox: Command) -> None:
    head, _, rest = text.partition("\n")
    body = unit(1, "&a;", "b") if text == XLIFF_1 else ""
    path = write(tmp_path / "a.xml", f"{head}\n{declared}\n{rest}".format(body))
    result = discox("import", path, "--db", tmp_path / "library.db")
    assert result.code == 1
    assert f"{path}: declares a document type" in result.err
    assert "root:" not in result.out + result.err
    assert result.err.count("\n") == 1


def test_the_document_type_of_tmx_is_named_and_never_opened(tmp_path: Path) -> None:
    """A bare DOCTYPE is accepted, as most tools write it; an entity that only it could declare is refused."""
    named = TMX.replace("<tmx", '<!DOCTYPE tmx SYSTEM "http://localhost:1/tmx14.dtd">\n<tmx')
    good = '<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="fr"><seg>{}</seg></tuv></tu>'
    assert texts(documents(write(tmp_path / "a.tmx", named.format(good.format("b"))))[0]) == [("1", "a", "b")]
    with pytest.raises(FormatError, match="names the entity &eacute;, which is not declared in it; "):
        documents(write(tmp_path / "b.tmx", named.format(good.format("&eacute;"))))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "windows-1252"])
def test_xml_says_its_encoding(tmp_path: Path, encoding: str) -> None:
    declared = XLIFF_1.replace('encoding="UTF-8"', f'encoding="{encoding.removesuffix("-sig")}"')
    (one,) = documents(write(tmp_path / "a.xlf", declared.format(unit(1, "é", "ü")), encoding))
    assert texts(one) == [("1", "é", "ü")]


def test_an_encoding_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    text = XLIFF_1.replace("UTF-8", "GB18030").format(unit(1, "a", "中文"))
    with pytest.raises(
        FormatError, match=r"is in an encoding that cannot be read .*; export it again as XLIFF or TMX in"
    ):
        documents(write(tmp_path / "a.xlf", text, "gb18030"))


def test_xml_that_breaks_off_gives_what_stands_before(tmp_path: Path) -> None:
    whole = XLIFF_1.format("\n".join(unit(n, f"s{n}", f"t{n}") for n in range(1, 4)))
    for cut, more in ((whole.index("<target>t2") + 3, ""), (whole.index("t2"), "&")):
        broken = whole[:cut] + more + ("" if not more else whole[cut:])
        items = list(read_as(write(tmp_path / "a.xlf", broken), "xliff"))
        (one,) = (item for item in items if isinstance(item, Document))
        assert texts(one) == [("1", "s1", "t1")]
        (out,) = (item for item in items if isinstance(item, LeftOut))
        assert (out.line, out.code) == (5, "broken_xml")
    with pytest.raises(FormatError, match=r"is broken at line 2 .*; export the file again"):
        documents(write(tmp_path / "b.xlf", whole[: whole.index("<file") - 20]))


@given(st.binary(max_size=6), st.integers(0, 10**6), st.integers(0, 40), st.sampled_from([XLIFF_1, XLIFF_2, TMX]))
def test_damaged_xml_raises_no_other_error(put: bytes, at: int, cut: int, text: str) -> None:
    body = {
        XLIFF_1: unit(1, 'a<x id="1"/>', "b") + unit(2, "c", "<g>d</g>"),
        XLIFF_2: '<unit id="1"><segment><source>a</source><target>b</target></segment></unit>',
        TMX: '<tu><tuv xml:lang="en"><seg>a</seg></tuv><tuv xml:lang="fr"><seg>b</seg></tuv></tu>',
    }[text]
    data = text.format(body).encode()
    at %= len(data)
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "a.xlf"
        path.write_bytes(data[:at] + put + data[at + cut :])
        connection = open_library(Path(name) / "library.db")
        report = import_path(connection, path)
        assert bool(report.problem) != bool(report.rows)
        assert report.rows == report.stored + report.unchanged + report.left_out
        connection.close()


def test_deep_xml_is_no_trouble(tmp_path: Path) -> None:
    deep = "<group>" * 20_000 + unit(1, "<g>" * 20_000 + "a" + "</g>" * 20_000, "b") + "</group>" * 20_000
    assert texts(documents(write(tmp_path / "a.xlf", XLIFF_1.format(deep)))[0]) == [("1", "a", "b")]


# --- Tables ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "direction"),
    [
        ("a.tsv", "source\ttarget\nOne\t一\nTwo\t二\n", ""),
        ("a.csv", "English,zh-CN\nOne,一\nTwo,二\n", "en-zh"),
        ("a.tsv", "id\ten\tzh\n1\tOne\t一\n2\tTwo\t二\n", "en-zh"),
        ("a.csv", "target;source\n一;One\n二;Two\n", ""),
        ("a.en-zh.tsv", "One\t一\nTwo\t二\n", "en-zh"),
        ("a_en-zh.csv", '"One",一\n"Two",二\n', "en-zh"),
        ("原文.tsv", "原文\t译文\nOne\t一\nTwo\t二\n", ""),
    ],
)
def test_two_columns_are_a_document(tmp_path: Path, name: str, text: str, direction: str) -> None:
    path = write(tmp_path / name, text)
    assert format_in(path) == "bilingual"
    (one,) = documents(path)
    assert texts(one) == [("1", "One", "一"), ("2", "Two", "二")]
    assert (one.article, one.system, one.direction) == (path.stem, path.stem, direction)
    (said,) = documents(path, ReadOptions(system="A", direction="en-ja"))
    assert (said.system, said.direction) == ("A", "en-ja")


def test_rows_of_a_table_that_lack_a_text_are_left_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", 'source\ttarget\nOne\t一\n\tx\nTwo\t \nThree\t三\tmore\n"q" a\t"b\n')
    items = list(read_as(path, "bilingual"))
    assert [(out.line, out.field) for out in items if isinstance(out, LeftOut)] == [
        (3, "source"),
        (4, "translation"),
        (5, ""),
    ]
    (one,) = (item for item in items if isinstance(item, Document))
    assert texts(one) == [("1", "One", "一"), ("2", '"q" a', '"b')]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.tsv", "One\t一\n"),
        ("a.csv", "metric,score\nx,1\n"),
        ("a.csv", "source,target,score\na,b,1\n"),
        ("a.en-zh.tsv", "a\tb\tc\nd\te\tf\n"),
        ("a.csv", "article,system,source,target\na,b,c,d\n"),
    ],
)
def test_other_tables_are_not_taken_for_one(tmp_path: Path, name: str, text: str) -> None:
    assert format_in(write(tmp_path / name, text)) != "bilingual"


def test_a_table_without_a_header_is_read_where_that_is_said(tmp_path: Path) -> None:
    path = write(tmp_path / "a.tsv", "One\t一\n")
    (one,) = (i for i in read_as(path, "bilingual", ReadOptions(direction="en-zh")) if isinstance(i, Document))
    assert texts(one) == [("1", "One", "一")]
    with pytest.raises(FormatError, match=r"is no table of two columns with a header: .*name\.en-zh\.tsv"):
        list(read_as(path, "bilingual"))


def test_systems_of_one_source_stand_beside_each_other_and_twice_is_once(tmp_path: Path, discox: Command) -> None:
    db = tmp_path / "library.db"
    for system in ("A", "B", "A"):
        path = write(tmp_path / "novel.xlf", XLIFF_1.format(unit(1, "One", f"一 {system}")))
        assert discox("import", path, "--system", system, "--db", db).code == 0
    connection = open_library(db, create=False)
    assert connection.execute("SELECT count(*) FROM articles").fetchone() == (1,)
    assert connection.execute("SELECT system, text FROM translations ORDER BY 1").fetchall() == [
        ("A", "一 A"),
        ("B", "一 B"),
    ]
    connection.close()


@given(st.lists(st.tuples(st.text("a江<&\u2028\"'", min_size=1, max_size=5), st.text("b河>&\t", min_size=1, max_size=5)), min_size=1, max_size=4), st.randoms(use_true_random=False))  # fmt: skip
def test_every_way_of_writing_comes_to_the_same_segments(pairs: list[tuple[str, str]], chance: random.Random) -> None:
    pairs = [(f"x{source}y", f"x{target}y".replace("\t", "")) for source, target in pairs]
    units = [unit(n, escape(s), escape(t)) for n, (s, t) in enumerate(pairs, 1)]
    tus = [f'<tu tuid="{n}"><tuv xml:lang="en"><seg>{escape(s)}</seg></tuv><tuv xml:lang="zh"><seg>{escape(t)}</seg></tuv></tu>' for n, (s, t) in enumerate(pairs, 1)]  # fmt: skip
    rows = ["source\ttarget", *(f"{s}\t{t}" for s, t in pairs)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found = [
            texts(documents(write(folder / "a.xlf", XLIFF_1.format("".join(units))))[0]),
            texts(documents(write(folder / "a.tmx", TMX.format(chance.choice(["", "\n"]).join(tus))))[0]),
            texts(documents(write(folder / "a.tsv", "\n".join(rows)))[0]),
        ]
    assert found[0] == found[1] == found[2] == [(str(n), s, t) for n, (s, t) in enumerate(pairs, 1)]


# --- Files of other kinds -------------------------------------------------------------------------------------


def packed(member: str) -> Callable[[Path], object]:
    def make(path: Path) -> None:
        with zipfile.ZipFile(path, "w") as out:
            out.writestr(member, "<x/>")

    return make


def holding(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (holding('# comment\nmsgid ""\nmsgstr ""\n\nmsgid "Hi"\nmsgstr "Hallo"\n'), "gettext catalogue (PO); make it XLIFF"),
        (holding('<?xml version="1.0"?>\n<TS version="2.1"></TS>'), "XML of another kind (<TS>): of XML, XLIFF and TMX"),
        (holding("<!DOCTYPE html>\n<html></html>"), "HTML; save its text"),
        (holding("{\\rtf1 x}"), "RTF; save it as DOCX"),
        (holding("Once upon a time.\nIt rained.\n"), "plain text as it seems; discox import pair SOURCE TRANSLATION"),
        (holding("1\n00:00:01,000 --> 00:00:02,000\nHi\n"), "subtitles; save each language's text"),
        (holding('{"foo": [1], "bar": 2}'), "keys foo, bar; its first object names foo, bar; expected"),
        (holding('{"foo": [1], "bar": 2}'), "or pairs of texts (article, system, source, translation)"),
        (packed("document.mqxliff"), "a package with document.mqxliff in it; unpack it, and name document.mqxliff"),
        (packed("content.xml"), "an OpenDocument file; save it as XLSX"),
        (packed("word/document.xml"), "a Word document; discox import pair SOURCE TRANSLATION"),
        (packed("ppt/presentation.xml"), "of slides; save their text"),
        (packed("designmap.xml"), "of InDesign; export it from there as XLIFF"),
        (packed("any.bin"), "no archive of discox"),
        (lambda path: path.write_bytes(b"%PDF-1.7\n"), "a PDF; save its text"),
        (lambda path: path.write_bytes(b"\xfe\x91 \x80\n\xc3 \xff"), "is none of the formats that can be read; expected"),
    ],
)  # fmt: skip
def test_what_a_file_is_and_what_works_instead_is_said(
    make: Callable[[Path], object], told: str, tmp_path: Path, discox: Command
) -> None:
    path = tmp_path / "file"
    make(path)
    result = discox("import", path, "--db", tmp_path / "library.db")
    assert result.code == 1
    assert told in result.err
    assert result.err.startswith(f"discox: {path}: ")
    assert "; " in result.err
    assert result.err.count("\n") == 1
