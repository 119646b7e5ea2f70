"""Looks at a built site: links that lead nowhere, and anything that a page would fetch from outside."""

from __future__ import annotations

import html.parser
import pathlib
import urllib.parse

#: Attributes by which a page fetches something as it opens, and those that a reader follows.
FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("iframe", "src"), ("source", "src"), ("video", "src")}


class Page(html.parser.HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.fetched: list[str] = []
        self.linked: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name == "id" and value:
                self.anchors.add(value)
            elif value and (tag, name) in FETCHED:
                self.fetched.append(value)
            elif value and (tag, name) == ("a", "href"):
                self.linked.append(value)


def wrong(site: pathlib.Path, left_out: tuple[str, ...]) -> list[str]:
    """What is wrong with the pages of a site; addresses that begin with one of `left_out` are not looked at."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in site.rglob("*.html") if not path.is_relative_to(site / "rust")}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site)
        found += [f"{name} fetches {address} from outside" for address in page.fetched if "//" in address]
        for address in (*page.fetched, *page.linked):
            parts = urllib.parse.urlsplit(address)
            if parts.scheme or address.startswith("//"):
                continue
            target = (path.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else path
            if any(target.is_relative_to(site / folder) for folder in left_out):
                continue
            if not target.exists():
                found.append(f"{name} leads to {address}, which is not there")
            elif parts.fragment and target in pages and parts.fragment not in pages[target].anchors:
                found.append(f"{name} leads to {address}, which has no such section")
    for path in site.glob("*.css"):
        if "url(" in path.read_text(encoding="utf-8") or "@import" in path.read_text(encoding="utf-8"):
            found.append(f"{path.name} fetches another file")
    return sorted(set(found))
