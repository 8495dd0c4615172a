/* SPDX-License-Identifier: MIT */
/* Portable source of reductions, put together from a type and an operation. */
#include "coll/use/reduce_kernels.h"

#include "base/error.h"

#include <stdio.h>

enum { TEXT_BYTES = 2600, SIGNATURE_BYTES = 160 };

/* ---- texts ---- */

/* Integers wrap: unsigned arithmetic of at least 32 bits has no overflow. */
#define INTEGERS							\
	"#define LOAD(x) (x)\n"						\
	"#define STORE(x) ((TYPE)(x))\n"				\
	"#define SUM(a, b) ((WIDE)(a) + (WIDE)(b))\n"			\
	"#define PROD(a, b) ((WIDE)(a) * (WIDE)(b))\n"			\
	"#define MIN(a, b) ((a) < (b) ? (a) : (b))\n"			\
	"#define MAX(a, b) ((a) < (b) ? (b) : (a))\n"

/* A NaN wins; of two zeros the sign decides, so that the order of the operands
 * does not matter. */
#define FLOATS								\
	"FUNCTION WIDE least(WIDE a, WIDE b)\n"				\
	"{\n"								\
	"	return a < b ? a : b < a ? b : a != a ? a : b != b ? b :\n" \
	"	       copysign((WIDE)1, a) < 0 ? a : b;\n"		\
	"}\n"								\
	"FUNCTION WIDE most(WIDE a, WIDE b)\n"				\
	"{\n"								\
	"	return a < b ? b : b < a ? a : a != a ? a : b != b ? b :\n" \
	"	       copysign((WIDE)1, a) < 0 ? b : a;\n"		\
	"}\n"								\
	"#define SUM(a, b) ((a) + (b))\n"				\
	"#define PROD(a, b) ((a) * (b))\n"				\
	"#define MIN(a, b) least(a, b)\n"				\
	"#define MAX(a, b) most(a, b)\n"

#define WHOLE								\
	"#define LOAD(x) (x)\n"						\
	"#define STORE(x) (x)\n"

#define CONVERTED							\
	"#define LOAD(x) widen(x)\n"					\
	"#define STORE(x) narrow(x)\n"

#define BFLOAT								\
	"FUNCTION f32 widen(u16 x)\n"					\
	"{\n"								\
	"	return F32_OF_BITS((u32)x << 16);\n"			\
	"}\n"								\
	"FUNCTION u16 narrow(f32 x)\n"					\
	"{\n"								\
	"	u32 bits = BITS_OF_F32(x);\n"				\
	"	if ((bits & 0x7fffffffu) > 0x7f800000u)\n"		\
	"		return (u16)(bits >> 16 | 0x40u);\n"		\
	"	return (u16)((bits + 0x7fffu + (bits >> 16 & 1u)) >> 16);\n" \
	"}\n"

#define HALF								\
	"FUNCTION f32 widen(u16 x)\n"					\
	"{\n"								\
	"	u32 sign = (u32)(x & 0x8000u) << 16;\n"			\
	"	u32 exponent = x >> 10 & 31u, fraction = x & 1023u;\n"	\
	"	f32 small = (f32)fraction * 5.9604644775390625e-08f;\n"	\
	"	if (exponent == 31u)\n"					\
	"		return F32_OF_BITS(sign | 0x7f800000u |\n"	\
	"				   fraction << 13);\n"		\
	"	if (exponent == 0u)\n"					\
	"		return F32_OF_BITS(sign | BITS_OF_F32(small));\n" \
	"	return F32_OF_BITS(sign | (exponent + 112u) << 23 |\n"	\
	"			   fraction << 13);\n"			\
	"}\n"								\
	"FUNCTION u16 narrow(f32 x)\n"					\
	"{\n"								\
	"	u32 bits = BITS_OF_F32(x), sign = bits >> 16 & 0x8000u;\n" \
	"	u32 rest = bits & 0x7fffffffu, shift, whole, part;\n"	\
	"	if (rest > 0x7f800000u)\n"				\
	"		return (u16)(sign | 0x7e00u | (rest >> 13 & 0x1ffu));\n" \
	"	if (rest >= 0x477ff000u)\n"				\
	"		return (u16)(sign | 0x7c00u);\n"		\
	"	if (rest < 0x33000000u)\n"				\
	"		return (u16)sign;\n"				\
	"	if (rest >= 0x38800000u) {\n"				\
	"		rest += 0xfffu + (rest >> 13 & 1u);\n"		\
	"		return (u16)(sign | (rest - 0x38000000u) >> 13);\n" \
	"	}\n"							\
	"	shift = 126u - (rest >> 23);\n"				\
	"	rest = (rest & 0x7fffffu) | 0x800000u;\n"		\
	"	whole = rest >> shift;\n"				\
	"	part = rest << (32u - shift);\n"			\
	"	if (part > 0x80000000u ||\n"				\
	"	    (part == 0x80000000u && (whole & 1u) == 1u))\n"	\
	"		whole += 1u;\n"					\
	"	return (u16)(sign | whole);\n"				\
	"}\n"

#define TOGETHER							\
	"KERNEL(coll_reduce)\n"						\
	"{\n"								\
	"	EACH(i, n)\n"						\
	"		target[i] = STORE(OP(LOAD(target[i]),\n"	\
	"				     LOAD(source[i])));\n"	\
	"}\n"

#define APART								\
	"KERNEL(coll_reduce_to)\n"					\
	"{\n"								\
	"	EACH(i, n)\n"						\
	"		target[i] = STORE(OP(LOAD(other[i]),\n"		\
	"				     LOAD(source[i])));\n"	\
	"}\n"

/* ---- types ---- */

typedef struct element_type {
	plait_element element;
	uint32_t bits;
	const char *type;	/* in memory */
	const char *wide;	/* of the arithmetic */
	const char *operations;
	const char *conversion;
} element_type;

static const element_type types[] = {
	{ PLAIT_ELEMENT_INT, 8, "i8", "u32", INTEGERS, "" },
	{ PLAIT_ELEMENT_INT, 16, "i16", "u32", INTEGERS, "" },
	{ PLAIT_ELEMENT_INT, 32, "i32", "u32", INTEGERS, "" },
	{ PLAIT_ELEMENT_INT, 64, "i64", "u64", INTEGERS, "" },
	{ PLAIT_ELEMENT_UINT, 8, "u8", "u32", INTEGERS, "" },
	{ PLAIT_ELEMENT_UINT, 16, "u16", "u32", INTEGERS, "" },
	{ PLAIT_ELEMENT_UINT, 32, "u32", "u32", INTEGERS, "" },
	{ PLAIT_ELEMENT_UINT, 64, "u64", "u64", INTEGERS, "" },
	{ PLAIT_ELEMENT_FLOAT, 16, "u16", "f32", FLOATS, HALF CONVERTED },
	{ PLAIT_ELEMENT_FLOAT, 32, "f32", "f32", FLOATS, WHOLE },
	{ PLAIT_ELEMENT_FLOAT, 64, "f64", "f64", FLOATS, WHOLE },
	{ PLAIT_ELEMENT_BFLOAT, 16, "u16", "f32", FLOATS, BFLOAT CONVERTED },
};

static const element_type *find_type(plait_element element, uint32_t bits)
{
	for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (types[i].element == element && types[i].bits == bits)
			return &types[i];
	return NULL;
}

uint32_t plait__reduce_element_bytes(plait_element element, uint32_t bits)
{
	return find_type(element, bits) == NULL ? 0 : bits / 8;
}

/* ---- kernels ---- */

plait_status plait__reduce_kernel_create(plait_context *context,
					 const plait_collective_desc *desc,
					 bool apart, plait_kernel **out,
					 plait_error *error)
{
	static const char *const operations[] = { "SUM", "PROD", "MIN", "MAX" };
	const element_type *type = find_type(desc->element,
					     desc->element_bits);
	char text[TEXT_BYTES], signature[SIGNATURE_BYTES];
	plait_source source = { .size = sizeof(source), .code = text,
				.flags = PLAIT_SOURCE_STRICT |
					 PLAIT_SOURCE_NO_ALIAS };
	const plait_kernel_desc kernel = { .size = sizeof(kernel),
					   .signature = signature,
					   .sources = &source,
					   .source_count = 1 };

	(void)snprintf(text, sizeof(text),
		       "#define TYPE %s\n#define WIDE %s\n#define OP %s\n"
		       "%s%s%s", type->type, type->wide,
		       operations[desc->reduction], type->operations,
		       type->conversion, apart ? APART : TOGETHER);
	if (apart)
		(void)snprintf(signature, sizeof(signature),
			       "coll_reduce_to(target: out pointer %s, "
			       "other: in pointer %s, source: in pointer %s, "
			       "n: u64)", type->type, type->type, type->type);
	else
		(void)snprintf(signature, sizeof(signature),
			       "coll_reduce(target: inout pointer %s, "
			       "source: in pointer %s, n: u64)", type->type,
			       type->type);
	return plait_kernel_create(context, &kernel, out, error);
}
