#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Examples in each language on each backend: the same program prints the same."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, SOAK, done, ok, run, skip, which
import julia
import lua
import rust

# How many steps an iteration takes may differ by one where sums are rounded
# otherwise; what comes out may not.
SAYS = {
    "mandelbrot": r"600 x 400 pixels, 25\.\d % of them in the set\n",
    "heat": r"settled after 50\d\d steps, 24\.3 degrees in the middle\n",
    "conjugate_gradient": r"solved after 1\d\d iterations, 311\.078 in the middle\n",
    "kmeans": r"settled after \d+ moves and 1 new seeds\na centre near 2\.0, 2\.0\n"
              r"a centre near 2\.0, 8\.0\na centre near 8\.0, 2\.0\na centre near 8\.0, 8\.0\n",
    "pipeline": r"10 runs, 0 numbers out of place\n",
    "tree_search": r"7 queens: 40 solutions in 552 places\n",
    "stages": r"20 blocks through 3 stages, sum 2694948\n",
    "image_server": r"12 images by 3 handlers, sum 1626299\n",
}
COROUTINES = ("tree_search", "stages", "image_server")
LANGUAGES = {
    "c": (None, "", {}),
    "python": (sys.executable, ".py", {"PYTHONPATH": os.path.join(ROOT, "bindings", "python")}),
    **{name: (path, ".lua", lua.ENVIRONMENT) for name, path in lua.INTERPRETERS.items()},
    "rust": (rust.rustc, ".rs", {}),
    "julia": (julia.julia, ".jl", julia.environment("97")),
}


def command_of(language, program, name, suffix):
    """How an example is started; those that need to be are compiled."""
    if language == "c":
        return [os.path.join(BUILD, "examples", name)]
    source = os.path.join(ROOT, "examples", suffix[1:] if suffix == ".lua" else language, name + suffix)
    if language == "julia":
        # Where Julia itself looks at all pixels it has to be compiled.
        return julia.command(source, how=["-O0"] if name == "mandelbrot" else julia.QUICK)
    if language != "rust":
        return [program, source]
    output = os.path.join(rust.OUT, "example-" + name)
    got = rust.compile(source, output, "--crate-name", name)
    ok(got.returncode == 0 and not got.stderr, "%s.rs is compiled without a word" % name, got.stderr)
    return [output]


# Code that the driver has compiled stays here, for the conformance test too.
CACHE = os.path.join(BUILD, "t/pocl-cache")
DRIVER = {"POCL_CACHE_DIR": CACHE, "HOME": CACHE, "XDG_CACHE_HOME": CACHE}


def has_opencl():
    """Is there a driver?  Those are not instrumented and keep memory; and the
    condition variables of glibc 2.36 may lose a wakeup of theirs, which is too
    rare to be looked at, and too often for every check."""
    if not SOAK:
        skip("drivers of OpenCL: only with PLAIT_SOAK=1")
        return False
    if SANITIZER != "no":
        skip("drivers of OpenCL are not built with a sanitizer")
        return False
    os.makedirs(CACHE, exist_ok=True)
    got = run([os.path.join(BUILD, "tools/plait/plait"), "info"],
              env=dict(os.environ, PLAIT_BACKEND="opencl", **DRIVER))
    if "opencl: chosen" not in got.stdout:
        skip("no driver of OpenCL on this machine")
        return False
    return True


OPENCL = has_opencl()
# The stand-ins for CUDA's driver and compiler.
LIBRARIES = os.path.join(BUILD, "t/standin/cuda/.libs")
CUDA = "cuda:driver=%s/standin_cuda.so,nvrtc=%s/standin_nvrtc.so" % (LIBRARIES, LIBRARIES)


def backends_of(language):
    """On a simulated system programs run in virtual time."""
    if language == "c":
        cuda = SANITIZER == "no" and os.path.exists(LIBRARIES + "/standin_cuda.so")
        return ["host", "chaos"] + (["opencl", "opencl,host"] if OPENCL else []) + \
            (["cuda", "cuda,host", "cuda segments=0"] if cuda else [])
    return ["host"] + (["opencl"] if OPENCL else [])


def check(language, command, name, environment, work):
    for backend in backends_of(language):
        names, _, segments = backend.partition(" segments=")
        if language == "c" and name in COROUTINES and "host" not in names.split(","):
            names += ",host"  # runs the coroutines
        more = {"PLAIT_SEGMENTS": segments or "1", "PLAIT_OPTIONS": CUDA} if "cuda" in names else {}
        got = run(command, env=dict(environment, PLAIT_BACKEND=names, TMPDIR=work, **more), cwd=work)
        ok(got.returncode == 0 and re.fullmatch(SAYS[name], got.stdout),
           "%s in %s on %s" % (name, language, backend), got.stdout, got.stderr)


with tempfile.TemporaryDirectory() as work:
    for language, (program, suffix, more) in LANGUAGES.items():
        if language != "c" and not program:
            skip(julia.missing if language == "julia" else lua.missing(language) if suffix == ".lua" else
                 "%s is not there" % language)
            continue
        if language != "c" and SANITIZER != "no":
            skip("%s is not built with a sanitizer, the library is" % language)
            continue
        if language == "rust":
            said = rust.build()
            ok(not said, "the crates are compiled without a word", said)
        environment = dict(os.environ, PLAIT_CACHE_DIR=work,
                           PLAIT_LIBRARY=os.path.join(BUILD, "src/.libs/libplait.so"),
                           **DRIVER, **more)
        os.chmod(work, 0o700)
        for name in SAYS:
            check(language, command_of(language, program, name, suffix), name, environment, work)
        with open(os.path.join(work, "mandelbrot.pgm"), "rb") as file:
            picture = file.read()
        ok(picture.startswith(b"P5 600 400 255\n") and len(picture) == 15 + 600 * 400,
           "the picture that %s makes" % language, len(picture))
        os.remove(os.path.join(work, "mandelbrot.pgm"))
done()
