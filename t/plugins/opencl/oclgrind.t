#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""The kernels of t/source/kernels under Oclgrind, which runs one item after the other and
reports accesses out of bounds and races: right results and no report."""
import glob
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from tap import BUILD, SANITIZER, done, ok, run, skip_all

if not os.environ.get("PLAIT_SOAK"):
    skip_all("only with PLAIT_SOAK=1: it takes a minute")
if SANITIZER != "no":
    skip_all("it is not built with a sanitizer")
if not os.path.exists(os.path.join(BUILD, "plugins/plait_opencl.la")):
    skip_all("the backend was not built: the headers of OpenCL are missing")
found = glob.glob("/usr/lib*/oclgrind/liboclgrind-rt.so") + \
    glob.glob("/usr/lib*/*/oclgrind/liboclgrind-rt.so") + \
    glob.glob("/usr/local/lib*/liboclgrind-rt.so")
if not found:
    skip_all("oclgrind is not there")

with tempfile.TemporaryDirectory() as folder:
    for name in "arrays", "groups", "numbers":
        log = os.path.join(folder, name)
        got = run([os.path.join(BUILD, "t/plugins/opencl/driver_kernels_%s.t" % name)],
                  env=dict(os.environ, PLAIT_OPTIONS="opencl:loader=" + found[0], OCLGRIND_LOG=log,
                           OCLGRIND_DATA_RACES="1", OCLGRIND_CHECK_API="1"))
        ok(got.returncode == 0 and "# SKIP" not in got.stdout, name + " are right", got.stdout, got.stderr)
        with open(log) as file:
            said = file.read(4000)
        ok(not said, "nothing is wrong with what they did: " + name, said)
done()
