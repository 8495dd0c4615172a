/* SPDX-License-Identifier: MIT */
/*
 * Beside bench/coroutine, minima as there: Boost.Context's fibers and its switch
 * alone, and oneTBB's tasks that suspend themselves.  coroutine_starpu.c has
 * those of StarPU.
 *
 *   bench/coroutine_peers [rounds]
 */
#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>
#include <oneapi/tbb.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

namespace context = boost::context;

static const int SWITCHES = 1000, TASKS = 1000, LEAF_NS = 1000;

static double now()
{
	return std::chrono::duration<double, std::nano>(
		std::chrono::steady_clock::now().time_since_epoch()).count();
}

static void spin()
{
	const double end = now() + LEAF_NS;

	while (now() < end)
		continue;
}

/* The switch without the C++ around it. */
static void transfer_often()
{
	static char stack[65536];
	namespace detail = context::detail;
	auto other = detail::make_fcontext(stack + sizeof(stack), sizeof(stack),
					   [](detail::transfer_t from) {
		for (;;)
			from = detail::jump_fcontext(from.fctx, nullptr);
	});

	for (int i = 0; i < SWITCHES; i++)
		other = detail::jump_fcontext(other, nullptr).fctx;
}

static void switch_often()
{
	context::fiber fiber([](context::fiber &&back) {
		for (int i = 0; i < SWITCHES; i++)
			back = std::move(back).resume();
		return std::move(back);
	});

	for (int i = 0; i <= SWITCHES; i++)
		fiber = std::move(fiber).resume();
}

static void begin_often()
{
	static context::pooled_fixedsize_stack stacks(65536);

	for (int i = 0; i < SWITCHES; i++)
		context::fiber(std::allocator_arg, stacks, [](context::fiber &&back) {
			return std::move(back);
		}).resume();
}

/* A task that is suspended, and resumed by its own suspension. */
static void suspend_often()
{
	static tbb::task_arena arena(1);

	arena.execute([] {
		for (int i = 0; i < SWITCHES; i++)
			tbb::task::suspend([](tbb::task::suspend_point point) {
				tbb::task::resume(point);
			});
	});
}

/* Each task is suspended until another one, of 1 us, resumes it. */
static void await_often()
{
	static tbb::task_arena arena(2);

	arena.execute([] {
		tbb::task_group tasks, leaves;

		for (int i = 0; i < TASKS; i++)
			tasks.run([&leaves] {
				tbb::task::suspend([&leaves](tbb::task::suspend_point point) {
					leaves.run([point] {
						spin();
						tbb::task::resume(point);
					});
				});
			});
		tasks.wait();
		leaves.wait();
	});
}

struct row {
	const char *name;
	std::function<void()> run;
	double per, min;
};

int main(int argc, char **argv)
{
	const int rounds = argc > 1 ? std::atoi(argv[1]) : 50;
	std::vector<row> rows = {
		{ "Boost's jump_fcontext there and back", transfer_often, SWITCHES, 1e18 },
		{ "Boost's fiber there and back", switch_often, SWITCHES, 1e18 },
		{ "empty fiber of Boost", begin_often, SWITCHES, 1e18 },
		{ "oneTBB's suspend and resume", suspend_often, SWITCHES, 1e18 },
		{ "a oneTBB task that awaits a task of 1 us", await_often, TASKS, 1e18 },
	};

	for (auto &row : rows)
		row.run();
	for (int round = 0; round < rounds; round++)
		for (auto &row : rows) {
			const double begin = now();

			row.run();
			row.min = std::min(row.min, (now() - begin) / row.per);
		}
	for (auto &row : rows)
		std::printf("%-44s %9.1f ns\n", row.name, row.min);
	return 0;
}
