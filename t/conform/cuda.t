#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Conformance of the CUDA backend on the stand-in for CUDA's driver; it reports
missing parts.  No hardware is needed or used."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, SANITIZER, done, ok, run, skip_all

PLAIT = os.path.join(BUILD, "tools/plait/plait")
LIBRARIES = os.path.join(BUILD, "t/standin/cuda/.libs")
DRIVER = os.path.join(LIBRARIES, "standin_cuda.so")
NVRTC = os.path.join(LIBRARIES, "standin_nvrtc.so")
SOAK = os.environ.get("PLAIT_SOAK")
seed = os.environ.get("PLAIT_SEED", "1")

if not os.path.exists(DRIVER):
    skip_all("the stand-in was not built")


def plait(arguments, options="", standin="", **more):
    if "driver=" not in options:
        options = ",".join(filter(None, ["driver=" + DRIVER, "nvrtc=" + NVRTC, options]))
    # Two workers also where there is one processor: H5 wants two functions.
    env = dict(os.environ, PLAIT_BACKEND="cuda", PLAIT_OPTIONS="cuda:" + options, PLAIT_WORKERS="2",
               STANDIN_CUDA=standin, PLAIT_CACHE_DIR=os.path.join(work, "cache"), TMPDIR=work)
    env.update(more)
    return run([PLAIT] + arguments, env=env)


def says(name, text, options="", standin="", **more):
    got = plait(["info"], options, standin, **more)
    held = "cuda: rejected" in got.stdout and text in got.stdout
    ok(held and got.returncode == 0, name, got.returncode, got.stdout, got.stderr)


def conform(name, arguments, standin="", **more):
    got = plait(["conform", "cuda", "--seed", seed, "--deadline", "60"] + arguments, "", standin, **more)
    bad = [l for l in got.stdout.splitlines() if l.startswith(("not ok", "# "))]
    ok(got.returncode == 0 and " 0 failed" in got.stdout, "%s: %s" % (name, bad[-1:]),
       got.returncode, got.stderr, *bad)


with tempfile.TemporaryDirectory() as work:
    # --- nothing there
    says("no driver", "no driver: /nowhere/libcuda.so.1", "driver=/nowhere/libcuda.so.1")
    says("a library that is none", "has no cuGetProcAddress_v2", "driver=libm.so.6")
    says("no device", "CUDA_VISIBLE_DEVICES=none", standin="devices=0", CUDA_VISIBLE_DEVICES="none")
    says("a driver that is too old", "CUDA 12.0", standin="version=11080")
    says("no such device", "device=no such one", "device=no such one")
    says("memory that is none", "memory=much", "memory=much")
    for code, text in ((802, "nvidia-fabricmanager"), (803, "kernel module"), (804, "cuda-compat"),
                       (999, "nvidia-uvm"), (34, "lib64/stubs"), (304, "the driver does not work")):
        says("cuInit gives %d" % code, text, standin="refuse=cuInit:%d" % code)
    says("the toolkit's stub", "lib64/stubs", standin="stub=1")
    # Devices for one process at a time (3) show at once whether they are in use.
    says("no device can be used", "no device can be used: cuda:0: cuDevicePrimaryCtxRetain failed with "
         "CUDA_ERROR_DEVICE_UNAVAILABLE (46)\n", standin="devices=2,mode=3,refuse=cuDevicePrimaryCtxRetain:46")
    says("devices that take no context", "its compute mode prohibits contexts", standin="mode=2")
    for call, code in (("cuDevicePrimaryCtxRetain", 46), ("cuDevicePrimaryCtxRetain", 2), ("cuDeviceTotalMem", 999),
                       ("cuStreamCreateWithPriority", 2), ("cuDeviceGetAttribute", 1)):
        for nth in 1, 2:
            if call == "cuDeviceGetAttribute" and nth == 2:
                nth = 20
            got = plait(["info"], standin="devices=3,mode=3,fail=%s:%d:%d" % (call, nth, code))
            lines = [l for l in got.stdout.splitlines() if l.startswith("  cuda:")]
            ok(len(lines) == 2 and "1 of the driver's devices left out: %s failed with " % call in lines[1] and
               "lost" not in got.stdout, "%s gives %d for device %d" % (call, code, nth), got.stdout, got.stderr)
    got = plait(["info"], standin="devices=2")
    ok("cuda:1: stand-in for tests" in got.stdout, "info describes the devices", got.stdout, got.stderr)

    says("an unknown kind of graphs", "graphs=none: strict or usual is wanted", "graphs=none")

    got = plait(["conform", "cuda", "--only", "K1"], STANDIN_NVRTC_VERSION="13000")
    ok("NVRTC 13.0 is too new for the driver of CUDA 12.8" in got.stdout, "a compiler that is too new",
       got.stdout, got.stderr)
    # Without binaries for the device the compiler makes PTX, which an older minor version does not know.
    got = plait(["conform", "cuda", "--only", "K1"], standin="arch=130", STANDIN_NVRTC_VERSION="12090")
    ok("its PTX is newer than the driver" in got.stdout, "PTX that is too new", got.stdout, got.stderr)

    got = plait(["info"], standin="devices=4,refuse=cuDevicePrimaryCtxRetain:999")
    ok("cuda:3: " in got.stdout and "left out" not in got.stdout, "info opens no context of a device", got.stdout, got.stderr)

    for version, text in ((12020, "without conditional nodes (12.3)"), (12030, "kernels alone in conditional nodes (12.4)"),
                          (12040, "without SWITCH nodes (12.8): branches are IF nodes"), (12080, None)):
        got = plait(["info"], standin="version=%d" % version)
        ok((" nodes (12." in got.stdout) == (text is not None) and (text or "") in got.stdout,
           "info has the missing nodes of %d" % version, got.stdout, got.stderr)

    for standin, text in (
            ("devices=2", "  cuda:0: graphs: 3 made, 0 patched, 0 to make anew, 0 refused, 0 left to the host\n  cuda:1: graphs: 3 made"),
            ("version=12050", "graphs: 3 made, "), ("refuse=cuGraphLaunch", "cuGraphLaunch failed"),
            ("version=12030", "2 left to the host"), ("refuse=cuGraphInstantiateWithParams", "graphs: 0 made, 0 patched"),
            ("refuse=cuDevicePrimaryCtxRetain:46", "plans:\n  cuda:0: cuDevicePrimaryCtxRetain failed")):
        got = plait(["info", "--graphs"], standin=standin)
        ok(got.returncode == 0 and "\ndevice graphs of three small plans:\n" in got.stdout and text in got.stdout,
           "info --graphs, %s" % standin, got.stdout, got.stderr)

    # --- graphs are counted, and refused ones fail a strict run
    for options, standin, status, told in (
            ("graphs=strict", "", 0, " 0 refused"),
            ("", "refuse=cuGraphInstantiateWithParams", 0, "graphs: 0 made"),
            ("graphs=strict", "refuse=cuGraphInstantiateWithParams", 1, "CUDA_ERROR_NOT_SUPPORTED"),
            ("graphs=strict", "refuse=cuGraphExecKernelNodeSetParams", 1, "CUDA_ERROR_NOT_SUPPORTED"),
            ("graphs=strict", "version=12040", 0, " 0 refused, 0 left to the host"),
            ("", "version=12020", 0, " left to the host"),
            ("graphs=strict", "version=12020", 1, "the driver of CUDA 12.2 has no graphs with loops and branches")):
        got = plait(["conform", "cuda", "--deadline", "60", "--only", "G,R"], options, standin, PLAIT_SEGMENTS="1")
        last = got.stdout.splitlines()[-1:]
        ok(got.returncode == status and told in (got.stdout if status else last[0]),
           "graphs, %s %s" % (options, standin), got.returncode, got.stdout, got.stderr)

    # --- all there.  One thread of the stand-in takes from its streams by
    # chance, and in another order for each seed.
    # Only the stand-in compiler's work would be checked by a sanitizer.
    some = [] if SANITIZER == "no" or SOAK else ["--only", "B,Q,S,H,E4,E6,K1,K5,K11,K16"]
    # Each check ends with a judgement of the order of locks: a mutex that is held during a call of the driver,
    # and taken in a callback, makes it fail.
    recorded = {} if SANITIZER != "no" else {"LD_PRELOAD": os.path.join(LIBRARIES, "librecorder.so")}
    conform("two devices", some, "devices=2", **recorded)
    conform("streams that share a connection", ["--only", "Q,S,H,G,R"], "connections=1")
    conform("an older driver", ["--only", "K1,K2,K3,K17"], "version=12000,arch=75")
    conform("a device that the compiler does not know", ["--only", "K1,K3,K13"], "arch=130")
    if SOAK:
        for more in range(1, 11):
            conform("seed %d" % more, [], "devices=%d,seed=%d" % (1 + more % 2, more))
done()
