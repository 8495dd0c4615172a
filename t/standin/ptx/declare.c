/* SPDX-License-Identifier: MIT */
/* Declarations of PTX: registers, variables and their initial values,
 * parameters; and the scopes of their names. */
#include <stdlib.h>

#include "parser.h"

enum { VARIABLE_ALIGNMENT = 256 };

static const char *const type_names[PTX_TYPES] = {
	"", "pred", "b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8",
	"s16", "s32", "s64", "f16", "f32", "f64"
};

enum ptx_type ptx_declare_type(const char *at, size_t length)
{
	int i;

	for (i = 1; i < PTX_TYPES; i++)
		if (strlen(type_names[i]) == length &&
		    memcmp(type_names[i], at, length) == 0)
			return (enum ptx_type)i;
	return PTX_NONE;
}

/* --- names ---------------------------------------------------------------- */

void ptx_declare_enter(struct ptx_parser *p)
{
	if (p->depth == PTX_MOST_DEPTH)
		ptx_token_refuse(p, "braces are nested too deeply");
	p->outer[p->depth++] = p->name_count;
}

void ptx_declare_leave(struct ptx_parser *p)
{
	if (p->depth == 0)
		ptx_token_refuse(p, "`}` without `{`");
	p->name_count = p->outer[--p->depth];
}

static struct ptx_name *add_name(struct ptx_parser *p,
				 const struct ptx_token *token)
{
	struct ptx_name *name;

	if (p->name_count == PTX_MOST_NAMES)
		ptx_token_refuse(p, "too many names");
	name = &p->names[p->name_count++];
	memset(name, 0, sizeof(*name));
	name->at = token->at;
	name->length = token->length;
	return name;
}

/* The number behind the name of a range, or -1. */
static long number_in(const struct ptx_name *range,
		      const struct ptx_token *token)
{
	size_t i;
	long number = 0;

	if (token->length <= range->length || token->length > range->length + 8 ||
	    memcmp(token->at, range->at, range->length) != 0)
		return -1;
	for (i = range->length; i < token->length; i++) {
		if (token->at[i] < '0' || token->at[i] > '9')
			return -1;
		number = 10 * number + (token->at[i] - '0');
	}
	return number < (long)range->count ? number : -1;
}

/* Inner names hide outer ones.  For a range, the slot of the register is put
 * into `p->names[PTX_MOST_NAMES - 1]`, which is returned. */
struct ptx_name *ptx_declare_name(struct ptx_parser *p,
				  const struct ptx_token *token)
{
	uint32_t i;
	long number;

	for (i = p->name_count; i-- != 0;) {
		struct ptx_name *name = &p->names[i];

		if (name->count == 0 && name->length == token->length &&
		    memcmp(name->at, token->at, token->length) == 0)
			return name;
		number = name->count != 0 ? number_in(name, token) : -1;
		if (number >= 0) {
			struct ptx_name *found = &p->names[PTX_MOST_NAMES - 1];

			*found = *name;
			found->slot += (uint32_t)number;
			return found;
		}
	}
	return NULL;
}

/* --- registers ------------------------------------------------------------ */

static enum ptx_type take_type(struct ptx_parser *p)
{
	struct ptx_token word = ptx_token_word(p);
	enum ptx_type type = ptx_declare_type(word.at + 1, word.length - 1);

	if (type == PTX_NONE)
		ptx_token_refuse(p, "a type is expected in place of `%.*s`",
				 (int)word.length, word.at);
	return type;
}

void ptx_declare_registers(struct ptx_parser *p)
{
	enum ptx_type type = take_type(p);

	do {
		struct ptx_token word = ptx_token_word(p);
		struct ptx_name *name = add_name(p, &word);

		name->kind = PTX_REGISTERS;
		name->type = type;
		if (ptx_token_accept(p, "<")) {
			name->count = (uint32_t)ptx_token_whole(p);
			ptx_token_expect(p, ">");
		}
		if (name->count > 1u << 20)
			ptx_token_refuse(p, "too many registers");
		name->slot = ptx_operand_slots(p, name->count != 0 ?
						  name->count : 1, type);
	} while (ptx_token_accept(p, ","));
	ptx_token_expect(p, ";");
}

/* --- variables ------------------------------------------------------------ */

struct shape {
	enum ptx_type type;
	uint32_t alignment;
	uint64_t bytes;
	struct ptx_token name;
};

/* [.align N] .type [.ptr [.space] [.align N]] */
static void take_type_words(struct ptx_parser *p, struct shape *shape)
{
	uint32_t elements = 1;

	memset(shape, 0, sizeof(*shape));
	if (ptx_token_accept(p, ".align"))
		shape->alignment = (uint32_t)ptx_token_whole(p);
	if (ptx_token_accept(p, ".v2"))
		elements = 2;
	else if (ptx_token_accept(p, ".v4"))
		elements = 4;
	shape->type = take_type(p);
	shape->bytes = (uint64_t)elements * ptx_bytes_of(shape->type);
	if (shape->alignment == 0)
		shape->alignment = (uint32_t)shape->bytes;
	if (!ptx_token_accept(p, ".ptr"))
		return;
	while (p->token.kind == PTX_WORD && p->token.at[0] == '.')
		if (ptx_token_is(&p->token, ".align")) {
			ptx_token_next(p);
			ptx_token_whole(p);
		} else {
			ptx_token_next(p);
		}
}

/* name [ [N] ]... ; without N the number is 0. */
static void take_name(struct ptx_parser *p, struct shape *shape)
{
	uint64_t count = 1;

	shape->name = ptx_token_word(p);
	while (ptx_token_accept(p, "[")) {
		count *= p->token.kind == PTX_NUMBER ? ptx_token_whole(p) : 0;
		ptx_token_expect(p, "]");
	}
	if (count > 1u << 28 || __builtin_popcount(shape->alignment) != 1)
		ptx_token_refuse(p, "its size or alignment is out of range");
	shape->bytes *= count;
}

static uint32_t place(uint32_t *used, uint64_t bytes, uint32_t alignment)
{
	uint32_t at = (*used + alignment - 1) / alignment * alignment;

	*used = at + (uint32_t)bytes;
	return at;
}

/* A number, or the address of a variable. */
static uint64_t take_value(struct ptx_parser *p, enum ptx_type type)
{
	const struct ptx_variable *variable;
	struct ptx_token word;
	uint64_t address;
	bool generic;

	if (p->token.kind != PTX_WORD)
		return ptx_token_bits(p, type);
	generic = ptx_token_accept(p, "generic");
	if (generic)
		ptx_token_expect(p, "(");
	word = ptx_token_word(p);
	variable = ptx_declare_find(p->module, word.at, word.length);
	if (variable == NULL)
		ptx_token_refuse(p, "no variable `%.*s`", (int)word.length,
				 word.at);
	if (generic)
		ptx_token_expect(p, ")");
	address = variable->address;
	if (variable->space == PTX_SHARED && generic)
		address += PTX_WINDOW(PTX_SHARED);
	if (ptx_token_accept(p, "+"))
		address += ptx_token_whole(p);
	return address;
}

static void take_values(struct ptx_parser *p, const struct shape *shape,
			char *to, uint64_t *at)
{
	uint32_t bytes = ptx_bytes_of(shape->type);
	uint64_t value;

	if (ptx_token_accept(p, "{")) {
		while (!ptx_token_accept(p, "}")) {
			take_values(p, shape, to, at);
			ptx_token_accept(p, ",");
		}
		return;
	}
	if (to == NULL || *at + bytes > shape->bytes)
		ptx_token_refuse(p, "too many initial values");
	value = take_value(p, shape->type);
	memcpy(to + *at, &value, bytes);
	*at += bytes;
}

static uint64_t place_variable(struct ptx_parser *p, enum ptx_space space,
			       const struct shape *shape, bool external)
{
	uintptr_t at;

	switch (space) {
	case PTX_LOCAL:
		return place(&p->function->local_bytes, shape->bytes,
			     shape->alignment);
	case PTX_PARAM:
		return place(&p->function->param_bytes, shape->bytes,
			     shape->alignment);
	case PTX_SHARED:
		return external ? PTX_DYNAMIC_SHARED :
		       place(&p->module->shared_bytes, shape->bytes,
			     shape->alignment);
	default:
		at = (uintptr_t)ptx_parse_allocate(
			p->module, shape->bytes + 2 * VARIABLE_ALIGNMENT);
		return (at + VARIABLE_ALIGNMENT - 1) / VARIABLE_ALIGNMENT *
		       VARIABLE_ALIGNMENT;
	}
}

static void add_variable(struct ptx_parser *p, const struct ptx_name *name)
{
	struct ptx_variable *variable =
		ptx_parse_allocate(p->module, sizeof(*variable));
	const struct ptx_token token = { .at = name->at,
					 .length = name->length };

	variable->name = ptx_token_copy(p, &token);
	variable->space = name->space;
	variable->address = name->address;
	variable->bytes = name->bytes;
	variable->next = p->module->variables;
	p->module->variables = variable;
}

static struct ptx_name *declare(struct ptx_parser *p, enum ptx_space space,
				const struct shape *shape, bool external)
{
	struct ptx_name *name = add_name(p, &shape->name);

	name->kind = PTX_PLACE;
	name->type = shape->type;
	name->space = space;
	name->bytes = (uint32_t)shape->bytes;
	name->address = place_variable(p, space, shape, external);
	return name;
}

void ptx_declare_variable(struct ptx_parser *p, enum ptx_space space,
			  bool external)
{
	struct shape shape;
	struct ptx_name *name;
	uint64_t at = 0;
	char *memory;

	take_type_words(p, &shape);
	do {
		take_name(p, &shape);
		name = declare(p, space, &shape, external);
		if (space == PTX_GLOBAL || space == PTX_CONST ||
		    space == PTX_SHARED)
			add_variable(p, name);
		memory = space == PTX_GLOBAL || space == PTX_CONST ?
				 (char *)(uintptr_t)name->address : NULL;
		if (ptx_token_accept(p, "="))
			take_values(p, &shape, memory, &at);
	} while (ptx_token_accept(p, ","));
	ptx_token_expect(p, ";");
}

const struct ptx_variable *ptx_declare_find(const struct ptx_module *module,
					    const char *name, size_t length)
{
	const struct ptx_variable *at;

	for (at = module->variables; at != NULL; at = at->next)
		if (strlen(at->name) == length &&
		    memcmp(at->name, name, length) == 0)
			return at;
	return NULL;
}

/* --- parameters ----------------------------------------------------------- */

void ptx_declare_parameters(struct ptx_parser *p, bool results)
{
	struct ptx_function *function = p->function;
	uint32_t count = 0;
	struct ptx_parameter list[64];
	struct shape shape;

	ptx_token_expect(p, "(");
	while (!ptx_token_accept(p, ")")) {
		const struct ptx_name *name;

		if (count == 64)
			ptx_token_refuse(p, "too many parameters");
		ptx_token_expect(p, ".param");
		take_type_words(p, &shape);
		take_name(p, &shape);
		name = declare(p, PTX_PARAM, &shape, false);
		list[count].name = ptx_token_copy(p, &shape.name);
		list[count].offset = (uint32_t)name->address;
		list[count++].bytes = name->bytes;
		ptx_token_accept(p, ",");
	}
	*(results ? &function->results : &function->parameters) =
		memcpy(ptx_parse_allocate(p->module, sizeof(list)), list,
		       count * sizeof(*list));
	*(results ? &function->result_count : &function->parameter_count) =
		count;
}
