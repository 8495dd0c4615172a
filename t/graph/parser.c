/* SPDX-License-Identifier: MIT */
/* The text form of graphs: the planner's input that it gives, each error with
 * its line, every failed allocation, and random damage. */
#include "graph/text/parser.h"
#include "graph/store/planner_view.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "lib/tap.h"

struct graph {
	plait__store *store;
	plait__input input;
	plait_error error;
	plait_status status;
};

static void read_with(struct graph *graph, const char *text, size_t bytes,
		      const plait_allocator *allocator)
{
	memset(graph, 0, sizeof(*graph));
	graph->error.size = sizeof(graph->error);
	graph->status = plait__store_create(allocator, &graph->store,
					    &graph->error);
	if (graph->status == PLAIT_OK)
		graph->status = plait__parser_read(graph->store, text, bytes,
						   "g.txt", &graph->error);
	if (graph->status == PLAIT_OK)
		graph->status = plait__planner_view_init(graph->store,
							 &graph->input,
							 &graph->error);
}

static void close_graph(struct graph *graph)
{
	if (graph->store != NULL && graph->status == PLAIT_OK)
		plait__planner_view_fini(graph->store, &graph->input);
	plait__store_destroy(graph->store);
}

static void read_text(struct graph *graph, const char *text)
{
	read_with(graph, text, strlen(text), plait__alloc_default());
}

static const char *label(const struct graph *graph, uint32_t node)
{
	return graph->input.tables.strings + graph->input.nodes[node].label;
}

static bool has_edge(const struct graph *graph, const char *before,
		     const char *after)
{
	for (uint32_t i = 0; i < graph->input.edge_count; i++)
		if (strcmp(label(graph, graph->input.edges[i].before),
			   before) == 0 &&
		    strcmp(label(graph, graph->input.edges[i].after),
			   after) == 0)
			return true;
	return false;
}

static void nodes_and_edges(void)
{
	struct graph graph;

	read_text(&graph,
		  "# a graph\n"
		  "device gpu lanes=4\n"
		  "device cpu lanes=2\n"
		  "node a cost=5 kernel=mul\n"
		  "node b after=a,c device=cpu kernel=mul scratch=64\n"
		  "node c\tdevice=gpu+cpu barrier # forward\r\n"
		  "after c a\n"
		  "node b after=d\n"
		  "node d group device=gpu+cpu");
	if (!IS_INT(graph.status, PLAIT_OK))
		NOTE("%s", graph.error.text);
	IS_INT(graph.input.node_count, 4);
	IS_INT(graph.input.edge_count, 4);
	IS_INT(graph.input.device_count, 2);
	IS_INT(graph.input.devices[0].lane_limit, 4);
	OK(has_edge(&graph, "a", "b") && has_edge(&graph, "c", "b") &&
	   has_edge(&graph, "a", "c") && has_edge(&graph, "d", "b"));
	IS_INT(graph.input.nodes[0].cost, 5);
	IS_INT(graph.input.nodes[0].device, 0);
	IS_INT(graph.input.nodes[1].device, 1);
	IS_INT(graph.input.nodes[1].scratch_bytes, 64);
	OK(graph.input.nodes[0].affinity == graph.input.nodes[1].affinity &&
	   graph.input.nodes[0].affinity != 0);
	IS_INT(graph.input.nodes[2].affinity, 0);
	IS_INT(graph.input.nodes[2].device_count, 2);
	IS_INT(graph.input.nodes[2].meaning, PLAIT__MEANING_BARRIER);
	IS_INT(graph.input.nodes[3].meaning, PLAIT__MEANING_GROUP);
	close_graph(&graph);
}

static void bodies(void)
{
	struct graph graph;
	const plait__input_region *regions;

	read_text(&graph,
		  "node a\n"
		  "while loop times=10 after=a\n"
		  "  node x\n"
		  "  case pick take=1 after=x\n"
		  "    node left\n"
		  "  branch\n"
		  "    do inner times=3\n"
		  "      node deep\n"
		  "    end\n"
		  "    repeat again times=0\n"
		  "    end\n"
		  "  branch\n"
		  "  end\n"
		  "  node a after=pick\n"
		  "end\n"
		  "node z after=loop\n");
	if (!IS_INT(graph.status, PLAIT_OK))
		NOTE("%s", graph.error.text);
	IS_INT(graph.input.scope_count, 7);
	IS_INT(graph.input.region_count, 4);
	regions = graph.input.regions;
	IS_INT(regions[0].kind, PLAIT__REGION_WHILE);
	IS_INT(regions[0].times, 10);
	IS_STR(label(&graph, regions[0].node), "loop");
	IS_INT(regions[1].kind, PLAIT__REGION_CASE);
	IS_INT(regions[1].scope_count, 3);
	IS_INT(regions[1].times, 1);
	IS_INT(regions[2].kind, PLAIT__REGION_DO);
	IS_STR(label(&graph, regions[2].node), "inner");
	IS_INT(regions[3].kind, PLAIT__REGION_REPEAT);
	IS_INT(regions[3].times, 0);
	IS_INT(graph.input.scopes[regions[1].scope_first + 2].node_count, 0);
	IS_INT(graph.input.scopes[0].node_count, 3);
	IS_INT(graph.input.scopes[1].node_count, 3);
	OK(has_edge(&graph, "pick", "a") && has_edge(&graph, "loop", "z"));
	close_graph(&graph);
}

static void check_refused(const char *text, const char *part)
{
	struct graph graph;

	read_text(&graph, text);
	IS_INT(graph.status, PLAIT_E_INVALID);
	HAS_STR(graph.error.text, part);
	close_graph(&graph);
}

static void refuses(void)
{
	check_refused("nod a", "g.txt:1: expected device, temporary, resource, node, after, while");
	check_refused("node", "g.txt:1: expected a name");
	check_refused("node a=b", "expected a name without '='");
	check_refused("\n\nnode a after=b", "g.txt:3: no node \"b\"");
	check_refused("node a after=a", "\"a\" comes after itself");
	check_refused("node a after=,", "expected a node's name");
	check_refused("node a cost=-1", "expected a number from 0 to");
	check_refused("node a cost=99999999999999999999",
		      "found \"99999999999999999999\"");
	check_refused("node a size=1", "expected cost=, scratch=, device=");
	check_refused("node a device=gpu", "no device \"gpu\"; write \"device gpu ");
	check_refused("device d lanes=1\nnode a device=d+d",
		      "g.txt:2: expected different devices");
	check_refused("device d lanes=1\ndevice d lanes=1",
		      "g.txt:2: device \"d\" is already defined");
	check_refused("device d", "expected lanes=N, the most lanes of this "
		      "device (0: what --lanes says), found the end");
	check_refused("node a\nnode a cost=2", "is defined in line 1");
	check_refused("node a\nwhile a times=1\nend", "already defined");
	check_refused("while w\nend", "expected times=N");
	check_refused("repeat w\nend", "expected times=N");
	check_refused("repeat w times=1\nbranch\nend", "outside of a case");
	check_refused("while w times=1\nnode a", "g.txt:1: no \"end\"");
	check_refused("end", "\"end\" without");
	check_refused("branch", "outside of a case");
	check_refused("while w times=1\nbranch\nend", "outside of a case");
	check_refused("node a\ncase c take=2\nbranch\nend",
		      "g.txt:2: expected take=K, K from 0 to 1: there are 2 "
		      "branches up to \"end\" in line 4; found take=2");
	check_refused("case c take=1\nnode a\nend",
		      "g.txt:1: expected take=K, K from 0 to 0: there is 1 "
		      "branch up to \"end\" in line 3; found take=1");
	/* A missing end is reported as such, not as the number of branches. */
	check_refused("case c take=9\nnode a", "g.txt:1: no \"end\" for");
	check_refused("case c take=0\nnode a\nend x",
		      "expected the end of the line");
	check_refused("node a\ncase c take=0\n# nothing\nend",
		      "case \"c\" of line 2 has no branches");
	check_refused("node a\nwhile w times=1\nnode b after=a\nend",
		      "g.txt:3: no node \"a\" in this body");
	check_refused("device cpu lanes=1\ndevice gpu lanes=1\nnode a device=gup",
		      "no device \"gup\", perhaps \"gpu\"; write ");
	check_refused("node load\nnode b after=laod",
		      "no node \"laod\" in this body, perhaps \"load\"");
	check_refused("node b after=laod\nwhile w times=2\nnode load\nend",
		      "no node \"laod\" in this body");
	check_refused("after a b", "no node \"b\" in this body");
	check_refused("node b\nafter a b", "no node \"a\" in this body");
	check_refused("node \x01\x02 after=\x01\x03", "no node");
}

static void refuses_lists_and_repeats(void)
{
	check_refused("node a after=,b", "node's name, found \",b\"");
	check_refused("node a after=b,,c", "node's name, found \",c\"");
	check_refused("node a after=b, c", "node's name, found \",\"");
	check_refused("node a after= b", "node's name right after \"=\", found a space");
	check_refused("node a after=", "found the end of the line");
	check_refused("device d lanes=1\nnode a device=d+",
		      "device's name, found the end");
	check_refused("node a cost=1 cost=1",
		      "expected one \"cost=\", found another");
	check_refused("node a scratch=1 cost=1 scratch=2", "\"scratch=\"");
	check_refused("node a kernel=k kernel=k", "\"kernel=\"");
	check_refused("while w times=1 times=2\nend", "\"times=\"");
	check_refused("device d lanes=1\nnode a device=d device=d",
		      "\"device=\"");
	check_refused("node a barrier group", "expected one of first, "
		      "barrier and group, found \"group\" as well");
	check_refused("while w take=1\nend", "expected times=, cost=, ");
	check_refused("case c times=1\nend", "expected take=, cost=, ");
	check_refused("while w times=1 kernel=k\nend", "expected times=");
	check_refused("do w times=1 scratch=1\nend", "expected times=");
	check_refused("do w times=1 group\nend", "expected times=");
	check_refused("after=a", "g.txt:1: expected a node of this body");
	check_refused("node a\nwhile w times=1\nafter=a\nend",
		      "g.txt:3: expected a node of this body above");
	check_refused("node a\nnode b\nafter=a c",
		      "expected the end of the line, found \"c\"");
	check_refused("node a\nafter=a", "\"a\" comes after itself");
}

/* Lines that add to the node above them. */
static void more_edges(void)
{
	struct graph graph;

	read_text(&graph,
		  "\xef\xbb\xbfnode a\nnode b\nnode c\nnode z after=a\n"
		  "after=b\nafter=b,c # twice\n"
		  "while w times=2\n  node x\n  node y\n  after=x\nend\n"
		  "after=z\n"
		  "node a after=q\nafter=r\nnode q\nnode r\n");
	if (!IS_INT(graph.status, PLAIT_OK))
		NOTE("%s", graph.error.text);
	OK(has_edge(&graph, "a", "z") && has_edge(&graph, "b", "z") &&
	   has_edge(&graph, "c", "z") && has_edge(&graph, "x", "y") &&
	   has_edge(&graph, "z", "w") && has_edge(&graph, "q", "a") &&
	   has_edge(&graph, "r", "a"));
	IS_INT(graph.input.edge_count, 8);
	close_graph(&graph);
}

/* A device may be declared below its use, even inside of a body. */
static void devices_below(void)
{
	struct graph graph;

	read_text(&graph, "node a device=h+g group\nwhile w times=2\n"
		  "node b\ndevice g lanes=3\nend\nnode c device=h\n"
		  "device h lanes=1");
	if (!IS_INT(graph.status, PLAIT_OK))
		NOTE("%s", graph.error.text);
	IS_INT(graph.input.device_count, 2);
	IS_INT(graph.input.devices[0].lane_limit, 3);
	IS_INT(graph.input.device_sets[graph.input.nodes[0].device], 1);
	IS_INT(graph.input.nodes[1].device, 0);
	IS_INT(graph.input.nodes[2].device, 1);
	close_graph(&graph);
	check_refused("node a\ndevice g lanes=1\nnode b device=g\n"
		      "device g lanes=2",
		      "g.txt:4: device \"g\" is already defined");
	check_refused("node a device=g\nnode b\ndevice g lanes=x",
		      "g.txt:3: expected ");
	check_refused("node a\ndevice g lanes=2 x", "g.txt:2: expected the "
		      "end of the line");
}

/* Nodes that name no device are on the first one, wherever its line is. */
static void the_first_device(void)
{
	struct graph graph;

	read_text(&graph, "node a\ndevice gpu lanes=3\nnode b device=gpu\n"
		  "device host lanes=1\nnode c device=host\nnode d\n");
	if (!IS_INT(graph.status, PLAIT_OK))
		NOTE("%s", graph.error.text);
	IS_INT(graph.input.device_count, 2);
	IS_INT(graph.input.devices[0].lane_limit, 3);
	IS_STR(graph.input.tables.strings + graph.input.devices[0].name,
	       "gpu");
	IS_INT(graph.input.nodes[0].device, 0);
	IS_INT(graph.input.nodes[1].device, 0);
	IS_INT(graph.input.nodes[2].device, 1);
	IS_INT(graph.input.nodes[3].device, 0);
	close_graph(&graph);
	/* Without any there is one, which has a name, too. */
	read_text(&graph, "node a device=host\nnode b\n");
	IS_INT(graph.status, PLAIT_OK);
	IS_INT(graph.input.device_count, 1);
	close_graph(&graph);
	check_refused("node a\nnode b device=host\ndevice g lanes=1",
		      "g.txt:2: no device \"host\"; write \"device host "
		      "lanes=N\"");
	check_refused("device host lanes=1\nnode a\ndevice host lanes=2",
		      "already defined");
}

static const char *const sample =
	"device g lanes=2\ndevice h lanes=1\nnode a kernel=k\n"
	"while w times=2 after=a\nnode b\ncase c take=0 after=b\nnode d\n"
	"branch\nnode e\nend\nend\nnode z after=w,a device=g+h barrier\n"
	"after z=a\n";

struct fault {
	unsigned fail_at;
	unsigned calls;
	int64_t live;
};

static void *failing_resize(void *user_data, void *pointer, uint64_t old_bytes,
			    uint64_t new_bytes)
{
	struct fault *fault = user_data;
	void *block;

	if (new_bytes != 0 && ++fault->calls == fault->fail_at)
		return NULL;
	block = plait__alloc_default()->resize(NULL, pointer, old_bytes,
					       new_bytes);
	fault->live += (int64_t)new_bytes - (int64_t)old_bytes;
	return block;
}

static void every_allocation_can_fail(void)
{
	unsigned k = 0;
	bool passed = false;

	while (!passed && ++k < 300) {
		struct fault fault = { .fail_at = k };
		plait_allocator allocator = { sizeof(allocator), 0,
					      failing_resize, &fault };
		struct graph graph;

		read_with(&graph, sample, strlen(sample), &allocator);
		passed = graph.status == PLAIT_OK;
		if (!passed)
			IS_INT(graph.status, PLAIT_E_NOMEM);
		close_graph(&graph);
		IS_INT(fault.live, 0);
	}
	OK_THAT(k > 20 && k < 300, "failed %u times, then passed", k - 1);
}

static void random_damage(void)
{
	uint64_t seed = tap_seed();
	size_t length = strlen(sample);
	char *text = malloc(length + 1);
	unsigned accepted = 0, round;

	for (round = 0; round < 20000; round++) {
		struct graph graph;
		size_t kept = length;

		memcpy(text, sample, length);
		for (int i = 0; i < 3; i++) {
			seed = seed * 6364136223846793005u + 1442695040888963407u;
			text[(seed >> 33) % length] =
				sample[(seed >> 13) % length];
		}
		if ((seed & 15) == 0)
			kept = (seed >> 40) % length;
		read_with(&graph, text, kept, plait__alloc_default());
		if (graph.status == PLAIT_OK)
			accepted++;
		else if (graph.status != PLAIT_E_INVALID ||
			 strncmp(graph.error.text, "g.txt:", 6) != 0)
			OK_THAT(false, "status %d, \"%s\"", graph.status,
				graph.error.text);
		close_graph(&graph);
	}
	OK_THAT(accepted > 10 && accepted < round, "%u of %u accepted",
		accepted, round);
	free(text);
}

/* Temporaries: slots, and accesses in the order of the lists. */
static void temporaries(void)
{
	const struct plait__plan_access *access;
	const plait__plan_slot *slots;
	struct graph graph;

	read_text(&graph,
		  "node a writes=one\n"
		  "temporary one bytes=4096\n"
		  "while l times=2 after=a\n"
		  "  node b reads=one,two writes=two\n"
		  "end\n"
		  "temporary two device=gpu bytes=0\n"
		  "device cpu lanes=1\n"
		  "device gpu lanes=1\n");
	if (!IS_INT(graph.status, PLAIT_OK))
		NOTE("%s", graph.error.text);
	if (!IS_INT(graph.input.tables.slots_count, 2))
		return;
	slots = graph.input.tables.slots;
	IS_INT(slots[0].kind, PLAIT__SLOT_ARENA);
	IS_INT(slots[0].device, 0);
	IS_UINT(slots[0].bytes, 4096);
	IS_STR(graph.input.tables.strings + slots[1].name, "two");
	IS_INT(slots[1].device, 1);
	IS_UINT(slots[1].bytes, 0);
	IS_INT(graph.input.tables.accesses_count, 4);
	IS_INT(graph.input.nodes[0].access_count, 1);
	IS_INT(graph.input.nodes[2].access_first, 1);
	IS_INT(graph.input.nodes[2].access_count, 3);
	access = &graph.input.tables.accesses[1];
	OK(access[0].object == 0 && access[0].mode == PLAIT__ACCESS_READ);
	OK(access[1].object == 1 && access[1].mode == PLAIT__ACCESS_READ);
	OK(access[2].object == 1 && access[2].mode == PLAIT__ACCESS_WRITE);
	close_graph(&graph);
}

static void refuses_temporaries(void)
{
	check_refused("temporary\n", "g.txt:1: expected a temporary's name");
	check_refused("temporary a\n", "g.txt:1: expected bytes=N");
	check_refused("temporary a bytes=x\n", "expected a number");
	check_refused("temporary a bytes=9223372036854775808\n",
		      "expected a number");
	check_refused("temporary a bytes=1 bytes=2\n",
		      "expected one \"bytes=\", found another");
	check_refused("temporary a bytes=1 lanes=2\n",
		      "expected bytes= or device=, found \"lanes=2\"");
	check_refused("temporary a bytes=1 device=gpu\n",
		      "no device \"gpu\"");
	check_refused("temporary a bytes=1\ntemporary a bytes=1\n",
		      "g.txt:2: temporary \"a\" is already defined in line 1");
	check_refused("temporary abcd bytes=1\nnode x reads=abce\n",
		      "g.txt:2: no temporary \"abce\"");
	check_refused("temporary a bytes=1\nnode x after=a\n",
		      "no node \"a\" in this body");
	check_refused("temporary a bytes=1\nnode x\nnode x reads=a\n",
		      "only after= can be added");
	check_refused("temporary a bytes=1\nwhile x times=1 reads=a\nend\n",
		      "expected times=, cost=, device=, needs=, priority= or after=");
	check_refused("temporary a bytes=1\nnode x reads a\n",
		      "\"=\" and a value");
}

static const struct tap_scenario scenarios[] = {
	{ "temporaries", temporaries },
	{ "refuses temporaries", refuses_temporaries },
	{ "nodes and edges", nodes_and_edges },
	{ "bodies", bodies },
	{ "refuses", refuses },
	{ "refuses lists and repeats", refuses_lists_and_repeats },
	{ "more edges", more_edges },
	{ "devices below", devices_below },
	{ "the first device", the_first_device },
	{ "every allocation can fail", every_allocation_can_fail },
	{ "random damage", random_damage },
};
TAP_MAIN(scenarios)
