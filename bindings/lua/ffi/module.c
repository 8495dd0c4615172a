/* SPDX-License-Identifier: MIT */
/* The module plait.ffi: what the layer uses of LuaJIT's ffi, for PUC Lua 5.4. */
#include "cdata.h"
#include "conversion.h"
#include "declaration.h"
#include "library.h"

#include <lauxlib.h>

#include <string.h>

static int cdef(lua_State *L)
{
	plait__declaration_read(L, luaL_checkstring(L, 1));
	return 0;
}

static int load(lua_State *L)
{
	return plait__library_push(L, luaL_checkstring(L, 1)) ? 1 : lua_error(L);
}

/* Return the object at an index; raise an error for another value. */
static struct plait__cdata *check_cdata(lua_State *L, int index)
{
	struct plait__cdata *object = plait__cdata_at(L, index);

	luaL_argexpected(L, object, index, "object of C");
	return object;
}

/* Return the bytes of so many elements. */
static size_t bytes_of(lua_State *L, const struct plait__c_type *of, size_t count)
{
	size_t bytes;

	if (!of->size)
		luaL_error(L, "elements of unknown size");
	if (__builtin_mul_overflow(of->size, count, &bytes) || bytes > C_TYPE_MOST)
		luaL_error(L, "an array that is too large");
	return bytes;
}

static size_t count_at(lua_State *L, int index)
{
	lua_Integer count = luaL_checkinteger(L, index);

	luaL_argcheck(L, count >= 0, index, "a number of elements below 0");
	return (size_t)count;
}

/* --- making --- */

/* Push the value of the same bits, or the nearest one, of an integer, number or boolean. */
static int cast_scalar(lua_State *L, const struct plait__c_type *type)
{
	const struct plait__cdata *object = plait__cdata_at(L, 2);
	union { uint64_t integer; double number; } value = { 0 };

	if (type->kind == C_TYPE_INTEGER && (object || lua_isnoneornil(L, 2))) {
		lua_settop(L, 2);
		lua_pushinteger(L, object ? (lua_Integer)(uintptr_t)object->at : 0);
		lua_replace(L, 2);
	}
	plait__conversion_store(L, type, &value, 2);
	plait__conversion_push(L, type, &value, 0);
	return 1;
}

/* new(type, values...) or, for an open array, new(type, count, values...). */
static int new(lua_State *L)
{
	const struct plait__c_type *type = plait__declaration_type(L, luaL_checkstring(L, 1));
	bool is_open = type->kind == C_TYPE_ARRAY && type->count == C_TYPE_OPEN;
	int first = is_open ? 3 : 2, count = lua_gettop(L) - first + 1;
	size_t bytes = type->size;
	struct plait__cdata *made;

	if (type->kind != C_TYPE_ARRAY && type->kind != C_TYPE_STRUCT)
		return luaL_error(L, "%s is no array or struct: write %s[1]", lua_tostring(L, 1),
				  lua_tostring(L, 1));
	if (is_open)
		bytes = bytes_of(L, type->of, count_at(L, 2));
	if (!bytes && !is_open)
		return luaL_error(L, "%s has no known size", lua_tostring(L, 1));
	made = plait__cdata_push_new(L, type, bytes);
	if (count > 0)
		plait__conversion_store_all(L, type, made->at, bytes, first, count);
	return 1;
}

static int cast_pointer(lua_State *L, const struct plait__c_type *type)
{
	size_t length;
	const char *text;

	if (lua_isnoneornil(L, 2)) {
		lua_pushnil(L);
	} else if (plait__cdata_at(L, 2)) {
		plait__cdata_push_part(L, type, plait__cdata_at(L, 2)->at, 2);
	} else if (plait__library_entry(L, 2) && type->of->kind == C_TYPE_FUNCTION) {
		plait__cdata_push_part(L, type, plait__library_entry(L, 2), 0);
	} else if (lua_type(L, 2) == LUA_TSTRING && type->of->is_const) {
		text = lua_tolstring(L, 2, &length);
		plait__cdata_push_view(L, type, (void *)(uintptr_t)text, length + 1);
		plait__cdata_keep(L, -1, 2);
	} else {
		luaL_argexpected(L, lua_type(L, 2) == LUA_TNUMBER, 2, "pointer or address");
		if (plait__conversion_integer(L, 2))
			plait__cdata_push_part(L, type, (void *)(uintptr_t)
					       plait__conversion_integer(L, 2), 0);
		else
			lua_pushnil(L);
	}
	return 1;
}

static int cast(lua_State *L)
{
	const struct plait__c_type *type = plait__declaration_type(L, luaL_checkstring(L, 1));

	if (type->kind == C_TYPE_POINTER)
		return cast_pointer(L, type);
	luaL_argcheck(L, type->kind != C_TYPE_ARRAY && type->kind != C_TYPE_STRUCT && type->size, 1,
		      "no number or pointer");
	return cast_scalar(L, type);
}

/* view(type, pointer, count): an array of that type on memory of C. */
static int view(lua_State *L)
{
	const struct plait__c_type *of = plait__declaration_type(L, luaL_checkstring(L, 1));
	const struct plait__cdata *object = check_cdata(L, 2);
	const struct plait__c_type *type = plait__c_type_array(L, of, C_TYPE_OPEN);

	plait__cdata_push_view(L, type, object->at, bytes_of(L, of, count_at(L, 3)));
	return 1;
}

/* end_view(view): its memory is gone; later accesses raise an error. */
static int end_view(lua_State *L)
{
	struct plait__cdata *object = check_cdata(L, 1);

	luaL_argcheck(L, object->root == object && object->at != (char *)(object + 1), 1,
		      "no view");
	object->is_ended = true;
	return 0;
}

static int gc(lua_State *L)
{
	check_cdata(L, 1);
	lua_settop(L, 2);
	plait__cdata_set_finalizer(L, 1);
	lua_settop(L, 1);
	return 1;
}

/* --- questions --- */

static int size_of(lua_State *L)
{
	const struct plait__cdata *object = plait__cdata_at(L, 1);
	const struct plait__c_type *type =
		object ? object->type : plait__declaration_type(L, luaL_checkstring(L, 1));
	size_t size = type->size;

	if (type->kind == C_TYPE_ARRAY && type->count == C_TYPE_OPEN)
		size = object ? plait__cdata_room(object) :
				bytes_of(L, type->of, count_at(L, 2));
	else if (!size)
		return luaL_error(L, "a type whose size is not known");
	lua_pushinteger(L, (lua_Integer)size);
	return 1;
}

static int offset_of(lua_State *L)
{
	const struct plait__c_type *type = plait__declaration_type(L, luaL_checkstring(L, 1));
	const struct plait__c_type_member *field = NULL;

	if (type->kind == C_TYPE_STRUCT)
		field = plait__c_type_field(type, luaL_checkstring(L, 2));
	luaL_argcheck(L, field, 2, "no field");
	lua_pushinteger(L, (lua_Integer)field->offset);
	return 1;
}

/* typeof(object): the text of its type. */
static int type_of(lua_State *L)
{
	plait__c_type_push_text(L, check_cdata(L, 1)->type);
	return 1;
}

/* --- bytes --- */

/* string(object): the text that it begins with; string(object, bytes). */
static int string(lua_State *L)
{
	const struct plait__cdata *object;
	size_t length, room;

	if (lua_type(L, 1) == LUA_TSTRING) {
		lua_settop(L, 1);
		return 1;
	}
	object = check_cdata(L, 1);
	if (!lua_isnoneornil(L, 2)) {
		length = count_at(L, 2);
	} else {
		luaL_argcheck(L, plait__cdata_element(object) &&
			      plait__cdata_element(object)->size == 1, 1, "no characters");
		room = plait__cdata_room(object);
		plait__cdata_check(L, object, object->at, 0);
		length = strnlen(object->at, room == SIZE_MAX ? PTRDIFF_MAX : room);
	}
	plait__cdata_check(L, object, object->at, length);
	lua_pushlstring(L, object->at, length);
	return 1;
}

/* copy(to, from, bytes); a string is copied with its zero byte. */
static int copy(lua_State *L)
{
	const struct plait__cdata *to = check_cdata(L, 1), *from = NULL;
	size_t have = 0, bytes;
	const char *at;

	if (lua_type(L, 2) == LUA_TSTRING) {
		at = lua_tolstring(L, 2, &have);
		have++;
	} else {
		from = check_cdata(L, 2);
		at = from->at;
	}
	bytes = from || !lua_isnoneornil(L, 3) ? count_at(L, 3) : have;
	if (from)
		plait__cdata_check(L, from, at, bytes);
	luaL_argcheck(L, from || bytes <= have, 3, "more bytes than the string has");
	plait__cdata_check(L, to, to->at, bytes);
	memmove(to->at, at, bytes);
	return 0;
}

__attribute__((visibility("default"))) int luaopen_plait_ffi(lua_State *L);

int luaopen_plait_ffi(lua_State *L)
{
	static const luaL_Reg functions[] = {
		{ "cdef", cdef }, { "load", load }, { "new", new }, { "cast", cast },
		{ "view", view }, { "end_view", end_view }, { "gc", gc }, { "sizeof", size_of },
		{ "offsetof", offset_of }, { "typeof", type_of }, { "string", string },
		{ "copy", copy }, { NULL, NULL }
	};

	plait__declaration_open(L);
	plait__cdata_open(L);
	luaL_newlib(L, functions);
	plait__library_push(L, NULL);
	lua_setfield(L, -2, "C");
	return 1;
}
