/* SPDX-License-Identifier: MIT */
/*
 * The table of the simulated system (chaos), called directly, without the core:
 * a seed determines the run, time is virtual, memories are separate.
 */
#include <stdio.h>
#include <string.h>

#include "lib/bed.h"
#include "lib/tap.h"

static int32_t fail_with_5(void *user_data)
{
	(void)user_data;
	return 5;
}

/* --- scenarios ------------------------------------------------------------ */

static void it_describes_itself(void)
{
	plait_backend_device device = { .size = sizeof(device) };

	if (!bed_open("chaos", "devices=3 seed=9 memory=1M parallel=2"))
		return;
	IS_STR(bed.table.name, "chaos");
	IS_UINT(bed.table.abi, PLAIT_PLUGIN_ABI);
	IS_UINT(bed.table.flags, PLAIT_PLUGIN_EXPLICIT);
	IS_UINT(bed.table.device_count(bed.self), 3);
	IS_INT(bed.table.device_query(bed.self, 2, &device, &bed.error), PLAIT_OK);
	IS_UINT(device.memory_bytes, 1 << 20);
	IS_UINT(device.parallel, 2);
	HAS_STR(device.description, "seed 9");
	OK(device.capabilities & PLAIT_CAP_VIRTUAL_TIME);
	IS_INT(bed.table.device_query(bed.self, 3, &device, &bed.error), PLAIT_E_INVALID);
	bed_close();
}

static void an_older_core_has_a_shorter_table(void)
{
	plait_plugin_entry_function entry = fakehost_entry("chaos");
	union {
		plait_backend_table table;
		unsigned char bytes[sizeof(plait_backend_table)];
	} u;
	const uint32_t room = offsetof(plait_backend_table, pump);
	plait_host_services newer = *fakehost_services();

	if (!OK(entry != NULL))
		return;
	memset(&u, 0, sizeof(u));
	memset(u.bytes + room, 0x5a, sizeof(u) - room);
	u.table.size = room;
	IS_INT(entry(fakehost_services(), &u.table, &bed.error), PLAIT_OK);
	IS_UINT(u.table.size, room);
	OK(u.table.signal_reset != NULL);
	for (size_t i = room; i < sizeof(u); i++)
		if (u.bytes[i] != 0x5a) {
			OK_THAT(false, "byte %zu was written", i);
			break;
		}
	newer.abi_min = newer.abi_max = PLAIT_PLUGIN_ABI + 1;
	IS_INT(entry(&newer, &u.table, &bed.error), PLAIT_E_UNSUPPORTED);
}

static void options_that_make_no_sense(void)
{
	static const char *const bad[] = {
		"seed=x", "devices=0", "devices=9999", "memory=-1",
		"command_ns=9-3", "hop_ns=1-", "quirks=lazy", "log=2",
		"parallel=", "seed=99999999999999999999",
	};

	OK(fakehost_load("chaos", &bed.table));
	for (size_t i = 0; i < TAP_COUNT(bad); i++) {
		fakehost_init(&bed.host, bad[i]);
		IS_INT(fakehost_open(&bed.host, &bed.table, &bed.self, &bed.error),
		       PLAIT_E_INVALID);
		HAS_STR(bed.error.text, "chaos: option ");
		OK(bed.self == NULL);
		IS_UINT(bed.host.live_blocks, 0);
		fakehost_fini(&bed.host);
	}
}

static void a_queue_keeps_its_order(void)
{
	char abc[] = "abc";
	plait_work work[3];
	plait_backend_queue *queue;
	plait_backend_signal *done;

	if (!bed_open("chaos", "seed=3"))
		return;
	queue = bed_queue_on(0, "one");
	done = bed_signal_of(0);
	bed.letters[0] = 0;
	for (int i = 0; i < 3; i++)
		work[i] = bed_call_of(bed_write_letter, &abc[i]);
	IS_INT(bed_submit(queue, NULL, work, 3,
		      &(plait_backend_point){ done, 1 }), PLAIT_OK);
	IS_STR(bed.letters, "");
	IS_INT(bed.table.signal_poll(bed.self, &(plait_backend_point){ done, 1 },
				 NULL, &bed.error), PLAIT_PENDING);
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_OK);
	IS_STR(bed.letters, "abc");
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, done);
	bed_close();
}

/* Two queues write three letters each; `out` gets them in the order of
 * execution. */
static void two_queues(const char *options, char *out)
{
	static char text[] = "abcABC";
	plait_backend_queue *queues[2];
	plait_backend_signal *done;
	plait_backend_point points[2];

	fakehost_init(&bed.host, options);
	if (!fakehost_load("chaos", &bed.table) ||
	    fakehost_open(&bed.host, &bed.table, &bed.self, &bed.error) != PLAIT_OK)
		return;
	bed.letters[0] = 0;
	for (uint32_t q = 0; q < 2; q++) {
		plait_work work[3];

		queues[q] = bed_queue_on(q, NULL);
		done = bed_signal_of(0);
		points[q] = (plait_backend_point){ done, 1 };
		for (uint32_t i = 0; i < 3; i++)
			work[i] = bed_call_of(bed_write_letter, &text[3 * q + i]);
		bed_submit(queues[q], NULL, work, 3, &points[q]);
	}
	bed.table.signal_wait(bed.self, points, 2, 0, PLAIT_FOREVER, &bed.error);
	for (uint32_t q = 0; q < 2; q++) {
		bed.table.queue_destroy(bed.self, queues[q]);
		bed.table.signal_destroy(bed.self, points[q].signal);
	}
	bed.table.close(bed.self);
	fakehost_fini(&bed.host);
	strcpy(out, bed.letters);
}

static void one_seed_is_one_run(void)
{
	static char first[sizeof(bed.host.log)];
	char letters_1[16], letters_2[16];

	two_queues("seed=42 log=1", letters_1);
	strcpy(first, bed.host.log);
	two_queues("seed=42 log=1", letters_2);
	IS_STR(letters_1, letters_2);
	OK(strlen(first) > 100);
	OK(strcmp(first, bed.host.log) == 0);
	two_queues("seed=43 log=1", letters_2);
	OK(strcmp(first, bed.host.log) != 0);
}

/* abc and ABC interleave in 20 orders; 1000 seeds visit all. */
static void seeds_visit_the_orders(void)
{
	char seen[20][16];
	size_t count = 0;

	for (int seed = 1; seed <= 1000; seed++) {
		char options[64], got[16] = "";
		size_t i;

		snprintf(options, sizeof(options), "quirks=shuffle seed=%d",
			 seed);
		two_queues(options, got);
		for (i = 0; i < count && strcmp(seen[i], got) != 0; i++)
			;
		if (i == count && count < 20)
			strcpy(seen[count++], got);
		if (strlen(got) != 6)
			break;
	}
	NOTE("%zu orders of 20", count);
	OK(count == 20);
}

static void time_is_virtual(void)
{
	plait_backend_signal *gate;

	if (!bed_open("chaos", ""))
		return;
	gate = bed_signal_of(PLAIT_BACKEND_SIGNAL_GATE);
	/* Virtual time: an hour passes at once. */
	IS_INT(bed_wait_for(gate, 1, UINT64_C(3600000000000)), PLAIT_E_TIMEOUT);
	HAS_STR(bed.error.text, "3600000000000 ns");
	IS_INT(bed_wait_for(gate, 1, 0), PLAIT_E_TIMEOUT);
	IS_INT(bed_wait_for(gate, 0, 0), PLAIT_OK);
	bed.table.signal_destroy(bed.self, gate);
	bed_close();
}

/* Polling alone advances virtual time. */
static void polling_gets_somewhere(void)
{
	const plait_work nop = { .size = sizeof(nop) };
	plait_backend_queue *queue;
	plait_backend_signal *done;
	int looks = 0;

	if (!bed_open("chaos", "command_ns=50000"))
		return;
	queue = bed_queue_on(0, NULL);
	done = bed_signal_of(0);
	bed_submit(queue, NULL, &nop, 1, &(plait_backend_point){ done, 1 });
	while (bed_wait_for(done, 1, 0) == PLAIT_E_TIMEOUT && looks < 1000)
		looks++;
	OK(looks > 10 && looks < 1000);
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, done);
	bed_close();
}

static void a_deadlock_is_named(void)
{
	plait_backend_queue *queue;
	plait_backend_signal *gate, *done;
	plait_backend_point raised;

	if (!bed_open("chaos", ""))
		return;
	queue = bed_queue_on(1, "stuck");
	gate = bed_signal_of(PLAIT_BACKEND_SIGNAL_GATE);
	done = bed_signal_of(0);
	raised = (plait_backend_point){ gate, 7 };
	bed_submit(queue, &raised, NULL, 0, &(plait_backend_point){ done, 1 });
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_E_DEADLOCK);
	HAS_STR(bed.error.text, "queue \"stuck\" waits for sequence 7 of s1, "
		"a gate that is at 0");
	IS_INT(bed.table.pump(bed.self, &bed.error), PLAIT_PENDING);
	IS_INT(bed.table.signal_raise(bed.self, &raised, NULL, &bed.error), PLAIT_OK);
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_OK);
	IS_INT(bed.table.signal_raise(bed.self, &(plait_backend_point){ gate, 6 },
				  NULL, &bed.error), PLAIT_E_INVALID);
	IS_INT(bed_wait_for(gate, 9, PLAIT_FOREVER), PLAIT_E_DEADLOCK);
	HAS_STR(bed.error.text, "the host waits for sequence 9 of s1");
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, gate);
	bed.table.signal_destroy(bed.self, done);
	bed_close();
}

static void failure_goes_along_waits(void)
{
	plait_backend_queue *a, *b;
	plait_backend_signal *x, *y;
	plait_work work = bed_call_of(fail_with_5, NULL);
	char letter = 'z';
	plait_work after = bed_call_of(bed_write_letter, &letter);
	uint64_t reached = 0;

	if (!bed_open("chaos", "seed=5"))
		return;
	a = bed_queue_on(0, "a");
	b = bed_queue_on(1, "b");
	x = bed_signal_of(0);
	y = bed_signal_of(0);
	work.label = "load";
	bed.letters[0] = 0;
	bed_submit(a, NULL, NULL, 0, &(plait_backend_point){ x, 1 });
	bed_submit(a, NULL, &work, 1, NULL);
	bed_submit(a, NULL, &after, 1, &(plait_backend_point){ x, 2 });
	bed_submit(b, &(plait_backend_point){ x, 2 }, &after, 1,
	       &(plait_backend_point){ y, 1 });
	IS_INT(bed_wait_for(y, 1, PLAIT_FOREVER), PLAIT_E_FAILED);
	IS_STR(bed.error.text, "not run: command \"load\" failed with 5");
	IS_INT(bed.error.origin, 5);
	IS_STR(bed.letters, "");
	IS_INT(bed_wait_for(x, 1, PLAIT_FOREVER), PLAIT_OK);
	IS_INT(bed_wait_for(x, 2, PLAIT_FOREVER), PLAIT_E_FAILED);
	IS_STR(bed.error.text, "command \"load\" failed with 5");
	IS_INT(bed.table.signal_poll(bed.self, &(plait_backend_point){ x, 2 },
				 &reached, &bed.error), PLAIT_E_FAILED);
	IS_UINT(reached, 2);
	IS_INT(bed.table.queue_recover(bed.self, a, &bed.error), PLAIT_OK);
	IS_INT(bed.table.signal_reset(bed.self, x, &bed.error), PLAIT_OK);
	bed_submit(a, NULL, &after, 1, &(plait_backend_point){ x, 3 });
	IS_INT(bed_wait_for(x, 3, PLAIT_FOREVER), PLAIT_OK);
	IS_STR(bed.letters, "z");
	bed.table.queue_destroy(bed.self, a);
	bed.table.queue_destroy(bed.self, b);
	bed.table.signal_destroy(bed.self, x);
	bed.table.signal_destroy(bed.self, y);
	bed_close();
}

static void a_failed_gate_fails_all_who_wait(void)
{
	const plait_error cause = { .size = sizeof(cause),
		.status = PLAIT_E_FAILED, .origin = 9, .text = "no input" };
	plait_backend_queue *queue;
	plait_backend_signal *gate, *done;

	if (!bed_open("chaos", ""))
		return;
	queue = bed_queue_on(0, NULL);
	gate = bed_signal_of(PLAIT_BACKEND_SIGNAL_GATE);
	done = bed_signal_of(0);
	bed_submit(queue, &(plait_backend_point){ gate, 5 }, NULL, 0,
	       &(plait_backend_point){ done, 1 });
	IS_INT(bed.table.signal_raise(bed.self, &(plait_backend_point){ gate, 2 },
				  &cause, &bed.error), PLAIT_OK);
	IS_INT(bed_wait_for(gate, 1, 0), PLAIT_OK);
	IS_INT(bed_wait_for(gate, 2, 0), PLAIT_E_FAILED);
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_E_FAILED);
	IS_STR(bed.error.text, "not run: no input");
	IS_INT(bed.error.origin, 9);
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, gate);
	bed.table.signal_destroy(bed.self, done);
	bed_close();
}

static void waiting_for_any(void)
{
	plait_backend_signal *gates[2];
	plait_backend_point points[2];

	if (!bed_open("chaos", ""))
		return;
	for (int i = 0; i < 2; i++) {
		gates[i] = bed_signal_of(PLAIT_BACKEND_SIGNAL_GATE);
		points[i] = (plait_backend_point){ gates[i], 1 };
	}
	IS_INT(bed.table.signal_wait(bed.self, points, 2, 1, 10, &bed.error),
	       PLAIT_E_TIMEOUT);
	bed.table.signal_raise(bed.self, &points[1], NULL, &bed.error);
	IS_INT(bed.table.signal_wait(bed.self, points, 2, 1, 10, &bed.error), PLAIT_OK);
	IS_INT(bed.table.signal_wait(bed.self, points, 2, 0, 10, &bed.error),
	       PLAIT_E_TIMEOUT);
	IS_INT(bed.table.signal_wait(bed.self, points, 0, 1, 10, &bed.error), PLAIT_OK);
	bed.table.signal_destroy(bed.self, gates[0]);
	bed.table.signal_destroy(bed.self, gates[1]);
	bed_close();
}

/* --- memory --------------------------------------------------------------- */

static void memories_are_separate(void)
{
	unsigned char in[300], out[300];
	plait_backend_memory *a, *b;
	plait_backend_queue *queue;
	plait_backend_signal *done;
	plait_work work[4];

	if (!bed_open("chaos", "seed=8"))
		return;
	for (int i = 0; i < 300; i++)
		in[i] = (unsigned char)i;
	a = bed_memory_on(0, 300);
	b = bed_memory_on(1, 300);
	queue = bed_queue_on(0, NULL);
	done = bed_signal_of(0);
	work[0] = (plait_work){ .size = sizeof(*work),
		.kind = PLAIT_WORK_WRITE, .target = a, .host = in,
		.bytes = 300 };
	work[1] = (plait_work){ .size = sizeof(*work),
		.kind = PLAIT_WORK_COPY, .target = b, .target_offset = 10,
		.source = a, .source_offset = 20, .bytes = 200 };
	work[2] = (plait_work){ .size = sizeof(*work),
		.kind = PLAIT_WORK_FILL, .target = b, .target_offset = 210,
		.pattern = 0x44332211, .pattern_bytes = 4, .bytes = 7 };
	work[3] = (plait_work){ .size = sizeof(*work),
		.kind = PLAIT_WORK_READ, .source = b, .host = out,
		.bytes = 300 };
	bed_submit(queue, NULL, work, 4, &(plait_backend_point){ done, 1 });
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_OK);
	OK(memcmp(out + 10, in + 20, 200) == 0);
	OK(memcmp(out + 210, "\x11\x22\x33\x44\x11\x22\x33", 7) == 0);
	/* New memory is not zero; bytes outside the target ranges did not change. */
	OK(out[0] >= 0x81 && out[9] == out[0] && out[217] == out[0] &&
	   out[299] == out[0]);
	bed.table.memory_destroy(bed.self, a);
	bed.table.memory_destroy(bed.self, b);
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, done);
	bed_close();
}

static void memory_has_an_end(void)
{
	plait_backend_memory *memory;

	if (!bed_open("chaos", "memory=4K"))
		return;
	memory = bed_memory_on(0, 4096);
	OK(memory != NULL);
	OK(bed_memory_on(0, 1) == NULL);
	IS_INT(bed.error.status, PLAIT_E_NOMEM);
	HAS_STR(bed.error.text, "chaos:0: 1 bytes asked, 0 of 4096 left");
	OK(bed_memory_on(0, UINT64_MAX) == NULL);
	bed.table.memory_destroy(bed.self, memory);
	memory = bed_memory_on(0, 4096);
	OK(memory != NULL);
	bed.table.memory_destroy(bed.self, memory);
	bed_close();
}

static void maps_can_be_copies(void)
{
	plait_backend_memory *memory;
	void *once, *twice;

	if (!bed_open("chaos", "quirks=staged_map"))
		return;
	memory = bed_memory_on(0, 100);
	IS_INT(bed.table.memory_map(bed.self, memory, 0, 100, 3, &once, &bed.error),
	       PLAIT_OK);
	memset(once, 'x', 100);
	IS_INT(bed.table.memory_unmap(bed.self, memory, once, &bed.error), PLAIT_OK);
	IS_INT(bed.table.memory_map(bed.self, memory, 50, 10, 1, &twice, &bed.error),
	       PLAIT_OK);
	OK(*(char *)twice == 'x');
	IS_UINT((uintptr_t)twice % 64, 50);
	memset(twice, 'y', 10);
	IS_INT(bed.table.memory_unmap(bed.self, memory, twice, &bed.error), PLAIT_OK);
	IS_INT(bed.table.memory_unmap(bed.self, memory, twice, &bed.error),
	       PLAIT_E_INVALID);
	IS_INT(bed.table.memory_map(bed.self, memory, 50, 10, 1, &twice, &bed.error),
	       PLAIT_OK);
	OK(*(char *)twice == 'x');
	bed.table.memory_destroy(bed.self, memory);
	bed_close();
}

/* --- quirks, notifications ------------------------------------------------ */

static void count_notice(void *user_data, plait_status status)
{
	int *count = user_data;

	*count += status == PLAIT_OK ? 1 : 100;
}

static void notices_come_once(const char *options, int at_once)
{
	plait_backend_queue *queue;
	plait_backend_signal *done;
	plait_backend_point point;
	int early = 0, late = 0;

	if (!bed_open("chaos", options))
		return;
	queue = bed_queue_on(0, NULL);
	done = bed_signal_of(0);
	point = (plait_backend_point){ done, 1 };
	IS_INT(bed.table.signal_notify(bed.self, &point, count_notice, &early,
				   &bed.error), PLAIT_OK);
	bed_submit(queue, NULL, NULL, 0, &point);
	bed.table.queue_flush(bed.self, queue, &bed.error);
	IS_INT(early, 0);
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_OK);
	IS_INT(bed.table.signal_notify(bed.self, &point, count_notice, &late,
				   &bed.error), PLAIT_OK);
	IS_INT(late, at_once);
	while (bed.table.pump(bed.self, &bed.error) == PLAIT_OK)
		;
	IS_INT(early, 1);
	IS_INT(late, 1);
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, done);
	bed_close();
}

static void notices_with_quirks(void)
{
	notices_come_once("", 0);
	notices_come_once("quirks=late_notify", 0);
	notices_come_once("quirks=inline_notify", 1);
	notices_come_once("quirks=all", 1);
}

static void nothing_runs_before_a_flush(void)
{
	plait_backend_queue *queue;
	plait_backend_signal *done;

	if (!bed_open("chaos", "quirks=batch"))
		return;
	queue = bed_queue_on(0, "lazy");
	done = bed_signal_of(0);
	bed_submit(queue, NULL, NULL, 0, &(plait_backend_point){ done, 1 });
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_E_DEADLOCK);
	HAS_STR(bed.error.text, "queue \"lazy\" of device chaos:0 was never "
		"flushed");
	IS_INT(bed.table.queue_flush(bed.self, queue, &bed.error), PLAIT_OK);
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_OK);
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, done);
	bed_close();
}

static void a_full_queue_is_busy(void)
{
	const plait_queue_request request = { .size = sizeof(request),
		.capacity = 2 };
	const plait_work nops[3] = { { .size = sizeof(*nops) },
		{ .size = sizeof(*nops) }, { .size = sizeof(*nops) } };
	plait_backend_queue *queue;
	plait_backend_signal *done;

	if (!bed_open("chaos", ""))
		return;
	bed.table.queue_create(bed.self, 0, &request, &queue, &bed.error);
	done = bed_signal_of(0);
	IS_INT(bed_submit(queue, NULL, nops, 2, NULL), PLAIT_OK);
	IS_INT(bed_submit(queue, NULL, nops, 1, NULL), PLAIT_E_BUSY);
	IS_INT(bed_submit(queue, NULL, NULL, 0,
		      &(plait_backend_point){ done, 1 }), PLAIT_OK);
	IS_INT(bed.table.queue_recover(bed.self, queue, &bed.error), PLAIT_E_BUSY);
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_OK);
	IS_INT(bed_submit(queue, NULL, nops, 3, NULL), PLAIT_E_INVALID);
	HAS_STR(bed.error.text, "3 commands at once");
	HAS_STR(bed.error.text, "room for 2");
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, done);
	bed_close();
}

static const struct tap_scenario all[] = {
	{ "describes", it_describes_itself },
	{ "short-table", an_older_core_has_a_shorter_table },
	{ "options", options_that_make_no_sense },
	{ "fifo", a_queue_keeps_its_order },
	{ "seed", one_seed_is_one_run },
	{ "orders", seeds_visit_the_orders },
	{ "virtual-time", time_is_virtual },
	{ "polling", polling_gets_somewhere },
	{ "deadlock", a_deadlock_is_named },
	{ "failure", failure_goes_along_waits },
	{ "failed-gate", a_failed_gate_fails_all_who_wait },
	{ "any", waiting_for_any },
	{ "memory", memories_are_separate },
	{ "budget", memory_has_an_end },
	{ "staged-map", maps_can_be_copies },
	{ "notices", notices_with_quirks },
	{ "flush", nothing_runs_before_a_flush },
	{ "capacity", a_full_queue_is_busy },
};
TAP_MAIN(all)
