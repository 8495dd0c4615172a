/* SPDX-License-Identifier: MIT */
/* Declarations of C: the subset that plait's headers and small additions use.  Not
   there: unions, bit fields, variable arguments, attributes, directives. */
#ifndef PLAIT_LUA_DECLARATION_H
#define PLAIT_LUA_DECLARATION_H

#include "c_type.h"

/* Make the tables of names of a state; call it before the others. */
void plait__declaration_open(lua_State *L);

/* Read declarations; raise an error with the line for what is none. */
void plait__declaration_read(lua_State *L, const char *text);

/* Return the type that a text names, such as "float *[2]"; texts are remembered. */
const struct plait__c_type *plait__declaration_type(lua_State *L, const char *text);

/* Push the constant with that name; return false, and push nothing, if there is none. */
bool plait__declaration_push_constant(lua_State *L, const char *name);
/* Return the type of the function with that name, or NULL. */
const struct plait__c_type *plait__declaration_function(lua_State *L, const char *name);

#endif
