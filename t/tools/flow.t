#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait flow: the example of doc/flow-text.md, all forms, options, exit codes."""
import json
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, done, ok, read, run

TOOL = os.path.join(BUILD, "tools/plait/plait")
EXAMPLE = os.path.join(ROOT, "examples/stencil.flow")
PAGE = read("doc/flow-text.md")


def flow(*arguments, text=None):
    """(exit code, stdout, stderr)"""
    with tempfile.NamedTemporaryFile("w", suffix=".flow") as file:
        if text is not None:
            file.write(text)
            file.flush()
            arguments = [*arguments, file.name]
        got = run([TOOL, "flow", *arguments])
    return got.returncode, got.stdout, got.stderr.replace(file.name, "FILE")


blocks = [re.search("```\n(%s.*?)```" % first, PAGE, re.S).group(1) for first in ("data u 100", "3 data")]
ok(read("examples/stencil.flow").endswith("\n" + blocks[0]), "examples/stencil.flow is the example of doc/flow-text.md")
code, text, error = flow(EXAMPLE)
ok(code == 0 and text == blocks[1] and error == "", "its output is what the page shows", text, error)
ok(flow(EXAMPLE, "--text")[1] == text, "text is the default")

code, data, _ = flow(EXAMPLE, "--json")
data = json.loads(data)
ok(code == 0 and data["lanes"] == 4 and len(data["tasks"]) == 7 and not data["warnings"], "as JSON", data)
for name, of in (("data", data["data"]), ("tasks", data["tasks"]), ("accesses", data["tasks"][0]["accesses"]),
                 ("after", data["tasks"][1]["after"])):
    line = re.search(r"\| `%s` \| (.*) \|" % name, PAGE).group(1)
    ok(all("`%s`" % key in line for key in of[0]), "the page has the keys of " + name, list(of[0]), line)
ok(sum(len(t["after"]) for t in data["tasks"]) == 13, "edges are those of the text")
ok(data["tasks"][3]["after"][0] == {
    "task": 2, "reason": "reads v [0, 50), which it wrote", "elements": 50, "data": "v", "low": [0], "high": [50]},
   "an edge", data["tasks"][3]["after"])
ok(all(e["task"] < t["task"] for t in data["tasks"] for e in t["after"]), "edges go back")

code, dot, _ = flow(EXAMPLE, "--dot")
ok(code == 0 and dot.startswith("digraph") and dot.count(" -> ") == 13, "as DOT", dot)
code, svg, _ = flow(EXAMPLE, "--svg", "--lanes", "2")
ok(code == 0 and svg == read("doc/stencil.svg"), "doc/stencil.svg is the drawing", svg[:200])

unwritten = "data u 8\ntask a reads=u[0:4]\n"
code, text, error = flow(text=unwritten)
ok(code == 0 and text.endswith('warning: task 1 "a" reads u [0, 4), which nothing wrote\n'), "a warning", text, error)
code, text, error = flow("--strict", text=unwritten)
ok(code == 1 and "FILE: 1 warning\n" in error and "which nothing wrote" in text, "with --strict an error", error)
ok(flow("--strict", EXAMPLE)[0] == 0, "--strict without warnings")
code, text, error = flow(text="data u\ntask a reads=v\n")
ok(code == 1 and text == "" and error == 'plait flow: FILE:2: expected the name of data from a line above, found "v"\n',
   "a mistake in a text", error)
code, text, _ = flow("--window", "16", "--lanes", "1", text="data u\nrepeat 50\ntask a updates=u\nend")
ok(code == 0 and text.startswith("1 data, 50 tasks, 49 edges, 1 lane, 1 warning\n"), "a small window", text)
code, text, error = flow("--window", "17", EXAMPLE)
ok(code == 1 and "window 17 is not a power" in error, "a wrong window", error)
SPLIT = """data u 64
data s bytes=0
task a items=64 split=1 pieces=2 writes=u:own
task b items=64 split=1 pieces=2 reads=u:near(1) updates=s
task c items=8x8 split=2 pieces=4 reads=u:even(0)
"""
code, text, error = flow(text=SPLIT)
ok(code == 0 and 'task 5 "b": launch, piece 1 of 2, ' in text and "\treads u [31, 64)\n" in text and
   text.endswith('warning: task 5 "b" waits for other pieces: s\n'), "pieces", text, error)
code, data, _ = flow("--json", text=SPLIT)
data = json.loads(data)
ok([t.get("piece") for t in data["tasks"]] == [0, 1, 0, 1, 0, 1, 2, 3] and
   data["tasks"][7]["accesses"][0]["low"] == [48] and data["warnings"][0]["warning"] == "pieces", "as JSON", data)
REDUCED = "data u 64\ndata s\ntask a writes=u\ntask b items=64 split=1 pieces=2 reads=u:own reduces=s\n"
code, text, error = flow("--strict", text=REDUCED + "task c items=64 reads=u reduces=s\n")
ok(code == 0 and [kind in text for kind in ('2 "b": identity', '4 "b": launch, piece 1 of 2', '5 "b": combine', '7 "c": identity')] ==
   [True] * 4 and "updates s.partials [1, 2)" in text, "reductions", text, error)
code, text, error = flow("--memories", "2", text=REDUCED)
ok(code == 0 and 'combine 5 "b", lane host' in text and
   text.count("copy s.partials [0, 1), memory 1 to 0") == 1, "reductions on devices", text, error)
for line, part in (("reduces=s", "say its items="), ("items=4 reduces=t", "the name of data"),
                   ("items=4 reduces=u,u", "beside its reduction"), ("items=4 reduces=u reads=u", "beside its reduction"),
                   ("items=4 reduces=k", "a token has no elements"), ("items=4 reduces=u,s,a,b,c", "more than 4 reductions")):
    code, _, error = flow(text="data u 4\ndata s\ndata a\ndata b\ndata c\ndata k bytes=0\ntask a " + line)
    ok(code == 1 and "FILE:7: " in error and part in error, "wrong: " + line, error)
for line, part in (("items=0y", "one to three extents"), ("items=4 reads=u:far", "found \"far\""),
                   ("items=4 reads=u:near", "near(N,...)"), ("items=4 reads=u:near(1", "near(N,...)"),
                   ("items=4 reads=u:", "NAME:MAPPER"), ("reads=u:own", "mappers are for launches"),
                   ("items=4 split=3", "split is 3"), ("items=4 split=2", "the launch has one dimension"),
                   ("items=8 pieces=4", "4 pieces, but split is 0"), ("split=1", "only launches are split"),
                   ("items=4 reads=u[0:1]:own", "NAME[LOW:HIGH,...]")):
    code, _, error = flow(text="data u 4\ntask a " + line)
    ok(code == 1 and "FILE:2: " in error and part in error, "wrong: " + line, error)
ACCESS = "data u 8\ntask a writes=u\naccess look reads=u[0:4]\ntask b writes=u\n"
code, text, error = flow(text=ACCESS)
ok(code == 0 and 'task 2 "look": host access, outside\n\treads u [0, 4)\n\tafter 1 "a": reads u [0, 4), which it wrote\n' in text and
   'after 2 "look": overwrites u [0, 4), which it read\n' in text, "an access of the host", text, error)
code, data, _ = flow("--json", text=ACCESS)
ok([(t["kind"], t["lane"] == "outside") for t in json.loads(data)["tasks"]] == [("call", False), ("host access", True), ("call", False)],
   "its kind", data)
for line in ("access a", "access a reads=u items=4", "access a reads=u cost=2", "access a reads=u urgent", "access a reads=u barrier"):
    code, _, error = flow(text="data u 4\n" + line)
    ok(code == 1 and "FILE:2: an access of the host has reads=, writes= or updates=" in error, "wrong: " + line, error)
ok(flow(text="")[1].startswith("0 data, 0 tasks"), "an empty text")
ok(flow("--svg", text="")[0] == 0, "an empty picture")

for arguments, part in (((), "expected one FILE"), (("a", "b"), "expected one FILE"), (("--bla", "x"), "unknown option '--bla'"),
                        (("--lanes",), "'--lanes' needs a value"), (("--lanes", "31", "x"), "up to 30"),
                        (("--dot", "--svg", "x"), "one format at a time")):
    code, _, error = flow(*arguments)
    ok(code == 2 and part in error, "wrong: " + " ".join(arguments), code, error)
code, _, error = flow("/nowhere")
ok(code == 1 and "/nowhere: No such file" in error, "no such file", error)
done()
