# SPDX-License-Identifier: MIT
"""Reads the public headers.

They keep to rules that make this possible: one declaration per `;`, no
conditional declarations, no nesting of structs.  What does not fit the rules
is an error here, which is a test of its own.
"""
import glob
import os
import re

from tap import ROOT

FOLDER = os.path.join(ROOT, "include", "plait")
# Lower ones first, so that a reader of all meets each type before its use.
ORDER = ["base", "image", "device", "array", "inbox", "signal", "launch", "queue", "native", "source", "kernel", "node", "graph", "plan",
         "run", "callable", "trace", "schedule", "coll", "collective", "world", "mapper", "placement", "data", "flow", "plait",
         "code", "work", "memory", "services", "transport", "plugin"]


def names():
    found = [os.path.basename(p)[:-2] for p in glob.glob(FOLDER + "/*.h")]
    rank = {n: i for i, n in enumerate(ORDER)}
    middle = len(ORDER) - 7.5
    return sorted(found, key=lambda n: (rank.get(n, middle), n))


class Parameter:
    def __init__(self, text):
        self.text = " ".join(text.split())
        self.varargs = self.text == "..."
        callback = re.match(r"(.+?)\(\s*\*\s*(\w+)\s*\)\s*\((.*)\)$",
                            self.text, re.S)
        match = re.match(r"(.*?)(\w+)\s*((?:\[[^\]]*\]\s*)*)$", self.text)
        if callback:
            self.name, self.type = callback.group(2), "callback"
            self.result = callback.group(1).strip()
            self.parameters = parameters(callback.group(3))
            self.array = ""
        elif match and not self.varargs:
            self.name = match.group(2)
            self.type = re.sub(r"\s*\*\s*", "*", match.group(1)).strip()
            self.array = match.group(3).strip()
        else:
            self.name, self.type, self.array = "", self.text, ""

    @property
    def base(self):
        """The type without const and stars."""
        return re.sub(r"\bconst\b|\*", " ", self.type).strip()

    @property
    def pointer(self):
        return "*" in self.type or self.type == "callback" or bool(self.array)


def split_list(text):
    parts, depth, part = [], 0, ""
    for char in text:
        depth += {"(": 1, ")": -1}.get(char, 0)
        if char == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    return [p.strip() for p in parts + [part] if p.strip()]


def parameters(text):
    return [Parameter(p) for p in split_list(text) if p != "void"]


class Declaration:
    """kind: prototype, struct, opaque, callback, scalar or enum."""

    def __init__(self, text, comment, header):
        self.text = " ".join(text.split())
        self.comment, self.header = comment, header
        self.kind = self.name = None
        self.fields, self.parameters, self.values = [], [], []
        self.classify()

    def classify(self):
        t = self.text
        for pattern, method in (
                (r"(PLAIT_API|PLAIT_PLUGIN_EXPORT) (.*?)(\w+) ?\((.*)\)$",
                 self.prototype),
                (r"typedef struct (\w+) (\w+)$", self.opaque),
                (r"(?:typedef )?struct (\w+) ?\{(.*)\} ?(\w*)$", self.struct),
                (r"typedef (.+?)\(\*(\w+)\) ?\((.*)\)$", self.callback),
                (r"typedef (\w+) (\w+)$", self.scalar),
                (r"enum (?:(\w+) )?\{(.*)\}$", self.enum)):
            match = re.match(pattern, t)
            if match:
                method(*match.groups())
                return

    def prototype(self, mark, result, name, params):
        self.kind, self.mark, self.name = "prototype", mark, name
        self.result = Parameter(result.strip() + " result")
        self.parameters = parameters(params)

    def opaque(self, tag, name):
        self.kind, self.name = "opaque", name
        self.tag = tag

    def struct(self, tag, body, name):
        self.kind, self.name = "struct", tag
        self.fields = [Parameter(f) for f in body.split(";") if f.strip()]

    def callback(self, result, name, params):
        self.kind, self.name = "callback", name
        self.result = Parameter(result.strip() + " result")
        self.parameters = parameters(params)

    def scalar(self, base, name):
        self.kind, self.name, self.base = "scalar", name, base

    def enum(self, tag, body):
        self.kind, self.name = "enum", tag or ""
        self.values = [re.split(r"\s*=\s*", v.strip(), maxsplit=1)
                       for v in body.split(",") if v.strip()]


def without_directives(text):
    text = re.sub(r"#ifdef __cplusplus\n.*?#endif\n", "", text, flags=re.S)
    text = re.sub(r"\\\n", " ", text)
    return re.sub(r"^#.*$", "", text, flags=re.M)


def declarations(name):
    """All declarations of a header, each with the comment right above it."""
    with open(os.path.join(FOLDER, name + ".h"), encoding="utf-8") as file:
        text = without_directives(file.read())
    found, comment, current, depth = [], "", "", 0
    for token in re.findall(r"/\*.*?\*/|[{};]|[^/{};]+|/", text, re.S):
        if token.startswith("/*"):
            if not current.strip():
                comment = token
            continue
        depth += {"{": 1, "}": -1}.get(token, 0)
        if token == ";" and depth == 0:
            found.append(Declaration(current, comment, name))
            current, comment = "", ""
        else:
            current += token
    if current.strip():
        found.append(Declaration(current, comment, name))
    return found


def everything():
    return [d for n in names() for d in declarations(n)]


def cdef():
    """All headers as one text that a C parser without cpp can read."""
    text = ""
    for name in names():
        with open(os.path.join(FOLDER, name + ".h"), encoding="utf-8") as file:
            text += without_directives(file.read())
    text = re.sub(r"\bPLAIT_(API|PLUGIN_EXPORT)\b", "", text)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)
