#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Agreement of bindings/api.json, and of the files made from it, with the headers."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import ROOT, done, ok, run
import headers
import json

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
done()
