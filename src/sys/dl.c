/* SPDX-License-Identifier: MIT */
/* dlopen with the flags that dl.h promises. */
#include "sys/dl.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *open_object(const char *name, int more, char *text,
			 size_t text_bytes)
{
	void *object = dlopen(name, RTLD_NOW | RTLD_LOCAL | more);
	const char *reason;

	if (object == NULL) {
		reason = dlerror();
		(void)snprintf(text, text_bytes, "%s",
			       reason != NULL ? reason : "no reason given");
	}
	return object;
}

void *plait__dl_open(const char *path, char *text, size_t text_bytes)
{
	if (strchr(path, '/') == NULL) {
		(void)snprintf(text, text_bytes,
			       "%s: not a path; write ./%s to mean it", path,
			       path);
		return NULL;
	}
	return open_object(path, RTLD_NODELETE, text, text_bytes);
}

void *plait__dl_open_soname(const char *soname, char *text, size_t text_bytes)
{
	if (*soname == '\0' || strchr(soname, '/') != NULL) {
		(void)snprintf(text, text_bytes, "'%s' is not a soname",
			       soname);
		return NULL;
	}
	return open_object(soname, RTLD_NODELETE, text, text_bytes);
}

void *plait__dl_open_code(const char *path, char *text, size_t text_bytes)
{
	return open_object(path, 0, text, text_bytes);
}

void plait__dl_close(void *object)
{
	if (object != NULL)
		(void)dlclose(object);
}

void *plait__dl_find(void *object, const char *symbol)
{
	return dlsym(object, symbol);
}

bool plait__dl_owns(void *object, const void *address)
{
	struct link_map *wanted = NULL;
	void *found = NULL;
	Dl_info info;

	if (address == NULL || dlinfo(object, RTLD_DI_LINKMAP, &wanted) != 0)
		return false;
	return dladdr1(address, &info, &found, RTLD_DL_LINKMAP) != 0 &&
	       found == wanted;
}

bool plait__dl_is_code(const void *address)
{
	const ElfW(Sym) *symbol = NULL;
	void *found = NULL;
	Dl_info info;
	unsigned type;

	if (dladdr1(address, &info, &found, RTLD_DL_SYMENT) == 0 ||
	    found == NULL || info.dli_saddr != address)
		return true;
	symbol = found;
	type = symbol->st_info & 0xf; /* equal for 32 and 64 bits */
	return type != STT_OBJECT && type != STT_COMMON && type != STT_TLS;
}

int plait__dl_query_path(const void *address, char *out, size_t out_bytes)
{
	static const char own = 0; /* any address in this object */
	char path[PATH_MAX];
	Dl_info info;
	size_t length;

	if (address == NULL)
		address = &own;
	if (dladdr(address, &info) == 0 || info.dli_fname == NULL ||
	    realpath(info.dli_fname, path) == NULL)
		return -ENOENT;
	length = strlen(path);
	if (length >= out_bytes)
		return -ENAMETOOLONG;
	memcpy(out, path, length + 1);
	return 0;
}
