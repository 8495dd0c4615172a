# SPDX-License-Identifier: MIT
"""TAP for scripts, and where things are."""
import functools
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True

ROOT = os.environ.get("abs_top_srcdir") or os.path.dirname(
    os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.environ.get("abs_top_builddir") or ROOT
SANITIZER = os.environ.get("PLAIT_SANITIZER", "no")
SOAK = os.environ.get("PLAIT_SOAK", "0") not in ("", "0")
# For each check of plait conform, which does more then.
PATIENCE = "600" if SOAK else "60"

_count = 0
_failed = 0


def ok(held, name, *details):
    """One check; `details` are shown when it does not hold."""
    global _count, _failed
    _count += 1
    print("%sok %d - %s" % ("" if held else "not ", _count,
                            name.replace("#", "")), flush=True)
    if not held:
        _failed += 1
        for detail in details[:40]:
            for line in str(detail).splitlines()[:20]:
                print("#   " + line, flush=True)
    return held


def none(found, name):
    """A check that holds when the list of findings is empty."""
    return ok(not found, name, *found)


def skip(reason):
    global _count
    _count += 1
    print("ok %d # SKIP %s" % (_count, reason), flush=True)


def skip_all(reason):
    print("1..0 # SKIP " + reason, flush=True)
    sys.exit(0)


def done():
    print("1..%d" % _count, flush=True)
    sys.exit(1 if _failed or not _count else 0)


def run(command, **more):
    """The result of a command: returncode, stdout, stderr (text)."""
    return subprocess.run(command, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True,
                          **more)


def which(name):
    for folder in os.environ.get("PATH", "").split(":"):
        path = os.path.join(folder, name)
        if os.access(path, os.X_OK) and os.path.isfile(path):
            return path
    return None


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


@functools.lru_cache(maxsize=None)
def tracked():
    """Every file of the project, by git or, in a tarball, by its manifest."""
    if os.path.exists(os.path.join(ROOT, ".git")) and which("git"):
        result = run(["git", "-c", "safe.directory=*", "ls-files"], cwd=ROOT)
        names = result.stdout.split()
    elif os.path.exists(os.path.join(ROOT, "MANIFEST")):
        names = read("MANIFEST").split()
    else:
        skip_all("neither a git tree nor a tarball of `make dist`")
    return sorted(n for n in names if os.path.isfile(os.path.join(ROOT, n)))


def sources(*folders):
    """The C files and headers among the tracked files below the folders."""
    return [n for n in tracked()
            if re.search(r"\.[ch]$", n) and n.split("/")[0] in folders]


@functools.lru_cache(maxsize=None)
def without_comments(text, keep_strings=False):
    """C text with comments blanked and strings emptied, lines preserved."""
    def blank(match):
        part = match.group(0)
        if part.startswith("/"):
            return re.sub(r"[^\n]", " ", part)
        return part if keep_strings else part[0] + part[-1]
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  blank, text, flags=re.S)
