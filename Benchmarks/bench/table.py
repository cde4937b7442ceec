"""Tables in Markdown, written between two comments of a document: `<!-- bench:NAME -->` and `<!-- /bench:NAME -->`."""
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True)
class Table:
    """`name` is the marker's; `notes` stand below the table, one paragraph each."""

    name: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = field(default_factory=list)

    def markdown(self) -> str:
        lines = [self.columns, ["---"] * len(self.columns), *self.rows]
        for row in lines:
            if len(row) != len(self.columns):
                raise ValueError(f"{self.name}: a row has {len(row)} cells, not {len(self.columns)}: {row}")
        text = "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in lines)
        return "\n\n".join([text, *self.notes])


def markers(document: str, name: str) -> tuple[str, str]:
    """The comments around a table. Raises ValueError unless each is there once, in this order: no figure may get lost."""
    begin, end = f"<!-- bench:{name} -->", f"<!-- /bench:{name} -->"
    if document.count(begin) != 1 or document.count(end) != 1 or document.index(begin) > document.index(end):
        raise ValueError(f"the document needs the lines {begin} and {end}, once each")
    return begin, end


def page_of(pages: Sequence[Path], name: str) -> Path:
    """The one page with the markers of a table. Raises ValueError unless exactly one has them."""
    found = [page for page in pages if f"<!-- bench:{name} -->" in page.read_text()]
    if len(found) != 1:
        raise ValueError(f"the table {name} needs its markers on one of {', '.join(page.name for page in pages)}")
    markers(found[0].read_text(), name)
    return found[0]


def replaced(document: str, table: Table) -> str:
    """The document with the table between its markers."""
    begin, end = markers(document, table.name)
    between = re.compile(re.escape(begin) + ".*?" + re.escape(end), re.DOTALL)
    # A function, because backslashes in a replacement text have a meaning.
    return between.sub(lambda _: f"{begin}\n{table.markdown()}\n{end}", document)


def write(path: Path, tables: Sequence[Table]) -> None:
    """Writes all tables or none."""
    document = path.read_text()
    for table in tables:
        document = replaced(document, table)
    path.write_text(document)
