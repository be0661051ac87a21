"""How many circles and how large folders there may be: none, and none of more than so many siblings.

The tables are for offenders that stand for a while; they may only shrink, in the commit that mends one.
"""

from pathlib import PurePosixPath

# Files of each circle of imports that still stands, largest first.
KNOWN_CIRCLES = {}

SIBLING_LIMIT = 14
# Folders with more siblings than that.
KNOWN_FOLDERS = {}

# The names of a folder's own module, and of tests, are no siblings.
NOT_SIBLINGS = {"__init__", "lib", "main", "mod", "tests"}


def circles_grew(found, known):
    """Whether circles of these sizes hold more files than `known`, or a larger one. Largest first."""
    return sum(found) > sum(known) or found[:1] > known[:1]


def differences(found, known):
    """The names whose number grew, and those whose number shrank."""
    names = sorted({*found, *known})
    grew = [name for name in names if found.get(name, 0) > known.get(name, 0)]
    shrank = [name for name in names if found.get(name, 0) < known.get(name, 0)]
    return grew, shrank


def large_folders(files):
    """The folders of `files` with too many siblings: folder -> number. `x.rs` and `x/` are one."""
    siblings = {}
    for file in map(PurePosixPath, files):
        names = [*file.parts[:-1], file.stem]
        if "tests" in names:
            continue
        for depth in range(1, len(names)):
            if names[depth] not in NOT_SIBLINGS:
                folder = "/".join(names[:depth])
                siblings.setdefault(folder, set()).add(names[depth])
    return {
        folder: len(names) for folder, names in siblings.items() if len(names) > SIBLING_LIMIT
    }
