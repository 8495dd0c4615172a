#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NVIDIA's own runtime on a libcuda.so.1 that records: the names and versions that it asks
cuGetProcAddress for, against plugins/cuda/calls.h.  Needs libcudart, but no GPU."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import nvrtc
from tap import ROOT, done, none, ok, read, run, skip_all

CC = os.environ.get("CC", "cc").split()
CALLS = [(name, int(version)) for version, name in
         re.findall(r"CALL\((\d+), (cu\w+),", read("plugins/cuda/calls.h"))]
# The runtime asks for a newer version of these, which has the same signature, or for none:
# the toolkit's cudaTypedefs.h has them.
OTHERS = set("""cuDeviceGetUuid cuDevicePrimaryCtxRelease cuDevicePrimaryCtxReset cuMemsetD16Async
cuMemsetD32Async cuMemsetD2D32Async cuStreamWaitValue32 cuStreamWriteValue32 cuModuleLoadDataEx""".split())
START = """
import ctypes, sys
count = ctypes.c_int()
ctypes.CDLL(sys.argv[1]).cudaGetDeviceCount(ctypes.byref(count))
"""


def asked(folder, library):
    """The versions that the runtime asks for, by name."""
    log, found = os.path.join(folder, "log"), {}
    major = int(re.search(r"\.so\.(\d+)", library).group(1))
    # A driver as new as any runtime of that major version.
    env = dict(os.environ, LD_LIBRARY_PATH=folder, STANDIN_RECORD=log,
               STANDIN_RECORD_VERSION=str(1000 * major + 990))
    got = run([sys.executable, "-c", START, library], env=env)
    if os.path.exists(log):
        with open(log, encoding="ascii") as file:
            for name, version in re.findall(r"^(\w+) (\d+)$", file.read(), re.M):
                found.setdefault(name, set()).add(int(version))
        os.remove(log)
    ok(got.returncode == 0 and len(found) > 200, "%s asks for %d names" % (
        os.path.basename(library), len(found)), got.stderr)
    return found


libraries = nvrtc.runtimes()
if not libraries:
    skip_all("no libcudart in a toolkit or in Python's packages: " + nvrtc.HOW)
ok(len(CALLS) > 80, "calls.h has %d functions" % len(CALLS))
with tempfile.TemporaryDirectory() as place:
    made = run(CC + ["-std=gnu11", "-shared", "-fPIC", "-o", os.path.join(place, "libcuda.so.1"),
                     os.path.join(ROOT, "t/standin/cuda/call_names.c")])
    ok(made.returncode == 0, "the recorder compiles", made.stderr)
    seen = {}
    for path in libraries:
        for name, versions in asked(place, path).items():
            seen.setdefault(name, set()).update(versions)
    wrong = ["%s: %d here, %s there" % (name, version, sorted(seen.get(name, ())))
             for name, version in CALLS if version not in seen.get(name, ()) and name not in OTHERS]
    none(wrong, "the runtime asks for what calls.h asks for")
    agreed = [name for name, version in CALLS if version in seen.get(name, ())]
    ok(len(agreed) >= 80, "%d of %d pairs are the same" % (len(agreed), len(CALLS)))
done()
