"""Runs the blocks of code of the site's pages: every page in a folder of its own, from its first block to its last.

A block ```python runs in the page's one namespace, ```sh in a shell with the built `veloxel` on its path; both see the files that
blocks before them made. ```sh,parse names files or programs of the reader: only the usage of its lines of `veloxel` is checked.
Blocks of Rust are doctests (crates/veloxel/src/lib.rs). Other blocks are texts.
"""

from __future__ import annotations

import dataclasses
import os
import pathlib
import re
import shlex
import subprocess
import sys

FENCE = re.compile(r"^```([\w,-]+)[^\n]*\n(.*?)^```$", re.S | re.M)
#: What `veloxel` ends with after a wrong command line.
WRONG_USAGE = 2


@dataclasses.dataclass
class Block:
    """A block of code: its language with what stands behind the comma, its text, and where it begins."""

    language: str
    text: str
    line: int


def blocks(markdown: str) -> list[Block]:
    """The blocks of a page, in order."""
    return [Block(m[1], m[2], markdown[: m.start()].count("\n") + 1) for m in FENCE.finditer(markdown)]


def run_page(page: pathlib.Path, folder: pathlib.Path, command: pathlib.Path, seconds: float = 240) -> list[str]:
    """Runs a page's blocks in `folder`, with `command` as `veloxel`; returns what went wrong, a line or more each."""
    wanted = [block for block in blocks(page.read_text(encoding="utf-8")) if block.language in ("python", "sh", "sh,parse")]
    if not wanted:
        return []
    folder.mkdir(parents=True)
    if any(block.language == "python" for block in wanted):
        # Python's blocks share names, also across blocks of the shell: one program runs them all.
        return _run([sys.executable, __file__, str(page)], folder, command, seconds, str(page))
    wrong = []
    for block in wanted:
        wrong += shell(block, page, folder, command, seconds)
        if wrong:
            break
    return wrong


def shell(block: Block, page: pathlib.Path, folder: pathlib.Path, command: pathlib.Path, seconds: float = 240) -> list[str]:
    """Runs a block of the shell, or checks its lines of `veloxel`."""
    where = f"{page}:{block.line}"
    if block.language == "sh":
        return _run(["bash", "-euo", "pipefail", "-c", block.text], folder, command, seconds, where)
    wrong = []
    for line in block.text.replace("\\\n", " ").splitlines():
        for part in re.split(r"\s[|;]\s|&&", line):
            words = shlex.split(part, comments=True)
            if words[:1] == ["veloxel"]:
                wrong += usage(words[1:], command, f"{where}: {part.strip()}")
    return wrong


def usage(words: list[str], command: pathlib.Path, where: str) -> list[str]:
    """Whether the command takes these words: `--help` behind them ends it before it reads a file, unless a word is wrong."""
    words = [word for word in words if word not in (">", "<")]
    done = subprocess.run([command, *words, "--help"], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60)
    return [] if done.returncode != WRONG_USAGE else [f"{where}\n{done.stderr}"]


def _run(words: list[str], folder: pathlib.Path, command: pathlib.Path, seconds: float, where: str) -> list[str]:
    path = os.pathsep.join([str(command.parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "VELOXEL": str(command), "MPLBACKEND": "agg"}
    try:
        done = subprocess.run(
            words, cwd=folder, env=environment, capture_output=True, text=True, timeout=seconds, stdin=subprocess.DEVNULL
        )
    except subprocess.TimeoutExpired:
        return [f"{where}: did not end within {seconds:.0f} s"]
    return [] if done.returncode == 0 else [f"{where}\n{done.stdout}{done.stderr}".rstrip()]


def _python_page(page: pathlib.Path) -> None:
    """Runs the blocks of one page in this process and folder."""
    names: dict[str, object] = {"__name__": "page"}
    command = pathlib.Path(os.environ["VELOXEL"])
    for block in blocks(page.read_text(encoding="utf-8")):
        if block.language == "python":
            # Empty lines before it: errors then name the page's lines.
            exec(compile("\n" * block.line + block.text, str(page), "exec"), names)
        elif block.language in ("sh", "sh,parse"):
            wrong = shell(block, page, pathlib.Path.cwd(), command)
            if wrong:
                sys.exit("\n".join(wrong))


if __name__ == "__main__":
    _python_page(pathlib.Path(sys.argv[1]))
