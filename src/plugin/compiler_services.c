/* SPDX-License-Identifier: MIT */
/*
 * Host services for compilers of backends; see compiler_services.h. The key of
 * a cache entry is the backend's key behind a line of the core's, so that
 * backends do not share entries.
 */
#include "plugin/compiler_services.h"

#include "plugin/services.h"

#include "base/error.h"
#include "base/text.h"
#include "source/cache.h"
#include "source/build.h"
#include "source/build_report.h"

#include <limits.h>
#include <string.h>

void plait__compiler_services_log(plait_host *host, plait_build_log *log,
				  const char *text, uint64_t bytes)
{
	(void)host;
	if (log != NULL && text != NULL)
		plait__text_add_bytes(&log->words, text, strnlen(text, bytes));
}

/* ---- the cache ---- */

struct entry {
	plait__text key;
	char path[PATH_MAX];
};

/* A plugin's name for its kernel is never used as a path. */
static void clean_name(const char *name, char out[NAME_MAX])
{
	size_t i;

	for (i = 0; name != NULL && name[i] != '\0' && i < NAME_MAX - 1; i++)
		out[i] = (name[i] >= 'a' && name[i] <= 'z') ||
			 (name[i] >= 'A' && name[i] <= 'Z') ||
			 (name[i] >= '0' && name[i] <= '9') ? name[i] : '_';
	out[i] = '\0';
}

/* Returns false without a cache, or without memory for the key. */
static bool open_entry(struct entry *entry, plait_host *host, const char *name,
		       const void *key, uint64_t key_bytes)
{
	char clean[NAME_MAX];
	plait__cache cache;

	clean_name(name, clean);
	plait__text_init(&entry->key, host->allocator);
	plait__text_add(&entry->key, "plait %s backend %s\n", plait_version(),
			host->name);
	plait__text_add_bytes(&entry->key, key, key_bytes);
	plait__cache_open(&cache, host->log);
	return !entry->key.failed &&
	       plait__cache_path(&cache, clean, ".bin", entry->key.bytes,
				 entry->key.length, entry->path,
				 sizeof(entry->path));
}

plait_status plait__compiler_services_get(plait_host *host, const char *name,
					  const void *key, uint64_t key_bytes,
					  void **out, uint64_t *out_bytes,
					  plait_error *error)
{
	struct entry entry;
	bool found;

	*out = NULL;
	*out_bytes = 0;
	found = open_entry(&entry, host, name, key, key_bytes);
	if (found)
		found = plait__cache_find(entry.path, entry.key.bytes,
					  entry.key.length, host->allocator,
					  host->log, out, out_bytes);
	if (found)
		at_add_u64(&host->live_bytes, *out_bytes);
	if (found)
		plait__log_line(host->log, PLAIT_LOG_DEBUG,
				"kernel %.60s for %s: taken from the cache, %s",
				name, host->name, entry.path);
	if (entry.key.failed)
		(void)plait__fail(error, PLAIT_E_NOMEM,
				  "no memory to search the cache");
	plait__text_fini(&entry.key);
	return found ? PLAIT_OK : PLAIT_PENDING;
}

void plait__compiler_services_put(plait_host *host, const char *name,
				  const void *key, uint64_t key_bytes,
				  const void *code, uint64_t code_bytes)
{
	struct entry entry;

	if (code_bytes == 0)
		return;
	if (open_entry(&entry, host, name, key, key_bytes))
		(void)plait__cache_store(entry.path, entry.key.bytes,
					 entry.key.length, code, code_bytes,
					 host->allocator, host->log);
	plait__text_fini(&entry.key);
}

/* ---- host code ---- */

plait_status plait__compiler_services_build(plait_host *host,
					    const plait_code *code,
					    plait_host_code **out,
					    uint64_t out_group[3],
					    plait_error *error)
{
	plait__module_text text = {
		.name = code->name, .text = code->code, .bytes = code->bytes,
		.flags = code->flags & ~(uint32_t)PLAIT_CODE_PORTABLE,
		.options = code->options,
	};
	plait__module *module = NULL;
	plait__text discarded;
	plait_status status;

	*out = NULL;
	if (code->form != PLAIT_SOURCE_C)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "%s: the host runs C, not form %u",
				   host->name, code->form);
	plait__text_init(&discarded, host->allocator);
	status = plait__build_from_text(&text, host->allocator, host->log,
					code->log != NULL ? &code->log->words :
							&discarded,
					&module, error);
	plait__text_fini(&discarded);
	for (int i = 0; status == PLAIT_OK && i < 3; i++)
		out_group[i] = module->division == PLAIT__MODULE_GROUPS ?
			       module->group[i] : 0;
	*out = (plait_host_code *)(void *)module;
	return status;
}

void plait__compiler_services_destroy(plait_host *host, plait_host_code *code)
{
	(void)host;
	plait__module_destroy((plait__module *)(void *)code);
}

void plait__compiler_services_run(plait_host *host, const plait_host_code *code,
				  const plait_host_part *part,
				  void *const *arguments)
{
	union {
		const plait_host_code *code;
		plait__module *module;
	} view = { .code = code };
	plait_launch launch = { .size = sizeof(launch), .dimensions = 3 };
	plait_range range = { .size = sizeof(range), .dimensions = 3 };

	(void)host;
	memcpy(launch.items, part->items, sizeof(launch.items));
	memcpy(range.begin, part->begin, sizeof(range.begin));
	memcpy(range.end, part->end, sizeof(range.end));
	if (view.module->division != PLAIT__MODULE_WHOLE)
		(void)plait__module_range(&range, arguments, &launch,
					  view.module);
	else if ((part->begin[0] | part->begin[1] | part->begin[2]) == 0)
		(void)plait__module_whole(arguments, &launch, view.module);
}
