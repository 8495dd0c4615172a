/* SPDX-License-Identifier: MIT */
/*
 * The choices of GrCUDA's scheduler on the programs of its tests: devices, lanes
 * and their number.  The dependencies are those of GrCUDA, made here: edges to
 * the ops in front, in their order.
 *
 * A program is a text: "1r2" reads array 1 and writes array 2; '!3' is an access
 * of the host to array 3.  Cases have the numbers of known_cases.md.
 */
#include "lib/tap.h"

#include "base/alloc.h"
#include "flow/policy/parent_policy.h"

#include <string.h>

enum { OPS = 64, ARRAYS = 16, LANES = 64, DEVICES = 16 };

/* Sets of arrays are bits. */
struct op {
	uint32_t reads, writes;
	uint32_t front;			/* arrays that a child may depend on */
	uint32_t lane, device;
	uint32_t parents[OPS], parent_count;
	bool inherited, done;
};

static struct world {
	struct op ops[OPS];
	uint32_t op_count;
	plait__policy_lane lanes[LANES];
	uint32_t lane_count;
	uint64_t bytes[ARRAYS], valid[ARRAYS];
	plait__links links;
	uint32_t next;
	/* How. */
	bool with_const;
	uint32_t devices;
	uint32_t choose, parent, lane;
} w;

static void begin(uint32_t devices, uint32_t choose, uint32_t parent,
		  uint32_t lane)
{
	memset(&w, 0, sizeof(w));
	w.devices = devices;
	w.choose = choose;
	w.parent = parent;
	w.lane = lane;
	for (int i = 0; i < ARRAYS; i++) {
		w.bytes[i] = 10;
		w.valid[i] = (uint64_t)1 << devices;
	}
	OK(plait__links_init(&w.links, plait__alloc_default(), devices + 1,
			     devices) == PLAIT_OK);
}

static void end(void)
{
	plait__links_fini(&w.links);
}

/* ---- dependencies ---- */

static void add_parent(struct op *op, uint32_t parent)
{
	if (op->parent_count == 0 ||
	    op->parents[op->parent_count - 1] != parent)
		op->parents[op->parent_count++] = parent;
}

/* Returns true if `op` comes behind `parent`. */
static bool is_behind(const struct op *op, uint32_t parent)
{
	for (uint32_t i = 0; i < op->parent_count; i++)
		if (op->parents[i] == parent ||
		    is_behind(&w.ops[op->parents[i]], parent))
			return true;
	return false;
}

/* Drop a parent that another parent comes behind. */
static void drop_implied(struct op *op)
{
	uint32_t kept = 0;
	bool implied[OPS] = { false };

	for (uint32_t i = 0; i < op->parent_count; i++)
		for (uint32_t k = 0; k < op->parent_count; k++)
			implied[i] |= is_behind(&w.ops[op->parents[k]],
						op->parents[i]);
	for (uint32_t i = 0; i < op->parent_count; i++)
		if (!implied[i])
			op->parents[kept++] = op->parents[i];
	op->parent_count = kept;
}

static void find_parents(struct op *op)
{
	for (uint32_t p = 0; p < w.op_count; p++) {
		struct op *parent = &w.ops[p];
		uint32_t shared = parent->front & (op->reads | op->writes);
		uint32_t covered = shared;

		if (parent->done)
			continue;
		if (w.with_const) {
			shared &= op->writes | parent->writes;
			covered = shared & op->writes;
		}
		if (shared != 0)
			add_parent(op, p);
		parent->front &= ~covered;
	}
	if (w.with_const)
		drop_implied(op);
	op->front = op->reads | op->writes;
}

static uint32_t front_count(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < w.op_count; i++)
		count += w.ops[i].front != 0 && !w.ops[i].done;
	return count;
}

/* ---- ends ---- */

static void finish(uint32_t op)
{
	w.ops[op].done = true;
	for (uint32_t i = 0; i < w.ops[op].parent_count; i++)
		finish(w.ops[op].parents[i]);
}

static uint32_t active_on(uint32_t lane)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < w.op_count; i++)
		count += w.ops[i].lane == lane && !w.ops[i].done;
	return count;
}

static void host_access(uint32_t array)
{
	struct op access = { .writes = 1u << array };

	find_parents(&access);
	for (uint32_t i = 0; i < access.parent_count; i++)
		finish(access.parents[i]);
	for (uint32_t i = 0; i < w.lane_count; i++)
		w.lanes[i].busy = active_on(i) > 0;
	w.valid[array] = (uint64_t)1 << w.devices;
}

/* ---- choices ---- */

static void choose(struct op *op)
{
	plait__policy_device devices[DEVICES] = { { 0 } };
	plait__policy_piece pieces[ARRAYS];
	plait__policy_parent parents[OPS];
	plait__device_figures figures[DEVICES];
	plait__device_request device = {
		.policy = w.choose, .next = &w.next, .links = &w.links,
		.candidates = ((uint64_t)1 << w.devices) - 1,
		.devices = devices, .device_count = w.devices,
		.pieces = pieces,
	};
	const plait__lane_request lane = { .policy = w.lane, .lanes = w.lanes,
					   .lane_count = w.lane_count };
	const plait__parent_request request = {
		.policy = w.parent, .parents = parents,
		.parent_count = op->parent_count, .device = &device,
		.lane = &lane,
	};
	plait__parent_choice choice;

	for (uint32_t d = 0; d < w.devices; d++)
		devices[d].memory = d;
	for (uint32_t i = 0; i < w.lane_count; i++)
		devices[w.lanes[i].device].busy_lanes += w.lanes[i].busy;
	for (uint32_t a = 0; a < ARRAYS; a++)
		if ((op->reads | op->writes) >> a & 1)
			pieces[device.piece_count++] = (plait__policy_piece){
				.bytes = w.bytes[a], .valid = w.valid[a] };
	for (uint32_t i = 0; i < op->parent_count; i++) {
		const struct op *parent = &w.ops[op->parents[i]];

		parents[i] = (plait__policy_parent){
			parent->device, parent->lane, parent->inherited };
	}
	OK(plait__parent_policy_choose(&request, figures, &choice) ==
	   PLAIT_OK);
	if (choice.parent != PLAIT__PARENT_NONE)
		w.ops[op->parents[choice.parent]].inherited = true;
	op->device = choice.device;
	op->lane = choice.by_lane.lane;
	if (op->lane == PLAIT__LANE_NEW)
		op->lane = w.lane_count++;
	w.lanes[op->lane] = (plait__policy_lane){ op->device, true, 0 };
}

static void submit(uint32_t reads, uint32_t writes)
{
	struct op *op = &w.ops[w.op_count];

	op->reads = reads;
	op->writes = writes;
	find_parents(op);
	choose(op);
	w.op_count++;
	for (uint32_t a = 0; a < ARRAYS; a++)
		if (writes >> a & 1)
			w.valid[a] = (uint64_t)1 << op->device;
		else if (reads >> a & 1)
			w.valid[a] |= (uint64_t)1 << op->device;
}

static uint32_t read_array(const char **at)
{
	uint32_t array = 0;

	while (**at == ' ')
		(*at)++;
	for (; **at >= '0' && **at <= '9'; (*at)++)
		array = array * 10 + (uint32_t)(**at - '0');
	return array;
}

static void run(const char *at)
{
	while (*at != '\0') {
		uint32_t reads = 0, writes = 0;

		if (*at == '!') {
			at++;
			host_access(read_array(&at));
		} else {
			while (*at != ',' && *at != '\0') {
				uint32_t bit = 1u << read_array(&at);

				if (*at == 'r')
					reads |= bit, at++;
				else
					writes |= bit;
			}
			submit(reads, writes);
		}
		at += *at == ',';
		while (*at == ' ')
			at++;
	}
}

static void are_devices(const char *name, const uint32_t *want)
{
	for (uint32_t i = 0; i < w.op_count; i++)
		OK_THAT(w.ops[i].device == want[i],
			"%s: op %u: device %u, not %u", name, i,
			w.ops[i].device, want[i]);
}

static void are_lanes(const uint32_t *want)
{
	for (uint32_t i = 0; i < w.op_count; i++)
		OK_THAT(w.ops[i].lane == want[i], "op %u: lane %u, not %u", i,
			w.ops[i].lane, want[i]);
}

#define U(...) (const uint32_t[]){ __VA_ARGS__ }

/* ---- one device ---- */

static uint32_t edge_count(void)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < w.op_count; i++)
		count += w.ops[i].parent_count;
	return count;
}

static void begin_dependencies(void)
{
	begin(1, PLAIT__CHOOSE_SINGLE, PLAIT__PARENT_SAME, PLAIT__LANE_REUSE);
	w.with_const = true;
}

static void host_accesses(void)
{
	static const char program[] = "1r2, 1, 2r, 1r3, 1r4, 4";

	/* Case D3 */
	begin_dependencies();
	run(program);
	IS_UINT(edge_count(), 5);
	IS_UINT(front_count(), 6);
	run("!2");
	IS_UINT(front_count(), 4);
	run("!4");
	IS_UINT(front_count(), 1);
	run("!3");
	IS_UINT(front_count(), 0);
	end();
	/* Case D4 */
	begin_dependencies();
	run(program);
	run("1 3 4");
	IS_UINT(edge_count(), 7);
	IS_UINT(front_count(), 3);
	IS_UINT(w.ops[6].parent_count, 2);
	IS_UINT(w.ops[6].parents[0], 3);
	IS_UINT(w.ops[6].parents[1], 5);
	end();
}

/* The dependencies of this test are GrCUDA's. */
static void dependencies(void)
{
	/* Case D1 */
	begin_dependencies();
	run("1r, 1r, 1 2, 2");
	IS_UINT(edge_count(), 3);
	IS_UINT(front_count(), 2);
	end();
	/* Case D2 */
	begin_dependencies();
	run("1, 1r, 1r");
	IS_UINT(edge_count(), 2);
	IS_UINT(front_count(), 3);
	run("1");
	IS_UINT(edge_count(), 4);
	IS_UINT(front_count(), 1);
	end();
	/* Case D5 */
	begin_dependencies();
	run("1r2, 1r3");
	IS_UINT(edge_count(), 0);
	IS_UINT(front_count(), 2);
	end();
	host_accesses();
}

static void one_device_same(uint32_t lane)
{
	begin(1, PLAIT__CHOOSE_SINGLE, PLAIT__PARENT_SAME, lane);
	/* Case S1 */
	run("1, 2, 1 2 3, 3");
	are_lanes(U(0, 1, 0, 0));
	IS_UINT(active_on(0), 3);
	IS_UINT(active_on(1), 1);
	run("!3");
	IS_UINT(active_on(0) + active_on(1), 0);
	end();
	begin(1, PLAIT__CHOOSE_SINGLE, PLAIT__PARENT_SAME, lane);
	/* Case S2 */
	run("1 2, 1, 2, 1 3, 1 4, 4");
	are_lanes(U(0, 0, 0, 0, 0, 0));
	end();
	begin(1, PLAIT__CHOOSE_SINGLE, PLAIT__PARENT_SAME, lane);
	/* Case S3 */
	run("1 2, 1, 2, 1 3, 4, 4 5");
	IS_UINT(w.lane_count, 2);
	end();
	begin(1, PLAIT__CHOOSE_SINGLE, PLAIT__PARENT_SAME, lane);
	/* Case S4 */
	for (int i = 0; i < 10; i++)
		run("1, 2, !1, !2");
	IS_UINT(w.lane_count, lane == PLAIT__LANE_REUSE ? 2 : 20);
	end();
}

static void one_device_disjoint(uint32_t lane)
{
	begin(1, PLAIT__CHOOSE_SINGLE, PLAIT__PARENT_DISJOINT, lane);
	/* Case S5 */
	run("1 2, 1, 2");
	are_lanes(U(0, 0, 1));
	end();
	begin(1, PLAIT__CHOOSE_SINGLE, PLAIT__PARENT_DISJOINT, lane);
	/* Case S6 */
	run("1 2, 3 4, 1 3, 2 4");
	are_lanes(U(0, 1, 0, 1));
	end();
	begin(1, PLAIT__CHOOSE_SINGLE, PLAIT__PARENT_DISJOINT, lane);
	/* Case S7 */
	run("1 2 3, 4 5 6, 7 8 9, 1 4 7, 2 5 8, 3 6 9");
	are_lanes(U(0, 1, 2, 0, 1, 2));
	end();
	begin(1, PLAIT__CHOOSE_SINGLE, PLAIT__PARENT_DISJOINT, lane);
	/* Case S8 */
	run("1 2, 1, 2 3, 2, 3");
	are_lanes(U(0, 0, 1, 1, 2));
	run("!3");
	IS_UINT(active_on(0), 1);
	IS_UINT(active_on(1), 1);
	IS_UINT(active_on(2), 0);
	end();
}

static void one_device(void)
{
	one_device_same(PLAIT__LANE_REUSE);
	one_device_same(PLAIT__LANE_ALWAYS_NEW);
	one_device_disjoint(PLAIT__LANE_REUSE);
	one_device_disjoint(PLAIT__LANE_ALWAYS_NEW);
}

/* ---- several devices ---- */

static void run_on(uint32_t devices, uint32_t choose, uint32_t parent,
		   const char *program, const char *name, uint32_t lane_count,
		   const uint32_t *want)
{
	begin(devices, choose, parent, PLAIT__LANE_ALWAYS_NEW);
	w.with_const = true;
	w.bytes[7] = strcmp(name, "image") == 0 ? 1 : 10;
	w.bytes[8] = w.bytes[7];
	w.bytes[4] = strcmp(name, "join") == 0 ? 100 : 10;
	run(program);
	are_devices(name, want);
	OK_THAT(w.lane_count == lane_count, "%s: %u lanes, not %u", name,
		w.lane_count, lane_count);
	end();
}

/* Case G1 */
static void image(void)
{
	static const char program[] =
		"1r2, 1r3, 1r4, 2r5, 3r6, 4r7, 4r8, 4 7 8, 1r 4 9, "
		"9r 3r 6r 10, 10r 2r 5r 11, !11";
	const uint32_t *two = U(0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0);
	const uint32_t *three = U(0, 1, 2, 0, 1, 2, 0, 2, 2, 1, 0);
	const uint32_t *zero = U(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

	run_on(2, PLAIT__CHOOSE_STREAM_AWARE, PLAIT__PARENT_DISJOINT, program,
	       "image", 4, two);
	run_on(3, PLAIT__CHOOSE_STREAM_AWARE, PLAIT__PARENT_DISJOINT, program,
	       "image", 4, three);
	run_on(3, PLAIT__CHOOSE_ROUND_ROBIN, PLAIT__PARENT_DISJOINT, program,
	       "image", 4, three);
	run_on(3, PLAIT__CHOOSE_MIN_SIZE, PLAIT__PARENT_EARLY_DISJOINT,
	       program, "image", 4, zero);
	run_on(3, PLAIT__CHOOSE_MIN_SIZE, PLAIT__PARENT_DEVICE_DISJOINT,
	       program, "image", 4, zero);
}

/* Case G2 */
static void hits(void)
{
	static const char program[] =
		"1r2, 3r4, 2r5, 4r6, 2r5r3, 4r6r1, "
		"1r2, 3r4, 2r5, 4r6, 2r5r3, 4r6r1, !3, !1";
	const uint32_t *both = U(0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1);

	for (uint32_t n = 2; n < 9; n++)
		run_on(n, PLAIT__CHOOSE_STREAM_AWARE, PLAIT__PARENT_DISJOINT,
		       program, "hits", 2, both);
	run_on(4, PLAIT__CHOOSE_MIN_SIZE, PLAIT__PARENT_EARLY_DISJOINT,
	       program, "hits", 3, U(0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0));
	run_on(4, PLAIT__CHOOSE_MIN_SIZE, PLAIT__PARENT_DEVICE_DISJOINT,
	       program, "hits", 2, both);
}

/* Case G3: the last array is ten times the others. */
static void join_pipeline(void)
{
	static const char program[] = "1r, 2r, 3r, 4r, 1 2, 1 2 3, 1 2 4";

	for (uint32_t n = 4; n <= 8; n += 4) {
		run_on(n, PLAIT__CHOOSE_MIN_SIZE, PLAIT__PARENT_DISJOINT,
		       program, "join", 4, U(0, 1, 2, 3, 0, 2, 3));
		run_on(n, PLAIT__CHOOSE_MIN_SIZE, PLAIT__PARENT_EARLY_DISJOINT,
		       program, "join", 4, U(0, 1, 2, 3, 0, 0, 3));
		run_on(n, PLAIT__CHOOSE_MIN_SIZE,
		       PLAIT__PARENT_DEVICE_DISJOINT, program, "join", 4,
		       U(0, 1, 2, 3, 0, 0, 3));
	}
}

/* Case G4 */
static void fork_join(void)
{
	run_on(2, PLAIT__CHOOSE_STREAM_AWARE, PLAIT__PARENT_DISJOINT,
	       "1, 2, 1 2, 1, 2", "fork", 3, U(0, 1, 0, 0, 0));
}

/* Case G5 */
static void independent(void)
{
	for (uint32_t n = 1; n < 8; n++) {
		uint32_t want[10];

		for (uint32_t i = 0; i < 10; i++)
			want[i] = i % n;
		run_on(n, PLAIT__CHOOSE_STREAM_AWARE, PLAIT__PARENT_DISJOINT,
		       "1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "independent", 10,
		       want);
		run_on(n, PLAIT__CHOOSE_ROUND_ROBIN, PLAIT__PARENT_SAME,
		       "1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "independent", 10,
		       want);
	}
}

static const struct tap_scenario all[] = {
	{ "dependencies", dependencies },
	{ "one device", one_device },
	{ "image", image },
	{ "hits", hits },
	{ "join pipeline", join_pipeline },
	{ "fork and join", fork_join },
	{ "independent", independent },
};

TAP_MAIN(all)
