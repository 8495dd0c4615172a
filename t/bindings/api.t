#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Agreement of bindings/api.json, and of the files made from it, with the headers."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import ROOT, done, none, ok, read, run, tracked
import headers
import json
import re

got = run([sys.executable, ROOT + "/bindings/generate.py", "--check"])
ok(got.returncode == 0, "bindings/generate.py has been run", got.stdout, got.stderr)
with open(ROOT + "/bindings/api.json", encoding="utf-8") as file:
    api = json.load(file)
names = {d.name for d in headers.everything()
         if d.kind == "prototype" and d.mark == "PLAIT_API"}
ok(names == {f["name"] for f in api["functions"]}, "every function is there")
parameters = [p for f in api["functions"] for p in f["parameters"]]
ok(all(p["ownership"] in ("borrowed", "owned", "copied", "consumed", "value") and p["text"]
       for p in parameters), "every parameter has an owner")
ok(all(f["thread"] in ("any", "one", "owner") for f in api["functions"]),
   "every function says which thread")
ok(api["constants"]["PLAIT_CALL_ANY_THREAD"] == 1 and api["constants"]["PLAIT_E_FORKED"] == -14,
   "constants are numbers")

# --- the layers: each has all of it
sys.path.insert(0, ROOT + "/bindings")
import abilities
import layers

none(abilities.holes(api), "every language reaches every function and option, or says why not")
made = dict(api, functions=api["functions"] + [dict(api["functions"][0], name="plait_new_function")])
ok(abilities.holes(made) == ["%s: no member calls plait_new_function" % one for one in abilities.LANGUAGES],
   "a new function is missing in all of them")

# --- error texts: a function of C that one names has a name in each language
public = {f["name"] for f in api["functions"]} | {"plait_plan_bind_%s"}
named = set()
for name in tracked():
    if name.startswith("src/") and name.endswith(".c"):
        for text in re.findall(r'"((?:[^"\\]|\\.)*)"', re.sub(r"/\*.*?\*/", "", read(name), flags=re.S)):
            named |= {word for word in re.findall(r"plait_[a-z_]+(?:%s)?", text) if word in public and (word != text or "%" in word)}
ok("plait_plan_bind_%s" in named, "error texts name functions")
for language, path in (("python", "python/plait/_core.py"), ("lua", "lua/plait/core.lua"),
                       ("rust", "rust/plait/src/error.rs"), ("julia", "julia/Plait/src/core.jl")):
    text = layers.read(path)
    none(sorted(name for name in named if name.replace("%s", "kernel") not in text),
         language + ": has its own names for them")
done()
