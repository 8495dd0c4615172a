/* SPDX-License-Identifier: MIT */
/* Candidates, their times, and the best of each size; see coll_search.h. */
#include "coll_search.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const protocols[] = { "auto", "simple", "ll", "ll128" };

/* ---- one candidate ---- */

static plait_status make_program(struct coll_search *search,
				 const struct coll_candidate *candidate,
				 plait_coll **out)
{
	plait_coll_desc desc = search->desc;

	if (search->text != NULL)
		return plait_coll_read(search->context, search->text->bytes,
				       search->text->count, search->text_name,
				       desc.ranks, 0, out, &search->findings->error);
	desc.chunks = candidate->chunks;
	return plait_coll_known(search->context, candidate->name, &desc, out,
				&search->findings->error);
}

plait_status coll_search_compile(struct coll_search *search,
				 const struct coll_candidate *candidate,
				 uint64_t min_bytes, uint64_t max_bytes,
				 plait_schedule **out)
{
	const plait_compile_desc how = {
		.size = sizeof(how), .target = search->target,
		.flags = candidate->message_chunks != 0 ?
				 PLAIT_COMPILE_AGGREGATE : 0,
		.message_chunks = candidate->message_chunks,
		.protocol = candidate->protocol,
		.instances = candidate->instances,
		.min_bytes = min_bytes, .max_bytes = max_bytes,
	};
	plait_coll *coll = NULL;
	plait_status status = make_program(search, candidate, &coll);

	*out = NULL;
	if (status == PLAIT_OK)
		status = plait_coll_compile(coll, &how, out, &search->findings->error);
	plait_coll_release(coll);
	return status;
}

void coll_search_name(const struct coll_search *search,
		      const struct coll_candidate *candidate, char *out,
		      size_t room)
{
	size_t used = 0;

	snprintf(out, room, "%s, %u instances, %s",
		 search->text != NULL ? search->text_name : candidate->name,
		 candidate->instances, protocols[candidate->protocol]);
	if (candidate->chunks != 0) {
		used = strlen(out);
		snprintf(out + used, room - used, ", %u chunks",
			 candidate->chunks);
	}
	if (candidate->message_chunks != 0) {
		used = strlen(out);
		snprintf(out + used, room - used, ", messages of up to %u "
			 "chunks", candidate->message_chunks);
	}
}

void coll_search_print(const struct coll_search *search,
		       const struct coll_candidate *candidate, uint64_t size,
		       uint64_t time_ns)
{
	char name[256];

	coll_search_name(search, candidate, name, sizeof(name));
	printf("%12" PRIu64 " bytes: %12.3f us; %s\n", size,
	       (double)time_ns / 1000, name);
}

/* Predict all sizes; the time of one that is not safe is UINT64_MAX. */
static plait_status predict(struct coll_search *search,
			    plait_schedule *schedule, uint64_t *out_times)
{
	for (uint32_t i = 0; i < search->sizes->count; i++) {
		plait_coll_simulation result = { .size = sizeof(result) };
		plait_status status = plait_schedule_simulate(
			schedule, search->cluster->bytes,
			search->cluster->count, search->cluster_name,
			search->sizes->items[i], &result, &search->findings->error);

		if (status != PLAIT_OK && status != PLAIT_E_DEADLOCK)
			return status;
		out_times[i] = status == PLAIT_OK ? result.time_ns :
						    UINT64_MAX;
	}
	return PLAIT_OK;
}

void coll_search_keep(struct coll_search *search,
		      const struct coll_candidate *candidate, uint32_t size,
		      uint64_t time_ns)
{
	struct coll_best *best = &search->findings->best[size];

	if (search->prints_all)
		coll_search_print(search, candidate,
				  search->sizes->items[size], time_ns);
	if (time_ns < best->time_ns)
		*best = (struct coll_best){ *candidate, time_ns };
}

/* Keep the predictions of all sizes. */
static plait_status keep_all(struct coll_search *search,
			     const struct coll_candidate *candidate,
			     const uint64_t *times)
{
	search->findings->candidates++;
	if (search->list != NULL)
		return coll_candidates_add(search->list, candidate, times,
					   search->sizes->count) ?
			       PLAIT_OK : PLAIT_E_NOMEM;
	for (uint32_t i = 0; i < search->sizes->count; i++)
		if (times[i] != UINT64_MAX)
			coll_search_keep(search, candidate, i, times[i]);
	return PLAIT_OK;
}

/* Fails when the time has ended. */
static plait_status check_time(struct coll_search *search,
			       const struct coll_candidate *candidate)
{
	char name[256];

	if (coll_clock_left(&search->clock) == 0) {
		search->findings->is_complete = false;
		return PLAIT_E_TIMEOUT;
	}
	coll_search_name(search, candidate, name, sizeof(name));
	coll_clock_show(&search->clock, "predicting candidate %u: %s",
			search->findings->candidates + 1, name);
	return PLAIT_OK;
}

/* Compile, and predict the times; `out` gets the schedule's properties. */
static plait_status try_candidate(struct coll_search *search,
				  const struct coll_candidate *candidate,
				  uint64_t *out_times, plait_schedule_info *out)
{
	struct coll_findings *findings = search->findings;
	plait_schedule *schedule = NULL;
	plait_status status = check_time(search, candidate);

	*out = (plait_schedule_info){ .size = sizeof(*out) };
	if (status == PLAIT_OK)
		status = coll_search_compile(search, candidate, 0, 0,
					     &schedule);
	if (status == PLAIT_OK)
		status = plait_schedule_query(schedule, out, &findings->error);
	if (status == PLAIT_OK)
		status = predict(search, schedule, out_times);
	plait_schedule_release(schedule);
	if (status != PLAIT_OK)
		return status;
	findings->kind = out->kind;
	findings->ranks = out->ranks;
	return keep_all(search, candidate, out_times);
}

/* ---- instances ---- */

/* Returns true if a time is less than before, and keeps the times. */
static bool is_faster(uint64_t *before, const uint64_t *times, uint32_t count)
{
	bool faster = false;

	for (uint32_t i = 0; i < count; i++) {
		faster |= times[i] < before[i];
		before[i] = times[i];
	}
	return faster;
}

/* One, two, four instances, ... as long as a size becomes faster.  `out` gets
 * the properties of the first schedule; returns false if it is refused. */
static bool try_instances(struct coll_search *search,
			  struct coll_candidate candidate,
			  plait_schedule_info *out)
{
	uint64_t times[COLL_MOST_SIZES], before[COLL_MOST_SIZES];
	uint32_t count = search->sizes->count;
	plait_schedule_info info;

	for (uint32_t i = 0; i < count; i++)
		before[i] = UINT64_MAX;
	candidate.instances = 1;
	if (try_candidate(search, &candidate, times, out) != PLAIT_OK)
		return false;
	while (candidate.instances < 64 && is_faster(before, times, count)) {
		candidate.instances *= 2;
		if (try_candidate(search, &candidate, times, &info) != PLAIT_OK)
			break;
	}
	return true;
}

/* ---- messages ---- */

/* Returns the most chunks of a message if all are joined that can be; 0: none
 * can, so there are as many steps as in `plain`. */
static uint32_t find_most_joined(struct coll_search *search,
				 struct coll_candidate candidate,
				 const plait_schedule_info *plain)
{
	plait_proof proof = { .size = sizeof(proof) };
	plait_schedule *schedule;
	plait_status status;

	candidate.instances = 1;
	candidate.message_chunks = UINT32_MAX;
	status = coll_search_compile(search, &candidate, 0, 0, &schedule);
	if (status == PLAIT_OK)
		status = plait_schedule_check(schedule, NULL, &proof,
					      &search->findings->error);
	plait_schedule_release(schedule);
	return status == PLAIT_OK && proof.steps < plain->steps ?
		       proof.step_chunks : 0;
}

/* Messages as the program has them, then joined to 2, 4, 8, ... chunks.  `out`
 * gets the properties of the first schedule; returns false if it is refused. */
static bool try_messages(struct coll_search *search,
			 struct coll_candidate candidate,
			 plait_schedule_info *out)
{
	plait_schedule_info info;
	uint32_t most;

	candidate.message_chunks = 0;
	if (!try_instances(search, candidate, out))
		return false;
	most = find_most_joined(search, candidate, out);
	for (uint32_t limit = 2; candidate.message_chunks < most; limit *= 2) {
		candidate.message_chunks = limit < most ? limit : most;
		(void)try_instances(search, candidate, &info);
	}
	return true;
}

/* ---- programs ---- */

/* Returns true if candidates have the protocol.  Ranks of a world choose by themselves:
 * AUTO, which has the price of SIMPLE, and receivers that wait for less time.  Those
 * of a file in XML have one that AUTO does not name. */
static bool is_tried(const struct coll_search *search,
		     plait_coll_protocol protocol)
{
	bool measures = search->list != NULL;
	bool chooses = measures || search->target == PLAIT_TARGET_PLAIT;

	if (protocol == PLAIT_PROTOCOL_AUTO)
		return chooses;
	return !measures && (protocol != PLAIT_PROTOCOL_SIMPLE || !chooses);
}

/* A program with its protocols; an algorithm also with two and four times as many
 * chunks as it needs, of which joined messages would be the first ones again. */
static void try_program(struct coll_search *search, const char *name)
{
	struct coll_candidate candidate = { .chunks = 0 };

	snprintf(candidate.name, sizeof(candidate.name), "%s", name);
	for (candidate.protocol = PLAIT_PROTOCOL_AUTO;
	     candidate.protocol <= PLAIT_PROTOCOL_LL128;
	     candidate.protocol++) {
		plait_schedule_info first, info;

		candidate.chunks = 0;
		if (!is_tried(search, candidate.protocol) ||
		    !try_messages(search, candidate, &first) ||
		    search->text != NULL)
			continue;
		for (uint32_t times = 2; times <= 4; times *= 2) {
			candidate.chunks = times * first.share_chunks;
			(void)try_instances(search, candidate, &info);
		}
	}
}

static void try_algorithms(struct coll_search *search)
{
	static const char *const flat[] = { "ring", "allpairs", "onestep",
					    "direct", "halving", "tree",
					    "doubletree" };
	static const char *const nodes[] = { "hierarchical", "twostep",
					     "threestep", "next" };
	uint32_t ranks = search->desc.ranks;
	char name[24];

	for (size_t i = 0; i < sizeof(flat) / sizeof(flat[0]); i++)
		try_program(search, flat[i]);
	for (size_t i = 0; i < sizeof(nodes) / sizeof(nodes[0]); i++)
		for (uint32_t group = 2; group < ranks; group++)
			if (ranks % group == 0) {
				snprintf(name, sizeof(name), "%s:%u", nodes[i],
					 group);
				try_program(search, name);
			}
}

void coll_findings_clear(struct coll_findings *findings)
{
	*findings = (struct coll_findings){ .is_complete = true };
	findings->error.size = sizeof(findings->error);
	for (uint32_t i = 0; i < COLL_MOST_SIZES; i++)
		findings->best[i].time_ns = UINT64_MAX;
}

void coll_search_all(struct coll_search *search)
{
	if (search->text != NULL)
		try_program(search, "");
	else
		try_algorithms(search);
}
