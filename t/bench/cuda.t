#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Test of bench/cuda: it builds the sources that automake builds, and works on
the stand-ins for CUDA: both sides of each comparison do the same.  No figure is
judged; and in a longer run all of bench/cuda/run, which says that it is no GPU's."""
import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, SOAK, done, ok, run, skip, skip_all

LIBRARIES = os.path.join(BUILD, "t/standin/cuda/.libs")
FILES = ["driver=%s/standin_cuda.so" % LIBRARIES, "nvrtc=%s/standin_nvrtc.so" % LIBRARIES]
ALONE = ("tasks", "copies")  # programs of their own
MAKE = ["make", "-s", "-f", "bench/cuda/makefile"]
if SANITIZER != "no":
    skip_all("the programs are not built with a sanitizer, the library is")


def automake(name):
    """What the Makefile of this build has for a library or program."""
    with open(os.path.join(BUILD, "Makefile"), encoding="utf-8") as file:
        text = file.read().replace("\\\n", " ")
    for line in re.findall(r"^%s_SOURCES = (.*)$" % name, text, re.M):
        words = re.sub(r"\$\(([A-Z]+)\)", lambda m: re.search(r"^%s = (.*)$" % m[1], text, re.M)[1], line)
        return sorted(w for w in words.split() if w.endswith(".c"))
    return []


environment = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
got = run(MAKE + ["list"], cwd=ROOT, env=environment)
lists = dict(line.partition(" ")[::2] for line in got.stdout.splitlines())
for name, target in (("core", "src_libplaitcore_la"), ("tool", "tools_plait_plait"),
                     ("host", "plugins_plait_host_la"), ("cuda", "plugins_plait_cuda_la"),
                     ("fault", "plugins_plait_fault_la"), ("check", "plugins_plait_check_la")):
    ours, theirs = sorted(lists.get(name, "").split()), automake(target)
    ok(ours == theirs and len(ours) > 4, "%s: %d files, as automake has it" % (name, len(ours)),
       got.stderr, *sorted(set(ours) ^ set(theirs)))

with tempfile.TemporaryDirectory(prefix="plait-test-") as folder:
    got = run(MAKE + ["OUT=" + folder, folder + "/src/source/preludes.c"], cwd=ROOT, env=environment)
    with open(os.path.join(BUILD, "src/source/preludes.c"), encoding="utf-8") as file:
        theirs = sorted(file.read().split("const char "))
    with open(folder + "/src/source/preludes.c", encoding="utf-8") as file:
        ours = sorted(file.read().split("const char "))
    ok(got.returncode == 0 and ours == theirs and len(ours) > 3, "preludes, as automake has them", got.stderr)
    built = run(MAKE + ["OUT=" + folder, "CFLAGS=-O2 -Wformat -D_FORTIFY_SOURCE=2 -Werror", "plugins"],
                cwd=ROOT, env=environment)
    ok(built.returncode == 0 and not built.stderr, "plugins, complete and without a word", built.stderr)
    environment.update(PLAIT_CACHE_DIR=folder + "/cache", TMPDIR=folder, PLAIT_WORKERS="2")
    program = folder + "/bench-cuda"
    built = run(os.environ.get("CC", "cc").split() + [
        "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-include", "config.h",
        "-I", "include", "-iquote", "bench/cuda", "-iquote", "plugins/cuda"] +
        sorted(set(glob.glob(os.path.join(ROOT, "bench/cuda/*.c"))) -
               {os.path.join(ROOT, "bench/cuda", name + ".c") for name in ALONE}) + [
        "-L" + BUILD + "/src/.libs", "-lplait", "-Wl,-rpath," + BUILD + "/src/.libs", "-ldl",
        "-o", program], cwd=ROOT)
    if ok(built.returncode == 0 and not built.stderr, "it is compiled without a word", built.stderr):
        # With the recorder of the order of locks, by which an inversion ends the program with 1.
        got = run([program, "quick=1", "rounds=1"] + FILES,
                  env=dict(environment, LD_PRELOAD=os.path.join(LIBRARIES, "librecorder.so")))
        ok(got.returncode == 0 and "WRONG" not in got.stdout, "both sides do the same",
           got.returncode, got.stdout, got.stderr)
        ok(got.stdout.startswith("stand-in for tests"), "and it says on what", got.stdout[:80])
        ok(all("%s, plait" % side in got.stdout and "%s, by hand" % side in got.stdout for side in
               "trip function staged instantiate patch cancel allocate".split()), "single operations too", got.stdout)
        for more in ("marks=each,callbacks=each", "copies=alone,fills=calls"):
            got = run([program, "quick=1", "rounds=1", "more=" + more] + FILES, env=environment)
            ok(got.returncode == 0 and "WRONG" not in got.stdout, "with " + more, got.returncode, got.stdout, got.stderr)
        again = [program, "quick=1", "rounds=9", "seconds=0"] + FILES
        got = run(again + ["only=submit"], env=environment)
        ok(got.returncode == 0 and "a MiB, an operation; 1 rounds" in got.stdout, "time that is over is no round more",
           got.stdout, got.stderr)
        # A clock that stands still: ratios of 0 and 0.
        still = dict(environment, PLAIT_CACHE_DIR=folder + "/still", STANDIN_CXX=os.environ.get("CXX", "c++") +
                     " '-D__builtin_ia32_rdtsc()=7'")
        got = run(again + ["only=chain"], env=still)
        lines = [l for l in got.stdout.splitlines() if "at most" in l]
        ok(len(lines) == 1 and "nan" in lines[0] and lines[0].endswith("MISSED"), "a ratio that is no number is missed",
           got.stdout, got.stderr)
        # Branches and loops of a driver without SWITCH; then one without conditions, where strict plans fail.
        for version, status in (("12040", 0), ("12020", 1)):
            got = run(again + ["only=while"], env=dict(environment, STANDIN_CUDA="version=" + version))
            ok(got.returncode == status and ("has no graphs with loops and branches" in got.stderr) == (status == 1),
               "loops on the driver of %s" % version, got.returncode, got.stdout, got.stderr)
        for call, name, others in (("cuGraphConditionalHandleCreate:1", "while, by hand, node decides", 7),
                                   ("cuGraphLaunch:2", "while, by hand, own kernel decides", 7)):
            torn = dict(environment, STANDIN_CUDA="fail=%s:999" % call)
            got = run(again + ["only=while"], env=torn)
            lines = got.stdout.splitlines()
            ok(got.returncode == 1 and "FAILED: " + name in lines and "WRONG" not in got.stdout and
               len([s for s in lines if re.match(r"while, [^/]* 40$", s)]) == others,
               "%s: the others go on" % call, got.returncode, got.stdout, got.stderr)
        got = run([program, "look=1"] + FILES, env=environment)
        ok(got.returncode == 0 and got.stdout.count(": found (0)\n") == 6,
           "variables of modules are found, and code that decides", got.stdout, got.stderr)
        blind = dict(environment, STANDIN_CUDA="fail=cuModuleLoadDataEx:4:999")
        got = run([program, "look=1"] + FILES, env=blind)
        ok(got.returncode == 1 and "in PTX: THE DRIVER DOES NOT LOAD IT (999)" in got.stdout and
           "WRONG: THE HOST" in got.stdout, "or not", got.stdout, got.stderr)
        blind = dict(environment, STANDIN_CUDA="fail=cuModuleGetGlobal:3:500")
        got = run([program, "look=1"] + FILES, env=blind)
        ok(got.returncode == 1 and "plait_group in PTX: THE DRIVER DOES NOT FIND IT (500)" in got.stdout and
           "WRONG" in got.stdout, "or it is said loud", got.stdout, got.stderr)
        wait, free = ": waits for it\n", "another call meanwhile: "
        for probe, trouble, said in (
                ("bodies", "", "SWITCH with a kernel: runs\n"),
                ("bodies", "version=12040", "SWITCH with a kernel: NOT IN THIS DRIVER: cuGraphAddNode gives 1\n"),
                ("bodies", "version=12020", "no conditional nodes in this driver\n"),
                ("host-function", "", "a host function%s%sWAITS, TOO" % (wait, free)),
                ("host-function", "locked=no", "a host function%s%sreturns" % (wait, free)),
                ("callback", "", "a callback%s%sWAITS, TOO" % (wait, free)),
                ("loop", "", "a loop%s%sWAITS, TOO" % (wait, free)),
                ("loop", "locked=no", "a loop%s%sreturns" % (wait, free)),
                ("fault", "fault=2:700", "waits for its event after a fault: comes, with 700\n"),
                ("fault", "fault=2:700,mute=1", "a callback of its stream after a fault: DOES NOT COME")):
            got = run([program, "probe=" + probe] + FILES, env=dict(environment, STANDIN_CUDA=trouble))
            ok(got.returncode == 0 and said in got.stdout, "probe %s, %s" % (probe, trouble or "the usual driver"),
               got.returncode, got.stdout, got.stderr)
        refused = dict(environment, STANDIN_CUDA="fail=cuMemFree:1:999")
        got = run([program, "probe=host-function"] + FILES, env=refused)
        ok(got.returncode == 1 and "the free gave 999" in got.stdout, "a call that fails is wrong", got.stdout, got.stderr)
        for key, what in (("driver", "no driver"), ("nvrtc", "no compiler")):
            files = [f for f in FILES if not f.startswith(key)] + [key + "=/nonexistent/lib.so"]
            got = run([program, "look=1"] + files, env=environment)
            ok(got.returncode == 1 and what + ": " in got.stderr and "/nonexistent/lib.so: " in got.stderr and
               key + "=FILE" in got.stderr, "%s: says what to do" % what, got.stderr)

    def script(*arguments):
        return run(["bench/cuda/run", "-o", folder + "/file", "-b", folder + "/build",
                    "--standin", LIBRARIES] + list(arguments), cwd=ROOT, env=environment)

    got = script("-t", "0")
    ok(got.returncode == 1 and "LEFT OUT, no time is left: make" in got.stdout and
       got.stdout.count("\nNOT BUILT: ") == 6, "what no time is left for is named", got.stdout, got.stderr)
    got = script("-p", "info", "-x", "marks=each")
    ok("== end of info, with marks=each\n" in got.stdout, "more options are named", got.stdout, got.stderr)
    got = script("-p", "machine")
    with open(folder + "/file", encoding="utf-8") as file:
        text = file.read()
    ok(got.returncode == 0 and "== build" in text and text.endswith(got.stdout) and
       got.stdout.count("\n== ") == 2, "one part is added to the file", got.stdout, got.stderr)
    got = script("-p", "machine info chain")
    ok(got.returncode == 1 and got.stdout.count("\nNOT BUILT: ") == 2 and "== end of machine info chain" in got.stdout,
       "several parts, and a benchmark is one", got.stdout, got.stderr)
    for arguments in (["-p", "all"], ["-p", "machine all"], ["-p"], ["--help"]):
        got = script(*arguments)
        ok(got.returncode == 1 and got.stdout.startswith("bench/cuda/run [-o FILE]"), "run %s: how it is called" %
           " ".join(arguments), got.stdout[:200], got.stderr)
    if SOAK:
        got = run(["bench/cuda/run", "-o", folder + "/out", "-b", folder + "/build", "-r", "3",
                   "--standin", LIBRARIES], cwd=ROOT, env=environment)
        ok(got.returncode == 0 and "\nnothing was wrong\n" in got.stdout, "all of it",
           got.stdout[-3000:], got.stderr[-2000:])
        ok(got.stdout.count("*** STAND-IN: NO GPU WAS USED") >= 7, "which says so in each part")
        ok(len(re.findall("^graphs: [1-9][0-9]* made, .* 0 refused, 0 left to the host$", got.stdout, re.M)) >= 11,
           "and counts graphs", got.stdout[-3000:])
        for trouble, said in (("refuse=cuGraphInstantiateWithParams", "FAILED: chain, plait"),
                              ("version=12020", "FAILED: while, plait")):
            got = run(["bench/cuda/run", "-o", folder + "/out", "-b", folder + "/build", "-r", "1", "-p", "chain loops",
                       "--standin", LIBRARIES], cwd=ROOT, env=dict(environment, STANDIN_CUDA=trouble))
            ok(got.returncode == 1 and said in got.stdout and "NO GRAPH WAS MADE" in got.stdout,
               "no graph is wrong: " + trouble, got.stdout[-3000:])
    else:
        skip("all of bench/cuda/run: only with PLAIT_SOAK=1")
done()
