/* SPDX-License-Identifier: MIT */
/* Fuzz target of kernel signatures: any text is refused with a reason, or
 * written in a canonical form that stands for itself. */
#include "fuzz.h"

#include "base/alloc.h"
#include "kernel/signature.h"

#include <stdlib.h>
#include <string.h>

static void check_again(const plait__signature *signature)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait_error error = { .size = sizeof(error) };
	plait__signature *again;

	FUZZ_NEED(plait__signature_parse(signature->text, allocator, &again,
					 &error) == PLAIT_OK, error.text);
	FUZZ_NEED(strcmp(again->text, signature->text) == 0, again->text);
	FUZZ_NEED(again->count == signature->count &&
		  again->result == signature->result, again->text);
	for (uint32_t i = 0; i < again->count; i++)
		FUZZ_NEED(strcmp(again->parameters[i].name,
				 signature->parameters[i].name) == 0 &&
			  again->parameters[i].mode ==
			  signature->parameters[i].mode &&
			  again->parameters[i].type ==
			  signature->parameters[i].type &&
			  again->parameters[i].bytes ==
			  signature->parameters[i].bytes, again->text);
	plait__signature_destroy(allocator, again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait_error error = { .size = sizeof(error) };
	plait__signature *signature;
	char *text = malloc(size + 1);
	plait_status status;

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	status = plait__signature_parse(text, allocator, &signature, &error);
	if (status == PLAIT_OK) {
		check_again(signature);
	} else {
		FUZZ_NEED(status == PLAIT_E_INVALID && signature == NULL &&
			  error.text[0] != '\0', error.text);
	}
	plait__signature_destroy(allocator, signature);
	free(text);
	return 0;
}
