"""Comments of Rust code hold no measured times: those stand in docs/decisions.

A measured figure is a number of nanoseconds or microseconds, a rate, or two numbers of which one came
instead of the other. A time that is a parameter (how long a nap is, the values of an example) is no
measurement: EXCEPTIONS has the words of such lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from repository import ROOT, files

NUMBER = r"(?<![\w.])\.?\d[\d.,]*(?: (?:to|and|or) \.?\d[\d.,]*)?"
MEASURED = re.compile(
    rf"{NUMBER} ?(?:ns|µs|us|nanoseconds?|microseconds?)(?!\w)"
    rf"|{NUMBER} ?(?:[KMG]B/s|million (?:messages )?a second)"
    rf"|{NUMBER} ?% (?:faster|slower|more|less|fewer)"
    rf"|{NUMBER}(?: ?[a-zµ%]+)? (?:instead of|-&?>) \.?\d[\d.,]* ?(?:ms|s|GB/s)\b"
)
COMMENT = re.compile(r"(?:^|\s)//[/!]?(.*)$", re.MULTILINE)

# Words of lines whose time is a parameter or an example's value.
EXCEPTIONS = (
    "and 1/30 a ns: 1200 ns for all",
    "1500 and 1000 ns for 1000 units each",
    "member 2, 0..980 ns",
    "(load / mean)^slope x 1000 ns",
    "The average of 3270 ns for 209 units",
)


def check(_update: bool) -> Iterator[str]:
    """One line for each comment that holds a measured time, and each exception that no comment needs."""
    unused = set(EXCEPTIONS)
    for path in (path for path in files() if path.endswith(".rs")):
        for number, line in measured((ROOT / path).read_text(encoding="utf-8")):
            excepted = {words for words in EXCEPTIONS if words in line}
            unused -= excepted
            if not excepted:
                yield (f"{path}:{number}: `{line.strip()[:70]}`: a measured time in a comment: say the reason, "
                       "and move the figure to docs/decisions")
    for words in sorted(unused):
        yield f"scripts/structure/checks/comments.py: no comment has `{words}`: take it out of EXCEPTIONS"


def measured(text: str) -> Iterator[tuple[int, str]]:
    """The lines of Rust code whose comments hold a measured time, with their numbers."""
    for number, line in enumerate(text.splitlines(), 1):
        comment = COMMENT.search(line)
        if comment and MEASURED.search(comment.group(1)):
            yield number, line
