/* SPDX-License-Identifier: MIT */
/* Values of Lua as values of C, and back.  A number that does not fit an integer is
   truncated as C does; nothing else changes its kind. */
#ifndef PLAIT_LUA_CONVERSION_H
#define PLAIT_LUA_CONVERSION_H

#include "c_type.h"

/* Push the value of that type at `at`; an array or struct is part of the object at the
   stack index `parent`. */
void plait__conversion_push(lua_State *L, const struct plait__c_type *type, void *at, int parent);

/* Store the value at a stack index; raise an error if it is none of that type. */
void plait__conversion_store(lua_State *L, const struct plait__c_type *type, void *at, int index);

/* Store `count` values from a stack index on into an array or struct: its elements or
   fields.  One value of an array fills it. */
void plait__conversion_store_all(lua_State *L, const struct plait__c_type *type, void *at,
				 size_t bytes, int index, int count);

/* Return the bits of the number at a stack index as an integer. */
uint64_t plait__conversion_integer(lua_State *L, int index);

#endif
