/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for NVRTC: preprocessed CUDA C++ becomes C++.  Four words are
 * left that no macro can stand for: __global__ makes an entry of a function,
 * __launch_bounds__ says how large its blocks may be, __shared__ is a
 * variable of the block, and asm may read the device's timer.  Lines stay where
 * they are.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rewrite.h"

void text_add(struct text *text, const char *bytes, size_t count)
{
	if (text->count + count + 1 > text->room) {
		text->room = text->room * 2 + count + 256;
		text->at = realloc(text->at, text->room);
		if (text->at == NULL)
			abort();
	}
	memcpy(text->at + text->count, bytes, count);
	text->count += count;
	text->at[text->count] = '\0';
}

void text_print(struct text *text, const char *format, ...)
{
	char *line = NULL;
	va_list args;
	int count;

	va_start(args, format);
	count = vasprintf(&line, format, args);
	va_end(args);
	if (count < 0)
		abort();
	text_add(text, line, (size_t)count);
	free(line);
}

/* --- words ---------------------------------------------------------------- */

static bool is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

static size_t word_length(const char *at)
{
	size_t length = 0;

	while (is_letter(at[length]))
		length++;
	return length;
}

static bool is_word(const char *at, size_t length, const char *word)
{
	return length == strlen(word) && memcmp(at, word, length) == 0;
}

static const char *skip_blank(const char *at)
{
	while (isspace((unsigned char)*at))
		at++;
	return at;
}

/* Behind the bracket that closes the one at `at`. */
static const char *skip_brackets(const char *at)
{
	int depth = 0;

	do {
		depth += *at == '(';
		depth -= *at == ')';
		at += *at != '\0';
	} while (depth != 0 && *at != '\0');
	return at;
}

static const char *skip_quoted(const char *at)
{
	char quote = *at++;

	while (*at != '\0' && *at != quote)
		at += *at == '\\' && at[1] != '\0' ? 2 : 1;
	return *at != '\0' ? at + 1 : at;
}

/* --- kernels -------------------------------------------------------------- */

/* Only names of C are found by name; the mangled names of C++ are not. */
static bool is_named_in_c(const struct text *before)
{
	const char *mark = "extern \"C\"";
	size_t end = before->count, length = strlen(mark);

	while (end != 0 && isspace((unsigned char)before->at[end - 1]))
		end--;
	return end >= length && memcmp(before->at + end - length, mark,
				       length) == 0;
}

/* The text that follows __global__, up to the name of the function. */
static const char *rewrite_kernel(struct text *out, struct text *table,
				  const char *at)
{
	bool named = is_named_in_c(out);
	const char *bounds = NULL, *end = NULL;
	size_t length;

	for (;;) {
		const char *blank = skip_blank(at);

		text_add(out, at, (size_t)(blank - at));
		at = blank;
		length = word_length(at);
		if (length == 0)
			return at;
		if (is_word(at, length, "__launch_bounds__")) {
			bounds = skip_blank(at + length);
			end = skip_brackets(bounds);
			at = end;
			continue;
		}
		if (*skip_blank(at + length) == '(' &&
		    !is_word(at, length, "__attribute__"))
			break;
		text_add(out, at, length);
		at += length;
	}
	text_print(table, "\t{ \"%s%.*s\", standin_call<decltype(%.*s)>::"
		   "thread<%.*s>, standin_call<decltype(%.*s)>::sizes, "
		   "standin_call<decltype(%.*s)>::count, ",
		   named ? "" : "_Z", (int)length, at, (int)length, at,
		   (int)length, at, (int)length, at, (int)length, at);
	/* __launch_bounds__ may also say how many blocks: a comma. */
	if (bounds != NULL)
		text_print(table, "standin_first%.*s },\n",
			   (int)(end - bounds), bounds);
	else
		text_print(table, "0 },\n");
	text_add(out, at, length);
	return at + length;
}

/* --- shared memory -------------------------------------------------------- */

/* `extern __shared__ type name[];` in a function: the memory that the launch
 * asked for. */
static const char *rewrite_dynamic(struct text *out, const char *at)
{
	const char *end = at + strcspn(at, "[;"), *name = end, *last;

	while (name > at && !is_letter(name[-1]))
		name--;
	last = name;
	while (name > at && is_letter(name[-1]))
		name--;
	text_print(out, "%.*s *%.*s = (%.*s *)standin_the_host->shared()",
		   (int)(name - at), at, (int)(last - name), name,
		   (int)(name - at), at);
	return end + strcspn(end, ";");
}

static bool follows(const char *at, const char *word, const char **behind)
{
	const char *next = skip_blank(at);
	size_t length = word_length(next);

	if (!is_word(next, length, word))
		return false;
	*behind = next + length;
	return true;
}

/* --- registers ------------------------------------------------------------ */

/* `asm volatile("mov.u32 %0, %globaltimer_lo;" : "=r"(name))` reads the timer;
 * null: another one. */
static const char *rewrite_timer(struct text *out, const char *at)
{
	const char *open, *end, *to;

	(void)follows(at, "volatile", &at);
	open = skip_blank(at);
	end = skip_brackets(open);
	to = strstr(open, "globaltimer");
	if (*open != '(' || to == NULL || to > end)
		return NULL;
	to = strchr(to, '=');
	to = to != NULL ? strchr(to, '(') : NULL;
	if (to == NULL || to > end)
		return NULL;
	text_print(out, "%.*s = standin_the_host->timer()",
		   (int)(skip_brackets(to) - to), to);
	return end;
}

/* --- all of it ------------------------------------------------------------ */

/* `setters`: how often the function is named that sets conditions. */
static const char *rewrite_word(struct text *out, struct text *table,
				const char *at, unsigned *setters)
{
	size_t length = word_length(at);
	const char *behind;

	if (is_word(at, length, "asm") &&
	    (behind = rewrite_timer(out, at + length)) != NULL)
		return behind;
	*setters += is_word(at, length, "cudaGraphSetConditional");
	if (is_word(at, length, "__global__"))
		return rewrite_kernel(out, table, at + length);
	if (is_word(at, length, "extern") &&
	    follows(at + length, "__shared__", &behind))
		return rewrite_dynamic(out, behind);
	if (is_word(at, length, "static") &&
	    follows(at + length, "__shared__", &behind))
		length = 0, at = behind;
	else if (is_word(at, length, "__shared__"))
		at += length, length = 0;
	else {
		text_add(out, at, length);
		return at + length;
	}
	/* Blocks run one after the other on a thread of the host. */
	text_print(out, "static thread_local");
	return at;
}

unsigned rewrite(struct text *out, const char *source, unsigned arch)
{
	struct text table = { NULL, 0, 0 };
	const char *at = source;
	unsigned setters = 0, driver;

	text_print(&table, "\n# 1 \"the table of kernels\"\n"
		   "static constexpr unsigned standin_first(unsigned n, "
		   "unsigned = 0, unsigned = 0) { return n; }\n"
		   "static const standin_kernel standin_kernels[] = {\n");
	while (*at != '\0') {
		const char *from = at;

		if (is_letter(*at)) {
			at = rewrite_word(out, &table, at, &setters);
			continue;
		}
		at = *at == '"' || *at == '\'' ? skip_quoted(at) : at + 1;
		text_add(out, from, (size_t)(at - from));
	}
	driver = setters > 1 ? 12030 : 0; /* but for the prelude */
	text_print(&table, "\t{ 0, 0, 0, 0, 0 }\n};\n"
		   "extern \"C\" __attribute__((visibility(\"default\"))) "
		   "const standin_module standin_module_table = { %u, %u, "
		   "sizeof(standin_kernels) / sizeof(standin_kernels[0]) - 1, "
		   "standin_kernels, &standin_the_host };\n", arch,
		   driver);
	text_add(out, table.at, table.count);
	free(table.at);
	return driver;
}
