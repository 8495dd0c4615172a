/* SPDX-License-Identifier: MIT */
/* Host code of a kernel: lookup and call; see host_code.h. */
#include "object/kernel/host_code.h"

#include "object/kernel/grid_split.h"

#include "base/error.h"
#include "kernel/local_block.h"
#include "plugin/elf_check.h"
#include "sys/clock.h"
#include "sys/dl.h"

#include <limits.h>
#include <string.h>

/* ---- implementations of a descriptor ---- */

static uint32_t count_given(const plait_kernel_desc *desc)
{
	return (desc->function != NULL) + (desc->range != NULL) +
	       (desc->described != NULL) + (desc->library != NULL);
}

plait_status plait__host_code_check(const plait_kernel_desc *desc,
				    plait_error *error)
{
	uint32_t count = count_given(desc);

	if (count == 0 && desc->source_count == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_kernel_desc: no implementation; set "
				   "function, range, described, library or "
				   "sources");
	if (count > 1)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_kernel_desc: %u implementations for "
				   "the host; set one of function, range, "
				   "described and library", count);
	if (desc->library == NULL && (desc->symbol != NULL || desc->form != 0))
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_kernel_desc: %s is set, which is for "
				   "a library", desc->symbol != NULL ?
				   "symbol" : "form");
	if ((desc->flags & PLAIT_KERNEL_COROUTINE) != 0 &&
	    (count == 0 || desc->range != NULL ||
	     desc->form == PLAIT_FORM_RANGE))
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_kernel_desc: PLAIT_KERNEL_COROUTINE "
				   "needs function, described, or a library "
				   "that is no RANGE");
	if ((desc->flags & PLAIT_KERNEL_FIRST_WORKER) != 0 &&
	    (desc->flags & PLAIT_KERNEL_COROUTINE) == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_kernel_desc: "
				   "PLAIT_KERNEL_FIRST_WORKER is for "
				   "coroutines: set PLAIT_KERNEL_COROUTINE, "
				   "too");
	if (desc->form > PLAIT_FORM_RANGE)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_kernel_desc: form %u is not one of "
				   "PLAIT_FORM_...", desc->form);
	return PLAIT_OK;
}

/* ---- libraries ---- */

static plait_status fail_library(const plait_kernel_desc *desc,
				 const char *kernel, const char *why,
				 plait_error *error)
{
	return plait__fail(error, PLAIT_E_UNAVAILABLE,
			   "kernel %.40s: library %.80s: %s", kernel,
			   desc->library, why);
}

/* The linker's message without the path, which the text names already. */
static const char *without_path(const char *text, const char *path)
{
	size_t length = strlen(path);

	if (strncmp(text, path, length) == 0 &&
	    strncmp(text + length, ": ", 2) == 0)
		return text + length + 2;
	return text;
}

/* `real` receives the resolved path; "" for a name without a slash. */
static plait_status check_file(const plait_kernel_desc *desc,
			       const char *kernel, char real[PATH_MAX],
			       plait_error *error)
{
	plait_error why = { .size = sizeof(why) };
	plait_status status;

	real[0] = '\0';
	if (strchr(desc->library, '/') == NULL)
		return PLAIT_OK;
	status = plait__elf_check(desc->library, real, &why);
	if (status == PLAIT__ELF_CHECK_ABSENT)
		return fail_library(desc, kernel, "there is no such file",
				    error);
	if (status != PLAIT_OK)
		return fail_library(desc, kernel, why.text, error);
	return PLAIT_OK;
}

static plait_status open_library(const plait_kernel_desc *desc,
				 const char *kernel, void **out,
				 plait_error *error)
{
	char text[512] = "", real[PATH_MAX];
	plait_status status = check_file(desc, kernel, real, error);

	if (status != PLAIT_OK)
		return status;
	*out = real[0] != '\0' ?
		plait__dl_open(real, text, sizeof(text)) :
		plait__dl_open_soname(desc->library, text, sizeof(text));
	if (*out != NULL)
		return PLAIT_OK;
	return fail_library(desc, kernel, without_path(text, real[0] != '\0' ?
						 real : desc->library),
			    error);
}

/* dlsym may have found a variable, which must not be called. */
static plait_status find_symbol(const plait_kernel_desc *desc,
				const char *kernel, void *library, void **out,
				plait_error *error)
{
	const char *symbol = desc->symbol != NULL ? desc->symbol : kernel;
	const char *what = "has no symbol";

	*out = *symbol != '\0' ? plait__dl_find(library, symbol) : NULL;
	if (*out != NULL && plait__dl_is_code(*out))
		return PLAIT_OK;
	if (*out != NULL)
		what = "has no function, but data of the name";
	return plait__fail(error, PLAIT_E_UNAVAILABLE,
			   "kernel %.40s: library %.80s %s \"%.60s\"", kernel,
			   desc->library, what, symbol);
}

static plait_status load(plait__host_code *code, const plait_kernel_desc *desc,
			 const char *kernel, plait_error *error)
{
	void *library = NULL, *address = NULL;
	plait_status status = open_library(desc, kernel, &library, error);

	if (status == PLAIT_OK)
		status = find_symbol(desc, kernel, library, &address, error);
	if (status != PLAIT_OK)
		return status;
	code->form = desc->form;
	if (code->form == PLAIT_FORM_FIXED)
		memcpy(&code->function, &address, sizeof(address));
	else if (code->form == PLAIT_FORM_RANGE)
		memcpy(&code->range, &address, sizeof(address));
	else
		memcpy(&code->described, &address, sizeof(address));
	return PLAIT_OK;
}

plait_status plait__host_code_find(plait__host_code *code,
				   const plait_kernel_desc *desc,
				   const plait__signature *signature,
				   plait__intern *intern,
				   const plait_allocator *allocator,
				   plait_error *error)
{
	plait_status status = PLAIT_OK;

	*code = (plait__host_code){ .function = desc->function,
			       .range = desc->range,
			       .described = desc->described,
			       .user_data = desc->user_data,
			       .grain = desc->grain,
			       .locals = signature->local_count > 0 ?
					 signature : NULL };
	if (desc->library != NULL)
		status = load(code, desc, signature->name, error);
	else if (desc->function != NULL)
		code->form = PLAIT_FORM_FIXED;
	else if (desc->range != NULL)
		code->form = PLAIT_FORM_RANGE;
	if (status == PLAIT_OK && code->form == PLAIT_FORM_DESCRIBED)
		status = plait__intern_shape(intern, allocator, signature,
					     &code->shape, error);
	return status;
}

/* ---- call ---- */

/* Clamp a failure to 32 bits: a value that does not fit must not become 0. */
static int32_t clamp_result(int64_t result)
{
	if (result > INT32_MAX)
		return INT32_MAX;
	return result < INT32_MIN ? INT32_MIN : (int32_t)result;
}

static int32_t run_described(void *const *arguments,
			     const plait_launch *launch, void *user_data)
{
	const plait__host_code *code = user_data;

	(void)launch;
	return clamp_result(plait__ffi_call(code->shape, code->described,
				      arguments));
}

/* Replace the arguments (null for a kernel without parameters) of code with
 * local parameters by those of a block of this thread, for the duration of the
 * call. */
static plait_status enter_locals(const plait__host_code *code,
				 void *const **arguments,
				 plait__local_block **out)
{
	plait_status status;

	*out = NULL;
	if (code->locals == NULL)
		return PLAIT_OK;
	status = plait__local_block_enter(code->locals, *arguments, out);
	if (status == PLAIT_OK)
		*arguments = plait__local_block_arguments(*out);
	return status;
}

static void leave_locals(plait__local_block *block)
{
	if (block != NULL)
		plait__local_block_leave(block);
}

/* Run a described or fixed function that has local parameters. */
static int32_t run_with_locals(void *const *arguments,
			       const plait_launch *launch, void *user_data)
{
	plait__host_code *code = user_data;
	plait__local_block *block;
	int32_t result = enter_locals(code, &arguments, &block);

	if (result != PLAIT_OK)
		return result;
	result = code->form == PLAIT_FORM_DESCRIBED ?
		 run_described(arguments, launch, code) :
		 code->function(arguments, launch, code->user_data);
	leave_locals(block);
	return result;
}

/* A launch executed in parts. */
struct parts {
	const plait__host_code *code;
	void *const *arguments;
	const plait_launch *launch;
	plait__grid_split split;
};

_Static_assert(sizeof(struct parts) <= PLAIT__PARALLEL_FOR_DATA_BYTES,
	       "fits a job");

enum {
	/* Duration of a part in ns: far above the price of taking one, far
	 * below a wake-up. */
	PART_NS = 2000,
	/* Parts per thread: enough to balance threads and items of different
	 * speed. Half as many while the cost of the kernel is unknown. */
	PARTS_PER_THREAD = 64
};

static int32_t run_parts(void *data, uint64_t begin, uint64_t end)
{
	const struct parts *parts = data;
	void *const *arguments = parts->arguments;
	plait__local_block *block;
	plait_range range;
	int32_t result = enter_locals(parts->code, &arguments, &block);

	while (result == 0 && begin < end) {
		begin += plait__grid_split_range(&parts->split, parts->launch,
						 begin, end, &range);
		result = parts->code->range(&range, arguments, parts->launch,
					    parts->code->user_data);
	}
	leave_locals(block);
	return result;
}

/* Run the launch in one call; needs no division. */
static int32_t run_whole(const plait__host_code *code, void *const *arguments,
			 const plait_launch *launch)
{
	const plait_range all = {
		.size = sizeof(all), .dimensions = launch->dimensions,
		.end = { launch->items[0], launch->items[1],
			 launch->items[2] },
	};
	plait__local_block *block;
	int32_t result = enter_locals(code, &arguments, &block);

	if (result != PLAIT_OK)
		return result;
	result = code->range(&all, arguments, launch, code->user_data);
	leave_locals(block);
	return result;
}

/* Only for code with a team: is_whole. */
static uint64_t count_parts(const plait__host_code *code, uint64_t expected_ns)
{
	uint64_t threads = plait__parallel_for_size(code->team);
	uint64_t wanted = expected_ns / PART_NS;

	if (expected_ns == 0)
		wanted = threads * PARTS_PER_THREAD / 2;
	if (wanted < threads)
		wanted = threads;
	if (wanted > threads * PARTS_PER_THREAD)
		wanted = threads * PARTS_PER_THREAD;
	return wanted;
}

/* Run a launch that is known to be short on this thread, and time it. One that
 * cannot be divided tells nothing about others. */
static int32_t run_timed(plait__host_code *code, struct parts *parts,
			 uint64_t count, uint64_t units)
{
	uint64_t start = plait__clock_now_ns();
	int32_t result = run_parts(parts, 0, count);

	if (result == 0 && count > 1)
		plait__launch_cost_learn(&code->cost, units,
					 plait__clock_now_ns() - start,
					 PLAIT__PARALLEL_FOR_ALONE_NS);
	return result;
}

/* Only for code with a team: is_whole.  The grid is divided by its expected
 * duration, and the measured one is learned. */
static int32_t run_divided(plait__host_code *code, void *const *arguments,
			   const plait_launch *launch)
{
	struct parts parts = { .code = code, .arguments = arguments,
			       .launch = launch };
	uint64_t units = plait__grid_split_units(launch);
	uint64_t duration_ns = plait__launch_cost_expect(&code->cost, units);
	uint64_t count = plait__grid_split_init(
		&parts.split, launch, count_parts(code, duration_ns),
		code->grain);
	int32_t result;

	if (plait__launch_cost_is_short(&code->cost, units))
		return run_timed(code, &parts, count, units);
	result = plait__parallel_for_run(code->team, run_parts, &parts,
					 sizeof(parts), count, &duration_ns);
	if (result == 0 && count > 1)
		plait__launch_cost_learn(&code->cost, units, duration_ns,
					 PLAIT__PARALLEL_FOR_ALONE_NS);
	return result;
}

/* Returns true if parts are of no use: without helpers, with one unit, and for
 * launches that are known to be short. */
static bool is_whole(plait__host_code *code, const plait_launch *launch)
{
	uint64_t units = code->team != NULL ? plait__grid_split_units(launch) :
					      1;

	return units == 1 ||
	       (plait__launch_cost_is_short(&code->cost, units) &&
		!plait__launch_cost_is_due(&code->cost));
}

/* The common case is short, so it is a function without the parts. */
static int32_t run_range(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	plait__host_code *code = user_data;

	return is_whole(code, launch) ? run_whole(code, arguments, launch) :
					run_divided(code, arguments, launch);
}

plait_kernel_function plait__host_code_launch_function(plait__host_code *code,
						       void **out_data)
{
	*out_data = code;
	if (code->form == PLAIT_FORM_RANGE)
		return run_range;
	if (code->locals != NULL)
		return run_with_locals;
	if (code->form == PLAIT_FORM_DESCRIBED)
		return run_described;
	*out_data = code->user_data;
	return code->function;
}
