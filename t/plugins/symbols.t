#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Symbols and flags of every plugin: no symbol of plait needed, one exported, never
unloaded, no property that a hardened system refuses."""
import glob
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, SANITIZER, done, none, ok, read, run, skip_all

SANITIZERS = r"_*(asan|ubsan|tsan|sanitizer|odr_asan|lsan)"


def names(option, path):
    return [l.split()[-1].split("@")[0] for l in run(["nm", "-D", option, path]).stdout.splitlines()]


def check(path, library=False):
    name = os.path.basename(path)
    dynamic = run(["readelf", "-dW", path]).stdout
    segments = run(["readelf", "-lW", path]).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic)
    ok("NODELETE" in dynamic, name + " is never unloaded")
    ok(re.search(r"GNU_STACK.*RW ", segments), name + " has no executable stack", segments)
    none([l for l in segments.splitlines() if re.search(r"LOAD.*RWE", l)], name + " maps nothing writable and executable")
    ok("GNU_RELRO" in segments and ("BIND_NOW" in dynamic or re.search(r"FLAGS_1.*NOW", dynamic)),
       name + " is fully read-only after loading")
    ok("TEXTREL" not in dynamic, name + " has no text relocations")
    ok("RPATH" not in dynamic and "RUNPATH" not in dynamic, name + " has no search path of its own")
    if library:
        return
    none([n for n in needed if "plait" in n], name + " does not need libplait")
    none([n for n in names("-u", path) if n.startswith("plait")], name + " uses no symbol of plait")
    none([n for n in names("--defined-only", path) if n != "plait_plugin_entry"
          and not (SANITIZER != "no" and re.match(SANITIZERS, n))], name + " shows one symbol")
    ok("plait_plugin_entry" in names("--defined-only", path), name + " shows its entry")


def opens(path):
    """The libraries that the note of the ELF file lists for dlopen."""
    return re.findall(r"lib\w+\.so[.\d]*", run(["readelf", "-p", ".note.dlopen", path]).stdout)


plugins = sorted(glob.glob(os.path.join(BUILD, "plugins/.libs/plait_*.so")))
if not plugins:
    skip_all("no plugin was built")
for plugin in plugins:
    check(plugin)
    driver = {"plait_opencl.so": ["libOpenCL.so.1"],
              "plait_openmpi.so": ["libmpi.so.40"], "plait_mpich.so": ["libmpich.so.12", "libmpi.so.12"],
              "plait_cuda.so": ["libcuda.so.1", "libnvrtc.so.13", "libnvrtc.so.12"]}.get(os.path.basename(plugin), [])
    ok(opens(plugin) == driver, os.path.basename(plugin) + " tells packagers what it opens", *opens(plugin))
check(os.path.join(BUILD, "src/.libs/libplait.so"), library=True)
fragment = read("plugins/local.mk")
none([n for n in re.findall(r"^pkglib_LTLIBRARIES \+= %D%/(\w+)\.la", fragment, re.M)
      if "%%C%%_%s_la_CPPFLAGS = $(CPPFLAGS_PLUGIN)" % n not in fragment],
     "every plugin is compiled against include/ alone")
none([n for n in re.findall(r"^pkglib_LTLIBRARIES \+= %D%/(\w+)\.la", fragment, re.M)
      if re.search(r"%%C%%_%s_la_LIBADD.*plait" % n, fragment)], "and links to nothing of plait")
done()
