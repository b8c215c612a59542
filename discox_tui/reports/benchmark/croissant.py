"""Description of a written data set in Croissant 1.0, by which other libraries load it; pure, no file is read."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from storage.exports.dataset import BuiltArticle
from storage.formats.own.written_rows import OFFICIAL, SHA256

NAME = "croissant.json"
CONFORMS = "http://mlcommons.org/croissant/1.0"
_CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "equivalentProperty": "cr:equivalentProperty",
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_FIELDS = {
    "article": ("sc:Text", "the article's name"),
    "prompt_id": ("sc:Integer", "its number in DiscoX's layout"),
    "direction": ("sc:Text", "from which language into which, as zh-en"),
    "domain": ("sc:Text", "the domain"),
    "subdomain": ("sc:Text", "the second domain"),
    "source": ("sc:Text", "the text to translate"),
    "rubric": ("sc:Text", "the rubric that judges read, a line for each point"),
    "prompt": ("sc:Text", "what a system is asked"),
    "origin": ("sc:Text", "where the text is from"),
    "licence": ("sc:Text", "on what terms it may be used"),
    "version": ("sc:Integer", "the version of text and rubric, from 1"),
    SHA256: ("sc:Text", "SHA-256 of source, NUL, rubric"),
}
"""Fields that are one value in every article; points and filter results are lists within a row."""


@dataclass(frozen=True, slots=True)
class Description:
    """Words of a data set's authors on it; "" and () for what nobody said."""

    name: str
    text: str
    url: str = ""
    creators: tuple[str, ...] = ()


def croissant(
    about: Description, files: Mapping[str, str], built: Sequence[BuiltArticle], *, date: str
) -> dict[str, Any]:
    """Return the description of data files: their names → SHA-256, of these articles.

    The records are those of the JSON Lines, else of the JSON. ``date``: of the last change, as YYYY-MM-DD.
    """
    licences = sorted({each.candidate.licence for each in built if each.candidate.licence})
    languages = sorted({code for each in built for code in each.article.direction.split("-") if code})
    described: dict[str, Any] = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": CONFORMS,
        "name": about.name,
        "description": about.text,
        "license": licences[0] if len(licences) == 1 else licences or "not said",
        "inLanguage": languages,
        "datePublished": date,
        "version": f"1.0.{sum(each.version - 1 for each in built)}",
    }
    if about.url:
        described["url"] = about.url
    if about.creators:
        described["creator"] = [{"@type": "sc:Person", "name": name} for name in about.creators]
    described["distribution"] = [
        {
            "@type": "cr:FileObject",
            "@id": name,
            "name": name,
            "contentUrl": name,
            "encodingFormat": "application/jsonlines" if _is_lines(name) else "application/json",
            "sha256": digest,
        }
        for name, digest in files.items()
    ]
    described["recordSet"] = [_records(next(filter(_is_lines, files), next(iter(files))))]
    return described


def _is_lines(name: str) -> bool:
    return Path(name).suffix.lower() == ".jsonl"


def _records(file: str) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": "articles",
        "name": "articles",
        "description": "An article a record.",
        "key": {"@id": "articles/article"},
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"articles/{name}",
                "name": name,
                "description": said,
                "dataType": kind,
                "source": {"fileObject": {"@id": file}, "extract": _extract(file, name)},
            }
            for name, (kind, said) in _FIELDS.items()
        ],
    }


def _extract(file: str, name: str) -> dict[str, str]:
    return {"column": name} if _is_lines(file) else {"jsonPath": f"$[*].{OFFICIAL.get(name, name)}"}


def write_croissant(path: Path, described: Mapping[str, Any]) -> None:
    """Write a description as JSON-LD."""
    path.write_text(json.dumps(described, ensure_ascii=False, indent=1) + "\n", encoding="utf-8", newline="\n")


def is_croissant(path: Path) -> bool:
    """Tell if a file is such a description, which another one may replace."""
    try:
        with path.open(encoding="utf-8") as file:
            return f'"conformsTo": "{CONFORMS}"' in file.read(4_000)
    except (OSError, ValueError):
        return False
