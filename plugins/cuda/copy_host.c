/* SPDX-License-Identifier: MIT */
/*
 * Copies between memory of the host, by several threads: one copies more slowly
 * than the device transfers.  The caller, a thread of the driver, takes pieces
 * in turn with workers of the core; a worker that comes late finds none, so a busy
 * core delays nothing.  One copy at a time has helpers; others are done alone.
 */
#include <string.h>

#include "copy_host.h"

enum {
	PIECE_BYTES = 256 << 10,
	/* Smaller copies end before a worker is awake. */
	SHARED_BYTES = 1 << 20
};

/* --- pieces --------------------------------------------------------------- */

/* Returns false if none is left.  Caller holds the lock. */
static bool take_piece(struct cuda_copier *copier, uint64_t *out_at,
		       uint64_t *out_bytes)
{
	uint64_t left = copier->bytes - copier->taken;

	if (left == 0)
		return false;
	*out_at = copier->taken;
	*out_bytes = left < PIECE_BYTES ? left : PIECE_BYTES;
	copier->taken += *out_bytes;
	return true;
}

/* The memory stays until the piece is counted as copied. */
static void copy_pieces(struct cuda_copier *copier)
{
	uint64_t at, bytes;

	pthread_mutex_lock(&copier->lock);
	while (take_piece(copier, &at, &bytes)) {
		char *to = copier->to + at;
		const char *from = copier->from + at;

		pthread_mutex_unlock(&copier->lock);
		memcpy(to, from, bytes);
		pthread_mutex_lock(&copier->lock);
		copier->copied += bytes;
		if (copier->copied == copier->bytes)
			pthread_cond_signal(&copier->ended);
	}
	pthread_mutex_unlock(&copier->lock);
}

/* --- helpers -------------------------------------------------------------- */

static void unclaim_helper(struct cuda_helper *helper)
{
	pthread_mutex_lock(&helper->copier->lock);
	helper->requested = false;
	pthread_mutex_unlock(&helper->copier->lock);
}

/* Runs on a worker of the core. */
static int32_t help(void *arg)
{
	struct cuda_helper *helper = arg;

	unclaim_helper(helper);
	copy_pieces(helper->copier);
	return 0;
}

/* Returns true if the caller must request the helper. */
static bool claim_helper(struct cuda_helper *helper)
{
	bool claimed;

	pthread_mutex_lock(&helper->copier->lock);
	claimed = !helper->requested;
	helper->requested = true;
	pthread_mutex_unlock(&helper->copier->lock);
	return claimed;
}

/* A helper without memory for its request is not missed. */
static void request_helpers(plait_backend *self)
{
	plait_error ignored = { .size = sizeof(ignored) };
	struct cuda_copier *copier = &self->copier;
	uint32_t i;

	for (i = 0; i < copier->helper_count; i++) {
		struct cuda_helper *helper = &copier->helpers[i];

		if (claim_helper(helper) &&
		    plaitp_driven_submit_call(&self->driven, helper->lane, help,
					      helper, &ignored) != PLAIT_OK)
			unclaim_helper(helper);
	}
}

/* --- copies --------------------------------------------------------------- */

static bool begin(struct cuda_copier *copier, void *to, const void *from,
		  uint64_t bytes)
{
	bool free;

	pthread_mutex_lock(&copier->lock);
	free = copier->bytes == 0;
	if (free) {
		copier->to = to;
		copier->from = from;
		copier->bytes = bytes;
		copier->taken = 0;
		copier->copied = 0;
	}
	pthread_mutex_unlock(&copier->lock);
	return free;
}

/* Wait for the pieces that helpers have taken. */
static void end(struct cuda_copier *copier)
{
	pthread_mutex_lock(&copier->lock);
	while (copier->copied < copier->bytes)
		pthread_cond_wait(&copier->ended, &copier->lock);
	copier->bytes = 0;
	copier->taken = 0;
	pthread_mutex_unlock(&copier->lock);
}

void plaitp_cuda_copy_host(plait_backend *self, void *to, const void *from,
			   uint64_t bytes)
{
	struct cuda_copier *copier = &self->copier;

	if (copier->helper_count == 0 || bytes < SHARED_BYTES ||
	    !begin(copier, to, from, bytes)) {
		memcpy(to, from, bytes);
		return;
	}
	request_helpers(self);
	copy_pieces(copier);
	end(copier);
}

/* --- opening and closing -------------------------------------------------- */

void plaitp_cuda_init_copier(plait_backend *self)
{
	pthread_mutex_init(&self->copier.lock, NULL);
	pthread_cond_init(&self->copier.ended, NULL);
}

plait_status plaitp_cuda_open_copier(plait_backend *self, plait_error *error)
{
	const plait_queue_request request = { .size = sizeof(request),
					      .label = "cuda host copies" };
	struct cuda_copier *copier = &self->copier;
	uint32_t workers = self->services->worker_count(self->host);
	plait_status status = PLAIT_OK;
	uint32_t i;

	for (i = 0; i < CUDA_HELPERS && i < workers && !self->copies_alone;
	     i++) {
		struct cuda_helper *helper = &copier->helpers[i];

		helper->copier = copier;
		status = self->services->lane_create(self->host, &request,
						     &helper->lane, error);
		if (status != PLAIT_OK)
			break;
		copier->helper_count++;
	}
	return status;
}

void plaitp_cuda_close_copier(plait_backend *self)
{
	struct cuda_copier *copier = &self->copier;
	uint32_t i;

	for (i = 0; i < copier->helper_count; i++)
		self->services->lane_destroy(self->host,
					     copier->helpers[i].lane);
	pthread_cond_destroy(&copier->ended);
	pthread_mutex_destroy(&copier->lock);
}
