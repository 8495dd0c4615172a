/* SPDX-License-Identifier: MIT */
/* Segments of the backend that sins: commands in their order, and those of
 * regions as often as their words say; see base.h. */
#include "base.h"

#include <stdatomic.h>
#include <string.h>

struct plait_backend_segment {
	uint64_t bytes;
	uint32_t count;
	uint32_t region_count;
	atomic_uint stop;
	bool ran; /* SIN_FREEZES_ONCE */
	bool nested; /* SIN_NESTS_ONCE */
	/* Per command that is a region: where its bodies end, one behind the
	 * other, and how many they are. */
	uint32_t *ends;
	uint32_t *ends_first;
	uint32_t *ends_count;
	plait_work work[];
};

/* A run of a segment. */
struct course {
	plait_backend *self;
	plait_backend_segment *segment;
	plait_error *error;
	uint32_t depth;
};

static const plait_work *nth(const plait_work *work, uint32_t index)
{
	return (const void *)((const char *)work +
			      (uint64_t)index * work->size);
}

/* ---- creation ---- */

static uint32_t count_bodies(const plait_segment_request *request)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < request->work_count; i++) {
		const plait_work *work = nth(request->work, i);

		if (work->kind == PLAIT_WORK_REGION)
			count += work->region->body_count;
	}
	return count;
}

/* The description of a region is valid during the call only. */
static void keep_bodies(plait_backend_segment *segment, uint32_t index,
			uint32_t *next)
{
	const plait_work_region *region = segment->work[index].region;
	uint32_t end = index + 1;

	segment->region_count++;
	segment->ends_first[index] = *next;
	segment->ends_count[index] = region->body_count;
	for (uint32_t i = 0; i < region->body_count; i++) {
		end += region->body_work[i];
		segment->ends[(*next)++] = end;
	}
	segment->work[index].pattern = region->kind;
	segment->work[index].pattern_bytes = region->decider;
	segment->work[index].region = NULL;
}

static void keep_all(plait_backend_segment *segment,
		     const plait_segment_request *request)
{
	uint32_t next = 0;

	segment->count = request->work_count;
	segment->ends_first = (uint32_t *)(void *)
		(segment->work + segment->count);
	segment->ends_count = segment->ends_first + segment->count;
	segment->ends = segment->ends_count + segment->count;
	for (uint32_t i = 0; i < segment->count; i++) {
		memcpy(&segment->work[i], nth(request->work, i),
		       sizeof(plait_work));
		if (segment->work[i].kind == PLAIT_WORK_REGION)
			keep_bodies(segment, i, &next);
	}
}

plait_status sins_segment_create(plait_backend *self, uint32_t device,
				 const plait_segment_request *request,
				 plait_backend_segment **out,
				 plait_error *error)
{
	uint32_t bodies = count_bodies(request);
	uint64_t bytes = sizeof(plait_backend_segment) +
		request->work_count * sizeof(plait_work) +
		(2ull * request->work_count + bodies) * sizeof(uint32_t);
	plait_backend_segment *segment;

	(void)device;
	*out = NULL;
	if (SINS(REFUSES_BADLY) && bodies > 0)
		return self->services->fail(error, PLAIT_E_INVALID, 0,
					    "sins: no loops");
	segment = sins_allocate(self, bytes);
	if (segment == NULL)
		return sins_no_memory(self, bytes, error);
	segment->bytes = bytes;
	keep_all(segment, request);
	*out = segment;
	return PLAIT_OK;
}

void sins_segment_destroy(plait_backend *self, plait_backend_segment *segment)
{
	sins_free(self, segment, segment->bytes);
}

static bool is_inside(const plait_backend_segment *segment, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (segment->work[i].kind == PLAIT_WORK_REGION &&
		    segment->ends[segment->ends_first[i] +
				  segment->ends_count[i] - 1] > index)
			return true;
	return false;
}

plait_status sins_segment_patch(plait_backend *self,
				plait_backend_segment *segment, uint32_t index,
				const plait_work *work, plait_error *error)
{
	(void)self;
	(void)error;
	memcpy(&segment->work[index], work, sizeof(*work));
	if (SINS(DROPS_PATCHED) ||
	    (SINS(DROPS_INSIDE) && is_inside(segment, index)))
		segment->work[index].kind = PLAIT_WORK_NOP;
	return PLAIT_OK;
}

plait_status sins_segment_stop(plait_backend *self,
			       plait_backend_segment *segment, uint32_t stop,
			       plait_error *error)
{
	(void)self;
	(void)error;
	if ((stop && !SINS(DEAF) && !SINS(LOOP_BEHIND)) || (!stop && !SINS(STOPPED_FOR_GOOD)))
		atomic_store(&segment->stop, stop);
	return PLAIT_OK;
}

/* ---- execution ---- */

static plait_status run_some(struct course *course, uint32_t first,
			     uint32_t end);

static bool is_stopped(const struct course *course)
{
	return atomic_load(&course->segment->stop) != 0;
}

static uint32_t read_word(const struct course *course, uint32_t region)
{
	const plait_work *work = &course->segment->work[region];
	uint32_t word;

	memcpy(&word, work->source->data + work->source_offset, sizeof(word));
	return word;
}

static uint32_t end_of(const plait_backend_segment *segment, uint32_t region,
		       uint32_t body)
{
	return segment->ends[segment->ends_first[region] + body];
}

static plait_status run_branch(struct course *course, uint32_t region)
{
	plait_backend_segment *segment = course->segment;
	uint32_t count = segment->ends_count[region];
	uint32_t body = read_word(course, region);

	if (SINS(FIRST_BRANCH))
		body = 0;
	if (SINS(LAST_BRANCH) && body >= count)
		body = count - 1;
	if (body >= count || is_stopped(course))
		return PLAIT_OK;
	return run_some(course, body == 0 ? region + 1 :
			end_of(segment, region, body - 1),
			end_of(segment, region, body));
}

/* The kernel that decides the loop has not changed its word. */
static bool is_undecided(const struct course *course, uint32_t region,
			 uint32_t before)
{
	return course->segment->work[region].pattern_bytes != 0 &&
	       read_word(course, region) == before;
}

/* Once, and what comes then; the word may be read before the last command. */
static plait_status run_turn(struct course *course, uint32_t region,
			     uint32_t *word)
{
	uint32_t end = end_of(course->segment, region, 0);
	bool early = SINS(TESTS_EARLY) && end - region > 2;
	uint32_t before = read_word(course, region);
	plait_status status = run_some(course, region + 1, end - early);

	*word = SINS(COUNTS_WORD) ? *word - 1 : read_word(course, region);
	if (early && status == PLAIT_OK)
		status = run_some(course, end - 1, end);
	if (SINS(ENDS_UNDECIDED) && is_undecided(course, region, before))
		*word = 0;
	return status;
}

static plait_status run_loop(struct course *course, uint32_t region)
{
	bool is_do = course->segment->work[region].pattern == PLAIT_WORK_DO;
	uint32_t word = read_word(course, region), turns = 0, before;
	plait_status status = PLAIT_OK;
	bool deaf = false;

	if (SINS(COUNTS_WORD) && is_do && word == 0)
		word = 1;
	if ((is_do && !SINS(TEST_FIRST)) || SINS(BODY_FIRST))
		word = word == 0 ? 1 : word;
	while (status == PLAIT_OK && word != 0 &&
	       (deaf || !is_stopped(course))) {
		if (SINS(TIRES) && turns++ == 64)
			break;
		before = read_word(course, region);
		status = run_turn(course, region, &word);
		deaf = SINS(KEEPS_DECIDING) &&
		       is_undecided(course, region, before);
	}
	return status;
}

static plait_status run_if(struct course *course, uint32_t region)
{
	uint32_t word = SINS(IF_NOT) ? 0 : read_word(course, region);

	if (SINS(IF_ANYWAY))
		word = 1;
	return word == 0 || is_stopped(course) ? PLAIT_OK :
	       run_turn(course, region, &word);
}

static plait_status run_region(struct course *course, uint32_t region)
{
	plait_backend_segment *segment = course->segment;
	plait_status status;

	if (SINS(NESTS_ONCE) && course->depth > 0 && segment->nested)
		return PLAIT_OK;
	segment->nested = segment->nested || course->depth > 0;
	course->depth++;
	if (segment->work[region].pattern == PLAIT_WORK_CASE)
		status = run_branch(course, region);
	else if (segment->work[region].pattern == PLAIT_WORK_IF)
		status = run_if(course, region);
	else
		status = run_loop(course, region);
	course->depth--;
	return status;
}

static plait_status run_one(struct course *course, uint32_t index)
{
	const plait_work *work = &course->segment->work[index];

	if (work->kind == PLAIT_WORK_REGION)
		return run_region(course, index);
	if (SINS(STOPS_INSIDE) && course->depth > 0 && is_stopped(course))
		return PLAIT_OK;
	if (SINS(FREEZES_ROW) && work->rows) {
		plait_work one = *work;

		one.rows = NULL;
		return sins_work(course->self, &one, course->error);
	}
	return sins_work(course->self, work, course->error);
}

static plait_status run_some(struct course *course, uint32_t first,
			     uint32_t end)
{
	plait_backend_segment *segment = course->segment;
	plait_status status = PLAIT_OK;

	for (uint32_t i = first; i < end && status == PLAIT_OK;) {
		status = run_one(course, i);
		i = segment->work[i].kind == PLAIT_WORK_REGION ?
			end_of(segment, i, segment->ends_count[i] - 1) : i + 1;
	}
	return status;
}

static plait_status run_backwards(struct course *course)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = course->segment->count; i-- > 0 &&
	     status == PLAIT_OK;)
		status = run_one(course, i);
	return status;
}

plait_status sins_segment_run(plait_backend *self, const plait_work *work,
			      plait_error *error)
{
	struct course course = { .self = self, .segment = work->segment,
				 .error = error };
	uint32_t count = work->segment->count;
	bool plain = work->segment->region_count == 0;

	if (SINS(FREEZES_ONCE) && work->segment->ran)
		return PLAIT_OK;
	work->segment->ran = true;
	work->segment->nested = false;
	if (SINS(FORGETS_EDGES) && plain)
		return run_backwards(&course);
	return run_some(&course, 0, count - (SINS(DROPS_FROZEN) && plain));
}
