#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Conformance of the OpenCL backend, on two halves of one processor and on a
driver's own memory; it reports missing parts."""
import ctypes
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, PATIENCE, SANITIZER, SOAK, done, ok, run, skip, skip_all

PLAIT = os.path.join(BUILD, "tools/plait/plait")
seed = os.environ.get("PLAIT_SEED", "1")
cache = os.path.join(BUILD, "t/pocl-cache")

if not os.path.exists(os.path.join(BUILD, "plugins/plait_opencl.la")):
    skip_all("the backend was not built: the headers of OpenCL are missing")
if SANITIZER == "thread":
    skip_all("drivers are not instrumented, so what they order looks like a race")


def plait(arguments, options="", **more):
    """The tool with the OpenCL backend; what the driver keeps stays here."""
    # Two workers also where there is one processor: H5 wants two functions.
    env = dict(os.environ, PLAIT_OPTIONS=options, PLAIT_WORKERS="2",
               POCL_CACHE_DIR=cache, HOME=cache, XDG_CACHE_HOME=cache, ASAN_OPTIONS=sanitizer,
               LSAN_OPTIONS="suppressions=" + leaks + ":print_suppressions=0", **dict({"PLAIT_BACKEND": "opencl"}, **more))
    return run([PLAIT] + arguments, env=env)


def says(name, text, options="", **more):
    got = plait(["info"], options, **more)
    held = "rejected" in got.stdout and text in got.stdout
    ok(held and got.returncode == 0, name, got.returncode, got.stdout, got.stderr)


os.makedirs(cache, exist_ok=True)
# The driver and its compiler keep memory for good; it is theirs.  So is what C++ has
# taken, for nothing of ours is C++: where clang's runtime looks at callers, it sees none
# behind `new`.
leaks = os.path.join(cache, "leaks")
with open(leaks, "w") as file:
    file.write("leak:libpocl\nleak:libLLVM\nleak:libOpenCL\nleak:libhwloc\nleak:libclang\nleak:libstdc++\n")
# Once the compiler has run, what clang's runtime takes for a library's variables of threads
# is no memory, and the search for leaks ends there.  Ours are not of that kind.
sanitizer = os.environ.get("ASAN_OPTIONS", "") + ":intercept_tls_get_addr=0"

# --- nothing there
says("no loader", "/nowhere/libOpenCL.so", "opencl:loader=/nowhere/libOpenCL.so")
fake = os.path.join(BUILD, "t/standin/opencl/.libs/fakecl.so")
if SANITIZER == "no" and os.path.exists(fake):
    says("a library that is preloaded", "the platforms Stand-in have no device", LD_PRELOAD=fake)
    says("but a loader that is named wins", "/nowhere/libOpenCL.so", "opencl:loader=/nowhere/libOpenCL.so",
         LD_PRELOAD=fake)
says("a loader that is none", "clGetPlatformIDs", "opencl:loader=libm.so.6")
try:
    ctypes.CDLL("libOpenCL.so.1")
except OSError:
    says("no loader of the system", "ocl-icd-libopencl1")
    skip("no driver is looked for without a loader")
    done()
with tempfile.TemporaryDirectory() as folder:
    says("no driver", "no driver is registered in OCL_ICD_VENDORS=" + folder[:20], OCL_ICD_VENDORS=folder)
    garbage = os.path.join(folder, "garbage.so")
    with open(garbage, "wb") as file:
        file.write(bytes(range(256)) * 8)
    os.mkdir(os.path.join(folder, "folder.icd"))
    for name, line in (("missing", "/nowhere/driver.so"), ("strange", "libm.so.6"), ("none", ""),
                       ("long", "x" * 5000), ("garbage", garbage)):
        with open(os.path.join(folder, name + ".icd"), "w") as file:
            file.write(line + "\n")
    says("only drivers that are none", "no platform: no driver works of the 6 registered in OCL_ICD_VENDORS=",
         OCL_ICD_VENDORS=folder)

# --- what ends the process that loads it
ENDS = (("exits", "_exit(7)", "exited with 7"), ("crashes", "raise(SIGKILL)", "killed by signal 9"))
with tempfile.TemporaryDirectory() as folder:
    for name, what, text in ENDS:
        library = os.path.join(folder, name + ".so")
        built = run(os.environ.get("CC", "cc").split() + ["-shared", "-fPIC", "-x", "c", "-", "-o", library],
                    input="#include <signal.h>\n#include <unistd.h>\n"
                    "__attribute__((constructor)) static void end(void) { %s; }\n" % what)
        with open(os.path.join(folder, "one.icd"), "w") as file:
            file.write(library + "\n")
        got = plait(["info"], OCL_ICD_VENDORS=folder)
        ok(built.returncode == 0 and got.returncode == 1 and text in got.stderr and
           "OCL_ICD_VENDORS=" + folder in got.stderr, "a driver that %s its process" % name,
           built.stderr, got.returncode, got.stdout, got.stderr)
        got = plait(["info"], OCL_ICD_VENDORS=folder, PLAIT_BACKEND="")
        ok(got.returncode == 0 and "host: chosen" in got.stdout and
           re.search("^opencl: not chosen.*\n(  .*\n)*  not usable here: a backend, .*" + text, got.stdout, re.M),
           "and is told of a backend that is not chosen", got.returncode, got.stdout, got.stderr)

# --- a driver
def declines(options=""):
    """Why the backend does not open, or None."""
    got = plait(["info"], options).stdout
    return None if "opencl: chosen" in got else re.search("cannot be opened: (.*)|$", got).group(0)


reason = declines()
if reason is not None:
    ok("no ICD loader" in reason or "finds no platform" in reason or "no device" in reason, "it says why", reason)
    skip("no driver on this machine: " + reason)
    done()
ok("opencl:0: " in plait(["info"]).stdout, "info describes the device")
says("no such device", "matches platform=", "opencl:device=no such device")
says("no such platform", "matches platform=", "opencl:platform=no such platform")
says("a type that is none", "type=", "opencl:type=abacus")
says("parts that are none", "split=", "opencl:split=1")
says("segments that are none", "segments=", "opencl:segments=some")

def conform(options, more, **environment):
    """How it ended, how many lines it wrote, and each failed check with what it says."""
    got = plait(["conform", "opencl", "--seed", seed, "--deadline", PATIENCE] + more, options, **environment)
    failed, last = {}, None
    for line in got.stdout.splitlines():
        check = re.match(r"not ok \d+ - (\w+) (?!.*# TO[D]O)", line)
        if check:
            last = check.group(1)
        if last and (check or line.startswith("# ")):
            failed[last] = failed.get(last, "") + line + "\n"
        elif last:
            last = None
    return got, failed


def judge(options, more):
    got, failed = conform(options, more)
    ok(got.returncode in (0, 1) and len(got.stdout.splitlines()) > 10, options + " runs", got.returncode, got.stderr,
       got.stdout)
    ok(got.returncode == 0 and not failed, options, got.returncode, got.stderr, *failed.values())


# The driver's compiler takes most of the time, and no sanitizer sees it: there the
# ownership of kernels while they are built, launched and released is enough.
some = [] if SANITIZER == "no" or SOAK else \
    ["--only", "L,E,B,Q,S,H,K1,K2,K5,K9,K11,K16"]
for options, more in (("opencl:split=2", some),
                      ("opencl:segments=yes", ["--only", "G"]),
                      ("opencl:place=driver", ["--only", "B,S10,S11"])):
    if declines(options) is not None:
        skip("the device cannot be split: " + declines(options))
        continue
    judge(options, more)

# Two processors of one driver: memory of the host, copied once.
two = {"POCL_DEVICES": "pthread basic"}
if "opencl:1: " not in plait(["info"], **two).stdout:
    skip("the driver has one device")
else:
    got, failed = conform("", ["--only", "T"], **two)
    ok(got.returncode == 0 and not failed and re.search(r"^ok \d+ - T3 (?!.*# SKIP)", got.stdout, re.M),
       "copies between two processors are direct", got.returncode, got.stdout, got.stderr)
    got, failed = conform("opencl:place=driver", ["--only", "T"], **two)
    ok(got.returncode == 0 and not failed and re.search(r"^ok \d+ - T3 .*# SKIP", got.stdout, re.M),
       "in memory of the driver not", got.returncode, got.stdout, got.stderr)
done()
