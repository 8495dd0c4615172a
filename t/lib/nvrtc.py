# SPDX-License-Identifier: MIT
"""NVIDIA's libraries that need no GPU: NVRTC, and the runtime libcudart.  From the
environment, else from a toolkit, else from packages of Python; nothing is downloaded."""
import glob
import os
import re
import site
import sys

HOW = "python3 -m pip install nvidia-cuda-nvrtc-cu12 nvidia-cuda-runtime-cu12"


def folders():
    """Where toolkits and packages keep libraries."""
    for name in ("CUDA_HOME", "CUDA_PATH"):
        if name in os.environ:
            yield os.path.join(os.environ[name], "lib64")
    yield from sorted(glob.glob("/usr/local/cuda*/lib64"), reverse=True)
    for place in sys.path + site.getsitepackages() + [site.getusersitepackages()]:
        yield from sorted(glob.glob(os.path.join(place, "nvidia", "*", "lib")), reverse=True)


def find(stem, variable):
    """The libraries of that name: one for each major version, the newest first."""
    if variable in os.environ:
        return [name for name in os.environ[variable].split(":") if name]
    found = {}
    for folder in folders():
        for path in glob.glob(os.path.join(folder, stem + ".so.*")):
            major = re.search(r"\.so\.(\d+)", path).group(1)
            found.setdefault(int(major), path)
    return [found[major] for major in sorted(found, reverse=True)]


def compilers():
    return find("libnvrtc", "PLAIT_TEST_NVRTC")


def runtimes():
    return find("libcudart", "PLAIT_TEST_CUDART")
