"""Reads which file of a crate imports which: what scripts/layering looks for circles in.

A file imports another where it names an item that the other defines: by `use`, or by a path in its
code (`crate::lane::open()`, `lane::open()`). Re-exports are looked through, so the arrow ends at the
definition. Two things are no imports: `mod child;`, and a parent's `pub use child::Name` whose
name the parent's own code does not use. Code under `#[cfg(test)]` is left out.
"""

import re
from pathlib import PurePosixPath

TOKEN = re.compile(
    r"""
    (?P<skip>\s+|//[^\n]*)
  | (?P<comment>/\*)
  | (?P<raw>\b(?:br|cr|r)(?P<hashes>\#*)")
  | (?P<string>[bc]?"(?:[^"\\]|\\.)*")
  | (?P<char>b?'(?:\\(?:u\{[^}]*\}|x..|.)|[^'\\])')
  | (?P<lifetime>'\w+)
  | (?P<word>(?:r\#)?[A-Za-z_]\w*)
  | (?P<number>\d[\w]*(?:\.\d[\w]*)?)
  | (?P<sign>::|.)
    """,
    re.VERBOSE | re.DOTALL,
)
OPEN, CLOSE = {"{", "(", "["}, {"}", ")", "]"}
DEFINES = {"fn", "struct", "enum", "trait", "type", "const", "static", "union"}
ITEMS = DEFINES | {"mod", "use", "impl", "unsafe", "extern", "async", "macro_rules"}
TEST_ONLY = re.compile(r"cfg\((test|all\((.*,)?test(,.*)?\))\)")


def tokens(text):
    """The words and signs of `text`; comments, strings and lifetimes are left out."""
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        at = match.end()
        if match["comment"]:
            depth = 1
            while depth and at < len(text):
                mark = text[at:at + 2]
                depth += {"/*": 1, "*/": -1}.get(mark, 0)
                at += 2 if mark in {"/*", "*/"} else 1
        elif match["raw"]:
            ending = '"' + match["hashes"]
            end = text.find(ending, at)
            at = len(text) if end < 0 else end + len(ending)
        elif match["word"] or match["sign"] or match["number"]:
            found.append(match.group())
        elif match["string"] or match["char"]:
            found.append('""')
    return found


def closing(found, at):
    """The index behind the bracket that closes the one at `at`."""
    depth = 0
    while at < len(found):
        depth += (found[at] in OPEN) - (found[at] in CLOSE)
        at += 1
        if depth == 0:
            break
    return at


def item_end(found, at):
    """The index behind the item, field or statement that begins at `at`."""
    first = at
    if found[first:first + 1] == ["pub"]:
        first += 1
        if found[first:first + 1] == ["("]:
            first = closing(found, first)
    word = found[first] if first < len(found) else ""
    while at < len(found):
        sign = found[at]
        if sign in CLOSE:
            return at
        if sign in OPEN:
            at = closing(found, at)
            if sign == "{" and word not in {"use", "const", "static"}:
                return at
        else:
            at += 1
            if sign == ";" or (sign == "," and word not in ITEMS):
                return at
    return at


def without_tests(found):
    """`found` without the items under `#[cfg(test)]`, and without attributes."""
    kept, at = [], 0
    while at < len(found):
        if found[at] != "#":
            kept.append(found[at])
            at += 1
            continue
        only_tests = False
        while found[at:at + 1] == ["#"]:
            end = closing(found, at + 1 + (found[at + 1] == "!"))
            only_tests |= bool(TEST_ONLY.search("".join(found[at:end])))
            at = end
        if only_tests:
            at = item_end(found, at)
    return kept


def use_leaves(found, prefix=()):
    """(path, name) of each leaf of a use tree; the name `*` is a glob."""
    at, path = 0, list(prefix)
    while at < len(found):
        word = found[at]
        if word == "{":
            inside, start = found[at + 1:closing(found, at) - 1], 0
            for index in range(len(inside) + 1):
                part = inside[start:index]
                if index == len(inside) or (inside[index] == "," and balanced(part)):
                    if part:
                        yield from use_leaves(part, path)
                    start = index + 1
            return
        if word == "as":
            yield tuple(path), found[at + 1]
            return
        if word == "*":
            yield tuple(path), "*"
            return
        if word == "self" and path:
            pass  # `lane::{self}` is the lane.
        elif word != "::":
            path.append(word)
        at += 1
    if path:
        yield tuple(path), path[-1]


def balanced(part):
    return sum((sign in OPEN) - (sign in CLOSE) for sign in part) == 0


class Module:
    """A module: the file it stands in, and what it declares, imports and names."""

    def __init__(self, path, file):
        self.path, self.file = path, file
        self.children, self.defined = set(), set()
        self.uses, self.globs = {}, []  # name -> (path, is public); (path, is public)
        self.words, self.paths = set(), set()


class Crate:
    """The modules below one root file. `read` gives a file's text, or None where there is none."""

    def __init__(self, root, read):
        self.read, self.modules = read, {}
        root = PurePosixPath(root)
        self._load((), root, root.parent)

    def _load(self, path, file, folder):
        self._parse(path, str(file), folder, without_tests(tokens(self.read(str(file)))))

    def _child(self, path, folder):
        name = path[-1].removeprefix("r#")
        for file in (folder / f"{name}.rs", folder / name / "mod.rs"):
            if self.read(str(file)) is not None:
                self._load(path, file, folder / name)

    def _parse(self, path, file, folder, found):
        module = self.modules[path] = Module(path, file)
        at, public = 0, False
        while at < len(found):
            word, after = found[at], found[at + 1:at + 3]
            if word == "pub":
                public, at = True, at + 1
                if found[at:at + 1] == ["("]:
                    at = closing(found, at)
                continue
            if word == "mod" and len(after) == 2 and after[1] in {";", "{"}:
                inner, name = path + (after[0],), after[0]
                module.children.add(name)
                at += 3
                if after[1] == ";":
                    self._child(inner, folder)
                else:
                    end = closing(found, at - 1)
                    self._parse(inner, file, folder / name, found[at:end - 1])
                    at = end
            elif word == "use" and after[:1] != ["<"]:
                end = found.index(";", at)
                for leaf, name in use_leaves(found[at + 1:end]):
                    if name == "*":
                        module.globs.append((leaf, public))
                    else:
                        module.uses[name] = (leaf, public)
                at = end + 1
            else:
                at = self._read_word(module, found, at)
            public = False

    @staticmethod
    def _read_word(module, found, at):
        """Notes the word, or the path, at `at`; gives the index behind it."""
        word, after = found[at], found[at + 1:at + 3]
        if word in DEFINES and after:
            module.defined.add(after[0])
        elif word == "macro_rules" and len(after) == 2:
            module.defined.add(after[1])
        elif word[0].isalpha() or word[0] == "_":
            path = [word]
            while found[at + 1:at + 2] == ["::"] and re.match(r"\w", "".join(found[at + 2:at + 3])):
                path.append(found[at + 2])
                at += 2
            if at == 0 or found[at - 1] != "." or len(path) > 1:
                module.words.add(word)
            if len(path) > 1:
                module.paths.add(tuple(path))
        return at + 1

    def definition(self, module, path, seen=()):
        """The module that defines `path` as `module` sees it, and whether the path is a module."""
        if (module.path, path) in seen:
            return None
        seen += ((module.path, path),)
        here, at = module, 0
        while at < len(path) and path[at] in {"crate", "self", "super"}:
            if path[at] == "crate":
                here = self.modules[()]
            elif path[at] == "super":
                here = self.modules[here.path[:-1]]
            at += 1
        relative = at == 0
        while at < len(path):
            name = path[at]
            if name in here.children and here.path + (name,) in self.modules:
                here = self.modules[here.path + (name,)]
            elif name in here.uses and self._leads_on(here, name, path, relative and at == 0):
                return self.definition(here, here.uses[name][0] + path[at + 1:], seen)
            elif name in here.defined:
                return here, False
            else:
                for glob, _ in here.globs:
                    target = self.definition(here, glob, seen)
                    inside = target and target[1] and self._named_in(target[0], path[at:], seen)
                    if inside:
                        return inside
                return None if relative and at == 0 else (here, False)
            at += 1
        return here, True

    @staticmethod
    def _leads_on(here, name, path, relative):
        # `use shm::Name as shm` in one module would name itself for ever.
        return not (relative and here.uses[name][0] == path)

    def _named_in(self, module, path, seen):
        name = path[0]
        if name in module.defined or name in module.children or name in module.uses or module.globs:
            return self.definition(module, ("self",) + path, seen)
        return None

    def imports(self):
        """file -> {imported file: names}."""
        edges = {}
        for module in self.modules.values():
            for path, target in self._targets(module):
                if target.file != module.file:
                    edges.setdefault(module.file, {}).setdefault(target.file, set()).add(path[-1])
            edges.setdefault(module.file, {})
        return edges

    def _targets(self, module):
        for name, (path, public) in module.uses.items():
            found = self.definition(module, path, ((module.path, (name,)),))
            if found is None or (found[1] and any(path[0] == name for path in module.paths)):
                continue  # Outside of the crate, or its paths say what is taken.
            passed_on = public and found[0].path[:len(module.path)] == module.path
            if not passed_on or name in module.words:
                yield path, found[0]
        for path, public in module.globs:
            found = self.definition(module, path)
            if found and not (public and found[0].path[:len(module.path)] == module.path):
                for name in sorted(module.words & (found[0].defined | set(found[0].uses))):
                    target = self.definition(found[0], ("self", name))
                    if target:
                        yield path + (name,), target[0]
        for path in module.paths:
            found = self.definition(module, path)
            if found:
                yield path, found[0]


def circles(edges):
    """The strongly connected components of more than one file, largest first (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in edges.get(node, ()):
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            members = stack[stack.index(node):]
            del stack[-len(members):]
            if len(members) > 1:
                found.append(sorted(members))

    for node in sorted(edges):
        if node not in order:
            visit(node)
    return sorted(found, key=lambda members: (-len(members), members))
