# SPDX-License-Identifier: MIT
"""The Rust layer, built with rustc alone: no cargo, nothing from elsewhere."""
import fcntl
import os
import re

from tap import BUILD, ROOT, run

LAYER = os.path.join(ROOT, "bindings", "rust")
OLDEST = (1, 63)
CRATES = (("plait_sys", "plait-sys", ()), ("plait", "plait", ("plait_sys",)))
GET = "Debian's package is called rustc"


def version(path):
    """(1, 63) and so on; (0, 0): it may be a front that has no compiler behind it."""
    try:
        got = run([path, "--version"])
    except OSError:
        return 0, 0
    found = re.match(r"rustc (\d+)\.(\d+)", got.stdout)
    return tuple(map(int, found.groups())) if got.returncode == 0 and found else (0, 0)


def works(path):
    return version(path) >= OLDEST


def find():
    """The compiler: RUSTC, or the first one of PATH that works; None."""
    paths = [os.path.join(f, "rustc") for f in os.environ.get("PATH", "").split(":")]
    chosen = os.environ.get("RUSTC")
    return next(filter(works, [chosen] if chosen else paths), None)


rustc = find()
OUT = os.path.join(BUILD, "bindings-rust", "%d.%d" % version(rustc or ""))
# The warnings of newer compilers are unknown.
LINTS = ("-D", "warnings") if rustc and version(rustc) == OLDEST else ("--cap-lints", "allow")
# rustc would ask the make around us for permission to run.
ENVIRONMENT = {k: v for k, v in os.environ.items() if not re.search("MAKEFLAGS|MFLAGS", k)}
missing = None if rustc else "no rustc of 1.%d or newer; %s" % (OLDEST[1], GET)


def externs(names):
    return [part for name in names
            for part in ("--extern", "%s=%s/lib%s.rlib" % (name, OUT, name))]


def compile(source, output, *arguments, uses=("plait",)):
    """One program; the compiler's result."""
    return run([rustc, "--edition", "2021", "-L", OUT, "-o", output, *LINTS, *externs(uses),
                *arguments, source], env=ENVIRONMENT)


def sources(folder):
    return [os.path.join(d, f) for d, _, fs in os.walk(os.path.join(LAYER, folder, "src"))
            for f in fs]


def fresh(output, inputs):
    return os.path.exists(output) and all(
        os.path.getmtime(output) > os.path.getmtime(i) for i in inputs)


def build():
    """Makes the crates if they are not there; what the compiler said, if anything."""
    os.makedirs(OUT, exist_ok=True)
    said = ""
    with open(os.path.join(OUT, "lock"), "w") as lock:  # two tests may come at once
        fcntl.flock(lock, fcntl.LOCK_EX)
        inputs = []
        for name, folder, uses in CRATES:
            inputs += sources(folder)
            output = "%s/lib%s.rlib" % (OUT, name)
            if not os.path.exists(os.path.join(LAYER, folder, "src/lib.rs")):
                continue
            if not fresh(output, inputs):
                got = compile(os.path.join(LAYER, folder, "src/lib.rs"), output, "--crate-type",
                              "rlib", "--crate-name", name, uses=uses)
                said += got.stderr
    return said
