/* SPDX-License-Identifier: MIT */
/* Plans as C functions: arguments and results, errors, the order of releases,
 * and threads. */
#include "callables.h"

#ifdef HAVE_LIBFFI

/* ---- arguments ---- */

struct told {
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
	uint8_t yes;
	char letter;
	unsigned char *memory;
	plait_launch launch;
};

#define TAKE(index, member) \
	memcpy(&told->member, arguments[index], sizeof(told->member))

static int32_t take_all(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	struct told *told = user_data;

	TAKE(0, i8);
	TAKE(1, i16);
	TAKE(2, i32);
	TAKE(3, i64);
	TAKE(4, u8);
	TAKE(5, u16);
	TAKE(6, u32);
	TAKE(7, u64);
	TAKE(8, f32);
	TAKE(9, f64);
	TAKE(10, yes);
	TAKE(11, letter);
	TAKE(12, memory);
	told->memory[1] = 42;
	told->launch = *launch;
	return 0;
}

#define ALL "p0: i8, p1: sint16, p2: i32, p3: i64, p4: u8, p5: u16, p6: u32, " \
	    "p7: uint64, p8: float, p9: f64, p10: bool, p11: char, " \
	    "p12: out pointer u8"
#define ALL_TYPES int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, \
	uint32_t, uint64_t, float, double, bool, char, plait_buffer *
#define ALL_VALUES -1, -2, -3, -4, 250, 65000, 4000000000u, UINT64_MAX, \
	0.5f, -0.25, true, 'x'

static void check_all(const struct told *told)
{
	OK(told->i8 == -1 && told->i16 == -2 && told->i32 == -3 &&
	   told->i64 == -4);
	OK(told->u8 == 250 && told->u16 == 65000 &&
	   told->u32 == 4000000000u && told->u64 == UINT64_MAX);
	OK(told->f32 == 0.5f && told->f64 == -0.25);
	OK(told->yes == 1 && told->letter == 'x');
}

static void every_kind(void)
{
	struct told told = { 0 };
	plait_buffer *buffer;
	plait_callable *callable;
	struct one one;
	unsigned char bytes[4] = { 0 };

	if (!open_host(1))
		return;
	buffer = make_buffer(&rig, sizeof(bytes), "bytes");
	make_one(&one, "take(" ALL ")", 13, NULL, take_all, &told);
	callable = make_callable(one.plan, "all(" ALL "): i32", NULL, NULL);
	IS_INT(((int32_t (*)(ALL_TYPES))function_of(callable))(
		       ALL_VALUES, buffer), 0);
	check_all(&told);
	OK(plait_queue_read(rig.queue, buffer, 0, bytes, sizeof(bytes),
			    &rig.error) == PLAIT_OK);
	IS_INT(bytes[1], 42);
	plait_callable_release(callable);
	plait_buffer_release(buffer);
	free_one(&one);
	close_rig(&rig);
}

static int32_t take_launch(void *const *arguments, const plait_launch *launch,
			   void *user_data)
{
	struct told *told = user_data;

	TAKE(0, i32);
	told->launch = *launch;
	return 0;
}

/* A number of items, of either size, and a whole launch; here the arguments
 * come in another order than the plan's. */
static void every_launch(void)
{
	const plait_launch launch = { .size = sizeof(launch), .dimensions = 3,
				      .items = { 2, 3, 5 } };
	struct told told = { 0 };
	plait_callable *by_u32, *by_u64, *by_pointer;
	struct one one;

	if (!open_host(0))
		return;
	make_one(&one, "take(p0: i32)", 1, "size", take_launch, &told);
	by_u32 = make_callable(one.plan, "a(size: u32, p0: i32): i64", NULL,
			       NULL);
	by_u64 = make_callable(one.plan, "b(p0: i32, size: u64): i32", NULL,
			       NULL);
	by_pointer = make_callable(one.plan, "c(size: pointer, p0: i32): i32",
				   NULL, NULL);
	IS_INT(((int64_t (*)(uint32_t, int32_t))function_of(by_u32))(7, -8),
	       0);
	OK(told.launch.dimensions == 1 && told.launch.items[0] == 7 &&
	   told.launch.items[1] == 1 && told.i32 == -8);
	IS_INT(((int32_t (*)(int32_t, uint64_t))function_of(by_u64))(
		       9, UINT64_C(1) << 40), 0);
	OK(told.launch.items[0] == UINT64_C(1) << 40 && told.i32 == 9);
	IS_INT(((int32_t (*)(int32_t, uint64_t))function_of(by_u64))(9, 0),
	       0);
	IS_UINT(told.launch.items[0], 1);
	IS_INT(((int32_t (*)(const plait_launch *, int32_t))function_of(
			by_pointer))(&launch, 10), 0);
	OK(told.launch.dimensions == 3 && told.launch.items[0] == 2 &&
	   told.launch.items[1] == 3 && told.launch.items[2] == 5 &&
	   told.i32 == 10);
	/* Null is no launch: an error, and reported as one. */
	IS_INT(((int32_t (*)(const plait_launch *, int32_t))function_of(
			by_pointer))(NULL, 11), PLAIT_E_INVALID);
	IS_INT(told.i32, 10);
	plait_callable_release(by_u32);
	plait_callable_release(by_u64);
	plait_callable_release(by_pointer);
	free_one(&one);
	close_rig(&rig);
}

/* More arguments than fit where calls have room for a few. */
static int32_t add_many(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	uint32_t sum = 0;

	(void)launch;
	for (uint32_t i = 0; i < 20; i++)
		sum += *(uint32_t *)arguments[i] << i;
	*(uint32_t *)user_data = sum;
	return 0;
}

static void many_arguments(void)
{
	char signature[400];
	size_t length = 0;
	uint32_t sum = 0;
	plait_callable *callable;
	struct one one;

	if (!open_host(0))
		return;
	for (unsigned i = 0; i < 20; i++)
		length += (size_t)snprintf(signature + length,
					   sizeof(signature) - length,
					   "%s p%u: u32", i ? "," : "many(",
					   i);
	snprintf(signature + length, sizeof(signature) - length, "): i32");
	make_one(&one, signature, 20, NULL, add_many, &sum);
	callable = make_callable(one.plan, signature, NULL, NULL);
	IS_INT(((int32_t (*)(uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
			     uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
			     uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
			     uint32_t, uint32_t, uint32_t, uint32_t,
			     uint32_t))function_of(callable))(
		       1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1,
		       1), 0);
	IS_UINT(sum, 0xfffff - (1 << 10));
	plait_callable_release(callable);
	free_one(&one);
	close_rig(&rig);
}

/* ---- results ---- */

struct failure {
	int times;
	plait_status status;
	int64_t origin;
	char text[PLAIT_ERROR_TEXT_BYTES];
	pthread_t thread;
};

static void note_failure(void *user_data, const plait_error *error)
{
	struct failure *failure = user_data;

	failure->times++;
	failure->status = error->status;
	failure->origin = error->origin;
	failure->thread = pthread_self();
	snprintf(failure->text, sizeof(failure->text), "%s", error->text);
}

/* By the result, in both widths; by the handler; and by both. */
static void errors_are_reported(void)
{
	struct failure failure = { 0 };
	plait_callable *narrow, *wide, *none;
	struct one one;

	if (!open_host(2))
		return;
	make_one(&one, "fail(p0: i32)", 1, NULL, fail_with, NULL);
	narrow = make_callable(one.plan, "narrow(p0: i32): i32", NULL, NULL);
	wide = make_callable(one.plan, "wide(p0: i32): i64", note_failure,
			     &failure);
	none = make_callable(one.plan, "none(p0: i32)", note_failure,
			     &failure);
	IS_INT(((int32_t (*)(int32_t))function_of(narrow))(7),
	       PLAIT_E_FAILED);
	IS_INT(((int32_t (*)(int32_t))function_of(narrow))(0), PLAIT_OK);
	IS_INT(((int64_t (*)(int32_t))function_of(wide))(8), PLAIT_E_FAILED);
	IS_INT(failure.times, 1);
	IS_INT(failure.origin, 8);
	((void (*)(int32_t))function_of(none))(-9);
	IS_INT(failure.times, 2);
	IS_INT(failure.status, PLAIT_E_FAILED);
	IS_INT(failure.origin, -9);
	HAS_STR(failure.text, "one");
	OK(pthread_equal(failure.thread, pthread_self()));
	((void (*)(int32_t))function_of(none))(0);
	((int64_t (*)(int32_t))function_of(wide))(0);
	IS_INT(failure.times, 2);
	plait_callable_release(narrow);
	plait_callable_release(wide);
	plait_callable_release(none);
	free_one(&one);
	close_rig(&rig);
}

/* ---- threads ---- */

enum { THREADS = 4, CALLS = 100 };

/* y[0] = a + 1 */
static int32_t put_next(void *const *arguments, const plait_launch *launch,
			void *user_data)
{
	(void)launch;
	(void)user_data;
	**(int64_t **)arguments[1] = *(int64_t *)arguments[0] + 1;
	return 0;
}

struct caller {
	int64_t (*function)(int64_t a, plait_buffer *y);
	plait_buffer *buffer;
	int64_t cell; /* the memory of the buffer */
	int64_t first;
	uint64_t wrong;
};

static void *call_often(void *arg)
{
	struct caller *caller = arg;

	for (int64_t i = 0; i < CALLS; i++) {
		int64_t a = caller->first + i;

		if (caller->function(a, caller->buffer) != 0 ||
		    caller->cell != a + 1)
			caller->wrong++;
	}
	return NULL;
}

static void wrap_cell(struct caller *caller)
{
	const plait_wrap_desc desc = { .size = sizeof(desc),
				       .pointer = &caller->cell,
				       .bytes = sizeof(caller->cell) };

	OK_THAT(plait_buffer_wrap(rig.device, &desc, &caller->buffer,
				  &rig.error) == PLAIT_OK, "%s",
		rig.error.text);
}

/* More threads than the plan has instances; its only owner is the callable. */
static void many_threads(void)
{
	struct caller callers[THREADS] = { 0 };
	pthread_t threads[THREADS];
	plait_callable *callable;
	struct one one;

	if (!open_host(1))
		return;
	make_one(&one, "next(p0: i64, p1: out pointer i64)", 2, NULL, put_next,
		 NULL);
	callable = make_callable(one.plan, "next(p0: i64, p1: pointer): i64",
				 NULL, NULL);
	free_one(&one);
	for (int i = 0; i < THREADS; i++) {
		callers[i].function = (int64_t (*)(int64_t, plait_buffer *))
			function_of(callable);
		callers[i].first = i * 1000;
		wrap_cell(&callers[i]);
	}
	for (int i = 0; i < THREADS; i++)
		OK(pthread_create(&threads[i], NULL, call_often,
				  &callers[i]) == 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < THREADS; i++) {
		IS_UINT(callers[i].wrong, 0);
		plait_buffer_release(callers[i].buffer);
	}
	plait_callable_release(callable);
	close_rig(&rig);
}

static int32_t end_thread(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)launch;
	(void)user_data;
	if (*(int32_t *)arguments[0] != 0)
		pthread_exit(NULL);
	return 0;
}

static void *call_and_end(void *arg)
{
	int32_t (*function)(int32_t) = *(int32_t (**)(int32_t))arg;

	(void)function(1);
	return arg;
}

/* A thread that ends in the kernel leaves all that it had entered; others go
 * on. */
static void thread_ends_inside(void)
{
	int32_t (*function)(int32_t);
	plait_callable *callable;
	struct one one;
	void *result = &one;
	pthread_t thread;

	if (!open_host(0))
		return;
	make_one(&one, "end(p0: i32)", 1, NULL, end_thread, NULL);
	callable = make_callable(one.plan, "end(p0: i32): i32", NULL, NULL);
	function = (int32_t (*)(int32_t))function_of(callable);
	OK(pthread_create(&thread, NULL, call_and_end, &function) == 0);
	pthread_join(thread, &result);
	IS_PTR(result, NULL);
	IS_INT(function(0), PLAIT_OK);
	plait_callable_release(callable);
	IS_INT(function(0), PLAIT_E_HANDLE);
	free_one(&one);
	close_rig(&rig);
}

/* ---- order of releases ---- */

static int32_t release_it(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)arguments;
	(void)launch;
	plait_callable_release(*(plait_callable **)user_data);
	return 0;
}

/* The last reference is dropped while the call is active: it ends as usual, and
 * the next one fails. */
static void released_inside(void)
{
	plait_callable *callable = NULL;
	int32_t (*function)(void);
	struct one one;

	if (!open_host(0))
		return;
	make_one(&one, "release()", 0, NULL, release_it, &callable);
	callable = make_callable(one.plan, "release(): i32", NULL, NULL);
	function = (int32_t (*)(void))function_of(callable);
	free_one(&one);
	plait_callable_retain(callable);
	IS_INT(function(), PLAIT_OK);
	IS_INT(function(), PLAIT_OK);
	IS_INT(function(), PLAIT_E_HANDLE);
	close_rig(&rig);
	/* No longer even a context. */
	IS_INT(function(), PLAIT_E_HANDLE);
}

static int32_t call_it(void *const *arguments, const plait_launch *launch,
		       void *user_data)
{
	int32_t (*function)(int32_t) = *(int32_t (**)(int32_t))user_data;

	(void)launch;
	return function(*(int32_t *)arguments[0]);
}

/* A plan with a kernel that calls a plan. */
static void inside_another(void)
{
	for (uint32_t w = 0; w < WORKERS; w++) {
		int32_t (*inner_function)(int32_t), (*function)(int32_t);
		plait_callable *inner, *outer;
		struct one one, two;

		if (!open_host(worker_counts[w]))
			continue;
		make_one(&one, "fail(p0: i32)", 1, NULL, fail_with, NULL);
		inner = make_callable(one.plan, "inner(p0: i32): i32", NULL,
				      NULL);
		inner_function = (int32_t (*)(int32_t))function_of(inner);
		make_one(&two, "call(p0: i32)", 1, NULL, call_it,
			 &inner_function);
		outer = make_callable(two.plan, "outer(p0: i32): i32", NULL,
				      NULL);
		function = (int32_t (*)(int32_t))function_of(outer);
		IS_INT(function(0), PLAIT_OK);
		IS_INT(function(5), PLAIT_E_FAILED);
		plait_callable_release(outer);
		plait_callable_release(inner);
		free_one(&one);
		free_one(&two);
		close_rig(&rig);
	}
}

#else

static int32_t do_nothing(void *const *arguments, const plait_launch *launch,
			  void *user_data)
{
	(void)arguments;
	(void)launch;
	(void)user_data;
	return 0;
}

static void no_libffi(void)
{
	const plait_callable_desc desc = { .size = sizeof(desc),
					   .signature = "f(): i32" };
	plait_callable *callable = (plait_callable *)&rig;
	struct one one;

	if (!open_host(0))
		return;
	make_one(&one, "nothing()", 0, NULL, do_nothing, NULL);
	IS_INT(plait_callable_create(one.plan, &desc, &callable, &rig.error),
	       PLAIT_E_UNSUPPORTED);
	IS_PTR(callable, NULL);
	HAS_STR(rig.error.text, "libffi");
	free_one(&one);
	close_rig(&rig);
}

#endif

static const struct tap_scenario all[] = {
#ifdef HAVE_LIBFFI
	{ "every kind", every_kind },
	{ "every launch", every_launch },
	{ "many arguments", many_arguments },
	{ "errors are reported", errors_are_reported },
	{ "many threads", many_threads },
	{ "thread ends inside", thread_ends_inside },
	{ "released inside", released_inside },
	{ "inside another", inside_another },
#else
	{ "no libffi", no_libffi },
#endif
};

TAP_MAIN(all)
