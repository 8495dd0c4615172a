/* SPDX-License-Identifier: MIT */
/* C compiler of the system: search and execution; see compiler.h. */
#include "source/compiler.h"

#include "base/error.h"
#include "sys/env.h"
#include "sys/file.h"
#include "sys/spawn.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum {
	MAX_SECONDS = 120,
	MAX_OUTPUT_BYTES = 1 << 20,
	VARIABLE_BYTES = PATH_MAX + 32,
	VARIABLES = 8
};

static const char default_path[] = "/usr/local/bin:/usr/bin:/bin";

/* ---- search ---- */

static bool can_run(const char *path)
{
	struct plait__file_info info;

	return plait__file_query(path, &info) == 0 &&
	       info.kind == PLAIT__FILE_REGULAR && (info.mode & 0111) != 0;
}

/* Return PATH.  Its relative folders are not searched: they depend on the
 * current folder, which may be under foreign control. */
static const char *search_path(void)
{
	const char *path = plait__env_get("PATH");

	return path != NULL && *path != '\0' ? path : default_path;
}

static bool find_in_path(const char *name, char *out, size_t out_bytes)
{
	const char *at = search_path();

	while (*at != '\0') {
		size_t length = strcspn(at, ":");
		int written = snprintf(out, out_bytes, "%.*s/%s", (int)length,
				       at, name);

		if (*at == '/' && written > 0 && (size_t)written < out_bytes &&
		    can_run(out))
			return true;
		at += length + (at[length] == ':');
	}
	return false;
}

static plait_status find_default(plait__compiler *out, plait_error *error)
{
	static const char *const names[] = { "cc", "gcc", "clang" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (find_in_path(names[i], out->path, sizeof(out->path)))
			return plait__compiler_add(out, names[i], error);
	return plait__fail(error, PLAIT_E_UNAVAILABLE,
			   "no C compiler: no cc, gcc or clang in %.110s; "
			   "install one or set PLAIT_CC", search_path());
}

static plait_status find_named(plait__compiler *out, const char *words,
			       plait_error *error)
{
	plait_status status = plait__compiler_add(out, words, error);
	const char *name;

	if (status != PLAIT_OK)
		return status;
	if (out->count == 0)
		return find_default(out, error);
	name = out->words[0];
	if (strchr(name, '/') == NULL) {
		if (find_in_path(name, out->path, sizeof(out->path)))
			return PLAIT_OK;
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "PLAIT_CC: no %.60s in %.110s", name,
				   search_path());
	}
	if (*name != '/')
		return plait__fail(error, PLAIT_E_INVALID,
				   "PLAIT_CC: '%.120s' is neither a name nor "
				   "an absolute path", name);
	if (!can_run(name))
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "PLAIT_CC: %.140s is not an executable "
				   "file", name);
	(void)snprintf(out->path, sizeof(out->path), "%s", name);
	return PLAIT_OK;
}

plait_status plait__compiler_find(plait__compiler *out, plait_error *error)
{
	const char *words = plait__env_get("PLAIT_CC");

	memset(out, 0, sizeof(*out));
	return words != NULL ? find_named(out, words, error) :
			       find_default(out, error);
}

plait_status plait__compiler_add(plait__compiler *compiler, const char *words,
				 plait_error *error)
{
	for (;;) {
		size_t length;
		char *to = compiler->line + compiler->used;

		words += strspn(words, " \t");
		length = strcspn(words, " \t");
		if (length == 0)
			return PLAIT_OK;
		if (compiler->used + length + 1 > sizeof(compiler->line) ||
		    compiler->count + 8 > PLAIT__COMPILER_WORDS)
			return plait__fail(error, PLAIT_E_INVALID,
					   "too many words for the C "
					   "compiler, at '%.60s'", words);
		memcpy(to, words, length);
		to[length] = '\0';
		compiler->words[compiler->count++] = to;
		compiler->used += length + 1;
		words += length;
	}
}

static void describe_program(const char *path, plait__text *out)
{
	struct plait__file_info info = { 0 };
	char real[PATH_MAX];

	if (plait__file_resolve(path, real, sizeof(real)) != 0)
		(void)snprintf(real, sizeof(real), "%s", path);
	(void)plait__file_query(path, &info);
	plait__text_add(out, "compiler %s %llu %llu\n", real,
			(unsigned long long)info.bytes,
			(unsigned long long)info.modified_ns);
}

/* Describe a file that a word names, alone or behind "=": an object, a script
 * of the linker, a profile. */
static void describe_file(const char *word, plait__text *out)
{
	const char *equals = strchr(word, '=');
	struct plait__file_info info;

	if (equals != NULL)
		word = equals + 1;
	if (*word != '-' && plait__file_query(word, &info) == 0 &&
	    info.kind == PLAIT__FILE_REGULAR)
		plait__text_add(out, "file %s %llu %llu\n", word,
				(unsigned long long)info.bytes,
				(unsigned long long)info.modified_ns);
}

/* Describe programs among the words too, which a wrapper starts: "ccache
 * gcc". */
void plait__compiler_describe(const plait__compiler *compiler,
			      plait__text *out)
{
	char path[PATH_MAX];

	describe_program(compiler->path, out);
	for (uint32_t i = 1; i < compiler->count; i++) {
		const char *word = compiler->words[i];

		if (*word == '/' && can_run(word))
			describe_program(word, out);
		else if (*word != '-' && strchr(word, '/') == NULL &&
			 find_in_path(word, path, sizeof(path)))
			describe_program(path, out);
		else
			describe_file(word, out);
	}
	plait__text_add(out, "words");
	for (uint32_t i = 0; i < compiler->count; i++)
		plait__text_add(out, " %s", compiler->words[i]);
	plait__text_add(out, "\n");
}

/* ---- execution ---- */

/* Environment of the compiler, as NAME=value: variables that it needs to find
 * its parts, and LC_ALL and TMPDIR, set here; none that changes its output. A
 * value that does not fit is left out. `list` points into `bytes`. */
struct environment {
	char bytes[VARIABLES][VARIABLE_BYTES];
	const char *list[VARIABLES + 1];
};

/* The list has room for the names of set_environment. */
static void set_variable(struct environment *out, uint32_t *count,
			 const char *name, const char *value)
{
	char *bytes = out->bytes[*count];
	int length;

	if (value == NULL)
		return;
	length = snprintf(bytes, VARIABLE_BYTES, "%s=%s", name, value);
	if (length > 0 && length < VARIABLE_BYTES)
		out->list[(*count)++] = bytes;
}

static void set_environment(struct environment *out, const char *folder)
{
	static const char *const kept[] = { "HOME", "USER", "LD_LIBRARY_PATH" };
	uint32_t count = 0;

	set_variable(out, &count, "PATH", search_path());
	set_variable(out, &count, "LC_ALL", "C");
	set_variable(out, &count, "TMPDIR", folder);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		set_variable(out, &count, kept[i], plait__env_get(kept[i]));
	out->list[count] = NULL;
}

/* Return PLAIT_CC_SECONDS, for slow machines and tests. */
static uint64_t seconds_allowed(void)
{
	uint64_t seconds = MAX_SECONDS;

	(void)plait__env_query_number(PLAIT__ENV_CC_SECONDS, &seconds);
	return seconds;
}

/* The program was started. */
static plait_status check_result(const plait__compiler *compiler,
				 const struct plait__spawn_result *result,
				 const char *to, plait_error *error)
{
	const char *name = compiler->words[0];
	struct plait__file_info made;

	switch (result->end) {
	case PLAIT__SPAWN_KILLED:
		return plait__fail_origin(error, PLAIT_E_UNAVAILABLE,
					  result->code,
					  "%.100s crashed with signal %d",
					  name, result->code);
	case PLAIT__SPAWN_TIMED_OUT:
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "%.100s was stopped after %llu seconds "
				   "(PLAIT_CC_SECONDS)", name,
				   (unsigned long long)seconds_allowed());
	case PLAIT__SPAWN_OUTPUT_LIMIT:
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "%.100s was stopped when it had printed "
				   "more than %d bytes",
				   name, MAX_OUTPUT_BYTES);
	case PLAIT__SPAWN_UNKNOWN:
		/* The host program took the status: the output decides. */
		if (plait__file_query(to, &made) == 0)
			return PLAIT_OK;
		return plait__fail(error, PLAIT_E_INVALID,
				   "%.100s wrote no output file", name);
	default:
		break;
	}
	if (result->code == 126 || result->code == 127)
		return plait__fail_origin(error, PLAIT_E_UNAVAILABLE,
					  result->code,
					  "%.100s could not be run (status %d)",
					  name, result->code);
	if (result->code != 0)
		return plait__fail_origin(error, PLAIT_E_INVALID,
					  result->code,
					  "%.100s ended with status %d", name,
					  result->code);
	return PLAIT_OK;
}

/* Run with `last`, a null behind it, as the last words; `to` is the output.
 * plait__compiler_add leaves room for 7 such words. */
static plait_status run_with(const plait__compiler *compiler,
			     const char *const *last, const char *to,
			     const char *folder, plait__text *log,
			     plait_error *error)
{
	const char *words[PLAIT__COMPILER_WORDS + 1];
	struct plait__spawn_result result;
	struct environment environment;
	struct plait__spawn spawn = {
		.path = compiler->path,
		.arguments = words,
		.environment = environment.list,
		.timeout_ns = seconds_allowed() * 1000000000,
		.max_output_bytes = MAX_OUTPUT_BYTES,
	};
	uint32_t count = compiler->count;
	char reason[96];
	int number;

	memcpy(words, compiler->words, count * sizeof(words[0]));
	while (*last != NULL)
		words[count++] = *last++;
	words[count] = NULL;
	for (uint32_t i = 0; i < count; i++)
		plait__text_add(log, "%s%s", words[i],
				i + 1 < count ? " " : "\n");
	set_environment(&environment, folder);
	number = plait__spawn_run(&spawn, log, &result);
	if (number != 0)
		return plait__fail_origin(error, PLAIT_E_UNAVAILABLE, -number,
					  "%.120s could not be started: %s",
					  compiler->path,
					  plait__file_reason(number, reason,
							     sizeof(reason)));
	return check_result(compiler, &result, to, error);
}

plait_status plait__compiler_run(const plait__compiler *compiler,
				 const char *from, const char *to,
				 const char *folder, plait__text *log,
				 plait_error *error)
{
	const char *const last[] = { "-o", to, from, "-lm", NULL };

	return run_with(compiler, last, to, folder, log, error);
}

plait_status plait__compiler_preprocess(const plait__compiler *compiler,
					const char *from, const char *to,
					const char *folder, plait__text *log,
					plait_error *error)
{
	const char *const last[] = { "-E", "-o", to, from, NULL };

	return run_with(compiler, last, to, folder, log, error);
}
