"""A small good file of every format that is read, and everything that can be wrong with one, whatever its format."""

from __future__ import annotations

import codecs
import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, NamedTuple
from xml.sax.saxutils import escape

Kind = Literal["lines", "json", "table", "xml"]


class Sample(NamedTuple):
    """A format. ``write``: texts → the file's content, a row for each, in which the text can be found again.

    ``kind``: an object a line, one JSON value, rows of cells parted by ``delimiter``, or XML, in a line each. ``header``: how many lines
    stand before the first row. ``command``: the words of the command that reads it.
    """

    format: str
    name: str
    write: Callable[[Sequence[str]], str]
    kind: Kind = "lines"
    delimiter: str = ""
    header: int = 0
    command: tuple[str, ...] = ("import",)

    @property
    def id(self) -> str:
        """How tests call it."""
        return f"{self.format} {self.name}"


TEXTS = tuple(f"第{n}段：河水在冬天变浅，渡船仍旧每晚过江。" for n in "一二三四")
"""What a good file holds: Chinese enough that a wrong encoding shows."""


def _lines(rows: Iterable[object]) -> str:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _per_line(row: Callable[[int, str], object]) -> Callable[[Sequence[str]], str]:
    return lambda texts: _lines(row(number, text) for number, text in enumerate(texts, 1))


def _array(row: Callable[[int, str], object], around: str = "[{}]\n") -> Callable[[Sequence[str]], str]:
    def write(texts: Sequence[str]) -> str:
        rows = (json.dumps(row(number, text), ensure_ascii=False) for number, text in enumerate(texts, 1))
        return around.replace("{}", "\n" + ",\n".join(rows) + "\n")

    return write


def _cells(names: str, row: Callable[[int, str], Sequence[object]], delimiter: str) -> Callable[[Sequence[str]], str]:
    def write(texts: Sequence[str]) -> str:
        out = io.StringIO()
        rows = [row(number, text) for number, text in enumerate(texts, 1)]
        if delimiter == "\t" and not names.startswith("article"):
            return "".join("\t".join(map(str, cells)) + "\n" for cells in [*([names.split()] if names else []), *rows])
        writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
        writer.writerows([*([names.split()] if names else []), *rows])
        return out.getvalue()

    return write


def _xml(around: str, row: str) -> Callable[[Sequence[str]], str]:
    def write(texts: Sequence[str]) -> str:
        rows = (row.format(number, number, escape(text)) for number, text in enumerate(texts, 1))
        return around.replace("{}", "".join(f"{each}\n" for each in rows))

    return write


def _pair(n: int, text: str) -> dict[str, Any]:
    return {"article": f"a{n}", "system": "heron", "source": f"source {n}", "translation": text}


def _official(n: int, text: str) -> dict[str, Any]:
    detailed = {f"{judge}_judgement": "[]" for judge in ("accuracy", "fluency", "appropriateness")}
    return {
        "prompt_id": n,
        "ori_text": f"source {n}",
        "reference_list": "",
        "model_output": text,
        "detailed_judgement": detailed,
    }


def _standalone(n: int, text: str) -> dict[str, Any]:
    about = {
        "document_id": f"d{n}",
        "segment_id": 0,
        "system_id": "A",
        "rater_id": "r",
        "src_lang": "zh",
        "tgt_lang": "en",
    }
    return {"source": f"source {n}", "hypothesis": text, "errors": [], **about}


def _task(n: int, text: str) -> dict[str, Any]:
    done = [{"id": n, "result": [], "completed_by": 1, "was_cancelled": False}]
    return {
        "id": n,
        "data": {"source": f"source {n}", "translation": text, "system": "A", "doc": f"d{n}"},
        "annotations": done,
    }


def _comet(n: int, text: str) -> dict[str, Any]:
    return {
        "src": f"source {n}",
        "mt": text,
        "COMET": 0.5,
        "errors": [{"text": text[:1], "confidence": 0.5, "severity": "minor", "start": 0, "end": 1}],
    }


def _log(n: int, text: str) -> dict[str, Any]:
    item = {"item_id": f"en-de_#_news_#_d{n}_#_0", "src": f"source {n}", "tgt": {"A": text}}
    return {"user_id": "eve", "item_i": n, "annotation": [{"A": {"score": 50, "error_spans": []}}], "item": [item]}


def _esa(n: int, text: str) -> dict[str, Any]:
    scores = {"A": [{"score": 50, "annotator": "eve", "errors": [], "protocol": "ESA"}]}
    return {
        "doc_id": f"en-de_#_news_#_d{n}_#_{n}",
        "src_text": f"source {n}",
        "tgt_text": {"A": text},
        "scores": scores,
    }


def _test_set(n: int, text: str) -> dict[str, Any]:
    return {
        "doc_id": f"WMT26_###_news_###_eng_Latn_###_isl_Latn_###_d{n}",
        "domain": "news",
        "src_lang": "eng_Latn",
        "tgt_lang": "isl_Latn",
        "src_text": f"source {n}",
        "refs": {"refA": {"ref": text}},
    }


def _bio(n: int, text: str) -> dict[str, Any]:
    error = {"term": text[:1], "startIndex": 0, "endIndex": 0, "error_category": "Accuracy", "severity": "Major"}
    about = {"SEG_ID": "1", "MT_Engine": "A", "Annotator_ID": "eve", "DOC_ID": f"d{n}"}
    return {"source": f"source {n}", "target": text, "source_errors": [], "target_errors": [error], **about}


def _appraise(n: int, text: str) -> dict[str, Any]:
    target = {"target_id": "A", "target_text": text, "score": 50, "mqm_annotations": "[]"}
    about = {"item_id": n, "item_type": "TGT", "document_id": f"d{n}", "task_type": "PairwiseESA"}
    return {"annotator": "eve", "source_id": f"s{n}", "source_text": f"source {n}", "targets": [target], **about}


def _event(n: int, text: str) -> dict[str, Any]:
    about = {"id": f"e{n}", "at": f"2026-05-04T12:00:0{n}.000000Z", "reviewer": "lin", "kind": "verdict"}
    return {**about, "evaluation": "x", "finding": f"f{n}", "changes": {"note": text}}


XLIFF = '<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">\n{}</xliff>\n'
TMX = '<tmx version="1.4"><header srclang="en"/><body>\n{}</body></tmx>\n'
MQM = "system doc doc_id seg_id rater source target category severity"
TASK = "doc_id segment_id set_id system_id source_segment hypothesis_segment start_indices end_indices error_types"
BIO = "SEG_ID Doc Source Tagged_Source Target MT Tagged_Target Error_Category Severity Annotator_ID"
SQM = "system doc doc_id seg_id rater source target score"
GEMBA = "Critical:\nno-error\nMajor:\nno-error\nMinor:\nno-error\n"

SAMPLES = (
    Sample("wmt-mqm", "mqm.tsv", _cells(MQM, lambda n, t: ["A", f"d{n}", n, n, "r", f"source {n}", t, "No-error", "No-error"], "\t"), "table", "\t", 1),
    Sample("mt-metrics-eval", "ratings.jsonl", _per_line(_standalone)),
    Sample("label-studio", "tasks.json", _array(_task), "json", header=1),
    Sample("xcomet", "xcomet.json", _array(_comet, '{"A.txt": [{}]}\n'), "json", header=1),
    Sample("pearmut", "log.jsonl", _per_line(_log)),
    Sample("wmt-esa", "esa.jsonl", _per_line(_esa)),
    Sample(
        "appraise-esa",
        "esa.csv",
        _cells("", lambda n, t: ["eve", "A", n, "TGT", f"source {n}", t, 50, f"d{n}", "False", "[]", 1.5, 2.5], ","),
        "table",
        ",",
    ),
    Sample("wmt-general", "wmt26-genmt.jsonl", _per_line(_test_set)),
    Sample("wmt-mteval", "osprey.tsv", _cells(TASK, lambda n, t: [f"d{n}", 0, "official", "A", f"source {n}", t, -1, -1, "no-error"], "\t"), "table", "\t", 1),
    Sample("appraise-jsonl", "campaign.jsonl", _per_line(_appraise)),
    Sample("bio-mqm", "bio.json", _array(_bio), "json", header=1),
    Sample("bio-mqm", "bio_de2en.tsv", _cells(BIO, lambda n, t: [1, f"d{n}", f"source {n}", "", t, "A", "", "", "", "eve"], "\t"), "table", "\t", 1),
    Sample("translate5", "task.csv", _cells("id source target", lambda n, t: [f"d{n}-1_de_A", f"<mqm:startIssue id=\"{n}\" type=\"x\" agent=\"a\"/>source<mqm:endIssue id=\"{n}\"/> {n}", t], ","), "table", ",", 1),
    Sample("xliff", "heron.xlf", _xml(XLIFF, '<file original="d{}"><body><trans-unit id="1"><source>source {}</source><target>{}</target></trans-unit></body></file>'), "xml", header=1),
    Sample("tmx", "heron.tmx", _xml(TMX, '<tu><prop type="file">d{}</prop><tuv xml:lang="en"><seg>source {}</seg></tuv><tuv xml:lang="zh"><seg>{}</seg></tuv></tu>'), "xml", header=1),
    Sample("bilingual", "novel.en-zh.tsv", _cells("id en zh", lambda n, t: [n, f"source {n}", t], "\t"), "table", "\t", 1),
    Sample("bilingual", "novel.csv", _cells("id source target", lambda n, t: [n, f"source {n}", t], ","), "table", ",", 1),
    Sample("judge-answers", "answers.jsonl", _per_line(lambda n, t: {"source": f"source {n}", "translation": t, "system": "A", "doc": f"d{n}", "answer": GEMBA})),
    Sample("wmt-scores", "psqm.tsv", _cells(SQM, lambda n, t: ["A", f"d{n}", n, n, "r", f"source {n}", t, 5], "\t"), "table", "\t", 1),
    Sample("pairs", "pairs.csv", _cells("article system source translation", lambda n, t: list(_pair(n, t).values()), ","), "table", ",", 1),
    Sample("pairs", "pairs.tsv", _cells("article system source translation", lambda n, t: list(_pair(n, t).values()), "\t"), "table", "\t", 1),
    Sample("pairs", "pairs.jsonl", _per_line(_pair)),
    Sample("pairs", "pairs.json", _array(_pair), "json", header=1),
    Sample("discox-partial", "heron-DISCOXpartial.jsonl", _per_line(_official)),
    Sample("discox-result", "heron-DISCOXresult.json", _array(_official, '{"model": "heron", "detailed_results": [{}]}\n'), "json", header=1),
    Sample("discox-dataset", "set.jsonl", _per_line(lambda n, t: {"prompt_id": n, "ori_text": t, "reference_list": ""})),
    Sample("discox-dataset", "set.json", _array(lambda n, t: {"prompt_id": n, "ori_text": t, "reference_list": ""}), "json", header=1),
    Sample("scores", "scores.csv", _cells("metric system article score", lambda n, t: ["chrF", "A", t, n], ","), "table", ",", 1, ("import", "scores")),
    Sample("scores", "scores.jsonl", _per_line(lambda n, t: {"metric": "chrF", "system": "A", "article": t, "score": n}), command=("import", "scores")),
    Sample("verdict-log", "log.jsonl", _per_line(_event), command=("verdicts", "import")),
)  # fmt: skip


class Bad(NamedTuple):
    """What a file holds, and what must come of it.

    ``texts`` arrive as they are, and no other but ``perhaps`` these. ``told``: one of each of these groups is said. ``fails``: nothing
    arrives and the exit code is 1; None: either will do.
    """

    content: bytes
    texts: Sequence[str] = ()
    perhaps: Sequence[str] = ()
    told: Sequence[Sequence[str]] = ()
    fails: bool | None = False


HALF = "\ud800"


def _row_in(sample: Sample, content: str, number: int) -> str:
    """The content with the row of this number, from 1, left out: what stands before it and after it."""
    return content.split("\n")[sample.header + number - 1]


def byte_order_mark(sample: Sample) -> Bad:
    """UTF-8 with a mark before it."""
    return Bad(codecs.BOM_UTF8 + sample.write(TEXTS).encode(), TEXTS)


def utf_16(sample: Sample) -> Bad:
    """As Windows calls Unicode."""
    return Bad(sample.write(TEXTS).encode("utf-16"), told=[["UTF-16"], ["iconv"]], fails=True)


def gb18030(sample: Sample) -> Bad:
    """As much Chinese text is stored."""
    return Bad(sample.write(TEXTS).encode("gb18030"), told=[["GB18030"], ["iconv"]], fails=True)


def crlf(sample: Sample) -> Bad:
    """Lines as Windows ends them."""
    return Bad(sample.write(TEXTS).replace("\n", "\r\n").encode(), TEXTS)


def lone_cr(sample: Sample) -> Bad:
    """Lines as nobody ends them any more: what arrives is right, what does not is said."""
    return Bad(sample.write(TEXTS).replace("\n", "\r").encode(), perhaps=TEXTS, fails=None)


def other_line_ends(sample: Sample) -> Bad:
    """Characters that end a line for some programs, and here stand in a text."""
    texts = [TEXTS[0], "a\u2028b\u2029c\x85d\x0be\x0cf", TEXTS[2]]
    return Bad(sample.write(texts).encode(), texts)


def nul(sample: Sample) -> Bad:
    """A character that no text has: kept one for one, and said; a note is kept as it was written."""
    texts = [TEXTS[0], "河\0水", TEXTS[2]]
    if sample.command == ("verdicts", "import"):
        return Bad(sample.write(texts).encode(), TEXTS[:3:2], ["河\0水", "河"])  # SQL shows it up to there
    perhaps = ["河\ufffd水"]
    return Bad(sample.write(texts).encode(), TEXTS[:3:2], perhaps, [["NUL"]])


def lone_surrogate(sample: Sample) -> Bad:
    """Half a character: in JSON as an escape, else as bytes that are no UTF-8."""
    content = sample.write([TEXTS[0], f"河{HALF}水", TEXTS[2]])
    if sample.kind == "table":
        line = str(sample.header + 2)
        return Bad(content.encode("utf-8", "surrogatepass"), TEXTS[:3:2], told=[[f":{line}:"], ["UTF-8"]])
    escaped = content.replace(HALF, "\\ud800")
    return Bad(escaped.encode(), TEXTS[:3:2], ["河\ufffd水"], [["surrogate"]])


def quotes(sample: Sample) -> Bad:
    """Quotation marks where a cell begins, doubled and single."""
    texts = [TEXTS[0], '"河"水', '"" \'x\' ""', "“河", TEXTS[2]]
    return Bad(sample.write(texts).encode(), texts)


def open_quote(sample: Sample) -> Bad | None:
    """A quotation mark that opens a cell and is not closed: a letter of raw TSV, the row's end in CSV."""
    if sample.kind != "table":
        return None
    content = sample.write([TEXTS[0], "QQQ", TEXTS[2]]).replace("QQQ", '"QQQ')
    if sample.delimiter == "\t":
        return Bad(content.encode(), [TEXTS[0], '"QQQ', TEXTS[2]])
    return Bad(content.encode(), TEXTS[:3:2], told=[[f":{sample.header + 2}:"], ["quot"]])


def short_row(sample: Sample) -> Bad:
    """A row that ends too early, or an object that is none."""
    content = sample.write([TEXTS[0], TEXTS[1], TEXTS[2]])
    row = _row_in(sample, content, 2)
    short = sample.delimiter.join(row.split(sample.delimiter)[:2]) if sample.kind == "table" else "[1]"
    short += "," * (sample.kind == "json")
    return Bad(content.replace(row, short).encode(), TEXTS[:3:2], told=[[f":{sample.header + 2}:"]])


def long_row(sample: Sample) -> Bad:
    """A row with cells too many, or two objects where one should be."""
    content = sample.write([TEXTS[0], TEXTS[1], TEXTS[2]])
    row = _row_in(sample, content, 2)
    if sample.kind == "json":
        return Bad(content.replace(row, f"3,\n{row}").encode(), TEXTS[:3], told=[[f":{sample.header + 2}:"]])
    more = sample.delimiter.join(["", "x", "y"]) if sample.kind == "table" else " {}"
    return Bad(content.replace(row, row + more).encode(), TEXTS[:3:2], TEXTS[1:2], told=[[f":{sample.header + 2}:"]])


def twice(sample: Sample) -> Bad:
    """Every row two times."""
    return Bad(sample.write([text for text in TEXTS for _ in range(2)][:4]).encode(), TEXTS[:2])


def one_name_for_two(sample: Sample) -> Bad | None:
    """Another text under a name that was there: both arrive."""
    content = sample.write(TEXTS[:2])
    second = _row_in(sample, content, 2)
    again = _row_in(sample, content, 1).replace(TEXTS[0], TEXTS[2]).removesuffix(",")
    between = ",\n" if sample.kind == "json" else "\n"
    return Bad(content.replace(second, f"{second}{between}{again}").encode(), TEXTS[:2], perhaps=TEXTS[2:3])


def half_written(sample: Sample) -> Bad:
    """A file that breaks off in its last row, in the middle of a character."""
    content = sample.write(TEXTS[:3])
    data = content[: content.index(TEXTS[2]) + 5].encode()[:-1]
    told = [[f":{sample.header + 3}:"], ["within a character", "not UTF-8"]]
    return Bad(data, TEXTS[:2], told=told)


def empty(sample: Sample) -> Bad:
    """Nothing."""
    return Bad(b"", told=[["empty"]], fails=True)


def blank(sample: Sample) -> Bad:
    """As good as nothing."""
    return Bad(b"\xef\xbb\xbf \n\r\n\n", told=[["empty"]], fails=True)


def header_alone(sample: Sample) -> Bad:
    """No row at all."""
    return Bad(sample.write([]).encode(), fails=None)


def deep(sample: Sample) -> Bad:
    """JSON nested beyond what can be read."""
    content = sample.write(TEXTS[:3])
    row = _row_in(sample, content, 2)
    bad = "[" * 100_000 + "]" * 100_000 + "," * (sample.kind == "json")
    return Bad(content.replace(row, bad).encode(), TEXTS[:3:2], told=[[f":{sample.header + 2}:"]])


def deep_first(sample: Sample) -> Bad:
    """The same in the first row, by which a file is known."""
    content = sample.write(TEXTS[:3])
    row = _row_in(sample, content, 1)
    bad = '{"a":[' * 50_000 + "]}" * 50_000 + "," * (sample.kind == "json")
    return Bad(content.replace(row, bad).encode(), TEXTS[1:3], told=[[f":{sample.header + 1}:"]])


def deep_list_first(sample: Sample) -> Bad:
    """Likewise, in lists: a file of lines then begins as a list does."""
    content = sample.write(TEXTS[:3])
    row = _row_in(sample, content, 1)
    bad = "[" * 100_000 + "]" * 100_000 + "," * (sample.kind == "json")
    return Bad(content.replace(row, bad).encode(), TEXTS[1:3], told=[[f":{sample.header + 1}:"]])


def deep_field(sample: Sample) -> Bad | None:
    """A field of a good row that is nested so deep: the row is left out."""
    if sample.kind == "table":
        return None
    content = sample.write(TEXTS[:3])
    row = _row_in(sample, content, 2)
    bad = row.replace("{", '{"more": ' + "[" * 950 + "]" * 950 + ", ", 1)
    return Bad(content.replace(row, bad).encode(), TEXTS[:3:2], told=[[f":{sample.header + 2}:"], ["deep"]])


def no_row_first(sample: Sample) -> Bad | None:
    """A first row that is none, by which a file is not known."""
    if sample.kind == "table":
        return None
    content = sample.write(TEXTS[:3])
    row = _row_in(sample, content, 1)
    bad = '{"another": 1}' + "," * (sample.kind == "json")
    return Bad(content.replace(row, bad).encode(), TEXTS[1:3], told=[[f":{sample.header + 1}:"]])


def broken_row(sample: Sample) -> Bad | None:
    """A row that is no JSON: it alone is left out where the next begins a line."""
    if sample.kind == "table":
        return None
    content = sample.write(TEXTS[:3])
    row = _row_in(sample, content, 2)
    return Bad(content.replace(row, row.replace(":", "", 1)).encode(), TEXTS[:3:2], told=[[f":{sample.header + 2}:"]])


def zip_bomb(sample: Sample) -> Bad:
    """A zip file that would fill the disk, under the format's own name."""
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("manifest.json", b" " * (65 << 20))
    return Bad(out.getvalue(), told=[["zip", "UTF-8", "none of the formats", "table of scores"]], fails=True)


def path_out(sample: Sample) -> Bad:
    """A zip file that would write beside itself."""
    import zipfile

    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as packed:
        packed.writestr("../../evil", b"x")
    return Bad(out.getvalue(), told=[["zip", "UTF-8", "none of the formats", "table of scores"]], fails=True)


BAD = (
    *(byte_order_mark, utf_16, gb18030, crlf, lone_cr, other_line_ends, nul, lone_surrogate, quotes, open_quote),
    *(short_row, long_row, twice, one_name_for_two, half_written, empty, blank, header_alone, deep),
    *(deep_first, deep_list_first, deep_field, no_row_first, broken_row),
    *(zip_bomb, path_out),
)
"""Everything that can be wrong: sample → a bad file, None where its format knows no such thing."""
OF_XML = (
    byte_order_mark,
    crlf,
    lone_cr,
    quotes,
    twice,
    one_name_for_two,
    empty,
    blank,
    header_alone,
    zip_bomb,
    path_out,
)
"""Faults that XML can have as other files do; a broken line breaks all of XML, which has tests of its own."""
