#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exceptions of C++ that leave a coroutine: each fails its node, its destructors
have run, the exception is gone, and the plan and the thread work on."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, SANITIZER, done, ok, run, skip, skip_all, which

FLAGS = ["-std=c++17", "-pedantic-errors", "-Wall", "-Wextra", "-Werror",
         "-I" + os.path.join(ROOT, "include")]
PROGRAM = r"""
#include "plait/plait.hpp"
#include <cstdio>
#include <exception>
#include <stdexcept>

static int failed, alive, exceptions;
#define IS(condition) \
	((condition) ? (void)0 : (void)(failed++, std::printf("not: %s\n", #condition)))

struct local {
	local() { alive++; }
	~local() { alive--; }
};

struct counted : std::runtime_error {
	counted() : std::runtime_error("counted") { exceptions++; }
	counted(const counted &other) : std::runtime_error(other) { exceptions++; }
	~counted() override { exceptions--; }
};

/* A runtime inside of the program does not tell how to end an exception of it. */
static void check_none_uncaught()
{
#ifndef RUNTIME_IS_HIDDEN
	IS(std::uncaught_exceptions() == 0);
#endif
}

static void __attribute__((noinline)) deep(int depth, int kind)
{
	local here;

	if (depth > 0)
		return deep(depth - 1, kind);
	/* The thread may be another one afterwards. */
	plait::call(plait_yield);
	if (kind == 0)
		throw counted();
	if (kind == 1)
		throw 7;
	if (kind == 2)
		std::rethrow_exception(std::make_exception_ptr(counted()));
}

static int32_t leave(void *user_data)
{
	local here;

	deep(5, *static_cast<int *>(user_data));
	return 0;
}

/* One that is caught in the coroutine is its own affair. */
static int32_t stay(void *user_data)
{
	check_none_uncaught();
	try {
		return leave(user_data);
	} catch (...) {
		return 0;
	}
}

static plait::plan plan_of(const plait::context &context, plait_host_function function, int *kind)
{
	auto graph = plait::get(plait_graph_create, context);
	plait_node_desc desc{};

	desc.size = sizeof(desc);
	desc.kind = PLAIT_NODE_CALL;
	desc.flags = PLAIT_CALL_ANY_THREAD | PLAIT_CALL_COROUTINE;
	desc.function = function;
	desc.user_data = kind;
	desc.label = "thrower";
	plait::get(plait_graph_add, graph, &desc, nullptr, 0);
	return plait::get(plait_graph_freeze, graph, nullptr);
}

static void check(const plait::context &context, const plait::queue &queue, int kind)
{
	auto thrower = plan_of(context, leave, &kind), catcher = plan_of(context, stay, &kind);

	for (int i = 0; i < 100; i++) {
		auto run = plait::get(plait_plan_run, thrower, queue, nullptr);
		plait_error error{};

		error.size = sizeof(error);
		IS(plait_run_wait(run, PLAIT_FOREVER, &error) == PLAIT_E_FAILED);
		IS(std::string(error.text).find("thrower") != std::string::npos);
		IS(std::string(error.text).find("exception") != std::string::npos);
		(void)plait_queue_finish(queue, PLAIT_FOREVER, nullptr);
		IS(plait_plan_call(thrower, nullptr, nullptr, nullptr) == PLAIT_E_FAILED);
		check_none_uncaught();
		IS(plait_plan_call(catcher, nullptr, nullptr, nullptr) == PLAIT_OK);
		plait::call(plait_run_wait, plait::get(plait_plan_run, catcher, queue, nullptr),
			    PLAIT_FOREVER);
	}
	IS(alive == 0 && exceptions == 0);
}

int main()
{
	{
		auto context = plait::get(plait_context_open, nullptr);
		auto device = plait::get(plait_context_device, context, 0);
		auto queue = plait::get(plait_queue_create, device, nullptr);

		for (int kind = 0; kind < 3; kind++)
			check(context, queue, kind);
	}
	std::printf("%d failed\n", failed);
	return failed != 0;
}
"""


def catches():
    """Does this build switch by assembly, whose base frames catch exceptions?"""
    with open(BUILD + "/config.h", encoding="utf-8") as file:
        return "#define PLAIT_CONTEXT_ASSEMBLY 1\n" in file.read()


def try_program(compiler, extra, work):
    with open(os.path.join(work, "program.cc"), "w", encoding="utf-8") as file:
        file.write(PROGRAM)
    built = run([compiler, *FLAGS, *extra, "program.cc", "-L" + BUILD + "/src/.libs", "-lplait",
                 "-Wl,-rpath," + BUILD + "/src/.libs", "-o", "program"], cwd=work)
    name = " ".join([compiler, *extra])
    if ok(built.returncode == 0, "the program is built by " + name, built.stderr):
        got = run([work + "/program"], cwd=work, env=dict(os.environ, PLAIT_BACKEND="host"))
        ok(got.returncode == 0 and got.stdout == "0 failed\n", "exceptions of " + name,
           got.returncode, got.stdout[:2000], got.stderr[:2000])


if SANITIZER != "no":
    skip_all("programs of users are built without a sanitizer")
if not catches():
    skip_all("ucontext: an exception ends the process")
with tempfile.TemporaryDirectory(prefix="plait-test-") as work:
    for compiler, extra in (("g++", []), ("clang++", ["-O2"]),
                            ("g++", ["-static-libstdc++", "-DRUNTIME_IS_HIDDEN"])):
        if which(compiler):
            try_program(compiler, extra, work)
        else:
            skip("no " + compiler)
done()
