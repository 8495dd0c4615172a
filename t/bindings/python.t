#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The Python layer: its own tests, with the library of this build."""
import gc
import os
import re
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip, skip_all

if SANITIZER != "no":
    skip_all("python is not built with a sanitizer, the library is")
LAYER = os.path.join(ROOT, "bindings", "python")
os.environ["PLAIT_LIBRARY"] = os.path.join(BUILD, "src/.libs/libplait.so")
os.environ["PYTHONPATH"] = LAYER
sys.path.insert(0, LAYER)


def tests(suite):
    for one in suite:
        if isinstance(one, unittest.TestSuite):
            yield from tests(one)
        else:
            yield one


class Everything(unittest.TestResult):
    def addSuccess(self, test):
        ok(True, test.id())

    def addSkip(self, test, reason):
        skip(reason)

    def addFailure(self, test, error):
        ok(False, test.id(), self._exc_info_to_string(error, test))

    addError = addFailure

    def addSubTest(self, test, subtest, error):
        if error is not None:
            self.addFailure(test, error)


for test in tests(unittest.defaultTestLoader.discover(os.path.join(LAYER, "tests"))):
    test.run(Everything())
    gc.collect()
with open(LAYER + "/README.md", encoding="utf-8") as file:
    start, function = re.findall(r"```python\n(.*?)```", file.read(), re.S)
got = run([sys.executable, "-c", start])
ok(got.stdout == "[3.0, 3.0, 3.0]\n", "the start of README.md does what it says", got.stdout, got.stderr)
got = run([sys.executable, "-c", function])
if "libffi" in got.stderr:
    skip("plait was built without libffi")
else:
    ok(got.stdout == "[2.0, 4.0, 6.0]\n", "so does its kernel in Python", got.stdout, got.stderr)
done()
