#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Kernels under AddressSanitizer, by the line of doc/kernels.md: a store outside of
a buffer ends the program with a report that names the kernel."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, read, run, skip_all, which

PROGRAM = r"""
#include <plait/plait.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	const char *code = "KERNEL(beyond) { EACH(i, n) x[i] = 1; }";
	uint64_t n = 100 + (uint64_t)(argc > 1 ? atoi(argv[1]) : 0);
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 400 };
	plait_error error = { .size = sizeof(error) };
	plait_context *context;
	plait_device *device;
	plait_buffer *buffer;
	plait_kernel *kernel;
	plait_queue *queue;

	if (plait_context_open(NULL, &context, &error) ||
	    plait_context_device(context, 0, &device, &error) ||
	    plait_buffer_create(device, &desc, &buffer, &error) ||
	    plait_queue_create(device, NULL, &queue, &error) ||
	    plait_kernel_compile(context, "beyond(x: pointer f32, n: u64)", code, &kernel, &error) ||
	    plait_queue_launch(queue, kernel, PLAIT_ITEMS(n),
			       PLAIT_ARGUMENTS(PLAIT_BUFFER(buffer), PLAIT_VALUE(n)), &error) ||
	    plait_queue_finish(queue, PLAIT_FOREVER, &error))
		return fprintf(stderr, "%s\n", error.text), 2;
	printf("done\n");
	return 0;
}
"""
if SANITIZER != "no":
    skip_all("the library is built with a sanitizer")
if not which("gcc") or run(["gcc", "-print-file-name=libasan.so"]).stdout.strip() == "libasan.so":
    skip_all("no gcc with AddressSanitizer")
line = re.search(r"^`(PLAIT_CACHE=0 PLAIT_CFLAGS=.*)`\.?$", read("doc/kernels.md"), re.M)
ok(line, "doc/kernels.md has the line")
with tempfile.TemporaryDirectory(prefix="plait-test-") as work:
    with open(work + "/program.c", "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    built = run(["gcc", "program.c", "-I" + ROOT + "/include", "-L" + BUILD + "/src/.libs", "-lplait",
                 "-Wl,-rpath," + BUILD + "/src/.libs", "-o", "program"], cwd=work)
    ok(built.returncode == 0, "the program is built", built.stderr)
    # The compiler of kernels is gcc, whose runtime the line preloads. A leak of the
    # program is not the subject.
    environment = dict(os.environ, PLAIT_BACKEND="host", PLAIT_CC="gcc", ASAN_OPTIONS="detect_leaks=0")
    for beyond, expected in (0, 0), (16, 1):
        got = run(["sh", "-c", (line.group(1) if line else "") + " ./program %d" % beyond], cwd=work, env=environment)
        ok((got.returncode != 0) == bool(expected), "%d floats too far: %s" %
           (beyond, "the program ends" if beyond else "it runs"), got.returncode, got.stdout, got.stderr[:2000])
        if beyond:
            ok("heap-buffer-overflow" in got.stderr and "beyond" in got.stderr, "the report names the kernel",
               got.stderr[:3000])
done()
