"""Documents are short, whole, and their links lead somewhere.

README.md and ARCHITECTURE.md keep to a length. Each relative link of a document leads to a file and,
behind a #, to a heading. Each path in backticks that begins in a folder of the tree is there.
docs/SUMMARY.md lists each page of docs/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from repository import ROOT, files

LONGEST = {"README.md": 150, "ARCHITECTURE.md": 250}

LINK = re.compile(r"\]\(([^)\s]+)\)")
# A word of code that begins like a path. What has a place to fill in is no path.
PATH = re.compile(r"`([\w.-]+/[\w./-]*)(?=[`\s:])")


def check(_update: bool) -> Iterator[str]:
    """One line for each document that is too long, or link that leads nowhere."""
    for name, most in LONGEST.items():
        lines = len((ROOT / name).read_text(encoding="utf-8").splitlines())
        if lines > most:
            yield f"{name}: {lines} lines; move what is more than {most} to docs/"
    for page in pages():
        yield from broken(page)
        yield from missing(page)
    yield from unlisted()


def pages() -> list[Path]:
    """All Markdown files."""
    return [ROOT / name for name in files() if name.endswith(".md")]


def broken(page: Path) -> Iterator[str]:
    """The links of a page that lead nowhere."""
    for link in LINK.findall(prose(page.read_text(encoding="utf-8"))):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, heading = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists():
            yield f"{page.relative_to(ROOT)}: the link {link} leads nowhere"
        elif heading and heading not in anchors(target.read_text(encoding="utf-8")):
            yield f"{page.relative_to(ROOT)}: {link}: there is no such heading"


def missing(page: Path) -> Iterator[str]:
    """The paths that a page names and that are not there. Those of the build's folder come and go."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for path in dict.fromkeys(PATH.findall(text)):
        top = path.split("/")[0]
        if top != "target" and (ROOT / top).is_dir() and not (ROOT / path).exists():
            yield f"{page.relative_to(ROOT)}: there is no {path}"


def prose(text: str) -> str:
    """A text without its blocks and words of code."""
    return re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)


def anchors(text: str) -> set[str]:
    """What links to the headings of a text end with."""
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def unlisted() -> Iterator[str]:
    """Pages that no reader of the summary finds."""
    docs = ROOT / "docs"
    summary = (docs / "SUMMARY.md").read_text(encoding="utf-8")
    listed = {(docs / link).resolve() for link in LINK.findall(summary)}
    for page in sorted(docs.glob("**/*.md")):
        if page.name != "SUMMARY.md" and page.resolve() not in listed:
            yield f"docs/SUMMARY.md: {page.relative_to(docs)} is not listed"
