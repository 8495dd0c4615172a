#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""dlopen, dlclose and dlopen again of the library in an application, with the CUDA backend
on its stand-in; also while a context is open and never released."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from tap import BUILD, SANITIZER, done, ok, run, skip_all

if SANITIZER != "no":
    skip_all("a sanitizer has to be there before Python is")

PROGRAM = """
import _ctypes, ctypes, sys
FOR_EVER = ctypes.c_uint64(2 ** 64 - 1)
for turn in range(4):
    plait = ctypes.CDLL(sys.argv[1])
    context, device, queue = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
    print(plait.plait_context_open(None, ctypes.byref(context), None),
          plait.plait_context_device(context, 0, ctypes.byref(device), None),
          plait.plait_queue_create(device, None, ctypes.byref(queue), None),
          plait.plait_queue_finish(queue, FOR_EVER, None))
    if turn % 2 == 0:
        plait.plait_queue_release(queue)
        plait.plait_context_release(context)
    _ctypes.dlclose(plait._handle)
print("end")
"""
library = os.path.join(BUILD, "src/.libs/libplait.so.0")
environment = dict(os.environ, PLAIT_BACKEND="cuda",
                   PLAIT_OPTIONS="cuda:driver=%s/t/standin/cuda/.libs/standin_cuda.so" % BUILD)
got = run([sys.executable, "-c", PROGRAM, library], env=environment)
ok(got.returncode == 0 and got.stdout == 4 * "0 0 0 0\n" + "end\n", "let go of and loaded again",
   got.returncode, got.stdout, got.stderr)
done()
