"""Runs the notebooks and turns each into a page of Markdown, with its texts and pictures."""

from __future__ import annotations

import base64
import pathlib
import re

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

#: Colours of a terminal, in tracebacks.
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def run(notebook: pathlib.Path, folder: pathlib.Path) -> list[str]:
    """Runs a notebook in `folder` and writes there `NAME.md` and its pictures; returns what went wrong.

    A notebook is committed without outputs: one that has some is refused.
    """
    content = nbformat.read(notebook, as_version=4)
    cells = [cell for cell in content.cells if cell.cell_type == "code"]
    if any(cell.outputs or cell.execution_count for cell in cells):
        return [f"{notebook}: is committed with outputs: clear them"]
    folder.mkdir(parents=True, exist_ok=True)
    try:
        where = {"metadata": {"path": str(folder)}}
        NotebookClient(content, timeout=240, kernel_name="python3", resources=where).execute()
    except CellExecutionError as error:
        return [f"{notebook}: {COLOURS.sub('', str(error))}"]
    pieces = [_cell(cell, notebook.stem, nth, folder) for nth, cell in enumerate(content.cells)]
    link = f"This page is the notebook [`docs/notebooks/{notebook.name}`]({notebook.name}), run when the site was built."
    pieces.insert(1, link)
    (folder / f"{notebook.stem}.md").write_text("\n\n".join(pieces) + "\n", encoding="utf-8")
    return []


def _cell(cell: nbformat.NotebookNode, name: str, nth: int, folder: pathlib.Path) -> str:
    if cell.cell_type == "markdown":
        return cell.source
    pieces = [f"```python\n{cell.source}\n```"]
    for number, output in enumerate(cell.outputs):
        pieces.append(_output(output, f"{name}_{nth}_{number}.png", folder))
    return "\n\n".join(piece for piece in pieces if piece)


def _output(output: nbformat.NotebookNode, picture: str, folder: pathlib.Path) -> str:
    data = output.get("data", {})
    if "image/png" in data:
        (folder / picture).write_bytes(base64.b64decode(data["image/png"]))
        return f"![Result of the cell above]({picture})"
    text = output.get("text") or data.get("text/plain") or ""
    text = COLOURS.sub("", text).rstrip()
    return f'<div class="output" markdown="1">\n\n```text\n{text}\n```\n\n</div>' if text else ""
