/* SPDX-License-Identifier: MIT */
/* plait_source_text: portable source as composed for a compiler. */
#include "source/compose.h"
#include "base/alloc.h"
#include "base/error.h"

static plait_status write_text(const plait_source *source,
			       const plait__signature *signature,
			       uint32_t form, char *buffer,
			       uint64_t capacity_bytes, uint64_t *out_bytes,
			       plait_error *error)
{
	plait__text text;
	plait_status status;

	plait__text_init(&text, plait__alloc_default());
	status = plait__compose_source(source, signature, form, &text, error);
	if (status == PLAIT_OK)
		plait__text_copy(plait__text_get(&text), buffer,
				 capacity_bytes, out_bytes);
	plait__text_fini(&text);
	return status;
}

PLAIT_API plait_status plait_source_text(const char *signature,
					 const plait_source *source,
					 uint32_t form, char *buffer,
					 uint64_t capacity_bytes,
					 uint64_t *out_bytes,
					 plait_error *error)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait__signature *parsed;
	plait_source own;
	plait_status status;

	if (out_bytes != NULL)
		*out_bytes = 0;
	if (buffer != NULL && capacity_bytes > 0)
		*buffer = '\0';
	if (signature == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "signature is null");
	status = plait__signature_parse(signature, allocator, &parsed, error);
	if (status != PLAIT_OK)
		return status;
	status = plait__compose_read_source(source, parsed->name, &own, error);
	if (status == PLAIT_OK && own.form != PLAIT_SOURCE_PORTABLE)
		status = plait__fail(error, PLAIT_E_INVALID,
				     "source of %.60s: it is %s, not portable",
				     parsed->name,
				     plait__compose_form_name(own.form));
	if (status == PLAIT_OK)
		status = write_text(&own, parsed, form, buffer, capacity_bytes,
				    out_bytes, error);
	plait__signature_destroy(allocator, parsed);
	return status;
}
