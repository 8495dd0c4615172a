/* SPDX-License-Identifier: MIT */
/*
 * The interposer check in front of the simulated system: a correct caller gets
 * no report; each rule that a core can break is reported by name.
 */
#include <stdio.h>
#include <string.h>

#include "lib/bed.h"
#include "lib/tap.h"

static plait_backend_queue *queue;
static plait_backend_signal *done, *gate;
static plait_backend_memory *memory;

static void set_up(void)
{
	bed_open("check,chaos", "");
	queue = bed_queue_on(0, "q");
	done = bed_signal_of(0);
	gate = bed_signal_of(PLAIT_BACKEND_SIGNAL_GATE);
	memory = bed_memory_on(0, 64);
}

/* Closes all; the log blames the core with this text, and no other party. */
static void tear_down(const char *text)
{
	if (queue)
		bed.table.queue_destroy(bed.self, queue);
	if (done)
		bed.table.signal_destroy(bed.self, done);
	if (gate)
		bed.table.signal_destroy(bed.self, gate);
	if (memory)
		bed.table.memory_destroy(bed.self, memory);
	HAS_STR(bed.host.log, text);
	HAS_STR(bed.host.log, "check: the core broke a rule, ");
	OK(!strstr(bed.host.log, "the backend broke"));
	bed_close_sinful();
	HAS_STR(bed.host.log, "0 by the backend");
}

/* Submit one command; the submission is refused with this text. */
static void refuse_work(plait_work work, const char *text)
{
	set_up();
	work.size = sizeof(work);
	if (work.target == (void *)&memory)
		work.target = memory;
	if (work.source == (void *)&memory)
		work.source = memory;
	IS_INT(bed_submit(queue, NULL, &work, 1, NULL), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, text);
	tear_down(text);
}

#define MEMORY ((plait_backend_memory *)(void *)&memory)

static void commands(void)
{
	char bytes[8];

	refuse_work((plait_work){ .kind = 17 }, "its kind is not known");
	refuse_work((plait_work){ .kind = PLAIT_WORK_CALL },
		    "its function is null");
	refuse_work((plait_work){ .kind = PLAIT_WORK_FILL, .target = MEMORY,
		    .bytes = 64, .target_offset = 1, .pattern_bytes = 1 },
		    "target range 1+64 is outside its 64 bytes");
	refuse_work((plait_work){ .kind = PLAIT_WORK_FILL, .target = MEMORY,
		    .bytes = 2, .target_offset = UINT64_MAX,
		    .pattern_bytes = 1 }, "is outside its 64 bytes");
	refuse_work((plait_work){ .kind = PLAIT_WORK_FILL, .target = MEMORY,
		    .bytes = 8, .pattern_bytes = 3 }, "1, 2, 4 or 8 bytes");
	refuse_work((plait_work){ .kind = PLAIT_WORK_COPY, .target = MEMORY,
		    .source = MEMORY, .bytes = 8, .target_offset = 7 },
		    "source and target overlap");
	refuse_work((plait_work){ .kind = PLAIT_WORK_READ, .source = MEMORY,
		    .bytes = 8 }, "its host pointer is null");
	refuse_work((plait_work){ .kind = PLAIT_WORK_READ, .host = bytes,
		    .bytes = 8 }, "is no memory of this backend");
}

/* A backend accesses no byte beyond the size of the struct. */
static void short_rows(void)
{
	plait_work_rows rows = { .rows = 2, .slices = 1, .target_row = 8,
				 .target_slice = 16, .source_row = 8,
				 .source_slice = 16 };
	char bytes[16] = { 0 };
	plait_work work = { .kind = PLAIT_WORK_WRITE, .target = MEMORY,
			    .host = bytes, .bytes = 4, .rows = &rows };

	rows.size = sizeof(rows) - 8;
	refuse_work(work, "its rows are too short");
	set_up();
	rows.size = sizeof(rows);
	work.size = sizeof(work);
	work.target = memory;
	IS_INT(bed_submit(queue, NULL, &work, 1, NULL), PLAIT_OK);
	rows.rows = 1;
	IS_INT(bed_submit(queue, NULL, &work, 1, NULL), PLAIT_E_INTERNAL);
	rows.rows = 2;
	bed.table.queue_flush(bed.self, queue, &bed.error);
	while (bed.table.pump(bed.self, &bed.error) == PLAIT_OK)
		continue;
	tear_down("its rows are not valid");
}

/* The device here repeats nothing, which is looked at last. */
static void refuse_times(plait_work_kind kind, uint32_t times,
			 const plait_work_series *series, uint32_t count,
			 const char *text)
{
	const plait_work work = { .size = sizeof(work), .kind = kind,
				  .function = bed_write_letter };
	const plait_submission submission = {
		.size = sizeof(submission), .work = &work, .work_count = 1,
		.times = times, .series = series, .series_count = count,
	};

	set_up();
	IS_INT(bed.table.queue_submit(bed.self, queue, &submission, 1,
				      &bed.error), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, text);
	tear_down(text);
}

static void repeated_work(void)
{
	const plait_work_series none = { .size = sizeof(none), .work = 1 };
	const plait_work_series first = { .size = sizeof(first) };
	const plait_work_series small = { .size = sizeof(small) - 8 };

	refuse_times(PLAIT_WORK_NOP, 2, NULL, 0, "does not repeat work");
	refuse_times(PLAIT_WORK_CALL, 2, NULL, 0, "cannot be repeated");
	refuse_times(PLAIT_WORK_NOP, 0, NULL, 1, "null or too short");
	refuse_times(PLAIT_WORK_NOP, 1, &small, 1, "null or too short");
	refuse_times(PLAIT_WORK_NOP, 2, &none, 1, "is of no launch");
	refuse_times(PLAIT_WORK_NOP, 2, &first, 1, "is of no launch");
}

static void refuse_link(uint32_t from, uint32_t to)
{
	plait_link_info link = { .size = sizeof(link) };

	set_up();
	(void)bed.table.link_query(bed.self, from, to, &link, &bed.error);
	tear_down("link_query: asks for the link from ");
	HAS_STR(bed.host.log, "(P-T01)");
}

/* Of two devices. */
static void links(void)
{
	refuse_link(0, 0);
	refuse_link(0, 2);
	refuse_link(PLAIT_LINK_HOST, PLAIT_LINK_HOST);
}

/* Of work outside of queues. */
static void spans(void)
{
	static const plait_work_times backward = { 7, 6 }, good = { 6, 6 };

	set_up();
	bed.table.host_span(bed.self, "flow lane 0", "task", &backward);
	tear_down("host_span: tells of a span that has no name, or ends");
	set_up();
	bed.table.host_span(bed.self, "flow lane 0", NULL, &good);
	tear_down("host_span: tells of a span that has no name, or ends");
}

static void handles(void)
{
	plait_backend_queue *dead;
	int garbage = 0;

	set_up();
	dead = bed_queue_on(0, NULL);
	bed.table.queue_destroy(bed.self, dead);
	IS_INT(bed_submit(dead, NULL, NULL, 0, NULL), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "queue_submit: queue 2 was destroyed before");
	bed.table.queue_destroy(bed.self, dead);
	IS_INT(bed_submit((void *)&garbage, NULL, NULL, 0, NULL),
	       PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "is no queue of this backend");
	IS_INT(bed_submit((void *)memory, NULL, NULL, 0, NULL),
	       PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "a memory was passed as a queue");
	IS_INT(bed_wait_for((void *)queue, 0, 0), PLAIT_E_INTERNAL);
	tear_down("queue_destroy: queue 2 was destroyed before");
}

static void waits_and_emissions(void)
{
	plait_backend_point point;

	set_up();
	point = (plait_backend_point){ done, 1 };
	IS_INT(bed_submit(queue, &point, NULL, 0, NULL), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "a wait for 1, but only 0 were submitted");
	IS_INT(bed_wait_for(done, 1, 0), PLAIT_E_INTERNAL);
	point.sequence = 2;
	IS_INT(bed_submit(queue, NULL, NULL, 0, &point), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "signal 1 emits 2, next is 1");
	point.sequence = 1;
	IS_INT(bed_submit(queue, NULL, NULL, 0, &point), PLAIT_OK);
	IS_INT(bed_submit(queue, NULL, NULL, 0, &point), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "signal 1 emits 1, next is 2");
	point = (plait_backend_point){ gate, 1 };
	IS_INT(bed_submit(queue, NULL, NULL, 0, &point), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "gate 2 is emitted by a queue");
	IS_INT(bed_wait_for(done, 1, PLAIT_FOREVER), PLAIT_OK);
	tear_down("emits 1, next is 2");
}

static void raising(void)
{
	plait_backend_point point;

	set_up();
	point = (plait_backend_point){ done, 1 };
	IS_INT(bed.table.signal_raise(bed.self, &point, NULL, &bed.error),
	       PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "it is no gate");
	point = (plait_backend_point){ gate, 5 };
	IS_INT(bed.table.signal_raise(bed.self, &point, NULL, &bed.error),
	       PLAIT_OK);
	point.sequence = 4;
	IS_INT(bed.table.signal_raise(bed.self, &point, NULL, &bed.error),
	       PLAIT_E_INTERNAL);
	tear_down("signal 2 raised to 4: it cannot go back");
}

/* A queue that waits for a gate has work pending. */
static void destroying_what_is_used(void)
{
	plait_backend_point wait, emit;
	plait_work work;

	set_up();
	wait = (plait_backend_point){ gate, 1 };
	emit = (plait_backend_point){ done, 1 };
	work = (plait_work){ .size = sizeof(work), .kind = PLAIT_WORK_FILL,
		.target = memory, .bytes = 8, .pattern_bytes = 1 };
	IS_INT(bed_submit(queue, &wait, &work, 1, &emit), PLAIT_OK);
	IS_INT(bed.table.queue_recover(bed.self, queue, &bed.error),
	       PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "queue 1 \"q\" has work pending");
	IS_INT(bed.table.signal_reset(bed.self, gate, &bed.error),
	       PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "signal 2 has 1 waits or emissions");
	bed.table.memory_destroy(bed.self, memory);
	memory = NULL;
	HAS_STR(bed.host.log, "memory 1 is used by 1 launches or batches that are not");
	bed.table.signal_destroy(bed.self, done);
	done = NULL;
	HAS_STR(bed.host.log, "signal_destroy: signal 1 has 1 waits or");
	tear_down("queue_destroy: queue 1 \"q\" has work pending");
}

static void mapping(void)
{
	void *pointer = NULL;

	set_up();
	IS_INT(bed.table.memory_map(bed.self, memory, 60, 8, 3, &pointer,
				    &bed.error), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "range 60+8 is outside its 64 bytes");
	IS_INT(bed.table.memory_map(bed.self, memory, 0, 64, 3, &pointer,
				    &bed.error), PLAIT_OK);
	IS_INT(bed.table.memory_unmap(bed.self, memory, pointer, &bed.error),
	       PLAIT_OK);
	IS_INT(bed.table.memory_unmap(bed.self, memory, pointer, &bed.error),
	       PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "maps nothing of memory 1");
	IS_INT(bed.table.memory_map(bed.self, memory, 0, 64, 3, &pointer,
				    &bed.error), PLAIT_OK);
	tear_down("memory_destroy: memory 1 is mapped");
}

static void creating(void)
{
	plait_memory_request request = { .size = sizeof(request),
		.bytes = 8, .alignment_bytes = 3 };
	plait_backend_memory *created;

	set_up();
	IS_INT(bed.table.memory_create(bed.self, 0, &request, &created,
				       &bed.error), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "no power of two");
	request.alignment_bytes = 8;
	IS_INT(bed.table.memory_create(bed.self, 2, &request, &created,
				       &bed.error), PLAIT_E_INTERNAL);
	request.flags = PLAIT_MEMORY_WRAP;
	IS_INT(bed.table.memory_create(bed.self, 0, &request, &created,
				       &bed.error), PLAIT_E_INTERNAL);
	HAS_STR(bed.error.text, "the memory to wrap is null");
	OK(bed_queue_on(7, NULL) == NULL);
	OK(bed_signal_of(32) == NULL);
	tear_down("queue_create: device 7 of 2");
}

static void refuse_native_memory(uint32_t flags, const char *text)
{
	const plait_memory_request request = {
		.size = sizeof(request), .bytes = 64, .alignment_bytes = 64,
		.flags = flags, .native_kind = PLAIT_NATIVE_POINTER,
	};
	plait_backend_memory *created = NULL;

	set_up();
	IS_INT(bed.table.memory_create(bed.self, 0, &request, &created,
				       &bed.error), PLAIT_E_INTERNAL);
	OK(!created);
	tear_down(text);
}

static void refuse_native_queue(void)
{
	const plait_queue_request request = {
		.size = sizeof(request),
		.native_kind = PLAIT_NATIVE_CU_STREAM, .native = 1,
	};
	plait_backend_queue *created = NULL;

	set_up();
	IS_INT(bed.table.queue_create(bed.self, 0, &request, &created,
				      &bed.error), PLAIT_E_INTERNAL);
	OK(!created);
	tear_down("queue_create: this device takes no native queue");
}

static void refuse_native_query(void)
{
	const plait_native_request request = {
		.size = sizeof(request), .kind = PLAIT_NATIVE_CU_DEVICE,
	};
	uint64_t answer = 1;

	set_up();
	IS_INT(bed.table.native_query(bed.self, &request, &answer, &bed.error),
	       PLAIT_E_INTERNAL);
	OK(answer == 0);
	tear_down("native_query: this device tells no native handles");
}

/* Chaos has no native handles. */
static void natives(void)
{
	refuse_native_memory(PLAIT_MEMORY_NATIVE,
			     "this device takes no native memory");
	refuse_native_memory(PLAIT_MEMORY_NATIVE | PLAIT_MEMORY_WRAP,
			     "it has both flags, wrap and native");
	refuse_native_queue();
	refuse_native_query();
}

static void nothing_is_left_over(void)
{
	set_up();
	queue = NULL;
	bed.table.signal_destroy(bed.self, done);
	bed.table.signal_destroy(bed.self, gate);
	bed.table.memory_destroy(bed.self, memory);
	bed.table.close(bed.self);
	HAS_STR(bed.host.log, "close: 1 queues were not destroyed");
	fakehost_fini(&bed.host);
}

static void call_a_slot(void *user_data, plait_status status)
{
	(void)status;
	(void)user_data;
	bed.table.signal_poll(bed.self, &(plait_backend_point){ gate, 0 },
			      NULL, &bed.error);
}

static void notifications_call_no_slot(void)
{
	plait_backend_point point;

	set_up();
	point = (plait_backend_point){ gate, 1 };
	IS_INT(bed.table.signal_notify(bed.self, &point, call_a_slot, NULL,
				       &bed.error), PLAIT_OK);
	bed.table.signal_raise(bed.self, &point, NULL, &bed.error);
	while (bed.table.pump(bed.self, &bed.error) == PLAIT_OK)
		;
	tear_down("signal_poll: called inside a notification");
}

static const struct tap_scenario all[] = {
	{ "commands", commands },
	{ "rows of a smaller struct", short_rows },
	{ "repeated work", repeated_work },
	{ "links", links },
	{ "spans", spans },
	{ "handles", handles },
	{ "waits", waits_and_emissions },
	{ "raise", raising },
	{ "destroy", destroying_what_is_used },
	{ "map", mapping },
	{ "create", creating },
	{ "natives", natives },
	{ "left-over", nothing_is_left_over },
	{ "notification", notifications_call_no_slot },
};
TAP_MAIN(all)
