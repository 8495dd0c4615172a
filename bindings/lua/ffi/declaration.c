/* SPDX-License-Identifier: MIT */
/* Parser of declarations, by recursive descent. */
#include "declaration.h"

#include "token.h"

#include <lauxlib.h>

#include <string.h>

/* Tables of a state, as keys of its registry. */
static char types_of_names, types_of_texts, constants, functions;

enum { MOST_MEMBERS = 64, MOST_DEPTH = 32 };

/* The base type of a declaration, in front of its declarators. */
struct specifier {
	const struct plait__c_type *type;
	bool is_typedef;
};

/* A name and its type. */
struct declarator {
	const char *name; /* or NULL */
	const struct plait__c_type *type;
};

/* --- names --- */

static void *find(lua_State *L, const char *table, const char *name)
{
	void *found;

	lua_rawgetp(L, LUA_REGISTRYINDEX, table);
	lua_getfield(L, -1, name);
	found = lua_touserdata(L, -1);
	lua_pop(L, 2);
	return found;
}

static void set(lua_State *L, const char *table, const char *name, const void *value)
{
	lua_rawgetp(L, LUA_REGISTRYINDEX, table);
	lua_pushlightuserdata(L, (void *)(uintptr_t)value);
	lua_setfield(L, -2, name);
	lua_pop(L, 1);
}

bool plait__declaration_push_constant(lua_State *L, const char *name)
{
	bool found;

	lua_rawgetp(L, LUA_REGISTRYINDEX, &constants);
	found = lua_getfield(L, -1, name) != LUA_TNIL;
	lua_remove(L, -2);
	if (!found)
		lua_pop(L, 1);
	return found;
}

const struct plait__c_type *plait__declaration_function(lua_State *L, const char *name)
{
	return find(L, &functions, name);
}

/* --- constants --- */

static int64_t operand(struct plait__token_reader *p)
{
	bool is_negative = plait__token_accept(p, "-");
	int64_t value = p->number;

	if (p->token == TOKEN_WORD) {
		if (!plait__declaration_push_constant(p->L, p->word))
			plait__token_refuse(p, "no constant");
		value = lua_tointeger(p->L, -1);
		lua_pop(p->L, 1);
	} else if (p->token != TOKEN_NUMBER) {
		plait__token_refuse(p, "expected a number");
	}
	plait__token_advance(p);
	return is_negative ? (int64_t)(0 - (uint64_t)value) : value;
}

/* From left to right; headers that need more have parentheses, which are refused. */
static int64_t expression(struct plait__token_reader *p)
{
	int64_t value = operand(p);

	for (;;) {
		if (plait__token_accept(p, "<<"))
			value = (int64_t)((uint64_t)value << (operand(p) & 63));
		else if (plait__token_accept(p, "|"))
			value |= operand(p);
		else if (plait__token_accept(p, "+"))
			value = (int64_t)((uint64_t)value + (uint64_t)operand(p));
		else
			return value;
	}
}

static void enumerators(struct plait__token_reader *p)
{
	int64_t next = 0;
	char name[MOST_WORD];

	while (!plait__token_accept(p, "}")) {
		if (p->token != TOKEN_WORD)
			plait__token_refuse(p, "expected the name of a constant");
		strcpy(name, p->word);
		plait__token_advance(p);
		if (plait__token_accept(p, "="))
			next = expression(p);
		lua_rawgetp(p->L, LUA_REGISTRYINDEX, &constants);
		lua_pushinteger(p->L, next);
		next = (int64_t)((uint64_t)next + 1);
		lua_setfield(p->L, -2, name);
		lua_pop(p->L, 1);
		if (!plait__token_is_at(p, "}"))
			plait__token_expect(p, ",");
	}
}

/* --- types --- */

/* Caller leaves by a decrement. */
static void enter(struct plait__token_reader *p)
{
	if (++p->depth > MOST_DEPTH)
		plait__token_refuse(p, "a declaration that is too deep");
}

static void specify(struct plait__token_reader *p, struct specifier *out);
static void declare(struct plait__token_reader *p, const struct plait__c_type *base,
		    struct declarator *out);

/* Read the fields of a struct into `fields`; return their number. */
static size_t read_fields(struct plait__token_reader *p, struct plait__c_type_member *fields)
{
	struct specifier specifier;
	struct declarator one;
	size_t count = 0;

	while (!plait__token_accept(p, "}")) {
		specify(p, &specifier);
		do {
			declare(p, specifier.type, &one);
			if (!one.name || !one.type->size || count == MOST_MEMBERS)
				plait__token_refuse(p, "a field without name or size, or too many");
			fields[count++] = (struct plait__c_type_member){ one.name, one.type, 0 };
		} while (plait__token_accept(p, ","));
		plait__token_expect(p, ";");
	}
	return count;
}

static struct plait__c_type_member *keep_members(lua_State *L,
						 const struct plait__c_type_member *from,
						 size_t count)
{
	struct plait__c_type_member *made = plait__c_type_keep(L, (count + 1) * sizeof(*made));

	memcpy(made, from, count * sizeof(*made));
	return made;
}

static struct plait__c_type *find_struct(struct plait__token_reader *p, const char *tag)
{
	struct plait__c_type *made = *tag ? find(p->L, &types_of_names, tag) : NULL;

	if (made)
		return made;
	made = plait__c_type_keep(p->L, sizeof(*made));
	made->kind = C_TYPE_STRUCT;
	made->align = 1;
	if (*tag) {
		made->name = plait__c_type_keep_text(p->L, tag);
		set(p->L, &types_of_names, tag, made);
	}
	return made;
}

static const struct plait__c_type *read_struct(struct plait__token_reader *p)
{
	char tag[MOST_WORD + 8] = "";
	struct plait__c_type_member fields[MOST_MEMBERS];
	struct plait__c_type *made;
	size_t count;

	if (p->token == TOKEN_WORD) {
		strcat(strcpy(tag, "struct "), p->word);
		plait__token_advance(p);
	}
	made = find_struct(p, tag);
	if (plait__token_accept(p, "{")) {
		count = made->size ? 0 : read_fields(p, fields);
		if (made->size) /* also by a declaration among its fields */
			plait__token_refuse(p, "a struct that has fields already");
		plait__c_type_lay_out(p->L, made, keep_members(p->L, fields, count), count);
	}
	return made;
}

static const struct plait__c_type *read_enum(struct plait__token_reader *p)
{
	if (p->token == TOKEN_WORD)
		plait__token_advance(p);
	if (plait__token_accept(p, "{"))
		enumerators(p);
	return find(p->L, &types_of_names, "int");
}

/* Words of integer types in any order: "unsigned long int".  Return NULL if the token is
   none of them. */
static const struct plait__c_type *read_words(struct plait__token_reader *p)
{
	static const char *const words[] = { "char", "short", "long", "int", "signed", "unsigned" };
	static const char *const made[][2] = { { "int8_t", "uint8_t" }, { "int16_t", "uint16_t" },
					       { "int64_t", "uint64_t" }, { "int", "uint32_t" } };
	bool seen[6] = { false }, is_any = false;
	size_t width = 0;

	for (size_t i = 0; i < 6;) {
		if (plait__token_accept(p, words[i])) {
			seen[i] = is_any = true;
			i = 0;
		} else {
			i++;
		}
	}
	if (!is_any)
		return NULL;
	while (width < 3 && !seen[width])
		width++;
	return find(p->L, &types_of_names, seen[0] && !seen[4] && !seen[5] ? "char" :
					   made[width][seen[5]]);
}

/* Read what names a type; return NULL, and leave the token, if it names none. */
static const struct plait__c_type *read_base(struct plait__token_reader *p)
{
	const struct plait__c_type *found;

	if (plait__token_accept(p, "struct"))
		return read_struct(p);
	if (plait__token_accept(p, "enum"))
		return read_enum(p);
	found = read_words(p);
	if (!found) {
		found = find(p->L, &types_of_names, p->word);
		if (found)
			plait__token_advance(p);
	}
	return found;
}

static void specify(struct plait__token_reader *p, struct specifier *out)
{
	bool is_const = false;

	enter(p);
	*out = (struct specifier){ 0 };
	for (;;) {
		if (plait__token_accept(p, "const") || plait__token_accept(p, "volatile"))
			is_const = true;
		else if (plait__token_accept(p, "typedef"))
			out->is_typedef = true;
		else if (plait__token_accept(p, "extern"))
			continue;
		else if (out->type || p->token != TOKEN_WORD || !(out->type = read_base(p)))
			break;
	}
	if (!out->type)
		plait__token_refuse(p, "no type");
	if (is_const)
		out->type = plait__c_type_const(p->L, out->type);
	p->depth--;
}

/* --- declarators --- */

static const struct plait__c_type *read_parameters(struct plait__token_reader *p,
						  const struct plait__c_type *result)
{
	struct plait__c_type_member found[MOST_MEMBERS];
	struct specifier specifier;
	struct declarator one;
	size_t count = 0;

	while (!plait__token_accept(p, ")")) {
		specify(p, &specifier);
		declare(p, specifier.type, &one);
		if (one.type->kind == C_TYPE_VOID && !count && plait__token_accept(p, ")"))
			break;
		if (one.type->kind == C_TYPE_ARRAY)
			one.type = plait__c_type_pointer(p->L, one.type->of);
		if (!one.type->size || count == MOST_MEMBERS)
			plait__token_refuse(p, "a parameter without a size, or too many");
		found[count++] = (struct plait__c_type_member){ one.name, one.type, 0 };
		if (!plait__token_is_at(p, ")"))
			plait__token_expect(p, ",");
	}
	return plait__c_type_function(p->L, result, keep_members(p->L, found, count), count);
}

/* Read what follows a name: the dimensions of an array, or parameters. */
static const struct plait__c_type *read_suffix(struct plait__token_reader *p,
					      const struct plait__c_type *base)
{
	size_t count = C_TYPE_OPEN;

	if (plait__token_accept(p, "("))
		return read_parameters(p, base);
	if (!plait__token_accept(p, "["))
		return base;
	if (!plait__token_accept(p, "?") && !plait__token_is_at(p, "]")) {
		count = (size_t)expression(p);
		if (count > PTRDIFF_MAX)
			plait__token_refuse(p, "a number of elements below 0");
	}
	plait__token_expect(p, "]");
	enter(p);
	base = plait__c_type_array(p->L, read_suffix(p, base), count);
	p->depth--;
	return base;
}

/* Skip to behind the parenthesis that ends a group. */
static void skip_group(struct plait__token_reader *p)
{
	for (int depth = 1; depth; plait__token_advance(p)) {
		if (p->token == TOKEN_END)
			plait__token_refuse(p, "a group without an end");
		depth += plait__token_is_at(p, "(") - plait__token_is_at(p, ")");
	}
}

static void declare(struct plait__token_reader *p, const struct plait__c_type *base,
		    struct declarator *out)
{
	struct plait__token_reader inner;
	int outer = p->depth;

	enter(p);
	while (plait__token_accept(p, "*")) {
		enter(p);
		base = plait__c_type_pointer(p->L, base);
		while (plait__token_accept(p, "const"))
			continue;
	}
	*out = (struct declarator){ NULL, base };
	if (plait__token_is_at(p, "(") && plait__token_next(p) == '*') {
		/* Suffixes behind the group apply to the base before the group does. */
		plait__token_advance(p);
		inner = *p;
		skip_group(p);
		declare(&inner, read_suffix(p, base), out);
		plait__token_expect(&inner, ")");
	} else {
		if (p->token == TOKEN_WORD) {
			out->name = plait__c_type_keep_text(p->L, p->word);
			plait__token_advance(p);
		}
		out->type = read_suffix(p, base);
	}
	p->depth = outer;
}

/* --- texts --- */

static void read_declaration(struct plait__token_reader *p)
{
	struct specifier specifier;
	struct declarator one;

	specify(p, &specifier);
	if (plait__token_accept(p, ";"))
		return;
	do {
		declare(p, specifier.type, &one);
		if (!one.name)
			plait__token_refuse(p, "expected a name");
		if (specifier.is_typedef && !one.type->name && one.type->kind == C_TYPE_STRUCT)
			((struct plait__c_type *)(uintptr_t)one.type)->name = one.name;
		if (specifier.is_typedef)
			set(p->L, &types_of_names, one.name, one.type);
		else if (one.type->kind == C_TYPE_FUNCTION)
			set(p->L, &functions, one.name, one.type);
		else
			plait__token_refuse(p, "a variable");
	} while (plait__token_accept(p, ","));
	plait__token_expect(p, ";");
}

void plait__declaration_read(lua_State *L, const char *text)
{
	struct plait__token_reader reader;

	plait__token_begin(&reader, L, text);
	while (reader.token != TOKEN_END) {
		if (!plait__token_accept(&reader, ";"))
			read_declaration(&reader);
	}
}

const struct plait__c_type *plait__declaration_type(lua_State *L, const char *text)
{
	const struct plait__c_type *found = find(L, &types_of_texts, text);
	struct plait__token_reader reader;
	struct specifier specifier;
	struct declarator one;

	if (found)
		return found;
	plait__token_begin(&reader, L, text);
	specify(&reader, &specifier);
	declare(&reader, specifier.type, &one);
	if (reader.token != TOKEN_END)
		plait__token_refuse(&reader, "expected the end");
	set(L, &types_of_texts, text, one.type);
	return one.type;
}

static void add_basic(lua_State *L, const char *name, enum plait__c_type_kind kind, size_t size,
		      bool is_signed)
{
	struct plait__c_type *made = plait__c_type_keep(L, sizeof(*made));

	*made = (struct plait__c_type){ .kind = kind, .is_signed = is_signed, .size = size,
				       .align = size ? size : 1, .name = name };
	set(L, &types_of_names, name, made);
}

#define INTEGER(L, type) add_basic(L, #type, C_TYPE_INTEGER, sizeof(type), (type)-1 < (type)1)

void plait__declaration_open(lua_State *L)
{
	static const char *const tables[] = { &types_of_names, &types_of_texts, &constants,
					      &functions };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		lua_newtable(L);
		lua_rawsetp(L, LUA_REGISTRYINDEX, tables[i]);
	}
	add_basic(L, "void", C_TYPE_VOID, 0, false);
	add_basic(L, "bool", C_TYPE_BOOL, sizeof(bool), false);
	add_basic(L, "_Bool", C_TYPE_BOOL, sizeof(bool), false);
	add_basic(L, "float", C_TYPE_FLOAT, sizeof(float), true);
	add_basic(L, "double", C_TYPE_FLOAT, sizeof(double), true);
	INTEGER(L, char);
	INTEGER(L, int);
	INTEGER(L, int8_t);
	INTEGER(L, int16_t);
	INTEGER(L, int32_t);
	INTEGER(L, int64_t);
	INTEGER(L, uint8_t);
	INTEGER(L, uint16_t);
	INTEGER(L, uint32_t);
	INTEGER(L, uint64_t);
	set(L, &types_of_names, "intptr_t", find(L, &types_of_names, "int64_t"));
	set(L, &types_of_names, "uintptr_t", find(L, &types_of_names, "uint64_t"));
	set(L, &types_of_names, "size_t", find(L, &types_of_names, "uint64_t"));
	set(L, &types_of_names, "ptrdiff_t", find(L, &types_of_names, "int64_t"));
}
