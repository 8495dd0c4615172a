/* SPDX-License-Identifier: MIT */
/*
 * Function pointers made at run time: arguments of every type, results in their
 * own width, any order of release, many at once; and systems that refuse
 * executable memory.
 */
#include "ffi/ffi_closure.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/refuse.h"
#include "lib/tap.h"

#ifdef HAVE_LIBFFI

static const plait__ffi_type all_types[] = {
	PLAIT__FFI_I8, PLAIT__FFI_I16, PLAIT__FFI_I32, PLAIT__FFI_I64,
	PLAIT__FFI_U8, PLAIT__FFI_U16, PLAIT__FFI_U32, PLAIT__FFI_U64,
	PLAIT__FFI_F32, PLAIT__FFI_F64, PLAIT__FFI_POINTER
};

static plait__ffi_shape *make_shape(const plait__ffi_type *types,
					uint32_t count, plait__ffi_type result)
{
	plait__ffi_shape *shape;

	OK(plait__ffi_shape_create(plait__alloc_default(), types, NULL, count,
				       result, &shape, NULL) == PLAIT_OK);
	return shape;
}

static plait__ffi_closure *make_closure(const plait__ffi_shape *shape,
					plait__ffi_handler handler,
					void *user_data)
{
	plait_error error = { .size = sizeof(error) };
	plait__ffi_closure *closure;

	OK_THAT(plait__ffi_closure_create(plait__alloc_default(), shape,
					  handler, user_data, &closure,
					  &error) == PLAIT_OK, "%s",
		error.text);
	return closure;
}

static int64_t check_all(void *user_data, void *const *arguments)
{
	int *calls = user_data;

	(*calls)++;
	return *(int8_t *)arguments[0] == -1 &&
	       *(int16_t *)arguments[1] == -2 &&
	       *(int32_t *)arguments[2] == -3 &&
	       *(int64_t *)arguments[3] == -4 &&
	       *(uint8_t *)arguments[4] == 250 &&
	       *(uint16_t *)arguments[5] == 65000 &&
	       *(uint32_t *)arguments[6] == 4000000000u &&
	       *(uint64_t *)arguments[7] == UINT64_MAX &&
	       *(float *)arguments[8] == 0.5f &&
	       *(double *)arguments[9] == -0.25 &&
	       *(void **)arguments[10] == user_data;
}

typedef int32_t (*all_function)(int8_t, int16_t, int32_t, int64_t, uint8_t,
				uint16_t, uint32_t, uint64_t, float, double,
				void *);

static void every_type(void)
{
	plait__ffi_shape *shape = make_shape(all_types, TAP_COUNT(all_types),
						 PLAIT__FFI_I32);
	int calls = 0;
	plait__ffi_closure *closure = make_closure(shape, check_all, &calls);
	all_function function =
		(all_function)plait__ffi_closure_code(closure);

	IS_INT(function(-1, -2, -3, -4, 250, 65000, 4000000000u, UINT64_MAX,
			0.5f, -0.25, &calls), 1);
	IS_INT(calls, 1);
	plait__ffi_closure_destroy(plait__alloc_default(), closure);
	plait__ffi_shape_destroy(plait__alloc_default(), shape);
}

static int64_t give(void *user_data, void *const *arguments)
{
	(void)arguments;
	return *(int64_t *)user_data;
}

#define CHECK_RESULT(ffi, type, value) \
	do { \
		plait__ffi_shape *shape = make_shape(NULL, 0, ffi); \
		plait__ffi_closure *closure = make_closure(shape, give, \
							   &number); \
		type (*function)(void) = (type (*)(void)) \
			plait__ffi_closure_code(closure); \
		number = (value); \
		OK_THAT(function() == (type)(value), "%s", #type); \
		plait__ffi_closure_destroy(plait__alloc_default(), closure); \
		plait__ffi_shape_destroy(plait__alloc_default(), shape); \
	} while (0)

static void every_result(void)
{
	int64_t number = 0;

	CHECK_RESULT(PLAIT__FFI_I8, int8_t, -100);
	CHECK_RESULT(PLAIT__FFI_I16, int16_t, -30000);
	CHECK_RESULT(PLAIT__FFI_I32, int32_t, INT32_MIN);
	CHECK_RESULT(PLAIT__FFI_I64, int64_t, INT64_MIN);
	CHECK_RESULT(PLAIT__FFI_U8, uint8_t, 200);
	CHECK_RESULT(PLAIT__FFI_U16, uint16_t, 60000);
	CHECK_RESULT(PLAIT__FFI_U32, uint32_t, 4000000000u);
	CHECK_RESULT(PLAIT__FFI_U64, uint64_t, -1);
}

/* More than any table of trampolines has, given back in an odd order. */
static void many_in_any_order(void)
{
	enum { COUNT = 3000 };
	static plait__ffi_closure *closures[COUNT];
	static int64_t numbers[COUNT];
	plait__ffi_shape *shape = make_shape(NULL, 0, PLAIT__FFI_I32);
	int wrong = 0;

	for (int i = 0; i < COUNT; i++) {
		numbers[i] = i;
		wrong += plait__ffi_closure_create(plait__alloc_default(),
						   shape, give, &numbers[i],
						   &closures[i], NULL) !=
			 PLAIT_OK;
	}
	for (int i = 0; i < COUNT; i++) {
		int k = i * 7 % COUNT;
		int32_t (*function)(void) = (int32_t (*)(void))
			plait__ffi_closure_code(closures[k]);

		wrong += function() != k;
		plait__ffi_closure_destroy(plait__alloc_default(),
					   closures[k]);
	}
	IS_INT(wrong, 0);
	plait__ffi_closure_destroy(plait__alloc_default(), NULL);
	plait__ffi_shape_destroy(plait__alloc_default(), shape);
}

/* --- on a system that refuses, in a process of its own */

enum { AS_IT_SHOULD = 0, WRONG = 1, NOT_POSSIBLE = 2 };

static int in_refusal(plait__ffi_shape *shape)
{
	plait_error error = { .size = sizeof(error) };
	plait__ffi_closure *closure = (void *)shape;
	int64_t number = 0;
	plait_status status;

	if (!refuse_exec())
		return NOT_POSSIBLE;
	status = plait__ffi_closure_create(plait__alloc_default(), shape,
					   give, &number, &closure, &error);
	return status == PLAIT_E_UNAVAILABLE && closure == NULL &&
	       error.origin == EACCES &&
	       strstr(error.text, "the system refuses") != NULL ?
	       AS_IT_SHOULD : WRONG;
}

static void the_system_refuses(void)
{
	plait__ffi_shape *shape = make_shape(NULL, 0, PLAIT__FFI_I32);
	int status = 0;
	pid_t child;

	/* libffi has mapped nothing yet: this scenario comes first. */
	child = fork();
	if (child == 0)
		_exit(in_refusal(shape));
	OK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	if (WEXITSTATUS(status) == NOT_POSSIBLE)
		SKIP("no seccomp filters here, or none that what "
		     "the test is wrapped in would survive");
	else
		IS_INT(WEXITSTATUS(status), AS_IT_SHOULD);
	plait__ffi_shape_destroy(plait__alloc_default(), shape);
}

#else

static int64_t give(void *user_data, void *const *arguments)
{
	(void)user_data;
	(void)arguments;
	return 0;
}

static void no_libffi(void)
{
	plait_error error = { .size = sizeof(error) };
	plait__ffi_closure *closure;

	IS_INT(plait__ffi_closure_create(plait__alloc_default(), NULL, give,
					 NULL, &closure, &error),
	       PLAIT_E_UNSUPPORTED);
	OK(closure == NULL);
	HAS_STR(error.text, "libffi");
}

#endif

static const struct tap_scenario all[] = {
#ifdef HAVE_LIBFFI
	{ "the system refuses", the_system_refuses },
	{ "every type", every_type },
	{ "every result", every_result },
	{ "many in any order", many_in_any_order },
#else
	{ "no libffi", no_libffi },
#endif
};
TAP_MAIN(all)
