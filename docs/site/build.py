"""Builds the site: runs every block and notebook, then MkDocs, then looks at every link. `cargo xtask docs` calls it.

    python docs/site/build.py COMMAND SITE [PAGE …]

COMMAND is the program `veloxel`, SITE the folder that is made anew; the package `veloxel` must be importable. With PAGEs (`tasks/brain.md`)
only their blocks run and no site is made.
"""

from __future__ import annotations

import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
DOCS = HERE.parent


def ran(command: pathlib.Path, work: pathlib.Path, chosen: list[str]) -> list[str]:
    """Runs blocks and notebooks, two at a time; returns what went wrong."""
    import notebooks
    import snippets

    pages = [path for path in sorted(DOCS.rglob("*.md")) if not chosen or path.relative_to(DOCS).as_posix() in chosen]
    tasks = [(snippets.run_page, page, work / "pages" / page.relative_to(DOCS).with_suffix(""), command) for page in pages]
    books = [path for path in sorted((DOCS / "notebooks").glob("*.ipynb")) if not chosen or f"notebooks/{path.name}" in chosen]
    tasks += [(notebooks.run, book, work / "notebooks") for book in books]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        found = list(pool.map(timed, tasks))
    for seconds, (_, page, *_), _ in sorted(found, key=lambda one: -one[0])[:5]:
        print(f"{seconds:6.1f} s  {page.relative_to(DOCS)}")
    print(f"{len(tasks)} pages and notebooks ran")
    return [line for _, _, wrong in found for line in wrong]


def timed(task: tuple) -> tuple[float, tuple, list[str]]:
    """A task's time, itself, and what went wrong."""
    began = time.monotonic()
    wrong = task[0](*task[1:])
    return time.monotonic() - began, task, wrong


def made(site: pathlib.Path, work: pathlib.Path) -> list[str]:
    """Makes the site's pages; returns what went wrong."""
    import python_api

    import links

    (work / "api_python.md").write_text(python_api.page(), encoding="utf-8")
    words = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--config-file", str(DOCS.parent / "mkdocs.yml")]
    environment = {**os.environ, "VELOXEL_SITE_RUN": str(work)}
    done = subprocess.run([*words, "--site-dir", str(site)], env=environment, capture_output=True, text=True)
    if done.returncode:
        return [done.stdout + done.stderr]
    return links.wrong(site.resolve(), left_out=("rust",))


def main(command: str, site: str, *chosen: str) -> int:
    """Does it, and returns the exit code."""
    program, target = pathlib.Path(command).absolute(), pathlib.Path(site).resolve()
    work = target.with_name(target.name + "-run")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    wrong = ran(program, work, list(chosen))
    if not wrong and not chosen:
        wrong = made(target, work)
    print("\n".join(wrong), file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
