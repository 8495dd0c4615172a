/* SPDX-License-Identifier: MIT */
/* Types of values in source text; see value_types.h. */
#include "source/value_types.h"

#include "base/error.h"

const char *plait__value_types_name(plait__type type)
{
	switch (type) {
	case PLAIT__TYPE_I8: return "__INT8_TYPE__";
	case PLAIT__TYPE_I16: return "__INT16_TYPE__";
	case PLAIT__TYPE_I32: return "__INT32_TYPE__";
	case PLAIT__TYPE_I64: return "__INT64_TYPE__";
	case PLAIT__TYPE_U8: return "__UINT8_TYPE__";
	case PLAIT__TYPE_U16: return "__UINT16_TYPE__";
	case PLAIT__TYPE_U32: return "__UINT32_TYPE__";
	case PLAIT__TYPE_U64: return "__UINT64_TYPE__";
	case PLAIT__TYPE_F32: return "float";
	case PLAIT__TYPE_F64: return "double";
	case PLAIT__TYPE_BOOL: return "_Bool";
	case PLAIT__TYPE_CHAR: return "char";
	case PLAIT__TYPE_SAMPLER: return "__UINT32_TYPE__";
	default: return "void *";
	}
}

plait_status plait__value_types_check(const plait__signature *signature,
				      plait_error *error)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];

		if (plait__type_is_struct(parameter->type) &&
		    parameter->struct_name == NULL)
			return plait__fail(error, PLAIT_E_INVALID,
					   "source of %.60s: parameter %u "
					   "\"%.40s\": the text needs the "
					   "struct's name; write struct NAME "
					   "%u in the signature",
					   signature->name, i, parameter->name,
					   parameter->bytes);
	}
	return PLAIT_OK;
}

enum { F32X4 = PLAIT__TYPE_VECTOR | PLAIT__TYPE_F32 << 4 | 2 };

/* Returns the vector of a parameter: its value, its elements, or with `pixels` a
 * pixel of an image; or NONE. */
static plait__type vector_of(const plait__parameter *parameter, bool pixels)
{
	plait__type type = parameter->element != PLAIT__TYPE_NONE ?
			   parameter->element : parameter->type;

	if (pixels &&
	    (type == PLAIT__TYPE_IMAGE || type == PLAIT__TYPE_SAMPLER))
		return (plait__type)F32X4;
	return plait__type_lanes(type) > 1 ? type : PLAIT__TYPE_NONE;
}

static bool is_first(const plait__signature *signature, uint32_t index,
		     bool pixels)
{
	plait__type type = vector_of(&signature->parameters[index], pixels);

	for (uint32_t i = 0; i < index; i++)
		if (vector_of(&signature->parameters[i], pixels) == type)
			return false;
	return type != PLAIT__TYPE_NONE;
}

void plait__value_types_add(plait__text *out, const plait__signature *signature,
			    bool preluded)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		plait__type type = vector_of(&signature->parameters[i],
					     preluded);
		plait__type lane = plait__type_of_lane(type);

		if (is_first(signature, i, preluded))
			plait__text_add(out, "typedef struct { %s v[%u]; } "
					"%s;\n", preluded ?
					plait__type_name(lane) :
					plait__value_types_name(lane),
					plait__type_lanes(type),
					plait__type_name(type));
	}
}

void plait__value_types_add_checks(plait__text *out,
				   const plait__signature *signature)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];

		if (plait__type_is_struct(parameter->type))
			plait__text_add(out, "typedef char "
					"size_of_struct_%s_is_not_%u["
					"sizeof(struct %s) == %u ? 1 : -1];\n",
					parameter->struct_name,
					parameter->bytes,
					parameter->struct_name,
					parameter->bytes);
	}
}
