/* SPDX-License-Identifier: MIT */
/* C types, as the declarations that a Lua state has read describe them.  The state
   owns them until it closes. */
#ifndef PLAIT_LUA_C_TYPE_H
#define PLAIT_LUA_C_TYPE_H

#include <lua.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum plait__c_type_kind {
	C_TYPE_VOID,
	C_TYPE_BOOL,
	C_TYPE_INTEGER,
	C_TYPE_FLOAT,
	C_TYPE_POINTER,
	C_TYPE_ARRAY,
	C_TYPE_STRUCT,
	C_TYPE_FUNCTION
};

/* Most bytes of a type, so that no sum of sizes overflows. */
#define C_TYPE_MOST ((size_t)1 << 47)

/* Count of an array whose length each object has: T[?]. */
#define C_TYPE_OPEN SIZE_MAX

struct plait__c_type;

/* A field of a struct, or a parameter of a function, which may have no name. */
struct plait__c_type_member {
	const char *name; /* a string of Lua */
	const struct plait__c_type *type;
	size_t offset;
};

struct plait__c_type {
	enum plait__c_type_kind kind;
	bool is_signed, is_const;
	size_t size;  /* 0: incomplete, or an open array */
	size_t align;
	const struct plait__c_type *of; /* target, element or result */
	size_t count;		       /* elements, fields or parameters */
	const struct plait__c_type_member *members;
	struct plait__c_type_call *call; /* how functions of this type are called */
	const char *name;		/* basic types, and structs that have one */
	struct plait__c_type *derived;	/* pointers to this, arrays of it, its const */
	struct plait__c_type *next;	/* of those */
};

/* Return zeroed memory that lives as long as the state; a string of Lua that does. */
void *plait__c_type_keep(lua_State *L, size_t bytes);
const char *plait__c_type_keep_text(lua_State *L, const char *text);

/* Return the one type that is derived so. */
struct plait__c_type *plait__c_type_pointer(lua_State *L, const struct plait__c_type *to);
struct plait__c_type *plait__c_type_array(lua_State *L, const struct plait__c_type *of,
					size_t count);
const struct plait__c_type *plait__c_type_const(lua_State *L, const struct plait__c_type *type);

struct plait__c_type *plait__c_type_function(lua_State *L, const struct plait__c_type *result,
					   const struct plait__c_type_member *parameters,
					   size_t count);
/* Set the fields of a struct, and with them its layout. */
void plait__c_type_lay_out(lua_State *L, struct plait__c_type *type,
			   struct plait__c_type_member *fields, size_t count);
const struct plait__c_type_member *plait__c_type_field(const struct plait__c_type *type,
						       const char *name);

/* Returns true if both have the same values in memory: signs and const do not matter. */
bool plait__c_type_is_alike(const struct plait__c_type *a, const struct plait__c_type *b);
/* Returns true if a pointer to `have` is one to `want` without a cast. */
bool plait__c_type_is_pointee(const struct plait__c_type *want, const struct plait__c_type *have);

/* Push the type as C spells it: "float *[2]". */
void plait__c_type_push_text(lua_State *L, const struct plait__c_type *type);

#endif
