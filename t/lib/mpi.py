# SPDX-License-Identifier: MIT
"""Starting ranks by the mpirun of an MPI, for tests and benchmarks."""
import glob
import os
import signal
import subprocess

from tap import BUILD, which

# Plugin, its mpirun, and the options that tests need.
MPIS = {
    "openmpi": (("mpirun.openmpi", "mpirun"), ["--oversubscribe", "--allow-run-as-root"]),
    "mpich": (("mpirun.mpich", "mpirun"), []),
}
VERSION = {"openmpi": "Open", "mpich": "HYDRA"}


def launcher(kind):
    """The mpirun of this MPI with its options; None if there is none."""
    names, options = MPIS[kind]
    for name in names:
        if which(name):
            text = subprocess.run([name, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  universal_newlines=True).stdout
            if VERSION[kind] in text:
                return [name] + options
    return None


def lacking(kind):
    """Why no rank of this MPI can be started; None if it can."""
    if not glob.glob(os.path.join(BUILD, "plugins/.libs/plait_%s.so" % kind)):
        return "configure found no header of " + kind
    if not launcher(kind):
        return "no mpirun of " + kind
    return None


def start(kind, ranks, command, seconds=120, **environment):
    """The status and output of an MPI job; what it started ends with it."""
    job = subprocess.Popen(launcher(kind) + ["-n", str(ranks)] + command, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, universal_newlines=True, errors="replace",
                           stdin=subprocess.DEVNULL, env=dict(os.environ, **environment), start_new_session=True)
    try:
        text = job.communicate(timeout=seconds)[0]
    except subprocess.TimeoutExpired:
        os.killpg(job.pid, signal.SIGTERM)
        text = "no end after %d s\n" % seconds
        try:
            text += job.communicate(timeout=10)[0]
        except subprocess.TimeoutExpired:
            os.killpg(job.pid, signal.SIGKILL)
    return job.returncode, text
