#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The same programs in each language say the same things."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip, which
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
}
LUA = os.path.join(ROOT, "bindings", "lua")
LANGUAGES = {
    "c": (None, "", {}),
    "python": (sys.executable, ".py", {"PYTHONPATH": os.path.join(ROOT, "bindings", "python")}),
    "lua": (which("luajit"), ".lua", {"LUA_PATH": "%s/?.lua;%s/?/init.lua" % (LUA, LUA)}),
    "rust": (rust.rustc, ".rs", {}),
}


def command_of(language, program, name, suffix):
    """How an example is started; those that need to be are compiled."""
    if language == "c":
        return [os.path.join(BUILD, "examples", name)]
    source = os.path.join(ROOT, "examples", language, name + suffix)
    if language != "rust":
        return [program, source]
    output = os.path.join(rust.OUT, "example-" + name)
    got = rust.compile(source, output, "--crate-name", name)
    ok(got.returncode == 0 and not got.stderr, "%s.rs is compiled without a word" % name, got.stderr)
    return [output]


with tempfile.TemporaryDirectory() as work:
    for language, (program, suffix, more) in LANGUAGES.items():
        if language != "c" and not program:
            skip("%s is not there" % language)
            continue
        if language != "c" and SANITIZER != "no":
            skip("%s is not built with a sanitizer, the library is" % language)
            continue
        if language == "rust":
            said = rust.build()
            ok(not said, "the crates are compiled without a word", said)
        environment = dict(os.environ, PLAIT_BACKEND="host", PLAIT_CACHE_DIR=work,
                           PLAIT_LIBRARY=os.path.join(BUILD, "src/.libs/libplait.so"), **more)
        os.chmod(work, 0o700)
        for name, says in SAYS.items():
            got = run(command_of(language, program, name, suffix), env=environment, cwd=work)
            ok(got.returncode == 0 and re.fullmatch(says, got.stdout),
               "%s in %s" % (name, language), got.stdout, got.stderr)
        with open(os.path.join(work, "mandelbrot.pgm"), "rb") as file:
            picture = file.read()
        ok(picture.startswith(b"P5 600 400 255\n") and len(picture) == 15 + 600 * 400,
           "the picture that %s makes" % language, len(picture))
        os.remove(os.path.join(work, "mandelbrot.pgm"))
done()
