#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test of ./bootstrap: it names missing packages where it may not install them,
and changes nothing then.  It runs in an empty folder, on a PATH with tools of
the test: the packages of this machine do not matter, and are not touched."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import ROOT, done, ok, read, run, skip_all, which

# The commands that the script itself uses; others exist when a case says so.
REAL = ("awk", "bash", "cat", "chmod", "cut", "dirname", "find", "grep", "head", "mkdir", "rm", "sed", "seq", "sort",
        "tail", "touch", "tr", "uname")
LACKING = [name for name in REAL if not which(name)]
if LACKING:
    skip_all("not here: " + " ".join(LACKING))

SCRIPT = read("bootstrap")


def packages(kind):
    """(package, command) of a list in the script; command "-": no command."""
    text = re.search(r'^%s_packages="\n(.*?)^"' % kind, SCRIPT, re.M | re.S).group(1)
    return [line.split()[:2] for line in text.splitlines() if line]


BUILD, CHECK = packages("build"), packages("check")
# Of what is in a file with a fixed name our PATH decides nothing.
ELSEWHERE = {"pocl-opencl-icd"}
# The evidence of a package, where that is no command of its name.
PROBES = {"libffi-dev": ("pkg-config", "libffi"), "libhwloc-dev": ("pkg-config", "hwloc"), "libexpat1-dev": ("pkg-config", "expat"),
          "liblua5.4-dev": ("pkg-config", "lua5.4"), "libopenmpi-dev": ("pkg-config", "ompi-c"),
          "libmpich-dev": ("pkg-config", "mpich"),
          "libclang-rt-14-dev": ("clang", "thread"), "opencl-c-headers": ("cc", "CL_TARGET"),
          "ocl-icd-libopencl1": ("cc", "OpenCL.so")}


class Machine:
    """A folder with bootstrap in it, and one with all the commands there are."""

    def __init__(self, folder, user, lacking=(), apt="exit 100"):
        self.tree = os.path.join(folder, "tree")
        self.tools = os.path.join(folder, "tools")
        self.log = os.path.join(folder, "log")
        os.mkdir(self.tree)
        os.mkdir(self.tools)
        open(self.log, "w").close()
        with open(os.path.join(self.tree, "bootstrap"), "w") as file:
            file.write(SCRIPT)
        for name in REAL:
            os.symlink(which(name), os.path.join(self.tools, name))
        self.tool("id", "echo %d" % user)
        self.tool("nproc", "echo 2")
        self.tool("autoreconf", "echo autoreconf $* >>%s; touch configure" % self.log)
        if apt:
            self.tool("apt-get", "echo apt-get $* >>%s\n%s" % (self.log, apt))
        self.tool("cc", self.probes("cc", lacking))
        for package, command in BUILD + CHECK:
            if command != "-" and package not in lacking:
                self.tool(command, self.probes(command, lacking))

    def probes(self, command, lacking):
        """A tool that fails when it is asked for what is lacking."""
        words = [word for package, (tool, word) in PROBES.items() if tool == command and package in lacking]
        return "case \" $* \" in %s) exit 1 ;; esac" % "|".join("*%s*" % w for w in words) if words else "exit 0"

    def tool(self, name, text):
        path = os.path.join(self.tools, name)
        with open(path, "w") as file:
            file.write("#!%s\n%s\n" % (which("bash"), text))
        os.chmod(path, 0o755)

    def bootstrap(self, *args):
        return run([which("bash"), os.path.join(self.tree, "bootstrap"), *args],
                   env={"PATH": self.tools, "CONFIG_SHELL": "/bin/sh"})

    def did(self):
        """What it asked others to do."""
        with open(self.log) as file:
            return file.read().splitlines()

    def files(self):
        return sorted(os.path.join(d, f)[len(self.tree) + 1:] for d, _, fs in os.walk(self.tree) for f in fs)


def advice(got):
    """The packages of the one line that can be copied."""
    found = re.findall(r"run this, then me again:  sudo apt-get install (.*)$", got.stderr, re.M)
    return [name for name in found[0].split() if name not in ELSEWHERE] if len(found) == 1 else None


def names(packages):
    return [package for package, _ in packages if package not in ELSEWHERE]


def refuses(what, lacking, want, *args):
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder, 1000, lacking)
        got = machine.bootstrap(*args)
        ok(got.returncode != 0 and advice(got) == want, what, got.returncode, got.stdout, got.stderr)
        ok(all(re.search(r"^  %s +\S" % re.escape(name), got.stdout, re.M) for name in want),
           "and what each is for", got.stdout)
        ok(machine.did() == [] and machine.files() == ["bootstrap"], "and nothing was done", machine.did(),
           machine.files())


everything = names(BUILD + CHECK)
ok(len(names(BUILD)) >= 8 and len(names(CHECK)) >= 10, "the lists were found")
for args in ((), ("demo",)):
    refuses("bootstrap %s without anything" % "".join(args), names(BUILD), names(BUILD), *args)
refuses("check without anything", everything, everything, "check")
for name in everything:
    # Without a compiler its headers and libraries are not found either.
    want = ["clang", "libclang-rt-14-dev"] if name == "clang" else \
        ["pkg-config", "libffi-dev", "libhwloc-dev", "libexpat1-dev", "liblua5.4-dev", "libopenmpi-dev",
         "libmpich-dev"] if name == "pkg-config" else [name]
    refuses("check without " + name, [name], want, "check")

with tempfile.TemporaryDirectory() as folder:
    machine = Machine(folder, 0, ["make", "libtool"], apt=None)
    got = machine.bootstrap()
    ok(got.returncode != 0 and "no apt-get here; install the equivalents" in got.stderr and
       re.search("^  make +.*\n  libtool +", got.stdout, re.M), "no apt-get, no Debian", got.stdout, got.stderr)
    ok(machine.did() == [] and machine.files() == ["bootstrap"], "and nothing was done", machine.did())

# Of what takes hours, one lane alone; nothing builds here, so that it fails.
SOAK = {"valgrind": "valgrind", "seeds": "more seeds", "coverage": "coverage"}
for lane in SOAK:
    with tempfile.TemporaryDirectory() as folder:
        machine = Machine(folder, 1000)
        machine.tool("valgrind", "exit 0")
        got = machine.bootstrap("soak", lane)
        ok(got.returncode != 0 and [what for what in SOAK.values() if re.search("^%s$" % what, got.stdout, re.M)] ==
           [SOAK[lane]], "soak of %s alone" % lane, got.stdout, got.stderr)

INSTALL = "apt-get install -y -qq --no-install-recommends make libtool"
with tempfile.TemporaryDirectory() as folder:
    # The index is too old, once.
    apt = 'case $1 in update) touch %s/index ;; *) test -e %s/index || exit 100; cd %s\n' \
        'cat nproc >make; cat nproc >libtoolize; chmod +x make libtoolize ;; esac' % (folder, folder, folder + "/tools")
    machine = Machine(folder, 0, ["make", "libtool"], apt)
    got = machine.bootstrap()
    ok(got.returncode == 0 and "configure is ready" in got.stdout, "root gets what is missing", got.stdout, got.stderr)
    ok(machine.did() == [INSTALL, "apt-get update -qq", INSTALL, "autoreconf -fi"], "and nothing else", machine.did())
    got = machine.bootstrap()
    ok(got.returncode == 0 and machine.did()[4:] in ([], ["autoreconf -fi"]), "the second time there is nothing to do",
       machine.did(), got.stderr)

with tempfile.TemporaryDirectory() as folder:
    machine = Machine(folder, 0, ["make", "libtool"], "echo E: no network >&2; exit 100")
    got = machine.bootstrap()
    ok(got.returncode != 0 and "apt-get failed" in got.stderr and "E: no network" in got.stdout,
       "what apt-get says is shown when it fails", got.stdout, got.stderr)
    ok("autoreconf -fi" not in machine.did(), "and that is the end", machine.did())
# A demo that is built configures again when the machine has changed.
CONFIGURE = """mkdir -p build-aux; touch Makefile.in build-aux/ltmain.sh
printf '#!/bin/sh\\necho configure >>%s; touch config.status\\n' >configure; chmod +x configure"""
with tempfile.TemporaryDirectory() as folder:
    machine = Machine(folder, 0)
    for command in ("sleep", "sort", "ls"):
        if not os.path.exists(os.path.join(machine.tools, command)):
            os.symlink(which(command), os.path.join(machine.tools, command))
    machine.tool("autoreconf", CONFIGURE % machine.log)
    machine.tool("make", "exit 0")
    got = machine.bootstrap("demo")
    ok("building plait with 2 processes" in got.stdout and re.search(r"^  demo +build +\.\.\.", got.stdout, re.M),
       "a demo says what it does", got.stdout, got.stderr)
    ok(machine.did().count("configure") == 1, "and configures", machine.did(), got.stdout, got.stderr)
    machine.bootstrap("demo")
    ok(machine.did().count("configure") == 1, "but not again", machine.did())
    machine.tool("cc", "echo another compiler")
    machine.bootstrap("demo")
    ok(machine.did().count("configure") == 2, "unless the machine has changed", machine.did())

with tempfile.TemporaryDirectory() as folder:
    machine = Machine(folder, 0, ["make"], "exit 0")
    got = machine.bootstrap()
    ok(got.returncode != 0 and re.search("still not usable: make", got.stderr),
       "a package that does not bring its command is named", got.stdout, got.stderr)
done()
