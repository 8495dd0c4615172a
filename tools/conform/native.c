/* SPDX-License-Identifier: MIT */
/*
 * Group B, continued: native handles of objects.  The kinds depend on the driver,
 * so each is queried; a handle must stay the same.
 */
#include "conform.h"

#include "plait/native.h"

enum { KINDS = 64, NO_KIND = 999 };

struct asked {
	plait_queue *queue;   /* or null */
	plait_buffer *buffer; /* or null; both null: the device */
};

static plait_status ask(struct conform *c, const struct asked *asked,
			uint32_t kind, uint64_t *out)
{
	if (asked->queue != NULL)
		return plait_queue_native(asked->queue, kind, out, ERR);
	if (asked->buffer != NULL)
		return plait_buffer_native(asked->buffer, kind, out, NULL, ERR);
	return plait_device_native(c->device, kind, out, ERR);
}

/* Return the number of kinds with a native handle. */
static int count_kinds(struct conform *c, const struct asked *asked)
{
	uint64_t first, again;
	plait_status status;
	int count = 0;

	for (uint32_t kind = 1; kind < KINDS; kind++) {
		status = ask(c, asked, kind, &first);
		HOLDS_THAT(status == PLAIT_OK ||
			   status == PLAIT_E_UNSUPPORTED,
			   "kind %u: %s, neither told nor refused", kind,
			   plait_status_name(status));
		HOLDS_THAT(ask(c, asked, kind, &again) == status &&
			   again == first, "kind %u is told the same twice",
			   kind);
		HOLDS_THAT(status != PLAIT_OK || asked->buffer == NULL ||
			   first != 0, "kind %u of memory is not null", kind);
		count += status == PLAIT_OK;
	}
	GIVES(ask(c, asked, NO_KIND, &first), PLAIT_E_UNSUPPORTED);
	return count;
}

static void refuse_strangers(struct conform *c)
{
	const plait_wrap_desc wrap = { .size = sizeof(wrap), .bytes = 64,
				       .native_kind = NO_KIND, .native = 64 };
	const plait_queue_desc desc = { .size = sizeof(desc),
					.native_kind = NO_KIND, .native = 64 };
	plait_buffer *buffer;
	plait_queue *queue;

	GIVES(plait_buffer_wrap(c->device, &wrap, &buffer, ERR),
	   PLAIT_E_UNSUPPORTED);
	GIVES(plait_queue_create(c->device, &desc, &queue, ERR),
	   PLAIT_E_UNSUPPORTED);
}

static void native_handles(struct conform *c)
{
	struct asked device = { NULL, NULL };
	struct asked queue = { conform_queue(c), NULL };
	struct asked buffer = { NULL, conform_buffer(c, 4096) };
	uint64_t one, other;

	HOLDS(count_kinds(c, &device) + count_kinds(c, &queue) +
	      count_kinds(c, &buffer) > 0);
	/* An address of memory is the address of its mapping. */
	if (ask(c, &buffer, PLAIT_NATIVE_POINTER, &one) == PLAIT_OK) {
		buffer.buffer = conform_buffer(c, 4096);
		NEED(ask(c, &buffer, PLAIT_NATIVE_POINTER, &other));
		HOLDS(one != other);
	}
	refuse_strangers(c);
}

static const struct conform_check checks[] = {
	{ "B12", "native handles: told the same each time, or refused",
	  NEED_NATIVE, native_handles },
};

CONFORM_GROUP(conform_natives, "buffers, to the system below");
