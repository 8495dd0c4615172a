# SPDX-License-Identifier: MIT
"""The filter t/coll/prove as a function."""
import json
import os
import subprocess

from tap import BUILD

TARGETS = {"plait": 0, "msccl": 1, "executor": 2, "rccl": 3}
KINDS = ["custom", "allreduce", "allgather", "reduce_scatter", "alltoall", "broadcast",
         "reduce", "gather", "scatter", "alltonext"]
ANY = 2 ** 64 - 1
SAME_BITS = 1


class Prover:
    def __init__(self):
        self.process = subprocess.Popen([os.path.join(BUILD, "t/coll/prove")],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, text, depth=0, slot=0, target=-1, kind=-1, root=0, scratch_tiles=0):
        text = text if isinstance(text, bytes) else text.encode()
        self.process.stdin.write(b"%d %d %d %d %d %d %d\n" % (
            len(text), depth, slot, target, kind, root, scratch_tiles) + text)
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline().decode())
        if answer.get("xml"):
            answer["xml"] = self.process.stdout.read(answer["xml"])
        return answer

    def write(self, text, target):
        """The document as plait writes it for a target; None if it refuses."""
        answer = self.ask(text, kind=100 + TARGETS[target])
        return answer["xml"] if answer["status"] == 0 else None

    def reads(self):
        """Whether the library was built with expat."""
        return "without expat" not in self.ask("<algo/>")["text"]

    def close(self):
        self.process.stdin.close()
        return self.process.wait()


def reason(answer):
    """The oracle's word for an answer."""
    if answer["reason"] == "read":
        return "shape"
    return answer["reason"] or "ok"
