/* SPDX-License-Identifier: MIT */
/* Calls by libffi: a call shape for each type of function, made at the first call. */
#include "library.h"

#include "cdata.h"
#include "conversion.h"
#include "declaration.h"

#include <lauxlib.h>

#include <dlfcn.h>
#include <ffi.h>
#include <string.h>

enum { MOST_ARGUMENTS = 32 };

/* How functions of a type are called; an element of the type. */
struct plait__c_type_call {
	ffi_cif cif;
	ffi_type *types[MOST_ARGUMENTS];
};

union value {
	int64_t integer;
	double number;
	void *pointer;
	ffi_arg result;
};

typedef void (*entry_function)(void);

static ffi_type *type_of(lua_State *L, const struct plait__c_type *type)
{
	static ffi_type *const integers[2][9] = {
		{ [1] = &ffi_type_uint8, [2] = &ffi_type_uint16, [4] = &ffi_type_uint32,
		  [8] = &ffi_type_uint64 },
		{ [1] = &ffi_type_sint8, [2] = &ffi_type_sint16, [4] = &ffi_type_sint32,
		  [8] = &ffi_type_sint64 },
	};

	switch (type->kind) {
	case C_TYPE_VOID: return &ffi_type_void;
	case C_TYPE_BOOL: return &ffi_type_uint8;
	case C_TYPE_INTEGER: return integers[type->is_signed][type->size];
	case C_TYPE_FLOAT: return type->size == sizeof(float) ? &ffi_type_float : &ffi_type_double;
	case C_TYPE_POINTER: return &ffi_type_pointer;
	default:
		luaL_error(L, "a function with arrays or structs by value");
		return NULL;
	}
}

static struct plait__c_type_call *call_of(lua_State *L, const struct plait__c_type *type)
{
	struct plait__c_type_call *made = type->call;

	if (made)
		return made;
	if (type->count > MOST_ARGUMENTS)
		luaL_error(L, "a function with more than %d parameters", MOST_ARGUMENTS);
	made = plait__c_type_keep(L, sizeof(*made));
	for (size_t i = 0; i < type->count; i++)
		made->types[i] = type_of(L, type->members[i].type);
	if (ffi_prep_cif(&made->cif, FFI_DEFAULT_ABI, (unsigned)type->count, type_of(L, type->of),
			 made->types) != FFI_OK)
		luaL_error(L, "libffi knows no such call");
	((struct plait__c_type *)(uintptr_t)type)->call = made;
	return made;
}

/* Push the result of a call; libffi widens small integers to ffi_arg. */
static int push_result(lua_State *L, const struct plait__c_type *type, union value *result)
{
	if (type->kind == C_TYPE_VOID)
		return 0;
	if (type->kind == C_TYPE_BOOL)
		lua_pushboolean(L, (unsigned char)result->result != 0);
	else if (type->kind == C_TYPE_INTEGER && type->size < sizeof(ffi_arg))
		lua_pushinteger(L, type->is_signed ? (lua_Integer)(ffi_sarg)result->result :
						     (lua_Integer)result->result);
	else
		plait__conversion_push(L, type, result, 0);
	return 1;
}

/* Call with the arguments from a stack index on. */
static int call(lua_State *L, const struct plait__c_type *type, entry_function entry, int first)
{
	struct plait__c_type_call *how = call_of(L, type);
	union value values[MOST_ARGUMENTS], result;
	void *at[MOST_ARGUMENTS];
	int count = lua_gettop(L) - first + 1;

	if (count != (int)type->count)
		return luaL_error(L, "%d arguments for a function with %d", count,
				  (int)type->count);
	for (size_t i = 0; i < type->count; i++) {
		at[i] = &values[i];
		plait__conversion_store(L, type->members[i].type, at[i], first + (int)i);
	}
	ffi_call(&how->cif, entry, &result, at);
	return push_result(L, type->of, &result);
}

static entry_function entry_of(void *address)
{
	entry_function entry;

	memcpy(&entry, &address, sizeof(entry)); /* ISO C has no cast */
	return entry;
}

static int call_named(lua_State *L)
{
	return call(L, lua_touserdata(L, lua_upvalueindex(1)),
		    entry_of(lua_touserdata(L, lua_upvalueindex(2))), 1);
}

void *plait__library_entry(lua_State *L, int index)
{
	void *entry = NULL;

	if (lua_tocfunction(L, index) == call_named && lua_getupvalue(L, index, 2)) {
		entry = lua_touserdata(L, -1);
		lua_pop(L, 1);
	}
	return entry;
}

int plait__library_call_pointer(lua_State *L)
{
	const struct plait__cdata *object = plait__cdata_at(L, 1);

	if (!object || object->type->kind != C_TYPE_POINTER ||
	    object->type->of->kind != C_TYPE_FUNCTION)
		return luaL_error(L, "a call of an object that is no function");
	return call(L, object->type->of, entry_of(object->at), 2);
}

/* Find a constant or function, and add it to the namespace. */
static int find(lua_State *L)
{
	const char *name = luaL_checkstring(L, 2);
	const struct plait__c_type *type = plait__declaration_function(L, name);
	void *entry;

	if (!plait__declaration_push_constant(L, name)) {
		if (!type)
			return luaL_error(L, "%s is not declared", name);
		entry = dlsym(lua_touserdata(L, lua_upvalueindex(1)), name);
		if (!entry)
			return luaL_error(L, "the library has no %s", name);
		lua_pushlightuserdata(L, (void *)(uintptr_t)type);
		lua_pushlightuserdata(L, entry);
		lua_pushcclosure(L, call_named, 2);
	}
	lua_pushvalue(L, 2);
	lua_pushvalue(L, -2);
	lua_rawset(L, 1);
	return 1;
}

int plait__library_push(lua_State *L, const char *name)
{
	void *handle = RTLD_DEFAULT;

	if (name && !strpbrk(name, "/."))
		name = lua_pushfstring(L, "lib%s.so", name);
	if (name) {
		handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
		if (!handle) {
			lua_pushstring(L, dlerror());
			return 0;
		}
	}
	lua_newtable(L);
	lua_newtable(L);
	lua_pushlightuserdata(L, handle);
	lua_pushcclosure(L, find, 1);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	return 1;
}
