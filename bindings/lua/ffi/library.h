/* SPDX-License-Identifier: MIT */
/* Functions of shared libraries as functions of Lua, by libffi.  A library stays loaded:
   finalizers call it as long as the process lives. */
#ifndef PLAIT_LUA_LIBRARY_H
#define PLAIT_LUA_LIBRARY_H

#include <lua.h>

/* Push the namespace of a library, NULL: the program: a table of its functions, and of all
   constants.  Return false, and push the reason, if it cannot be loaded. */
int plait__library_push(lua_State *L, const char *name);

/* Return the address of a function that a namespace has, or NULL for another value. */
void *plait__library_entry(lua_State *L, int index);

/* Call the function that the object at index 1 points to: a metamethod. */
int plait__library_call_pointer(lua_State *L);

#endif
