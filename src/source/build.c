/* SPDX-License-Identifier: MIT */
/*
 * Build of host code from source: compose, look up the cache, else compile in a
 * private folder, load, and store in the cache.
 */
#include "source/build.h"

#include "source/build_report.h"
#include "source/cache.h"
#include "source/compiler.h"
#include "source/includes.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sys/atomic.h"
#include "sys/clock.h"
#include "sys/cpu.h"
#include "sys/env.h"
#include "sys/private_dir.h"
#include "sys/read_write_file.h"

#include <stdio.h>
#include <string.h>

enum { CPU_BYTES = 8192, NAME_LENGTH = 40, MAX_OBJECT_BYTES = 1 << 28 };
/* Bound of "/NAME-NUMBER.so", a file in the private folder. */
enum { FILE_BYTES = NAME_LENGTH + 24 };
enum { TRIES = 3 };

struct build {
	const plait__module_text *given;
	const plait_allocator *allocator;
	const plait__log *log;
	plait__compiler compiler;
	plait__cache cache;
	plait__text key;    /* cache key: all that the code depends on, then the
			     * text */
	plait__text *words; /* the caller's: output of the compiler */
	char folder[PATH_MAX - FILE_BYTES];
	char from[PATH_MAX], to[PATH_MAX];
	char entry[PATH_MAX]; /* path in the cache; "" without a cache */
	uint64_t includes; /* where the key names the included files; 0: none */
	bool written;	   /* the text is in the folder */
};

/* Counter that gives each object of this process its own name. */
static at_u32 objects;

/* ---- cache key ---- */

/* The compiler is found. */
static plait_status add_flags(struct build *build, plait_error *error)
{
	static const char common[] = "-x c -std=gnu11 -O3 -fPIC -shared "
		"-fvisibility=hidden -fno-math-errno -fno-trapping-math "
		"-Wl,-z,defs -Werror=implicit-function-declaration "
		"-Werror=implicit-int -Werror=int-conversion "
		"-Werror=incompatible-pointer-types -Werror=vla";
#if defined(__x86_64__) || defined(__i386__)
	static const char native[] = "-march=native";
#else
	static const char native[] = "-mcpu=native";
#endif
	const char *more = plait__env_get("PLAIT_CFLAGS");
	uint32_t flags = build->given->flags;
	plait_status status = plait__compiler_add(&build->compiler, common,
						  error);

	if (status == PLAIT_OK)
		status = plait__compiler_add(&build->compiler, native, error);
	if (status == PLAIT_OK)
		status = plait__compiler_add(
			&build->compiler,
			(flags & PLAIT_SOURCE_STRICT) != 0 ?
				"-ffp-contract=off" :
			(flags & PLAIT_SOURCE_FAST) != 0 ?
				"-ffast-math -ffp-contract=fast" :
				"-ffp-contract=fast", error);
	if (status == PLAIT_OK && build->given->options != NULL)
		status = plait__compiler_add(&build->compiler,
					     build->given->options, error);
	if (status == PLAIT_OK && more != NULL)
		status = plait__compiler_add(&build->compiler, more, error);
	return status;
}

/* ---- private folder ---- */

static const char *temporary_folder(void)
{
	const char *folder = plait__env_get("TMPDIR");

	return folder != NULL && *folder == '/' ? folder : "/tmp";
}

/* Write the text into a private folder, unless that is done. */
static plait_status make_folder(struct build *build, plait_error *error)
{
	const char *name = build->given->name;
	const char *parent = temporary_folder();
	unsigned number = at_add_u32(&objects, 1);
	plait_status status;

	if (build->written)
		return PLAIT_OK;
	if (build->folder[0] != '\0')
		plait__private_dir_remove(build->folder);
	status = plait__private_dir_create_temporary(
		parent, build->folder, sizeof(build->folder), error);
	if (status != PLAIT_OK) {
		plait__error_prefix(error, "TMPDIR, to compile in: ");
		return status;
	}
	(void)snprintf(build->from, sizeof(build->from), "%s/%.*s.c",
		       build->folder, NAME_LENGTH, name);
	(void)snprintf(build->to, sizeof(build->to), "%s/%.*s-%u.so",
		       build->folder, NAME_LENGTH, name, number);
	status = plait__write_file_atomically(build->from, build->given->text,
					      build->given->bytes, error);
	build->written = status == PLAIT_OK;
	return status;
}

/* ---- included files ---- */

/* Add what the text includes to the key; false if that cannot be known. */
static bool add_includes(struct build *build, plait_error *error)
{
	if (build->cache.folder[0] == '\0' ||
	    !plait__includes_possible(&build->compiler, build->given->text,
				      build->given->bytes))
		return true;
	if (make_folder(build, error) != PLAIT_OK)
		return false;
	build->includes = build->key.length;
	return plait__includes_add(&build->compiler, build->from,
				   build->folder, &build->key);
}

/* Returns true if the included files are those of the key: the compiler read
 * them later. */
static bool are_includes_same(const struct build *build)
{
	plait__text now;
	bool same;

	if (build->includes == 0)
		return true;
	plait__text_init(&now, build->allocator);
	same = plait__includes_add(&build->compiler, build->from,
				   build->folder, &now) && !now.failed &&
	       now.length <= build->key.length - build->includes &&
	       memcmp(now.bytes, build->key.bytes + build->includes,
		      now.length) == 0;
	plait__text_fini(&now);
	return same;
}

static plait_status make_key(struct build *build, plait_error *error)
{
	plait_error ignored = { .size = sizeof(ignored) };
	char cpu[CPU_BYTES];
	bool known;

	plait__cpu_kind("", cpu, sizeof(cpu));
	plait__text_add(&build->key, "plait %s host\n", plait_version());
	plait__compiler_describe(&build->compiler, &build->key);
	plait__text_add(&build->key, "%s\n", cpu);
	plait__cache_open(&build->cache, build->log);
	known = add_includes(build, &ignored);
	plait__text_add_bytes(&build->key, build->given->text,
			      build->given->bytes);
	if (build->key.failed)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the source of %.60s",
				   build->given->name);
	if (!known ||
	    !plait__cache_path(&build->cache, build->given->name, ".so",
			       build->key.bytes, build->key.length,
			       build->entry, sizeof(build->entry)))
		build->entry[0] = '\0';
	return PLAIT_OK;
}

/* ---- compiling ---- */

static plait_status compile(struct build *build, plait_error *error)
{
	plait_status status = make_folder(build, error);
	uint64_t begun = plait__clock_now_ns();

	if (status != PLAIT_OK)
		return status;
	status = plait__compiler_run(&build->compiler, build->from, build->to,
				     build->folder, build->words, error);
	plait__report_dump(build->given, &build->key, build->words, build->log);
	plait__log_line(build->log, PLAIT_LOG_DEBUG,
			"kernel %.60s: %.80s %s it in %llu ms; %s",
			build->given->name, build->compiler.words[0],
			status == PLAIT_OK ? "compiled" : "refused",
			(unsigned long long)((plait__clock_now_ns() - begun) /
					     1000000),
			build->entry[0] != '\0' ? "not in the cache before" :
			"not cached");
	return status;
}

/* Store the object in the cache, if there is one.  compile has written the
 * object. */
static bool store_object(const struct build *build)
{
	plait_error error = { .size = sizeof(error) };
	uint64_t bytes;
	void *object;
	bool stored;

	if (build->entry[0] == '\0' || !are_includes_same(build) ||
	    plait__read_whole_file(build->to, MAX_OBJECT_BYTES,
				   build->allocator, &object, &bytes,
				   &error) != PLAIT_OK)
		return false;
	stored = plait__cache_store(build->entry, build->key.bytes,
				    build->key.length, object, bytes,
				    build->allocator, build->log);
	plait__free(build->allocator, object, bytes > 0 ? bytes : 1);
	return stored;
}

/* Load the object from the cache folder: a file system for temporary files may
 * forbid execution. */
static plait_status load_stored(struct build *build, plait__module **out)
{
	plait_error ignored = { .size = sizeof(ignored) };

	/* Another process may evict the entry. */
	for (int i = 0; i < TRIES; i++) {
		if (!store_object(build))
			return PLAIT_E_UNAVAILABLE;
		if (plait__module_load(build->entry, build->allocator, out,
				       &ignored) == PLAIT_OK)
			return PLAIT_OK;
	}
	plait__cache_discard(build->entry);
	return PLAIT_E_UNAVAILABLE;
}

static plait_status compile_and_load(struct build *build, plait__module **out,
				     plait_error *error)
{
	plait_error own = { .size = sizeof(own) };
	plait_status status = compile(build, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__module_load(build->to, build->allocator, out, &own);
	if (status == PLAIT_OK)
		(void)store_object(build);
	else if (status == PLAIT_E_UNAVAILABLE)
		status = load_stored(build, out);
	if (status != PLAIT_OK)
		plait__error_copy(error, &own);
	return status;
}

/* ---- the whole build ---- */

static bool find_cached(struct build *build, plait__module **out)
{
	plait_error ignored = { .size = sizeof(ignored) };
	plait__text words;

	if (build->entry[0] == '\0' ||
	    !plait__cache_find(build->entry, build->key.bytes,
			       build->key.length, build->allocator, build->log,
			       NULL, NULL) ||
	    plait__module_load(build->entry, build->allocator, out,
			       &ignored) != PLAIT_OK)
		return false;
	plait__text_init(&words, build->allocator);
	plait__text_add(&words, "taken from the cache: %s\n", build->entry);
	plait__log_line(build->log, PLAIT_LOG_DEBUG,
			"kernel %.60s: taken from the cache, %s",
			build->given->name, build->entry);
	plait__report_dump(build->given, &build->key, &words, build->log);
	plait__text_fini(&words);
	return true;
}

static plait_status build_or_find(struct build *build, plait__module **out,
				  plait_error *error)
{
	plait_status status = plait__compiler_find(&build->compiler, error);

	if (status == PLAIT_OK)
		status = add_flags(build, error);
	if (status == PLAIT_OK)
		status = make_key(build, error);
	if (status != PLAIT_OK)
		return status;
	if (find_cached(build, out))
		return PLAIT_OK;
	return compile_and_load(build, out, error);
}

plait_status plait__build_from_text(const plait__module_text *text,
				    const plait_allocator *allocator,
				    const plait__log *log, plait__text *words,
				    plait__module **out, plait_error *error)
{
	struct build *build = plait__alloc(allocator, sizeof(*build));
	plait_status status;

	*out = NULL;
	if (build == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory to build kernel %.60s",
				   text->name);
	build->given = text;
	build->allocator = allocator;
	build->log = log;
	build->words = words;
	plait__text_init(&build->key, allocator);
	status = build_or_find(build, out, error);
	if (build->folder[0] != '\0')
		plait__private_dir_remove(build->folder);
	plait__text_fini(&build->key);
	plait__free(allocator, build, sizeof(*build));
	return status;
}

static plait_status compose_and_make(const plait_source *source,
				     const plait__signature *signature,
				     const plait__log *log, plait__text *text,
				     plait__text *words, plait__module **out,
				     plait_error *error)
{
	plait_error own = { .size = sizeof(own) };
	plait__module_text given = { .name = signature->name,
				     .flags = source->flags,
				     .options = source->options };
	plait_status status = plait__compose_source(source, signature,
						    PLAIT_SOURCE_C, text,
						    error);

	if (status != PLAIT_OK)
		return status;
	given.text = text->bytes;
	given.bytes = text->length;
	status = plait__build_from_text(&given, text->allocator, log, words,
					out, &own);
	if (status == PLAIT_OK)
		return PLAIT_OK;
	return plait__report_failure(source, signature->name, &own, words,
				     error);
}

plait_status plait__build_from_source(const plait_source *source,
				      const plait__signature *signature,
				      const plait_allocator *allocator,
				      const plait__log *log, plait__text *words,
				      plait__module **out, plait_error *error)
{
	plait__text text;
	plait_status status;

	*out = NULL;
	plait__text_init(&text, allocator);
	status = compose_and_make(source, signature, log, &text, words, out,
				  error);
	plait__text_fini(&text);
	if (status == PLAIT_OK)
		plait__report_warning(signature->name, "the host", words, log);
	return status;
}
