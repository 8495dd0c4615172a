/* SPDX-License-Identifier: MIT */
/* Signatures of kernels: valid ones and their canonical text, errors with their
 * byte, and that no failed allocation leaks. */
#include "kernel/signature.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "lib/tap.h"

static plait_status parse(const char *text, plait__signature **out,
			  plait_error *error)
{
	memset(error, 0, sizeof(*error));
	error->size = sizeof(*error);
	return plait__signature_parse(text, plait__alloc_default(), out,
				      error);
}

static void check_canonical(const char *text, const char *canonical)
{
	plait__signature *signature;
	plait_error error;

	if (!IS_INT(parse(text, &signature, &error), PLAIT_OK)) {
		NOTE("%s", error.text);
		return;
	}
	IS_STR(signature->text, canonical);
	plait__signature_destroy(plait__alloc_default(), signature);
}

static void check_refused(const char *text, const char *part)
{
	plait__signature *signature;
	plait_error error;

	IS_INT(parse(text, &signature, &error), PLAIT_E_INVALID);
	OK(signature == NULL);
	HAS_STR(error.text, part);
}

static void parses(void)
{
	plait__signature *signature;
	plait_error error;

	IS_INT(parse("saxpy(a: f32, x: in pointer f32, "
		     "y: inout pointer f32, n: u64)", &signature, &error),
	       PLAIT_OK);
	IS_STR(signature->name, "saxpy");
	IS_INT(signature->count, 4);
	IS_STR(signature->parameters[0].name, "a");
	IS_INT(signature->parameters[0].type, PLAIT__TYPE_F32);
	IS_INT(signature->parameters[0].mode, PLAIT__MODE_VALUE);
	IS_INT(signature->parameters[1].type, PLAIT__TYPE_POINTER);
	IS_INT(signature->parameters[1].element, PLAIT__TYPE_F32);
	IS_INT(signature->parameters[1].mode, PLAIT__MODE_IN);
	IS_INT(signature->parameters[2].mode, PLAIT__MODE_INOUT);
	IS_INT(plait__type_bytes(signature->parameters[3].type), 8);
	plait__signature_destroy(plait__alloc_default(), signature);
}

static void has_atomic_memory(void)
{
	plait__signature *signature;
	plait_error error;

	IS_INT(parse("count(x: in pointer u8, hist:atomic pointer u32)",
		     &signature, &error), PLAIT_OK);
	IS_INT(signature->parameters[1].mode, PLAIT__MODE_ATOMIC);
	IS_STR(signature->text,
	       "count(x: in pointer u8, hist: atomic pointer u32)");
	plait__signature_destroy(plait__alloc_default(), signature);
	check_refused("f(x: atomic in pointer)", "contradicts");
	check_refused("f(x: inout atomic pointer)", "contradicts");
	check_refused("f(x: atomic u32)", "is no pointer");
	check_refused("f(x: atomic local u32)", "is no pointer");
}

static void has_local_memory(void)
{
	plait__signature *signature;
	plait_error error;

	IS_INT(parse("f(a: local f64, n: u32, b: local char)", &signature,
		     &error), PLAIT_OK);
	IS_INT(signature->local_count, 2);
	IS_INT(signature->parameters[0].type, PLAIT__TYPE_LOCAL);
	IS_INT(signature->parameters[0].element, PLAIT__TYPE_F64);
	IS_INT(signature->parameters[0].mode, PLAIT__MODE_VALUE);
	IS_INT(signature->parameters[1].type, PLAIT__TYPE_U32);
	IS_INT(signature->parameters[2].element, PLAIT__TYPE_CHAR);
	plait__signature_destroy(plait__alloc_default(), signature);
}

static void has_vectors_and_structs(void)
{
	plait__signature *signature;
	plait_error error;

	IS_INT(parse("f(v: f32x3, p: struct body 24, i: u8x16, q: struct 12, "
		     "x: in pointer f64x4)", &signature, &error), PLAIT_OK);
	IS_INT(signature->parameters[0].bytes, 12);
	IS_INT(plait__type_lanes(signature->parameters[0].type), 3);
	IS_INT(plait__type_of_lane(signature->parameters[0].type),
	       PLAIT__TYPE_F32);
	OK(!plait__type_is_integer(signature->parameters[2].type));
	IS_INT(signature->parameters[1].bytes, 24);
	OK(plait__type_is_struct(signature->parameters[1].type));
	IS_INT(plait__type_struct_alignment(signature->parameters[1].type), 8);
	IS_STR(signature->parameters[1].struct_name, "body");
	IS_INT(signature->parameters[2].bytes, 16);
	IS_INT(plait__type_struct_alignment(signature->parameters[3].type), 4);
	OK(signature->parameters[3].struct_name == NULL);
	IS_INT(plait__type_bytes(signature->parameters[4].element), 32);
	IS_INT(signature->parameters[4].bytes, 8);
	plait__signature_destroy(plait__alloc_default(), signature);
}

/* An array is its pointer and its numbers; the canonical text has one name. */
static void has_arrays_and_chunks(void)
{
	static const char text[] =
		"f(u: in array3 f32, n: u64, v: inout array1 u8, c: chunk)";
	static const char *const names[] = { "u", "u_at", "u_pitch", "u_slice",
					     "n", "v", "v_at", "c" };
	plait__signature *signature;
	plait_error error;

	IS_INT(parse(text, &signature, &error), PLAIT_OK);
	IS_STR(signature->text, text);
	IS_INT(signature->count, 8);
	IS_INT(signature->place_count, 4);
	IS_INT(signature->chunk_count, 1);
	for (uint32_t i = 0; i < TAP_COUNT(names); i++)
		IS_STR(signature->parameters[i].name, names[i]);
	IS_INT(signature->parameters[0].type, PLAIT__TYPE_POINTER);
	IS_INT(signature->parameters[0].mode, PLAIT__MODE_IN);
	IS_INT(signature->parameters[0].array, 3);
	IS_INT(signature->parameters[1].type, PLAIT__TYPE_I64);
	IS_INT(signature->parameters[3].place, PLAIT__PLACE_SLICE);
	IS_INT(signature->parameters[3].type, PLAIT__TYPE_U64);
	IS_INT(signature->parameters[7].bytes, 48);
	OK(signature->parameters[7].is_chunk);
	plait__signature_destroy(plait__alloc_default(), signature);
	check_canonical("f(u:array2 float)", "f(u: inout array2 f32)");
	check_refused("f(u: in array2)", "needs the type of its elements");
	check_refused("f(u: array4 f32)", "is not a type");
	check_refused("f(u: array1 pointer)", "needs the type of its elements");
	check_refused("f(u_at: u64, u: array1 f32)",
		      "\"u\" is an array whose at, pitch or slice has the name");
	check_refused("f(u: array2 f32, u_pitch: u64)", "names two parameters");
	check_refused("f(c: in chunk)", "is not a type");
}

/* All names, and that none is another's. */
static void has_all_vectors(void)
{
	static const char *const lanes[] = { "i8", "i16", "i32", "i64", "u8",
					     "u16", "u32", "u64", "f32",
					     "f64" };
	static const uint32_t counts[] = { 2, 3, 4, 8, 16 };
	plait__type last = PLAIT__TYPE_NONE;
	char name[16];

	for (size_t i = 0; i < TAP_COUNT(lanes); i++)
		for (size_t k = 0; k < TAP_COUNT(counts); k++) {
			plait__type lane = plait__type_find(lanes[i],
							    strlen(lanes[i]));
			plait__type type;

			sprintf(name, "%sx%u", lanes[i], counts[k]);
			type = plait__type_find(name, strlen(name));
			OK_THAT(type != last && plait__type_of_lane(type) ==
				lane, "%s", name);
			IS_STR(plait__type_name(type), name);
			IS_INT(plait__type_lanes(type), counts[k]);
			IS_INT(plait__type_bytes(type),
			       counts[k] * plait__type_bytes(lane));
			last = type;
		}
}

static void is_canonical(void)
{
	check_canonical("f()", "f()");
	check_canonical("  f ( ) : void ", "f()");
	check_canonical("f(a:pointer)", "f(a: inout pointer)");
	check_canonical("f(a: const pointer float)", "f(a: in pointer f32)");
	check_canonical("f(a: const in pointer)", "f(a: in pointer)");
	check_canonical("f(a: out pointer sint32,\n\tb: double)",
			"f(a: out pointer i32, b: f64)");
	check_canonical("f(a: uint8, b: bool, c: char)",
			"f(a: u8, b: bool, c: char)");
	check_canonical("f(p: pointer pointer)", "f(p: inout pointer pointer)");
	check_canonical("f(s: string)", "f(s: in pointer char)");
	check_canonical("f(a:local float)", "f(a: local f32)");
	check_canonical("f(local: local u8, b: local  bool)",
			"f(local: local u8, b: local bool)");
	check_canonical("f(v:u16x8)", "f(v: u16x8)");
	check_canonical("f(p: struct 24)", "f(p: struct 24 align 8)");
	check_canonical("f(p: struct 6, q: struct  7 align 1)",
			"f(p: struct 6 align 2, q: struct 7 align 1)");
	check_canonical("f(p: struct body 64  align 16)",
			"f(p: struct body 64 align 16)");
	check_canonical("f(struct: struct struct 8)",
			"f(struct: struct struct 8 align 8)");
	check_canonical("f(string: string)", "f(string: in pointer char)");
	check_canonical("f(): sint32", "f(): i32");
	check_canonical("f() :bool", "f(): bool");
}

/* All names of NIDL, and the related names of C. */
static void has_aliases(void)
{
	static const char *const pairs[][2] = {
		{ "sint8", "i8" }, { "sint16", "i16" }, { "sint32", "i32" },
		{ "sint64", "i64" }, { "uint8", "u8" }, { "uint16", "u16" },
		{ "uint32", "u32" }, { "uint64", "u64" }, { "int8", "i8" },
		{ "int16", "i16" }, { "int32", "i32" }, { "int64", "i64" },
		{ "float", "f32" }, { "double", "f64" }, { "bool", "bool" },
		{ "char", "char" },
	};
	char text[64], canonical[64];

	for (size_t i = 0; i < TAP_COUNT(pairs); i++) {
		sprintf(text, "f(a: %s, b: out pointer %s)", pairs[i][0],
			pairs[i][0]);
		sprintf(canonical, "f(a: %s, b: out pointer %s)", pairs[i][1],
			pairs[i][1]);
		check_canonical(text, canonical);
	}
}

static void is_refused(void)
{
	check_refused("", "byte 1: expected a kernel's name, found the end");
	check_refused("f", "byte 2: expected '(', found the end");
	check_refused("f(", "byte 3: expected a parameter's name");
	check_refused("f(a)", "byte 4: expected ':' and a type, found ')'");
	check_refused("f(a: f16)", "byte 6: \"f16\" is not a type");
	check_refused("f(a: f32,)", "byte 10: expected a parameter's name");
	check_refused("f(a: f32 b: f32)", "byte 10: expected ',' or ')'");
	check_refused("f(a: in f32)", "\"f32\" is no pointer");
	check_refused("f(a: in local f32)", "\"local\" is no pointer");
	check_refused("f(a: local)", "byte 11: expected the type of its "
		      "elements, found ')'");
	check_refused("f(a: local pointer)", "\"pointer\" is not a type of "
		      "elements");
	check_refused("f(a: local local)", "\"local\" is not a type of");
	check_refused("f(a: pointer local)", "\"local\" is not a type to");
	check_refused("f(): local", "\"local\" cannot be returned");
	check_refused("f(a: f32x5)", "\"f32x5\" is not a type");
	check_refused("f(a: boolx2)", "\"boolx2\" is not a type");
	check_refused("f(a: in f32x4)", "\"f32x4\" is no pointer");
	check_refused("f(a: pointer float32)", "\"float32\" is not a type to "
		      "point to; types are i8 to i64, u8 to u64, f32, f64, ");
	check_refused("f(a: local float32)", "local memory; types are i8 to");
	check_refused("f(a: pointer f32x3)", "\"f32x3\" is not a type to");
	check_refused("f(a: local u8x3)", "\"u8x3\" is not a type of");
	check_refused("f(): i32x2", "\"i32x2\" cannot be returned");
	check_refused("f(): struct 4", "\"struct\" cannot be returned");
	check_refused("f(a: struct)", "byte 12: expected the size of the "
		      "struct, 1 to 4096 bytes, found ')'");
	check_refused("f(a: struct 0)", "expected the size of the struct");
	check_refused("f(a: struct 4097)", "expected the size of the struct");
	check_refused("f(a: struct 99999999999999999999)",
		      "expected the size of the struct");
	check_refused("f(a: struct 8x)", "expected the size of the struct");
	check_refused("f(a: struct b c 8)", "expected the size of the struct");
	check_refused("f(a: struct 24 align 3)", "expected an alignment that "
		      "is a power of two and divides");
	check_refused("f(a: struct 24 align 16)", "expected an alignment that");
	check_refused("f(a: struct 256 align 128)", "an alignment of 1 to 64");
	check_refused("f(a: struct 8 aligned 8)", "expected ',' or ')'");
	check_refused("f(a: pointer struct 8)", "\"struct\" is not a type to");
	check_refused("f(a: in struct 8)", "\"struct\" is not a type");
	check_refused("f(a: const out pointer)", "\"out\" contradicts");
	check_refused("f(a: f32, a: u8)", "\"a\" names two parameters");
	check_refused("f() x", "byte 5: expected nothing more, found 'x'");
	check_refused("f(): f32", "\"f32\" cannot be returned");
	check_refused("f(): pointer", "\"pointer\" cannot be returned");
	check_refused("f(): int", "byte 6: \"int\" cannot be returned");
	check_refused("f():", "byte 5: expected \"void\" or a type");
	check_refused("f(a: in string)", "\"string\" is not a type");
	check_refused("f(a: pointer string)", "\"string\" is not a type to");
	check_refused("f(\xff)", "a byte that is not text");
	check_refused("1f()", "found '1'");
	check_refused("f(a: pointer f16)", "\"f16\" is not a type to point");
}

static void is_bounded(void)
{
	static char text[16 * 1100];
	plait__signature *signature;
	plait_error error;
	size_t length = 0;
	int status;

	length += (size_t)sprintf(text, "f(");
	for (int i = 0; i < 1024; i++)
		length += (size_t)sprintf(text + length, "%sp%d: u8",
					  i ? ", " : "", i);
	strcpy(text + length, ")");
	status = parse(text, &signature, &error);
	IS_INT(status, PLAIT_OK);
	plait__signature_destroy(plait__alloc_default(), signature);
	strcpy(text + length, ", q: u8)");
	check_refused(text, "more than 1024 parameters");
	memset(text, 'n', 300);
	strcpy(text + 300, "()");
	check_refused(text, "longer than 255");
}

struct fault {
	unsigned fail_at;
	unsigned calls;
	int64_t live;
};

static void *failing_resize(void *user_data, void *pointer, uint64_t old_bytes,
			    uint64_t new_bytes)
{
	const plait_allocator *libc = plait__alloc_default();
	struct fault *fault = user_data;
	void *block;

	if (new_bytes != 0 && ++fault->calls == fault->fail_at)
		return NULL;
	block = libc->resize(NULL, pointer, old_bytes, new_bytes);
	fault->live += (int64_t)new_bytes - (int64_t)old_bytes;
	return block;
}

static void every_allocation_can_fail(void)
{
	plait_status status = PLAIT_E_NOMEM;
	unsigned k = 0;

	while (status != PLAIT_OK && ++k < 100) {
		struct fault fault = { .fail_at = k };
		plait_allocator allocator = { sizeof(allocator), 0,
					      failing_resize, &fault };
		plait__signature *signature;

		status = plait__signature_parse(
			"f(a: f32, b: f32, c: f32, d: u8, e: u8, f: u8, "
			"g: u8, h: u8, i: pointer)", &allocator, &signature,
			NULL);
		OK(status == PLAIT_OK || status == PLAIT_E_NOMEM);
		plait__signature_destroy(&allocator, signature);
		IS_INT(fault.live, 0);
	}
	OK_THAT(k > 3 && k < 100, "failed %u times, then passed", k - 1);
}

static const struct tap_scenario scenarios[] = {
	{ "parses", parses },
	{ "has atomic memory", has_atomic_memory },
	{ "has local memory", has_local_memory },
	{ "has vectors and structs", has_vectors_and_structs },
	{ "arrays and chunks", has_arrays_and_chunks },
	{ "has all vectors", has_all_vectors },
	{ "is canonical", is_canonical },
	{ "has aliases", has_aliases },
	{ "is refused", is_refused },
	{ "is bounded", is_bounded },
	{ "every allocation can fail", every_allocation_can_fail },
};
TAP_MAIN(scenarios)
