# SPDX-License-Identifier: MIT
"""Reader of the public interface of the hand-written layers.

For each object the result has its text and its members; for each member its
signature, its comment and the C functions that it calls.  Public members are those
without a leading underscore in Python, with `pub` in Rust, with a docstring in
Julia, and with a comment of three dashes in Lua.
"""
import ast
import glob
import os
import re

HERE = os.path.dirname(os.path.abspath(__file__))


class Member:
    def __init__(self, signature, text, functions):
        self.signature = re.sub(r",? \)", ")", " ".join(signature.split()).replace("( ", "("))
        self.text, self.functions = plain(text), functions


class Object:
    def __init__(self, name):
        self.name, self.text, self.members, self.functions = name, "", [], set()


def plain(text):
    """Return the text without links that only the language's own tool resolves."""
    text = re.sub(r"\[(`[^`\]]+`)\]\([^)]*\)", r"\1", text)
    return re.sub(r"\[(`[^`\]]+`)\](?!\()", r"\1", text).strip()


def read(*path):
    with open(os.path.join(HERE, *path), encoding="utf-8") as file:
        return file.read()


def definitions(text, pattern):
    """Return {name: lines} of the definitions whose first line matches the pattern,
    with groups (indent, name).  Ambiguous names, defined more than once, are left out."""
    found, several, lines = {}, {"new", "from", "get"}, text.splitlines()
    for number, line in enumerate(lines):
        match = re.match(pattern, line)
        if match:
            indent, body = len(match.group(1)), [line]
            for one in lines[number + 1:]:
                if one.strip() and not one.startswith(" " * indent + ")") and \
                        len(one) - len(one.lstrip()) <= indent:
                    break
                body.append(one)
            several |= {match.group(2)} & set(found)
            found[match.group(2)] = "\n".join(body)
    return {name: body for name, body in found.items() if name not in several}


class Layer:
    """The objects of a language, in order of first appearance."""

    def __init__(self, helper):
        self.objects, self.helper, self.helpers, self.texts = {}, helper, {}, ""

    def read(self, *path):
        """Read a file and collect its helpers, whose C calls count for their callers."""
        text = read(*path)
        self.helpers, self.texts = definitions(text, self.helper), self.texts + text
        return text

    def functions(self, body, seen=()):
        """Return the C functions that some lines call, directly or through helpers."""
        found = set(re.findall(r"\bplait_[a-z_]+", body))
        for name in set(re.findall(r"\b(\w+!?)\(", body)) & set(self.helpers) - set(seen):
            found |= self.functions(self.helpers[name], (*seen, name))
        return found

    def object(self, name):
        return self.objects.setdefault(name, Object(name))

    def describe(self, name, text, body):
        found = self.object(name)
        found.text = plain(text)
        found.functions |= self.functions(body)

    def add(self, name, signature, text, body):
        self.object(name).members.append(Member(signature, text, self.functions(body)))

    def undocumented(self):
        return ["%s: %s" % (o.name, m.signature) for o in self.objects.values()
                for m in o.members if not m.text]


# --- Python ------------------------------------------------------------------

PYTHON = ("_system", "_queue", "_batch", "_buffer", "_kernel", "_graph", "_plan", "_coll", "_world", "_data", "_flow", "_core", "__init__")


def python_layer():
    layer = Layer(r"( *)def (_[a-z]\w*)\(")
    public = set(re.findall(r'"(\w+)"', read("python/plait/__init__.py").split("__all__")[1].split("]")[0]))
    for name in PYTHON:
        text = layer.read("python/plait/%s.py" % name)
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.ClassDef) and node.name in public | {"Handle"}:
                python_class(layer, node, lines)
            elif isinstance(node, ast.FunctionDef) and node.name in public:
                layer.add("plait", "plait." + python_signature(node, lines), docstring(node),
                          source(node, lines))
    return layer


def source(node, lines):
    return "\n".join(lines[node.lineno - 1:node.end_lineno])


def docstring(node):
    return ast.get_docstring(node) or ""


def python_signature(node, lines, drop_self=False):
    head = "\n".join(lines[node.lineno - 1:node.body[0].lineno])
    found = re.search(r"def (\w+)(\(.*?\)(?: -> [^\n]*?)?):\s*(\n|$)", head, re.S)
    name, rest = found.group(1), found.group(2)
    if drop_self:
        rest = re.sub(r"^\((self|cls)(, )?", "(", rest)
    return name + rest


def python_class(layer, node, lines):
    methods = [m for m in node.body if isinstance(m, (ast.FunctionDef, ast.AsyncFunctionDef))]
    start = next((m for m in methods if m.name == "__init__"), None)
    layer.describe(node.name, docstring(node), source(start, lines) if start else "")
    variable = node.name.lower()
    for method in methods:
        decorators = {getattr(d, "id", getattr(d, "attr", "")) for d in method.decorator_list}
        signature = python_signature(method, lines, drop_self=True)
        if method.name == "__call__":
            signature = variable + signature[len("__call__"):]
        elif method.name.startswith("_"):
            continue
        else:
            signature = (node.name if "classmethod" in decorators else variable) + "." + signature
        if "property" in decorators:
            signature = re.sub(r"\(\)", "", signature)
        layer.add(node.name, signature, docstring(method), source(method, lines))


# --- Lua ---------------------------------------------------------------------

def lua_layer():
    layer, texts = Layer(r"( *)local function (\w+)\("), {}
    for name in ("init", "memory", "kernel", "graph", "plan", "coll", "world", "flow", "core"):
        text = layer.read("lua/plait/%s.lua" % name)
        for comment, indent, owner, dot, member, given in re.findall(
                r"((?:^ *---? .*\n(?: *--(?: .*)?\n)*)?)^( *)function (\w+)([:.])(\w+)\((.*?)\)", text, re.M):
            where = text.index("function %s%s%s(" % (owner, dot, member))
            body = re.split(r"\n%send\b|\bend$" % indent, text[where:], maxsplit=1, flags=re.M)[0]
            texts[(owner, member)] = (comment, given, body)
            lua_member(layer, owner, dot, member, comment, given, body)
        for comment, name in re.findall(r"(^--- .*\n(?:-- .*\n)*)local (\w+) = (?:core\.class|\{)", text, re.M):
            layer.describe(name, lua_text(comment), "")
        for comment, owner, member in re.findall(r"((?:^---? .*\n)+)(\w+)\.(\w+) = setmetatable", text, re.M):
            texts[(owner, member)] = (comment, None, "")
        for alias, owner, member in re.findall(r"^  (\w+) = (\w+)\.(\w+),$", text, re.M):
            texts[("plait", alias)] = (owner, member)
    for (_, alias), found in list(texts.items()):
        if len(found) == 2 and found in texts:
            comment, given, body = texts[found]
            signature = alias if given is None else "%s(%s)" % (alias, given)
            layer.add("plait", "plait." + signature, lua_text(comment), body)
    return layer


def lua_text(comment):
    return "\n".join(re.sub(r"^ *-+ ?", "", line) for line in comment.splitlines())


def lua_member(layer, owner, dot, member, comment, given, body):
    if owner in ("memory", "kernel", "graph", "plan", "coll", "world", "flow", "core", "Special", "Error", "Inbox"):
        return
    if re.match(r" *-- ", comment):
        return  # two dashes: internal
    if member == "__call":
        signature = "plan(%s)" % given
    elif member.startswith("__"):
        return
    else:
        first = {"plait": "plait", "class": "object"}.get(owner, owner.lower())
        signature = "%s%s%s(%s)" % (first, dot, member, given)
    layer.add({"class": "Every object"}.get(owner, owner), signature, lua_text(comment), body)


# --- Rust --------------------------------------------------------------------

RUST = ("lib", "system", "memory", "kernel", "queue", "graph", "plan", "names", "inbox", "error", "flow", "flow_options", "placement", "task", "data", "access", "coll", "schedule", "world")


def rust_layer():
    layer = Layer(r"( *)(?:pub\(crate\) )?fn (\w+)")
    names = set(re.findall(r"\b[A-Z]\w+", "".join(re.findall(r"^pub use .*?;", read("rust/plait/src/lib.rs"), re.M | re.S))))
    for name in RUST:
        rust_file(layer, layer.read("rust/plait/src/%s.rs" % name), names)
    return layer


def rust_file(layer, text, names):
    current, comment, lines = None, [], text.splitlines()
    for number, line in enumerate(lines):
        stripped = line.strip()
        made = re.match(r"impl(?:<.*?>)? (\w+)", line)
        if made:
            current = made.group(1) if " for " not in line else None
        elif line == "}":
            current = None
        if stripped.startswith("///"):
            comment.append(stripped[4:])
        elif not stripped.startswith("#["):
            rust_item(layer, names, current, lines[number:], "\n".join(comment))
            comment = []
    return layer


def rust_item(layer, names, current, lines, comment):
    line = lines[0]
    type_ = re.match(r"pub (?:unsafe )?(struct|enum|trait|type) (\w+)", line)
    macro = re.match(r"macro_rules! (args|with) ", line)
    if type_ and type_.group(2) in names:
        layer.describe(type_.group(2), comment, "")
    elif macro:
        layer.add("plait", macro.group(1) + "![...]", comment, "")
    elif re.match(r"( {4})?pub (unsafe )?fn ", line):
        rust_function(layer, names, current, lines, comment)


def rust_function(layer, names, current, lines, comment):
    indent = re.match(r" *", lines[0]).group(0)
    if indent and current not in names:
        return
    end = 0 if lines[0].endswith("}") else next(i for i, one in enumerate(lines) if one == indent + "}")
    body = "\n".join(lines[:end + 1])
    signature = re.match(r"\s*pub (.*?)\s*\{", body, re.S).group(1)
    where = current if indent else "plait"
    layer.add(where, re.sub(r"fn (\w+)", r"fn %s::\1" % where, signature, count=1), comment, body)


# --- Julia -------------------------------------------------------------------

JULIA_TYPES = "System Device Buffer Kernel Queue Batch Signal Graph Node Plan Run CFunction Turns Flow Data Access Coll Schedule Chunks Handle".split()


# A docstring and its code, up to the next docstring or to an empty line followed by
# a line at the margin.
JULIA_DOC = re.compile(r'^(?:"""\n(.*?)\n"""|"([^"\n][^\n]*)")\n(\S.*?)(?=\n"|\n\n\S|\Z)', re.M | re.S)


def julia_layer():
    layer = Layer(r"()(?:function )?(?:Base\.)?(\w+!?)\(")
    for name in ("system", "memory", "kernel", "queue", "graph", "plan", "flow", "data", "coll", "world", "core"):
        text = layer.read("julia/Plait/src/%s.jl" % name)
        constructors = {}
        for block in re.split(r"\n\n(?=\S)", text):
            made = re.match(r"(?:function )?(\w+)(?:\{.*?\})?\(", block)
            if made and made.group(1) in JULIA_TYPES:
                constructors[made.group(1)] = constructors.get(made.group(1), "") + block
        for block, line, code in JULIA_DOC.findall(text):
            julia_block(layer, block or line, code, constructors)
    return layer


def julia_block(layer, text, code, constructors):
    signatures = re.match(r"((?:    .*\n)+)\n?", text + "\n")
    if signatures:
        text, signatures = (text + "\n")[signatures.end():], signatures.group(1)
    type_ = re.match(r"(?:mutable |abstract )?(?:struct|type) (\w+)", code)
    if type_:
        if signatures and "(" in signatures:
            text = "\n".join("`%s`\n" % s.strip() for s in signatures.strip().splitlines()) + "\n" + text
        layer.describe(type_.group(1), text, code + constructors.get(type_.group(1), ""))
        return
    julia_function(layer, signatures, text, code)


def julia_function(layer, signatures, text, code):
    constant = re.match(r"const (\w+)", code)
    head = re.match(r"(?:function )?([\w.!]+|\(\w+::\w+\))\((.*?)\)(?: where .*?)?\s*(=|\n|$)", code, re.S)
    if constant:
        layer.add("Plait", constant.group(1), text, "")
        return
    if not head:
        return
    types = [t for t in re.findall(r"::(\w+)", head.group(2)) if t in JULIA_TYPES]
    if not signatures:
        given = re.sub(r"::[\w{}<:.]+", "", " ".join(head.group(2).split()))
        signatures = "%s(%s)" % (re.sub(r"^Base\.", "", head.group(1)), given)
    body = re.split(r"\nend\n", code, maxsplit=1)[0]
    where = types[0] if types else "Plait"
    for number, signature in enumerate(signatures.strip().splitlines()):
        layer.add(where, signature, text if number == 0 else "The same.", body)


def short(signature):
    """Return the name of a member: "buffer.map", "Plan::call", "loop!"."""
    head = re.sub(r"^(?:unsafe )?fn ", "", signature).split("(")[0].split("<")[0].split(" -> ")[0]
    return head.split(" = ")[-1].strip()


# Files without public members that call the library.
INSIDE = {"lua": ("lua/plait/binding.lua",),
          "python": ("python/plait/_functions.py", "python/plait/_library.py", "python/plait/_tensor.py"),
          "rust": ("rust/plait/src/library.rs", "rust/plait/src/rows.rs"),
          "julia": ("julia/Plait/src/inbox.jl",)}


def inside(language, layer):
    """Return the C functions that a layer mentions anywhere."""
    return set(re.findall(r"\bplait_[a-z_]+", layer.texts + "".join(map(read, INSIDE[language]))))


LAYERS = {"lua": lua_layer, "python": python_layer, "rust": rust_layer, "julia": julia_layer}
