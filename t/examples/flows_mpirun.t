#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs of flows over ranks that an MPI launches, and that are processes over shm: they
have the results of their sequential versions, with devices of each rank, too."""
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from mpi import lacking, start
from tap import BUILD, ROOT, SANITIZER, done, ok, skip

NUMBERS = {"heat": 4096, "wave": 4096, "matmul": 2304, "nbody": 192, "rsim": 4100, "cholesky": 6400, "hits": 120,
           "images": 2304, "black_scholes": 10000, "deep_learning": 10, "ensemble": 400, "vec": 5}
RANKS = 4
# The stand-ins for CUDA's driver and compiler.
LIBRARIES = os.path.join(BUILD, "t/standin/cuda/.libs")
CUDA = "cuda:driver=%s/standin_cuda.so,nvrtc=%s/standin_nvrtc.so" % (LIBRARIES, LIBRARIES)


def path(name):
    return os.path.join(BUILD, "examples", "flow", name)


def wanted(name):
    return "%s: %d numbers as in the sequential version\n" % (name, NUMBERS[name])


def processes(name, environment, number, options=""):
    """Start the ranks over shm."""
    world = "t%d.%s.%s" % (os.getpid(), name, number)
    return [subprocess.Popen([path(name)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True,
                             env=dict(environment, PLAIT_TRANSPORT="shm",
                                      PLAIT_OPTIONS="shm:rank=%d,ranks=%d,name=%s%s" % (rank, RANKS, world, options)))
            for rank in range(RANKS)]


def check_processes(name, environment):
    for workers in "0", "1":
        ranks = processes(name, dict(environment, PLAIT_WORKERS=workers), int(workers))
        text = "".join(rank.communicate(timeout=300)[0] for rank in ranks)
        ok(text == wanted(name) and all(rank.returncode == 0 for rank in ranks),
           "%s: %d processes over shm, %s workers" % (name, RANKS, workers), text)


def check_devices(name, environment):
    """Each rank has two devices of the simulator."""
    ranks = processes(name, dict(environment, PLAIT_BACKEND="chaos,host", FLOW_DEVICES="2"), "d", ";chaos:devices=2")
    text = "".join(rank.communicate(timeout=300)[0] for rank in ranks)
    ok(text == wanted(name) and all(rank.returncode == 0 for rank in ranks),
       "%s: %d processes with 2 devices each" % (name, RANKS), text)


def check_mpi_devices(kind, environment):
    backends = [("chaos,host", "2", "chaos:devices=2"), ("opencl,host", "1", "")]
    if os.path.exists(LIBRARIES + "/standin_cuda.so"):
        backends.append(("cuda,host", "2", CUDA))
    for backend, devices, options in backends:
        for name in "heat", "cholesky":
            status, text = start(kind, 2, [path(name)], **dict(
                environment, PLAIT_TRANSPORT="shm,mpi", PLAIT_BACKEND=backend, FLOW_DEVICES=devices,
                PLAIT_OPTIONS=options, POCL_MAX_PTHREAD_COUNT="2"))
            if "PLAIT_E_UNAVAILABLE" in text:
                skip("%s: %s" % (name, text.strip()))
            else:
                ok(status == 0 and wanted(name) in text, "%s: %s on 2 ranks with devices of %s" % (kind, name, backend),
                   status, text)


def check_mpi(kind, environment):
    for name in "heat", "rsim", "cholesky":
        for transports in ("mpi", "shm,mpi"):
            status, text = start(kind, RANKS, [path(name)], **dict(environment, PLAIT_TRANSPORT=transports))
            ok(status == 0 and wanted(name) in text, "%s: %s over %s" % (kind, name, transports), status, text)


with tempfile.TemporaryDirectory() as work:
    os.chmod(work, 0o700)
    own = {"PLAIT_CACHE_DIR": work, "PLAIT_BACKEND": "host", "EXAMPLES": os.path.join(ROOT, "examples")}
    for program in NUMBERS:
        check_processes(program, dict(os.environ, **own))
        check_devices(program, dict(os.environ, **own))
    for mpi in ("openmpi", "mpich"):
        reason = "MPI's libraries are not instrumented" if SANITIZER != "no" else lacking(mpi)
        if reason:
            skip(reason)
        else:
            check_mpi(mpi, own)
            check_mpi_devices(mpi, own)
done()
