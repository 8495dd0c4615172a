/* SPDX-License-Identifier: MIT */
/*
 * The meaning of an XML document, by what the executors do with it.
 *
 * A source location is local where the step reads memory, a target location
 * where it stores; the others inform human readers.  A wait (depid, deps) ends
 * when thread block depid has published a step from number deps on; a step is
 * published if its hasdep is 1.  A nop adds its wait to the next step.
 * Consecutive re steps with equal targets and source buffers, without a wait
 * between, are executed as one, with the count of one of them.
 */
#include "coll/form/xml_resolve.h"

#include "coll/form/xml_dialect.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_BYTES_OF_MSCCL = 60 };

typedef struct resolver_state {
	const plait__xml_document *document;
	plait__schedule *schedule;
	plait_error *error;
	uint32_t *gpus;		/* by rank: its place in the document */
	uint32_t *blocks;	/* by lane: its place in the document */
	/* By step of the document: the place in its lane of the first published
	 * step from there on, or UINT32_MAX. */
	uint32_t *published;
	plait__vector waits;
	uint64_t step_count;	/* so far */
} resolver_state;

#define REFUSE(resolver, ...) \
	plait__fail((resolver)->error, PLAIT_E_INVALID, __VA_ARGS__)

static plait_status no_memory(const resolver_state *resolver)
{
	return plait__fail(resolver->error, PLAIT_E_NOMEM,
			   "no memory for a schedule of %u steps",
			   resolver->document->steps.count);
}

static const plait__xml_gpu *gpu_at(const resolver_state *resolver, uint32_t place)
{
	return plait__vector_at(&resolver->document->gpus, place);
}

static const plait__xml_block *block_at(const resolver_state *resolver,
					uint32_t place)
{
	return plait__vector_at(&resolver->document->blocks, place);
}

static const plait__xml_step *step_at(const resolver_state *resolver,
				      const plait__xml_block *block,
				      uint32_t number)
{
	return plait__vector_at(&resolver->document->steps,
				block->first_step + number);
}

static bool is_nop(const plait__xml_step *step)
{
	return strcmp(step->type, "nop") == 0;
}

/* ---- the algorithm ---- */

static plait_status resolve_names(resolver_state *resolver)
{
	const plait__xml_document *document = resolver->document;
	plait__schedule *schedule = resolver->schedule;

	if (plait__dialect_find_kind(document->coll, &schedule->kind))
		return plait__fail(resolver->error, PLAIT_E_UNSUPPORTED,
				   "line %u: unknown coll=\"%s\"",
				   document->line, document->coll);
	if (plait__dialect_find_protocol(document->proto, &schedule->protocol))
		return REFUSE(resolver, "line %u: proto=\"%s\"; protocols are "
			      "Simple, LL and LL128", document->line,
			      document->proto);
	if (document->inplace == 1 && document->outofplace == 1)
		return REFUSE(resolver, "line %u: inplace and outofplace; a "
			      "schedule is proved for one of them",
			      document->line);
	memcpy(schedule->name, document->name, sizeof(schedule->name));
	return PLAIT_OK;
}

/* Set the facts of the algo element; a file without `outofplace` is one of the
 * MSCCL runtime. */
static plait_status resolve_algorithm(resolver_state *resolver)
{
	const plait__xml_document *document = resolver->document;
	plait__schedule *schedule = resolver->schedule;
	bool is_old = document->outofplace == PLAIT__XML_ABSENT;
	plait_status status = resolve_names(resolver);

	if (status)
		return status;
	if (document->inplace == 1)
		schedule->flags = PLAIT__COLL_IN_PLACE;
	schedule->chunks = (uint32_t)document->nchunksperloop;
	schedule->channel_count = (uint32_t)document->nchannels;
	schedule->target = is_old ? PLAIT__TARGET_MSCCL :
				    PLAIT__TARGET_EXECUTOR;
	schedule->depth = plait__dialect_depth(schedule->protocol);
	schedule->slot_bytes = plait__dialect_slot_bytes(schedule->protocol);
	if (document->min_bytes > 0)
		schedule->min_bytes = (uint64_t)document->min_bytes;
	/* The runtime knows no size without a limit. */
	if (document->max_bytes > 0 &&
	    document->max_bytes < INT64_C(1) << MAX_BYTES_OF_MSCCL)
		schedule->max_bytes = (uint64_t)document->max_bytes;
	return PLAIT_OK;
}

/* ---- ranks ---- */

/* Find the gpu element of each rank, which may come in any order. */
static plait_status place_gpus(resolver_state *resolver)
{
	const plait__xml_document *document = resolver->document;
	uint32_t count = document->gpus.count;

	if (count != (uint32_t)document->ngpus)
		return REFUSE(resolver, "line %u: ngpus=\"%d\", but there are "
			      "%u gpu elements", document->line,
			      document->ngpus, count);
	memset(resolver->gpus, 0xff, count * sizeof(*resolver->gpus));
	for (uint32_t i = 0; i < count; i++) {
		const plait__xml_gpu *gpu = gpu_at(resolver, i);

		if ((uint32_t)gpu->id >= count)
			return REFUSE(resolver, "line %u: gpu %d of %u",
				      gpu->line, gpu->id, count);
		if (resolver->gpus[gpu->id] != UINT32_MAX)
			return REFUSE(resolver, "line %u: a second gpu %d",
				      gpu->line, gpu->id);
		resolver->gpus[gpu->id] = i;
	}
	return PLAIT_OK;
}

static void full_sizes(const resolver_state *resolver, const plait__xml_gpu *gpu,
		       plait__coll_rank *rank)
{
	uint32_t kind = resolver->schedule->kind;
	uint32_t chunks = resolver->schedule->chunks;
	uint32_t share = chunks / resolver->schedule->rank_count;

	rank->input_chunks = (uint32_t)gpu->i_chunks;
	rank->output_chunks = (uint32_t)gpu->o_chunks;
	rank->scratch_chunks = (uint32_t)gpu->s_chunks;
	if (kind == PLAIT__COLL_CUSTOM)
		return;
	/* 0 stands for a buffer that the file does not use. */
	if (gpu->i_chunks == 0)
		rank->input_chunks = kind == PLAIT__COLL_ALLGATHER ||
				     kind == PLAIT__COLL_GATHER ? share : chunks;
	if (gpu->o_chunks == 0)
		rank->output_chunks = kind == PLAIT__COLL_REDUCE_SCATTER ||
				      kind == PLAIT__COLL_SCATTER ? share :
								    chunks;
}

static void resolve_rank(resolver_state *resolver, uint32_t index)
{
	const plait__xml_gpu *gpu = gpu_at(resolver, resolver->gpus[index]);
	plait__coll_rank *rank = &resolver->schedule->ranks[index];

	full_sizes(resolver, gpu, rank);
	rank->lane_count = gpu->block_count;
}

/* ---- lanes ---- */

/* Find the tb element of each lane of a gpu, which may come in any order. */
static plait_status place_blocks(resolver_state *resolver, uint32_t index,
				 uint32_t first_lane)
{
	const plait__xml_gpu *gpu = gpu_at(resolver, resolver->gpus[index]);

	for (uint32_t i = 0; i < gpu->block_count; i++)
		resolver->blocks[first_lane + i] = UINT32_MAX;
	for (uint32_t i = 0; i < gpu->block_count; i++) {
		uint32_t place = gpu->first_block + i;
		const plait__xml_block *block = block_at(resolver, place);

		if ((uint32_t)block->id >= gpu->block_count)
			return REFUSE(resolver, "line %u: tb %d; gpu %u has %u "
				      "of them, numbered from 0", block->line,
				      block->id, index, gpu->block_count);
		if (resolver->blocks[first_lane + (uint32_t)block->id] !=
		    UINT32_MAX)
			return REFUSE(resolver, "line %u: a second tb %d",
				      block->line, block->id);
		resolver->blocks[first_lane + (uint32_t)block->id] = place;
	}
	return PLAIT_OK;
}

static plait_status check_peer(const resolver_state *resolver,
			       const plait__xml_block *block, int32_t peer,
			       uint32_t rank, const char *name)
{
	if (peer >= (int32_t)resolver->schedule->rank_count ||
	    peer == (int32_t)rank)
		return REFUSE(resolver, "line %u: %s=\"%d\" of gpu %u; a peer "
			      "is another of %u gpus, or -1", block->line,
			      name, peer, rank,
			      resolver->schedule->rank_count);
	return PLAIT_OK;
}

static plait_status resolve_lane(resolver_state *resolver, uint32_t lane,
				 uint32_t rank)
{
	const plait__xml_block *block =
		block_at(resolver, resolver->blocks[lane]);
	plait__coll_lane *at = &resolver->schedule->lanes[lane];
	plait_status status;

	at->rank = rank;
	at->channel = (uint32_t)block->chan;
	at->send_peer = block->send;
	at->recv_peer = block->recv;
	if (block->chan >= resolver->document->nchannels)
		return REFUSE(resolver, "line %u: chan=\"%d\", but nchannels "
			      "is %d", block->line, block->chan,
			      resolver->document->nchannels);
	status = check_peer(resolver, block, block->send, rank, "send");
	if (!status)
		status = check_peer(resolver, block, block->recv, rank, "recv");
	return status;
}

static plait_status resolve_lanes(resolver_state *resolver)
{
	plait__schedule *schedule = resolver->schedule;
	plait_status status = PLAIT_OK;
	uint32_t lane = 0;

	for (uint32_t i = 0; i < schedule->rank_count && !status; i++) {
		plait__coll_rank *rank = &schedule->ranks[i];

		rank->first_lane = lane;
		status = place_blocks(resolver, i, lane);
		for (uint32_t k = 0; k < rank->lane_count && !status; k++)
			status = resolve_lane(resolver, lane + k, i);
		lane += rank->lane_count;
	}
	return status;
}

/* ---- waits ---- */

/* A nop has no place in its lane and publishes nothing. */
static void list_published(resolver_state *resolver, const plait__xml_block *block)
{
	uint32_t place = 0, next = UINT32_MAX;

	for (uint32_t i = 0; i < block->step_count; i++)
		place += !is_nop(step_at(resolver, block, i));
	for (uint32_t i = block->step_count; i-- > 0;) {
		const plait__xml_step *step = step_at(resolver, block, i);

		if (!is_nop(step)) {
			place--;
			if (step->hasdep == 1)
				next = place;
		}
		resolver->published[block->first_step + i] = next;
	}
}

/* Returns UINT32_MAX if the wait never ends. */
static uint32_t find_published(const resolver_state *resolver, uint32_t lane,
			       uint32_t number)
{
	const plait__xml_block *block =
		block_at(resolver, resolver->blocks[lane]);

	return number < block->step_count ?
		       resolver->published[block->first_step + number] :
		       UINT32_MAX;
}

/* Append the wait of a step.  One for an earlier step of its own lane is
 * implied. */
static plait_status resolve_wait(resolver_state *resolver, uint32_t lane,
				 const plait__xml_step *step)
{
	const plait__schedule *schedule = resolver->schedule;
	const plait__coll_rank *rank =
		&schedule->ranks[schedule->lanes[lane].rank];
	plait__coll_wait wait = { rank->first_lane + (uint32_t)step->depid, 0 };

	if (step->depid < 0 && step->deps < 0)
		return PLAIT_OK;
	if (step->depid < 0 || step->deps < 0 ||
	    (uint32_t)step->depid >= rank->lane_count)
		return REFUSE(resolver, "line %u: depid=\"%d\" deps=\"%d\" name "
			      "no step of another tb", step->line, step->depid,
			      step->deps);
	wait.step = find_published(resolver, wait.lane, (uint32_t)step->deps);
	if (wait.step == UINT32_MAX)
		return REFUSE(resolver, "line %u: no step of tb %d from %d on "
			      "has hasdep=\"1\": the wait never ends",
			      step->line, step->depid, step->deps);
	if (wait.lane == lane)
		return step->deps < step->s ? PLAIT_OK :
			REFUSE(resolver, "line %u: the step waits for a later "
			       "one of its tb", step->line);
	return PLAIT__VECTOR_ADD(&resolver->waits, &wait) ?
		       PLAIT_OK : no_memory(resolver);
}

/* ---- steps ---- */

static bool reads_source(uint32_t kind)
{
	return kind != PLAIT__STEP_NOP && kind != PLAIT__STEP_RECV &&
	       kind != PLAIT__STEP_RECV_SEND;
}

static bool stores_target(uint32_t kind)
{
	return kind != PLAIT__STEP_NOP && kind != PLAIT__STEP_SEND &&
	       kind != PLAIT__STEP_RECV_REDUCE_SEND;
}

static plait_status resolve_location(const resolver_state *resolver,
				     const plait__xml_step *step,
				     const char *buffer, int32_t offset,
				     uint8_t *out_buffer, uint32_t *out_offset)
{
	uint32_t number;

	if (plait__dialect_find_buffer(buffer, &number) || offset < 0)
		return REFUSE(resolver, "line %u: type=\"%s\" with buffer "
			      "\"%s\", offset %d; buffers are i, o and s",
			      step->line, step->type, buffer, offset);
	*out_buffer = (uint8_t)number;
	*out_offset = (uint32_t)offset;
	return PLAIT_OK;
}

/* Append a step that is no nop, with the waits from `first_wait` on. */
static plait_status resolve_step(resolver_state *resolver,
				 const plait__xml_step *step, uint32_t kind,
				 uint32_t first_wait)
{
	plait__coll_step *to =
		&resolver->schedule->steps[resolver->step_count++];
	plait_status status = PLAIT_OK;

	to->kind = (uint8_t)kind;
	to->count = (uint32_t)step->cnt;
	to->first_wait = first_wait;
	to->wait_count = resolver->waits.count - first_wait;
	if (step->cnt == 0)
		return REFUSE(resolver, "line %u: type=\"%s\" with cnt=\"0\"",
			      step->line, step->type);
	if (reads_source(kind))
		status = resolve_location(resolver, step, step->srcbuf,
					  step->srcoff, &to->source_buffer,
					  &to->source);
	if (!status && stores_target(kind))
		status = resolve_location(resolver, step, step->dstbuf,
					  step->dstoff, &to->target_buffer,
					  &to->target);
	return status;
}

/* Executors merge some re steps, and compare no counts. */
static plait_status check_merge(const resolver_state *resolver,
				const plait__xml_step *step)
{
	const plait__xml_step *last = step - 1;

	if (step->s == 0 || strcmp(step->type, "re") != 0 ||
	    strcmp(last->type, "re") != 0 || step->depid >= 0 ||
	    last->hasdep == 1 || step->dstoff != last->dstoff ||
	    strcmp(step->dstbuf, last->dstbuf) != 0 ||
	    strcmp(step->srcbuf, last->srcbuf) != 0 || step->cnt == last->cnt)
		return PLAIT_OK;
	return REFUSE(resolver, "line %u: executors merge this re with the one "
		      "before it, but cnt is %d and %d", step->line, step->cnt,
		      last->cnt);
}

static plait_status resolve_block_step(resolver_state *resolver, uint32_t lane,
				       const plait__xml_step *step,
				       uint32_t *first_wait)
{
	plait_status status;
	uint32_t kind;

	if (plait__dialect_find_step(step->type, &kind))
		return REFUSE(resolver, "line %u: unknown type=\"%s\"",
			      step->line, step->type);
	status = resolve_wait(resolver, lane, step);
	if (status || kind == PLAIT__STEP_NOP)
		return status;
	status = check_merge(resolver, step);
	if (!status)
		status = resolve_step(resolver, step, kind, *first_wait);
	*first_wait = resolver->waits.count;
	return status;
}

/* Append the steps of a lane; nops become waits of the step behind them. */
static plait_status resolve_block(resolver_state *resolver, uint32_t lane)
{
	const plait__xml_block *block =
		block_at(resolver, resolver->blocks[lane]);
	plait__coll_lane *at = &resolver->schedule->lanes[lane];
	uint32_t first_wait = resolver->waits.count;

	at->first_step = resolver->step_count;
	for (uint32_t i = 0; i < block->step_count; i++) {
		const plait__xml_step *step = step_at(resolver, block, i);
		plait_status status;

		if ((uint32_t)step->s != i)
			return REFUSE(resolver, "line %u: step s=\"%d\" is the "
				      "one with the number %u", step->line,
				      step->s, i);
		status = resolve_block_step(resolver, lane, step, &first_wait);
		if (status)
			return status;
	}
	if (block->step_count > 0 &&
	    is_nop(step_at(resolver, block, block->step_count - 1)))
		return REFUSE(resolver, "line %u: no step follows this nop",
			      step_at(resolver, block,
				      block->step_count - 1)->line);
	at->step_count = resolver->step_count - at->first_step;
	return PLAIT_OK;
}

static plait_status resolve_blocks(resolver_state *resolver)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < resolver->document->blocks.count; i++)
		list_published(resolver, block_at(resolver, i));
	for (uint32_t i = 0; i < resolver->document->blocks.count && !status;
	     i++)
		status = resolve_block(resolver, i);
	return status;
}

/* ---- all ---- */

/* Returns 0, or -1 without memory; the caller frees in both cases. */
static int allocate(resolver_state *resolver, const plait_allocator *allocator)
{
	const plait__xml_document *document = resolver->document;
	uint64_t gpus = document->gpus.count, blocks = document->blocks.count;
	plait__schedule *schedule = plait__alloc(allocator, sizeof(*schedule));

	resolver->schedule = schedule;
	if (schedule == NULL)
		return -1;
	schedule->allocator = allocator;
	schedule->rank_count = (uint32_t)gpus;
	schedule->lane_count = blocks;
	schedule->step_count = document->steps.count;
	schedule->ranks = plait__alloc_array(allocator, gpus,
					     sizeof(*schedule->ranks));
	schedule->lanes = plait__alloc_array(allocator, blocks,
					     sizeof(*schedule->lanes));
	schedule->steps = plait__alloc_array(allocator, schedule->step_count,
					     sizeof(*schedule->steps));
	resolver->gpus = plait__alloc_array(allocator, gpus, sizeof(uint32_t));
	resolver->blocks = plait__alloc_array(allocator, blocks,
					      sizeof(uint32_t));
	resolver->published = plait__alloc_array(allocator,
						 schedule->step_count,
						 sizeof(uint32_t));
	return (gpus > 0 && (!schedule->ranks || !resolver->gpus)) ||
	       (blocks > 0 && (!schedule->lanes || !resolver->blocks)) ||
	       (schedule->step_count > 0 &&
		(!schedule->steps || !resolver->published)) ? -1 : 0;
}

/* Give the arrays of steps and waits their final sizes. */
static int shrink(resolver_state *resolver)
{
	plait__schedule *schedule = resolver->schedule;
	const plait_allocator *allocator = schedule->allocator;
	uint64_t each = sizeof(*schedule->steps);
	void *steps;

	schedule->wait_count = resolver->waits.count;
	schedule->waits = plait__alloc_array(allocator, schedule->wait_count,
					     sizeof(*schedule->waits));
	if (schedule->wait_count > 0 && schedule->waits == NULL) {
		schedule->wait_count = 0;
		return -1;
	}
	if (schedule->wait_count > 0)
		memcpy(schedule->waits, resolver->waits.items,
		       schedule->wait_count * sizeof(*schedule->waits));
	if (resolver->step_count == schedule->step_count)
		return 0;
	steps = plait__realloc(allocator, schedule->steps,
			       schedule->step_count * each,
			       resolver->step_count * each);
	if (steps == NULL)
		return -1;
	schedule->steps = steps;
	schedule->step_count = resolver->step_count;
	return 0;
}

static plait_status resolve(resolver_state *resolver)
{
	plait_status status = resolve_algorithm(resolver);

	if (!status)
		status = place_gpus(resolver);
	if (status)
		return status;
	for (uint32_t i = 0; i < resolver->schedule->rank_count; i++)
		resolve_rank(resolver, i);
	status = resolve_lanes(resolver);
	if (!status)
		status = resolve_blocks(resolver);
	if (!status && shrink(resolver))
		status = no_memory(resolver);
	return status;
}

plait_status plait__xml_resolve(const plait__xml_document *document,
				const plait_allocator *allocator,
				plait__schedule **out, plait_error *error)
{
	resolver_state resolver = { .document = document, .error = error };
	uint64_t gpus = document->gpus.count, blocks = document->blocks.count;
	plait_status status;

	plait__vector_init(&resolver.waits, allocator,
			   sizeof(plait__coll_wait));
	status = allocate(&resolver, allocator) ? no_memory(&resolver) :
						  resolve(&resolver);
	plait__vector_fini(&resolver.waits);
	plait__free(allocator, resolver.gpus, gpus * sizeof(uint32_t));
	plait__free(allocator, resolver.blocks, blocks * sizeof(uint32_t));
	plait__free(allocator, resolver.published,
		    document->steps.count * sizeof(uint32_t));
	if (status) {
		plait__schedule_free(resolver.schedule);
		return status;
	}
	*out = resolver.schedule;
	return PLAIT_OK;
}
