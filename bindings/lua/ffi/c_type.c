/* SPDX-License-Identifier: MIT */
/* Derived types, layouts of structs, and comparison of types. */
#include "c_type.h"

#include <lauxlib.h>

#include <string.h>

void *plait__c_type_keep(lua_State *L, size_t bytes)
{
	void *made = lua_newuserdatauv(L, bytes, 0);

	memset(made, 0, bytes);
	luaL_ref(L, LUA_REGISTRYINDEX);
	return made;
}

const char *plait__c_type_keep_text(lua_State *L, const char *text)
{
	const char *made = lua_pushstring(L, text);

	luaL_ref(L, LUA_REGISTRYINDEX);
	return made;
}

/* Return the type of that kind and count that is derived from another one, new if
   `*is_new`. */
static struct plait__c_type *derive(lua_State *L, const struct plait__c_type *of,
				   enum plait__c_type_kind kind, size_t count, bool *is_new)
{
	struct plait__c_type *base = (struct plait__c_type *)(uintptr_t)of, *made;

	for (made = base->derived; made; made = made->next) {
		if (made->kind == kind && made->count == count && !made->is_const) {
			*is_new = false;
			return made;
		}
	}
	made = plait__c_type_keep(L, sizeof(*made));
	*made = (struct plait__c_type){ .kind = kind, .count = count, .of = of,
				       .next = base->derived };
	base->derived = made;
	*is_new = true;
	return made;
}

struct plait__c_type *plait__c_type_pointer(lua_State *L, const struct plait__c_type *to)
{
	bool is_new;
	struct plait__c_type *made = derive(L, to, C_TYPE_POINTER, 0, &is_new);

	made->size = made->align = sizeof(void *);
	return made;
}

struct plait__c_type *plait__c_type_array(lua_State *L, const struct plait__c_type *of,
					  size_t count)
{
	struct plait__c_type *made;
	size_t size = 0;
	bool is_new;

	if (!of->size)
		luaL_error(L, "an array of elements of unknown size");
	if (count != C_TYPE_OPEN &&
	    (__builtin_mul_overflow(of->size, count, &size) || size > C_TYPE_MOST))
		luaL_error(L, "an array that is too large");
	made = derive(L, of, C_TYPE_ARRAY, count, &is_new);
	made->size = size;
	made->align = of->align;
	return made;
}

/* Only strings look at const, so that only basic types have it. */
const struct plait__c_type *plait__c_type_const(lua_State *L, const struct plait__c_type *type)
{
	struct plait__c_type *base = (struct plait__c_type *)(uintptr_t)type, *made;

	if (type->is_const || type->kind > C_TYPE_FLOAT)
		return type;
	for (made = base->derived; made; made = made->next) {
		if (made->is_const)
			return made;
	}
	made = plait__c_type_keep(L, sizeof(*made));
	*made = *type;
	made->is_const = true;
	made->derived = NULL;
	made->next = base->derived;
	base->derived = made;
	return made;
}

struct plait__c_type *plait__c_type_function(lua_State *L, const struct plait__c_type *result,
					   const struct plait__c_type_member *parameters,
					   size_t count)
{
	struct plait__c_type *made = plait__c_type_keep(L, sizeof(*made));

	*made = (struct plait__c_type){ .kind = C_TYPE_FUNCTION, .align = 1, .of = result,
				       .members = parameters, .count = count };
	return made;
}

void plait__c_type_lay_out(lua_State *L, struct plait__c_type *type,
			   struct plait__c_type_member *fields, size_t count)
{
	size_t size = 0, align = 1;

	for (size_t i = 0; i < count; i++) {
		const struct plait__c_type *of = fields[i].type;

		size = (size + of->align - 1) / of->align * of->align;
		fields[i].offset = size;
		size += of->size;
		align = of->align > align ? of->align : align;
	}
	if (size > C_TYPE_MOST)
		luaL_error(L, "a struct that is too large");
	type->members = fields;
	type->count = count;
	type->align = align;
	type->size = (size + align - 1) / align * align;
}

const struct plait__c_type_member *plait__c_type_field(const struct plait__c_type *type,
						      const char *name)
{
	/* Lua has one copy of a short text. */
	for (size_t i = 0; i < type->count; i++) {
		if (type->members[i].name == name)
			return &type->members[i];
	}
	for (size_t i = 0; i < type->count; i++) {
		if (!strcmp(type->members[i].name, name))
			return &type->members[i];
	}
	return NULL;
}

static bool is_alike_function(const struct plait__c_type *a, const struct plait__c_type *b)
{
	if (a->count != b->count || !plait__c_type_is_alike(a->of, b->of))
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (!plait__c_type_is_alike(a->members[i].type, b->members[i].type))
			return false;
	}
	return true;
}

bool plait__c_type_is_alike(const struct plait__c_type *a, const struct plait__c_type *b)
{
	if (a == b)
		return true;
	if (a->kind != b->kind || a->size != b->size)
		return false;
	if (a->kind == C_TYPE_POINTER)
		return plait__c_type_is_alike(a->of, b->of);
	if (a->kind == C_TYPE_ARRAY)
		return a->count == b->count && plait__c_type_is_alike(a->of, b->of);
	return a->kind == C_TYPE_FUNCTION ? is_alike_function(a, b) : a->kind <= C_TYPE_FLOAT;
}

bool plait__c_type_is_pointee(const struct plait__c_type *want, const struct plait__c_type *have)
{
	return want->kind == C_TYPE_VOID || plait__c_type_is_alike(want, have);
}

/* Push what stands before the declared name, or behind it. */
static void push_half(lua_State *L, const struct plait__c_type *type, bool is_front)
{
	bool is_group = type->kind == C_TYPE_POINTER &&
			(type->of->kind == C_TYPE_FUNCTION || type->of->kind == C_TYPE_ARRAY);

	switch (type->kind) {
	case C_TYPE_POINTER:
		push_half(L, type->of, is_front);
		if (is_front)
			lua_pushfstring(L, "%s%s*", lua_tostring(L, -1), is_group ? " (" : " ");
		else
			lua_pushfstring(L, "%s%s", is_group ? ")" : "", lua_tostring(L, -1));
		lua_remove(L, -2);
		return;
	case C_TYPE_ARRAY:
		push_half(L, type->of, is_front);
		if (is_front)
			return;
		if (type->count == C_TYPE_OPEN)
			lua_pushfstring(L, "[?]%s", lua_tostring(L, -1));
		else
			lua_pushfstring(L, "[%I]%s", (LUAI_UACINT)type->count,
					lua_tostring(L, -1));
		lua_remove(L, -2);
		return;
	case C_TYPE_FUNCTION:
		push_half(L, type->of, is_front);
		if (!is_front)
			lua_pushliteral(L, "()");
		if (!is_front)
			lua_remove(L, -2);
		return;
	default:
		if (is_front)
			lua_pushfstring(L, "%s%s", type->is_const ? "const " : "",
					type->name ? type->name : "struct");
		else
			lua_pushliteral(L, "");
	}
}

void plait__c_type_push_text(lua_State *L, const struct plait__c_type *type)
{
	bool is_spaced = type->kind == C_TYPE_ARRAY && type->of->kind != C_TYPE_POINTER;

	push_half(L, type, true);
	push_half(L, type, false);
	lua_pushfstring(L, "%s%s%s", lua_tostring(L, -2), is_spaced ? " " : "",
			lua_tostring(L, -1));
	lua_replace(L, -3);
	lua_pop(L, 1);
}
