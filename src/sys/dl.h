/* SPDX-License-Identifier: MIT */
/*
 * Shared objects: opening them, and looking up symbols and origins. The plugin
 * loader decides which file is opened, and in which order.
 */
#ifndef PLAIT_SRC_SYS_DL_H
#define PLAIT_SRC_SYS_DL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Open `path`, which must contain a slash, so that nothing is searched. All
 * symbols are resolved now and none are offered to other objects. The object
 * stays mapped for good: drivers leave threads and thread-local destructors
 * behind. Returns null on failure, with the linker's message in `text`.
 */
void *plait__dl_open(const char *path, char *text, size_t text_bytes);

/* Open a vendor library by soname, by the linker's search; flags as above.
 * Fails for a name with a slash. */
void *plait__dl_open_soname(const char *soname, char *text, size_t text_bytes);

/*
 * Open an object that the library built itself, by its absolute path; it can be
 * closed, because it has no threads and no thread-local data. The linker
 * identifies objects by path: one path must never have two contents in a
 * process.
 */
void *plait__dl_open_code(const char *path, char *text, size_t text_bytes);
void plait__dl_close(void *object);

/* Returns the address, or null. */
void *plait__dl_find(void *object, const char *symbol);

/* Returns true if `address` lies in this object. dlsym also finds symbols of
 * the object's dependencies, which do not count as its entry point. */
bool plait__dl_owns(void *object, const void *address);

/* Returns false if the address is that of a variable; true if it is code or
 * unknown. */
bool plait__dl_is_code(const void *address);

/* Query the absolute path of the object that contains `address` (null: the
 * library itself). Returns 0, -ENAMETOOLONG or -ENOENT. */
int plait__dl_query_path(const void *address, char *out, size_t out_bytes);

#endif
