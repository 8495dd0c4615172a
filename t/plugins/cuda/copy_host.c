/* SPDX-License-Identifier: MIT */
/*
 * Host copies by several threads: workers that help at once, beside the caller, too
 * late or never; another copy under way.  Lanes are stubs.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "copy_host.h"
#include "lib/tap.h"

enum { MIB = 1 << 20, BYTES = 4 * MIB + 4097, TURNS = 20 };
/* Workers with which the third lane cannot be made. */
enum { FEW_LANES = 4 };

/* ---- the core ---- */

static enum { AT_ONCE, BESIDE, LATER, REFUSED } mode;
static uint32_t workers;
static int submitted;
static struct {
	int32_t (*function)(void *);
	void *arg;
	pthread_t thread;
} calls[CUDA_HELPERS * TURNS];

static void *run(void *arg)
{
	int i = *(int *)arg;

	free(arg);
	(void)calls[i].function(calls[i].arg);
	return NULL;
}

plait_status plaitp_driven_submit_call(struct driven *self,
				       plait_backend_queue *lane,
				       int32_t (*function)(void *),
				       void *user_data, plait_error *error)
{
	int *number;

	(void)self;
	(void)lane;
	(void)error;
	if (mode == REFUSED)
		return PLAIT_E_NOMEM;
	calls[submitted].function = function;
	calls[submitted].arg = user_data;
	number = malloc(sizeof(*number));
	*number = submitted++;
	if (mode == BESIDE)
		OK(pthread_create(&calls[*number].thread, NULL, run,
				  number) == 0);
	else if (mode == AT_ONCE)
		(void)run(number);
	else
		free(number);
	return PLAIT_OK;
}

static uint32_t count_workers(plait_host *host)
{
	(void)host;
	return workers;
}

static int lanes, most_lanes;

static plait_status create_lane(plait_host *host,
				const plait_queue_request *request,
				plait_backend_queue **out, plait_error *error)
{
	(void)host;
	(void)request;
	(void)error;
	*out = NULL;
	if (lanes == most_lanes)
		return PLAIT_E_NOMEM;
	lanes++;
	return PLAIT_OK;
}

static void destroy_lane(plait_host *host, plait_backend_queue *lane)
{
	(void)host;
	(void)lane;
	lanes--;
}

/* ---- copies ---- */

static plait_host_services services;
static plait_backend backend;
static char from[BYTES], to[BYTES];

static plait_status open_copier(uint32_t with_workers, bool alone)
{
	plait_error error = { .size = sizeof(error) };

	services.worker_count = count_workers;
	services.lane_create = create_lane;
	services.lane_destroy = destroy_lane;
	memset(&backend, 0, sizeof(backend));
	backend.services = &services;
	backend.copies_alone = alone;
	workers = with_workers;
	most_lanes = workers == FEW_LANES ? 2 : CUDA_HELPERS;
	submitted = 0;
	for (size_t i = 0; i < BYTES; i++)
		from[i] = (char)(i * 7 + i / 251);
	plaitp_cuda_init_copier(&backend);
	return plaitp_cuda_open_copier(&backend, &error);
}

static void close_copier(void)
{
	plaitp_cuda_close_copier(&backend);
	IS_INT(lanes, 0);
}

static void check_copy(uint64_t bytes)
{
	memset(to, 0, sizeof(to));
	plaitp_cuda_copy_host(&backend, to, from, bytes);
	OK_THAT(memcmp(to, from, bytes) == 0, "%d bytes", (int)bytes);
	OK(bytes == BYTES || to[bytes] == 0);
	IS_UINT(backend.copier.bytes, 0);
}

/* The first helper copies all of it. */
static void at_once(void)
{
	mode = AT_ONCE;
	OK(open_copier(8, false) == PLAIT_OK);
	check_copy(BYTES);
	IS_INT(submitted, CUDA_HELPERS);
	check_copy(MIB);
	IS_INT(submitted, 2 * CUDA_HELPERS);
	check_copy(MIB - 1);
	IS_INT(submitted, 2 * CUDA_HELPERS);
	close_copier();
}

static void beside(void)
{
	mode = BESIDE;
	OK(open_copier(2, false) == PLAIT_OK);
	IS_UINT(backend.copier.helper_count, 2);
	for (int i = 0; i < TURNS; i++)
		check_copy(BYTES - (uint64_t)i);
	for (int i = 0; i < submitted; i++)
		OK(pthread_join(calls[i].thread, NULL) == 0);
	close_copier();
}

/* Workers come when the copy has ended, and are requested once. */
static void later(void)
{
	mode = LATER;
	OK(open_copier(1, false) == PLAIT_OK);
	check_copy(BYTES);
	check_copy(BYTES);
	IS_INT(submitted, 1);
	memset(to, 0, sizeof(to));
	(void)calls[0].function(calls[0].arg);
	OK(to[0] == 0 && to[BYTES - 1] == 0);
	check_copy(BYTES);
	IS_INT(submitted, 2);
	close_copier();
}

static void refused(void)
{
	mode = REFUSED;
	OK(open_copier(8, false) == PLAIT_OK);
	check_copy(BYTES);
	check_copy(BYTES);
	close_copier();
}

static void alone(void)
{
	mode = AT_ONCE;
	OK(open_copier(0, false) == PLAIT_OK);
	check_copy(BYTES);
	IS_INT(submitted, 0);
	close_copier();
	OK(open_copier(8, true) == PLAIT_OK);
	check_copy(BYTES);
	IS_INT(submitted, 0);
	close_copier();
}

static void no_lane(void)
{
	IS_INT(open_copier(FEW_LANES, false), PLAIT_E_NOMEM);
	close_copier();
}

/* A copy while another is under way is the caller's. */
static void another(void)
{
	mode = AT_ONCE;
	OK(open_copier(1, false) == PLAIT_OK);
	backend.copier.bytes = backend.copier.taken = MIB;
	memset(to, 0, sizeof(to));
	plaitp_cuda_copy_host(&backend, to, from, BYTES);
	OK(memcmp(to, from, BYTES) == 0);
	IS_INT(submitted, 0);
	IS_UINT(backend.copier.bytes, MIB);
	close_copier();
}

static const struct tap_scenario all[] = {
	{ "at once", at_once },
	{ "beside", beside },
	{ "later", later },
	{ "refused", refused },
	{ "alone", alone },
	{ "no lane", no_lane },
	{ "another", another },
};
TAP_MAIN(all)
