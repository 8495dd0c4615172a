/* SPDX-License-Identifier: MIT */
/* Objects of C in Lua: arrays, structs and pointers.  A number, a boolean or NULL is
   none: it is a number, a boolean or nil of Lua.

   Each object has a root, the memory in which it lies: itself if it has the memory behind
   it, or is a view of memory of C.  Accesses stay within the memory of the root; an object
   without one is a pointer from C, whose memory has no known size.  An object keeps the
   object of its root. */
#ifndef PLAIT_LUA_CDATA_H
#define PLAIT_LUA_CDATA_H

#include "c_type.h"

struct plait__cdata {
	const struct plait__c_type *type;
	char *at;		  /* the memory, or where the pointer points to */
	struct plait__cdata *root; /* or NULL */
	size_t bytes;		  /* of a root; 0 after the end of a view */
	bool is_ended;		  /* a view whose memory is gone */
};

/* Make the metatables of a state. */
void plait__cdata_open(lua_State *L);

/* Return the object at a stack index, or NULL. */
struct plait__cdata *plait__cdata_at(lua_State *L, int index);

/* Push a zeroed array or struct. */
struct plait__cdata *plait__cdata_push_new(lua_State *L, const struct plait__c_type *type,
					   size_t bytes);
/* Push an array on `bytes` bytes of C's memory. */
struct plait__cdata *plait__cdata_push_view(lua_State *L, const struct plait__c_type *type,
					    void *at, size_t bytes);
/* Push a pointer, or an array or struct that is part of another object; `parent` is the
   stack index of the object whose memory that is, 0: none. */
struct plait__cdata *plait__cdata_push_part(lua_State *L, const struct plait__c_type *type,
					    void *at, int parent);

/* Keep the value at a stack index as long as a view. */
void plait__cdata_keep(lua_State *L, int view, int index);

/* Call the function at the top of the stack, which is popped, with the object at `index`
   when the object is collected; nil: none. */
void plait__cdata_set_finalizer(lua_State *L, int index);

/* Return the type of the elements of an array or pointer, or NULL. */
const struct plait__c_type *plait__cdata_element(const struct plait__cdata *object);
/* Return how many bytes lie behind the object; SIZE_MAX: unknown. */
size_t plait__cdata_room(const struct plait__cdata *object);
/* Raise an error unless `bytes` bytes at `at` are within the memory of the object. */
void plait__cdata_check(lua_State *L, const struct plait__cdata *object, const char *at,
			size_t bytes);

#endif
