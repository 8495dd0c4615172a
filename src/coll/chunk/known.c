/* SPDX-License-Identifier: MIT */
/* The table of known algorithms. */
#include "coll/chunk/known.h"

#include "coll/chunk/collective.h"
#include "base/error.h"
#include "base/spelling_hint.h"

#include <string.h>

#define HAS(kind) (1u << PLAIT__COLL_##kind)

typedef struct plait__known_algorithm {
	const char *name;
	uint32_t kinds;		/* bits of the collectives */
	uint32_t share;		/* own choice; 0: the number of ranks */
	void (*write)(plait__known *known);
} plait__known_algorithm;

static const plait__known_algorithm algorithms[] = {
	{ "ring", HAS(ALLREDUCE), 0, plait__known_ring },
	{ "ring", HAS(ALLGATHER) | HAS(REDUCE_SCATTER) | HAS(BROADCAST) |
		  HAS(REDUCE), 1, plait__known_ring },
	{ "allpairs", HAS(ALLREDUCE), 0, plait__known_allpairs },
	{ "allpairs", HAS(ALLGATHER) | HAS(REDUCE_SCATTER) | HAS(ALLTOALL), 1,
	  plait__known_allpairs },
	{ "onestep", HAS(ALLREDUCE), 1, plait__known_onestep },
	{ "direct", HAS(ALLTOALL) | HAS(BROADCAST) | HAS(REDUCE) |
		    HAS(GATHER) | HAS(SCATTER) | HAS(ALLTONEXT), 1,
	  plait__known_direct },
	{ "halving", HAS(ALLREDUCE), 0, plait__known_halving },
	{ "halving", HAS(ALLGATHER) | HAS(REDUCE_SCATTER), 1,
	  plait__known_halving },
	{ "tree", HAS(ALLREDUCE) | HAS(BROADCAST) | HAS(REDUCE), 1,
	  plait__known_tree },
	{ "doubletree", HAS(ALLREDUCE) | HAS(BROADCAST) | HAS(REDUCE), 2,
	  plait__known_doubletree },
	{ "hierarchical", HAS(ALLREDUCE), 0, plait__known_hierarchical },
	{ "twostep", HAS(ALLTOALL), 1, plait__known_twostep },
	{ "threestep", HAS(ALLTOALL), 1, plait__known_threestep },
	{ "next", HAS(ALLTONEXT), 0, plait__known_next },
};
enum { ALGORITHMS = sizeof(algorithms) / sizeof(algorithms[0]) };

const char *plait__known_name(uint32_t number)
{
	return number < ALGORITHMS ? algorithms[number].name : NULL;
}

bool plait__known_has(uint32_t number, uint32_t kind)
{
	return number < ALGORITHMS && kind < 32 &&
	       algorithms[number].kinds >> kind & 1;
}

/* ---- choice ---- */

/* Parse "NAME" or "NAME:G". */
static plait_status parse_name(const char *name, size_t *length,
			       uint32_t *group, plait_error *error)
{
	const char *colon = strchr(name, ':');
	uint64_t number = 0;

	*length = colon != NULL ? (size_t)(colon - name) : strlen(name);
	*group = 0;
	if (colon == NULL)
		return PLAIT_OK;
	for (const char *at = colon + 1; *at != 0; at++) {
		if (*at < '0' || *at > '9' || number > UINT32_MAX / 10) {
			number = 0;
			break;
		}
		number = number * 10 + (uint64_t)(*at - '0');
	}
	*group = (uint32_t)number;
	return number > 0 && number <= PLAIT__CHUNK_MAX_RANKS ? PLAIT_OK :
	       plait__fail(error, PLAIT_E_INVALID,
			   "algorithm \"%.40s\": expected the number of ranks "
			   "of a node after \":\"", name);
}

static plait_status fail_name(const char *name, uint32_t kind, bool has_name,
			      plait_error *error)
{
	plait__spelling_hint hint;

	plait__spelling_hint_init(&hint, name);
	for (uint32_t i = 0; i < ALGORITHMS; i++)
		if (plait__known_has(i, kind))
			plait__spelling_hint_add(&hint, algorithms[i].name);
	if (has_name)
		return plait__fail(error, PLAIT_E_INVALID,
				   "algorithm %.40s has no program for %s; "
				   "those that have: %s", name,
				   plait__collective_name(kind),
				   plait__spelling_hint_list(&hint));
	return plait__fail(error, PLAIT_E_INVALID,
			   "algorithm \"%.40s\" is not known%s; for %s there "
			   "are %s", name, plait__spelling_hint_text(&hint),
			   plait__collective_name(kind),
			   plait__spelling_hint_list(&hint));
}

static plait_status find_algorithm(const char *name, size_t length,
				   uint32_t kind,
				   const plait__known_algorithm **out,
				   plait_error *error)
{
	bool has_name = false;

	for (uint32_t i = 0; i < ALGORITHMS; i++) {
		*out = &algorithms[i];
		if (strlen((*out)->name) != length ||
		    memcmp((*out)->name, name, length) != 0)
			continue;
		if ((*out)->kinds >> kind & 1)
			return PLAIT_OK;
		has_name = true;
	}
	return fail_name(name, kind, has_name, error);
}

/* The divisor of the ranks that is next to their square root. */
static uint32_t choose_group(uint32_t ranks)
{
	uint32_t best = 1;

	for (uint32_t i = 1; (uint64_t)i * i <= ranks; i++)
		if (ranks % i == 0)
			best = i;
	return ranks / best;
}

static plait_status write_program(const plait__known_algorithm *algorithm,
				  plait__chunk_program *program, uint32_t group,
				  plait_error *error)
{
	plait__known known = {
		.program = program, .error = error,
		.kind = program->shape->kind,
		.ranks = program->shape->rank_count,
		.root = program->shape->root, .share = program->share,
		.in_place = program->shape->flags & PLAIT__COLL_IN_PLACE,
	};

	known.group = group != 0 ? group : choose_group(known.ranks);
	if (known.ranks % known.group != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%u ranks are no whole nodes of %u",
				   known.ranks, known.group);
	algorithm->write(&known);
	if (known.status != PLAIT_OK)
		plait__error_prefix(error, "%s: ", algorithm->name);
	return known.status;
}

plait_status plait__known_make(const plait_allocator *allocator,
			       const char *name,
			       const plait__chunk_request *request,
			       plait__chunk_program **out, plait_error *error)
{
	const plait__known_algorithm *algorithm;
	plait__chunk_request complete = *request;
	uint32_t group;
	size_t length;
	plait_status status = parse_name(name, &length, &group, error);

	*out = NULL;
	if (status == PLAIT_OK && plait__collective_name(request->kind) == NULL)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "collective %u is not known",
				     request->kind);
	if (status == PLAIT_OK)
		status = find_algorithm(name, length, request->kind,
					&algorithm, error);
	if (status != PLAIT_OK)
		return status;
	if (complete.share == 0)
		complete.share = algorithm->share != 0 ? algorithm->share :
							 request->rank_count;
	if (complete.name == NULL)
		complete.name = name;
	status = plait__chunk_program_make(allocator, &complete, out, error);
	if (status == PLAIT_OK)
		status = write_program(algorithm, *out, group, error);
	if (status != PLAIT_OK) {
		plait__chunk_program_free(*out);
		*out = NULL;
	}
	return status;
}
