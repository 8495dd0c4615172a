#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The steps of plugins/null/README.md, executed literally: a new plugin builds and runs."""
import os
import re
import shutil
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, read, run, skip_all

if SANITIZER != "no":
    skip_all("a plugin by hand has no sanitizer")
blocks = re.findall(r"\n\n((?:       .*\n)+)", read("plugins/null/README.md"))
commands = [b for b in blocks if re.match(r" +(cp|cc|chmod) ", b)]
ok(len(commands) == 3, "three blocks of commands", *blocks)
script = "set -e\n" + "".join(commands)
script = script.replace("$(pkg-config --cflags plait)", "-Wall -Wextra -Werror -I" + ROOT + "/include")
script = script.replace("cc -shared", os.environ.get("CC", "cc") + " -shared")
folder = tempfile.mkdtemp(prefix="plait-test-")
try:
    os.makedirs(folder + "/plugins")
    shutil.copytree(os.path.join(ROOT, "plugins/null"), folder + "/plugins/null")
    environment = dict(os.environ, PATH=BUILD + "/tools/plait:" + os.environ["PATH"])
    result = run(["sh", "-c", "umask 022; chmod -R u+w .; " + script], cwd=folder, env=environment)
    ok(result.returncode == 0, "all commands succeed", result.stdout, result.stderr)
    ok("mine: rejected: mine: a template, it has no devices" in result.stdout,
       "the clone is found and declines by its own name", result.stdout, result.stderr)
    left = run(["grep", "-rniwE", "plaitp_null|null.h|_null", folder + "/mine"]).stdout
    ok(not left, "nothing of the old name is left", left)
finally:
    shutil.rmtree(folder)
done()
