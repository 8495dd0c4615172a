/* SPDX-License-Identifier: MIT */
/* Kernels on the host in every form: fixed, in ranges, and C functions that a
 * signature describes, with every type going in and every result coming out. */
#include "lib/kernels.h"

#include "sys/atomic.h"

#include <limits.h>
#include <time.h>

/* --- described functions */

#ifdef HAVE_LIBFFI

static plait_any_function any(void (*function)(void))
{
	return function;
}

/* Arguments as the functions saw them. */
static struct seen {
	int8_t i8;
	int16_t i16;
	int32_t i32;
	int64_t i64;
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	uint64_t u64;
	float f32;
	double f64;
	bool yes;
	bool no;
	char c;
	void *pointer;
	const char *text;
} seen;

static void see(int8_t i8, int16_t i16, int32_t i32, int64_t i64, uint8_t u8,
		uint16_t u16, uint32_t u32, uint64_t u64, float f32,
		double f64, bool yes, bool no, char c, void *pointer,
		const char *text)
{
	seen = (struct seen){ i8, i16, i32, i64, u8, u16, u32, u64, f32, f64,
			      yes, no, c, pointer, text };
}

static void check_seen(const struct seen *want)
{
	IS_INT(seen.i8, want->i8);
	IS_INT(seen.i16, want->i16);
	IS_INT(seen.i32, want->i32);
	IS_INT(seen.i64, want->i64);
	IS_UINT(seen.u8, want->u8);
	IS_UINT(seen.u16, want->u16);
	IS_UINT(seen.u32, want->u32);
	IS_UINT(seen.u64, want->u64);
	OK(seen.f32 == want->f32 && seen.f64 == want->f64);
	OK(seen.yes && !seen.no && seen.c == want->c);
	IS_PTR(seen.pointer, want->pointer);
	IS_PTR(seen.text, want->text);
}

static void every_type(void)
{
	static int thing;
	struct seen give = { INT8_MIN, INT16_MIN, INT32_MIN, INT64_MIN,
			     UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX,
			     1.5f, -2.25, true, false, (char)200, &thing,
			     "text" };
	plait_argument arguments[] = {
		VALUE(give.i8), VALUE(give.i16), VALUE(give.i32),
		VALUE(give.i64), VALUE(give.u8), VALUE(give.u16),
		VALUE(give.u32), VALUE(give.u64), VALUE(give.f32),
		VALUE(give.f64), VALUE(give.yes), VALUE(give.no),
		VALUE(give.c), VALUE(give.pointer), VALUE(give.text),
	};
	plait_kernel *kernel;

	EACH(rig) {
		memset(&seen, 0, sizeof(seen));
		kernel = make_kernel(rig, (plait_kernel_desc){
			.signature = "see(a: i8, b: i16, c: i32, d: sint64, "
				     "e: u8, f: u16, g: uint32, h: u64, "
				     "i: float, j: double, k: bool, l: bool, "
				     "m: char, n: pointer, o: string)",
			.described = any((void (*)(void))see) });
		OK_THAT(kernel != NULL, "%s", rig->error.text);
		IS_INT(launch_it(rig, kernel, NULL, arguments,
				 TAP_COUNT(arguments)), PLAIT_OK);
		check_seen(&give);
		plait_kernel_release(kernel);
		close_rig(rig);
	}
}

/* More than any register takes. */
static double sum;

static void add_up(double a, uint8_t b, double c, uint8_t d, double e,
		   uint8_t f, double g, uint8_t h, double i, uint8_t j,
		   double k, uint8_t l, double m, uint8_t n, double o,
		   uint8_t p, double q, uint8_t r, float s, int64_t t)
{
	sum = a + 2 * c + 3 * e + 4 * g + 5 * i + 6 * k + 7 * m + 8 * o +
	      9 * q + (double)s + (double)t +
	      10 * (b + d + f + h + j + l + n + p + r);
}

static void many_arguments(void)
{
	static const char signature[] =
		"add_up(a: f64, b: u8, c: f64, d: u8, e: f64, f: u8, g: f64, "
		"h: u8, i: f64, j: u8, k: f64, l: u8, m: f64, n: u8, o: f64, "
		"p: u8, q: f64, r: u8, s: f32, t: i64)";
	plait_argument arguments[20];
	double f64[9] = { 1, 2, 3, 4, 5, 6, 7, 8, 9 };
	uint8_t u8[9] = { 255, 1, 1, 1, 1, 1, 1, 1, 1 };
	float f32 = 0.5f;
	int64_t i64 = -1000;
	plait_kernel *kernel;

	for (int i = 0; i < 9; i++) {
		arguments[2 * i] = VALUE(f64[i]);
		arguments[2 * i + 1] = VALUE(u8[i]);
	}
	arguments[18] = VALUE(f32);
	arguments[19] = VALUE(i64);
	EACH(rig) {
		sum = 0;
		kernel = make_kernel(rig, (plait_kernel_desc){
			.signature = signature,
			.described = any((void (*)(void))add_up) });
		OK_THAT(kernel != NULL, "%s", rig->error.text);
		IS_INT(launch_it(rig, kernel, NULL, arguments, 20), PLAIT_OK);
		OK_THAT(sum == 285 + 0.5 - 1000 + 2630, "%g", sum);
		plait_kernel_release(kernel);
		close_rig(rig);
	}
}

static void saxpy(float a, const float *x, float *y, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		y[i] += a * x[i];
}

static void memory(void)
{
	enum { N = 1000 };
	static float x[N], y[N];

	EACH(rig) {
		plait_buffer *one = make_buffer(rig, sizeof(x), "x");
		plait_buffer *two = make_buffer(rig, sizeof(y) + 16, "y");
		float a = 3;
		uint64_t n = N;
		plait_argument arguments[] = { VALUE(a), memory_of(one, 0),
					       memory_of(two, 16), VALUE(n) };
		plait_kernel *kernel = make_kernel(rig, (plait_kernel_desc){
			.signature = "saxpy(a: f32, x: const pointer f32, "
				     "y: inout pointer f32, n: u64)",
			.described = any((void (*)(void))saxpy) });
		int wrong = 0;

		for (int i = 0; i < N; i++)
			x[i] = (float)i, y[i] = 1;
		IS_INT(plait_queue_write(rig->queue, one, 0, x, sizeof(x),
					 &rig->error), PLAIT_OK);
		IS_INT(plait_queue_write(rig->queue, two, 16, y, sizeof(y),
					 &rig->error), PLAIT_OK);
		IS_INT(launch_it(rig, kernel, NULL, arguments, 4), PLAIT_OK);
		IS_INT(plait_queue_read(rig->queue, two, 16, y, sizeof(y),
					&rig->error), PLAIT_OK);
		for (int i = 0; i < N; i++)
			wrong += y[i] != 1 + 3 * (float)i;
		IS_INT(wrong, 0);
		plait_kernel_release(kernel);
		plait_buffer_release(one);
		plait_buffer_release(two);
		close_rig(rig);
	}
}

/* --- results */

static void return_nothing(void) {}
static bool return_bool(int64_t value) { return value != 0; }
static int8_t return_i8(int64_t value) { return (int8_t)value; }
static int16_t return_i16(int64_t value) { return (int16_t)value; }
static int32_t return_i32(int64_t value) { return (int32_t)value; }
static int64_t return_i64(int64_t value) { return value; }
static uint8_t return_u8(int64_t value) { return (uint8_t)value; }
static uint16_t return_u16(int64_t value) { return (uint16_t)value; }
static uint32_t return_u32(int64_t value) { return (uint32_t)value; }
static uint64_t return_u64(int64_t value) { return (uint64_t)value; }

static const struct result {
	const char *type;
	void (*function)(void);
	int64_t value;
	int64_t origin;
} results[] = {
	{ "void", return_nothing, 5, 0 },
	{ "bool", (void (*)(void))return_bool, 9, 1 },
	{ "bool", (void (*)(void))return_bool, 0, 0 },
	{ "i8", (void (*)(void))return_i8, -3, -3 },
	{ "char", (void (*)(void))return_i8, 3, 3 },
	{ "i16", (void (*)(void))return_i16, -300, -300 },
	{ "i32", (void (*)(void))return_i32, 0, 0 },
	{ "i32", (void (*)(void))return_i32, INT32_MIN, INT32_MIN },
	{ "i64", (void (*)(void))return_i64, 77, 77 },
	{ "i64", (void (*)(void))return_i64, (int64_t)1 << 40, INT32_MAX },
	{ "i64", (void (*)(void))return_i64, INT64_MIN, INT32_MIN },
	{ "u8", (void (*)(void))return_u8, 255, 255 },
	{ "uint16", (void (*)(void))return_u16, 65535, 65535 },
	{ "u32", (void (*)(void))return_u32, 0xffffffff, INT32_MAX },
	{ "u64", (void (*)(void))return_u64, 4, 4 },
	{ "u64", (void (*)(void))return_u64, INT64_MIN, INT32_MAX },
	/* The bits above a narrow result are undefined. */
	{ "i8", (void (*)(void))return_i32, 0x7fffff00, 0 },
	{ "u8", (void (*)(void))return_i32, 0x1234ff02, 2 },
	{ "bool", (void (*)(void))return_i32, 0x100, 0 },
	{ "i16", (void (*)(void))return_i32, 0x10000, 0 },
};

static void check_result(struct rig *rig, const struct result *result)
{
	plait_argument argument = VALUE(result->value);
	plait_kernel *kernel;
	plait_status status;
	char signature[64];

	(void)snprintf(signature, sizeof(signature), "give(x: i64): %s",
		       result->type);
	kernel = make_kernel(rig, (plait_kernel_desc){
		.signature = signature, .described = result->function });
	status = launch_it(rig, kernel, NULL, &argument, 1);
	IS_INT(status, result->origin != 0 ? PLAIT_E_FAILED : PLAIT_OK);
	if (status != PLAIT_OK) {
		IS_INT(rig->error.origin, result->origin);
		HAS_STR(rig->error.text, "\"give\"");
	}
	plait_kernel_release(kernel);
}

static void every_result(void)
{
	EACH(rig) {
		for (size_t i = 0; i < TAP_COUNT(results); i++)
			check_result(rig, &results[i]);
		close_rig(rig);
	}
}

/* --- one signature, many threads */

enum { THREADS = 4, ROUNDS = 50 };

static void *use_signature(void *arg)
{
	struct rig *rig = arg;
	plait_error error = { .size = sizeof(error) };
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .signature = "f(x: i64): i32",
				   .described =
					   (plait_any_function)return_i32 };
	plait_kernel *kernel;
	intptr_t wrong = 0;
	int64_t value = 0;
	plait_argument argument = VALUE(value);

	for (int i = 0; i < ROUNDS; i++) {
		if (plait_kernel_create(rig->context, &desc, &kernel,
					&error) != PLAIT_OK) {
			wrong++;
			continue;
		}
		wrong += plait_queue_launch(rig->queue, kernel, NULL,
					    &argument, 1, &error) != PLAIT_OK;
		plait_kernel_release(kernel);
	}
	return (void *)wrong;
}

static void many_threads(void)
{
	struct rig *rig = &settings[0];
	pthread_t threads[THREADS];
	void *wrong;

	if (!open_rig(rig))
		return;
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, use_signature, rig);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &wrong);
		OK(wrong == NULL);
	}
	IS_INT(plait_queue_finish(rig->queue, PLAIT_FOREVER, &rig->error),
	       PLAIT_OK);
	close_rig(rig);
}

static void end_thread(void)
{
	pthread_exit(NULL);
}

/* Without workers a waiting thread does the work: then that thread would
 * end. */
static void ends_its_thread(void)
{
	struct rig *rig = &settings[0];
	plait_kernel *kernel;

	if (!open_rig(rig))
		return;
	kernel = make_kernel(rig, (plait_kernel_desc){
		.signature = "leave()", .described = end_thread });
	IS_INT(launch_it(rig, kernel, NULL, NULL, 0), PLAIT_E_FAILED);
	HAS_STR(rig->error.text, "\"leave\"");
	plait_kernel_release(kernel);
	close_rig(rig);
}

#else

static void nothing(void) {}

static void no_libffi(void)
{
	plait_kernel *kernel;

	EACH(rig) {
		kernel = make_kernel(rig, (plait_kernel_desc){
			.signature = "f()", .described = nothing });
		OK(kernel == NULL);
		IS_INT(rig->error.status, PLAIT_E_UNSUPPORTED);
		HAS_STR(rig->error.text, "libffi");
		close_rig(rig);
	}
}

#endif

/* --- the other forms */

static int32_t fill_fixed(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	uint8_t *bytes = *(uint8_t **)arguments[0];

	for (uint64_t i = 0; i < launch->items[0]; i++)
		bytes[i]++;
	return (int32_t)(intptr_t)user_data;
}

static int32_t fill_range(const plait_range *range, void *const *arguments,
			  const plait_launch *launch, void *user_data)
{
	uint8_t *bytes = *(uint8_t **)arguments[0];

	if (range->size != sizeof(*range) ||
	    range->dimensions != launch->dimensions)
		return 99;
	for (uint64_t z = range->begin[2]; z < range->end[2]; z++)
		for (uint64_t y = range->begin[1]; y < range->end[1]; y++)
			for (uint64_t x = range->begin[0]; x < range->end[0];
			     x++)
				bytes[x + launch->items[0] *
				      (y + launch->items[1] * z)]++;
	return (int32_t)(intptr_t)user_data;
}

static void check_bytes(struct rig *rig, plait_buffer *buffer, uint64_t count)
{
	static uint8_t bytes[4096];
	int wrong = 0;

	IS_INT(plait_queue_read(rig->queue, buffer, 0, bytes, sizeof(bytes),
				&rig->error), PLAIT_OK);
	for (uint64_t i = 0; i < sizeof(bytes); i++)
		wrong += bytes[i] != (i < count ? 1 : 0);
	IS_INT(wrong, 0);
}

static void try_form(struct rig *rig, plait_kernel_desc desc, int32_t result,
		     plait_launch launch, uint64_t items)
{
	plait_buffer *buffer = make_buffer(rig, 4096, "bytes");
	plait_argument argument = memory_of(buffer, 0);
	plait_kernel *kernel;

	desc.signature = "fill(x: pointer u8)";
	desc.user_data = (void *)(intptr_t)result;
	kernel = make_kernel(rig, desc);
	IS_INT(plait_queue_fill(rig->queue, buffer, 0, 4096, 0, 1,
				&rig->error), PLAIT_OK);
	launch.size = sizeof(launch);
	IS_INT(launch_it(rig, kernel, &launch, &argument, 1),
	       result != 0 ? PLAIT_E_FAILED : PLAIT_OK);
	IS_INT(rig->error.origin, result);
	check_bytes(rig, buffer, items);
	rig->error.origin = 0;
	plait_kernel_release(kernel);
	plait_buffer_release(buffer);
}

static void other_forms(void)
{
	const plait_kernel_desc fixed = { .function = fill_fixed };
	const plait_kernel_desc range = { .range = fill_range };

	EACH(rig) {
		try_form(rig, fixed, 0, (plait_launch){ .items = { 4096 } },
			 4096);
		try_form(rig, fixed, -5, (plait_launch){ .items = { 7 } }, 7);
		try_form(rig, range, 0, (plait_launch){ .items = { 4096 } },
			 4096);
		try_form(rig, range, 0, (plait_launch){
			.dimensions = 2, .items = { 61, 67 },
			.group = { 8, 8 } }, 61 * 67);
		try_form(rig, range, 0, (plait_launch){
			.dimensions = 3, .items = { 3, 5, 113 } },
			 3 * 5 * 113);
		try_form(rig, range, 0, (plait_launch){ .items = { 0 } }, 1);
		close_rig(rig);
	}
}

/* A kernel whose launches cost next to nothing until `is_dear`. */
static struct {
	at_u32 ranges;		/* calls of the current launch */
	bool is_dear;
} growing;

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int32_t grow(const plait_range *range, void *const *arguments,
		    const plait_launch *launch, void *user_data)
{
	uint64_t end = now_ns() +
		       50 * (range->end[0] - range->begin[0]);

	(void)arguments;
	(void)launch;
	(void)user_data;
	at_add_u32(&growing.ranges, 1);
	while (growing.is_dear && now_ns() < end)
		continue;
	return 0;
}

/* Returns the number of `count` launches that were divided. */
static int count_divided(struct rig *rig, plait_kernel *kernel, int count)
{
	const plait_launch launch = { .size = sizeof(launch),
				      .items = { 4096 } };
	int divided = 0;

	for (int i = 0; i < count; i++) {
		at_store_relaxed_u32(&growing.ranges, 0);
		IS_INT(launch_it(rig, kernel, &launch, NULL, 0), PLAIT_OK);
		divided += at_load_relaxed_u32(&growing.ranges) > 1;
	}
	return divided;
}

/* Short launches are timed at times, so that one that has become long is
 * divided soon. */
static void short_and_long(void)
{
	const plait_kernel_desc desc = { .signature = "grow()",
					 .range = grow };

	EACH(rig) {
		plait_kernel *kernel = make_kernel(rig, desc);
		int divided;

		growing.is_dear = false;
		(void)count_divided(rig, kernel, 100);
		growing.is_dear = true;
		divided = count_divided(rig, kernel, 200);
		if (rig->workers != 0 && strcmp(rig->backend, "host") == 0)
			OK(divided > 50);
		plait_kernel_release(kernel);
		close_rig(rig);
	}
}

/* --- invalid descriptors */

static void check_refused(struct rig *rig, plait_kernel_desc desc,
			  const char *part)
{
	plait_kernel *kernel = make_kernel(rig, desc);

	OK(kernel == NULL);
	IS_INT(rig->error.status, PLAIT_E_INVALID);
	HAS_STR(rig->error.text, part);
}

static void bad_descriptors(void)
{
	struct rig *rig = &settings[1];

	if (!open_rig(rig))
		return;
	check_refused(rig, (plait_kernel_desc){ .signature = "f()" },
		      "no implementation");
	check_refused(rig, (plait_kernel_desc){
		.signature = "f()", .function = fill_fixed,
		.range = fill_range }, "2 implementations");
	check_refused(rig, (plait_kernel_desc){
		.signature = "f()", .function = fill_fixed,
		.library = "libm.so.6" }, "2 implementations");
	check_refused(rig, (plait_kernel_desc){
		.signature = "f()", .function = fill_fixed, .symbol = "f" },
		      "symbol is set, which is for a library");
	check_refused(rig, (plait_kernel_desc){
		.signature = "f()", .function = fill_fixed, .form = 1 },
		      "form is set, which is for a library");
	check_refused(rig, (plait_kernel_desc){
		.signature = "f()", .library = "libm.so.6", .form = 3 },
		      "form 3 is not one of");
	check_refused(rig, (plait_kernel_desc){
		.signature = "f(x: f33)", .function = fill_fixed },
		      "byte 6: \"f33\" is not a type");
	close_rig(rig);
}

static const struct tap_scenario all[] = {
#ifdef HAVE_LIBFFI
	{ "every type goes in", every_type },
	{ "more arguments than registers", many_arguments },
	{ "memory goes in and out", memory },
	{ "every result comes out", every_result },
	{ "one signature on many threads", many_threads },
	{ "one that ends its thread has failed", ends_its_thread },
#else
	{ "described functions need libffi", no_libffi },
#endif
	{ "fixed and range forms", other_forms },
	{ "short launches that become long are divided", short_and_long },
	{ "bad descriptors", bad_descriptors },
};
TAP_MAIN(all)
