/* SPDX-License-Identifier: MIT */
/* Conversion of the caller's promises; see promise_tables.h. */
#include "coll/use/promise_tables.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/sized_struct.h"

void plait__promise_tables_free(plait__promise_tables *tables)
{
	plait__free(tables->allocator, tables->promises,
		    tables->promise_count * sizeof(*tables->promises));
	plait__free(tables->allocator, tables->sources,
		    tables->source_count * sizeof(*tables->sources));
}

/* Elements of the caller's array have the size that the first one says. */
static plait_status read_promise(const plait_coll_promise *promises,
				 uint64_t index, plait_coll_promise *out,
				 plait_error *error)
{
	uint64_t stride = promises->size;
	const char *given = (const char *)promises + index * stride;
	plait_status status = PLAIT__STRUCT_READ(plait_coll_promise, out, given,
						 error);

	if (status != PLAIT_OK)
		return status;
	if (out->source_count > 0 &&
	    (out->source_ranks == NULL || out->source_indices == NULL))
		return plait__fail(error, PLAIT_E_INVALID,
				   "promise %llu: source_ranks or "
				   "source_indices is null",
				   (unsigned long long)index);
	if (out->index > UINT32_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "promise %llu: chunk %llu",
				   (unsigned long long)index,
				   (unsigned long long)out->index);
	return PLAIT_OK;
}

static plait_status count_sources(const plait_coll_promise *promises,
				  uint64_t count, uint64_t *out_count,
				  plait_error *error)
{
	for (uint64_t i = 0; i < count; i++) {
		plait_coll_promise promise;
		plait_status status = read_promise(promises, i, &promise, error);

		if (status != PLAIT_OK)
			return status;
		if (__builtin_add_overflow(*out_count, promise.source_count,
					   out_count))
			return plait__fail(error, PLAIT_E_INVALID,
					   "too many sources of promises");
	}
	return PLAIT_OK;
}

static plait_status copy_sources(plait__promise_tables *tables,
				 const plait_coll_promise *promise,
				 uint64_t first, plait_error *error)
{
	for (uint64_t i = 0; i < promise->source_count; i++) {
		if (promise->source_indices[i] > UINT32_MAX)
			return plait__fail(error, PLAIT_E_INVALID,
					   "a promise of rank %u: source chunk "
					   "%llu", promise->rank,
					   (unsigned long long)
						   promise->source_indices[i]);
		tables->sources[first + i] = (plait__coll_source){
			promise->source_ranks[i],
			(uint32_t)promise->source_indices[i]
		};
	}
	return PLAIT_OK;
}

static plait_status copy_promises(plait__promise_tables *tables,
				  const plait_coll_promise *promises,
				  uint64_t count, plait_error *error)
{
	uint64_t first = 0;

	for (uint64_t i = 0; i < count; i++) {
		plait_coll_promise promise;
		plait_status status = read_promise(promises, i, &promise, error);

		if (status == PLAIT_OK)
			status = copy_sources(tables, &promise, first, error);
		if (status != PLAIT_OK)
			return status;
		tables->promises[i] = (plait__coll_promise){
			promise.rank, (uint32_t)promise.index, first,
			promise.source_count
		};
		first += promise.source_count;
	}
	return PLAIT_OK;
}

plait_status plait__promise_tables_read(plait__promise_tables *tables,
					const plait_coll_promise *promises,
					uint64_t count, plait_error *error)
{
	uint64_t source_count = 0;
	plait_status status;

	if (count == 0)
		return PLAIT_OK;
	if (promises == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "promises is null");
	status = count_sources(promises, count, &source_count, error);
	if (status != PLAIT_OK)
		return status;
	tables->promises = plait__alloc_array(tables->allocator, count,
					      sizeof(*tables->promises));
	if (tables->promises != NULL)
		tables->promise_count = count;
	tables->sources = plait__alloc_array(tables->allocator, source_count,
					     sizeof(*tables->sources));
	if (tables->sources != NULL)
		tables->source_count = source_count;
	if (tables->promises == NULL ||
	    (source_count > 0 && tables->sources == NULL))
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for %llu promises",
				   (unsigned long long)count);
	return copy_promises(tables, promises, count, error);
}
