/* SPDX-License-Identifier: MIT */
/* Binary form of plans, both directions; see binary.h. */
#include "plan/io/binary.h"

#include "plan/check/check.h"
#include "base/alloc.h"
#include "base/error.h"

#include <stddef.h>
#include <string.h>

enum { FORMAT_VERSION = 5, BYTE_ORDER_MARK = 0x01020304, ALIGNMENT = 8 };

static const char magic[8] = { 'p', 'l', 'a', 'i', 't', 'p', 'l', 'n' };

struct header {
	char magic[8];
	uint32_t version;
	uint32_t order;
	uint64_t bytes;		/* of the whole file */
	uint64_t checksum;	/* of all bytes after this field */
	uint32_t array_count;
	uint32_t mode;
	uint32_t policy;
	uint32_t command_count;
	uint32_t node_count;
	uint32_t signal_count;
	uint32_t edge_count;
	uint32_t reserved0;
	uint64_t hop_cost;
	uint64_t makespan;
};

struct directory_entry {
	uint32_t each;
	uint32_t count;
	uint64_t offset;
};

#define COUNT_ARRAY(type, name) + 1
enum { ARRAY_COUNT = 0 PLAIT__PLAN_ARRAYS(COUNT_ARRAY) };
#undef COUNT_ARRAY

enum {
	CHECKED_FROM = offsetof(struct header, array_count),
	ARRAYS_FROM = sizeof(struct header) +
		      ARRAY_COUNT * sizeof(struct directory_entry)
};

static uint64_t align(uint64_t offset)
{
	return (offset + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
}

/* Eight bytes at a time; the rest as one more word. */
static uint64_t checksum(const unsigned char *bytes, uint64_t count)
{
	uint64_t sum = count, word;

	for (; count >= sizeof(word); count -= sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
		sum ^= sum >> 32;
		bytes += sizeof(word);
	}
	word = 0;
	memcpy(&word, bytes, count);
	sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
	return sum ^ (sum >> 29);
}

/* ---- saving ---- */

static void list_arrays(const plait__plan *plan,
			struct directory_entry entries[ARRAY_COUNT],
			const void *arrays[ARRAY_COUNT])
{
	uint64_t offset = ARRAYS_FROM;
	uint32_t i = 0;

#define LIST_ARRAY(type, name) \
	entries[i] = (struct directory_entry){ sizeof(type), \
					       plan->name##_count, offset }; \
	arrays[i++] = plan->name; \
	offset = align(offset + (uint64_t)plan->name##_count * sizeof(type));
	PLAIT__PLAN_ARRAYS(LIST_ARRAY)
#undef LIST_ARRAY
}

static struct header header_of(const plait__plan *plan)
{
	struct header header = {
		.version = FORMAT_VERSION, .order = BYTE_ORDER_MARK,
		.array_count = ARRAY_COUNT,
		.mode = plan->mode, .policy = plan->policy,
		.command_count = plan->command_count,
		.node_count = plan->node_count,
		.signal_count = plan->signal_count,
		.edge_count = plan->edge_count,
		.hop_cost = plan->hop_cost, .makespan = plan->makespan,
	};

	memcpy(header.magic, magic, sizeof(magic));
	return header;
}

/* Fill in size and checksum, once all other bytes are written. */
static void complete_header(char *saved, uint64_t bytes)
{
	uint64_t sum = checksum((unsigned char *)saved + CHECKED_FROM,
				bytes - CHECKED_FROM);

	memcpy(saved + offsetof(struct header, bytes), &bytes, sizeof(bytes));
	memcpy(saved + offsetof(struct header, checksum), &sum, sizeof(sum));
}

void plait__binary_save(const plait__plan *plan, plait__text *out)
{
	static const char zeros[ALIGNMENT];
	struct directory_entry entries[ARRAY_COUNT];
	const void *arrays[ARRAY_COUNT];
	struct header header = header_of(plan);
	uint64_t start = out->length;

	list_arrays(plan, entries, arrays);
	plait__text_add_bytes(out, (const char *)&header, sizeof(header));
	plait__text_add_bytes(out, (const char *)entries, sizeof(entries));
	for (uint32_t i = 0; i < ARRAY_COUNT; i++) {
		uint64_t bytes = (uint64_t)entries[i].each * entries[i].count;

		if (bytes > 0)
			plait__text_add_bytes(out, arrays[i], bytes);
		plait__text_add_bytes(out, zeros, align(bytes) - bytes);
	}
	if (!out->failed)
		complete_header(out->bytes + start, out->length - start);
}

/* ---- loading ---- */

static plait_status check_header(const struct header *header, uint64_t count,
				 plait_error *error)
{
	if (memcmp(header->magic, magic, sizeof(magic)) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plan: these bytes are not a plan");
	if (header->order != BYTE_ORDER_MARK)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plan: written on a machine of the other "
				   "byte order");
	if (header->version != FORMAT_VERSION)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plan: version %u; this library reads %d",
				   header->version, FORMAT_VERSION);
	if (header->bytes != count)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plan: %llu bytes long, but %llu are here",
				   (unsigned long long)header->bytes,
				   (unsigned long long)count);
	if (header->array_count != ARRAY_COUNT || header->reserved0 != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plan: the header is damaged");
	return PLAIT_OK;
}

static plait_status check_entry(const struct directory_entry *entry,
				uint32_t each, uint64_t count, uint32_t number,
				plait_error *error)
{
	uint64_t bytes = (uint64_t)entry->each * entry->count;

	if (entry->each == each && entry->offset % ALIGNMENT == 0 &&
	    entry->offset >= ARRAYS_FROM && entry->offset <= count &&
	    bytes <= count - entry->offset)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INVALID,
			   "plan: array %u lies outside of the file", number);
}

/* Null for an empty array; sets *failed when memory ran out.  check_entry has
 * accepted the entry. */
static void *copy_array(const plait_allocator *allocator,
			const unsigned char *bytes,
			const struct directory_entry *entry, bool *failed)
{
	uint64_t size = (uint64_t)entry->each * entry->count;
	void *copy;

	if (size == 0 || *failed)
		return NULL;
	copy = plait__alloc(allocator, size);
	if (copy == NULL)
		*failed = true;
	else
		memcpy(copy, bytes + entry->offset, size);
	return copy;
}

/* check_bytes has accepted the header and the size. */
static plait_status read_arrays(plait__plan *plan, const unsigned char *bytes,
				uint64_t count, plait_error *error)
{
	struct directory_entry entries[ARRAY_COUNT];
	plait_status status = PLAIT_OK;
	bool failed = false;
	uint32_t i = 0;

	memcpy(entries, bytes + sizeof(struct header), sizeof(entries));
#define CHECK_ARRAY(type, name) \
	if (status == PLAIT_OK) \
		status = check_entry(&entries[i], sizeof(type), count, i, \
				     error); \
	i++;
	PLAIT__PLAN_ARRAYS(CHECK_ARRAY)
#undef CHECK_ARRAY
	if (status != PLAIT_OK)
		return status;
	i = 0;
#define READ_ARRAY(type, name) \
	plan->name = copy_array(&plan->allocator, bytes, &entries[i], \
				&failed); \
	plan->name##_count = plan->name != NULL ? entries[i].count : 0; \
	i++;
	PLAIT__PLAN_ARRAYS(READ_ARRAY)
#undef READ_ARRAY
	if (failed)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to load a plan of %llu bytes",
				   (unsigned long long)count);
	return PLAIT_OK;
}

static void take_header(plait__plan *plan, const struct header *header)
{
	plan->mode = header->mode;
	plan->policy = header->policy;
	plan->command_count = header->command_count;
	plan->node_count = header->node_count;
	plan->signal_count = header->signal_count;
	plan->edge_count = header->edge_count;
	plan->hop_cost = header->hop_cost;
	plan->makespan = header->makespan;
}

static plait_status check_bytes(const unsigned char *bytes, uint64_t count,
				struct header *header, plait_error *error)
{
	plait_status status;

	if (bytes == NULL || count < ARRAYS_FROM)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plan: %llu bytes are too few for a plan",
				   (unsigned long long)count);
	memcpy(header, bytes, sizeof(*header));
	status = check_header(header, count, error);
	if (status != PLAIT_OK)
		return status;
	if (checksum(bytes + CHECKED_FROM, count - CHECKED_FROM) !=
	    header->checksum)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plan: the checksum is wrong; the bytes "
				   "are damaged");
	return PLAIT_OK;
}

plait_status plait__binary_load(const void *bytes, uint64_t count,
				const plait_allocator *allocator,
				plait__plan **out, plait_error *error)
{
	struct header header;
	plait_status status = check_bytes(bytes, count, &header, error);
	plait__plan *plan;

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	plan = plait__alloc(allocator, sizeof(*plan));
	if (plan == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to load a plan");
	plan->allocator = *allocator;
	take_header(plan, &header);
	status = read_arrays(plan, bytes, count, error);
	if (status == PLAIT_OK)
		status = plait__check_plan(plan, NULL, 0, allocator, NULL,
					   error);
	if (status != PLAIT_OK) {
		plait__plan_release(plan);
		return status;
	}
	*out = plan;
	return PLAIT_OK;
}
