# SPDX-License-Identifier: MIT
"""One program in each language: how it is started, and what it prints."""
import os
import sys

import julia
import lua
import rust
from tap import BUILD, ROOT, ok, run, skip

os.environ["PLAIT_LIBRARY"] = os.path.join(BUILD, "src/.libs/libplait.so")
os.environ["PYTHONPATH"] = os.path.join(ROOT, "bindings/python")
os.environ.update(lua.ENVIRONMENT)


def rust_command(source, name):
    said, output = rust.build(), os.path.join(rust.OUT, name)
    got = rust.compile(source, output)
    ok(not said and got.returncode == 0, "rust: it is compiled", said, got.stderr)
    return [output]


def command(language, folder):
    """Return how t/bindings/FOLDER/same.* is started; None without the language."""
    same = os.path.join(ROOT, "t/bindings", folder, "same.")
    if language == "python":
        return [sys.executable, same + "py"]
    if language in lua.INTERPRETERS:
        return lua.INTERPRETERS[language] and [lua.INTERPRETERS[language], same + "lua"]
    if language == "julia":
        os.environ.update(julia.environment(folder))
        return julia.julia and julia.command(same + "jl")
    return rust.rustc and rust_command(same + "rs", folder)


def print_same(folder, wanted, normal=lambda text: text):
    """Check what the program prints in each language."""
    for language in ("python", *lua.INTERPRETERS, "rust", "julia"):
        started = command(language, folder)
        if not started:
            skip(lua.missing(language) if language in lua.INTERPRETERS else "there is no " + language)
            continue
        got = run(started)
        ok(normal(got.stdout) == wanted and got.returncode == 0, language, got.stdout, got.stderr)
