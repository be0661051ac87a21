"""Tests by name: whether there is one, and what it runs.

A test is named by its crate and modules (driver::injection::tests::name), by its file and function
(tests/tests/start.rs::name), by the file of a C program of tests/conformance, which that folder's run
runs, or by a chapter of docs/user, whose blocks marked ```sh run are run.

What a test runs is read from its text: that of its function, and of the functions and constants of
the same file that it names, one through the other. Files are as rustfmt writes them: what stands at the
left ends with a brace or a semicolon.
"""

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

# The crate that a test's name begins with.
CRATES = {
    "shm": "shm",
    "driver": "driver",
    "transport": "transport",
    "mpi": "bindings/mpi",
    "abi": "bindings/abi",
    "pami": "bindings/pami",
    "cli": "bindings/cli",
    "tests": "tests",
}
# `#[test]`, then comments and other attributes, then the function. Inside proptest! it is the same.
TEST = re.compile(
    r"#\[test\]((?:\s*(?:#\[[^\]]*\]|//[^\n]*\n))*)\s*(?:pub(?:\([^)]*\))?\s+)?fn\s+(\w+)"
)
DEFINITION = re.compile(
    r"^(?:pub(?:\([^)]*\))? )?(?:fn (\w+).*?^\}$|(?:const|static) (\w+)\b.*?;$)", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```sh run\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@cache
def tests_in(path):
    """Names of the tests in a Rust file, and of those that are left out of a run."""
    source = path.read_text(encoding="utf-8")
    found = TEST.findall(source)
    ignored = {name for attributes, name in found if "#[ignore" in attributes}
    before = re.findall(r"#\[ignore[^\]]*\]\s*#\[test\]\s*fn\s+(\w+)", source)
    return {name for _, name in found}, ignored | set(before)


def files_of(directory, modules):
    """The file that holds module a::b::c of a crate: its own, or that of a module it lies in."""
    source = directory / "src"
    for length in range(len(modules), -1, -1):
        inner = modules[length:]
        if length == 0:
            candidates = [source / "lib.rs", source / "main.rs"]
        else:
            base = source.joinpath(*modules[:length])
            candidates = [base.with_suffix(".rs"), base / "mod.rs"]
        for path in candidates:
            if path.is_file() and (not inner or declares(path, inner)):
                return path
    return None


def declares(path, modules):
    """Whether a file contains modules, each between braces."""
    source = path.read_text(encoding="utf-8")
    return all(re.search(rf"\bmod\s+{module}\s*\{{", source) for module in modules)


def check_function(path, name):
    """What is wrong with a test function of a file, or None."""
    names, ignored = tests_in(path)
    if name not in names:
        return f"{path.name} has no test {name}"
    if name in ignored:
        return f"{name} in {path.name} is ignored, so it proves nothing"
    return None


def check_file(file, function, root):
    """What is wrong with a test that is named by its file, or None."""
    path = root / file
    if not path.is_file():
        return f"there is no file {file}"
    if path.suffix == ".rs":
        return check_function(path, function) if function else f"name the test in it, as {file}::NAME"
    if path.suffix == ".md":
        return None if BLOCK.search(path.read_text(encoding="utf-8")) else "it has no block that is run"
    if path.suffix == ".c" and file.startswith("tests/conformance/"):
        return None
    return "nothing runs it as a test: name the test that does"


def check_test(test, root=ROOT):
    """What is wrong with the name of a test, or None."""
    if "/" in test:
        file, _, function = test.partition("::")
        return check_file(file, function, root)
    crate, *modules = test.split("::")
    if crate not in CRATES or not modules:
        return f"it should begin with a crate ({', '.join(CRATES)}), or be a path"
    path = files_of(root / CRATES[crate], modules[:-1])
    if path is None:
        return f"there is no module {'::'.join([crate, *modules[:-1]])}"
    return check_function(path, modules[-1])


@cache
def definitions(path):
    """Text of each function and constant that stands at the left of a Rust file, without comments."""
    source = re.sub(r"^\s*//.*$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return {found[1] or found[2]: found[0] for found in DEFINITION.finditer(source)}


def text_of(path, function):
    """Text of a function, and of all that it names in its file."""
    known = definitions(path)
    names, todo = {function}, [function]
    while todo:
        words = set(re.findall(r"\w+", known.get(todo.pop(), "")))
        new = (words & known.keys()) - names
        names |= new
        todo += new
    return "\n".join(known.get(name, "") for name in sorted(names))


def names_program(text, program):
    """Whether a text names a program: the file of one, in quotes, or each word of a command."""
    if program.endswith(".c"):
        return f'"{Path(program).stem}"' in text
    return all(re.search(rf"(?<![A-Za-z0-9-]){re.escape(word)}(?![\w-])", text)
               for word in program.split())


def reaches(test, program, root=ROOT):
    """Whether a test runs a program: a C program, one of a chapter, or a command with its options."""
    file, _, function = test.partition("::")
    if "/" not in test:
        return False
    if file == program:
        return True
    path = root / file
    if file.endswith(".md"):
        return names_program("\n".join(BLOCK.findall(path.read_text(encoding="utf-8"))), program)
    return path.suffix == ".rs" and names_program(text_of(path, function), program)
