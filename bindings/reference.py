# SPDX-License-Identifier: MIT
"""Generator of doc/reference: one page per language, from api.json and from the
comments of the layers."""
import os
import re
import textwrap

import layers

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {"c": "C", "lua": "Lua", "python": "Python", "rust": "Rust", "julia": "Julia"}
SUFFIXES = {"lua": "lua", "python": "py", "rust": "rs", "julia": "jl"}
RAW = {"lua": "`require(\"plait.core\").lib`", "python": "`plait._library.lib`, with the structs of `plait._raw`",
       "rust": "the crate `plait_sys`, also called `plait::sys`", "julia": "`Plait.Raw`"}
THREADS = {"owner": "the thread that opened the system",
           "one": "one thread at a time"}
ERRORS = {
    "lua": "An error is a table with `status`, `name`, `text`, `origin` and `detail`, thrown by `error`; "
           "`tostring` gives text and name. An error in a callback fails its command; the error of the "
           "waiting call has its text and traceback.",
    "python": "An error is a `plait.Error`. An exception in a callback fails its command; it is the "
              "`__cause__` of the error that the waiting call raises.",
    "rust": "An error is a `plait::Error`. An error that a closure returns, or a panic, fails its command; the "
            "error of the waiting call has its text.",
    "julia": "An error is a `PlaitError`. An exception in a callback fails its command; it is the `cause` of "
             "the error that the waiting call throws.",
}
OWNERSHIP = {
    "lua": "An object holds one reference. The garbage collector or `release()` drops it, in any order. "
           "Work in flight continues.",
    "python": "An object holds one reference. The garbage collector, the end of a `with` or `release()` drops "
              "it, in any order and on any thread. Work in flight continues.",
    "rust": "An object holds one reference and drops it with itself, in any order, on any thread that may own "
            "it. Work in flight continues.",
    "julia": "An object holds one reference. The garbage collector or `release` drops it, in any order and on "
             "any thread. Work in flight continues.",
}


def wrap(text):
    """Wrap paragraphs at 88 columns; keep indented text, lists, tables and code."""
    parts, fenced = [], False
    for part in re.split(r"\n\s*\n", text.strip("\n")):
        if re.match(r"(?:    |- |\||#|```)", part) or fenced:
            parts.append(part)
            fenced = fenced != bool(part.count("```") % 2)
        else:
            parts.append("\n".join(textwrap.wrap(" ".join(part.split()), 88, break_long_words=False,
                                                 break_on_hyphens=False)))
    return "\n\n".join(parts)


def anchor(heading):
    """Return the anchor that code hosts give a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def bar(text):
    return text.replace("|", "\\|")


# --- what all pages have -------------------------------------------------------

def page(language, note, start, kind, sections):
    """Return a page: a first program, a table of contents, the sections."""
    lines = ["# plait for %s: reference" % NAMES[language], "", "<!-- %s -->" % note, "",
             "## First program", "", "```" + kind, start.strip("\n"), "```", ""]
    lines += ["## Contents", ""]
    lines += ["- [%s](#%s)%s" % (title, anchor(title), ": " + words if words else "")
              for title, words, _ in sections]
    for title, _, body in sections:
        lines += ["", "## " + title, "", body.strip("\n")]
    return "\n".join(lines) + "\n"


def shape(function):
    """Return `(queue, desc?) → result`, where `?` marks a nullable parameter."""
    given, made = [], []
    for p in function["parameters"]:
        if p["name"] == "error":
            continue
        out = p["ownership"] == "owned" or p["name"].startswith("out")
        name = re.sub(r"^out_", "", p["name"]) + ("?" if p["nullable"] else "")
        name += " (consumed)" if p["ownership"] == "consumed" else ""
        (made if out else given).append(name)
    text = "(%s)" % ", ".join(given)
    return text + (" → " + ", ".join(made) if made else "")


def raw_table(api, reached):
    lines = ["`?`: may be null. →: results, through `out` parameters. A function that can fail takes a",
             "`plait_error`, or null, as its last parameter and returns a status."]
    headers = list(dict.fromkeys(f["header"] for f in api["functions"]))
    for header in headers:
        lines += ["", "| %s.h | parameters → results | thread | called by |" % header, "|---|---|---|---|"]
        for f in api["functions"]:
            if f["header"] == header:
                lines.append("| `%s` | %s | %s | %s |" % (
                    f["name"], shape(f), f["thread"], reached.get(f["name"], "").replace("inside", "*inside*")))
    return "\n".join(lines)


# --- the pages of the layers ---------------------------------------------------

def thread_of(functions, threads):
    found = {threads[name] for name in functions if name in threads}
    return next((one for one in ("owner", "one") if one in found), None)


def member_text(member, threads):
    lines = ["### `%s`" % member.signature, ""] + [wrap(member.text)]
    calls = ["`%s`" % name for name in sorted(member.functions) if name in threads]
    thread = thread_of(member.functions, threads)
    notes = ["Calls %s." % ", ".join(calls)] if calls else []
    notes += ["Thread: %s." % THREADS[thread]] if thread else []
    return lines + (["", "*%s*" % " ".join(notes)] if notes else [])


def object_section(found, threads):
    lines = [wrap(found.text)] if found.text else []
    for member in found.members:
        lines += [""] + member_text(member, threads)
    first = re.split(r"(?<=[.:;])\s", " ".join(found.text.split()))[0].rstrip(":;.") if found.text else ""
    return found.name, "" if "`" in first[:1] else first, "\n".join(lines)


def rules_section(language):
    return "Rules", "errors, ownership, threads", "\n\n".join(wrap(text) for text in (
        ERRORS[language], OWNERSHIP[language],
        "Callbacks run on the thread that opened the system, while it waits for an object of plait or pumps; "
        "never on a worker thread. Any thread may call a function that is not marked otherwise.",
        "Signatures and source of kernels are described in [kernels](../kernels.md), the statuses in "
        "[errors](../errors.md)."))


def reached_by(language, layer):
    """{function of C: the members that call it}"""
    found = {}
    for thing in layer.objects.values():
        for name in thing.functions:
            found.setdefault(name, []).append("`%s`" % thing.name)
        for member in thing.members:
            short = layers.short(member.signature)
            for name in member.functions:
                found.setdefault(name, []).append("`%s`" % short)
    made = {name: ", ".join(dict.fromkeys(by)) for name, by in found.items()}
    return {**dict.fromkeys(layers.inside(language, layer), "inside"), **made}


def layer_page(language, api, note):
    layer = layers.LAYERS[language]()
    threads = {f["name"]: f["thread"] for f in api["functions"]}
    start = layers.read("start", "start." + SUFFIXES[language]).split("\n", 1)[1]
    sections = [rules_section(language)]
    sections += [object_section(o, threads) for o in layer.objects.values()]
    table = wrap("All C functions can be called directly: %s. The last column names the members that call each; "
                 "*inside*: internal code of the layer does." % RAW[language]) + "\n\n" + raw_table(api, reached_by(language, layer))
    sections.append(("The functions of C", "and the members that call them", table))
    kind = {"rust": "rust", "julia": "julia", "lua": "lua", "python": "python"}[language]
    return page(language, note, start, kind, sections)


# --- the page of C -------------------------------------------------------------

def c_function(function):
    lines = ["### `%s`" % function["name"], "", "```c", prototype(function), "```", "",
             wrap(function["brief"][:1].upper() + function["brief"][1:])]
    if function["text"]:
        lines += ["", wrap(function["text"])]
    lines += [""] if function["parameters"] else []
    for p in function["parameters"]:
        if p["name"] != "error":
            lines.append("- `%s`: %s%s; %s" % (p["name"], p["ownership"],
                                             ", may be null" if p["nullable"] else "", p["text"]))
    lines += ["", "*Thread: %s. Since %d.%s*" % (
        function["thread"], function["since"],
        " Returns " + ", ".join("`%s`" % one for one in function["returns"]) + "." if function["returns"] else "")]
    return lines


def prototype(function):
    def spaced(text):
        return re.sub(r"(\*+)$", r" \1", text)
    given = ", ".join((spaced(p["type"]) + ("" if p["type"].endswith("*") else " ")) + p["name"]
                      for p in function["parameters"]) or "void"
    result = spaced(function["result"])
    head = result + ("" if result.endswith("*") else " ") + function["name"] + "("
    return "\n".join(textwrap.wrap(head + given + ");", 88, subsequent_indent="        "))


def c_section(api, header):
    text = api["headers"][header]
    lines = [wrap(text["text"])]
    for enum in api["enums"]:
        if enum["header"] == header:
            lines += ["", wrap("`%s`: %s" % (enum["name"], ", ".join("`%s`" % v for v in enum["values"]) + "."))]
    for struct in api["structs"]:
        if struct["header"] == header:
            lines += ["", wrap("`%s`: %s." % (struct["name"], ", ".join(
                "`%s`" % f["name"] for f in struct["fields"] if not f["name"].startswith("reserved"))))]
    for function in api["functions"]:
        if function["header"] == header:
            lines += [""] + c_function(function)
    return header + ".h", text["title"], "\n".join(lines)


def c_page(api, note):
    with open(os.path.join(HERE, "..", "README.md"), encoding="utf-8") as file:
        start = re.search(r"```c\n(.*?)```", file.read(), re.S).group(1)
    rules = ("Rules", "errors, ownership, threads", wrap(
        "A function that can fail returns a status, negative on failure, and takes a `plait_error` of the caller, "
        "or null, as its last parameter. Every struct begins with its `size`; fields that are not set are zero.\n\n"
        "*Borrowed*: used during the call, or as long as the text says; *copied*: not needed after the call; "
        "*owned*: owned by the caller, who drops it with the `release` of its type; *consumed*: dropped by the "
        "call; *value*: a number.\n\n"
        "Thread *any*: any thread, at any time; *one*: one thread at a time for an object; *owner*: the owner of the "
        "inbox. More is in [threads](../threads.md), [errors](../errors.md) and [the ABI](../abi.md)."))
    headers = [h for h in api["headers"] if any(x["header"] == h for x in api["functions"] + api["structs"])]
    return page("c", note, start, "c", [rules] + [c_section(api, h) for h in headers])


def pages(api, note):
    made = {"doc/reference/%s.md" % name: layer_page(name, api, note) for name in layers.LAYERS}
    made["doc/reference/c.md"] = c_page(api, note)
    return made
