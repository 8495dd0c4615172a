/* SPDX-License-Identifier: MIT */
/* C after the user's text: loops that run the kernel's body; see epilogue.h. */
#include "source/epilogue.h"

#include "source/value_types.h"

/* Add a struct or vector, which may be less aligned than its type. */
static void add_copy(plait__text *out, const plait__parameter *parameter,
		     uint32_t index)
{
	bool named = parameter->struct_name != NULL;

	plait__text_add(out, "({ %s%s%s plait_v; __builtin_memcpy(&plait_v, "
			"plait_a[%u], sizeof(plait_v)); plait_v; })",
			plait__type_name(parameter->type), named ? " " : "",
			named ? parameter->struct_name : "", index);
}

/* Add the arguments, each read from where arguments[i] points. */
static void add_arguments(plait__text *out, const plait__signature *signature)
{
	for (uint32_t i = 0; i < signature->count; i++) {
		const plait__parameter *parameter = &signature->parameters[i];

		plait__text_add(out, i > 0 ? ", " : "");
		if (plait__type_is_struct(parameter->type) ||
		    plait__type_lanes(parameter->type) > 1)
			add_copy(out, parameter, i);
		else
			plait__text_add(out, "*(%s *)plait_a[%u]",
					plait__value_types_name(
						parameter->type), i);
	}
}

/* Add the undivided launch: one item, with loops over the text's own bounds,
 * which the compiler can optimize. */
static void add_whole(plait__text *out, const plait__signature *signature)
{
	plait__text_add(out,
		"static __attribute__((noinline, unused)) void plait_whole(\n"
		"\tvoid *const *plait_a)\n{\n"
		"\tconst struct plait_part plait_all = { { 1, 1, 1 }, "
		"{ 1, 1, 1 },\n\t\t{ 0 }, { 1, 1, 1 }, { 0 } };\n\n"
		"\t(void)plait_a;\n\tplait_body_%s(", signature->name);
	add_arguments(out, signature);
	plait__text_add(out, "%s&plait_all);\n}\n",
			signature->count > 0 ? ", " : "");
}

/* Add whole consecutive lines: a launch of one item per line, so that loops
 * over x have the text's own bounds. */
static void add_lines(plait__text *out, const plait__signature *signature)
{
	plait__text_add(out,
		"static __attribute__((noinline, unused)) void plait_lines(\n"
		"\tvoid *const *plait_a, const struct plait_part *plait_p)\n"
		"{\n\tstruct plait_part plait_own = *plait_p;\n"
		"\tu64 plait_z = plait_own.end[1] - plait_own.begin[1] == "
		"plait_own.items[1] ?\n"
		"\t\tplait_own.end[2] - plait_own.begin[2] : 1;\n\n"
		"\t(void)plait_a;\n"
		"\tplait_own.items[0] = plait_own.end[0] = 1;\n"
		"\tplait_own.begin[0] = 0;\n"
		"\tfor (u64 plait_k = plait_p->begin[2]; "
		"plait_k < plait_p->end[2];\n"
		"\t     plait_k += plait_z) {\n"
		"\t\tplait_own.begin[2] = plait_k;\n"
		"\t\tplait_own.end[2] = plait_k + plait_z;\n"
		"\t\tplait_body_%s(", signature->name);
	add_arguments(out, signature);
	plait__text_add(out, "%s&plait_own);\n\t}\n}\n",
			signature->count > 0 ? ", " : "");
}

/* Add the loop that runs the body per group, or per line. */
static void add_cut(plait__text *out, const plait__signature *signature)
{
	plait__text_add(out,
		"static __attribute__((noinline)) void plait_cut(\n"
		"\tvoid *const *plait_a, const struct plait_part *plait_p)\n"
		"{\n\tstruct plait_part plait_own = *plait_p;\n"
		"\tconst u64 *plait_b = plait_p->begin, "
		"*plait_e = plait_p->end;\n\n\t(void)plait_a;\n"
		"\tfor (u64 plait_k = plait_b[2]; plait_k < plait_e[2]; "
		"plait_k++)\n"
		"\tfor (u64 plait_j = plait_b[1]; plait_j < plait_e[1]; "
		"plait_j++)\n"
		"\tfor (u64 plait_i = PLAIT_GROUPED ? plait_b[0] : 0;\n"
		"\t     plait_i < (PLAIT_GROUPED ? plait_e[0] : 1); "
		"plait_i++) {\n"
		"\t\tplait_own.group[0] = plait_i;\n"
		"\t\tplait_own.group[1] = plait_own.begin[1] = plait_j;\n"
		"\t\tplait_own.group[2] = plait_own.begin[2] = plait_k;\n"
		"\t\tplait_own.end[1] = plait_j + 1;\n"
		"\t\tplait_own.end[2] = plait_k + 1;\n"
		"\t\tplait_body_%s(", signature->name);
	add_arguments(out, signature);
	plait__text_add(out, "%s&plait_own);\n\t}\n}\n",
			signature->count > 0 ? ", " : "");
}

void plait__epilogue_add(plait__text *out, const plait__signature *signature)
{
	add_whole(out, signature);
	add_lines(out, signature);
	add_cut(out, signature);
	plait__text_add(out,
		"__attribute__((visibility(\"default\"))) const u32 "
		"plait_shape[4] =\n\t{ PLAIT_GROUPED, PLAIT_SHAPE_X, "
		"PLAIT_SHAPE_Y, PLAIT_SHAPE_Z };\n"
		"__attribute__((visibility(\"default\"))) i32 plait_run(\n"
		"\tvoid *const *plait_a, const struct plait_part *plait_p)\n"
		"{\n\tconst u64 *plait_b = plait_p->begin, "
		"*plait_e = plait_p->end;\n\n"
		"\tif (PLAIT_GROUPED || "
		"plait_e[0] - plait_b[0] != plait_p->items[0])\n"
		"\t\tplait_cut(plait_a, plait_p);\n"
		"\telse if (plait_e[1] - plait_b[1] == plait_p->items[1] &&\n"
		"\t\t plait_e[2] - plait_b[2] == plait_p->items[2])\n"
		"\t\tplait_whole(plait_a);\n"
		"\telse\n\t\tplait_lines(plait_a, plait_p);\n"
		"\treturn 0;\n}\n");
}

/* Saturate the result to 32 bits; a value too large must not become 0. */
static const char *narrow(plait__type result)
{
	switch (result) {
	case PLAIT__TYPE_NONE:
		return "0";
	case PLAIT__TYPE_U32:
	case PLAIT__TYPE_U64:
		return "plait_r < __INT32_MAX__ ? plait_r : __INT32_MAX__";
	case PLAIT__TYPE_I64:
		return "plait_r > __INT32_MAX__ ? __INT32_MAX__ :\n\t       "
		       "plait_r < -__INT32_MAX__ ? -__INT32_MAX__ - 1 : "
		       "plait_r";
	default:
		return "plait_r";
	}
}

void plait__epilogue_add_plain(plait__text *out, const plait_source *source,
			       const plait__signature *signature)
{
	plait__type result = signature->result;

	plait__text_add(out,
		"__attribute__((visibility(\"default\"))) const "
		"__UINT32_TYPE__ plait_shape[4] = { 2, 1, 1, 1 };\n"
		"__attribute__((visibility(\"default\"))) __INT32_TYPE__ "
		"plait_run(\n\tvoid *const *plait_a, const void *plait_p)\n"
		"{\n\t(void)plait_a, (void)plait_p;\n\t");
	if (result != PLAIT__TYPE_NONE)
		plait__text_add(out, "%s plait_r = ", plait__value_types_name(result));
	plait__text_add(out, "%s(", source->entry);
	add_arguments(out, signature);
	plait__text_add(out, ");\n\n\treturn %s;\n}\n", narrow(result));
}
