#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes what is made from the public headers:

    bindings/api.json               every declaration, for any language
    bindings/python/plait/_raw.py   the same for ctypes
    bindings/lua/plait/cdef.lua     the declarations, for LuaJIT's ffi.cdef
    bindings/rust/plait-sys/src/raw.rs  the same for Rust
    bindings/julia/Plait/src/raw.jl     and for Julia
    doc/reference/*.md              a page for each language

    bindings/generate.py            write them
    bindings/generate.py --check    say what is out of date, change nothing

Run it after a change of include/plait/*.h, or of a layer's functions and their
comments; a test compares.  plugin.h is left out: backends are written in C.
"""
import json
import os
import re
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "t", "lib"))
sys.path.insert(0, HERE)
import headers  # noqa: E402
from generate_julia import julia_text  # noqa: E402
import abilities  # noqa: E402
import reference  # noqa: E402

NOTE = "Made by bindings/generate.py from include/plait/*.h; do not edit."
# The interface of plugins, which are written in C.
INTERNAL = ("plugin", "services", "transport", "work", "memory")
PAGES = "Made by bindings/generate.py from the headers and the layers; do not edit."


# --- reading -----------------------------------------------------------------

def comment_text(comment):
    """The words of a comment block."""
    body = re.sub(r"^/\*+|\*/$", "", comment.strip())
    return re.sub(r"^\s*\*? ?", "", body, flags=re.M).strip()


def tags(comment):
    """(brief, text, {parameter: text}, {tag: text}) of a prototype's comment."""
    text = comment_text(comment)
    head = text.split("@", 1)[0].strip()
    brief, _, more = re.sub(r"^\w+ - ", "", head).partition("\n\n")
    params, others = {}, {}
    for tag, words in re.findall(r"@(\w+)\s+([^@]*)", text):
        words = " ".join(words.split())
        if tag == "param":
            name, _, rest = words.partition(" ")
            params[name] = rest
        else:
            others[tag] = words
    return " ".join(brief.split()), more.strip("\n"), params, others


def describe_parameter(parameter, text):
    rule, _, words = text.partition(": ")
    ownership, _, nullable = rule.partition(", ")
    return {"name": parameter.name, "type": parameter.type,
            "ownership": ownership, "nullable": nullable == "nullable",
            "text": words}


def describe_prototype(d):
    brief, text, params, others = tags(d.comment)
    thread = re.match(r"\w+", others["thread"]).group(0)
    return {"name": d.name, "header": d.header, "brief": brief,
            "text": text, "result": d.result.type,
            "parameters": [describe_parameter(p, params[p.name])
                           for p in d.parameters],
            "returns": sorted(set(re.findall(r"PLAIT_[A-Z_]+",
                                             others.get("return", "")))),
            "thread": thread, "since": int(others["since"])}


def describe_field(field):
    found = {"name": field.name, "type": field.type}
    if field.array:
        found["count"] = field.array.strip("[]")
    return found


def value_of(text, known):
    """An enumerator's number; it may use those before it."""
    return eval(text, {"__builtins__": {}}, known)  # our own headers


def describe_header(name):
    """What it is for: the comment that it begins with."""
    with open(os.path.join(headers.FOLDER, name + ".h"), encoding="utf-8") as file:
        comments = re.findall(r"/\*.*?\*/", file.read(), re.S)
    words = comment_text(next(c for c in comments if "plait/%s.h" % name in c))
    title, _, text = re.sub(r"^plait/\w+\.h - ", "", words).partition("\n\n")
    return {"title": " ".join(title.split()).rstrip("."), "text": text.strip("\n")}


def describe_enum(scalar, enum):
    """A named type right before an enum is the type of its values."""
    text = " ".join(comment_text(scalar.comment).split()) if scalar.comment else ""
    return {"name": scalar.name, "header": scalar.header, "text": text,
            "values": [name for name, _ in enum.values]}


def type_of_constants(api):
    """{constant: its type}"""
    return {value: enum["name"] for enum in api["enums"] for value in enum["values"]}


def describe():
    api = {"note": NOTE, "headers": {}, "constants": {}, "enums": [], "opaque": [], "scalars": {},
           "callbacks": [], "structs": [], "functions": []}
    for name in headers.names():
        if name not in ("plugin", "plait", "services", "transport"):
            api["headers"][name] = describe_header(name)
    before = None
    for d in headers.everything():
        if d.header in INTERNAL:
            continue
        if d.kind == "enum":
            for name, text in d.values:
                api["constants"][name] = value_of(text, dict(api["constants"]))
            if before is not None and before.kind == "scalar":
                api["enums"].append(describe_enum(before, d))
        elif d.kind == "opaque":
            api["opaque"].append(d.name)
        elif d.kind == "scalar":
            api["scalars"][d.name] = d.base
        elif d.kind == "callback":
            api["callbacks"].append({
                "name": d.name, "result": d.result.type,
                "parameters": [describe_field(p) for p in d.parameters]})
        elif d.kind == "struct":
            api["structs"].append({
                "name": d.name, "header": d.header,
                "fields": [describe_field(f) for f in d.fields]})
        elif d.kind == "prototype":
            api["functions"].append(describe_prototype(d))
        before = d
    return api


# --- Python ------------------------------------------------------------------

SCALARS = {"void": "None", "char": "c_char", "float": "c_float",
           "double": "c_double"}
SCALARS.update({"%sint%d_t" % (sign, bits): "c_%sint%d" % (sign, bits)
                for sign in ("", "u") for bits in (8, 16, 32, 64)})


class Ctypes:
    """C types as ctypes has them.  Handles, functions and plain memory are all
    c_void_p: what they are the layer above knows."""

    def __init__(self, api):
        self.structs = {s["name"] for s in api["structs"]}
        self.scalars = api["scalars"]
        self.callbacks = {c["name"] for c in api["callbacks"]}
        self.constants = api["constants"]

    def scalar(self, base):
        return SCALARS[self.scalars.get(base, base)]

    def value(self, base):
        """A named type by its name."""
        return base if base in self.scalars else self.scalar(base)

    def pointer(self, base, stars, constant):
        if base == "char" and stars == 1:
            return "c_char_p" if constant else "POINTER(c_char)"
        if base in self.structs and stars == 1:
            return "POINTER(%s)" % base
        if stars == 2:
            return "POINTER(c_void_p)"
        if base in self.scalars or base in SCALARS and base not in ("void", "char"):
            return "POINTER(%s)" % self.scalar(base)
        return "c_void_p"

    def of(self, text):
        base = re.sub(r"\bconst\b|\*", " ", text).strip()
        stars = text.count("*")
        if base in self.callbacks or text == "callback":
            return "c_void_p"
        if stars:
            return self.pointer(base, stars, text.startswith("const"))
        return self.value(base)

    def field(self, field):
        made = self.of(field["type"])
        if made.startswith("POINTER(plait") or made == "POINTER(c_char)":
            made = "c_void_p"
        if "count" in field:
            count = self.constants.get(field["count"]) or int(field["count"])
            made = "%s * %d" % (made, count)
        return made


def python_text(api):
    ctypes = Ctypes(api)
    lines = ["# SPDX-License-Identifier: MIT", '"""%s"""' % NOTE,
             "from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double,  # noqa: F401",
             "                    c_float, c_int8, c_int16, c_int32, c_int64, c_uint8, c_uint16,",
             "                    c_uint32, c_uint64, c_void_p)", ""]
    lines += ["%s = %s" % (name, SCALARS[base]) for name, base in api["scalars"].items()] + [""]
    lines += ["%s = %d" % item for item in api["constants"].items()] + [""]
    for callback in api["callbacks"]:
        kinds = [ctypes.of(callback["result"])]
        kinds += ["c_void_p" if "*" in p["type"] else ctypes.of(p["type"])
                  for p in callback["parameters"]]
        lines.append("%s = CFUNCTYPE(%s)" % (callback["name"], ", ".join(kinds)))
    for struct in api["structs"]:
        lines += ["", "", "class %s(Structure):" % struct["name"], "    _fields_ = ["]
        lines += ['        ("%s", %s),' % (f["name"], ctypes.field(f)) for f in struct["fields"]]
        lines += ["    ]"]
    lines += ["", "", "STRUCTS = ("]
    lines += ["    %s," % s["name"] for s in api["structs"]]
    lines += [")", "", "# name: (result, parameters)", "FUNCTIONS = {"]
    for function in api["functions"]:
        kinds = ", ".join(ctypes.of(p["type"]) for p in function["parameters"])
        lines.append('    "%s": (%s, (%s)),' % (
            function["name"], "c_char_p" if function["result"] == "const char*"
            else ctypes.of(function["result"]), kinds + "," if kinds else ""))
    return "\n".join(lines + ["}", ""])


# --- Lua ---------------------------------------------------------------------

def lua_text():
    """The headers as C that ffi.cdef reads: no directives, no comments."""
    lines = ["-- SPDX-License-Identifier: MIT", "-- " + NOTE, "return [["]
    for name in headers.names():
        if name in INTERNAL:
            continue
        path = os.path.join(headers.FOLDER, name + ".h")
        with open(path, encoding="utf-8") as file:
            text = headers.without_directives(file.read())
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
        text = re.sub(r"\bPLAIT_API\b ?", "", text)
        lines += [line.rstrip() for line in text.splitlines() if line.strip()]
    return "\n".join(lines + ["]]", ""])


# --- Rust --------------------------------------------------------------------

RUST = {"void": "c_void", "char": "c_char", "float": "f32", "double": "f64"}
RUST.update({"%sint%d_t" % (sign, bits): "%s%d" % (sign or "i", bits)
             for sign in ("", "u") for bits in (8, 16, 32, 64)})
RUST_WORDS = ("box", "type", "loop", "match", "move", "ref", "use", "where", "in", "fn", "mod", "self")


def rust_name(name):
    return "r#" + name if name in RUST_WORDS else name


def rust_type(text):
    """A C type; each `const` is of what stands before the next star."""
    if text == "callback":
        return "plait_any_function"
    constant, made = False, ""
    for word in re.findall(r"\w+|\*", text):
        if word == "const":
            constant = True
        elif word == "*":
            made, constant = ("*const " if constant else "*mut ") + made, False
        else:
            made = RUST.get(word, word)
    return made


def rust_result(text):
    return "" if text == "void" else " -> " + rust_type(text)


def rust_field(field, constants):
    made = rust_type(field["type"])
    if "count" in field:
        made = "[%s; %d]" % (made, constants.get(field["count"]) or int(field["count"]))
    return "    pub %s: %s," % (rust_name(field["name"]), made)


def rust_parameters(parameters):
    return ", ".join("%s: %s" % (rust_name(p["name"]), rust_type(p["type"])) for p in parameters)


def rust_text(api):
    lines = ["// SPDX-License-Identifier: MIT", "// " + NOTE, ""]
    lines += ["pub type %s = %s;" % (name, RUST[base]) for name, base in api["scalars"].items()]
    types = type_of_constants(api)
    lines += ["pub const %s: %s = %d;" % (name, types.get(name, "u32"), value)
              for name, value in api["constants"].items()]
    lines += ["pub const PLAIT_FOREVER: u64 = u64::MAX;", "", "opaque! {"]
    lines += ["    %s," % name for name in api["opaque"]] + ["}", ""]
    for callback in api["callbacks"]:
        lines += ["pub type %s =" % callback["name"],
                  "    Option<unsafe extern \"C\" fn(%s)%s>;" % (
                      rust_parameters(callback["parameters"]), rust_result(callback["result"]))]
    lines += ["", "structs! {"]
    for struct in api["structs"]:
        lines.append("pub struct %s [%s] {" % (
            struct["name"], "size" if struct["fields"][0]["name"] == "size" else ""))
        lines += [rust_field(f, api["constants"]) for f in struct["fields"]] + ["}"]
    lines += ["}", "", "functions! {"]
    for function in api["functions"]:
        lines += ["/// %s - %s" % (function["name"], function["brief"]),
                  "fn %s(%s)%s;" % (function["name"], rust_parameters(function["parameters"]),
                                    rust_result(function["result"]))]
    return "\n".join(lines + ["}", ""])


# --- writing -----------------------------------------------------------------

def products():
    api = describe()
    return {"bindings/api.json": json.dumps(api, indent=1) + "\n",
            "bindings/python/plait/_raw.py": python_text(api),
            "bindings/lua/plait/cdef.lua": lua_text(),
            "bindings/rust/plait-sys/src/raw.rs": rust_text(api),
            "bindings/julia/Plait/src/raw.jl": julia_text(api, NOTE),
            "doc/reference/languages.md": abilities.page(api, PAGES),
            **reference.pages(api, PAGES)}


def read(path):
    try:
        with open(os.path.join(ROOT, path), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def main():
    old = [(path, text) for path, text in products().items() if read(path) != text]
    if "--check" in sys.argv:
        for path, _ in old:
            print("%s is out of date: run bindings/generate.py" % path)
        return 1 if old else 0
    for path, text in old:
        with open(os.path.join(ROOT, path), "w", encoding="utf-8") as file:
            file.write(text)
        print("wrote %s" % path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
