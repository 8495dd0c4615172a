/* SPDX-License-Identifier: MIT */
/* Assembly of signatures: the canonical text, one block; see signature_write.h. */
#include "kernel/signature_write.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

static void write_struct(const char *names, const plait__signature_draft *draft,
			 plait__text *text)
{
	bool named = draft->struct_name != PLAIT__DRAFT_NO_NAME;

	plait__text_add(text, " %s%s%u align %u",
			named ? names + draft->struct_name : "",
			named ? " " : "", draft->bytes,
			plait__type_struct_alignment(
				(plait__type)draft->type));
}

static const char *const mode_names[] = {
	[PLAIT__MODE_VALUE] = "", [PLAIT__MODE_IN] = "in ",
	[PLAIT__MODE_OUT] = "out ", [PLAIT__MODE_INOUT] = "inout ",
	[PLAIT__MODE_ATOMIC] = "atomic "
};

static const char *word_of(const plait__signature_draft *draft)
{
	static const char *const arrays[] = { "", "array1", "array2",
					      "array3" };

	if (draft->is_chunk)
		return "chunk";
	if (draft->array != 0)
		return arrays[draft->array];
	return plait__type_name(draft->element == PLAIT__TYPE_IMAGE ?
				PLAIT__TYPE_IMAGE : (plait__type)draft->type);
}

/* Parameters and names of the signature. */
struct drafts {
	const plait__text *names;
	const plait__signature_draft *items;
	uint32_t count;
	plait__type result;
};

static void write_canonical(const struct drafts *drafts, plait__text *text)
{
	const char *names = plait__text_get(drafts->names);

	plait__text_add(text, "%s(", names);
	for (uint32_t i = 0; i < drafts->count; i++) {
		const plait__signature_draft *draft = &drafts->items[i];

		if (draft->place != PLAIT__PLACE_NONE)
			continue;
		plait__text_add(text, "%s%s: %s%s", i > 0 ? ", " : "",
				names + draft->name, mode_names[draft->mode],
				word_of(draft));
		if (plait__type_is_struct((plait__type)draft->type) &&
		    !draft->is_chunk)
			write_struct(names, draft, text);
		if (draft->element != PLAIT__TYPE_NONE &&
		    draft->element != PLAIT__TYPE_IMAGE)
			plait__text_add(text, " %s",
					plait__type_name((plait__type)
							 draft->element));
	}
	plait__text_add(text, ")");
	if (drafts->result != PLAIT__TYPE_NONE)
		plait__text_add(text, ": %s",
				plait__type_name(drafts->result));
}

/* Assemble one block: the struct, the parameters, the canonical text, the
 * names. */
static plait__signature *assemble(const struct drafts *drafts,
				  const plait_allocator *allocator,
				  const plait__text *canonical)
{
	uint64_t bytes = sizeof(plait__signature) +
			 drafts->count * sizeof(plait__parameter) +
			 canonical->length + 1 + drafts->names->length;
	plait__signature *signature = plait__alloc(allocator, bytes);
	plait__parameter *parameters;
	uint32_t local_count = 0, image_count = 0;
	uint32_t place_count = 0, chunk_count = 0;
	char *text, *names;

	if (signature == NULL)
		return NULL;
	parameters = (plait__parameter *)(signature + 1);
	text = (char *)(parameters + drafts->count);
	names = text + canonical->length + 1;
	memcpy(text, plait__text_get(canonical), canonical->length + 1);
	memcpy(names, plait__text_get(drafts->names), drafts->names->length);
	for (uint32_t i = 0; i < drafts->count; i++) {
		const plait__signature_draft *draft = &drafts->items[i];

		parameters[i].name = names + draft->name;
		parameters[i].type = (plait__type)draft->type;
		parameters[i].element = (plait__type)draft->element;
		parameters[i].mode = draft->mode;
		parameters[i].bytes = draft->bytes != 0 ? draft->bytes :
			plait__type_bytes(parameters[i].type);
		parameters[i].struct_name = draft->struct_name != PLAIT__DRAFT_NO_NAME ?
			names + draft->struct_name : NULL;
		parameters[i].array = draft->array;
		parameters[i].place = draft->place;
		parameters[i].is_chunk = draft->is_chunk;
		place_count += draft->place != PLAIT__PLACE_NONE;
		chunk_count += draft->is_chunk;
		local_count += draft->type == PLAIT__TYPE_LOCAL;
		image_count += draft->element == PLAIT__TYPE_IMAGE ||
			       draft->type == PLAIT__TYPE_SAMPLER;
	}
	*signature = (plait__signature){
		.text = text, .name = names, .parameters = parameters,
		.count = drafts->count, .local_count = local_count,
		.image_count = image_count, .place_count = place_count,
		.chunk_count = chunk_count, .result = drafts->result,
		.block_bytes = bytes };
	return signature;
}

plait_status plait__signature_write(const plait__text *names,
				    const plait__signature_draft *drafts,
				    uint32_t count, plait__type result,
				    const plait_allocator *allocator,
				    plait__signature **out, plait_error *error)
{
	const struct drafts all = { names, drafts, count, result };
	plait__text canonical;

	plait__text_init(&canonical, allocator);
	if (!names->failed)
		write_canonical(&all, &canonical);
	if (!canonical.failed && !names->failed)
		*out = assemble(&all, allocator, &canonical);
	plait__text_fini(&canonical);
	if (*out == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a signature");
	return PLAIT_OK;
}
