/* SPDX-License-Identifier: MIT */
/*
 * Identity of included files; see includes.h.  The preprocessed text stands for
 * everything that the preprocessor did: nested, computed and conditional
 * includes, and files that appear in front of others.  The prelude includes
 * system headers only, which belong to the compiler's identity.
 */
#include "source/includes.h"

#include "source/compose.h"
#include "base/alloc.h"
#include "base/hash.h"
#include "sys/read_write_file.h"

#include <stdio.h>
#include <string.h>

enum { MAX_TEXT_BYTES = 1 << 28 };

/* ---- detection ---- */

/* Return the bytes of a line splice at `at`, 0 for none.  `at` is before
 * `end`. */
static size_t splice_at(const char *at, const char *end)
{
	const char *next = at + 1;

	if (*at != '\\')
		return 0;
	while (next < end && (*next == ' ' || *next == '\t' || *next == '\r'))
		next++;
	return next < end && *next == '\n' ? (size_t)(next + 1 - at) : 0;
}

/* Returns true if the word is at this place, perhaps over several lines. */
static bool is_word(const char *at, const char *end, const char *word)
{
	for (; *word != '\0'; word++, at++) {
		size_t splice;

		while (at < end && (splice = splice_at(at, end)) > 0)
			at += splice;
		if (at >= end || *at != *word)
			return false;
	}
	return true;
}

static bool has_any(const char *text, uint64_t bytes,
		    const char *const words[])
{
	const char *end = text + bytes;

	for (const char *at = text; at < end; at++)
		for (const char *const *word = words; *word != NULL; word++)
			if (*at == **word && is_word(at, end, *word))
				return true;
	return false;
}

/* Return where the text begins behind the prelude of portable source. */
static const char *behind_prelude(const char *text, uint64_t bytes)
{
	uint64_t length = strlen(plait__prelude_host);
	const char *line = memchr(text, '\n', bytes);

	if (line == NULL || bytes - (uint64_t)(line + 1 - text) < length ||
	    memcmp(line + 1, plait__prelude_host, length) != 0)
		return text;
	return line + 1 + length;
}

bool plait__includes_possible(const plait__compiler *compiler,
			      const char *text, uint64_t bytes)
{
	/* "??" may begin a trigraph, which hides any character. */
	static const char *const words[] = { "include", "import", "embed",
					     "incbin", "??", NULL };
	const char *begin = behind_prelude(text, bytes);

	for (uint32_t i = 1; i < compiler->count; i++)
		if (strstr(compiler->words[i], "-include") != NULL ||
		    strstr(compiler->words[i], "-imacros") != NULL ||
		    compiler->words[i][0] == '@')
			return true;
	return has_any(begin, bytes - (uint64_t)(begin - text), words);
}

/* ---- identity ---- */

/* Hash the text without the name of the temporary folder, which is another one
 * each time.  `folder` is not empty: make_folder in build.c has made it. */
static void hash_without(plait__hash *hash, const char *text, uint64_t bytes,
			 const char *folder)
{
	uint64_t length = strlen(folder);
	const char *end = text + bytes, *at;

	while ((at = memmem(text, (size_t)(end - text), folder, length)) !=
	       NULL) {
		plait__hash_add(hash, text, (uint64_t)(at - text));
		text = at + length;
	}
	plait__hash_add(hash, text, (uint64_t)(end - text));
}

static bool has_response_file(const plait__compiler *compiler)
{
	for (uint32_t i = 1; i < compiler->count; i++)
		if (compiler->words[i][0] == '@')
			return true;
	return false;
}

bool plait__includes_add(const plait__compiler *compiler, const char *from,
			 const char *folder, plait__text *key)
{
	static const char *const assembler[] = { "incbin", NULL };
	plait_error error = { .size = sizeof(error) };
	char to[PATH_MAX], digits[PLAIT__HASH_TEXT_BYTES];
	plait__text log;
	plait__hash hash;
	uint64_t bytes = 0;
	void *text = NULL;
	bool known;

	plait__text_init(&log, key->allocator);
	known = !has_response_file(compiler) &&
		(size_t)snprintf(to, sizeof(to), "%s/included.i", folder) <
			sizeof(to) &&
		plait__compiler_preprocess(compiler, from, to, folder, &log,
					   &error) == PLAIT_OK &&
		plait__read_whole_file(to, MAX_TEXT_BYTES, key->allocator,
				       &text, &bytes, &error) == PLAIT_OK;
	plait__text_fini(&log);
	if (!known)
		return false;
	known = !has_any(text, bytes, assembler);
	plait__hash_init(&hash);
	hash_without(&hash, text, bytes, folder);
	plait__hash_text(&hash, digits);
	plait__text_add(key, "includes %s\n", digits);
	plait__free(key->allocator, text, bytes > 0 ? bytes : 1);
	return known;
}
