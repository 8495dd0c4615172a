/* SPDX-License-Identifier: MIT */
/*
 * Error records, owned by the caller and written once; see error.h. Callers of
 * these functions compose the texts; status.c has the names of codes.
 */
#include "base/error.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

/* Older callers may have a shorter text: never write past their record. */
static size_t text_capacity(const plait_error *error)
{
	size_t start = offsetof(plait_error, text);

	if (error->size == 0 || error->size >= sizeof(*error))
		return PLAIT_ERROR_TEXT_BYTES;
	return error->size > start ? error->size - start : 0;
}

/* Truncate before an incomplete UTF-8 character, so that bindings can decode
 * strictly: step back over continuation bytes, then over their lead byte. */
static void cut_utf8(char *text, size_t length)
{
	size_t end = length;

	while (end > 0 && ((unsigned char)text[end - 1] & 0xc0) == 0x80)
		end--;
	if (end > 0 && ((unsigned char)text[end - 1] & 0x80) != 0)
		end--;
	text[end] = '\0';
}

/* Keep the text on one line: messages of users and drivers may have several. */
static void clear_controls(char *text)
{
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < ' ' || *text == 0x7f)
			*text = ' ';
}

static void write_text(plait_error *error, const char *format, va_list args)
{
	size_t capacity = text_capacity(error);
	int length;

	if (capacity == 0)
		return;
	length = vsnprintf(error->text, capacity, format, args);
	if (length < 0)
		error->text[0] = '\0';
	else if ((size_t)length >= capacity)
		cut_utf8(error->text, capacity - 1);
	clear_controls(error->text);
}

static void fill(plait_error *error, plait_status status, int64_t origin,
		 const char *format, va_list args)
{
	if (error == NULL)
		return;
	if (error->size != 0 && error->size < offsetof(plait_error, text))
		return;
	error->status = status;
	error->origin = origin;
	error->detail = 0;
	write_text(error, format, args);
}

plait_status plait__fail(plait_error *error, plait_status status,
			 const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fill(error, status, 0, format, args);
	va_end(args);
	return status;
}

plait_status plait__fail_origin(plait_error *error, plait_status status,
				int64_t origin, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fill(error, status, origin, format, args);
	va_end(args);
	return status;
}

static void rewrite(plait_error *error, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_text(error, format, args);
	va_end(args);
}

void plait__error_prefix(plait_error *error, const char *format, ...)
{
	char prefix[PLAIT_ERROR_TEXT_BYTES], rest[PLAIT_ERROR_TEXT_BYTES];
	va_list args;

	if (error == NULL || text_capacity(error) == 0)
		return;
	va_start(args, format);
	(void)vsnprintf(prefix, sizeof(prefix), format, args);
	va_end(args);
	(void)snprintf(rest, sizeof(rest), "%.*s", (int)text_capacity(error),
		       error->text);
	rewrite(error, "%s%s", prefix, rest);
}

plait_status plait__error_copy(plait_error *error, const plait_error *kept)
{
	plait_status status = kept->status;
	uint64_t detail = kept->detail;

	if (status == PLAIT_OK)
		return status;
	plait__fail_origin(error, status, kept->origin, "%s",
			   kept->text[0] != '\0' ? kept->text :
						   "no reason was given");
	if (error != NULL && (error->size == 0 ||
			      error->size >= offsetof(plait_error, text)))
		error->detail = detail;
	return status;
}
