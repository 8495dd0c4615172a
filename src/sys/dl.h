/* SPDX-License-Identifier: MIT */
/*
 * Shared objects: opening, symbols, and where either comes from.  Policy
 * (which file, in which order) is the plugin loader's.
 */
#ifndef PLAIT_SRC_SYS_DL_H
#define PLAIT_SRC_SYS_DL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Open `path`, which has a slash in it: nothing is searched.  All symbols
 * are resolved now, none are offered to others, and the object stays mapped
 * for ever (drivers leave threads and thread-local destructors behind).
 * Null on failure, with the linker's words in `text`.
 */
void *plait__dl_open(const char *path, char *text, size_t text_bytes);

/*
 * Open a vendor library by soname, searched as the system does; flags as
 * above.  A name with a slash is refused.
 */
void *plait__dl_open_soname(const char *soname, char *text, size_t text_bytes);

/*
 * Open an object that the library built itself, by its absolute path, and
 * close it again: it has no threads and nothing thread-local.  The linker
 * knows objects by name: never two contents under one path in a process.
 */
void *plait__dl_open_code(const char *path, char *text, size_t text_bytes);
void plait__dl_close(void *object);

/* The address, or null. */
void *plait__dl_find(void *object, const char *symbol);

/*
 * Does `address` lie in this very object?  dlsym also finds symbols of the
 * libraries that the object depends on; an entry point may not come thence.
 */
bool plait__dl_owns(void *object, const void *address);

/* False: the address is that of a variable.  True also when nothing is known
 * about it. */
bool plait__dl_is_code(const void *address);

/*
 * The absolute path of the object that holds `address` (null: the library
 * itself) into `out`.  0, -ENAMETOOLONG or -ENOENT.
 */
int plait__dl_query_path(const void *address, char *out, size_t out_bytes);

#endif
