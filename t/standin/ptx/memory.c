/* SPDX-License-Identifier: MIT */
/* Memory of all spaces: checks of addresses, loads, stores. */
#include <stdio.h>

#include "machine.h"
#include "parser.h"

static const char *const space_names[] = {
	"generic", "global", "const", "shared", "local", "param"
};

enum ptx_space ptx_memory_space(enum ptx_space space, uint64_t *address)
{
	uint64_t top = *address >> PTX_WINDOW_SHIFT;

	if (space != PTX_GENERIC)
		return space;
	if (top != 0x70 + PTX_SHARED && top != 0x70 + PTX_LOCAL &&
	    top != 0x70 + PTX_PARAM)
		return PTX_GLOBAL;
	*address &= (1ull << PTX_WINDOW_SHIFT) - 1;
	return (enum ptx_space)(top - 0x70);
}

static char *refuse(struct ptx_thread *t, enum ptx_space space,
		    uint64_t address, uint32_t bytes, bool writes)
{
	ptx_machine_fail(t, PTX_BAD_ADDRESS, "%s %u bytes at %#llx, which is "
			 "in no memory (%s)", writes ? "writes" : "reads",
			 bytes, (unsigned long long)address,
			 space_names[space]);
	return NULL;
}

/* --- global memory -------------------------------------------------------- */

/* Variables of the module itself. */
static bool find_variable(const struct ptx_module *module, uint64_t address,
			  bool constant, struct ptx_range *out)
{
	const struct ptx_variable *at;

	for (at = module->variables; at != NULL; at = at->next)
		if (at->space != PTX_SHARED &&
		    (at->space == PTX_CONST) <= constant &&
		    address - at->address < at->bytes) {
			out->begin = at->address;
			out->end = at->address + at->bytes;
			return true;
		}
	return false;
}

static bool find_range(struct ptx_thread *t, enum ptx_space space,
		       uint64_t address, bool writes, struct ptx_range *out)
{
	const struct ptx_machine *m = t->machine;

	if (find_variable(m->module, address, !writes, out))
		return true;
	return space == PTX_GLOBAL && m->launch->find != NULL &&
	       m->launch->find(m->launch->user, address, &out->begin,
			       &out->end);
}

static char *global_at(struct ptx_thread *t, const struct ptx_op *o,
		       enum ptx_space space, uint64_t address, uint32_t bytes,
		       bool writes)
{
	/* Constants are read only, so ranges for reads are no help. */
	struct ptx_range *range =
		&t->machine->ranges[(2 * o->line + writes) % PTX_RANGES];

	if (address < range->begin || address + bytes > range->end ||
	    address + bytes < address) {
		struct ptx_range found = { 0, 0 };

		if (!find_range(t, space, address, writes, &found) ||
		    address + bytes > found.end || address + bytes < address)
			return refuse(t, space, address, bytes, writes);
		*range = found;
	}
	return (char *)(uintptr_t)address;
}

/* --- other spaces --------------------------------------------------------- */

/* The offset in the block's memory, or -1. */
static int64_t shared_offset(const struct ptx_machine *m, uint64_t address,
			     uint32_t bytes)
{
	uint64_t dynamic = address - PTX_DYNAMIC_SHARED;

	if (address < PTX_DYNAMIC_SHARED)
		return address + bytes <= m->module->shared_bytes ?
		       (int64_t)address : -1;
	return dynamic + bytes <= m->launch->shared_bytes &&
	       dynamic < 1u << 24 ? (int64_t)(m->static_bytes + dynamic) : -1;
}

static char *inner_at(struct ptx_thread *t, enum ptx_space space,
		      uint64_t address, uint32_t bytes, bool writes)
{
	const struct ptx_frame *frame = &t->frames[t->frame_count - 1];
	int64_t offset;

	if (space == PTX_SHARED) {
		offset = shared_offset(t->machine, address, bytes);
		if (offset >= 0)
			return t->block->shared + offset;
	} else if (space == PTX_LOCAL && address + bytes <= t->local_bytes &&
		   address < t->local_bytes) {
		return t->local + address;
	} else if (space == PTX_PARAM && address < 65536 &&
		   address + bytes <= frame->function->param_bytes) {
		return t->params + address;
	}
	return refuse(t, space, address, bytes, writes);
}

char *ptx_memory_at(struct ptx_thread *t, const struct ptx_op *o,
		    uint64_t address, uint32_t bytes, bool writes)
{
	enum ptx_space space = ptx_memory_space(o->space, &address);

	if ((address & (bytes - 1)) != 0) {
		ptx_machine_fail(t, PTX_MISALIGNED, "%u bytes at %#llx, which "
				 "is not a multiple of %u (%s)", bytes,
				 (unsigned long long)address, bytes,
				 space_names[space]);
		return NULL;
	}
	if (space <= PTX_CONST)
		return global_at(t, o, space, address, bytes, writes);
	return inner_at(t, space, address, bytes, writes);
}

/* Other threads may access the bytes meanwhile. */
uint64_t ptx_memory_load(const char *at, uint32_t bytes)
{
	const void *from = at;

	switch (bytes) {
	case 1:
		return __atomic_load_n((const uint8_t *)from, __ATOMIC_RELAXED);
	case 2:
		return __atomic_load_n((const uint16_t *)from, __ATOMIC_RELAXED);
	case 4:
		return __atomic_load_n((const uint32_t *)from, __ATOMIC_RELAXED);
	default:
		return __atomic_load_n((const uint64_t *)from, __ATOMIC_RELAXED);
	}
}

void ptx_memory_store(char *at, uint64_t value, uint32_t bytes)
{
	void *to = at;

	switch (bytes) {
	case 1:
		__atomic_store_n((uint8_t *)to, (uint8_t)value, __ATOMIC_RELAXED);
		break;
	case 2:
		__atomic_store_n((uint16_t *)to, (uint16_t)value,
				 __ATOMIC_RELAXED);
		break;
	case 4:
		__atomic_store_n((uint32_t *)to, (uint32_t)value,
				 __ATOMIC_RELAXED);
		break;
	default:
		__atomic_store_n((uint64_t *)to, value, __ATOMIC_RELAXED);
	}
}

/* --- operations ----------------------------------------------------------- */

static bool is_shared(const struct ptx_thread *t, const char *at)
{
	uintptr_t offset = (uintptr_t)at - (uintptr_t)t->block->shared;

	return offset < t->machine->shared_bytes;
}

static void load(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t bytes = ptx_bytes_of(o->type), i;
	char *at = ptx_memory_at(t, o, t->r[o->a] + (uint64_t)o->offset,
				 bytes * o->count, false);

	if (at == NULL)
		return;
	if (is_shared(t, at) &&
	    !ptx_race_read(t, o, (uint32_t)(at - t->block->shared),
			   bytes * o->count))
		return;
	for (i = 0; i < o->count; i++)
		t->r[o->v[i]] = ptx_extend(ptx_memory_load(at + i * bytes, bytes),
					   o->type, o->width);
}

static void store(struct ptx_thread *t, const struct ptx_op *o)
{
	uint32_t bytes = ptx_bytes_of(o->type), i;
	char *at = ptx_memory_at(t, o, t->r[o->a] + (uint64_t)o->offset,
				 bytes * o->count, true);

	if (at == NULL)
		return;
	for (i = 0; i < o->count; i++, at += bytes) {
		if (is_shared(t, at) &&
		    !ptx_race_write(t, o, (uint32_t)(at - t->block->shared),
				    t->r[o->v[i]], bytes))
			return;
		ptx_memory_store(at, t->r[o->v[i]], bytes);
	}
}

static void nothing(struct ptx_thread *t, const struct ptx_op *o)
{
	(void)t, (void)o;
}

/* --- decoding ------------------------------------------------------------- */

static enum ptx_space space_of(const struct ptx_statement *s)
{
	uint32_t i;
	int k;

	for (i = 0; i < s->word_count; i++) {
		const char *word = s->words[i];

		/* shared::cta, param::entry and their kin. */
		for (k = PTX_GLOBAL; k <= PTX_PARAM; k++) {
			size_t length = strlen(space_names[k]);

			if (strncmp(word, space_names[k], length) == 0 &&
			    (word[length] == '\0' || word[length] == ':'))
				return (enum ptx_space)k;
		}
	}
	return PTX_GENERIC;
}

static uint8_t strength(const struct ptx_statement *s)
{
	static const char *const words[] = { "volatile", "relaxed", "acquire",
					     "release", "acq_rel", "mmio" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (ptx_statement_has(s, words[i]))
			return PTX_STRONG;
	return 0;
}

static void decode_access(struct ptx_parser *p, const struct ptx_statement *s,
			  struct ptx_op *o, bool loads)
{
	const struct ptx_operand *value, *address;
	uint32_t i;

	ptx_statement_need(p, s, 2);
	value = &s->operands[loads ? 0 : 1];
	address = &s->operands[loads ? 1 : 0];
	if (address->kind != PTX_ADDRESS || s->type_count != 1)
		ptx_token_refuse(p, "`%s` needs a type and an address", s->name);
	o->run = loads ? load : store;
	o->type = (uint8_t)s->types[0];
	o->a = address->slot;
	o->offset = address->offset;
	o->count = (uint8_t)(value->kind == PTX_VECTOR ? value->count : 1);
	o->v[0] = value->slot;
	for (i = 0; value->kind == PTX_VECTOR && i < value->count && i < 4; i++)
		o->v[i] = value->v[i];
	o->width = (uint8_t)ptx_bytes_of(value->type);
	if (o->count != 1 && o->count != 2 && o->count != 4)
		ptx_token_refuse(p, "vectors have two or four elements");
}

bool ptx_memory_decode(struct ptx_parser *p, const struct ptx_statement *s,
		       struct ptx_op *o)
{
	bool loads = strcmp(s->name, "ld") == 0 || strcmp(s->name, "ldu") == 0;

	if (strcmp(s->name, "prefetch") == 0 ||
	    strcmp(s->name, "prefetchu") == 0 ||
	    strcmp(s->name, "discard") == 0) {
		o->run = nothing;
		return true;
	}
	if (!loads && strcmp(s->name, "st") != 0)
		return false;
	o->space = (uint8_t)space_of(s);
	o->flags = strength(s);
	decode_access(p, s, o, loads);
	return true;
}
