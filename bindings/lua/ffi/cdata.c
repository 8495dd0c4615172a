/* SPDX-License-Identifier: MIT */
/* Objects of C: their memory, elements and fields, and arithmetic of pointers. */
#include "cdata.h"

#include "conversion.h"
#include "library.h"

#include <lauxlib.h>

#include <string.h>

/* Metatables, as keys of the registry; the second one also finalizes.  Both have the address
   of the first one as element 1, which tells objects from other userdata. */
static char plain, finalized;

enum { FINALIZER = 1, ROOT = 2 }; /* user values */

struct plait__cdata *plait__cdata_at(lua_State *L, int index)
{
	bool is_one;

	if (!lua_getmetatable(L, index))
		return NULL;
	lua_rawgeti(L, -1, 1);
	is_one = lua_touserdata(L, -1) == &plain;
	lua_pop(L, 2);
	return is_one ? lua_touserdata(L, index) : NULL;
}

/* --- making --- */

static struct plait__cdata *push(lua_State *L, const struct plait__c_type *type, void *at,
				 size_t bytes, int values)
{
	struct plait__cdata *made = lua_newuserdatauv(L, sizeof(*made) + bytes, values);

	memset(made, 0, sizeof(*made) + bytes);
	made->type = type;
	made->at = at;
	lua_rawgetp(L, LUA_REGISTRYINDEX, &plain);
	lua_setmetatable(L, -2);
	return made;
}

struct plait__cdata *plait__cdata_push_new(lua_State *L, const struct plait__c_type *type,
					   size_t bytes)
{
	struct plait__cdata *made = push(L, type, NULL, bytes, FINALIZER);

	made->at = (char *)(made + 1);
	made->root = made;
	made->bytes = bytes;
	return made;
}

struct plait__cdata *plait__cdata_push_view(lua_State *L, const struct plait__c_type *type,
					    void *at, size_t bytes)
{
	struct plait__cdata *made = push(L, type, at, 0, ROOT);

	made->root = made;
	made->bytes = bytes;
	return made;
}

/* Push the object that is the root of the one at a stack index. */
static void push_root(lua_State *L, int index)
{
	const struct plait__cdata *object = lua_touserdata(L, index);

	if (object->root == object)
		lua_pushvalue(L, index);
	else
		lua_getiuservalue(L, index, ROOT);
}

struct plait__cdata *plait__cdata_push_part(lua_State *L, const struct plait__c_type *type,
					    void *at, int parent)
{
	struct plait__cdata *made, *from = parent ? lua_touserdata(L, parent) : NULL;

	if (parent)
		parent = lua_absindex(L, parent);
	made = push(L, type, at, 0, ROOT);
	if (from && from->root) {
		made->root = from->root;
		push_root(L, parent);
		lua_setiuservalue(L, -2, ROOT);
	}
	return made;
}

void plait__cdata_keep(lua_State *L, int view, int index)
{
	view = lua_absindex(L, view);
	lua_pushvalue(L, index);
	lua_setiuservalue(L, view, ROOT);
}

void plait__cdata_set_finalizer(lua_State *L, int index)
{
	index = lua_absindex(L, index);
	if (!lua_isnil(L, -1)) {
		lua_rawgetp(L, LUA_REGISTRYINDEX, &finalized);
		lua_setmetatable(L, index);
	}
	lua_setiuservalue(L, index, FINALIZER);
}

static int finalize(lua_State *L)
{
	if (lua_getiuservalue(L, 1, FINALIZER) == LUA_TNIL)
		return 0;
	lua_pushvalue(L, 1);
	lua_call(L, 1, 0);
	return 0;
}

/* --- memory --- */

const struct plait__c_type *plait__cdata_element(const struct plait__cdata *object)
{
	enum plait__c_type_kind kind = object->type->kind;

	return kind == C_TYPE_POINTER || kind == C_TYPE_ARRAY ? object->type->of : NULL;
}

size_t plait__cdata_room(const struct plait__cdata *object)
{
	const struct plait__cdata *root = object->root;
	uintptr_t at = (uintptr_t)object->at, low;

	if (object->type->kind != C_TYPE_POINTER && object->type->size)
		return object->type->size;
	if (!root)
		return SIZE_MAX;
	low = (uintptr_t)root->at;
	return at < low || at - low > root->bytes ? 0 : root->bytes - (at - low);
}

void plait__cdata_check(lua_State *L, const struct plait__cdata *object, const char *at,
			size_t bytes)
{
	const struct plait__cdata *root = object->root;
	uintptr_t offset;

	if (!root)
		return;
	if (root->is_ended)
		luaL_error(L, "memory that is no longer mapped");
	offset = (uintptr_t)at - (uintptr_t)root->at;
	if (offset > root->bytes || bytes > root->bytes - offset)
		luaL_error(L, "%I bytes at %I, and there are %I", (LUAI_UACINT)bytes,
			   (LUAI_UACINT)offset, (LUAI_UACINT)root->bytes);
}

/* Return the address of an element. */
static char *element_at(lua_State *L, const struct plait__cdata *object, lua_Integer i)
{
	const struct plait__c_type *of = plait__cdata_element(object);
	intptr_t offset;
	char *at;

	if (!of)
		luaL_error(L, "a struct has no element %I", (LUAI_UACINT)i);
	if (!of->size)
		luaL_error(L, "a pointer to a type whose content is not known");
	if (object->type->kind == C_TYPE_ARRAY && object->type->count != C_TYPE_OPEN &&
	    (lua_Unsigned)i >= object->type->count)
		luaL_error(L, "index %I of %I elements", (LUAI_UACINT)i,
			   (LUAI_UACINT)object->type->count);
	if (__builtin_mul_overflow(i, (lua_Integer)of->size, &offset))
		luaL_error(L, "index %I", (LUAI_UACINT)i);
	at = (char *)((uintptr_t)object->at + (uintptr_t)offset);
	plait__cdata_check(L, object, at, of->size);
	return at;
}

/* Return the address and type of the element or field that the key at index 2 names. */
static char *find(lua_State *L, const struct plait__cdata *object, const struct plait__c_type **out)
{
	const struct plait__c_type *type = object->type;
	const struct plait__c_type_member *field;
	lua_Integer i;
	int is_integer;

	if (lua_type(L, 2) == LUA_TNUMBER) {
		i = lua_tointegerx(L, 2, &is_integer);
		if (!is_integer)
			luaL_error(L, "an index that is not an integer");
		*out = plait__cdata_element(object);
		return element_at(L, object, i);
	}
	if (type->kind == C_TYPE_POINTER)
		type = type->of;
	field = type->kind == C_TYPE_STRUCT && lua_type(L, 2) == LUA_TSTRING ?
		plait__c_type_field(type, lua_tostring(L, 2)) : NULL;
	if (!field) {
		plait__c_type_push_text(L, object->type);
		luaL_error(L, "%s has no field %s", lua_tostring(L, -1),
			   luaL_tolstring(L, 2, NULL));
	}
	plait__cdata_check(L, object, object->at + field->offset, field->type->size);
	*out = field->type;
	return object->at + field->offset;
}

/* --- metamethods --- */

static int get(lua_State *L)
{
	const struct plait__cdata *object = lua_touserdata(L, 1);
	const struct plait__c_type *type;
	char *at = find(L, object, &type);

	plait__conversion_push(L, type, at, 1);
	return 1;
}

static int set(lua_State *L)
{
	const struct plait__cdata *object = lua_touserdata(L, 1);
	const struct plait__c_type *type;
	char *at = find(L, object, &type);

	if (type->is_const)
		return luaL_error(L, "constant memory");
	plait__conversion_store(L, type, at, 3);
	return 0;
}

/* Push the pointer `i` elements behind an object. */
static int push_moved(lua_State *L, int index, lua_Integer i)
{
	const struct plait__cdata *object = plait__cdata_at(L, index);
	const struct plait__c_type *of = object ? plait__cdata_element(object) : NULL;
	lua_Integer offset;

	if (!of || !of->size)
		return luaL_error(L, "arithmetic on an object that is no pointer to memory");
	if (__builtin_mul_overflow(i, (lua_Integer)of->size, &offset))
		return luaL_error(L, "a pointer that goes too far");
	plait__cdata_push_part(L, plait__c_type_pointer(L, of),
			       (void *)((uintptr_t)object->at + (uintptr_t)offset), index);
	return 1;
}

static int add(lua_State *L)
{
	bool is_first = plait__cdata_at(L, 1) != NULL;

	return push_moved(L, is_first ? 1 : 2, luaL_checkinteger(L, is_first ? 2 : 1));
}

static int subtract(lua_State *L)
{
	const struct plait__cdata *a = plait__cdata_at(L, 1), *b = plait__cdata_at(L, 2);

	if (!b)
		return push_moved(L, 1, (lua_Integer)(0 - (lua_Unsigned)luaL_checkinteger(L, 2)));
	if (!a || !plait__cdata_element(a) || plait__cdata_element(a) != plait__cdata_element(b))
		return luaL_error(L, "a difference of pointers to different types");
	if (!plait__cdata_element(a)->size)
		return luaL_error(L, "a difference of pointers to opaque types");
	lua_pushinteger(L, ((lua_Integer)a->at - (lua_Integer)b->at) /
			   (lua_Integer)plait__cdata_element(a)->size);
	return 1;
}

static int equal(lua_State *L)
{
	const struct plait__cdata *a = plait__cdata_at(L, 1), *b = plait__cdata_at(L, 2);

	lua_pushboolean(L, a && b && a->at == b->at);
	return 1;
}

static int length(lua_State *L)
{
	const struct plait__cdata *object = lua_touserdata(L, 1);
	const struct plait__c_type *of = plait__cdata_element(object);
	size_t room = plait__cdata_room(object);

	if (!of || !of->size || room == SIZE_MAX)
		return luaL_error(L, "an object whose length is not known");
	lua_pushinteger(L, (lua_Integer)(room / of->size));
	return 1;
}

static int to_text(lua_State *L)
{
	const struct plait__cdata *object = lua_touserdata(L, 1);

	plait__c_type_push_text(L, object->type);
	lua_pushfstring(L, "cdata<%s>: %p", lua_tostring(L, -1), (void *)object->at);
	return 1;
}

static void make_metatable(lua_State *L, const char *key, bool finalizes)
{
	static const luaL_Reg methods[] = {
		{ "__index", get }, { "__newindex", set }, { "__add", add },
		{ "__sub", subtract }, { "__eq", equal }, { "__len", length },
		{ "__tostring", to_text }, { "__call", plait__library_call_pointer },
		{ NULL, NULL }
	};

	luaL_newlib(L, methods);
	lua_pushlightuserdata(L, &plain);
	lua_rawseti(L, -2, 1);
	lua_pushliteral(L, "ffi"); /* what getmetatable says of an object of LuaJIT's, too */
	lua_setfield(L, -2, "__metatable");
	if (finalizes) {
		lua_pushcfunction(L, finalize);
		lua_setfield(L, -2, "__gc");
	}
	lua_rawsetp(L, LUA_REGISTRYINDEX, key);
}

void plait__cdata_open(lua_State *L)
{
	make_metatable(L, &plain, false);
	make_metatable(L, &finalized, true);
}
