/* SPDX-License-Identifier: MIT */
/*
 * Links of the simulated system (chaos): which memories a device reaches, a shared
 * memory, and copies that take the time of their link.  The table is called
 * directly.
 */
#include <string.h>

#include "lib/bed.h"
#include "lib/tap.h"

/* Nothing takes time but copies with a link. */
#define AT_ONCE "submit_ns=0 hop_ns=0 command_ns=1 "

enum { BYTES = 6000 };

static void refused_options(void)
{
	static const char *const bad[] = {
		"peers=some", "peers=", "shared=2", "link=5", "link=5/",
		"link=/5", "link=0/5", "link=5/0", "link=5/6/7",
		"link=1000000001/5", "host_link=5/1000000001",
		"host_link=a/b",
	};

	OK(fakehost_load("chaos", &bed.table));
	for (size_t i = 0; i < TAP_COUNT(bad); i++) {
		fakehost_init(&bed.host, bad[i]);
		IS_INT(fakehost_open(&bed.host, &bed.table, &bed.self,
				     &bed.error), PLAIT_E_INVALID);
		HAS_STR(bed.error.text, "chaos: option ");
		fakehost_fini(&bed.host);
	}
}

static plait_link_info query(uint32_t from, uint32_t to)
{
	plait_link_info link = { .size = sizeof(link) };

	IS_INT(bed.table.link_query(bed.self, from, to, &link, &bed.error),
	       PLAIT_OK);
	return link;
}

/* Of a ring of four, devices 0 and 2 are opposite. */
static void told(void)
{
	plait_link_info link;

	if (!bed_open("chaos", "devices=4 peers=ring link=20/30 "
		      "host_link=40/50"))
		return;
	link = query(3, 0);
	IS_UINT(link.flags, PLAIT_LINK_DIRECT);
	IS_UINT(link.latency_ns, 20);
	IS_UINT(link.bytes_per_us, 30);
	link = query(0, 2);
	IS_UINT(link.flags, 0);
	IS_UINT(link.latency_ns, 0);
	IS_UINT(link.bytes_per_us, 0);
	link = query(PLAIT_LINK_HOST, 2);
	IS_UINT(link.latency_ns, 40);
	IS_UINT(link.bytes_per_us, 50);
	bed_close();
}

/* An older core has a shorter record. */
static void short_record(void)
{
	plait_link_info link = { .size = 16, .bytes_per_us = 7 };

	if (!bed_open("chaos", "link=20/30"))
		return;
	IS_INT(bed.table.link_query(bed.self, 0, 1, &link, &bed.error),
	       PLAIT_OK);
	IS_UINT(link.size, 16);
	IS_UINT(link.latency_ns, 20);
	IS_UINT(link.bytes_per_us, 7);
	bed_close();
}

static plait_work copy(plait_backend_memory *target,
		       plait_backend_memory *source, uint64_t bytes)
{
	return (plait_work){ .size = sizeof(plait_work),
			     .kind = PLAIT_WORK_COPY, .target = target,
			     .source = source, .bytes = bytes };
}

/* Submit a copy on a queue of `by`, and wait for it. */
static plait_status copy_by(uint32_t by, plait_backend_memory *target,
			    plait_backend_memory *source)
{
	plait_backend_queue *queue = bed_queue_on(by, NULL);
	plait_backend_signal *done = bed_signal_of(0);
	const plait_work work = copy(target, source, 64);
	plait_status status = bed_submit(queue, NULL, &work, 1,
					 &(plait_backend_point){ done, 1 });

	if (status == PLAIT_OK)
		status = bed_wait_for(done, 1, PLAIT_FOREVER);
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, done);
	return status;
}

/* `near`: a neighbour in a ring of four; `far`: the opposite device. */
static void check_peers(const char *options, plait_status near_status,
			plait_status far_status)
{
	plait_backend_memory *own, *near, *far;

	if (!bed_open("chaos", options))
		return;
	own = bed_memory_on(0, 64);
	near = bed_memory_on(1, 64);
	far = bed_memory_on(2, 64);
	IS_INT(copy_by(0, own, own), PLAIT_OK);
	IS_INT(copy_by(0, near, own), near_status);
	IS_INT(copy_by(1, near, own), near_status);
	IS_INT(copy_by(0, own, far), far_status);
	IS_INT(copy_by(2, own, far), far_status);
	/* Both ends reach device 1, but not each other. */
	IS_INT(copy_by(1, own, far), far_status);
	if (far_status != PLAIT_OK)
		HAS_STR(bed.error.text, "does not reach memory of");
	bed.table.memory_destroy(bed.self, own);
	bed.table.memory_destroy(bed.self, near);
	bed.table.memory_destroy(bed.self, far);
	bed_close();
}

static void reached(void)
{
	check_peers("devices=4", PLAIT_OK, PLAIT_OK);
	check_peers("devices=4 peers=ring", PLAIT_OK, PLAIT_E_UNSUPPORTED);
	check_peers("devices=4 peers=none", PLAIT_E_UNSUPPORTED,
		    PLAIT_E_UNSUPPORTED);
	check_peers("devices=4 peers=none shared=1", PLAIT_OK, PLAIT_OK);
}

/* A segment with such a copy is refused, and so is a patch. */
static void in_segments(void)
{
	plait_backend_memory *own, *far;
	plait_work work;
	uint32_t before_first[2] = { 0, 0 };
	plait_segment_request request = { .size = sizeof(request),
					  .work = &work, .work_count = 1,
					  .before_first = before_first };
	plait_backend_segment *segment = NULL;

	if (!bed_open("chaos", "peers=none"))
		return;
	own = bed_memory_on(0, 64);
	far = bed_memory_on(1, 64);
	work = copy(own, far, 64);
	IS_INT(bed.table.segment_create(bed.self, 0, &request, &segment,
					&bed.error), PLAIT_E_UNSUPPORTED);
	OK(segment == NULL);
	work = copy(own, own, 0);
	IS_INT(bed.table.segment_create(bed.self, 0, &request, &segment,
					&bed.error), PLAIT_OK);
	work = copy(far, own, 64);
	IS_INT(bed.table.segment_patch(bed.self, segment, 0, &work,
				       &bed.error), PLAIT_E_UNSUPPORTED);
	bed.table.segment_destroy(bed.self, segment);
	bed.table.memory_destroy(bed.self, own);
	bed.table.memory_destroy(bed.self, far);
	bed_close();
}

/* One budget for all devices. */
static void shared_budget(void)
{
	plait_backend_device device = { .size = sizeof(device) };
	plait_backend_memory *memory;

	if (!bed_open("chaos", "shared=1 memory=4K"))
		return;
	IS_INT(bed.table.device_query(bed.self, 1, &device, &bed.error),
	       PLAIT_OK);
	OK(device.memory != 0);
	memory = bed_memory_on(1, 3000);
	OK(memory != NULL);
	OK(bed_memory_on(0, 2000) == NULL);
	IS_INT(bed.error.status, PLAIT_E_NOMEM);
	bed.table.memory_destroy(bed.self, memory);
	memory = bed_memory_on(0, 4096);
	OK(memory != NULL);
	bed.table.memory_destroy(bed.self, memory);
	bed_close();
}

/* The command is done after `ns`, and not a nanosecond earlier. */
static void takes(plait_work work, uint64_t ns)
{
	plait_backend_queue *queue = bed_queue_on(0, NULL);
	plait_backend_signal *done = bed_signal_of(0);

	IS_INT(bed_submit(queue, NULL, &work, 1,
			  &(plait_backend_point){ done, 1 }), PLAIT_OK);
	if (ns > 1)
		IS_INT(bed_wait_for(done, 1, ns - 1), PLAIT_E_TIMEOUT);
	IS_INT(bed_wait_for(done, 1, ns > 1 ? 1 : ns), PLAIT_OK);
	bed.table.queue_destroy(bed.self, queue);
	bed.table.signal_destroy(bed.self, done);
}

/* 6000 bytes at 3 bytes per ns last 2000 ns. */
static void times(void)
{
	plait_work_rows rows = { .size = sizeof(rows), .rows = 3, .slices = 1,
				 .target_row = 2000, .source_row = 2000 };
	plait_backend_memory *own, *far;
	unsigned char host[BYTES] = { 0 };
	plait_work work;

	if (!bed_open("chaos", AT_ONCE "link=5000/3000 host_link=7000/6000"))
		return;
	own = bed_memory_on(0, BYTES);
	far = bed_memory_on(1, BYTES);
	takes(copy(far, own, BYTES), 7000);
	takes(copy(own, far, 3), 5001);
	work = copy(far, own, 1000);
	work.rows = &rows;
	takes(work, 6000);
	takes(copy(own, own, 0), 1);
	work = (plait_work){ .size = sizeof(work), .kind = PLAIT_WORK_WRITE,
			     .target = own, .host = host, .bytes = BYTES };
	takes(work, 8000);
	bed.table.memory_destroy(bed.self, own);
	bed.table.memory_destroy(bed.self, far);
	bed_close();
}

static const struct tap_scenario all[] = {
	{ "options", refused_options },
	{ "told", told },
	{ "short record", short_record },
	{ "reached memory", reached },
	{ "segments", in_segments },
	{ "shared budget", shared_budget },
	{ "times", times },
};
TAP_MAIN(all)
