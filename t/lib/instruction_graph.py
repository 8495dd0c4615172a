# SPDX-License-Identifier: MIT
"""Instructions that `plait flow --memories` prints for a text, as a graph to question."""
import json
import os
import tempfile

from tap import BUILD, run

TOOL = os.path.join(BUILD, "tools/plait/plait")


def flow(text, *options):
    """(exit code, stdout, stderr)"""
    with tempfile.NamedTemporaryFile("w", suffix=".flow") as file:
        file.write(text)
        file.flush()
        got = run([TOOL, "flow", *options, file.name])
    return got.returncode, got.stdout, got.stderr


class Graph:
    """The instructions of a text."""

    def __init__(self, text, devices, *options):
        code, out, self.error = flow(text, "--memories", str(devices), "--json", *options)
        self.all = json.loads(out) if code == 0 else {"instructions": [], "warnings": []}
        self.list = self.all["instructions"]
        self.before = {}
        for one in self.list:
            self.before[one["instruction"]] = {p["instruction"] for p in one["preds"]}.union(
                *[self.before[p["instruction"]] for p in one["preds"]])

    def kind(self, kind, **keys):
        return [i for i in self.list if i["kind"] == kind and all(i[k] == v for k, v in keys.items())]

    def task(self, label, piece=0):
        return [i for i in self.list if i["kind"] in ("launch", "call") and i["label"] == label][piece]

    def copies(self, source=None, target=None):
        return [i for i in self.kind("copy") if source in (None, i["source"]) and target in (None, i["memory"])]

    def follows(self, one, other):
        return other["instruction"] in self.before[one["instruction"]]

    def are_concurrent(self, *all_of):
        return not any(self.follows(a, b) for a in all_of for b in all_of)


def boxes(instructions):
    return sorted((i["box"]["data"], tuple(i["box"]["low"]), tuple(i["box"]["high"])) for i in instructions)
