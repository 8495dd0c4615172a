/* SPDX-License-Identifier: MIT */
/* Entry points that describe a frozen plan: its parameters, its commands. */
#include "plait/run.h"

#include "graph/plan/plan_object.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "base/spelling_hint.h"
#include "kernel/type.h"
#include "plan/access.h"

#include <stdio.h>
#include <string.h>

/* ---- parameters ---- */

static const char *name_of(const plait__plan *plan, uint32_t string)
{
	return string < plan->strings_count ? plan->strings + string : "";
}

static uint32_t find_param(const plait__plan *plan, const char *name)
{
	for (uint32_t i = 0; i < plan->params_count; i++)
		if (strcmp(name_of(plan, plan->params[i].name), name) == 0)
			return i;
	return PLAIT__NONE;
}

static plait_status fail_unknown(const plait__plan *plan, const char *name,
				 plait_error *error)
{
	plait__spelling_hint choices;

	plait__spelling_hint_init(&choices, name);
	for (uint32_t i = 0; i < plan->params_count; i++)
		plait__spelling_hint_add(&choices,
					 name_of(plan, plan->params[i].name));
	return plait__fail(error, PLAIT_E_INVALID,
			   "the plan has no parameter \"%.60s\"%s; it has %s",
			   name, plait__spelling_hint_text(&choices),
			   plait__spelling_hint_list(&choices));
}

/* How the nodes use memory of the program.  Functions alone use memory without
 * accesses. */
static const char *host_type(const plait__plan *plan, uint32_t number)
{
	uint32_t object = plait__access_param(number), reads = 0, writes = 0;

	for (uint32_t i = 0; i < plan->accesses_count; i++) {
		if (plan->accesses[i].object != object)
			continue;
		reads += plan->accesses[i].mode == PLAIT__ACCESS_READ;
		writes += plan->accesses[i].mode != PLAIT__ACCESS_READ;
	}
	if (reads == 0 || writes == 0)
		return reads > 0 ? "in" : writes > 0 ? "out" : "inout";
	return "inout";
}

static void describe_parameter(const plait__plan *plan,
			       const plait__plan_param *param,
			       plait_parameter_info *info)
{
	const char *type = plait__type_name((plait__type)param->type);
	bool is_struct = param->kind == PLAIT__PARAM_VALUE &&
			 plait__type_is_struct((plait__type)param->type);

	memset(info, 0, sizeof(*info));
	if (param->kind == PLAIT__PARAM_VALUE)
		info->bytes = param->bytes;
	else if (param->kind == PLAIT__PARAM_MEMORY)
		info->kind = PLAIT_PARAMETER_BUFFER;
	else if (param->kind == PLAIT__PARAM_HOST)
		info->kind = PLAIT_PARAMETER_HOST;
	else
		info->kind = PLAIT_PARAMETER_LAUNCH;
	if (info->kind == PLAIT_PARAMETER_LAUNCH)
		type = "launch";
	else if (info->kind == PLAIT_PARAMETER_HOST)
		type = host_type(plan, (uint32_t)(param - plan->params));
	(void)strncpy(info->type, type, sizeof(info->type) - 1);
	if (is_struct)
		(void)snprintf(info->type, sizeof(info->type), "%s %u", type,
			       param->bytes);
	(void)strncpy(info->name, name_of(plan, param->name),
		      sizeof(info->name) - 1);
}

PLAIT_API plait_status plait_plan_parameter_count(plait_plan *plan,
						  uint32_t *out_count,
						  plait_error *error)
{
	plait__plan_object *entered;
	plait_status status = plait__plan_object_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	if (out_count == NULL)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "out_count is null");
	else
		*out_count = entered->plan->params_count;
	plait__object_leave(&entered->object);
	return status;
}

PLAIT_API plait_status plait_plan_find_parameter(plait_plan *plan, const char *name,
						 uint32_t *out_number,
						 plait_error *error)
{
	plait__plan_object *entered;
	uint32_t number;
	plait_status status = plait__plan_object_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	if (name == NULL || out_number == NULL) {
		status = plait__fail(error, PLAIT_E_INVALID, "%s is null",
				     name == NULL ? "name" : "out_number");
	} else {
		number = find_param(entered->plan, name);
		*out_number = number != PLAIT__NONE ? number : 0;
		if (number == PLAIT__NONE)
			status = fail_unknown(entered->plan, name, error);
	}
	plait__object_leave(&entered->object);
	return status;
}

PLAIT_API plait_status plait_plan_query_parameter(plait_plan *plan,
						  uint32_t number,
						  plait_parameter_info *info,
						  plait_error *error)
{
	plait_parameter_info ours;
	plait__plan_object *entered;
	plait_status status = plait__plan_object_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	if (number >= entered->plan->params_count) {
		status = plait__fail(error, PLAIT_E_INVALID,
				     "the plan has no parameter %u, but %u of "
				     "them", number,
				     entered->plan->params_count);
	} else {
		describe_parameter(entered->plan,
				   &entered->plan->params[number], &ours);
		status = PLAIT__STRUCT_WRITE(plait_parameter_info, info, &ours,
					     error);
	}
	plait__object_leave(&entered->object);
	return status;
}

/* ---- commands ---- */

/* A copy with memory of the program is a read or a write. */
static uint32_t copy_kind(const plait__plan *plan,
			  const plait__plan_payload *payload)
{
	const plait__plan_arg *args = &plan->args[payload->arg_first];

	if (plait__payload_arg_is_host(plan->params, &args[0]))
		return PLAIT_NODE_READ;
	return plait__payload_arg_is_host(plan->params, &args[1]) ?
	       PLAIT_NODE_WRITE : PLAIT_NODE_COPY;
}

/* Of the link of a host function. */
static bool is_collective(const plait__plan *plan, uint32_t link)
{
	return link < plan->payloads_count &&
	       (plan->functions[plan->payloads[link].object].flags &
		PLAIT__FUNCTION_COLLECTIVE) != 0;
}

/* Returns the PLAIT_NODE_... that a command comes from; READ and WRITE by the
 * memory of the copy. */
static uint32_t node_kind(uint8_t kind, const plait__plan *plan, uint32_t link)
{
	static const uint8_t kinds[] = {
		[PLAIT__CMD_LAUNCH] = PLAIT_NODE_LAUNCH,
		[PLAIT__CMD_HOST] = PLAIT_NODE_CALL,
		[PLAIT__CMD_CALLBACK] = PLAIT_NODE_CALL,
		[PLAIT__CMD_COPY] = PLAIT_NODE_COPY,
		[PLAIT__CMD_FILL] = PLAIT_NODE_FILL,
		[PLAIT__CMD_JOIN] = PLAIT_NODE_JOIN,
		[PLAIT__CMD_EMIT] = PLAIT_NODE_EMIT,
		[PLAIT__CMD_WAIT] = PLAIT_NODE_WAIT,
		[PLAIT__CMD_MARK] = PLAIT_NODE_MARK,
		[PLAIT__CMD_BARRIER_STUB] = PLAIT_NODE_JOIN,
	};
	static const uint8_t regions[] = {
		[PLAIT__REGION_WHILE] = PLAIT_NODE_WHILE,
		[PLAIT__REGION_DO] = PLAIT_NODE_DO,
		[PLAIT__REGION_CASE] = PLAIT_NODE_CASE,
		[PLAIT__REGION_REPEAT] = PLAIT_NODE_REPEAT,
	};

	if (kind == PLAIT__CMD_REGION || kind == PLAIT__CMD_ENTER)
		return regions[plan->regions[link].kind];
	if (kind == PLAIT__CMD_COPY && link != PLAIT__NONE &&
	    plan->payloads[link].arg_count > 1)
		return copy_kind(plan, &plan->payloads[link]);
	if (kind == PLAIT__CMD_HOST && is_collective(plan, link))
		return PLAIT_NODE_COLLECTIVE;
	return kind < sizeof(kinds) ? kinds[kind] : PLAIT_NODE_JOIN;
}

static void describe_command(const plait__plan *plan, uint32_t command,
			     plait_command_info *info)
{
	const plait__plan_command *at = &plan->commands[command];

	memset(info, 0, sizeof(*info));
	info->kind = node_kind(at->kind, plan, at->link);
	info->lane = at->lane;
	info->device = plan->lanes[at->lane].device;
	(void)strncpy(info->label, plait__plan_node_name(plan, at->node),
		      sizeof(info->label) - 1);
}

PLAIT_API plait_status plait_plan_query_command(plait_plan *plan, uint64_t command,
						plait_command_info *info,
						plait_error *error)
{
	plait_command_info ours;
	plait__plan_object *entered;
	plait_status status = plait__plan_object_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	if (command >= entered->plan->command_count) {
		status = plait__fail(error, PLAIT_E_INVALID,
				     "the plan has no command %llu, but %u of "
				     "them", (unsigned long long)command,
				     entered->plan->command_count);
	} else {
		describe_command(entered->plan, (uint32_t)command, &ours);
		status = PLAIT__STRUCT_WRITE(plait_command_info, info, &ours,
					     error);
	}
	plait__object_leave(&entered->object);
	return status;
}
