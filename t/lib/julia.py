# SPDX-License-Identifier: MIT
"""The Julia that tests use, and how it is started."""
import os
import re

from tap import BUILD, ROOT, SOAK, run, which

LAYER = os.path.join(ROOT, "bindings", "julia")
OLDEST = (1, 5)
GET = "./bootstrap julia puts one into build/julia"


def works(path):
    try:
        got = run([path, "--version"])
    except OSError:
        return False
    found = re.match(r"julia version (\d+)\.(\d+)", got.stdout)
    return bool(found) and tuple(map(int, found.groups())) >= OLDEST


def find():
    """JULIA, or what bootstrap julia left; in a long run, the one of PATH."""
    chosen = os.environ.get("JULIA")
    tried = [chosen] if chosen else [os.path.join(ROOT, "build", "julia", "julia")]
    tried += [which("julia")] if SOAK else []
    return next((path for path in tried if path and works(path)), None)


julia = find()
missing = None if julia else "no Julia of 1.5 or newer; " + GET
# Most of the time would go into compiling what runs once.
QUICK = ["-O0", "--compile=min"]


def environment(test):
    """What Julia needs to know; tests that come at once have folders of their own."""
    return {"JULIA_LOAD_PATH": LAYER + ":@stdlib", "JULIA_NUM_THREADS": "2",
            "JULIA_DEPOT_PATH": os.path.join(BUILD, "bindings-julia", test)}


def command(*arguments, how=QUICK):
    return [julia, "--startup-file=no", *how, *arguments]
