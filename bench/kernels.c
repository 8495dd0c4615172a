/* SPDX-License-Identifier: MIT */
/*
 * Overhead of a kernel call, in each form, beside the call without plait: direct,
 * and by ffi_call.  Then a range kernel beside a plain loop over the same memory.
 * All variants alternate in one process; prints minimum and median of many batches.
 */
#include "ffi/ffi_call.h"
#include "object/kernel/host_code.h"
#include "base/alloc.h"
#include "pool/pool.h"
#include "sys/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAVE_LIBFFI
#include <ffi.h>
#endif

enum { ROUNDS = 201, CALLS = 20000, ITEMS = 1 << 20 };

static volatile double sink;

static int32_t work(double a, const double *x, double *y, uint64_t n,
		    int32_t k)
{
	y[0] = a + x[0] + (double)n;
	return k;
}

static int32_t work_fixed(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)launch;
	(void)user_data;
	return work(*(double *)arguments[0], *(double **)arguments[1],
		    *(double **)arguments[2], *(uint64_t *)arguments[3],
		    *(int32_t *)arguments[4]);
}

/* --- measured operations */

static double a = 1, cells[4], *x = cells, *y = cells + 2;
static uint64_t n = 3;
static int32_t k;
static void *arguments[] = { &a, &x, &y, &n, &k };
static const plait_launch one = { .size = sizeof(one), .dimensions = 1,
				  .items = { 1, 1, 1 } };
static int32_t (*volatile direct)(double, const double *, double *, uint64_t,
				  int32_t) = work;
static plait__host_code fixed = { .form = PLAIT_FORM_FIXED,
			     .function = work_fixed };
static plait__host_code described;
static plait__host_code ranged;
static float *numbers;
static float *numbers_argument[1];

static void call_direct(void)
{
	for (int i = 0; i < CALLS; i++)
		k = direct(a, x, y, n, k);
}

static void call_code(plait__host_code *code)
{
	void *data;
	plait_kernel_function function = plait__host_code_launch_function(code, &data);

	for (int i = 0; i < CALLS; i++)
		k = function(arguments, &one, data);
}

static void call_fixed(void)
{
	call_code(&fixed);
}

#ifdef HAVE_LIBFFI
static ffi_cif cif;

static void call_bare(void)
{
	ffi_arg result;

	for (int i = 0; i < CALLS; i++) {
		ffi_call(&cif, (void (*)(void))work, &result, arguments);
		k = (int32_t)result;
	}
}

static void call_described(void)
{
	call_code(&described);
}
#endif

static int32_t scale_range(const plait_range *range,
			   void *const *given, const plait_launch *launch,
			   void *user_data)
{
	float *values = *(float *const *)given[0];

	(void)launch;
	(void)user_data;
	for (uint64_t i = range->begin[0]; i < range->end[0]; i++)
		values[i] = values[i] * 0.5f + 1;
	return 0;
}

static const plait_launch many = { .size = sizeof(many), .dimensions = 1,
				   .items = { ITEMS, 1, 1 } };

static void loop_plain(void)
{
	const plait_range all = { .size = sizeof(all), .dimensions = 1,
				  .end = { ITEMS, 1, 1 } };
	void *given[] = { numbers_argument };

	(void)scale_range(&all, given, &many, NULL);
}

static void loop_ranged(void)
{
	void *given[] = { numbers_argument };
	void *data;

	(void)plait__host_code_launch_function(&ranged, &data)(given, &many, data);
}

/* --- measuring */

static const struct variant {
	const char *name;
	void (*run)(void);
	uint64_t each;
} variants[] = {
	{ "direct call", call_direct, CALLS },
	{ "fixed form", call_fixed, CALLS },
#ifdef HAVE_LIBFFI
	{ "bare ffi_call, 5 arguments", call_bare, CALLS },
	{ "described form, the same", call_described, CALLS },
#endif
	{ "plain loop, 1048576 floats", loop_plain, 1 },
	{ "range form, caller and workers", loop_ranged, 1 },
};

enum { VARIANTS = sizeof(variants) / sizeof(variants[0]) };

static double times[VARIANTS][ROUNDS];

static int compare(const void *left, const void *right)
{
	double one_time = *(const double *)left;
	double other = *(const double *)right;

	return (one_time > other) - (one_time < other);
}

static void measure(void)
{
	for (int round = 0; round < ROUNDS; round++) {
		for (int v = 0; v < VARIANTS; v++) {
			uint64_t start = plait__clock_now_ns();

			variants[v].run();
			times[v][round] = (double)(plait__clock_now_ns() -
						   start) /
					  (double)variants[v].each;
		}
	}
	sink = y[0];
	for (int v = 0; v < VARIANTS; v++) {
		qsort(times[v], ROUNDS, sizeof(times[v][0]), compare);
		printf("%-34s min %10.1f ns  median %10.1f ns\n",
		       variants[v].name, times[v][0], times[v][ROUNDS / 2]);
	}
}

#ifdef HAVE_LIBFFI
static int prepare_described(void)
{
	static const plait__ffi_type types[] = {
		PLAIT__FFI_F64, PLAIT__FFI_POINTER, PLAIT__FFI_POINTER,
		PLAIT__FFI_U64, PLAIT__FFI_I32
	};
	static ffi_type *bare[] = { &ffi_type_double, &ffi_type_pointer,
				    &ffi_type_pointer, &ffi_type_uint64,
				    &ffi_type_sint32 };
	plait__ffi_shape *shape;

	if (plait__ffi_shape_create(plait__alloc_default(), types, NULL, 5,
					PLAIT__FFI_I32, &shape, NULL) !=
		    PLAIT_OK ||
	    ffi_prep_cif(&cif, FFI_DEFAULT_ABI, 5, &ffi_type_sint32, bare) !=
		    FFI_OK)
		return 0;
	described = (plait__host_code){ .form = PLAIT_FORM_DESCRIBED,
				   .described = (plait_any_function)work,
				   .shape = shape };
	return 1;
}
#else
static int prepare_described(void)
{
	return described.form == 0;
}
#endif

int main(int argc, char **argv)
{
	uint32_t workers = argc > 1 ? (uint32_t)atoi(argv[1]) : 1;
	plait_error error = { .size = sizeof(error) };
	plait__pool *pool;
	plait__parallel_for *team;

	numbers = calloc(ITEMS, sizeof(*numbers));
	numbers_argument[0] = numbers;
	if (numbers == NULL || !prepare_described() ||
	    plait__pool_create(plait__alloc_default(), workers, &pool,
			       &error) != PLAIT_OK ||
	    plait__parallel_for_create(pool, plait__alloc_default(), &team,
				       &error) != PLAIT_OK) {
		fprintf(stderr, "kernels: %s\n", error.text);
		return 1;
	}
	ranged = (plait__host_code){ .form = PLAIT_FORM_RANGE,
				.range = scale_range, .team = team };
	printf("%u workers beside the caller\n", workers);
	measure();
	plait__parallel_for_destroy(team);
	plait__pool_destroy(pool);
	free(numbers);
	return 0;
}
