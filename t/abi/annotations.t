#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Annotations of the headers: they keep the rules that let any language use them,
and state for every parameter its owner, whether it may be null, and its thread."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import done, none, ok, read
import headers

ALL = headers.everything()
STRUCTS = {d.name for d in ALL if d.kind == "struct"}
OPAQUE = {d.name for d in ALL if d.kind == "opaque"} - STRUCTS
SCALARS = {d.name for d in ALL if d.kind == "scalar"}
CALLBACKS = {d.name for d in ALL if d.kind == "callback"}
FIXED = {s + "int%d_t" % b for s in ("", "u") for b in (8, 16, 32, 64)} | {"float", "double"}
OWNERSHIP = {"borrowed", "owned", "copied", "consumed"}
# Structs of two words which never grow, so that arrays of them stay dense.
DENSE = {"plait_point", "plait_box", "plait_backend_point", "plait_work_times",
         "plait_link_slot"}


def bad_type(t, pointee_too=True):
    """Why a type may not cross the boundary, or None."""
    if t.varargs:
        return "varargs"
    if re.search(r"\b(enum|union|volatile|_Atomic|long|short|unsigned|signed|restrict)\b", t.type):
        return "type " + t.type
    if t.type == "callback":
        inner = [bad_type(p) for p in t.parameters] + [bad_result(Result(t.result))]
        return next((i for i in inner if i), None)
    base = re.sub(r"\bstruct\b", "", t.base).strip()
    if t.pointer:
        known = {"void", "char"} | FIXED | STRUCTS | OPAQUE | SCALARS | CALLBACKS
        return None if base in known else "pointer to unknown " + base
    if base in STRUCTS or base in OPAQUE:
        return "struct by value: " + base
    return None if base in FIXED | SCALARS | CALLBACKS else "type " + t.type


def Result(text):
    return headers.Parameter(text.strip() + " result")


def bad_result(t):
    return None if t.type == "void" else \
        "returns a callback" if t.base in CALLBACKS else bad_type(t)


def tags(comment):
    """{parameter: text}, {tag: text} of a comment block."""
    params, others = [], {}
    body = re.sub(r"^\s*\*/?", "", re.sub(r"^/\*|\*/$", "", comment), flags=re.M)
    for tag, text in re.findall(r"@(\w+)\s+((?:[^@])*)", body):
        text = " ".join(text.split())
        if tag == "param":
            params.append(tuple(text.split(" ", 1)) if " " in text else (text, ""))
        else:
            others[tag] = text
    return params, others


def check_parameter(p, text):
    words = re.match(r"(\w+)(?:, ([\w-]+))?: \S", text)
    if not words:
        return "%s: no `ownership, nullability: text`" % p.name
    if not p.pointer and p.base not in CALLBACKS:
        return None if words.group(1) == "value" and not words.group(2) else \
            "%s: a scalar is `value: text`" % p.name
    if words.group(1) not in OWNERSHIP:
        return "%s: ownership %r" % (p.name, words.group(1))
    if words.group(2) not in ("nullable", "non-null"):
        return "%s: nullability %r" % (p.name, words.group(2))
    return None


def check_prototype(d):
    params, others = tags(d.comment)
    found = []
    if [n for n, _ in params] != [p.name for p in d.parameters]:
        found.append("documents %s, has %s" % ([n for n, _ in params],
                                               [p.name for p in d.parameters]))
    else:
        found += [t for p, (_, text) in zip(d.parameters, params)
                  for t in [check_parameter(p, text)] if t]
    if others.get("thread", "").split(" ")[0].rstrip(",;:") not in ("any", "one", "owner"):
        found.append("@thread %r" % others.get("thread"))
    if not re.match(r"\d+$", others.get("since", "")):
        found.append("@since %r" % others.get("since"))
    if ("return" in others) != (d.result.type != "void"):
        found.append("@return is missing or too many")
    if d.result.type == "plait_status" and not re.search(
            r"PLAIT_OK|\bas (for )?plait_\w+", others.get("return", "")):
        found.append("@return does not list the codes")
    if not re.match(r"/\*\s*\*\s*%s - " % d.name, d.comment):
        found.append("the comment does not start with `%s - `" % d.name)
    return ["%s: %s" % (d.name, f) for f in found]


def selftest():
    """The checks themselves can fail."""
    def proto(text, comment=""):
        return headers.Declaration("PLAIT_API " + text, comment, "x")
    good = "/*\n * f - x\n *\n * @param a value: n\n * @return PLAIT_OK\n * @thread any\n * @since 1\n */"
    ok(not check_prototype(proto("plait_status f(int32_t a)", good)), "a good prototype passes")
    for text, comment in (("plait_status f(int32_t b)", good),
                          ("plait_status f(void *a)", good),
                          ("void f(int32_t a)", good),
                          ("plait_status f(int32_t a)", good.replace("any", "mine")),
                          ("plait_status f(int32_t a)", good.replace("since", "sins"))):
        ok(check_prototype(proto(text, comment)), "a wrong one is caught: " + text)
    for text in ("bool a", "size_t a", "plait_error a", "...", "long a", "enum x a",
                 "int a", "unsigned a", "struct x *a", "plait_error (*a)(void)"):
        ok(bad_type(headers.Parameter(text)), "a wrong type is caught: " + text)


selftest()
prototypes = [d for d in ALL if d.kind == "prototype" and d.mark == "PLAIT_API"]
ok(len(prototypes) >= 7, "the reader finds prototypes")
none([d.header + ".h: " + d.text[:90] for d in ALL if d.kind is None], "every declaration is of a known form")
none(["%s: %s" % (d.name, w) for d in ALL if d.kind in ("prototype", "callback")
      for w in [bad_type(p) for p in d.parameters] + [bad_result(d.result)] if w],
     "functions take and return plain scalars and pointers")
none(["%s.%s: %s" % (d.name, f.name, w) for d in ALL if d.kind == "struct"
      for f in d.fields
      for w in [("char outside an array" if f.base == "char" and not f.pointer else None)
                or bad_type(f) or ("flexible array" if f.array == "[]" else None)
                or ("bit field" if ":" in f.text else None)] if w],
     "structs hold fixed-width scalars, pointers and arrays of bytes")
none([d.name for d in ALL if d.kind == "struct" and d.name not in DENSE
      and d.fields[0].text != "uint32_t size"], "structs start with their size")
none([d.name for d in ALL if d.name and not re.match(r"plait_[a-z]", d.name)],
     "names start with plait_")
none([v[0] for d in ALL for v in d.values if not v[0].startswith("PLAIT_")],
     "enumerators start with PLAIT_")
none([d.name for d in ALL if d.kind == "enum" and d.name], "enums have no type")
# Numbers of their own; and PLAIT_CAP_..., which are plait_device_capabilities.
LONE = {"PLAIT_VERSION_MAJOR", "PLAIT_ERROR_TEXT_BYTES", "PLAIT_ARRAY_MAX_DIMENSIONS", "PLAIT_PLUGIN_ABI",
        "PLAIT_CAP_MAP"}
none([d.values[0][0] for before, d in zip(ALL, ALL[1:]) if d.kind == "enum"
      and before.kind != "scalar" and d.values[0][0] not in LONE],
     "enumerators follow the named type of their values")
none([w for n in headers.names() for w in re.findall(r"^.*\b(?:inline|extern)\b.*$", re.sub(
    r'/\*.*?\*/|extern "C" \{', "", read("include/plait/%s.h" % n), flags=re.S), re.M)],
     "no inline functions, no data")
for name in headers.names():
    none([w for d in prototypes if d.header == name for w in check_prototype(d)],
         "%s.h states ownership, nullability and thread" % name)
done()
