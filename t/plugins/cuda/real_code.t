#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""What NVRTC makes of kernels, interpreted behind the stand-in for CUDA's driver: the kernels of
t/source/kernels against plain C, plans with loops of the device, conformance.  Needs NVRTC."""
import ctypes
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
import nvrtc
from tap import BUILD, done, ok, run, skip, skip_all

PROGRAMS = ("kernels_arrays kernels_groups kernels_limits kernels_local kernels_numbers kernels_values region region_deciders region_looks "
            "image images regions run_driver_loops launch_variants compile_predicates").split()
DRIVER = os.path.join(BUILD, "t/standin/cuda/.libs/standin_cuda.so")
SEED = os.environ.get("PLAIT_SEED", "1")


def check_program(library, name):
    program = os.path.join(BUILD, "t/plugins/cuda", name + ".t")
    if not os.path.exists(program):
        skip(name + " was not built")
        return
    got = run([program], env=dict(os.environ, STANDIN_REAL_NVRTC=library))
    checks = len(re.findall("^ok ", got.stdout, re.M))
    bad = re.findall("^not ok.*(?:\n#.*)*", got.stdout, re.M)
    ok(got.returncode == 0 and not bad and checks > 50,
       "%s: %s: %d checks" % (os.path.basename(library), name, checks), got.returncode, got.stderr, *bad)


def conform(library, work):
    # No NVRTC makes binaries for 9.1, so the backend asks for PTX, which no older driver takes.
    major, minor = ctypes.c_int(), ctypes.c_int()
    ctypes.CDLL(library).nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    version = 1000 * major.value + 10 * minor.value
    env = dict(os.environ, PLAIT_BACKEND="cuda", PLAIT_WORKERS="2", TMPDIR=work,
               PLAIT_OPTIONS="cuda:driver=%s,nvrtc=%s" % (DRIVER, library),
               PLAIT_CACHE_DIR=os.path.join(work, os.path.basename(library)),
               STANDIN_CUDA="devices=2,arch=91,seed=%s,version=%d" % (SEED, version))
    got = run([os.path.join(BUILD, "tools/plait/plait"), "conform", "cuda", "--seed", SEED, "--deadline", "60"], env=env)
    bad = [l for l in got.stdout.splitlines() if l.startswith(("not ok", "# "))]
    ok(got.returncode == 0 and " 0 failed" in got.stdout, "%s: conformance: %s" % (
        os.path.basename(library), bad[-1:]), got.returncode, got.stderr, *bad)


found = nvrtc.compilers()
if not os.path.exists(DRIVER):
    skip_all("the stand-in was not built")
if not found:
    skip_all("no NVRTC in a toolkit or in Python's packages: " + nvrtc.HOW)
with tempfile.TemporaryDirectory() as folder:
    for library in found:
        for name in PROGRAMS:
            check_program(library, name)
        conform(library, folder)
done()
