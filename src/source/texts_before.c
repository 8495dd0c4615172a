/* SPDX-License-Identifier: MIT */
/* Texts before a source; see texts_before.h. */
#include "source/texts_before.h"

#include "base/error.h"
#include "base/sized_struct.h"

#include <stdio.h>
#include <string.h>

enum { MOST_TEXTS = 65536 };

const plait_source *plait__texts_before_at(const plait_source *source,
					  uint64_t i,
					  char name[PLAIT__TEXTS_NAME_BYTES],
					  uint64_t *out_bytes)
{
	const char *first = (const char *)source->before;
	const plait_source *text = (const plait_source *)(const void *)(
		first + i * source->before->size);

	if (text->file != NULL && *text->file != '\0')
		(void)snprintf(name, PLAIT__TEXTS_NAME_BYTES, "%s",
			       text->file);
	else
		(void)snprintf(name, PLAIT__TEXTS_NAME_BYTES, "before[%llu]",
			       (unsigned long long)i);
	*out_bytes = text->bytes != 0 ? text->bytes : strlen(text->code);
	return text;
}

/* Check a text before the source; its size is that of the first one. */
static plait_status check_text_before(const plait_source *text, uint64_t i,
				      const char *name, plait_error *error)
{
	plait_source empty = { .size = text->size, .code = text->code,
			       .bytes = text->bytes, .file = text->file };

	if (text->code == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: before[%llu]: code is "
				   "null", name, (unsigned long long)i);
	if (text->bytes != 0 &&
	    strnlen(text->code, text->bytes) != text->bytes)
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: before[%llu]: a NUL in "
				   "its text", name, (unsigned long long)i);
	/* The fields of ABI 1; a newer size may only bring zeros. */
	if (memcmp((const char *)text + sizeof(text->size),
		   (const char *)&empty + sizeof(empty.size),
		   PLAIT__MIN_SIZE(plait_source) - sizeof(empty.size)) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: before[%llu]: only code, "
				   "bytes and file count", name,
				   (unsigned long long)i);
	return PLAIT_OK;
}

plait_status plait__texts_before_check(const plait_source *out,
				       const char *name, plait_error *error)
{
	plait_status status = PLAIT_OK;

	if (out->before_count == 0)
		return PLAIT_OK;
	if (out->before == NULL || out->before_count > MOST_TEXTS ||
	    out->before->size < PLAIT__MIN_SIZE(plait_source) ||
	    out->before->size > PLAIT__SIZED_STRUCT_MAX_BYTES ||
	    out->before->size % _Alignof(plait_source) != 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "source of %.60s: before is null, its size "
				   "is none of a plait_source, or it has more "
				   "than %d texts", name, MOST_TEXTS);
	for (uint64_t i = 0; i < out->before_count && status == PLAIT_OK; i++)
		status = check_text_before(
			(const plait_source *)(const void *)(
				(const char *)out->before +
				i * out->before->size), i, name, error);
	return status;
}
