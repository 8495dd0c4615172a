/* SPDX-License-Identifier: MIT */
/* Settings of a context: descriptor, environment, defaults. */
#include "object/context/context.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"
#include "sys/cpu.h"
#include "sys/env.h"

#include <string.h>

enum {
	KNOWN_FLAGS = PLAIT_CONTEXT_NO_WORKERS | PLAIT_CONTEXT_SYNC
};

_Static_assert((int)PLAIT__ENV_MAX_WORKERS == (int)PLAIT__POOL_MAX_WORKERS,
	       "PLAIT_WORKERS is told what a pool can have");

static plait_status read_allocator(plait_allocator *out,
				   const plait_allocator *given,
				   plait_error *error)
{
	plait_status status;

	if (given == NULL) {
		*out = *plait__alloc_default();
		return PLAIT_OK;
	}
	status = PLAIT__STRUCT_READ(plait_allocator, out, given, error);
	if (status != PLAIT_OK)
		return status;
	if (out->flags != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_allocator: flags 0x%x are not known",
				   (unsigned)out->flags);
	if (out->resize == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_allocator: resize is null");
	return PLAIT_OK;
}

static plait_status read_log(plait__log *out, const plait_context_desc *desc,
			     plait_error *error)
{
	const char *text = plait__env_get("PLAIT_LOG");
	int32_t level = desc->log_level;

	if (level < PLAIT_LOG_DEFAULT || level > PLAIT_LOG_DEBUG)
		return plait__fail(error, PLAIT_E_INVALID,
				   "log_level %d is not one of PLAIT_LOG_...",
				   (int)level);
	if (level == PLAIT_LOG_DEFAULT && text != NULL && *text != '\0' &&
	    !plait__log_parse_level(text, &level))
		return plait__fail(error, PLAIT_E_INVALID,
				   "PLAIT_LOG=\"%.64s\" is not a level; use "
				   "none, error, warning, info or debug", text);
	plait__log_init(out, desc->log, desc->log_user_data, level);
	return PLAIT_OK;
}

/* The description, else PLAIT_WORKERS, else the number of CPUs. */
static plait_status read_workers(uint32_t *out, const plait_context_desc *desc,
				 plait_error *error)
{
	char text[160];
	uint64_t number;

	if (desc->workers > PLAIT__POOL_MAX_WORKERS)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u workers asked, at most %u are possible",
				   (unsigned)desc->workers,
				   (unsigned)PLAIT__POOL_MAX_WORKERS);
	if ((desc->flags & PLAIT_CONTEXT_NO_WORKERS) != 0) {
		if (desc->workers == 0)
			return PLAIT_OK;
		return plait__fail(error, PLAIT_E_INVALID,
				   "PLAIT_CONTEXT_NO_WORKERS and %u workers "
				   "contradict each other",
				   (unsigned)desc->workers);
	}
	*out = desc->workers;
	if (*out != 0)
		return PLAIT_OK;
	if (plait__env_describe_error(PLAIT__ENV_WORKERS, text, sizeof(text)))
		return plait__fail(error, PLAIT_E_INVALID, "%s", text);
	number = plait__cpu_count();
	(void)plait__env_query_number(PLAIT__ENV_WORKERS, &number);
	*out = number < PLAIT__POOL_MAX_WORKERS ? (uint32_t)number :
						  PLAIT__POOL_MAX_WORKERS;
	return PLAIT_OK;
}

/* Variables that no field of the descriptor replaces; the report has the
 * others. */
static plait_status check_variables(plait_error *error)
{
	char text[160];
	uint32_t i;

	for (i = PLAIT__ENV_WORKERS + 1; i < PLAIT__ENV_NUMBERS; i++)
		if (plait__env_is_strict(i) &&
		    plait__env_describe_error(i, text, sizeof(text)))
			return plait__fail(error, PLAIT_E_INVALID, "%s", text);
	return PLAIT_OK;
}

static void read_sync(uint32_t *flags)
{
	uint64_t number = 0;

	(void)plait__env_query_number(PLAIT__ENV_SYNC, &number);
	if (number != 0)
		*flags |= PLAIT_CONTEXT_SYNC;
}

plait_status plait__settings_read(plait__settings *out,
				  const plait_context_desc *desc,
				  plait_error *error)
{
	const plait_context_desc all_defaults = { .size = sizeof(*desc) };
	plait_context_desc known;
	plait_status status;

	memset(out, 0, sizeof(*out));
	status = PLAIT__STRUCT_READ(plait_context_desc, &known,
				    desc != NULL ? desc : &all_defaults, error);
	if (status != PLAIT_OK)
		return status;
	if ((known.flags & ~(uint32_t)KNOWN_FLAGS) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_context_desc: flags 0x%x are not "
				   "known", (unsigned)known.flags);
	out->flags = known.flags;
	out->backends = known.backends;
	out->plugin_path = known.plugin_path;
	out->wrap = known.wrap;
	out->options = known.options;
	status = read_allocator(&out->allocator, known.allocator, error);
	if (status == PLAIT_OK)
		status = read_log(&out->log, &known, error);
	if (status == PLAIT_OK)
		status = read_workers(&out->workers, &known, error);
	if (status == PLAIT_OK)
		status = check_variables(error);
	if (status == PLAIT_OK)
		read_sync(&out->flags);
	return status;
}

void plait__settings_config(const plait__settings *settings,
			    plait__registry_config *out)
{
	memset(out, 0, sizeof(*out));
	out->backends = settings->backends;
	out->plugin_path = settings->plugin_path;
	out->wrap = settings->wrap;
	out->options = settings->options;
	out->allocator = &settings->allocator;
	out->log = &settings->log;
}
