/* SPDX-License-Identifier: MIT */
/* Cache of compiled code on disk; see cache.h. */
#include "source/cache.h"

#include "source/cache_eviction.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "sys/env.h"
#include "sys/private_dir.h"
#include "sys/read_write_file.h"

#include <stdio.h>
#include <string.h>

enum { MAX_ENTRY_BYTES = 1 << 28, NAME_LENGTH = 40 };

struct footer {
	unsigned char check[PLAIT__HASH_BYTES];
	uint64_t code_bytes;
	uint64_t key_bytes;
	char magic[8];
};

static const char magic[8] = "plaitkc1";

/* ---- folder ---- */

/* Choose the folder: PLAIT_CACHE_DIR, XDG_CACHE_HOME/plait or
 * HOME/.cache/plait; false if none is set. */
static bool choose_folder(char *out, size_t out_bytes)
{
	const struct {
		const char *value, *below;
	} places[] = { { plait__env_get("PLAIT_CACHE_DIR"), "" },
		       { plait__env_get("XDG_CACHE_HOME"), "/plait" },
		       { plait__env_get("HOME"), "/.cache/plait" } };

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const char *value = places[i].value;
		int length;

		if (value == NULL || *value == '\0')
			continue;
		length = snprintf(out, out_bytes, "%s%s", value,
				  places[i].below);
		return length > 0 && (size_t)length < out_bytes;
	}
	return false;
}

void plait__cache_open(plait__cache *out, const plait__log *log)
{
	plait_error error = { .size = sizeof(error) };
	char chosen[PATH_MAX];
	uint64_t kept = 1;

	out->folder[0] = '\0';
	(void)plait__env_query_number(PLAIT__ENV_CACHE, &kept);
	if (kept == 0)
		return;
	if (!choose_folder(chosen, sizeof(chosen))) {
		plait__log_line(log, PLAIT_LOG_INFO,
				"no cache of compiled kernels: neither "
				"PLAIT_CACHE_DIR nor HOME is set");
	} else if (plait__private_dir_secure(chosen, out->folder,
					     sizeof(out->folder), &error) !=
		   PLAIT_OK) {
		plait__log_line(log, PLAIT_LOG_WARNING,
				"no cache of compiled kernels: %s",
				error.text);
		out->folder[0] = '\0';
	}
}

bool plait__cache_path(const plait__cache *cache, const char *name,
		       const char *suffix, const char *key, uint64_t key_bytes,
		       char *out, size_t out_bytes)
{
	char digits[PLAIT__HASH_TEXT_BYTES];
	plait__hash hash;
	int length;

	if (cache->folder[0] == '\0')
		return false;
	plait__hash_init(&hash);
	plait__hash_add(&hash, key, key_bytes);
	plait__hash_text(&hash, digits);
	length = snprintf(out, out_bytes, "%s/%.*s-%s%s", cache->folder,
			  NAME_LENGTH, name, digits, suffix);
	return length > 0 && (size_t)length < out_bytes;
}

/* ---- entries ---- */

/* The counts of the footer stay within `bytes`. */
static void checksum(const void *bytes, const struct footer *footer,
		     unsigned char out[PLAIT__HASH_BYTES])
{
	plait__hash hash;

	plait__hash_init(&hash);
	plait__hash_add(&hash, bytes, footer->code_bytes + footer->key_bytes);
	plait__hash_add(&hash, &footer->code_bytes, sizeof(uint64_t));
	plait__hash_get(&hash, out);
}

/* Return the fault of an entry, or null. */
static const char *find_fault(const char *bytes, uint64_t count,
			      const char *key, uint64_t key_bytes,
			      struct footer *footer)
{
	unsigned char check[PLAIT__HASH_BYTES];
	uint64_t content = count - sizeof(*footer);

	if (count < sizeof(*footer))
		return "is cut short";
	memcpy(footer, bytes + content, sizeof(*footer));
	if (memcmp(footer->magic, magic, sizeof(magic)) != 0 ||
	    footer->code_bytes > content ||
	    footer->key_bytes != content - footer->code_bytes ||
	    footer->code_bytes == 0)
		return "is damaged or cut short";
	checksum(bytes, footer, check);
	if (memcmp(check, footer->check, sizeof(check)) != 0)
		return "is damaged";
	if (footer->key_bytes != key_bytes ||
	    memcmp(bytes + footer->code_bytes, key, key_bytes) != 0)
		return "is for something else";
	return NULL;
}

bool plait__cache_find(const char *path, const char *key, uint64_t key_bytes,
		       const plait_allocator *allocator, const plait__log *log,
		       void **out, uint64_t *out_bytes)
{
	plait_error error = { .size = sizeof(error) };
	struct footer footer;
	const char *fault;
	uint64_t bytes;
	void *block;

	if (!plait__private_dir_is_own_file(path) ||
	    plait__read_whole_file(path, MAX_ENTRY_BYTES, allocator, &block,
				   &bytes, &error) != PLAIT_OK)
		return false;
	fault = find_fault(block, bytes, key, key_bytes, &footer);
	if (fault != NULL)
		plait__log_line(log, PLAIT_LOG_WARNING,
				"cached kernel %s %s; it is built again", path,
				fault);
	if (fault == NULL)
		plait__cache_touch(path);
	if (fault == NULL && out != NULL) {
		/* The block, shrunk to the code. */
		*out = plait__realloc(allocator, block, bytes > 0 ? bytes : 1,
				      footer.code_bytes);
		*out_bytes = footer.code_bytes;
		if (*out != NULL)
			return true;
	}
	plait__free(allocator, block, bytes > 0 ? bytes : 1);
	return fault == NULL && out == NULL;
}

bool plait__cache_store(const char *path, const char *key, uint64_t key_bytes,
			const void *code, uint64_t code_bytes,
			const plait_allocator *allocator,
			const plait__log *log)
{
	struct footer footer = { .code_bytes = code_bytes,
				 .key_bytes = key_bytes };
	uint64_t bytes = code_bytes + key_bytes + sizeof(footer);
	plait_error error = { .size = sizeof(error) };
	char *block = plait__alloc(allocator, bytes);
	plait_status status;

	if (block == NULL)
		return false;
	memcpy(block, code, code_bytes);
	memcpy(block + code_bytes, key, key_bytes);
	memcpy(footer.magic, magic, sizeof(magic));
	checksum(block, &footer, footer.check);
	memcpy(block + code_bytes + key_bytes, &footer, sizeof(footer));
	plait__private_dir_unlink_foreign(path);
	status = plait__write_file_atomically(path, block, bytes, &error);
	plait__free(allocator, block, bytes);
	if (status != PLAIT_OK)
		plait__log_line(log, PLAIT_LOG_WARNING,
				"compiled kernel is not cached: %s",
				error.text);
	else
		plait__cache_evict(path, log);
	return status == PLAIT_OK;
}

void plait__cache_discard(const char *path)
{
	plait__private_dir_unlink(path);
}
