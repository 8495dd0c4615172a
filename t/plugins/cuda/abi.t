#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""CUDA's types, numbers and functions as plugins/cuda declares them, against the toolkit's
headers; without a toolkit, only that the declarations are C.  Declarations newer than
the toolkit are not checked."""
import ast
import ctypes
import glob
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../lib"))
from tap import ROOT, done, none, ok, read, run, skip

HERE = os.path.join(ROOT, "plugins/cuda")
CC = os.environ.get("CC", "cc").split() + ["-std=gnu11", "-Wall", "-Werror", "-I", HERE]
abi = re.sub(r"/\*.*?\*/", "", read("plugins/cuda/abi.h") + read("plugins/cuda/abi_array.h"), flags=re.S)


def toolkit():
    """The folder with the toolkit's headers, or None."""
    named = [os.environ[n] for n in ("CUDA_HOME", "CUDA_PATH") if n in os.environ]
    for folder in named + ["/usr/local/cuda", "/opt/cuda", "/usr"]:
        if all(os.path.exists(os.path.join(folder, "include", n)) for n in ("cuda.h", "cudaTypedefs.h", "nvrtc.h")):
            return folder
    return None


def built(folder, name, text, flags=(), link=True):
    source, program = os.path.join(folder, name + ".c"), os.path.join(folder, name)
    with open(source, "w") as file:
        file.write(text)
    got = run(CC + list(flags) + [source, "-o", program] + ([] if link else ["-c"]))
    ok(got.returncode == 0, name + ".c compiles", got.stdout + got.stderr)
    return program if got.returncode == 0 else None


constants = re.findall(r"^\t(CU\w+) = ", abi, re.M) + re.findall(r"CODE\((\w+), \d+\)", abi)
structs = {name: re.findall(r"(\w+)\s*(?:\[\d+\])?\s*[;,]", re.sub(r"union \{|\t\};", "", body))
           for body, name in re.findall(r"^typedef struct \w*\s*\{\n(.*?)\n\} (\w+);", abi, re.S | re.M)}
ok(len(constants) > 120 and len(structs) > 8 and "hErrNode_out" in structs["CUDA_GRAPH_INSTANTIATE_PARAMS"],
   "abi.h has %d constants and %d structs" % (len(constants), len(structs)))
home = toolkit()
headers = "".join(open(os.path.join(home, "include", n), errors="replace").read() for n in ("cuda.h", "nvrtc.h")) if home else ""
version = int((re.findall(r"#define CUDA_VERSION (\d+)", headers) + ["0"])[0])
NEWEST = 13000  # that has all


def known(names):
    """The names that the toolkit has; all of them unless it may lack some."""
    if not 0 < version < NEWEST:
        return names
    words = set(re.findall(r"\w+", headers))
    return type(names)(n for n in names if n in words)


constants = known(constants)
structs = {name: known(structs[name]) for name in known(list(structs))}
lines = ['printf("%s %%lld\\n", (long long)%s);' % (n, n) for n in constants]
for name, fields in structs.items():
    lines.append('printf("%s %%zu\\n", sizeof(%s));' % (name, name))
    lines += ['printf("%s.%s %%zu %%zu\\n", offsetof(%s, %s), sizeof(((%s *)0)->%s));' % (
        name, f, name, f, name, f) for f in fields]
BODY = "#include <stdio.h>\n#include <stddef.h>\nint main(void)\n{\n\t%s\n\treturn 0;\n}\n" % "\n\t".join(lines)
TYPES = """
#include <cuda.h>
#include <cudaTypedefs.h>
#include <nvrtc.h>
#define PLAITP_CUDA_ABI_H
#include "calls.h"
#define SAME_NVRTC(version, name, symbol, parameters, arguments) \\
	_Static_assert(__builtin_types_compatible_p(__typeof__(&name), \\
		nvrtcResult (*) parameters), #name);
NVRTC_CALLS(SAME_NVRTC)
_Static_assert(__builtin_types_compatible_p(PFN_cuGetProcAddress_v12000, cuda_get_proc_address *), "the finder");
"""
calls = re.findall(r"CALL\((\d+), (cu\w+),", read("plugins/cuda/calls.h"))
TYPES += "".join('_Static_assert(__builtin_types_compatible_p(PFN_%s_v%s, __typeof__(((struct cuda_calls *)0)->%s)), "%s");\n'
                 % (name, since, name, name) for since, name in calls if int(since) <= max(version, 1))


def literals(path, name):
    """The value of a string constant of a C file, which may use macros of that file."""
    text = re.sub(r"(?m)^#\s*include.*$", "", read(path))
    text = run([CC[0], "-E", "-P", "-x", "c", "-"], input=text).stdout
    strings = re.search(r"static const char %s\[\] =(.*?\")\s*;" % name, text, re.S).group(1)
    return "".join(ast.literal_eval(one) for one in re.findall(r'"(?:[^"\\]|\\.)*"', strings))


def check_embedded(folder, home):
    """ptxas, the driver's assembler, accepts the PTX that the driver is to compile."""
    ptxas = os.path.join(home, "bin/ptxas")
    if not os.path.exists(ptxas):
        skip("the toolkit has no ptxas")
        return
    for name, text in (("setter", "setters_text"), ("fill_kernel", "fill_text")):
        source = os.path.join(folder, name + ".ptx")
        with open(source, "w") as file:
            file.write(literals("plugins/cuda/%s.c" % name, text))
        got = [run([ptxas, "-arch", arch, source, "-o", source + arch]) for arch in ("sm_75", "sm_90")]
        none([g.stdout + g.stderr for g in got if g.returncode != 0], "ptxas takes the kernels of %s.c" % name)


def check_kernels(home):
    """The sources for the stand-in compiler are valid for NVRTC, too."""
    found = sorted(glob.glob(os.path.join(home, "lib*/libnvrtc.so.*")))
    if not found:
        skip("the toolkit has no NVRTC")
        return
    library, program, size = ctypes.CDLL(found[0]), ctypes.c_void_p(), ctypes.c_size_t()
    text = literals("t/standin/cuda/rig.c", "kernels")
    library.nvrtcCreateProgram(ctypes.byref(program), text.encode(), b"rig.cu", 0, None, None)
    status = library.nvrtcCompileProgram(program, 1, (ctypes.c_char_p * 1)(b"--gpu-architecture=sm_90"))
    library.nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value + 1)
    library.nvrtcGetProgramLog(program, log)
    library.nvrtcGetCUBINSize(program, ctypes.byref(size))
    if version < 12030 and "'cudaGraphSetConditional'" in log.value.decode():
        skip("NVRTC of %d knows no conditions" % version)
    else:
        ok(status == 0 and size.value > 1000, "NVRTC takes the kernels of t/standin/cuda/rig.c", status, log.value.decode())


with tempfile.TemporaryDirectory() as folder:
    ours = built(folder, "ours", '#include "calls.h"\n' + BODY)
    if home is None:
        skip("no toolkit to compare with: cuda.h, cudaTypedefs.h and nvrtc.h are in none of the usual places")
        done()
    include = ["-isystem", os.path.join(home, "include")]
    theirs = built(folder, "theirs", "#include <cuda.h>\n#include <nvrtc.h>\n" + BODY, include)
    if ours and theirs:
        mine, real = (run([p]).stdout.splitlines() for p in (ours, theirs))
        none(["ours: %s; the toolkit's: %s" % pair for pair in zip(mine, real) if pair[0] != pair[1]],
             "numbers and layouts are the toolkit's")
    if version < 12030:
        skip("the toolkit of %d does not know the types of conditional nodes" % version)
    else:
        built(folder, "types", TYPES, include, link=False)
    symbols = re.findall(r"CALL\(\d+, \w+,\s*\\?\s*(cu\w+),", read("plugins/cuda/calls.h")) + ["cuGetProcAddress_v2"]
    check_kernels(home)
    check_embedded(folder, home)
    stubs = glob.glob(os.path.join(home, "lib*/stubs/libcuda.so"))
    if not stubs:
        skip("the toolkit has no list of the driver's symbols")
        done()
    exported = set(re.findall(r" T (\w+)", run(["nm", "-D", "--defined-only", stubs[0]]).stdout))
    none([s for s in symbols if s not in exported], "a driver exports each of the %d symbols" % len(symbols))
done()
