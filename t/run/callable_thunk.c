/* SPDX-License-Identifier: MIT */
/* Thunks of plans as C functions: signatures that do not fit, thousands of
 * them, and the lack of memory for a function pointer. */
#include "callables.h"
#include "lib/refuse.h"

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef HAVE_LIBFFI

/* ---- libffi's memory, counted, with injected failures ---- */

static uint64_t closures, closures_left = UINT64_MAX;

/* In place of libffi's own, which does the work. */
__attribute__((visibility("default")))
void *ffi_closure_alloc(size_t bytes, void **code);
void *ffi_closure_alloc(size_t bytes, void **code)
{
	void *symbol = dlsym(RTLD_NEXT, "ffi_closure_alloc");
	void *(*real)(size_t size, void **code);

	if (symbol == NULL || closures_left == 0)
		return NULL;
	closures_left--;
	__atomic_add_fetch(&closures, 1, __ATOMIC_RELAXED);
	memcpy(&real, &symbol, sizeof(real));
	return real(bytes, code);
}

/* ---- rejected signatures ---- */

static void refused(plait_plan *plan, plait_callable_desc desc,
		    plait_status status, const char *part)
{
	plait_callable *callable = (plait_callable *)&rig;

	desc.size = sizeof(desc);
	IS_INT(plait_callable_create(plan, &desc, &callable, &rig.error),
	       status);
	IS_PTR(callable, NULL);
	HAS_STR(rig.error.text, part);
}

static void refused_text(plait_plan *plan, const char *signature,
			 const char *part)
{
	refused(plan, (plait_callable_desc){ .signature = signature },
		PLAIT_E_INVALID, part);
}

static void misfits(void)
{
	plait_callable_desc desc = { .size = sizeof(desc),
				     .signature = "f(p0: i64, p1: pointer, "
						  "size: u64): i32" };
	plait_any_function function = NULL;
	plait_callable *callable;
	struct one one;

	if (!open_host(0))
		return;
	make_one(&one, "next(p0: i64, p1: out pointer i64)", 2, "size",
		 fail_with, NULL);
	refused_text(one.plan, "f(p0: i64, p1: pointer, size: u64",
		     "expected");
	refused_text(one.plan, NULL, "signature is null");
	refused_text(one.plan, "f(p0: i64, p1: pointer, size: u64)",
		     "f: no way to tell an error");
	refused_text(one.plan, "f(p0: i64, p1: pointer, size: u64): u8",
		     "f: the result is u8");
	refused_text(one.plan, "f(p0: i64, q: pointer, size: u64): i32",
		     "f: the plan has no parameter \"q\"");
	refused_text(one.plan, "f(p0: i64, p1: u64, size: u64): i32",
		     "f: argument 1 \"p1\" is u64, and the plan wants "
		     "memory");
	refused_text(one.plan, "f(p0: i64, p1: pointer, size: i64): i32",
		     "f: argument 2 \"size\" is i64, and the plan wants a "
		     "launch");
	refused_text(one.plan, "f(p0: u64, p1: pointer, size: u64): i32",
		     "f: argument 0 \"p0\" is u64, and the plan wants i64");
	refused_text(one.plan, "f(p0: pointer, p1: pointer, size: u64): i32",
		     "f: argument 0 \"p0\" is pointer, and the plan "
		     "wants i64");
	refused_text(one.plan, "f(p0: i64, p1: pointer): i32",
		     "f: no argument \"size\", a parameter of the plan "
		     "(launch)");
	desc.flags = 1u << 20;
	refused(one.plan, desc, PLAIT_E_UNSUPPORTED, "flags 0x100000");
	desc.flags = PLAIT_RUN_SERIAL | PLAIT_RUN_PARALLEL;
	refused(one.plan, desc, PLAIT_E_INVALID, "exclude each other");
	desc.flags = 0;
	refused(NULL, desc, PLAIT_E_HANDLE, "plan");
	IS_INT(plait_callable_create(one.plan, NULL, &callable, &rig.error),
	       PLAIT_E_INVALID);
	IS_INT(plait_callable_create(one.plan, &desc, NULL, &rig.error),
	       PLAIT_E_INVALID);
	callable = make_callable(one.plan, desc.signature, NULL, NULL);
	IS_INT(plait_callable_function(callable, NULL, &rig.error),
	       PLAIT_E_INVALID);
	IS_INT(plait_callable_function((plait_callable *)one.plan, &function,
				       &rig.error), PLAIT_E_HANDLE);
	plait_callable_release(callable);
	plait_callable_release(NULL);
	plait_callable_retain(NULL);
	IS_INT(plait_callable_function(callable, &function, &rig.error),
	       PLAIT_E_HANDLE);
	free_one(&one);
	close_rig(&rig);
}

/* ---- many, and too many ---- */

enum { MANY = 3000 };

/* No closure is made while one of its type is idle. */
static void thousands(void)
{
	static plait_callable *callables[MANY];
	plait_callable_desc desc = { .size = sizeof(desc),
				     .signature = "many(p0: i32): i32" };
	plait_any_function function;
	uint64_t wrong = 0, before, made;
	struct one one;

	if (!open_host(0))
		return;
	make_one(&one, "fail(p0: i32)", 1, NULL, fail_with, NULL);
	for (int round = 0; round < 2; round++) {
		before = __atomic_load_n(&closures, __ATOMIC_RELAXED);
		for (int i = 0; i < MANY; i++)
			wrong += plait_callable_create(one.plan, &desc,
						       &callables[i],
						       &rig.error) !=
				 PLAIT_OK;
		for (int i = 0; i < MANY; i++) {
			int k = i * 7 % MANY;

			wrong += plait_callable_function(
					 callables[k], &function,
					 &rig.error) != PLAIT_OK ||
				 ((int32_t (*)(int32_t))function)(0) != 0;
			plait_callable_release(callables[k]);
		}
		/* Earlier tests may have left a few idle. */
		made = __atomic_load_n(&closures, __ATOMIC_RELAXED) - before;
		OK_THAT(round == 0 ? made > MANY / 2 : made == 0,
			"round %d made %u", round, (unsigned)made);
	}
	IS_UINT(wrong, 0);
	free_one(&one);
	close_rig(&rig);
}

/* libffi has three more; nothing is lost, and later there is room again. */
static void out_of_closures(void)
{
	static const plait_callable_desc desc = {
		.size = sizeof(desc),
		.signature = "scarce(p0: i8, p1: i8): i32",
	};
	plait_callable *callables[4] = { NULL };
	struct one one;

	if (!open_host(0))
		return;
	make_one(&one, "fail(p0: i8, p1: i8)", 2, NULL, fail_with, NULL);
	closures_left = 3;
	for (int i = 0; i < 3; i++)
		callables[i] = make_callable(one.plan, desc.signature, NULL,
					     NULL);
	refused(one.plan, desc, PLAIT_E_NOMEM, "function pointer");
	plait_callable_release(callables[1]);
	callables[1] = make_callable(one.plan, desc.signature, NULL, NULL);
	refused(one.plan, desc, PLAIT_E_NOMEM, "function pointer");
	closures_left = UINT64_MAX;
	callables[3] = make_callable(one.plan, desc.signature, NULL, NULL);
	for (int i = 0; i < 4; i++)
		plait_callable_release(callables[i]);
	free_one(&one);
	close_rig(&rig);
}

/* ---- other processes ---- */

enum { AS_IT_SHOULD = 0, WRONG = 1, NOT_POSSIBLE = 2 };

static int outcome_of(pid_t child)
{
	int status = 0;

	OK(waitpid(child, &status, 0) == child && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int in_refusal(void)
{
	const plait_callable_desc desc = { .size = sizeof(desc),
					   .signature = "f(p0: i32): i32" };
	plait_callable *callable = (plait_callable *)&rig;
	struct one one;
	plait_status status;

	if (!open_host(0))
		return WRONG;
	make_one(&one, "fail(p0: i32)", 1, NULL, fail_with, NULL);
	if (!refuse_exec())
		return NOT_POSSIBLE;
	status = plait_callable_create(one.plan, &desc, &callable, &rig.error);
	return status == PLAIT_E_UNAVAILABLE && callable == NULL &&
	       rig.error.origin == EACCES &&
	       strstr(rig.error.text, "the system refuses") != NULL ?
	       AS_IT_SHOULD : WRONG;
}

/* Comes first, as the library must not have been used in the parent. */
static void the_system_refuses(void)
{
	pid_t child = fork();
	int outcome;

	if (child == 0) {
		/* Its checks do not belong to this process. */
		_exit(freopen("/dev/null", "w", stdout) != NULL ?
		      in_refusal() : WRONG);
	}
	outcome = outcome_of(child);
	if (outcome == NOT_POSSIBLE)
		SKIP("no seccomp filters here, or none that what "
		     "the test is wrapped in would survive");
	else
		IS_INT(outcome, AS_IT_SHOULD);
}

static void after_a_fork(void)
{
	int32_t (*function)(int32_t);
	plait_callable *callable;
	struct one one;
	pid_t child;

	if (!open_host(0))
		return;
	make_one(&one, "fail(p0: i32)", 1, NULL, fail_with, NULL);
	callable = make_callable(one.plan, "f(p0: i32): i32", NULL, NULL);
	function = (int32_t (*)(int32_t))function_of(callable);
	child = fork();
	if (child == 0)
		_exit(function(0) == PLAIT_E_FORKED ? AS_IT_SHOULD : WRONG);
	IS_INT(outcome_of(child), AS_IT_SHOULD);
	IS_INT(function(0), PLAIT_OK);
	plait_callable_release(callable);
	free_one(&one);
	close_rig(&rig);
}

#else

static void nothing(void)
{
	SKIP("no libffi: t/run/callable.c has the error then");
}

#endif

static const struct tap_scenario all[] = {
#ifdef HAVE_LIBFFI
	{ "the system refuses", the_system_refuses },
	{ "misfits", misfits },
	{ "thousands", thousands },
	{ "out of closures", out_of_closures },
	{ "after a fork", after_a_fork },
#else
	{ "nothing without libffi", nothing },
#endif
};

TAP_MAIN(all)
