/* SPDX-License-Identifier: MIT */
/*
 * Groups, nodes with a member on each of several devices: behind the same
 * nodes, all of them once, and successors wait for all; on simulated systems,
 * on two backends at once, and on the host, where two names are one device.
 */
#include "lib/queued.h"

enum { SEEDS = 12, TIMES = 3 };

/* first -> group of calls, group of kernels, group of emissions -> last, in a
 * loop. */
struct groups {
	plait_device *devices[2];
	uint32_t members;	/* of the iteration */
	uint32_t left, wrong, lasts;
	plait_buffer *from, *to;
	plait_kernel *put;
	plait_inbox *inbox;
	uint32_t owned;
};

static int32_t count_down(void *user_data)
{
	struct groups *groups = user_data;

	return groups->left > 0 ? (int32_t)groups->left-- : 0;
}

static int32_t begin(void *user_data)
{
	__atomic_store_n(&((struct groups *)user_data)->members, 0,
			 __ATOMIC_RELAXED);
	return 0;
}

static int32_t be_member(void *user_data)
{
	__atomic_add_fetch(&((struct groups *)user_data)->members, 1,
			   __ATOMIC_RELAXED);
	return 0;
}

static int32_t be_owned(void *user_data)
{
	((struct groups *)user_data)->owned++;
	return 0;
}

static int32_t end(void *user_data)
{
	struct groups *groups = user_data;

	groups->wrong += __atomic_load_n(&groups->members,
					 __ATOMIC_RELAXED) != 2;
	groups->lasts++;
	return 0;
}

static plait_node add_group(struct groups *groups, plait_graph *graph,
			    plait_node_desc desc, plait_node after)
{
	desc.flags |= PLAIT_NODE_ON_ALL_GROUP;
	desc.devices = groups->devices;
	desc.device_count = 2;
	return add_node(graph, desc, &after, 1);
}

static plait_plan *make_plan(struct groups *groups, uint32_t lanes, bool puts)
{
	const plait_argument arguments[2] = {
		puts ? buffer_argument(groups->from) : of_kind(0, NULL),
		puts ? buffer_argument(groups->to) : of_kind(0, NULL),
	};
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { WORDS, 0, 0 } };
	const plait_node_desc loop = {
		.kind = PLAIT_NODE_WHILE, .flags = PLAIT_CALL_ANY_THREAD,
		.function = count_down, .user_data = groups,
	};
	const plait_node_desc member = {
		.kind = PLAIT_NODE_CALL, .flags = PLAIT_CALL_ANY_THREAD,
		.function = be_member, .user_data = groups, .label = "member",
	};
	const plait_node_desc owned = {
		.kind = PLAIT_NODE_CALL, .inbox = groups->inbox,
		.function = be_owned, .user_data = groups, .label = "owned",
	};
	const plait_node_desc put = {
		.kind = PLAIT_NODE_LAUNCH, .kernel = groups->put,
		.launch = &launch, .arguments = arguments,
		.argument_count = 2, .label = "put",
	};
	plait_graph *graph = new_graph();
	plait_graph *body = body_of(graph, add_node(graph, loop, NULL, 0), 0);
	plait_node before = add_call(body, "begin", begin, groups, NULL, 0);
	plait_node nodes[3];

	nodes[0] = add_group(groups, body, member, before);
	nodes[1] = add_group(groups, body, owned, before);
	nodes[2] = puts ? add_group(groups, body, put, before) : before;
	(void)add_call(body, "end", end, groups, nodes, puts ? 3 : 2);
	plait_graph_release(body);
	return freeze_on(graph, lanes);
}

static void check_runs(struct groups *groups, plait_plan *plan, bool puts)
{
	for (uint32_t run = 0; run < 2; run++) {
		groups->left = TIMES;
		groups->wrong = groups->lasts = groups->owned = 0;
		if (puts)
			write_words(groups->from, run);
		OK_THAT((run % 2 ? run_with : call_with)(plan, 0) == PLAIT_OK,
			"run: %s", rig.error.text);
		IS_UINT(groups->lasts, TIMES);
		IS_UINT(groups->wrong, 0);
		IS_UINT(groups->owned, 2 * TIMES);
		if (puts)
			IS_UINT(read_words(groups->to), run + 1);
	}
}

static void check_place(const struct place *place)
{
	struct groups groups = { .devices = { rig.device, other_device() } };
	plait_plan *plan;

	if (groups.devices[0] == groups.devices[1])
		return;
	OK(plait_inbox_create(rig.context, &groups.inbox, NULL) == PLAIT_OK);
	groups.from = words_on(rig.device);
	groups.to = words_on(rig.device);
	groups.put = put_kernel();
	plan = make_plan(&groups, place->lanes, true);
	check_runs(&groups, plan, true);
	plait_plan_release(plan);
	plait_kernel_release(groups.put);
	plait_buffer_release(groups.from);
	plait_buffer_release(groups.to);
	plait_inbox_release(groups.inbox);
}

static void on_devices(void)
{
	each_place(SEEDS, check_place);
}

static void on_backends(void)
{
	for (uint32_t seed = 0; seed < SEEDS; seed++) {
		struct place place = { .backends = NULL };
		struct groups groups = { .left = 0 };
		plait_plan *plan;

		set_seed(&place, seed);
		place.backends = "chaos,host";
		if (!open_place(&place))
			continue;
		groups.devices[0] = rig.device;
		groups.devices[1] = host_of_three();
		OK(plait_inbox_create(rig.context, &groups.inbox, NULL) ==
		   PLAIT_OK);
		plan = make_plan(&groups, place.lanes, false);
		check_runs(&groups, plan, false);
		plait_plan_release(plan);
		plait_inbox_release(groups.inbox);
		close_place();
	}
}

/* Members are nodes of a text, which do nothing; both ways to run it. */
static void on_the_host_of_a_text(void)
{
	static const char text[] =
		"device a lanes=1\ndevice b lanes=1\nnode first\n"
		"node both device=a+b group after=first\n"
		"node last after=both\n";
	plait_run_desc desc = { .size = sizeof(desc) };

	for (uint32_t w = 0; w < 3; w++) {
		plait_graph *graph = NULL;
		plait_plan *plan = NULL;

		if (!open_host(w))
			continue;
		OK(plait_graph_read(rig.context, text, sizeof(text) - 1,
				    "text", &graph, &rig.error) == PLAIT_OK);
		OK(plait_graph_freeze(graph, NULL, &plan, &rig.error) ==
		   PLAIT_OK);
		for (uint32_t i = 0; i < 2; i++)
			OK_THAT(plait_plan_bind_device(
					plan, i == 0 ? "a" : "b", rig.device,
					&rig.error) == PLAIT_OK, "bind: %s",
				rig.error.text);
		for (uint32_t f = 0; f < TAP_COUNT(run_flags); f++) {
			desc.flags = run_flags[f];
			OK_THAT(plait_plan_call(plan, NULL, &desc,
						&rig.error) == PLAIT_OK,
				"call: %s", rig.error.text);
		}
		plait_plan_release(plan);
		plait_graph_release(graph);
		close_rig(&rig);
	}
}

static const struct tap_scenario all[] = {
	{ "on devices", on_devices },
	{ "on backends", on_backends },
	{ "on the host", on_the_host_of_a_text },
};
TAP_MAIN(all)
