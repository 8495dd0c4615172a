/* SPDX-License-Identifier: MIT */
/* Rows and slices of commands: checks, sizes, overlap; see strided_copy.h. */
#include "object/queue/strided_copy.h"

#include "base/alloc.h"
#include "base/sized_struct.h"
#include "base/error.h"

/* --- one side */

struct side {
	const char *name;
	uint64_t row;
	uint64_t slice;
	uint64_t bytes; /* extent of all rows */
};

static plait_status fail_far(const struct side *side, plait_error *error)
{
	return plait__fail(error, PLAIT_E_INVALID,
			   "rows: the %s ends beyond all memory", side->name);
}

/* Fill in distances that are 0, and check the others.  Counts of rows and
 * slices are not 0 (read_rows), nor is `bytes`. */
static plait_status fill_distances(struct side *side, uint64_t bytes,
				   const plait_rows *given, plait_error *error)
{
	uint64_t least;

	if (side->row == 0 || (given->rows == 1 && side->row < bytes))
		side->row = bytes;
	if (side->row < bytes)
		return plait__fail(error, PLAIT_E_INVALID,
				   "rows: the %s has rows of %llu bytes, and "
				   "from one to the next %llu", side->name,
				   (unsigned long long)bytes,
				   (unsigned long long)side->row);
	if (__builtin_mul_overflow(side->row, given->rows, &least))
		return fail_far(side, error);
	if (side->slice == 0 || given->slices == 1)
		side->slice = least;
	if (side->slice >= least && side->slice % side->row == 0)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "rows: from one slice of the %s to the next %llu "
			   "bytes; that has to be a multiple of its row's "
			   "%llu, and at least %llu", side->name,
			   (unsigned long long)side->slice,
			   (unsigned long long)side->row,
			   (unsigned long long)least);
}

static plait_status measure(struct side *side, uint64_t bytes,
			    const plait_rows *given, plait_error *error)
{
	plait_status status = fill_distances(side, bytes, given, error);
	uint64_t last;

	if (status != PLAIT_OK)
		return status;
	/* A single row does not overflow, as all rows do not. */
	if (__builtin_mul_overflow(side->slice, given->slices - 1,
				   &side->bytes))
		return fail_far(side, error);
	last = side->row * (given->rows - 1) + bytes;
	if (__builtin_add_overflow(side->bytes, last, &side->bytes))
		return fail_far(side, error);
	return PLAIT_OK;
}

/* --- both sides */

/* Merge rows that are contiguous on both sides into one; the slices become its
 * rows.  `measure` has checked the extent, so the bytes do not overflow. */
static void merge_rows(plait__strided_copy *shape)
{
	plait_work_rows *rows = &shape->rows;
	int i;

	for (i = 0; i < 2; i++) {
		if (rows->rows > 1 && (rows->target_row != shape->bytes ||
				       rows->source_row != shape->bytes))
			return;
		shape->bytes *= rows->rows;
		rows->rows = rows->slices;
		rows->target_row = rows->target_slice;
		rows->source_row = rows->source_slice;
		rows->slices = 1;
		rows->target_slice = rows->rows * rows->target_row;
		rows->source_slice = rows->rows * rows->source_row;
	}
}

static plait_status read_rows(plait_rows *out, const plait_command *command,
			      plait_error *error)
{
	plait_status status = PLAIT__STRUCT_READ(plait_rows, out, command->rows,
						 error);

	if (status != PLAIT_OK)
		return status;
	if (out->flags != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "rows: flags 0x%x are not known",
				   (unsigned)out->flags);
	out->rows += out->rows == 0;
	out->slices += out->slices == 0;
	return PLAIT_OK;
}

static void set_single_row(plait__strided_copy *out, uint64_t bytes)
{
	out->bytes = out->target_bytes = out->source_bytes = bytes;
	out->rows.rows = 1;
	out->rows.slices = 1;
}

plait_status plait__strided_copy_read(plait__strided_copy *out,
				      const plait_command *command,
				      plait_error *error)
{
	struct side target = { .name = "target" };
	struct side source = { .name = "source" };
	plait_status status;
	plait_rows given;

	set_single_row(out, command->bytes);
	if (command->rows == NULL)
		return PLAIT_OK;
	status = read_rows(&given, command, error);
	if (status != PLAIT_OK || command->bytes == 0)
		return status;
	target.row = given.target_row;
	target.slice = given.target_slice;
	source.row = given.source_row;
	source.slice = given.source_slice;
	status = measure(&target, command->bytes, &given, error);
	if (status == PLAIT_OK)
		status = measure(&source, command->bytes, &given, error);
	if (status != PLAIT_OK)
		return status;
	out->target_bytes = target.bytes;
	out->source_bytes = source.bytes;
	out->rows = (plait_work_rows){
		sizeof(out->rows), 0, given.rows, given.slices, target.row,
		target.slice, source.row, source.slice
	};
	merge_rows(out);
	return PLAIT_OK;
}

/* `bytes` is not 0, so neither is a row that passes. */
static bool find_extent(const plait_work_rows *rows, uint64_t bytes,
			uint64_t row, uint64_t slice, uint64_t *out)
{
	uint64_t all, last;

	return row >= bytes && !__builtin_mul_overflow(row, rows->rows, &all) &&
	       slice >= all && slice % row == 0 &&
	       !__builtin_mul_overflow(slice, rows->slices - 1, out) &&
	       !__builtin_add_overflow(row * (rows->rows - 1), bytes, &last) &&
	       !__builtin_add_overflow(*out, last, out);
}

bool plait__strided_copy_extent(const plait_work_rows *rows, uint64_t bytes,
				uint64_t *out_target, uint64_t *out_source)
{
	return rows->size == sizeof(*rows) && bytes > 0 &&
	       rows->rows > 1 && rows->slices > 0 &&
	       find_extent(rows, bytes, rows->target_row, rows->target_slice,
		     out_target) &&
	       find_extent(rows, bytes, rows->source_row, rows->source_slice,
		     out_source);
}

uint64_t plait__strided_copy_count_rows(const plait_command *command)
{
	plait__strided_copy shape;

	/* The check of the command reports what is wrong. */
	if (command->rows == NULL ||
	    plait__strided_copy_read(&shape, command, NULL) != PLAIT_OK)
		return 1;
	return shape.rows.rows * shape.rows.slices;
}

/* --- overlap */

static uint64_t distance_of(uint64_t one, uint64_t other)
{
	return one < other ? other - one : one - other;
}

/* Returns true if a row of a target slice and one of a source slice, `distance`
 * bytes apart, share a byte.  Both sides have one row pitch.  The shape has
 * bytes, so the pitch is not 0. */
static bool rows_overlap(const plait__strided_copy *shape, uint64_t distance)
{
	uint64_t row = shape->rows.target_row;
	uint64_t i = distance / row;

	return (i < shape->rows.rows &&
		distance_of(distance, i * row) < shape->bytes) ||
	       (i + 1 < shape->rows.rows &&
		distance_of(distance, (i + 1) * row) < shape->bytes);
}

/* Exact if the distances are the same on both sides: then only two slices can
 * overlap one, and two rows of each. Otherwise the bytes between rows count
 * too. */
bool plait__strided_copy_overlaps(const plait__strided_copy *shape,
				  uint64_t target, uint64_t source)
{
	const plait_work_rows *rows = &shape->rows;
	uint64_t distance = distance_of(target, source);
	uint64_t slice = rows->target_slice;
	uint64_t i;

	if (target < source ? distance >= shape->target_bytes :
			      distance >= shape->source_bytes)
		return false;
	if ((rows->rows == 1 && rows->slices == 1) ||
	    rows->target_row != rows->source_row ||
	    (rows->slices > 1 && slice != rows->source_slice))
		return true;
	i = distance / slice;
	return (i < rows->slices &&
		rows_overlap(shape, distance - i * slice)) ||
	       (i + 1 < rows->slices &&
		rows_overlap(shape, (i + 1) * slice - distance));
}

/* --- rows as a backend gets them */

struct kept {
	plait__object object;
	plait_work_rows rows;
};

static void free_kept(plait__object *object)
{
	plait__free(plait__context_allocator(object->context), object,
		    sizeof(struct kept));
}

static const plait__class kept_class = { .destroy = free_kept };

plait_status plait__strided_copy_create_rows(plait__context *context,
					     const plait__strided_copy *shape,
					     plait__object **out_object,
					     const plait_work_rows **out,
					     plait_error *error)
{
	struct kept *kept = plait__alloc(plait__context_allocator(context),
					 sizeof(*kept));

	if (kept == NULL)
		return plait__fail(error, PLAIT_E_NOMEM, "no memory for rows");
	(void)plait__object_init(&kept->object, &kept_class, context, NULL);
	kept->rows = shape->rows;
	*out_object = &kept->object;
	*out = &kept->rows;
	return PLAIT_OK;
}
