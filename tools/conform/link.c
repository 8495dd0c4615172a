/* SPDX-License-Identifier: MIT */
/* Group T: memories of devices, and links between them. */
#include "conform.h"

#include <string.h>

enum { COUNT = 1500, BYTES = COUNT * sizeof(int32_t) };

/* Devices whose links are checked all with all. */
enum { MOST_DEVICES = 16 };

/* The first devices, and the program, which is null. */
struct ends {
	plait_device *all[MOST_DEVICES + 1];
	uint32_t count;
};

static void find_ends(struct conform *c, plait_context *context,
		      struct ends *out)
{
	uint32_t i;

	memset(out, 0, sizeof(*out));
	out->count = c->device_count < MOST_DEVICES ? c->device_count :
						      MOST_DEVICES;
	for (i = 0; i < out->count; i++)
		NEED(plait_context_device(context, i, &out->all[i], ERR));
	out->count++;
}

static plait_link_info query(struct conform *c, plait_device *from,
			     plait_device *to)
{
	plait_link_info link = { .size = sizeof(link) };

	NEED(plait_device_query_link(from, to, &link, ERR));
	return link;
}

static uint32_t memory_of(struct conform *c, plait_device *device)
{
	plait_device_info info = { .size = sizeof(info) };

	NEED(plait_device_query(device, &info, ERR));
	return info.memory;
}

/* --- T1: what is told ------------------------------------------------------ */

static void is_sane(struct conform *c, const struct ends *ends, uint32_t from,
		    uint32_t to)
{
	const plait_link_info link = query(c, ends->all[from], ends->all[to]);
	bool shared = from == to || (ends->all[from] && ends->all[to] &&
				     memory_of(c, ends->all[from]) ==
				     memory_of(c, ends->all[to]));

	HOLDS_THAT(link.size == sizeof(link) && link.bytes_per_us > 0 &&
		   (link.flags >> 4) == 0, "link %u to %u: flags %#x, %llu ns, "
		   "%llu bytes/us", from, to, link.flags,
		   (unsigned long long)link.latency_ns,
		   (unsigned long long)link.bytes_per_us);
	if (shared)
		HOLDS_THAT(link.flags & PLAIT_LINK_SHARED,
			   "device %u shares its memory with %u", from, to);
}

static void is_same(struct conform *c, const struct ends *ends,
		    const struct ends *other, uint32_t from, uint32_t to)
{
	const plait_link_info first = query(c, ends->all[from], ends->all[to]);
	const plait_link_info second =
		query(c, other->all[from], other->all[to]);

	HOLDS_THAT(memcmp(&first, &second, sizeof(first)) == 0,
		   "link %u to %u: flags %#x, %llu ns, %llu bytes/us, and then "
		   "flags %#x, %llu ns, %llu bytes/us", from, to, first.flags,
		   (unsigned long long)first.latency_ns,
		   (unsigned long long)first.bytes_per_us, second.flags,
		   (unsigned long long)second.latency_ns,
		   (unsigned long long)second.bytes_per_us);
}

/* Twice in one context, and in a second one. */
static void told(struct conform *c)
{
	plait_context *context;
	struct ends ends, other;
	uint32_t from, to;

	NEED(conform_open(c, NULL, &context));
	find_ends(c, c->context, &ends);
	find_ends(c, context, &other);
	for (from = 0; from < ends.count; from++)
		for (to = 0; to < ends.count; to++) {
			if (from == to && ends.all[from] == NULL)
				continue;
			is_sane(c, &ends, from, to);
			is_same(c, &ends, &ends, from, to);
			is_same(c, &ends, &other, from, to);
		}
	plait_context_release(context);
}

/* --- T2: devices that share a memory --------------------------------------- */

/* The first two devices that do. */
static void find_sharers(struct conform *c, plait_device *out[2])
{
	struct ends ends;
	uint32_t i, k;

	find_ends(c, c->context, &ends);
	for (i = 0; i + 1 < ends.count; i++)
		for (k = i + 1; k + 1 < ends.count; k++)
			if (memory_of(c, ends.all[i]) ==
			    memory_of(c, ends.all[k])) {
				out[0] = ends.all[i];
				out[1] = ends.all[k];
				return;
			}
	conform_skip(c, "no two devices share a memory");
}

static plait_buffer *buffer_on(struct conform *c, plait_device *device)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = BYTES };
	plait_buffer *buffer;

	NEED(plait_buffer_create(device, &desc, &buffer, ERR));
	conform_hold(c, HOLDS_BUFFER, buffer);
	return buffer;
}

static void has_all(struct conform *c, plait_queue *queue,
		    plait_buffer *buffer, int32_t want)
{
	int32_t got[COUNT];
	int at = 0;

	memset(got, 0, sizeof(got));
	NEED(plait_queue_read(queue, buffer, 0, got, BYTES, ERR));
	while (at < COUNT - 1 && got[at] == want)
		at++;
	HOLDS_THAT(got[at] == want, "element %d is %d, not %d", at, got[at],
		   want);
}

/* Memory of the first device: y = x + y on the second one. */
static void launch_there(struct conform *c, plait_queue *queue, plait_buffer *x,
			 plait_buffer *y)
{
	static const char text[] = "KERNEL(sum)\n{\n"
				   "\tEACH(i, n)\n\t\ty[i] += x[i];\n}\n";
	static const uint64_t count = COUNT;
	const plait_launch items = { .size = sizeof(items),
				     .items = { COUNT } };
	plait_kernel *kernel = conform_kernel(
		c, "sum(x: in pointer i32, y: inout pointer i32, n: u64)",
		text, NULL);
	const plait_argument arguments[] = {
		conform_memory(x, 0), conform_memory(y, 0),
		conform_value(&count, sizeof(count))
	};

	NEED(plait_queue_launch(queue, kernel, &items, arguments, 3, ERR));
}

/* The second device fills, copies and computes in memory of the first one. */
static void shared(struct conform *c)
{
	plait_device *devices[2];
	plait_queue *near, *far;
	plait_buffer *x, *y;

	find_sharers(c, devices);
	near = conform_queue_on(c, devices[0], NULL);
	far = conform_queue_on(c, devices[1], NULL);
	x = buffer_on(c, devices[0]);
	y = buffer_on(c, devices[0]);
	NEED(plait_queue_fill(near, x, 0, BYTES, 3, 4, ERR));
	NEED(plait_queue_fill(near, y, 0, BYTES, 1, 4, ERR));
	NEED(plait_queue_finish(near, PLAIT_FOREVER, ERR));
	GIVES(plait_queue_copy(far, y, 0, x, 0, BYTES, ERR), PLAIT_OK);
	has_all(c, far, y, 3);
	GIVES(plait_queue_fill(far, x, 0, BYTES, 4, 4, ERR), PLAIT_OK);
	launch_there(c, far, x, y);
	has_all(c, far, y, 7);
	has_all(c, near, y, 7);
}

/* --- T3: direct links ------------------------------------------------------ */

static void copies(struct conform *c, plait_device *from, plait_device *to,
		   plait_device *by, int32_t value)
{
	plait_queue *source = conform_queue_on(c, from, NULL);
	plait_queue *queue = conform_queue_on(c, by, NULL);
	plait_buffer *x = buffer_on(c, from), *y = buffer_on(c, to);

	NEED(plait_queue_fill(source, x, 0, BYTES, (uint64_t)value, 4, ERR));
	NEED(plait_queue_finish(source, PLAIT_FOREVER, ERR));
	GIVES(plait_queue_copy(queue, y, 0, x, 0, BYTES, ERR), PLAIT_OK);
	NEED(plait_queue_finish(queue, PLAIT_FOREVER, ERR));
	has_all(c, conform_queue_on(c, to, NULL), y, value);
}

/* Each pair that is direct, on queues of both devices. */
static void direct(struct conform *c)
{
	struct ends ends;
	uint32_t from, to, found = 0;

	find_ends(c, c->context, &ends);
	for (from = 0; from + 1 < ends.count; from++)
		for (to = 0; to + 1 < ends.count; to++) {
			if (from == to ||
			    !(query(c, ends.all[from], ends.all[to]).flags &
			      PLAIT_LINK_DIRECT))
				continue;
			found++;
			copies(c, ends.all[from], ends.all[to],
			       ends.all[from], 5);
			copies(c, ends.all[from], ends.all[to], ends.all[to],
			       6);
		}
	if (found == 0)
		conform_skip(c, "no link between devices is direct");
}

static const struct conform_check checks[] = {
	{ "T1", "links are sane and stay the same", 0, told },
	{ "T2", "devices that share a memory use it without copies",
	  NEED_TWO_DEVICES | NEED_KERNELS, shared },
	{ "T3", "direct links carry copies", NEED_TWO_DEVICES, direct },
};

CONFORM_GROUP(conform_links, "Memories and links");
