"""What tests/requirements says of the documents' mechanisms, and what is wrong with it.

```text
  tests/requirements.toml ──▶ documents and their files ──▶ Mechanism each ──▶ real, inside only, or open
```

A mechanism is real when a program that a user could have written reaches it, a test runs that program,
and the entry says by what it shows. Where only tests inside the crates reach it, it is inside only.
"""

import re
import tomllib
from dataclasses import dataclass, field

from . import test_names

FIELDS = {"text": str, "where": list, "tests": list, "program": str, "shown": str, "open": str}
STATES = ("real", "inside only", "open")


@dataclass
class Mechanism:
    """What the entry of one mechanism says."""

    text: str = "(no entry)"
    where: list = field(default_factory=list)
    tests: list = field(default_factory=list)
    program: str = ""
    shown: str = ""
    open: str = ""

    def state(self):
        """One of STATES."""
        return "open" if self.open else "real" if self.program else "inside only"


def check_fields(entry):
    """What is wrong with the form of an entry."""
    if not isinstance(entry, dict):
        yield "it is not a table"
        return
    for name, value in entry.items():
        expected = FIELDS.get(name)
        if expected is None:
            yield f"unknown field {name!r}; there are {', '.join(FIELDS)}"
        elif not isinstance(value, expected) or not value:
            yield f"{name} is not a {'string' if expected is str else 'list'} with something in it"
        elif expected is list and not all(isinstance(item, str) for item in value):
            yield f"{name} holds something that is not a string"
    if not entry.get("text"):
        yield "text is missing"
    if ("program" in entry) != ("shown" in entry):
        yield "program and shown come together: who reaches it, and by what it shows"
    if not entry.get("tests") and not entry.get("open"):
        yield "it has no tests, and does not say what is open"


def check_program(program, root):
    """What is wrong with the name of a program or a command, or None."""
    if program.endswith((".c", ".md")):
        return None if (root / program).is_file() else f"there is no file {program}"
    command, *words = program.split()
    if (root / command).is_file():
        return None
    manual = root / "bindings" / "cli" / "share" / "man1" / f"{command}.1"
    if not manual.is_file():
        return f"{command} is no program, no script and no command with a manual page"
    page = manual.read_text(encoding="utf-8").replace("\\-", "-")
    unknown = [word for word in words if word not in page]
    return f"the manual page of {command} does not know {unknown[0]}" if unknown else None


def check_names(mechanism, root):
    """Files, programs and tests that a mechanism names and that do not exist."""
    for path in mechanism.where:
        if not (root / path).exists():
            yield f"there is no file {path}"
    wrong = {test: test_names.check_test(test, root) for test in mechanism.tests}
    yield from (f"{test}: {reason}" for test, reason in wrong.items() if reason)
    if mechanism.program:
        reason = check_program(mechanism.program, root)
        sound = [test for test, reason in wrong.items() if not reason]
        if reason:
            yield reason
        elif not any(test_names.reaches(test, mechanism.program, root) for test in sound):
            yield f"no test of it runs {mechanism.program}"


def read(path, root, problems):
    """A TOML file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        problems.append(f"{path.relative_to(root)}: {error}")
        return {}


def mechanisms_of(name, document, root, problems):
    """The mechanisms of a document, by number."""
    found = {number: Mechanism() for number in range(1, document["mechanisms"] + 1)}
    missing = set(found)
    for path in sorted((root / "tests").glob(document["files"])):
        for key, entry in read(path, root, problems).items():
            where = f"{path.relative_to(root)} [{key}]"
            number = re.fullmatch(rf"{name}-([1-9]\d*)", key)
            number = int(number[1]) if number else 0
            wrong = list(check_fields(entry))
            if number not in found:
                wrong = [f"mechanisms are {name}-1 to {name}-{len(found)}"]
            elif number not in missing:
                wrong = ["it stands twice"]
            missing.discard(number)
            problems += [f"{where}: {reason}" for reason in wrong]
            if not wrong:
                found[number] = Mechanism(**entry)
                problems += [f"{where}: {reason}" for reason in check_names(found[number], root)]
    problems += [f"{name}-{number}: there is no entry" for number in sorted(missing)]
    return found


def listed(root, problems):
    """The mechanisms of all documents, by document and number."""
    documents = read(root / "tests" / "requirements.toml", root, problems)
    return {name: mechanisms_of(name, document, root, problems) for name, document in documents.items()}
