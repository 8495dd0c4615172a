/* SPDX-License-Identifier: MIT */
/* Size limit of the cache; see cache_eviction.h. */
#include "source/cache_eviction.h"

#include "base/hash.h"
#include "sys/env.h"
#include "sys/private_dir.h"

#include <limits.h>
#include <stdbool.h>
#include <string.h>

enum { DIGITS = PLAIT__HASH_TEXT_BYTES - 1 };

/* Default limit, as for CUDA's own cache. */
static const uint64_t usual_bytes = UINT64_C(1) << 30;

void plait__cache_touch(const char *path)
{
	plait__private_dir_touch(path);
}

/* Returns true for a suffix after the hash: ".so", ".bin", or a temporary file
 * of either, ".so.123-0", being written or left by a dead writer. */
static bool is_suffix(const char *text)
{
	size_t length = strncmp(text, ".so", 3) == 0  ? 3 :
			strncmp(text, ".bin", 4) == 0 ? 4 : 0;

	if (length == 0)
		return false;
	text += length;
	return *text == '\0' ||
	       (*text == '.' && strspn(text + 1, "0123456789-") ==
		strlen(text + 1));
}

/* Returns true for NAME-HASH and a suffix; the dot is the first one. */
static bool is_entry(const char *name)
{
	const char *dot = strchr(name, '.'), *digits;

	if (dot == NULL || dot - name < DIGITS + 2)
		return false;
	digits = dot - DIGITS;
	return digits[-1] == '-' &&
	       strspn(digits, "0123456789abcdef") == DIGITS && is_suffix(dot);
}

void plait__cache_evict(const char *path, const plait__log *log)
{
	const char *name = strrchr(path, '/');
	uint64_t most = usual_bytes, removed;
	char folder[PATH_MAX];

	(void)plait__env_query_number(PLAIT__ENV_CACHE_MAX, &most);
	if (name == NULL || (size_t)(name - path) >= sizeof(folder) ||
	    most == 0)
		return;
	memcpy(folder, path, (size_t)(name - path));
	folder[name - path] = '\0';
	removed = plait__private_dir_evict(folder, is_entry, name + 1, most);
	if (removed > 0)
		plait__log_line(log, PLAIT_LOG_INFO,
				"%llu compiled kernels were removed from %s: "
				"PLAIT_CACHE_MAX is %llu",
				(unsigned long long)removed, folder,
				(unsigned long long)most);
}
