/* SPDX-License-Identifier: MIT */
/* Repeated tasks; see repeated_task.h. */
#include "flow/repeat/repeated_task.h"

#include "flow/access/task_fields.h"
#include "flow/repeat/repeated_mapper.h"

#include "base/alloc.h"

#include <string.h>

enum {
	/* Accesses or arguments of a task; a task with more costs more than a
	 * comparison saves. */
	MOST = 64,
	VALUE_BYTES = 256
};

/* ---- descriptors that apply ---- */

static bool is_plain(const plait_access *access)
{
	return access->size == sizeof(*access) &&
	       access->mode <= PLAIT_ACCESS_READ_WRITE &&
	       access->combine == NULL &&
	       (access->mapper == NULL ||
		plait__repeated_mapper_applies(access->mapper)) &&
	       (access->flags | access->reserved0) == 0;
}

static bool argument_applies(const plait_argument *at)
{
	switch (at->kind) {
	case PLAIT_ARGUMENT_VALUE:
		return at->value != NULL && at->bytes <= VALUE_BYTES;
	case PLAIT_ARGUMENT_DATA:
	case PLAIT_ARGUMENT_CHUNK:
		return true;
	case PLAIT_ARGUMENT_ACCESS:
		return at->value != NULL && is_plain(at->value);
	default:
		return false;
	}
}

static bool launch_applies(const plait_task_desc *desc)
{
	bool applies = desc->argument_count <= MOST &&
		       (desc->argument_count == 0 || desc->arguments != NULL) &&
		       (desc->launch == NULL ||
			desc->launch->size == sizeof(*desc->launch));

	for (uint64_t i = 0; applies && i < desc->argument_count; i++)
		applies = desc->arguments[i].size ==
				  sizeof(desc->arguments[i]) &&
			  argument_applies(&desc->arguments[i]);
	return applies;
}

static bool kind_applies(const plait_task_desc *desc)
{
	if (!plait__task_fields_fit(desc))
		return false;
	return desc->kind == PLAIT_TASK_LAUNCH ?
		       launch_applies(desc) :
		       desc->kind <= PLAIT_TASK_WRITE && desc->inbox == NULL;
}

bool plait__repeated_task_applies(const plait_task_desc *desc)
{
	bool applies = desc->size == sizeof(*desc) && kind_applies(desc) &&
		       (desc->flags & ~(uint32_t)PLAIT_TASK_NO_WAIT) == 0 &&
		       desc->priority == 0 && desc->access_count <= MOST &&
		       (desc->access_count == 0 || desc->accesses != NULL);

	for (uint64_t i = 0; applies && i < desc->access_count; i++)
		applies = is_plain(&desc->accesses[i]);
	return applies;
}

/* ---- tokens ---- */

static uint64_t mix(uint64_t word, uint64_t with)
{
	word = (word ^ with) * UINT64_C(0x9e3779b97f4a7c15);
	return word ^ word >> 29;
}

static uint64_t mix_pointer(uint64_t word, const void *pointer)
{
	return mix(word, (uintptr_t)pointer);
}

static uint64_t mix_bytes(uint64_t word, const void *from, uint64_t bytes)
{
	const char *at = from;
	uint64_t part;

	for (; bytes > 0 && at != NULL; at += sizeof(part)) {
		uint64_t count = bytes < sizeof(part) ? bytes : sizeof(part);

		part = 0;
		memcpy(&part, at, count);
		word = mix(word, part);
		bytes -= count;
	}
	return word;
}

static uint64_t mix_access(uint64_t word, const plait_access *access)
{
	word = mix(mix_pointer(word, access->data), access->mode);
	if (access->mapper != NULL)
		word = mix_bytes(mix(word, access->mapper->kind),
				 access->mapper->extent,
				 sizeof(access->mapper->extent));
	return mix_bytes(word, access->box, sizeof(*access->box));
}

static uint64_t mix_argument(uint64_t word, const plait_argument *at)
{
	switch (at->kind) {
	case PLAIT_ARGUMENT_VALUE:
		return mix_bytes(word, at->value, at->bytes);
	case PLAIT_ARGUMENT_ACCESS:
		return mix_access(word, at->value);
	default:
		return mix_pointer(word, at->value);
	}
}

uint64_t plait__repeated_task_token(const plait_task_desc *desc)
{
	uint64_t word = mix(desc->kind, desc->access_count);

	word = mix_pointer(word, desc->kernel);
	word = mix_pointer(word, (const void *)(uintptr_t)desc->function);
	word = mix_pointer(word, desc->user_data);
	for (uint64_t i = 0; i < desc->access_count; i++)
		word = mix_access(word, &desc->accesses[i]);
	if (desc->kind != PLAIT_TASK_CALL) {
		word = mix(word, (uint64_t)desc->pieces << 32 | desc->split);
		word = mix_bytes(word, desc->launch, sizeof(*desc->launch));
		for (uint64_t i = 0; i < desc->argument_count; i++)
			word = mix_argument(word, &desc->arguments[i]);
		word = mix_pointer(word, desc->target);
		word = mix_pointer(word, desc->source);
		word = mix_pointer(word, desc->host);
		word = mix(word, desc->pattern);
		word = mix_bytes(word, desc->target_box, sizeof(plait_box));
		word = mix_bytes(word, desc->source_box, sizeof(plait_box));
	}
	return word | 1;
}

/* ---- copies ---- */

/* The next place of a copy; `base` is null while bytes are counted. */
struct place {
	char *base;
	uint64_t used;
};

static void *put(struct place *place, const void *from, uint64_t bytes)
{
	void *to = NULL;

	if (from == NULL)
		return NULL;
	if (place->base != NULL)
		to = memcpy(place->base + place->used, from, bytes);
	place->used += (bytes + 7) / 8 * 8;
	return to;
}

static const plait_mapper *put_mapper(struct place *place,
				      const plait_mapper *from)
{
	plait_mapper *to = put(place, from, sizeof(*from));
	uint64_t boxes = from == NULL ? 0 : plait__repeated_mapper_boxes(from);
	const plait_box *copied = boxes == 0 ? NULL :
		put(place, from->boxes, boxes * sizeof(*from->boxes));

	if (to != NULL)
		to->boxes = copied;
	return to;
}

static plait_access *put_accesses(struct place *place,
				  const plait_access *from, uint64_t count)
{
	plait_access *to = count == 0 ? NULL :
			   put(place, from, count * sizeof(*from));

	for (uint64_t i = 0; i < count; i++) {
		const plait_box *box = put(place, from[i].box, sizeof(*box));
		const plait_mapper *mapper = put_mapper(place, from[i].mapper);

		if (to != NULL) {
			to[i].box = box;
			to[i].mapper = mapper;
		}
	}
	return to;
}

static plait_argument *put_arguments(struct place *place,
				     const plait_argument *from, uint64_t count)
{
	plait_argument *to = count == 0 ? NULL :
			     put(place, from, count * sizeof(*from));

	for (uint64_t i = 0; i < count; i++) {
		const void *value = from[i].value;

		if (from[i].kind == PLAIT_ARGUMENT_VALUE)
			value = put(place, value, from[i].bytes);
		else if (from[i].kind == PLAIT_ARGUMENT_ACCESS)
			value = put_accesses(place, value, 1);
		if (to != NULL)
			to[i].value = value;
	}
	return to;
}

/* Returns the bytes of a copy at `base`, which is made unless that is null. */
static uint64_t copy(char *base, const plait_task_desc *desc)
{
	struct place place = { base, sizeof(plait__repeated_task) };
	plait_task_desc made = *desc;

	made.launch = put(&place, desc->launch, sizeof(*desc->launch));
	made.arguments = put_arguments(&place, desc->arguments,
				       desc->argument_count);
	made.accesses = put_accesses(&place, desc->accesses,
				     desc->access_count);
	made.target_box = put(&place, desc->target_box, sizeof(plait_box));
	made.source_box = put(&place, desc->source_box, sizeof(plait_box));
	if (desc->label != NULL)
		made.label = put(&place, desc->label, strlen(desc->label) + 1);
	if (base != NULL)
		*(plait__repeated_task *)(void *)base =
			(plait__repeated_task){ made, place.used };
	return place.used;
}

plait__repeated_task *
plait__repeated_task_make(const plait_allocator *allocator,
			  const plait_task_desc *desc)
{
	char *base = plait__alloc(allocator, copy(NULL, desc));

	if (base != NULL)
		(void)copy(base, desc);
	return (plait__repeated_task *)(void *)base;
}

void plait__repeated_task_free(const plait_allocator *allocator,
			       plait__repeated_task *task)
{
	plait__free(allocator, task, task != NULL ? task->bytes : 0);
}

/* ---- comparison ---- */

static bool are_same(const void *a, const void *b, uint64_t bytes)
{
	return a == NULL || b == NULL ? a == b : memcmp(a, b, bytes) == 0;
}

static bool same_accesses(const plait_access *a, const plait_access *b,
			  uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		if (a[i].data != b[i].data || a[i].mode != b[i].mode ||
		    !is_plain(&b[i]) ||
		    !are_same(a[i].box, b[i].box, sizeof(*a[i].box)) ||
		    (a[i].mapper != b[i].mapper &&
		     !plait__repeated_mapper_equals(a[i].mapper,
						    b[i].mapper)))
			return false;
	return true;
}

static bool same_argument(const plait_argument *a, const plait_argument *b)
{
	if (a->kind != b->kind || !argument_applies(b))
		return false;
	switch (a->kind) {
	case PLAIT_ARGUMENT_VALUE:
		return a->bytes == b->bytes &&
		       memcmp(a->value, b->value, a->bytes) == 0;
	case PLAIT_ARGUMENT_ACCESS:
		return same_accesses(a->value, b->value, 1);
	default:
		return a->value == b->value;
	}
}

static bool same_launch(const plait_task_desc *a, const plait_task_desc *b)
{
	if (!kind_applies(b) || a->argument_count != b->argument_count ||
	    !are_same(a->launch, b->launch, sizeof(*a->launch)))
		return false;
	for (uint64_t i = 0; i < a->argument_count; i++)
		if (!same_argument(&a->arguments[i], &b->arguments[i]))
			return false;
	return true;
}

static bool same_move(const plait_task_desc *a, const plait_task_desc *b)
{
	return kind_applies(b) && a->target == b->target &&
	       a->source == b->source &&
	       a->host == b->host && a->pattern == b->pattern &&
	       are_same(a->target_box, b->target_box, sizeof(plait_box)) &&
	       are_same(a->source_box, b->source_box, sizeof(plait_box));
}

/* Other fields are those that plait__repeated_task_applies has looked at. */
static bool same_kind(const plait_task_desc *a, const plait_task_desc *b)
{
	switch (a->kind) {
	case PLAIT_TASK_CALL:
		return a->function == b->function &&
		       a->user_data == b->user_data && kind_applies(b);
	case PLAIT_TASK_LAUNCH:
		return a->kernel == b->kernel && same_launch(a, b);
	default:
		return same_move(a, b);
	}
}

bool plait__repeated_task_equals(const plait__repeated_task *task,
				 const plait_task_desc *desc)
{
	const plait_task_desc *a = &task->desc;

	return desc->size == sizeof(*desc) && a->kind == desc->kind &&
	       a->access_count == desc->access_count &&
	       (desc->flags & ~(uint32_t)PLAIT_TASK_NO_WAIT) == 0 &&
	       desc->priority == 0 && a->split == desc->split &&
	       a->pieces == desc->pieces &&
	       same_kind(a, desc) &&
	       (a->access_count == 0 || desc->accesses != NULL) &&
	       same_accesses(a->accesses, desc->accesses, a->access_count);
}
