# SPDX-License-Identifier: MIT
"""The pages of doc/reference: one for each language, made from the description
of the headers and from the layers' own comments."""
import os
import re
import textwrap

import layers

HERE = os.path.dirname(os.path.abspath(__file__))
NAMES = {"c": "C", "lua": "LuaJIT", "python": "Python", "rust": "Rust", "julia": "Julia"}
SUFFIXES = {"lua": "lua", "python": "py", "rust": "rs", "julia": "jl"}
RAW = {"lua": "`require(\"plait.core\").lib`", "python": "`plait._library.lib`, with the structs of `plait._raw`",
       "rust": "the crate `plait_sys`, also called `plait::sys`", "julia": "`Plait.Raw`"}
THREADS = {"owner": "the thread that opened the system",
           "one": "one thread at a time"}
ERRORS = {
    "lua": "An error is a table with `status`, `name`, `text`, `origin` and `detail`, thrown by `error`; "
           "`tostring` is the whole. What a function of yours raises fails its command, and the error "
           "of whoever waits has its text and traceback.",
    "python": "An error is a `plait.Error`; see there. What a function of yours raises fails its command, "
              "and is the `__cause__` of what is raised where one waits for it.",
    "rust": "An error is a `plait::Error`; see there. What a closure of yours returns as an error, or panics "
            "with, fails its command, and its text is in the error of whoever waits.",
    "julia": "An error is a `PlaitError`; see there. What a function of yours throws fails its command, and is "
             "the `cause` of what is thrown where one waits for it.",
}
OWNERSHIP = {
    "lua": "An object holds one reference, given back when it is collected, or by `release()`: in any order. "
           "What is in flight goes on.",
    "python": "An object holds one reference, given back when it is collected, at the end of a `with`, or by "
              "`release()`: in any order, on any thread. What is in flight goes on.",
    "rust": "An object holds one reference, given back when it is dropped: in any order, on any thread that may "
            "have it. What is in flight goes on.",
    "julia": "An object holds one reference, given back when it is collected, or by `release`: in any order, on "
             "any thread. What is in flight goes on.",
}


def wrap(text):
    """Paragraphs of 88 columns; what is indented or listed stays as it is."""
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
    """What the forges call a heading."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def bar(text):
    return text.replace("|", "\\|")


# --- what all pages have -------------------------------------------------------

def page(language, note, start, kind, sections):
    """A page: how one starts, what there is, and then each of it."""
    lines = ["# plait for %s: reference" % NAMES[language], "", "<!-- %s -->" % note, "",
             "## To start with", "", "```" + kind, start.strip("\n"), "```", ""]
    lines += ["## What there is", ""]
    lines += ["- [%s](#%s)%s" % (title, anchor(title), ": " + words if words else "")
              for title, words, _ in sections]
    for title, _, body in sections:
        lines += ["", "## " + title, "", body.strip("\n")]
    return "\n".join(lines) + "\n"


def shape(function):
    """`queue, desc?` → what it gives: `?` may be null."""
    given, made = [], []
    for p in function["parameters"]:
        if p["name"] == "error":
            continue
        out = p["ownership"] == "owned" or p["name"].startswith("out")
        name = re.sub(r"^out_", "", p["name"]) + ("?" if p["nullable"] else "")
        name += " (given away)" if p["ownership"] == "consumed" else ""
        (made if out else given).append(name)
    text = "(%s)" % ", ".join(given)
    return text + (" → " + ", ".join(made) if made else "")


def raw_table(api, reached):
    lines = ["`?`: may be null. → what it gives, behind `out` parameters. Functions that can fail take a",
             "`plait_error` last, or null, and answer a status."]
    headers = list(dict.fromkeys(f["header"] for f in api["functions"]))
    for header in headers:
        lines += ["", "| %s.h | takes → gives | thread | by |" % header, "|---|---|---|---|"]
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
        "Functions of yours run on the thread that opened the system, while it waits for something of plait "
        "or pumps; never on a thread of plait's. What is not marked otherwise any thread may call.",
        "What the signatures of kernels and their source look like is in [kernels](../kernels.md), what "
        "each status means in [errors](../errors.md)."))


def reached_by(language, layer):
    """{function of C: the members that call it}"""
    found = {}
    for thing in layer.objects.values():
        for name in thing.functions:
            found.setdefault(name, []).append("`%s`" % thing.name)
        for member in thing.members:
            short = re.sub(r"^(?:unsafe )?fn |<.*|\(.*|^.* = ", "", member.signature)
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
    table = wrap("All functions of C can be called as well: %s. Who of the above calls each is named; *inside*: "
                 "the layer does, where it shows nothing of it." % RAW[language]) + "\n\n" + raw_table(api, reached_by(language, layer))
    sections.append(("The functions of C", "and who calls them", table))
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
        " Answers " + ", ".join("`%s`" % one for one in function["returns"]) + "." if function["returns"] else "")]
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
        "Functions that can fail answer a status, negative on failure, and take a `plait_error` of the caller's, "
        "or null, last. Every struct begins with its `size`; what is not set is zero.\n\n"
        "*Borrowed*: read or used during the call, or as long as the text says; *copied*: not needed afterwards; "
        "*owned*: the caller's, to be given back with the `release` of its kind; *consumed*: given back by the "
        "call; *value*: a number.\n\n"
        "Thread *any*: any thread, at any time; *one*: one thread at a time for an object; *owner*: the owner of the "
        "inbox. More is in [threads](../threads.md), [errors](../errors.md) and [the ABI](../abi.md)."))
    headers = [h for h in api["headers"] if any(x["header"] == h for x in api["functions"] + api["structs"])]
    return page("c", note, start, "c", [rules] + [c_section(api, h) for h in headers])


def pages(api, note):
    made = {"doc/reference/%s.md" % name: layer_page(name, api, note) for name in layers.LAYERS}
    made["doc/reference/c.md"] = c_page(api, note)
    return made
