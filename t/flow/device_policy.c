/* SPDX-License-Identifier: MIT */
/*
 * Policies that choose devices: cases by hand, and random requests against the
 * definitions, written out here over all devices in wider numbers.
 */
#include "policy_random.h"

#include "base/alloc.h"
#include "flow/policy/device_policy.h"

#include <string.h>

enum { DEVICES = 6, MEMORIES = 7, PIECES = 5, PREDS = 4 };

static struct rig {
	plait__links links;
	plait__bookings bookings;
	plait__policy_device devices[DEVICES];
	plait__policy_piece pieces[PIECES];
	plait__policy_pred preds[PREDS];
	plait__device_figures figures[DEVICES];
	plait__device_request request;
	uint32_t next;
} rig;

static void begin(uint32_t policy, uint32_t devices)
{
	memset(&rig, 0, sizeof(rig));
	OK(plait__links_init(&rig.links, plait__alloc_default(), devices + 1,
			     devices) == PLAIT_OK);
	OK(plait__bookings_init(&rig.bookings, &rig.links) == PLAIT_OK);
	rig.request = (plait__device_request){
		.policy = policy, .next = &rig.next, .links = &rig.links,
		.candidates = ((uint64_t)1 << devices) - 1,
		.devices = rig.devices, .device_count = devices,
		.pieces = rig.pieces, .bookings = &rig.bookings,
		.preds = rig.preds,
	};
	for (uint32_t d = 0; d < devices; d++)
		rig.devices[d].memory = d;
}

static void end(void)
{
	plait__bookings_fini(&rig.bookings);
	plait__links_fini(&rig.links);
}

static plait__device_choice choose(void)
{
	return plait__device_policy_choose(&rig.request, rig.figures);
}

static uint32_t choose_from(uint64_t candidates)
{
	rig.request.candidates = candidates;
	return choose().device;
}

/* ---- by hand ---- */

/* The turns of GrCUDA's test: they count over all devices. */
static void turns(void)
{
	begin(PLAIT__CHOOSE_ROUND_ROBIN, 4);
	for (uint32_t i = 0; i < 5; i++)
		IS_UINT(choose_from(15), i % 4);
	IS_UINT(choose_from(1), 0);
	IS_UINT(choose_from(15), 2);
	IS_UINT(choose_from(8), 3);
	IS_UINT(choose_from(15), 0);
	IS_UINT(choose_from(8 | 2), 3);
	IS_UINT(choose_from(4 | 2), 1);
	IS_UINT(choose_from(1 | 2), 1);
	IS_UINT(choose().reason, PLAIT__REASON_TURN);
	end();
}

static void first_and_least_busy(void)
{
	begin(PLAIT__CHOOSE_SINGLE, 3);
	IS_UINT(choose().device, 0);
	IS_UINT(choose_from(6), 1);
	rig.request.policy = PLAIT__CHOOSE_STREAM_AWARE;
	rig.devices[0].busy_lanes = 1;
	rig.devices[1].busy_lanes = 2;
	rig.devices[2].busy_lanes = 1;
	IS_UINT(choose_from(7), 0);
	IS_UINT(choose_from(6), 2);
	IS_UINT(choose().reason, PLAIT__REASON_LANES);
	/* Whose numbers are told. */
	IS_UINT(choose().good, 6);
	end();
}

/* The threshold itself is not enough; without any bytes no device is good. */
static void thresholds(void)
{
	plait__device_choice choice;

	begin(PLAIT__CHOOSE_MIN_SIZE, 3);
	rig.request.piece_count = 2;
	rig.pieces[0] = (plait__policy_piece){ .bytes = 100, .valid = 4 };
	rig.pieces[1] = (plait__policy_piece){ .bytes = 900, .valid = 8 };
	choice = choose();
	IS_UINT(choice.reason, PLAIT__REASON_NO_DATA);
	IS_UINT(choice.device, 0);
	IS_UINT(choice.total_bytes, 1000);
	IS_UINT(rig.next, 1);
	rig.pieces[0].bytes = 101;
	choice = choose();
	IS_UINT(choice.reason, PLAIT__REASON_BYTES);
	IS_UINT(choice.device, 2);
	IS_UINT(choice.good, 4);
	IS_UINT(rig.figures[2].valid_bytes, 101);
	rig.request.threshold = 102;
	IS_UINT(choose().reason, PLAIT__REASON_NO_DATA);
	rig.request.threshold = 0;
	rig.pieces[0].bytes = rig.pieces[1].bytes = 0;
	IS_UINT(choose().reason, PLAIT__REASON_NO_DATA);
	rig.request.piece_count = 0;
	IS_UINT(choose().reason, PLAIT__REASON_NO_DATA);
	rig.request.piece_count = 2;
	rig.pieces[0] = (plait__policy_piece){ UINT64_MAX, 2, 0, false };
	rig.pieces[1] = (plait__policy_piece){ UINT64_MAX, 3, 0, false };
	IS_UINT(choose().device, 0);
	IS_UINT(rig.figures[1].valid_bytes, UINT64_MAX);
	end();
}

/* Devices 0 and 1 have half each; 0 to 2 is the faster way of what both have. */
static void moves(void)
{
	plait__device_choice choice;

	begin(PLAIT__CHOOSE_MINMIN_TIME, 3);
	plait__links_set(&rig.links, 0, 1, 10000, 0);
	plait__links_set(&rig.links, 0, 2, 40000, 0);
	plait__links_set(&rig.links, 1, 2, 20000, 0);
	rig.request.piece_count = 2;
	rig.pieces[0] = (plait__policy_piece){ 1001, 1 | 2, 0, false };
	rig.pieces[1] = (plait__policy_piece){ 1000, 4, 0, false };
	choice = choose();
	IS_UINT(choice.reason, PLAIT__REASON_MOVES);
	IS_UINT(choice.device, 0);
	IS_UINT(rig.figures[0].move_ns, 25);
	IS_UINT(rig.figures[1].move_ns, 50);
	IS_UINT(rig.figures[2].move_ns, 26);
	rig.request.policy = PLAIT__CHOOSE_MINMAX_TIME;
	IS_UINT(choose().device, 0);
	IS_UINT(rig.figures[2].move_ns, 51);
	/* A memory without a link takes for ever. */
	rig.pieces[1].valid = 8;
	rig.pieces[1].bytes = 1;
	IS_UINT(choose().device, 0);
	IS_UINT(rig.figures[1].move_ns, UINT64_MAX);
	end();
}

/* The least is 200: up to 209 the one with the most bytes is taken. */
static void nearly_first(void)
{
	plait__device_choice choice;

	begin(PLAIT__CHOOSE_EARLIEST, 3);
	rig.request.now_ns = 1000000;
	rig.request.piece_count = 1;
	rig.pieces[0] = (plait__policy_piece){ 8, 1 | 2, 0, true };
	rig.devices[0].cost_ns = 210;
	rig.devices[1].cost_ns = 209;
	rig.devices[2].cost_ns = 200;
	choice = choose();
	IS_UINT(choice.device, 1);
	IS_UINT(choice.reason, PLAIT__REASON_NEAR);
	IS_UINT(rig.figures[2].finish_ns, 200);
	IS_UINT(rig.figures[0].valid_bytes, 8);
	rig.devices[1].cost_ns = 210;
	choice = choose();
	IS_UINT(choice.device, 2);
	IS_UINT(choice.reason, PLAIT__REASON_FINISH);
	rig.devices[1].cost_ns = rig.devices[0].cost_ns =
		rig.devices[2].cost_ns = 0;
	IS_UINT(choose().device, 0);
	end();
}

/* Copies of one task share the link into a device, behind the eviction. */
static void copies_and_evictions(void)
{
	begin(PLAIT__CHOOSE_EARLIEST, 2);
	plait__links_set(&rig.links, 2, 0, 1000, 10);
	plait__links_set(&rig.links, 2, 1, 1000, 10);
	rig.request.piece_count = 3;
	rig.pieces[0] = (plait__policy_piece){ 100, 4, 0, false };
	rig.pieces[1] = (plait__policy_piece){ 50, 4, 500, false };
	rig.pieces[2] = (plait__policy_piece){ 70, 0, 0, false };
	IS_UINT(choose().device, 0);
	IS_UINT(rig.figures[0].copies_ns, 560);
	rig.devices[0].evicted_bytes = 1000;
	IS_UINT(choose().device, 1);
	/* 1010 for the eviction; 110 and 60 for the copies. */
	IS_UINT(rig.figures[0].copies_ns, 1180);
	/* No way to a device: never. */
	rig.request.candidates = 3;
	plait__links_set(&rig.links, 2, 1, 0, 0);
	IS_UINT(choose().device, 0);
	IS_UINT(rig.figures[1].finish_ns, UINT64_MAX);
	end();
}

/* ---- the definitions ---- */

__extension__ typedef unsigned __int128 wide;

static bool in(uint64_t set, uint32_t i)
{
	return set >> i & 1;
}

static wide bytes_on(uint32_t device)
{
	wide sum = 0;

	for (uint32_t i = 0; i < rig.request.piece_count; i++)
		if (in(rig.pieces[i].valid, rig.devices[device].memory))
			sum += rig.pieces[i].bytes;
	return sum;
}

static wide all_bytes(void)
{
	wide sum = 0;

	for (uint32_t i = 0; i < rig.request.piece_count; i++)
		sum += rig.pieces[i].bytes;
	return sum;
}

/* B of the definition, with rates of one direction as those of both. */
static uint64_t b(uint32_t from, uint32_t to)
{
	uint64_t one = rig.links.table[from * rig.links.count + to].rate;
	uint64_t two = rig.links.table[to * rig.links.count + from].rate;
	uint64_t sum = one + two;

	if (sum == 0)
		return 0;
	sum = one == 0 || two == 0 ? sum / 1000 : sum / 2000;
	return sum == 0 ? 1 : sum;
}

static wide move_time(uint32_t device, bool largest)
{
	uint32_t memory = rig.devices[device].memory;
	wide sum = 0;

	for (uint32_t i = 0; i < rig.request.piece_count; i++) {
		const plait__policy_piece *piece = &rig.pieces[i];
		uint64_t most = 0, least = UINT64_MAX, rate;

		if (piece->valid == 0 || in(piece->valid, memory))
			continue;
		for (uint32_t l = 0; l < rig.links.count; l++) {
			rate = in(piece->valid, l) ? b(l, memory) : 0;
			if (rate > most)
				most = rate;
			if (rate > 0 && rate < least)
				least = rate;
		}
		if (most == 0)
			return UINT64_MAX;
		rate = largest ? most : least;
		sum += (piece->bytes + rate - 1) / rate;
	}
	return sum > UINT64_MAX ? UINT64_MAX : sum;
}

static uint32_t model_turn(void)
{
	uint32_t list[DEVICES], count = 0, found;

	for (uint32_t d = 0; d < rig.request.device_count; d++)
		if (in(rig.request.candidates, d))
			list[count++] = d;
	found = list[rig.next % count];
	rig.next = (rig.next + 1) % rig.request.device_count;
	return found;
}

/* Returns the device with the least value, `values` of those not in the set
 * apart. */
static uint32_t least_of(const wide *values, uint64_t set)
{
	uint32_t best = DEVICES;

	for (uint32_t d = 0; d < rig.request.device_count; d++)
		if (in(set, d) && (best == DEVICES || values[d] < values[best]))
			best = d;
	return best;
}

static uint32_t model_by_data(void)
{
	uint32_t threshold = rig.request.threshold ? rig.request.threshold :
						     100;
	uint64_t good = 0;
	wide values[DEVICES];

	for (uint32_t d = 0; d < rig.request.device_count; d++) {
		if (in(rig.request.candidates, d) &&
		    1000 * bytes_on(d) > threshold * all_bytes())
			good |= (uint64_t)1 << d;
		if (rig.request.policy == PLAIT__CHOOSE_MIN_SIZE)
			values[d] = ~bytes_on(d);
		else
			values[d] = move_time(d, rig.request.policy ==
						 PLAIT__CHOOSE_MINMIN_TIME);
	}
	return good == 0 ? model_turn() : least_of(values, good);
}

/* ---- EARLIEST: links are direct here, and copies booked in an array ---- */

static uint64_t model_copy(uint64_t ends[MEMORIES][MEMORIES], uint64_t valid,
			   uint32_t to, uint64_t bytes, uint64_t ready)
{
	uint64_t least = UINT64_MAX;
	uint32_t best = 0;

	for (uint32_t l = 0; l < rig.links.count; l++) {
		const plait__link *link =
			&rig.links.table[l * rig.links.count + to];
		uint64_t at = ends[l][to] > ready ? ends[l][to] : ready;

		at += link->latency_ns +
		      (bytes * 1000 + link->rate - 1) / link->rate;
		if (in(valid, l) && at < least) {
			least = at;
			best = l;
		}
	}
	ends[best][to] = least;
	return least;
}

static uint64_t model_finish(uint32_t d)
{
	uint64_t ends[MEMORIES][MEMORIES];
	uint32_t memory = rig.devices[d].memory, host = rig.links.host;
	uint64_t now = rig.request.now_ns, room = now, at = now, one;

	for (uint32_t i = 0; i < rig.links.count * rig.links.count; i++)
		ends[i / rig.links.count][i % rig.links.count] =
			rig.bookings.table[i].free_ns;
	if (rig.devices[d].free_ns > at)
		at = rig.devices[d].free_ns;
	for (uint32_t i = 0; i < rig.request.pred_count; i++) {
		one = rig.preds[i].finish_ns;
		one += rig.preds[i].device == d ? 0 : rig.request.hop_ns;
		at = one > at ? one : at;
	}
	if (rig.devices[d].evicted_bytes > 0 && memory != host)
		room = model_copy(ends, (uint64_t)1 << memory, host,
				  rig.devices[d].evicted_bytes, now);
	at = room > at ? room : at;
	for (uint32_t i = 0; i < rig.request.piece_count; i++) {
		const plait__policy_piece *piece = &rig.pieces[i];

		if (piece->overwritten || piece->valid == 0 ||
		    in(piece->valid, memory))
			continue;
		one = model_copy(ends, piece->valid, memory, piece->bytes,
				 piece->ready_ns > room ? piece->ready_ns :
							  room);
		at = one > at ? one : at;
	}
	return at + rig.devices[d].cost_ns - now;
}

static uint32_t model_earliest(uint32_t *wrong)
{
	wide times[DEVICES], bytes[DEVICES];
	uint64_t near = 0, least;

	for (uint32_t d = 0; d < rig.request.device_count; d++) {
		times[d] = model_finish(d);
		bytes[d] = ~bytes_on(d);
		*wrong += in(rig.request.candidates, d) &&
			  rig.figures[d].finish_ns != times[d];
	}
	least = (uint64_t)times[least_of(times, rig.request.candidates)];
	for (uint32_t d = 0; d < rig.request.device_count; d++)
		if (in(rig.request.candidates, d) &&
		    (times[d] == least || 100 * times[d] < 105 * (wide)least))
			near |= (uint64_t)1 << d;
	return least_of(bytes, near);
}

static uint32_t model(uint32_t *wrong)
{
	wide busy[DEVICES];

	for (uint32_t d = 0; d < rig.request.device_count; d++)
		busy[d] = rig.devices[d].busy_lanes;
	switch (rig.request.policy) {
	case PLAIT__CHOOSE_EARLIEST:
		return model_earliest(wrong);
	case PLAIT__CHOOSE_SINGLE:
		return (uint32_t)__builtin_ctzll(rig.request.candidates);
	case PLAIT__CHOOSE_ROUND_ROBIN:
		return model_turn();
	case PLAIT__CHOOSE_STREAM_AWARE:
		return least_of(busy, rig.request.candidates);
	default:
		return model_by_data();
	}
}

/* ---- random requests ---- */

static void make_devices(void)
{
	for (uint32_t d = 0; d < rig.request.device_count; d++) {
		plait__policy_device *device = &rig.devices[d];

		if (below(4) == 0)	/* shared, or the host's */
			device->memory = (uint32_t)below(rig.links.count);
		device->busy_lanes = (uint32_t)below(3);
		device->free_ns = below(2000);
		device->cost_ns = below(2) ? 1000 + below(60) : below(1000);
		device->evicted_bytes = below(3) == 0 ? below(500) : 0;
	}
}

static void make_links(void)
{
	bool all = rig.request.policy == PLAIT__CHOOSE_EARLIEST;

	for (uint32_t i = 0; i < rig.links.count * rig.links.count; i++) {
		if (all || below(3) > 0)
			plait__links_set(&rig.links, i / rig.links.count,
					 i % rig.links.count,
					 1 + below(below(2) ? 900 : 9000),
					 below(200));
		rig.bookings.table[i].free_ns = below(2) ? below(1500) : 0;
	}
}

static void make_task(void)
{
	uint64_t most = below(8) == 0 &&
			rig.request.policy != PLAIT__CHOOSE_EARLIEST ?
			UINT64_MAX : 1 + below(2000);

	rig.request.piece_count = (uint32_t)below(PIECES + 1);
	for (uint32_t i = 0; i < rig.request.piece_count; i++)
		rig.pieces[i] = (plait__policy_piece){
			below(most) / PIECES,
			below((uint64_t)1 << rig.links.count) &
				below((uint64_t)1 << rig.links.count),
			below(1500), below(4) == 0 };
	rig.request.pred_count = (uint32_t)below(PREDS + 1);
	for (uint32_t i = 0; i < rig.request.pred_count; i++)
		rig.preds[i] = (plait__policy_pred){
			below(2000),
			(uint32_t)below(rig.request.device_count) };
	rig.request.threshold = (uint32_t)below(2) * (uint32_t)below(1200);
	rig.request.now_ns = below(1000);
	rig.request.hop_ns = below(300);
	rig.request.candidates =
		1 + below(((uint64_t)1 << rig.request.device_count) - 1);
}

static uint32_t play(void)
{
	uint32_t wrong = 0;

	begin((uint32_t)below(PLAIT__CHOOSE_POLICIES),
	      1 + (uint32_t)below(DEVICES));
	rig.links.host = (uint32_t)below(rig.links.count);
	make_links();
	for (uint32_t i = 0; i < 10; i++) {
		uint32_t next = rig.next, after;
		plait__device_choice got;

		make_devices();
		make_task();
		got = choose();
		after = rig.next;
		rig.next = next;
		wrong += got.device != model(&wrong);
		wrong += rig.next != after;
		wrong += !in(rig.request.candidates, got.device);
	}
	end();
	return wrong;
}

static void random_requests(void)
{
	play_rounds(tap_soak() ? 100000 : 2000, play);
}

static const struct tap_scenario all[] = {
	{ "turns", turns },
	{ "first and least busy", first_and_least_busy },
	{ "thresholds", thresholds },
	{ "moves", moves },
	{ "nearly first", nearly_first },
	{ "copies and evictions", copies_and_evictions },
	{ "random requests", random_requests },
};

TAP_MAIN(all)
