/* SPDX-License-Identifier: MIT */
/* Times of schedules against closed forms, and laws that hold for all. */
#include "coll/chunk/known.h"
#include "coll/coll_compile.h"
#include "coll/price/price.h"
#include "coll/prove/prove.h"
#include "coll/text/chunk_text.h"
#include "base/alloc.h"
#include "lib/tap.h"

#include <string.h>

/* Latencies in ns, rates in MB/s, so that 1 byte at 1 MB/s takes 1 us. */
static const plait__cluster plain = {
	.nodes = 1, .ranks = 64, .start_ns = 5000, .step_ns = 100,
	.lane_rate = 20000, .lanes = 10000, .memory_rate = 1000000, .link_rate = 1000000,
	.network_rate = 1000000, .ports = 1,
	.protocols = { { 3400, 14000, 1, 1 }, { 600, 2700, 2, 1 },
		       { 1900, 4000, 16, 15 } },
};

/* ---- schedules ---- */

static plait__schedule *finish(plait__chunk_program *program,
			       const plait__compile_request *how,
			       plait_error *error)
{
	plait__schedule *schedule = NULL;

	if (plait__compile_program(plait__alloc_default(), program, how,
				   &schedule, error) != PLAIT_OK)
		schedule = NULL;
	plait__chunk_program_free(program);
	OK_THAT(schedule != NULL, "compiles: %s", error->text);
	return schedule;
}

static plait__schedule *known(const char *name, uint32_t kind, uint32_t ranks,
			      const plait__compile_request *how)
{
	const plait__chunk_request request = { .kind = kind, .flags = 1,
					       .rank_count = ranks };
	plait_error error = { .size = sizeof(error) };
	plait__chunk_program *program;

	if (plait__known_make(plait__alloc_default(), name, &request, &program,
			      &error) != PLAIT_OK)
		return NULL;
	return finish(program, how, &error);
}

static plait__schedule *read(const char *text,
			     const plait__compile_request *how)
{
	const plait__chunk_text_options options = { .ranks = 0 };
	plait_error error = { .size = sizeof(error) };
	plait__chunk_program *program;

	if (!OK_THAT(plait__chunk_text_read(plait__alloc_default(), text,
					    strlen(text), "text", &options,
					    &program, &error) == PLAIT_OK,
		     "%s", error.text))
		return NULL;
	return finish(program, how, &error);
}

static uint64_t time_of(const plait__schedule *schedule,
			const plait__cluster *cluster, uint64_t bytes)
{
	plait_error error = { .size = sizeof(error) };
	plait__price price;
	uint64_t time = 0;

	if (OK_THAT(plait__price_schedule(schedule, cluster, bytes,
					  plait__alloc_default(), &price,
					  &error) == PLAIT_OK,
		    "%s", error.text))
		time = price.time_ns;
	plait__price_fini(&price);
	return time;
}

static plait_status refusal(const plait__schedule *schedule,
			    const plait__cluster *cluster, uint64_t bytes,
			    plait_error *error)
{
	plait__price price;
	plait_status status = plait__price_schedule(
		schedule, cluster, bytes, plait__alloc_default(), &price,
		error);

	plait__price_fini(&price);
	return status;
}

/* Time in ns of `bytes` at a rate that divides them, beside the step's own. */
static uint64_t pass(uint64_t bytes, uint64_t rate)
{
	return plain.step_ns + bytes * 1000 / rate;
}

/* ---- closed forms ---- */

/* 2 (n - 1) messages one after another, and the store of the last one. */
static void rings(void)
{
	for (uint32_t protocol = 1; protocol <= 2; protocol++)
		for (uint32_t n = 2; n < 12; n++) {
			const plait__compile_request how = { .protocol =
								     protocol };
			plait__schedule *ring = known(
				"ring", PLAIT__COLL_ALLREDUCE, n, &how);
			uint64_t each = pass(protocol * 8000, 20000);
			uint64_t hops = 2 * (n - 1);

			IS_UINT(time_of(ring, &plain, n * 8000),
				5000 + (hops + 1) * each +
				hops * plain.protocols[protocol - 1].link_ns);
			plait__schedule_free(ring);
		}
}

/* Each rank receives n - 1 chunks at once and adds one after another; then as
 * many copies leave at once, of two ranks with the addition. */
static void all_pairs(void)
{
	for (uint32_t n = 2; n < 12; n++) {
		const plait__compile_request how = { .protocol = 1 };
		plait__schedule *pairs = known(
			"allpairs", PLAIT__COLL_ALLREDUCE, n, &how);

		IS_UINT(time_of(pairs, &plain, n * 8000),
			5000 + (n + (n > 2) + 1) * pass(8000, 20000) +
			2 * 3400);
		plait__schedule_free(pairs);
	}
}

/* Each rank sends all that it has to all others. */
static void one_step(void)
{
	for (uint32_t n = 2; n < 12; n++) {
		const plait__compile_request how = { .protocol = 1 };
		plait__schedule *step = known(
			"onestep", PLAIT__COLL_ALLREDUCE, n, &how);

		IS_UINT(time_of(step, &plain, 8000),
			5000 + (n + 1) * pass(8000, 20000) + 3400);
		plait__schedule_free(step);
	}
}

/* Transfers share the link out of the root equally. */
static void shares_links(void)
{
	plait__cluster narrow = plain;

	narrow.link_rate = 12000;
	for (uint32_t n = 3; n < 6; n++) {
		plait__schedule *direct = known(
			"direct", PLAIT__COLL_BROADCAST, n,
			&(plait__compile_request){ .protocol = 1 });

		IS_UINT(time_of(direct, &narrow, 60000),
			5000 + pass((n - 1) * 60000, 12000) + 3400 +
			pass(60000, 20000));
		plait__schedule_free(direct);
	}
}

/* A chain over two nodes of two ranks: one message over the network. */
static void tells_nodes_apart(void)
{
	static const char chain[] = "broadcast ranks=4\n"
		"c = copy(input[0, 0], output[1, 0])\n"
		"c = copy(c, 2)\nc = copy(c, 3)\n"
		"copy(input[0, 0], output[0, 0])\n";
	plait__schedule *schedule = read(chain,
		&(plait__compile_request){ .protocol = 1 });
	plait__cluster nodes = plain;

	nodes.nodes = nodes.ranks = 2;
	nodes.network_rate = 10000;
	IS_UINT(time_of(schedule, &nodes, 8000),
		5000 + 3 * pass(8000, 20000) + pass(8000, 10000) + 2 * 3400 +
		14000);
	plait__schedule_free(schedule);
}

/* Two ranks of a node share one port, or have one each. */
static void shares_ports(void)
{
	static const char cross[] = "custom ranks=4 inputs=1 outputs=1\n"
		"for r in 0..2 {\ncopy(input[r, 0], output[r + 2, 0])\n"
		"promise output[r + 2, 0] = input[r, 0]\n}\n";
	plait__schedule *schedule = read(cross,
		&(plait__compile_request){ .protocol = 1 });
	plait__cluster nodes = plain;

	nodes.nodes = nodes.ranks = 2;
	nodes.network_rate = 20000;
	IS_UINT(time_of(schedule, &nodes, 8000),
		5000 + pass(16000, 20000) + 14000 + pass(8000, 20000));
	nodes.ports = 2;
	IS_UINT(time_of(schedule, &nodes, 8000),
		5000 + 2 * pass(8000, 20000) + 14000);
	plait__schedule_free(schedule);
}

/* A port takes messages one after another; the links of a node do not. */
static void occupies_ports(void)
{
	static const char cross[] = "custom ranks=4 inputs=1 outputs=1\n"
		"for r in 0..2 {\ncopy(input[r, 0], output[r + 2, 0])\n"
		"promise output[r + 2, 0] = input[r, 0]\n}\n";
	plait__schedule *schedule = read(cross,
		&(plait__compile_request){ .protocol = 1 });
	plait__cluster nodes = plain;

	nodes.nodes = nodes.ranks = 2;
	nodes.network_rate = 20000;
	nodes.message_ns = 1000;
	IS_UINT(time_of(schedule, &nodes, 8000),
		5000 + 2 * 1000 + 2 * pass(8000, 20000) + 14000);
	nodes.ports = 2;
	IS_UINT(time_of(schedule, &nodes, 8000),
		5000 + 1000 + 2 * pass(8000, 20000) + 14000);
	nodes.nodes = 1;
	nodes.ranks = 4;
	IS_UINT(time_of(schedule, &nodes, 8000),
		5000 + 2 * pass(8000, 20000) + 3400);
	plait__schedule_free(schedule);
}

/* Tiles follow one another; most of them are not executed. */
static void pipelines_tiles(void)
{
	static const char one[] = "broadcast ranks=2\n"
		"copy(input[0, 0], output[1, 0])\n"
		"copy(input[0, 0], output[0, 0], lanes=7, 7)\n";
	plait__schedule *schedule = read(one, &(plait__compile_request){
		.protocol = 1, .slot_bytes = 8000, .depth = 16 });
	plait__cluster quick = plain;

	quick.protocols[0].link_ns = 300;
	for (uint64_t tiles = 1; tiles < 2000; tiles += tiles / 2 + 1)
		IS_UINT(time_of(schedule, &quick, tiles * 8000),
			5000 + (tiles + 1) * pass(8000, 20000) + 300);
	plait__schedule_free(schedule);
}

/* With one slot the next send waits for the receipt. */
static void waits_for_slots(void)
{
	static const char one[] = "broadcast ranks=2\n"
		"copy(input[0, 0], output[1, 0])\n"
		"copy(input[0, 0], output[0, 0], lanes=7, 7)\n";
	plait__schedule *schedule = read(one, &(plait__compile_request){
		.protocol = 1, .slot_bytes = 8000, .depth = 1 });

	for (uint64_t tiles = 1; tiles < 2000; tiles += tiles / 2 + 1)
		IS_UINT(time_of(schedule, &plain, tiles * 8000),
			5000 + tiles * (2 * pass(8000, 20000) + 3400));
	plait__schedule_free(schedule);
}

/* ---- executors ---- */

/* An executor splits steps; the largest safe size is that of the proof. */
static void ends_up_to_the_safe_size(void)
{
	static const char doubling[] = "allgather ranks=8 in_place\n"
		"for step in 0..3 {\nd = 1 << step\nfor r in 0..ranks {\n"
		"if r & d == 0 {\n"
		"copy(output[r, r / d * d : d], r + d)\n"
		"copy(output[r + d, r / d * d + d : d], r)\n}\n}\n}\n";
	plait__schedule *schedule = read(doubling,
		&(plait__compile_request){ .target = PLAIT__TARGET_EXECUTOR,
					   .protocol = 1, .lanes = 1 });
	plait_error error = { .size = sizeof(error) };
	plait__proof proof;

	IS_INT(plait__prove_schedule(schedule, NULL, &proof, &error), PLAIT_OK);
	OK(proof.safe_bytes != UINT64_MAX);
	IS_INT(refusal(schedule, &plain, proof.safe_bytes, &error), PLAIT_OK);
	IS_INT(refusal(schedule, &plain, proof.safe_bytes + 1, &error),
	       PLAIT_E_DEADLOCK);
	HAS_STR(error.text, "never begins at this size");
	plait__schedule_free(schedule);
}

static void refuses_what_does_not_fit(void)
{
	plait__schedule *ring = known("ring", PLAIT__COLL_ALLREDUCE, 4,
				      &(plait__compile_request){ .flags = 0 });
	plait_error error = { .size = sizeof(error) };
	plait__cluster small = plain;

	small.ranks = 2;
	IS_INT(refusal(ring, &small, 1, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "has 4 ranks, the cluster 2");
	IS_INT(refusal(ring, &plain, 0, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "0 bytes: expected 1 to 1099511627776");
	IS_INT(refusal(ring, &plain, PLAIT__PRICE_MAX_BYTES + 1, &error),
	       PLAIT_E_INVALID);
	IS_INT(refusal(ring, &plain, PLAIT__PRICE_MAX_BYTES, &error), PLAIT_OK);
	small.ranks = 4;
	small.lanes = 0;
	IS_INT(refusal(ring, &small, 1, &error), PLAIT_E_INVALID);
	HAS_STR(error.text, "rank 0 has 1 lanes, of which the cluster "
		"executes 0");
	small.lanes = 1;
	small.lane_rate = 1;
	ring->slot_bytes = UINT64_MAX;
	IS_INT(refusal(ring, &small, PLAIT__PRICE_MAX_BYTES, &error),
	       PLAIT_OK);
	small.protocols[0].wire = 1024;
	IS_INT(refusal(ring, &small, PLAIT__PRICE_MAX_BYTES, &error),
	       PLAIT_E_INVALID);
	HAS_STR(error.text, "takes longer than 200 days");
	plait__schedule_free(ring);
}

/* ---- laws ---- */

static uint64_t draw(uint64_t *state, uint64_t least, uint64_t most)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return least + *state % (most - least + 1);
}

static bool is_chain(const plait__price *price)
{
	const plait__price_unit *units = price->units.items;

	for (uint32_t i = 0; i < price->units.count; i++) {
		uint32_t cause = units[i].cause;

		if (units[i].end < units[i].begin ||
		    (cause != PLAIT__PRICE_NONE &&
		     (cause >= i || units[cause].end > units[i].begin)))
			return false;
	}
	return true;
}

/* Returns true if no lane executes two units at a time, and each unit once. */
static bool is_serial(const plait__schedule *schedule,
		      const plait__price *price)
{
	const plait__price_unit *units = price->units.items;
	uint64_t ended[4096] = { 0 };

	for (uint32_t i = 0; i < price->units.count; i++) {
		if (units[i].begin < ended[units[i].lane % 4096])
			return false;
		ended[units[i].lane % 4096] = units[i].end;
	}
	return price->units.count ==
	       schedule->step_count * price->executed_tiles;
}

/* Bytes that the busiest rank sends to its node, as a lower bound in ns. */
static uint64_t bound_of(const plait__schedule *schedule,
			 const plait__price *price, uint64_t rate)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < schedule->rank_count; i++) {
		const plait__coll_rank *rank = &schedule->ranks[i];
		uint64_t chunks = 0;

		for (uint32_t j = 0; j < rank->lane_count; j++) {
			const plait__coll_lane *lane =
				&schedule->lanes[rank->first_lane + j];

			for (uint64_t k = 0; k < lane->step_count; k++) {
				const plait__coll_step *step =
					&schedule->steps[lane->first_step + k];

				if (plait__step_sends(step->kind))
					chunks += step->count;
			}
		}
		if (chunks > most)
			most = chunks;
	}
	return most * price->tile_bytes * price->tiles * 1000 / rate;
}

static void check_laws(const plait__schedule *schedule, const char *name,
		       const plait__cluster *cluster, uint64_t bytes)
{
	plait_error error = { .size = sizeof(error) };
	plait__price price;

	if (OK_THAT(plait__price_schedule(schedule, cluster, bytes,
					  plait__alloc_default(), &price,
					  &error) == PLAIT_OK, "%s: %s", name,
		    error.text)) {
		uint64_t sum = cluster->start_ns + price.critical_ns +
			       price.latency_ns;

		OK_THAT(is_chain(&price), "%s: causes come before", name);
		OK_THAT(is_serial(schedule, &price), "%s: lanes are serial",
			name);
		if (price.tiles == price.executed_tiles) {
			OK_THAT(sum >= price.time_ns &&
				sum <= price.time_ns + 1, "%s: the path is "
				"the time: %llu %llu", name,
				(unsigned long long)sum,
				(unsigned long long)price.time_ns);
			OK_THAT(price.time_ns >=
				bound_of(schedule, &price, cluster->link_rate),
				"%s: no port is faster than its rate", name);
		}
	}
	plait__price_fini(&price);
}

static void keeps_laws(void)
{
	uint64_t state = tap_seed() * 2 + 1;

	for (uint32_t i = 0; i < 400; i++) {
		const plait__compile_request how = {
			.protocol = (uint32_t)draw(&state, 1, 3),
			.instances = (uint32_t)draw(&state, 1, 3),
			.depth = (uint32_t)draw(&state, 0, 4),
			.flags = (uint32_t)draw(&state, 0, 1),
		};
		uint32_t kind = (uint32_t)draw(&state, 1, 8);
		uint32_t number = (uint32_t)draw(&state, 0, 7);
		plait__cluster cluster = plain;
		plait__schedule *schedule;

		if (!plait__known_has(number, kind))
			continue;
		schedule = known(plait__known_name(number), kind,
				 (uint32_t)draw(&state, 1, 3) * 4, &how);
		if (schedule == NULL)
			continue;
		cluster.link_rate = (uint32_t)draw(&state, 1, 50000);
		cluster.memory_rate = (uint32_t)draw(&state, 1, 50000);
		cluster.step_ns = (uint32_t)draw(&state, 0, 2000);
		for (uint64_t bytes = draw(&state, 1, 9000); bytes < 1 << 24;
		     bytes *= draw(&state, 2, 99))
			check_laws(schedule, plait__known_name(number),
				   &cluster, bytes);
		plait__schedule_free(schedule);
	}
}

static const struct tap_scenario all[] = {
	{ "rings", rings },
	{ "all pairs", all_pairs },
	{ "one step", one_step },
	{ "shares links", shares_links },
	{ "tells nodes apart", tells_nodes_apart },
	{ "shares ports", shares_ports },
	{ "occupies ports", occupies_ports },
	{ "pipelines tiles", pipelines_tiles },
	{ "waits for slots", waits_for_slots },
	{ "ends up to the safe size", ends_up_to_the_safe_size },
	{ "refuses what does not fit", refuses_what_does_not_fit },
	{ "keeps laws", keeps_laws },
};
TAP_MAIN(all)
