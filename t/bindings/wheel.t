#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`make wheel`: what pip installs of it runs a kernel, with the library and the
plugins that are inside."""
import glob
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, SANITIZER, done, none, ok, run, skip_all

PROGRAM = """
import array
import plait
with plait.open("host") as system:
    device = system.devices[0]
    kernel = system.kernel("one(x: out pointer f32, n: u64)", "KERNEL(one) { EACH(i, n) x[i] = 1; }")
    x = device.array(array.array("f", [0] * 10))
    graph = system.graph()
    graph.launch(kernel, x, 10, items=10)
    graph.freeze()()
    print(x.tolist()[9], plait.__file__)
with open("/proc/self/maps") as maps:
    print(*sorted({line.split()[-1] for line in maps if "plait" in line.split("/")[-1] and ".so" in line}))
"""
if SANITIZER != "no":
    skip_all("the library is built with a sanitizer")
if run([sys.executable, "-m", "pip", "--version"]).returncode:
    skip_all("no pip")
clean = {k: v for k, v in os.environ.items()
         if not k.startswith(("MAKE", "PLAIT_")) and k not in ("MFLAGS", "LD_LIBRARY_PATH", "PYTHONPATH")}
with tempfile.TemporaryDirectory(prefix="plait-test-") as work:
    os.chmod(work, 0o755)
    made = run(["make", "-s", "-C", BUILD, "wheel", "WHEEL_FOLDER=" + work], env=clean)
    wheels = glob.glob(work + "/plait-*-py3-none-*.whl")
    if ok(made.returncode == 0 and len(wheels) == 1, "make wheel", made.stdout[-500:], made.stderr[-2000:]):
        got = run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", work + "/site",
                   *wheels], env=dict(clean, PIP_ROOT_USER_ACTION="ignore", PIP_DISABLE_PIP_VERSION_CHECK="1"))
        ok(got.returncode == 0, "pip installs it", got.stdout, got.stderr)
        got = run([sys.executable, "-c", PROGRAM], cwd=work,
                  env=dict(clean, PYTHONPATH=work + "/site", PLAIT_CACHE="0"))
        ok(got.returncode == 0 and got.stdout.startswith("1.0 " + work + "/site/"), "a kernel runs",
           got.stdout, got.stderr)
        loaded = got.stdout.splitlines()[-1].split() if got.stdout else []
        ok(any("libplait" in n for n in loaded) and any("plait_host" in n for n in loaded), "the library is loaded",
           *loaded)
        none([n for n in loaded if n.startswith("/") and not n.startswith((work + "/site/", "/tmp/plait-"))],
             "and no other one")
done()
