"""What MkDocs does beside its own: pages that lie elsewhere, links out of the folder, pictures of runs, the index of search.

`build.py` names the folder of what ran in the environment variable `VELOXEL_SITE_RUN`: `pages/…` holds what the blocks of each page made,
`notebooks/` pages of notebooks, `api_python.md` the API.
"""

from __future__ import annotations

import html
import json
import os
import pathlib
import re

from mkdocs.structure.files import File, Files

ROOT = pathlib.Path(__file__).parents[2]
RUN = pathlib.Path(os.environ["VELOXEL_SITE_RUN"])
#: Pages that lie outside of docs/, and where they are on the site.
ELSEWHERE = {"CONTRIBUTING.md": "project/contributing.md", "ARCHITECTURE.md": "project/architecture.md", "CHANGELOG.md": "project/changelog.md"}
#: Where links to other files of the repository lead, with a slash at its end; without it they are texts.
REPOSITORY = os.environ.get("VELOXEL_REPOSITORY", "")
#: `<!-- picture: FILE | caption -->`: a file that a block of the page made.
PICTURE = re.compile(r"<!-- picture: (\S+) \| (.+?) -->")
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")
HEADING = re.compile(r'<h([1-3])[^>]*id="([^"]*)"[^>]*>(.*?)</h\1>', re.S)
index: list[tuple[str, str, str, str]] = []


def on_files(files: Files, config: dict) -> Files:
    """Adds pages that no file of docs/ holds, and the pictures that runs made."""

    def add(uri: str, **content: object) -> None:
        if found := files.get_file_from_path(uri):
            files.remove(found)
        files.append(File.generated(config, uri, **content))

    for source, uri in ELSEWHERE.items():
        add(uri, content=(ROOT / source).read_text(encoding="utf-8"))
    add("api/python.md", content=(RUN / "api_python.md").read_text(encoding="utf-8"))
    for path in (RUN / "notebooks").glob("*"):
        if path.suffix in (".md", ".png"):
            add(f"notebooks/{path.name}", abs_src_path=str(path))
    for page in files.documentation_pages():
        for name, _ in PICTURE.findall(page.content_string):
            made = RUN / "pages" / page.src_uri.removesuffix(".md") / name
            if not made.exists():
                raise FileNotFoundError(f"{page.src_uri} shows {name}, which its blocks did not make")
            add(picture_uri(page.src_uri, name), abs_src_path=str(made))
    return files


def picture_uri(page: str, name: str) -> str:
    """Where a picture of a page's run lies on the site."""
    return f"made/{page.removesuffix('.md').replace('/', '_')}_{name.replace('/', '_')}"


def on_page_markdown(markdown: str, page: object, config: dict, files: Files) -> str:
    """Pictures of runs, words behind the language of a block, and links that leave docs/."""
    uri = page.file.src_uri
    up = "../" * uri.count("/")
    markdown = PICTURE.sub(lambda m: f"<figure markdown=\"span\">![{m[2]}]({up}{picture_uri(uri, m[1])})<figcaption>{m[2]}</figcaption></figure>", markdown)
    markdown = re.sub(r"^```(\w+),[\w,-]+.*$", r"```\1", markdown, flags=re.M)

    def link(found: re.Match[str]) -> str:
        target = relinked(found[3], uri)
        return found[2] if target is None else f"{found[1]}[{found[2]}]({target}{found[4] or ''})"

    return LINK.sub(link, markdown)


def relinked(target: str, uri: str) -> str | None:
    """A link of a page, from where the page is on the site; none where it leaves a site that knows no repository."""
    if "://" in target or target.startswith(("#", "mailto:")):
        return target
    origin = {there: here for here, there in ELSEWHERE.items()}.get(uri)
    place = (ROOT / (origin or f"docs/{uri}")).parent
    path = os.path.relpath(os.path.normpath(place / target), ROOT)
    up = "../" * uri.count("/")
    outside = f"{REPOSITORY}{path}" if REPOSITORY else None
    if path in ELSEWHERE:
        return up + ELSEWHERE[path]
    if path.startswith("docs/"):
        inside = path.removeprefix("docs/")
        whole = ROOT / path
        if whole.is_dir():
            first = sorted(whole.glob("*.md"))
            return up + first[0].relative_to(ROOT / "docs").as_posix() if first else outside
        return up + inside if not inside.endswith(".sh") else outside
    if not (ROOT / path).exists():
        raise FileNotFoundError(f"{uri} links to {target}, which is not there")
    return outside


def on_page_content(content: str, page: object, config: dict, files: Files) -> str:
    """Puts a page's sections into the index: address, page, section, text."""
    # A page that other pages include has no heading of its own.
    if "<h1" not in content:
        content = f'<h1 id="top">{html.escape(page.title)}</h1>\n{content}'
    heads = list(HEADING.finditer(content))
    ends = [head.start() for head in heads[1:]] + [len(content)]
    for head, end in zip(heads, ends, strict=True):
        anchor = "" if head[1] == "1" else f"#{head[2]}"
        index.append((page.url + anchor, page.title, plain(head[3]), plain(content[head.end() : end])))
    return content


def plain(content: str) -> str:
    """The text of HTML, in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", content)).split())


def on_post_build(config: dict) -> None:
    """Writes the index as a script, which a page may load from file:// as well."""
    target = pathlib.Path(config["site_dir"]) / "search_index.js"
    target.write_text(f"window.searchIndex = {json.dumps(index, ensure_ascii=False)};\n", encoding="utf-8")
