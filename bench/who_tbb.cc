/* SPDX-License-Identifier: MIT */
/*
 * oneTBB, three ways:
 *
 *	tbb_flow   a flow::graph of continue_nodes, built once and replayed
 *	tbb_light  the same with the lightweight policy: nodes run where their
 *	           last predecessor did, without a task; never in parallel
 *	tbb_tasks  a task_group with in-degree counters: each node runs one ready
 *	           successor itself and spawns the others
 */
#include <tbb/flow_graph.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>
#include <tbb/task_scheduler_observer.h>

#include <atomic>
#include <memory>
#include <vector>

#include "who.h"

namespace {

namespace flow = tbb::flow;

/* Pins each worker to the processor of its arena slot. */
struct pinned : tbb::task_scheduler_observer {
	explicit pinned(tbb::task_arena &arena)
		: tbb::task_scheduler_observer(arena)
	{
		observe(true);
	}
	~pinned() { observe(false); }
	void on_scheduler_entry(bool) override
	{
		int slot = tbb::this_task_arena::current_thread_index();

		who_pin(slot < 0 ? 0 : static_cast<unsigned>(slot));
	}
};

std::unique_ptr<tbb::global_control> limit;
std::unique_ptr<tbb::task_arena> arena;
std::unique_ptr<pinned> pins;

void open_arena(unsigned threads)
{
	limit = std::make_unique<tbb::global_control>(
		tbb::global_control::max_allowed_parallelism, threads);
	arena = std::make_unique<tbb::task_arena>(static_cast<int>(threads));
	arena->initialize();
	pins = std::make_unique<pinned>(*arena);
}

void close_arena()
{
	pins.reset();
	arena.reset();
	limit.reset();
}

void enter(void (*loop)(void *), void *argument)
{
	arena->execute([=] { loop(argument); });
}

/* --- flow::graph ---------------------------------------------------------- */

template <typename Policy> struct network {
	using node_type = flow::continue_node<flow::continue_msg, Policy>;

	flow::graph graph;
	std::vector<std::unique_ptr<node_type>> nodes;
	std::vector<node_type *> sources;

	explicit network(const struct graph *g)
	{
		for (uint32_t i = 0; i < g->count; i++)
			add(g, i);
	}

	void add(const struct graph *g, uint32_t i)
	{
		node_body body = g->body;
		struct node *node = &g->nodes[i];

		nodes.push_back(std::make_unique<node_type>(
			graph, [=](const flow::continue_msg &m) {
				body(node);
				return m;
			}));
		for (uint32_t k = g->before_at[i]; k < g->before_at[i + 1]; k++)
			flow::make_edge(*nodes[g->before[k]], *nodes[i]);
		if (g->before_at[i] == g->before_at[i + 1])
			sources.push_back(nodes[i].get());
	}

	void run()
	{
		for (node_type *node : sources)
			node->try_put(flow::continue_msg());
		graph.wait_for_all();
	}
};

std::unique_ptr<network<flow::queueing>> flow_network;
std::unique_ptr<network<flow::lightweight>> light_network;

int flow_prepare(const struct graph *graph, unsigned threads)
{
	open_arena(threads);
	/* A flow::graph belongs to the arena in which it is constructed. */
	arena->execute([=] {
		flow_network = std::make_unique<network<flow::queueing>>(graph);
	});
	return 0;
}

void flow_run()
{
	flow_network->run();
}

void flow_finish()
{
	flow_network.reset();
	close_arena();
}

int light_prepare(const struct graph *graph, unsigned threads)
{
	if (graph->depth > 10000) {
		who_refuse("recurses once a node, so that deep graphs end it");
		return -1;
	}
	open_arena(threads);
	arena->execute([=] {
		light_network = std::make_unique<network<flow::lightweight>>(graph);
	});
	return 0;
}

void light_run()
{
	light_network->run();
}

void light_finish()
{
	light_network.reset();
	close_arena();
}

/* --- task_group over counters ------------------------------------------------ */

const struct graph *shape;
std::unique_ptr<std::atomic<uint32_t>[]> missing;
std::vector<uint32_t> sources;
std::unique_ptr<tbb::task_group> group;

void run_from(uint32_t node)
{
	for (;;) {
		uint32_t next = UINT32_MAX;

		/* Reset for the next run: no predecessor decrements it any more. */
		missing[node].store(shape->before_at[node + 1] -
				    shape->before_at[node],
				    std::memory_order_relaxed);
		shape->body(&shape->nodes[node]);
		for (uint32_t k = shape->after_at[node];
		     k < shape->after_at[node + 1]; k++) {
			uint32_t after = shape->after[k];

			if (missing[after].fetch_sub(1,
					std::memory_order_acq_rel) != 1)
				continue;
			if (next == UINT32_MAX)
				next = after;
			else
				group->run([after] { run_from(after); });
		}
		if (next == UINT32_MAX)
			return;
		node = next;
	}
}

int tasks_prepare(const struct graph *graph, unsigned threads)
{
	open_arena(threads);
	shape = graph;
	missing.reset(new std::atomic<uint32_t>[graph->count]);
	sources.clear();
	for (uint32_t i = 0; i < graph->count; i++) {
		uint32_t before = graph->before_at[i + 1] - graph->before_at[i];

		missing[i].store(before);
		if (before == 0)
			sources.push_back(i);
	}
	arena->execute([] { group = std::make_unique<tbb::task_group>(); });
	return 0;
}

void tasks_run()
{
	for (uint32_t i : sources)
		group->run([i] { run_from(i); });
	group->wait();
}

void tasks_finish()
{
	group.reset();
	missing.reset();
	close_arena();
}

} /* namespace */

const struct who whos[] = {
	{ "tbb_flow", flow_prepare, flow_run, flow_finish, enter, nullptr, nullptr },
	{ "tbb_light", light_prepare, light_run, light_finish, enter, nullptr, nullptr },
	{ "tbb_tasks", tasks_prepare, tasks_run, tasks_finish, enter, nullptr, nullptr },
	{ nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr },
};
