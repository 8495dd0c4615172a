/* SPDX-License-Identifier: MIT */
/* Conversion of numbers, booleans, strings, tables and objects of C. */
#include "conversion.h"

#include "cdata.h"

#include <lauxlib.h>

#include <string.h>

static _Noreturn void refuse(lua_State *L, const struct plait__c_type *type, int index)
{
	index = lua_absindex(L, index);
	if (plait__cdata_at(L, index))
		plait__c_type_push_text(L, plait__cdata_at(L, index)->type);
	else
		lua_pushstring(L, luaL_typename(L, index));
	plait__c_type_push_text(L, type);
	luaL_error(L, "cannot convert '%s' to '%s'", lua_tostring(L, -2), lua_tostring(L, -1));
	__builtin_unreachable();
}

/* Memory of Lua programs: aligned or not, and of any other type. */
#define ANYWHERE __attribute__((aligned(1), may_alias))
typedef int8_t ANYWHERE any_i8;
typedef int16_t ANYWHERE any_i16;
typedef int32_t ANYWHERE any_i32;
typedef int64_t ANYWHERE any_i64;
typedef float ANYWHERE any_float;
typedef double ANYWHERE any_double;
typedef void *ANYWHERE any_pointer;

/* --- numbers --- */

uint64_t plait__conversion_integer(lua_State *L, int index)
{
	lua_Number value;

	if (lua_isinteger(L, index))
		return (uint64_t)lua_tointeger(L, index);
	value = lua_tonumber(L, index);
	if (value >= 0x1p64)
		return UINT64_MAX;
	if (value >= 0)
		return (uint64_t)value;
	return value > -0x1p63 ? (uint64_t)(int64_t)value : value < 0 ? (uint64_t)INT64_MIN : 0;
}

static void push_integer(lua_State *L, const struct plait__c_type *type, const void *at)
{
	int64_t value = 0;
	unsigned unused = 8 * (unsigned)(sizeof(value) - type->size);

	switch (type->size) {
	case 1: value = *(const any_i8 *)at; break;
	case 2: value = *(const any_i16 *)at; break;
	case 4: value = *(const any_i32 *)at; break;
	default: value = *(const any_i64 *)at; break;
	}
	if (!type->is_signed)
		value = (int64_t)((uint64_t)value << unused >> unused);
	lua_pushinteger(L, value);
}

static void store_integer(const struct plait__c_type *type, void *at, uint64_t value)
{
	switch (type->size) {
	case 1: *(any_i8 *)at = (int8_t)value; break;
	case 2: *(any_i16 *)at = (int16_t)value; break;
	case 4: *(any_i32 *)at = (int32_t)value; break;
	default: *(any_i64 *)at = (int64_t)value; break;
	}
}

static void store_scalar(lua_State *L, const struct plait__c_type *type, void *at, int index)
{
	bool is_boolean;

	if (type->kind == C_TYPE_INTEGER && lua_isinteger(L, index)) {
		store_integer(type, at, (uint64_t)lua_tointeger(L, index));
		return;
	}
	is_boolean = lua_type(L, index) == LUA_TBOOLEAN;
	if (!is_boolean && lua_type(L, index) != LUA_TNUMBER)
		refuse(L, type, index);
	if (type->kind == C_TYPE_BOOL)
		*(any_i8 *)at = is_boolean ? (int8_t)lua_toboolean(L, index) :
						  lua_tonumber(L, index) != 0;
	else if (type->kind == C_TYPE_INTEGER)
		store_integer(type, at, is_boolean ? (uint64_t)lua_toboolean(L, index) :
						     plait__conversion_integer(L, index));
	else if (is_boolean)
		refuse(L, type, index);
	else if (type->size == sizeof(float))
		*(any_float *)at = (float)lua_tonumber(L, index);
	else
		*(any_double *)at = lua_tonumber(L, index);
}

/* --- pointers --- */

/* Return the address that the value at an index is as a pointer of that type. */
static void *pointer(lua_State *L, const struct plait__c_type *type, int index)
{
	const struct plait__c_type *to = type->of, *have;
	const struct plait__cdata *object;
	int kind = lua_type(L, index);

	if (kind == LUA_TNIL)
		return NULL;
	if (kind == LUA_TSTRING && to->is_const &&
	    (to->kind == C_TYPE_VOID || (to->kind == C_TYPE_INTEGER && to->size == 1)))
		return (void *)(uintptr_t)lua_tostring(L, index);
	object = plait__cdata_at(L, index);
	if (!object)
		refuse(L, type, index);
	have = object->type->kind == C_TYPE_STRUCT ? object->type : object->type->of;
	if (!plait__c_type_is_pointee(to, have))
		refuse(L, type, index);
	plait__cdata_check(L, object, object->at, 0);
	return object->at;
}

/* --- arrays and structs --- */

static void store_table(lua_State *L, const struct plait__c_type *type, void *at, int index)
{
	const struct plait__c_type_member *field;
	lua_Integer count = (lua_Integer)lua_rawlen(L, index);

	luaL_checkstack(L, 8, "initializers");
	for (lua_Integer i = 0; i < count; i++) {
		lua_rawgeti(L, index, i + 1);
		if ((lua_Unsigned)i >= type->count)
			luaL_error(L, "more values than elements");
		field = type->kind == C_TYPE_STRUCT ? &type->members[i] : NULL;
		plait__conversion_store(L, field ? field->type : type->of, (char *)at +
					(field ? field->offset : (size_t)i * type->of->size), -1);
		lua_pop(L, 1);
	}
	for (size_t i = (size_t)count; type->kind == C_TYPE_STRUCT && i < type->count; i++) {
		field = &type->members[i];
		if (lua_getfield(L, index, field->name) != LUA_TNIL)
			plait__conversion_store(L, field->type, (char *)at + field->offset, -1);
		lua_pop(L, 1);
	}
}

/* Returns true for a string, and an array of bytes that it can fill. */
static bool is_text(lua_State *L, const struct plait__c_type *type, int index)
{
	return lua_type(L, index) == LUA_TSTRING && type->kind == C_TYPE_ARRAY &&
	       type->of->kind == C_TYPE_INTEGER && type->of->size == 1;
}

static void store_aggregate(lua_State *L, const struct plait__c_type *type, void *at, int index)
{
	const struct plait__cdata *object = plait__cdata_at(L, index);
	size_t length;
	const char *text;

	index = lua_absindex(L, index);
	if (object && plait__c_type_is_alike(type, object->type)) {
		plait__cdata_check(L, object, object->at, type->size);
		memmove(at, object->at, type->size);
	} else if (is_text(L, type, index)) {
		text = lua_tolstring(L, index, &length);
		memcpy(at, text, length < type->size ? length + 1 : type->size);
	} else if (lua_istable(L, index)) {
		store_table(L, type, at, index);
	} else {
		refuse(L, type, index);
	}
}

void plait__conversion_store_all(lua_State *L, const struct plait__c_type *type, void *at,
				 size_t bytes, int index, int count)
{
	const struct plait__c_type_member *field = type->members;
	const struct plait__cdata *object = plait__cdata_at(L, index);
	/* An open array has the size of this object. */
	struct plait__c_type whole = *type;
	size_t step;

	whole.size = bytes;
	if (type->kind == C_TYPE_ARRAY)
		whole.count = bytes / type->of->size;
	if (count == 1 && (lua_istable(L, index) || is_text(L, type, index) ||
			   (object && plait__c_type_is_alike(&whole, object->type)))) {
		store_aggregate(L, &whole, at, index);
		return;
	}
	if ((size_t)count > whole.count)
		luaL_error(L, "more values than elements");
	step = type->kind == C_TYPE_ARRAY ? type->of->size : 0;
	for (size_t i = 0; i < (size_t)count; i++)
		plait__conversion_store(L, step ? type->of : field[i].type,
					(char *)at + (step ? i * step : field[i].offset),
					index + (int)i);
	for (size_t i = 1; count == 1 && step && i < whole.count; i++)
		memcpy((char *)at + i * step, at, step);
}

/* --- any type --- */

void plait__conversion_store(lua_State *L, const struct plait__c_type *type, void *at, int index)
{
	switch (type->kind) {
	case C_TYPE_BOOL:
	case C_TYPE_INTEGER:
	case C_TYPE_FLOAT:
		store_scalar(L, type, at, index);
		return;
	case C_TYPE_POINTER:
		*(any_pointer *)at = pointer(L, type, index);
		return;
	case C_TYPE_ARRAY:
	case C_TYPE_STRUCT:
		store_aggregate(L, type, at, index);
		return;
	default:
		refuse(L, type, index);
	}
}

void plait__conversion_push(lua_State *L, const struct plait__c_type *type, void *at, int parent)
{
	switch (type->kind) {
	case C_TYPE_BOOL:
		lua_pushboolean(L, *(const any_i8 *)at != 0);
		return;
	case C_TYPE_INTEGER:
		push_integer(L, type, at);
		return;
	case C_TYPE_FLOAT:
		lua_pushnumber(L, type->size == sizeof(float) ? *(const any_float *)at :
								  *(const any_double *)at);
		return;
	case C_TYPE_POINTER:
		if (*(any_pointer *)at)
			plait__cdata_push_part(L, type, *(any_pointer *)at, 0);
		else
			lua_pushnil(L);
		return;
	default:
		plait__cdata_push_part(L, type, at, parent);
	}
}
