/* SPDX-License-Identifier: MIT */
/* Reports of builds: errors with log and numbered text, and PLAIT_DUMP. */
#include "source/build_report.h"

#include "source/texts_before.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/hash.h"
#include "sys/env.h"
#include "sys/error_detail.h"
#include "sys/read_write_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { NAME_LENGTH = 40 };

/* Find the first line of the log with `what`, without its line end, or null. */
static const char *first_line(const char *log, const char *what, size_t *length)
{
	const char *found = strstr(log, what);

	if (found == NULL)
		return NULL;
	while (found > log && found[-1] != '\n')
		found--;
	*length = strcspn(found, "\r\n");
	return found;
}

static const char *first_error(const char *log, size_t *length)
{
	const char *found = first_line(log, "undefined reference", length);

	return found != NULL ? found : first_line(log, "error: ", length);
}

void plait__report_warning(const char *name, const char *device,
			   const plait__text *words, const plait__log *log)
{
	size_t length = 0;
	const char *line = first_line(plait__text_get(words), "warning: ",
				      &length);

	if (line != NULL)
		plait__log_line(log, PLAIT_LOG_INFO, "kernel %.60s for %s: "
				"%.*s", name, device,
				(int)(length < 200 ? length : 200), line);
}

/* Return the end of a comment or quoted text that begins here; else `at`.  `at`
 * is before `end`. */
static const char *skip_text(const char *at, const char *end)
{
	bool comment = end - at > 1 && at[0] == '/' &&
		       (at[1] == '*' || at[1] == '/');
	char quote = *at;

	if (comment && at[1] == '/') {
		at = memchr(at, '\n', (size_t)(end - at));
		return at != NULL ? at : end;
	}
	if (comment) {
		at = memmem(at + 2, (size_t)(end - at - 2), "*/", 2);
		return at != NULL ? at + 2 : end;
	}
	if (quote != '"' && quote != '\'')
		return at;
	for (at++; at < end && *at != quote && *at != '\n'; at++)
		at += *at == '\\';
	return at < end ? at + 1 : end;
}

static unsigned line_of(const plait_source *source, const char *at)
{
	unsigned line = 1;

	for (const char *c = source->code; c < at; c++)
		line += *c == '\n';
	return line;
}

/* Return the outermost '{' without a '}', or null. */
static const char *find_open_brace(const plait_source *source)
{
	const char *at = source->code, *end = at + source->bytes;
	const char *open = NULL;
	unsigned depth = 0;

	while (at < end) {
		const char *behind = skip_text(at, end);

		if (behind == at) {
			if (*at == '{' && depth++ == 0)
				open = at;
			else if (*at == '}' && depth > 0)
				depth--;
			behind++;
		}
		at = behind;
	}
	return depth > 0 ? open : NULL;
}

/*
 * Return a better error for a missing brace: the compiler finds it in the text
 * after the user's, in a line that the user does not have.
 */
static const char *outside_text(const plait_source *source, const char *line,
				plait__text *out)
{
	const char *brace = strncmp(line, "plait:", 6) == 0 &&
			    plait__compose_form_is_text(source->form) ?
			    find_open_brace(source) : NULL;

	if (brace == NULL)
		return NULL;
	plait__text_add(out, "%.60s:%u: error: no '}' for the '{' of this "
			"line", source->file, line_of(source, brace));
	return out->failed ? NULL : plait__text_get(out);
}

static void add_numbered(plait__text *out, const char *file, const char *at,
			 uint64_t bytes)
{
	const char *end = at + bytes;

	plait__text_add(out, "\n%s:\n", file);

	for (unsigned line = 1; at < end; line++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		size_t length = (size_t)((stop != NULL ? stop : end) - at);

		plait__text_add(out, "%5u | ", line);
		plait__text_add_bytes(out, at, length);
		plait__text_add(out, "\n");
		at += length + 1;
	}
}

static void attach(const plait_source *source, const plait__text *log,
		   plait_error *error)
{
	plait__text detail;

	plait__text_init(&detail, plait__alloc_default());
	plait__text_add_bytes(&detail, plait__text_get(log), log->length);
	for (uint64_t i = 0; i < source->before_count; i++) {
		char name[PLAIT__TEXTS_NAME_BYTES];
		uint64_t bytes;
		const plait_source *text =
			plait__texts_before_at(source, i, name, &bytes);

		add_numbered(&detail, name, text->code, bytes);
	}
	if (plait__compose_form_is_text(source->form))
		add_numbered(&detail, source->file, source->code,
			     source->bytes);
	else
		plait__text_add(&detail, "\n%s:\n", source->file);
	if (!detail.failed)
		plait__detail_attach(error, plait__text_get(&detail));
	plait__text_fini(&detail);
}

plait_status plait__report_failure(const plait_source *source,
				   const char *name, const plait_error *why,
				   const plait__text *log, plait_error *error)
{
	size_t length = 0;
	const char *line = why->status == PLAIT_E_INVALID ?
			   first_error(plait__text_get(log), &length) : NULL;
	const char *better;
	plait__text own;

	plait__text_init(&own, plait__alloc_default());
	better = line != NULL ? outside_text(source, line, &own) : NULL;
	if (better != NULL)
		(void)plait__fail_origin(error, why->status, why->origin,
					 "kernel %.60s: %s", name, better);
	else if (line != NULL)
		(void)plait__fail_origin(error, why->status, why->origin,
					 "kernel %.60s: %.*s", name,
					 (int)(length < 140 ? length : 140),
					 line);
	else
		(void)plait__fail_origin(error, why->status, why->origin,
					 "kernel %.60s: %s", name, why->text);
	plait__text_fini(&own);
	if (log->length > 0 && why->status != PLAIT_E_NOMEM)
		attach(source, log, error);
	return why->status;
}

static void dump(const char *path, const char *bytes, uint64_t count,
		 const plait__log *log)
{
	plait_error error = { .size = sizeof(error) };

	if (plait__write_file_atomically(path, bytes, count, &error) !=
	    PLAIT_OK)
		plait__log_line(log, PLAIT_LOG_WARNING, "PLAIT_DUMP: %s",
				error.text);
}

/* Write NAME-HASH.EXTENSION and .log, with the hash of `key`. */
static void dump_both(const plait__module_text *text, const char *extension,
		      const void *key, uint64_t key_bytes,
		      const plait__text *words, const plait__log *log)
{
	const char *folder = plait__env_get("PLAIT_DUMP");
	char path[PATH_MAX], digits[PLAIT__HASH_TEXT_BYTES];
	plait__hash hash;

	if (folder == NULL || *folder == '\0')
		return;
	plait__hash_init(&hash);
	plait__hash_add(&hash, key, key_bytes);
	plait__hash_text(&hash, digits);
	(void)snprintf(path, sizeof(path), "%s/%.*s-%.12s.%s", folder,
		       NAME_LENGTH, text->name, digits, extension);
	dump(path, text->text, text->bytes, log);
	(void)snprintf(path, sizeof(path), "%s/%.*s-%.12s.log", folder,
		       NAME_LENGTH, text->name, digits);
	dump(path, plait__text_get(words), words->length, log);
}

void plait__report_dump(const plait__module_text *text, const plait__text *key,
			const plait__text *words, const plait__log *log)
{
	dump_both(text, "c", key->bytes, key->length, words, log);
}

void plait__report_dump_code(const plait_code *code, const plait__log *log)
{
	const plait__module_text text = { .name = code->name,
					  .text = code->code,
					  .bytes = code->bytes };
	const char *extension = code->form == PLAIT_SOURCE_OPENCL_C ? "cl" :
				code->form == PLAIT_SOURCE_CUDA_C ? "cu" :
				code->form == PLAIT_SOURCE_PTX ? "ptx" : NULL;

	if (extension != NULL)
		dump_both(&text, extension, code->code, code->bytes,
			  &code->log->words, log);
}
