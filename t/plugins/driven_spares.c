/* SPDX-License-Identifier: MIT */
/* Memory of batches that have ended: which later ones get it, and how much is kept. */
#include "driven/driven.h"

#include "lib/tap.h"

#include <stdlib.h>

enum { BYTES = (sizeof(driven_batch) + 63) / 64 * 64 };

static uint64_t held, made;

static void *resize(plait_host *host, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	(void)host;
	held += new_bytes - old_bytes;
	made += new_bytes != 0;
	if (new_bytes != 0)
		return malloc(new_bytes);
	free(pointer);
	return NULL;
}

static const plait_host_services services = { .size = sizeof(services),
					      .resize = resize };
static struct driven self;

static void begin(void)
{
	self = (struct driven){ .services = &services };
	pthread_mutex_init(&self.completion_lock, NULL);
	held = made = 0;
}

static void end(void)
{
	plaitp_driven_spares_free(&self);
	pthread_mutex_destroy(&self.completion_lock);
	IS_UINT(held, 0);
}

/* A list of so many blocks. */
static driven_batch *take(uint32_t count, uint64_t bytes)
{
	driven_batch *list = NULL;

	while (count-- > 0) {
		driven_batch *one = plaitp_driven_spares_take(&self, bytes);

		one->total_bytes = bytes;
		one->next = list;
		list = one;
	}
	return list;
}

/* Blocks of this size that are kept, of so many. */
static uint64_t kept(uint64_t count, uint64_t bytes)
{
	const uint64_t most = bytes <= DRIVEN_SPARE_BYTES ? DRIVEN_SPARES : 0;

	return count < most ? count : most;
}

static void come_again(void)
{
	begin();
	plaitp_driven_spares_give(&self, take(5, BYTES));
	IS_UINT(held, kept(5, BYTES) * BYTES);
	plaitp_driven_spares_give(&self, take(5, BYTES));
	IS_UINT(made, 10 - kept(5, BYTES));
	plaitp_driven_spares_give(&self, NULL);
	end();
}

static void has_limits(void)
{
	begin();
	plaitp_driven_spares_give(&self, take(2 * DRIVEN_SPARES, BYTES));
	IS_UINT(held, kept(2 * DRIVEN_SPARES, BYTES) * BYTES);
	plaitp_driven_spares_give(&self, take(1, 2 * 4096));
	IS_UINT(held, kept(2 * DRIVEN_SPARES, BYTES) * BYTES);
	end();
}

/* Both sizes have the same list, which is the first one's, until the other one is asked
 * for twice in a row. */
static void of_one_size(void)
{
	const uint64_t other = BYTES + sizeof(void *) * DRIVEN_SPARE_SIZES;
	driven_batch *both;

	begin();
	both = take(1, BYTES);
	both->next = take(1, other);
	plaitp_driven_spares_give(&self, both);
	IS_UINT(held, kept(1, BYTES) * BYTES);
	plaitp_driven_spares_give(&self, take(1, other));
	IS_UINT(made, 3);
	IS_UINT(held, kept(1, BYTES) * BYTES);
	plaitp_driven_spares_give(&self, take(1, BYTES));
	IS_UINT(made, 4 - kept(1, BYTES));
	plaitp_driven_spares_give(&self, take(1, other));
	plaitp_driven_spares_give(&self, take(1, other));
	IS_UINT(held, kept(1, other) * other);
	plaitp_driven_spares_give(&self, take(1, other));
	IS_UINT(made, 7 - kept(1, BYTES) - kept(1, other));
	end();
}

static const struct tap_scenario all[] = {
	{ "come again", come_again },
	{ "limits", has_limits },
	{ "of one size", of_one_size },
};

TAP_MAIN(all)
