/* SPDX-License-Identifier: MIT */
/* Checks of launches; see launch.h. */
#include "kernel/launch.h"

#include "base/error.h"
#include "base/sized_struct.h"

#include <stdbool.h>

/* Multiply *total, modulo 2^64; returns true on overflow. */
static bool multiply(uint64_t *total, uint64_t items, uint64_t group)
{
	uint64_t rest = group != 0 ? items % group : 0;
	uint64_t rounded = items;

	if (rest != 0 && __builtin_add_overflow(items, group - rest, &rounded))
		return true;
	return __builtin_mul_overflow(*total, rounded, total);
}

/* Check one dimension and replace zeros by defaults. */
static plait_status resolve_dimension(plait_launch *launch, uint32_t i,
				      plait_error *error)
{
	if (launch->items[i] == 0)
		launch->items[i] = 1;
	if (i < launch->dimensions)
		return PLAIT_OK;
	if (launch->items[i] > 1 || launch->group[i] > 1)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_launch: %s[%u] is %llu, but there "
				   "%s %u dimension%s",
				   launch->items[i] > 1 ? "items" : "group", i,
				   (unsigned long long)
				   (launch->items[i] > 1 ?
				    launch->items[i] :
				    launch->group[i]),
				   launch->dimensions == 1 ? "is" : "are",
				   launch->dimensions,
				   launch->dimensions == 1 ? "" : "s");
	return PLAIT_OK;
}

static plait_status check_total(const plait_launch *launch,
				plait_error *error)
{
	uint64_t total = 1, in_group = 1;
	bool overflow = false;

	for (int i = 0; i < 3; i++) {
		uint64_t group = launch->group[i];

		overflow |= multiply(&total, launch->items[i], group);
		overflow |= __builtin_mul_overflow(
			in_group, group != 0 ? group : 1, &in_group);
	}
	if (!overflow)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "plait_launch: %llu x %llu x %llu items in groups "
			   "of %llu x %llu x %llu are more than 64 bits can "
			   "count", (unsigned long long)launch->items[0],
			   (unsigned long long)launch->items[1],
			   (unsigned long long)launch->items[2],
			   (unsigned long long)launch->group[0],
			   (unsigned long long)launch->group[1],
			   (unsigned long long)launch->group[2]);
}

plait_status plait__launch_read(plait_launch *out, const plait_launch *given,
				plait_error *error)
{
	plait_status status = PLAIT_OK;

	*out = (plait_launch){ .size = sizeof(*out) };
	if (given != NULL)
		status = PLAIT__STRUCT_READ(plait_launch, out, given, error);
	if (status != PLAIT_OK)
		return status;
	out->size = sizeof(*out);
	if (out->dimensions > 3)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_launch: %u dimensions; 1 to 3",
				   out->dimensions);
	if (out->dimensions == 0)
		out->dimensions = 1;
	for (uint32_t i = 0; status == PLAIT_OK && i < 3; i++)
		status = resolve_dimension(out, i, error);
	return status == PLAIT_OK ? check_total(out, error) : status;
}

static plait_status resolve_group(const uint64_t own[3], plait_launch *launch,
				  uint32_t i, plait_error *error)
{
	if (launch->group[i] == 0)
		launch->group[i] = own[i];
	if (launch->group[i] != own[i])
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_launch: group[%u] is %llu, but the "
				   "source has groups of %llu x %llu x %llu; "
				   "leave it 0", i,
				   (unsigned long long)launch->group[i],
				   (unsigned long long)own[0],
				   (unsigned long long)own[1],
				   (unsigned long long)own[2]);
	if (launch->items[i] > UINT64_MAX - own[i])
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_launch: items[%u] is %llu, more than "
				   "groups of %llu can count", i,
				   (unsigned long long)launch->items[i],
				   (unsigned long long)own[i]);
	if (i >= launch->dimensions && own[i] > 1)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_launch: %u dimension%s, but the "
				   "source has groups of %llu x %llu x %llu",
				   launch->dimensions,
				   launch->dimensions == 1 ? "" : "s",
				   (unsigned long long)own[0],
				   (unsigned long long)own[1],
				   (unsigned long long)own[2]);
	return PLAIT_OK;
}

plait_status plait__launch_resolve(const uint64_t own[3], plait_launch *launch,
				   plait_error *error)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; status == PLAIT_OK && i < 3; i++)
		status = resolve_group(own, launch, i, error);
	return status;
}
