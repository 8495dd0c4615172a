#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Conformance of the OpenCL backend on a second driver, Intel's for processors, which
./bootstrap soak unpacks into build/intel-opencl; and tests that PoCL alone would decide."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, PATIENCE, ROOT, SANITIZER, done, ok, run, skip, skip_all

FOLDER = os.path.join(ROOT, "build/intel-opencl")
PLAIT = os.path.join(BUILD, "tools/plait/plait")
TESTS = ("signature", "wait_in_driver", "program_binary", "driver_kernels_numbers", "spirv")

if not os.path.exists(os.path.join(BUILD, "plugins/plait_opencl.la")):
    skip_all("the backend was not built: the headers of OpenCL are missing")
if SANITIZER != "no":
    skip_all("drivers are not instrumented")
if not os.path.exists(os.path.join(FOLDER, "vendors/intel.icd")):
    skip_all("no build/intel-opencl; ./bootstrap soak gets it")

with tempfile.TemporaryDirectory() as cache:
    paths = os.path.join(FOLDER, "lib") + ":" + os.environ.get("LD_LIBRARY_PATH", "")
    env = dict(os.environ, PLAIT_BACKEND="opencl", PLAIT_WORKERS="2", PLAIT_CACHE_DIR=cache, HOME=cache,
               OCL_ICD_VENDORS=os.path.join(FOLDER, "vendors"), LD_LIBRARY_PATH=paths.rstrip(":"))
    info = run([PLAIT, "info"], env=env)
    if "opencl: chosen" not in info.stdout:
        skip_all("it does not start here: " + info.stdout[-300:].replace("\n", " "))
    ok("Intel" in info.stdout or "opencl:0: " in info.stdout, "the driver starts")
    for options in "", "opencl:place=driver", "opencl:wait=host", "opencl:segments=yes":
        got = run([PLAIT, "conform", "opencl", "--seed", os.environ.get("PLAIT_SEED", "1"), "--deadline", PATIENCE],
                  env=dict(env, PLAIT_OPTIONS=options))
        bad = [l for l in got.stdout.splitlines() if re.match("not ok|# ", l)]
        ok(got.returncode == 0 and len(got.stdout.splitlines()) > 45, "conformance " + options, got.returncode,
           got.stderr, *bad)
    del env["PLAIT_BACKEND"]
    for name in TESTS:
        path = os.path.join(BUILD, "t/plugins/opencl/%s.t" % name)
        if not os.path.exists(path):
            skip(name + " was not built")
            continue
        got = run([path], env=env)
        bad = [l for l in got.stdout.splitlines() if l.startswith(("not ok", "#"))]
        ok(got.returncode == 0, name, got.returncode, got.stderr, *bad)
done()
