#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Portable source as OpenCL C and CUDA C++: each kernel of t/source/kernels goes
through clang's OpenCL front end and, where there is one, through NVRTC."""
import ctypes
import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import nvrtc as nvrtc_files
from tap import BUILD, ROOT, SOAK, done, ok, run, skip, which

C, OPENCL, CUDA = 1, 2, 5
# All for the first, those that are hard for the others too; with PLAIT_SOAK
# all for all.
ARCHITECTURES = ("sm_90", "sm_75", "sm_120")
HARD = "matmul scan histogram radix fft rounds softmax locks pi volume stencil3".split()
KERNELS = sorted(glob.glob(os.path.join(ROOT, "t/source/kernels/*.plk")))


def signature(text):
    comment = re.search(r"\n/\*(.*?\))", text, re.S).group(1)
    return " ".join(comment.replace("*", " ").split())


# (its body, the line that is wrong, what is said of it): what stands for itself
# has to be refused in each language, at the user's own line.
WRONG = (
    ("GROUP_KERNEL(wrong, 4, 1, 1) {\n\tITEMS\n\t\tif (n > 3) return; else x[0] = 1;\n}\n", 5, "return_within_ITEMS"),
)
RIGHT = """FUNCTION i32 f(i32 a)
{
	if (a > 0)
		return 1;
	else return 0;
}
GROUP_KERNEL(wrong, 4, 1, 1)
{
	if (n < 3)
		return;
	ITEMS x[0] = f(1);
}
"""
HEADING = "/* wrong(x: inout pointer i32, n: u64) */\n"


def small(folder, body):
    path = os.path.join(folder, "wrong.plk")
    with open(path, "w", encoding="ascii") as file:
        file.write("\n" + HEADING + body)
    return path


def composed(path, form):
    with open(path, encoding="ascii") as file:
        text = file.read()
    result = run([os.path.join(BUILD, "t/source/compose"), str(form), signature(text),
                  os.path.basename(path), path])
    return result.stdout if result.returncode == 0 else "#error " + result.stderr


def check_opencl(folder):
    clang = which("clang")
    probe = ["-x", "cl", "-cl-std=CL1.2", "-target", "spir64", "-fsyntax-only", "-Wall", "-Werror",
             "-Wno-unused-function", "-Xclang", "-cl-ext=+cl_khr_fp64"]
    empty = os.path.join(folder, "empty.cl")
    with open(empty, "w", encoding="ascii") as file:
        file.write("kernel void f(global int *x) { x[get_global_id(0)] = 1; }\n")
    if not clang or run([clang, *probe, empty]).returncode != 0:
        skip("no clang that reads OpenCL C")
        return
    for path in KERNELS:
        name = os.path.join(folder, os.path.basename(path) + ".cl")
        with open(name, "w", encoding="ascii") as file:
            file.write(composed(path, OPENCL))
        result = run([clang, *probe, name])
        ok(result.returncode == 0, "OpenCL C: " + os.path.basename(path), result.stderr)
    refuse(folder, "OpenCL C", lambda path: compile_opencl(clang, probe, folder, path))


def compile_opencl(clang, probe, folder, path):
    name = os.path.join(folder, "text.cl")
    with open(name, "w", encoding="ascii") as file:
        file.write(composed(path, OPENCL))
    result = run([clang, *probe, name])
    return result.returncode, result.stderr


def refuse(folder, language, compiled):
    status, said = compiled(small(folder, RIGHT))
    ok(status == 0, language + ": return elsewhere", said)
    for body, line, words in WRONG:
        status, said = compiled(small(folder, body))
        ok(status != 0 and re.search(r"^wrong\.plk[:(]%d\b.*error: .*%s" % (line, words), said, re.M),
           "%s: refused: %s" % (language, words), said)


def find_nvrtc():
    for name in nvrtc_files.compilers():
        try:
            return ctypes.CDLL(name)
        except OSError:
            continue
    return None


def knows_loops(nvrtc):
    major, minor = ctypes.c_int(), ctypes.c_int()
    nvrtc.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
    return (major.value, minor.value) >= (12, 3)


def compile_cuda(nvrtc, text, architecture):
    program, size = ctypes.c_void_p(), ctypes.c_size_t()
    options = [b"-default-device", b"--gpu-architecture=" + architecture.encode()]
    if not knows_loops(nvrtc):  # as the backend says then
        options.append(b"-DPLAIT_NO_LOOPS")
    nvrtc.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"kernel", 0, None, None)
    status = nvrtc.nvrtcCompileProgram(program, len(options),
                                       (ctypes.c_char_p * len(options))(*options))
    nvrtc.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value + 1)
    nvrtc.nvrtcGetProgramLog(program, log)
    ptx = None
    if status == 0 and nvrtc.nvrtcGetPTXSize(program, ctypes.byref(size)) == 0:
        ptx = ctypes.create_string_buffer(size.value + 1)
        nvrtc.nvrtcGetPTX(program, ptx)
    nvrtc.nvrtcDestroyProgram(ctypes.byref(program))
    return status, ptx.value.decode() if ptx else log.value.decode()


def find_variables(nvrtc, folder):
    """What the backend asks the driver for is there under its own name, with its value, though
    no kernel uses it.  No form of it is .visible but with -rdc; a driver finds it all the same."""
    for body, name, value in (("GROUP_KERNEL(wrong, 8, 4, 2) { }", "plait_group[12]", "{8, 0, 0, 0, 4, 0, 0, 0, 2}"),
                              ("KERNEL(wrong) { }", "plait_group[12]", ""),
                              ("KERNEL(wrong) { EACH(i, n) DECIDE((u32 *)x, 1); }", "plait_decides", "2")):
        status, said = compile_cuda(nvrtc, composed(small(folder, body + "\n"), CUDA), "compute_90")
        if name == "plait_decides" and not knows_loops(nvrtc):
            skip("NVRTC knows no loops")
            continue
        lines = [line for line in said.splitlines() if name in line]
        ok(status == 0 and len(lines) == 1 and
           re.match(r"(\.visible )?\.const \.align 4 \.(b8|u32) %s%s;$" % (re.escape(name), re.escape(
               " = " + value if value else "").replace(r"\}", r"(, 0)*\}")), lines[0]) is not None,
           "PTX has %s of %s" % (name, body.partition(" {")[0]), status, said[-600:], *lines)


def check_cuda(folder):
    nvrtc = find_nvrtc()
    if nvrtc is None:
        skip("no libnvrtc")
        return
    for architecture in ARCHITECTURES:
        # Another toolkit may know fewer.
        status, log = compile_cuda(nvrtc, "", architecture)
        if status != 0:
            skip("NVRTC does not know %s: %s" % (architecture, log[:60].strip()))
            continue
        bad = []
        every = architecture == ARCHITECTURES[0] or SOAK
        some = [p for p in KERNELS if every or os.path.basename(p)[:-4] in HARD]
        for path in some:
            status, log = compile_cuda(nvrtc, composed(path, CUDA), architecture)
            if status != 0:
                bad.append(os.path.basename(path) + ": " + log)
        ok(not bad, "CUDA C++ for %s: %d kernels" % (architecture, len(some)), *bad)
    find_variables(nvrtc, folder)
    refuse(folder, "CUDA C++", lambda path: compile_cuda(nvrtc, composed(path, CUDA), ARCHITECTURES[0]))


ok(len(KERNELS) >= 36, "there are kernels")
with tempfile.TemporaryDirectory() as place:
    check_opencl(place)
    check_cuda(place)
done()
