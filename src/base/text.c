/* SPDX-License-Identifier: MIT */
/* Growing text with a sticky failure flag; see text.h. */
#include "base/text.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

void plait__text_init(plait__text *text, const plait_allocator *allocator)
{
	memset(text, 0, sizeof(*text));
	text->allocator = allocator;
}

void plait__text_fini(plait__text *text)
{
	plait__free(text->allocator, text->bytes, text->capacity_bytes);
	plait__text_init(text, text->allocator);
}

/* Make room for `more` bytes and the NUL; doubling keeps appends linear. */
static bool reserve(plait__text *text, uint64_t more)
{
	uint64_t needed, capacity;
	char *bytes;

	if (text->failed)
		return false;
	if (__builtin_add_overflow(text->length, more, &needed) ||
	    __builtin_add_overflow(needed, 1, &needed) ||
	    needed > INT64_MAX / 2) {
		text->failed = true;
		return false;
	}
	if (needed <= text->capacity_bytes)
		return true;
	capacity = text->capacity_bytes != 0 ? text->capacity_bytes * 2 : 256;
	if (capacity < needed)
		capacity = needed;
	bytes = plait__realloc(text->allocator, text->bytes,
			       text->capacity_bytes, capacity);
	if (bytes == NULL) {
		text->failed = true;
		return false;
	}
	text->bytes = bytes;
	text->capacity_bytes = capacity;
	return true;
}

void plait__text_add_bytes(plait__text *text, const char *bytes,
			   uint64_t count)
{
	if (!reserve(text, count))
		return;
	if (count != 0)
		memcpy(text->bytes + text->length, bytes, count);
	text->length += count;
	text->bytes[text->length] = '\0';
}

void plait__text_add_va(plait__text *text, const char *format, va_list args)
{
	va_list again;
	int length;

	va_copy(again, args);
	length = vsnprintf(NULL, 0, format, again);
	va_end(again);
	if (length < 0 || !reserve(text, (uint64_t)length)) {
		text->failed = true;
		return;
	}
	(void)vsnprintf(text->bytes + text->length, (size_t)length + 1, format,
			args);
	text->length += (uint64_t)length;
}

void plait__text_add(plait__text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	plait__text_add_va(text, format, args);
	va_end(args);
}

void plait__text_cut(plait__text *text, uint64_t length)
{
	if (length >= text->length)
		return;
	text->length = length;
	text->bytes[length] = '\0';
}

const char *plait__text_get(const plait__text *text)
{
	return text->bytes != NULL ? text->bytes : "";
}

/* Returns the longest prefix of at most `limit` bytes that splits no UTF-8
 * character. */
static uint64_t whole_characters(const char *text, uint64_t limit)
{
	uint64_t end = limit;

	while (end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80)
		end--;
	return end;
}

void plait__text_copy(const char *text, char *buffer, uint64_t capacity_bytes,
		      uint64_t *out_bytes)
{
	uint64_t length = strlen(text);

	if (out_bytes != NULL)
		*out_bytes = length + 1;
	if (buffer == NULL || capacity_bytes == 0)
		return;
	if (length >= capacity_bytes)
		length = whole_characters(text, capacity_bytes - 1);
	memcpy(buffer, text, length);
	buffer[length] = '\0';
}

int plait__text_fit(const char *text, uint64_t limit)
{
	uint64_t length = strnlen(text, limit + 1);

	return (int)(length > limit ? whole_characters(text, limit) : length);
}

const char *plait__text_tail(const char *text, uint64_t bytes)
{
	uint64_t length = strlen(text);
	const char *at = text;

	if (length > bytes)
		at += length - bytes;
	while (at > text && ((unsigned char)*at & 0xc0) == 0x80)
		at++;
	return at;
}

const char *plait__text_start(const char *text, uint64_t limit,
			      char room[PLAIT__TEXT_CUT_BYTES])
{
	if (strlen(text) <= limit)
		return text;
	(void)snprintf(room, PLAIT__TEXT_CUT_BYTES, "%.*s...",
		       PLAIT__TEXT_FIT(text, limit - 3));
	return room;
}

const char *plait__text_path(const char *path, uint64_t limit,
			     char room[PLAIT__TEXT_CUT_BYTES])
{
	const char *end, *slash;

	if (strlen(path) <= limit)
		return path;
	end = plait__text_tail(path, limit - 3);
	slash = strchr(end, '/');
	(void)snprintf(room, PLAIT__TEXT_CUT_BYTES, "...%s",
		       slash != NULL ? slash : end);
	return room;
}

const char *plait__text_duration(uint64_t ns,
				 char room[PLAIT__TEXT_DURATION_BYTES])
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	uint64_t whole = ns, thousandths = 0;
	uint32_t unit = 0;
	int used;

	for (; whole >= 1000 && unit < 3; unit++) {
		thousandths = whole % 1000;
		whole /= 1000;
	}
	/* Not with "%g": the locale chooses its decimal point. */
	used = snprintf(room, PLAIT__TEXT_DURATION_BYTES, "%llu.%03u",
			(unsigned long long)whole, (unsigned)thousandths);
	while (room[used - 1] == '0')
		used--;
	if (room[used - 1] == '.')
		used--;
	(void)snprintf(room + used, PLAIT__TEXT_DURATION_BYTES - (size_t)used,
		       " %s", units[unit]);
	return room;
}
