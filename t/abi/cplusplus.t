#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""plait/plait.hpp: owners, exceptions and calls, with each compiler of C++ and
dialect, without a warning; and the example in its first comment."""
import os
import re
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, none, ok, read, run, skip, which

FLAGS = ["-pedantic-errors", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Wno-sign-conversion",
         "-Werror", "-I" + os.path.join(ROOT, "include")]
DIALECTS = ["-std=c++17", "-std=c++20"]
SECOND = '#include "plait/plait.hpp"\nplait::graph second(plait_context *c);\n' \
    "plait::graph second(plait_context *c) { return plait::get(plait_graph_create, c); }\n"
PROGRAM = r"""
#include "plait/plait.hpp"
#include <cstdio>
#include <vector>

static_assert(sizeof(plait::graph) == sizeof(plait_graph *));
static_assert(std::is_nothrow_move_constructible_v<plait::plan>);
static_assert(!std::is_convertible_v<plait_plan *, plait::plan>);
static_assert(std::is_same_v<decltype(plait::get(plait_graph_fill, nullptr, nullptr, 0, 0, 0, 4, 0)),
			     plait_node>);

plait::graph second(plait_context *c);

static int failed;
#define IS(condition) \
	((condition) ? (void)0 : (void)(failed++, std::printf("not: %s\n", #condition)))

static int32_t seven(void *) { return 7; }

/* Returns the error that the function throws. */
template <class Function> static plait::error error_of(Function function)
{
	try {
		function();
	} catch (const plait::error &error) {
		return error;
	}
	return plait::error(PLAIT_OK, plait_error{});
}

static void run_plan(const plait::context &context)
{
	auto device = plait::get(plait_context_device, context, 0);
	plait_buffer_desc desc{};
	const uint32_t n = 16;
	const float three = 3;
	std::vector<float> seen(n);

	desc.size = sizeof(desc);
	desc.bytes = 4 * n;
	auto memory = plait::get(plait_buffer_create, device, &desc);
	auto scale = plait::get(plait_kernel_compile, context,
				"scale(x: pointer f32, a: f32, n: u32)",
				"KERNEL(scale) { EACH(i, n) x[i] *= a; }");
	auto graph = second(context);
	auto one = plait::get(plait_graph_fill, graph, memory, 0, desc.bytes, 0x3f800000, 4, 0);
	auto scaled = plait::launch(graph, scale, { n },
				    { PLAIT_BUFFER(memory), PLAIT_PARAMETER("a"), PLAIT_VALUE(n) }, one);
	auto plan = plait::get(plait_graph_freeze, graph, nullptr);
	auto a = plait::get(plait_plan_find_parameter, plan, "a");
	auto queue = plait::get(plait_queue_create, device, nullptr);

	IS(scaled != one);
	graph = plait::graph();
	plait::call(plait_plan_call, plan, nullptr, plait::bindings({ PLAIT_BIND_VALUE(a, three) }));
	plait::launch(queue, scale, { n }, { PLAIT_BUFFER(memory), PLAIT_VALUE(three), PLAIT_VALUE(n) });
	plait::call(plait_queue_read, queue, memory, 0, seen.data(), desc.bytes);
	IS(seen[0] == 9 && seen[n - 1] == 9);

	auto run = plait::get(plait_plan_run, plan, queue, plait::bindings({ PLAIT_BIND_VALUE(a, three) }));
	plait::call(plait_run_wait, run, PLAIT_FOREVER);
	IS(plait::call(plait_run_poll, run) == PLAIT_OK);
	plait::call(plait_queue_finish, queue, PLAIT_FOREVER);
}

static void own(const plait::context &context)
{
	auto first = second(context);
	uint64_t live = plait_live_count(PLAIT_OBJECT_GRAPH);

	{
		plait::graph copy = first, moved = std::move(copy);

		IS(copy == nullptr && moved == first);
		first = std::move(moved);
		const plait::graph &same = first;

		first = same;
		IS(plait_live_count(PLAIT_OBJECT_GRAPH) == live);
		plait::graph again(first.take());

		IS(first == nullptr);
		first = std::move(again);
	}
	IS(plait_live_count(PLAIT_OBJECT_GRAPH) == live);
	plait::call(plait_graph_create, context, first.out());
	IS(plait_live_count(PLAIT_OBJECT_GRAPH) == live);
}

static void fail(const plait::context &context)
{
	auto wrong = error_of([&] { plait::get(plait_graph_create, nullptr); });
	auto text = error_of([&] {
		plait::get(plait_kernel_compile, context, "k(n: u32)", "KERNEL(k) { nothing(n); }");
	});
	auto graph = second(context);
	auto node = plait::get(plait_graph_call, graph, seven, nullptr, 0);
	auto plan = plait::get(plait_graph_freeze, graph, nullptr);
	auto seventh = error_of([&] { plait::call(plait_plan_call, plan, nullptr, nullptr); });

	IS(node != 0);
	IS(wrong.status() == PLAIT_E_HANDLE && *wrong.what() != 0 && wrong.detail().empty());
	IS(text.status() == PLAIT_E_INVALID && text.detail().find("nothing") != std::string::npos);
	IS(text.detail().back() != 0);
	IS(seventh.status() == PLAIT_E_FAILED && seventh.origin() == 7);
}

int main()
{
	{
		auto context = plait::get(plait_context_open, nullptr);

		run_plan(context);
		own(context);
		fail(context);
		plait::call(plait_context_close, context.take(), PLAIT_FOREVER);
	}
	IS(plait_live_count(PLAIT_OBJECT_ANY) == 0);
	std::printf("%d failed\n", failed);
	return failed != 0;
}
"""


def example():
    """The example in the header's first comment, in a function."""
    comment = read("include/plait/plait.hpp").split("Example:\n")[1].split("\n * No exception")[0]
    text = "\n".join(line[7:] for line in comment.split("\n"))
    return '#include "plait/plait.hpp"\nvoid example(plait_kernel *kernel, plait_buffer *a, float x);\n' \
        "void example(plait_kernel *kernel, plait_buffer *a, float x)\n" \
        "{\n\tconst uint64_t n = 1000;\n\n%s\n}\n" % text


def write(folder, name, text):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
        file.write(text)


def try_program(compiler, dialect, work):
    built = run([compiler, dialect, *FLAGS, "program.cc", "second.cc", "-L" + BUILD + "/src/.libs", "-lplait",
                 "-Wl,-rpath," + BUILD + "/src/.libs", "-o", "program"], cwd=work)
    if not ok(built.returncode == 0, "the program is built by %s %s" % (compiler, dialect), built.stderr):
        return
    for backend in "host", "chaos":
        got = run([work + "/program"], cwd=work,
                  env=dict(os.environ, PLAIT_BACKEND=backend, PLAIT_CACHE_DIR=work))
        ok(got.returncode == 0 and got.stdout == "0 failed\n", "it runs on " + backend,
           got.returncode, got.stdout, got.stderr)


with tempfile.TemporaryDirectory(prefix="plait-test-") as work:
    write(work, "program.cc", PROGRAM)
    write(work, "second.cc", SECOND)
    write(work, "example.cc", example())
    for compiler in "g++", "clang++":
        if not which(compiler):
            skip("no " + compiler)
            continue
        for dialect in DIALECTS:
            result = run([compiler, dialect, *FLAGS, "-fsyntax-only", "example.cc"], cwd=work)
            ok(result.returncode == 0, "the example as %s %s" % (compiler, dialect), result.stderr)
        if SANITIZER == "no":
            try_program(compiler, DIALECTS[0], work)
        else:
            skip("programs of users are built without a sanitizer")

# An owner for each type with references.
headers = "".join(read("include/plait/%s" % n) for n in sorted(os.listdir(ROOT + "/include/plait"))
                  if n.endswith(".h"))
kinds = set(re.findall(r"void (plait_\w+)_retain\(", headers))
owners = set(re.findall(r"struct owned<(plait_\w+) \*>", read("include/plait/plait.hpp")))
none(sorted(kinds ^ owners), "each type with references has an owner")
ok(len(kinds) >= 10, "types are found", *sorted(kinds))
done()
