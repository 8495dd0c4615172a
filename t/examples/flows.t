#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Programs of flows: in C and Python, with and without workers, they have the results of
their sequential versions, on devices, too; with a wrong kernel they say which number
differs."""
import os
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, SOAK, done, ok, run, skip

FOLDER = os.path.join(ROOT, "examples", "flow")
NUMBERS = {"vec": 5, "black_scholes": 10000, "heat": 4096, "matmul": 2304, "cholesky": 6400, "wave": 4096, "nbody": 192,
           "rsim": 4100, "hits": 120, "images": 2304, "ensemble": 400, "deep_learning": 10}
BACKENDS = ("host", "chaos,host")
# The stand-ins for CUDA's driver and compiler.
LIBRARIES = os.path.join(BUILD, "t/standin/cuda/.libs")
CUDA = "cuda:driver=%s/standin_cuda.so,nvrtc=%s/standin_nvrtc.so" % (LIBRARIES, LIBRARIES)


def commands(name):
    yield "C", [os.path.join(BUILD, "examples", "flow", name)]
    if SANITIZER == "no":
        yield "Python", [sys.executable, os.path.join(FOLDER, name + ".py")]


def check(name, language, command, environment):
    wanted = "%s: %d numbers as in the sequential version\n" % (name, NUMBERS[name])
    for backend in BACKENDS:
        for workers in "0", "2":
            got = run(command, env=dict(environment, PLAIT_BACKEND=backend, PLAIT_WORKERS=workers))
            ok(got.returncode == 0 and got.stdout == wanted,
               "%s in %s on %s, %s workers" % (name, language, backend, workers), got.stdout, got.stderr)


def check_devices(name, environment, backends, devices, options):
    """Run the launches on the first devices of the context."""
    wanted = "%s: %d numbers as in the sequential version\n" % (name, NUMBERS[name])
    got = run([os.path.join(BUILD, "examples", "flow", name)],
              env=dict(environment, PLAIT_BACKEND=backends, FLOW_DEVICES=str(devices), PLAIT_OPTIONS=options))
    if "PLAIT_E_UNAVAILABLE" in got.stderr:
        skip(name + ": " + got.stderr.strip())
        return
    ok(got.returncode == 0 and got.stdout == wanted,
       "%s on %d devices of %s" % (name, devices, backends), got.stdout, got.stderr)


def check_default(name, environment):
    """Without the host among the backends the launches run on all devices."""
    wanted = "%s: %d numbers as in the sequential version\n" % (name, NUMBERS[name])
    got = run([os.path.join(BUILD, "examples", "flow", name)],
              env=dict(environment, PLAIT_BACKEND="chaos", PLAIT_OPTIONS="chaos:peers=ring,memory=8M"))
    ok(got.returncode == 0 and got.stdout == wanted, name + " on devices alone", got.stdout, got.stderr)


def check_all_devices(name, environment):
    # The partial results of vec are combined by code of the host.
    if name != "vec":
        check_default(name, environment)
    for devices in 1, 2, 3:
        check_devices(name, environment, "chaos,host", devices, "")
    check_devices(name, environment, "chaos,host", 4, "chaos:devices=4,peers=ring")
    # Drivers are not instrumented; the stand-ins have the compiler of the machine.
    if SANITIZER != "no":
        return
    parts = dict(environment, POCL_MAX_PTHREAD_COUNT="4")
    for devices in 2, 4:
        check_devices(name, parts, "opencl,host", devices, "opencl:split=%d" % devices)
    if os.path.exists(LIBRARIES + "/standin_cuda.so"):
        check_devices(name, environment, "cuda,host", 2, CUDA)
    if SOAK:
        check_devices(name, parts, "opencl,host", 1, "")


def check_wrong(environment, work):
    """Add a number in one kernel: the program has to notice."""
    shutil.copytree(os.path.join(ROOT, "examples", "kernels"), os.path.join(work, "kernels"))
    path = os.path.join(work, "kernels", "flow", "update.plk")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace("a[i * n + j] -= l", "a[i * n + j] -= 1.01f * l"))
    got = run([os.path.join(BUILD, "examples", "flow", "cholesky")],
              env=dict(environment, PLAIT_BACKEND="host", EXAMPLES=work))
    ok(got.returncode == 1 and got.stdout.startswith("cholesky: number "), "a wrong kernel", got.stdout, got.stderr)


with tempfile.TemporaryDirectory() as work:
    os.chmod(work, 0o700)
    environment = dict(os.environ, PLAIT_CACHE_DIR=work, PLAIT_LIBRARY=os.path.join(BUILD, "src/.libs/libplait.so"),
                       PYTHONPATH=os.path.join(ROOT, "bindings", "python"))
    programs = sorted(name[:-3] for name in os.listdir(FOLDER) if name.endswith(".py") and name != "frame.py")
    ok(programs == sorted(NUMBERS), "every program is tried", programs)
    if SANITIZER != "no":
        skip("Python is not built with a sanitizer, the library is")
    for name in programs:
        for language, command in commands(name):
            check(name, language, command, environment)
        check_all_devices(name, environment)
    check_wrong(environment, work)
done()
