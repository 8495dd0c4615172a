/* SPDX-License-Identifier: MIT */
/*
 * Parser of kernel signatures; see signature.h for the grammar.  Names are
 * collected in one growing text, then everything moves into one block
 * (signature_write.c).
 */
#include "kernel/signature.h"

#include "plait/mapper.h"

#include "kernel/signature_write.h"

#include "base/alloc.h"
#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct parser {
	const char *text;
	const char *at;
	const plait_allocator *allocator;
	plait_error *error;
	plait__text names;
	plait__signature_draft *drafts;
	plait__type result;
	uint32_t count;
	uint32_t capacity;
};

struct word {
	const char *start;
	size_t length;
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name_char(char c)
{
	return is_letter(c) || (c >= '0' && c <= '9');
}

static void skip_space(struct parser *parser)
{
	while (is_space(*parser->at))
		parser->at++;
}

/* Describe the next character for an error; never a raw byte. */
static const char *describe_next(const struct parser *parser, char shown[8])
{
	unsigned char c = (unsigned char)*parser->at;

	if (c == '\0')
		return "the end";
	if (c < 0x20 || c >= 0x7f)
		return "a byte that is not text";
	shown[0] = '\'';
	shown[1] = (char)c;
	shown[2] = '\'';
	shown[3] = '\0';
	return shown;
}

static plait_status expected(struct parser *parser, const char *what)
{
	char shown[8];

	return plait__fail(parser->error, PLAIT_E_INVALID,
			   "signature, byte %zu: expected %s, found %s",
			   (size_t)(parser->at - parser->text) + 1, what,
			   describe_next(parser, shown));
}

static plait_status wrong_word(struct parser *parser, struct word word,
			       const char *what)
{
	return plait__fail(parser->error, PLAIT_E_INVALID,
			   "signature, byte %zu: \"%.*s\" %s",
			   (size_t)(word.start - parser->text) + 1,
			   word.length < 40 ? (int)word.length : 40,
			   word.start, what);
}

static bool accept(struct parser *parser, char c)
{
	skip_space(parser);
	if (*parser->at != c)
		return false;
	parser->at++;
	return true;
}

static plait_status expect(struct parser *parser, char c, const char *what)
{
	return accept(parser, c) ? PLAIT_OK : expected(parser, what);
}

static plait_status read_word(struct parser *parser, const char *what,
			      struct word *out)
{
	skip_space(parser);
	if (!is_letter(*parser->at))
		return expected(parser, what);
	out->start = parser->at;
	while (is_name_char(*parser->at))
		parser->at++;
	out->length = (size_t)(parser->at - out->start);
	if (out->length > PLAIT__SIGNATURE_MAX_NAME)
		return wrong_word(parser, *out, "... is longer than 255 bytes");
	return PLAIT_OK;
}

static bool word_is(struct word word, const char *text)
{
	return strlen(text) == word.length &&
	       memcmp(word.start, text, word.length) == 0;
}

static uint64_t keep_name(struct parser *parser, struct word word)
{
	uint64_t place = parser->names.length;

	plait__text_add_bytes(&parser->names, word.start, word.length);
	plait__text_add_bytes(&parser->names, "", 1);
	return place;
}

static bool name_is_taken(const struct parser *parser, struct word word)
{
	const char *names = plait__text_get(&parser->names);

	for (uint32_t i = 0; i < parser->count && !parser->names.failed; i++)
		if (word_is(word, names + parser->drafts[i].name))
			return true;
	return false;
}

static uint32_t mode_of(struct word word)
{
	if (word_is(word, "in") || word_is(word, "const"))
		return PLAIT__MODE_IN;
	if (word_is(word, "out"))
		return PLAIT__MODE_OUT;
	if (word_is(word, "atomic"))
		return PLAIT__MODE_ATOMIC;
	return word_is(word, "inout") ? PLAIT__MODE_INOUT : PLAIT__MODE_VALUE;
}

/* Parse modes, which may repeat ("const in") but not contradict ("const
 * out"). */
static plait_status read_modes(struct parser *parser, struct word *word,
			       uint32_t *out_mode)
{
	uint32_t mode = PLAIT__MODE_VALUE, next;
	plait_status status = read_word(parser, "a type", word);

	while (status == PLAIT_OK && (next = mode_of(*word)) != 0) {
		if (mode != 0 && mode != next)
			return wrong_word(parser, *word,
					  "contradicts what stands before it");
		mode = next;
		status = read_word(parser, "\"pointer\"", word);
	}
	*out_mode = mode;
	return status;
}

#define ELEMENTS "types are i8 to i64, u8 to u64, f32, f64, bool, char, " \
	"vectors (f32x4)"

/* Returns true for the types that memory can have as elements. */
static bool is_element(uint32_t type)
{
	return type != PLAIT__TYPE_NONE && type != PLAIT__TYPE_LOCAL &&
	       type != PLAIT__TYPE_IMAGE && type != PLAIT__TYPE_SAMPLER &&
	       plait__type_lanes((plait__type)type) != 3;
}

/* Parse the optional element type after "pointer". */
static plait_status read_element(struct parser *parser, plait__signature_draft *draft)
{
	struct word word;
	plait_status status;

	if (draft->mode == PLAIT__MODE_VALUE)
		draft->mode = PLAIT__MODE_INOUT;
	skip_space(parser);
	if (!is_letter(*parser->at))
		return PLAIT_OK;
	status = read_word(parser, "a type", &word);
	if (status != PLAIT_OK)
		return status;
	draft->element = plait__type_find(word.start, word.length);
	if (!is_element(draft->element))
		return wrong_word(parser, word, "is not a type to point to; "
				  ELEMENTS);
	return PLAIT_OK;
}

/* Parse the element type after "local". */
static plait_status read_local(struct parser *parser, plait__signature_draft *draft)
{
	struct word word;
	plait_status status = read_word(parser, "the type of its elements",
					&word);

	if (status != PLAIT_OK)
		return status;
	draft->element = plait__type_find(word.start, word.length);
	if (!is_element(draft->element) ||
	    draft->element == PLAIT__TYPE_POINTER)
		return wrong_word(parser, word, "is not a type of elements of "
				  "local memory; " ELEMENTS);
	return PLAIT_OK;
}

/* Parse a number of at least 1 and at most `most`. */
static plait_status read_number(struct parser *parser, uint32_t most,
				const char *what, uint32_t *out)
{
	const char *at;

	skip_space(parser);
	at = parser->at;
	*out = 0;
	for (; *at >= '0' && *at <= '9' && *out <= most; at++)
		*out = *out * 10 + (uint32_t)(*at - '0');
	if (*out == 0 || *out > most || is_letter(*at))
		return expected(parser, what);
	parser->at = at;
	return PLAIT_OK;
}

/* Take the word "align". */
static bool accept_align(struct parser *parser)
{
	skip_space(parser);
	if (strncmp(parser->at, "align", 5) != 0 ||
	    is_name_char(parser->at[5]))
		return false;
	parser->at += 5;
	return true;
}

/* Returns the alignment of a struct that does not say it: the largest power of
 * two that divides its size, up to that of a pointer. */
static uint32_t usual_alignment(uint32_t bytes)
{
	uint32_t alignment = bytes & -bytes;

	return alignment < 8 ? alignment : 8;
}

static plait_status read_alignment(struct parser *parser,
				   plait__signature_draft *draft)
{
	uint32_t alignment = usual_alignment(draft->bytes);
	plait_status status = PLAIT_OK;

	if (accept_align(parser))
		status = read_number(parser,
				     PLAIT__SIGNATURE_MAX_STRUCT_ALIGNMENT,
				     "an alignment of 1 to 64", &alignment);
	if (status != PLAIT_OK)
		return status;
	if ((alignment & (alignment - 1)) != 0 ||
	    draft->bytes % alignment != 0)
		return expected(parser, "an alignment that is a power of two "
				"and divides the size before it");
	draft->type = PLAIT__TYPE_STRUCT | (uint32_t)__builtin_ctz(alignment);
	return PLAIT_OK;
}

/* Parse the name, size and alignment after "struct". */
static plait_status read_struct(struct parser *parser, plait__signature_draft *draft)
{
	plait_status status = PLAIT_OK;
	struct word name;

	skip_space(parser);
	if (is_letter(*parser->at)) {
		status = read_word(parser, "a name", &name);
		if (status == PLAIT_OK)
			draft->struct_name = keep_name(parser, name);
	}
	if (status == PLAIT_OK)
		status = read_number(parser, PLAIT__SIGNATURE_MAX_STRUCT_BYTES,
				     "the size of the struct, 1 to 4096 bytes",
				     &draft->bytes);
	return status == PLAIT_OK ? read_alignment(parser, draft) : status;
}

/* Returns true for NIDL's "string": read-only characters. */
static bool is_string(plait__signature_draft *draft, struct word word)
{
	if (draft->mode != PLAIT__MODE_VALUE || !word_is(word, "string"))
		return false;
	draft->type = PLAIT__TYPE_POINTER;
	draft->element = PLAIT__TYPE_CHAR;
	draft->mode = PLAIT__MODE_IN;
	return true;
}

/* Make an image of the draft, which may have a mode. */
static plait_status take_image(struct parser *parser, plait__signature_draft *draft,
			       struct word word)
{
	draft->type = PLAIT__TYPE_POINTER;
	draft->element = PLAIT__TYPE_IMAGE;
	if (draft->mode == PLAIT__MODE_VALUE)
		draft->mode = PLAIT__MODE_IN;
	if (draft->mode == PLAIT__MODE_IN || draft->mode == PLAIT__MODE_OUT)
		return PLAIT_OK;
	return wrong_word(parser, word, "is in or out: a launch does not read "
			  "and write one");
}

/* Returns the dimensions of "array1" to "array3"; 0 for other words. */
static uint32_t array_of(struct word word)
{
	return word_is(word, "array1") ? 1 : word_is(word, "array2") ? 2 :
	       word_is(word, "array3") ? 3 : 0;
}

/* Make a pointer with the dimensions of an array of the draft. */
static plait_status take_array(struct parser *parser, plait__signature_draft *draft,
			       struct word array)
{
	plait_status status;

	draft->type = PLAIT__TYPE_POINTER;
	draft->array = array_of(array);
	status = read_element(parser, draft);
	if (status == PLAIT_OK && (draft->element == PLAIT__TYPE_NONE ||
				   draft->element == PLAIT__TYPE_POINTER))
		return wrong_word(parser, array, "needs the type of its "
				  "elements; " ELEMENTS);
	return status;
}

/* Returns true for the items of a piece. */
static bool is_chunk(struct parser *parser, plait__signature_draft *draft,
		     struct word word)
{
	static const char name[] = "plait_box";

	if (draft->mode != PLAIT__MODE_VALUE || !word_is(word, "chunk"))
		return false;
	draft->type = PLAIT__TYPE_STRUCT | 3;
	draft->bytes = sizeof(plait_box);
	draft->is_chunk = true;
	draft->struct_name = keep_name(parser, (struct word){
		name, sizeof(name) - 1 });
	return true;
}

static plait_status read_type(struct parser *parser, plait__signature_draft *draft)
{
	struct word word;
	plait_status status = read_modes(parser, &word, &draft->mode);

	if (status != PLAIT_OK || is_string(draft, word) ||
	    is_chunk(parser, draft, word))
		return status;
	if (array_of(word) != 0)
		return take_array(parser, draft, word);
	if (draft->mode == PLAIT__MODE_VALUE && word_is(word, "struct"))
		return read_struct(parser, draft);
	draft->type = plait__type_find(word.start, word.length);
	if (draft->type == PLAIT__TYPE_NONE)
		return wrong_word(parser, word,
				  "is not a type; types are i8 to i64, u8 to "
				  "u64, f32, f64, bool, char, vectors (f32x4), "
				  "struct, string, pointer, array1 to array3, "
				  "chunk, local, image, sampler");
	if (draft->type == PLAIT__TYPE_IMAGE)
		return take_image(parser, draft, word);
	if (draft->type == PLAIT__TYPE_POINTER)
		return read_element(parser, draft);
	if (draft->mode != PLAIT__MODE_VALUE)
		return wrong_word(parser, word,
				  "is no pointer; in, out, inout, const and "
				  "atomic are for pointers");
	if (draft->type == PLAIT__TYPE_LOCAL)
		return read_local(parser, draft);
	return PLAIT_OK;
}

static plait_status grow_drafts(struct parser *parser)
{
	uint32_t wanted = parser->capacity == 0 ? 8 : parser->capacity * 2;
	plait__signature_draft *grown;

	if (parser->count == PLAIT__SIGNATURE_MAX_PARAMETERS)
		return plait__fail(parser->error, PLAIT_E_INVALID,
				   "signature: more than %d parameters; pass "
				   "a buffer that holds them",
				   PLAIT__SIGNATURE_MAX_PARAMETERS);
	if (parser->count < parser->capacity)
		return PLAIT_OK;
	grown = plait__realloc(parser->allocator, parser->drafts,
			       parser->capacity * sizeof(*grown),
			       wanted * sizeof(*grown));
	if (grown == NULL)
		return plait__fail(parser->error, PLAIT_E_NOMEM,
				   "no memory for a signature");
	parser->drafts = grown;
	parser->capacity = wanted;
	return PLAIT_OK;
}

/* The numbers of an array: the suffix of the name, the type. */
static const struct {
	const char *suffix;
	uint32_t type;
} places[] = {
	[PLAIT__PLACE_AT] = { "_at", PLAIT__TYPE_I64 },
	[PLAIT__PLACE_PITCH] = { "_pitch", PLAIT__TYPE_U64 },
	[PLAIT__PLACE_SLICE] = { "_slice", PLAIT__TYPE_U64 }
};

/* Add a number of the array that `array` names. */
static plait_status add_place(struct parser *parser, struct word array,
			      uint32_t place)
{
	plait__signature_draft draft = { .type = places[place].type, .place = place,
			       .struct_name = PLAIT__DRAFT_NO_NAME };
	char room[PLAIT__SIGNATURE_MAX_NAME + 8];
	struct word name = { room, 0 };
	plait_status status = grow_drafts(parser);

	if (status != PLAIT_OK)
		return status;
	name.length = (size_t)snprintf(room, sizeof(room), "%.*s%s",
				       (int)array.length, array.start,
				       places[place].suffix);
	if (name_is_taken(parser, name))
		return wrong_word(parser, array, "is an array whose at, pitch "
				  "or slice has the name of a parameter before "
				  "it");
	draft.name = keep_name(parser, name);
	parser->drafts[parser->count++] = draft;
	return PLAIT_OK;
}

static plait_status read_parameter(struct parser *parser)
{
	plait__signature_draft draft = { .struct_name = PLAIT__DRAFT_NO_NAME };
	struct word name;
	plait_status status = grow_drafts(parser);

	if (status == PLAIT_OK)
		status = read_word(parser, "a parameter's name", &name);
	if (status != PLAIT_OK)
		return status;
	if (name_is_taken(parser, name))
		return wrong_word(parser, name, "names two parameters");
	draft.name = keep_name(parser, name);
	status = expect(parser, ':', "':' and a type");
	if (status == PLAIT_OK)
		status = read_type(parser, &draft);
	if (status == PLAIT_OK)
		parser->drafts[parser->count++] = draft;
	for (uint32_t i = 1; status == PLAIT_OK && i <= draft.array; i++)
		status = add_place(parser, name, i);
	return status;
}

static plait_status read_parameters(struct parser *parser)
{
	plait_status status = expect(parser, '(', "'('");

	if (status != PLAIT_OK || accept(parser, ')'))
		return status;
	do {
		status = read_parameter(parser);
		if (status != PLAIT_OK)
			return status;
	} while (accept(parser, ','));
	return expect(parser, ')', "',' or ')'");
}

/* Parse the result: void, or an integer that says whether the kernel failed. */
static plait_status read_result(struct parser *parser)
{
	struct word word;
	plait_status status;

	if (!accept(parser, ':'))
		return PLAIT_OK;
	status = read_word(parser, "\"void\" or a type of integers", &word);
	if (status != PLAIT_OK || word_is(word, "void"))
		return status;
	parser->result = plait__type_find(word.start, word.length);
	if (!plait__type_is_integer(parser->result))
		return wrong_word(parser, word,
				  "cannot be returned: a result is an integer, "
				  "0 for success; write anything else through "
				  "an out pointer");
	return PLAIT_OK;
}

static plait_status read_all(struct parser *parser)
{
	struct word name;
	plait_status status = read_word(parser, "a kernel's name", &name);

	if (status != PLAIT_OK)
		return status;
	(void)keep_name(parser, name);
	status = read_parameters(parser);
	if (status == PLAIT_OK)
		status = read_result(parser);
	skip_space(parser);
	if (status == PLAIT_OK && *parser->at != '\0')
		return expected(parser, "nothing more");
	return status;
}

plait_status plait__signature_parse(const char *text,
				    const plait_allocator *allocator,
				    plait__signature **out, plait_error *error)
{
	struct parser parser = { .text = text, .at = text,
				 .allocator = allocator, .error = error };
	plait_status status;

	*out = NULL;
	if (text == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "signature is null");
	if (strnlen(text, PLAIT__SIGNATURE_MAX_BYTES) ==
	    PLAIT__SIGNATURE_MAX_BYTES)
		return plait__fail(error, PLAIT_E_INVALID,
				   "signature is longer than %d bytes",
				   PLAIT__SIGNATURE_MAX_BYTES);
	plait__text_init(&parser.names, allocator);
	status = read_all(&parser);
	if (status == PLAIT_OK)
		status = plait__signature_write(&parser.names, parser.drafts,
						parser.count, parser.result,
						allocator, out, error);
	plait__free(allocator, parser.drafts,
		    parser.capacity * sizeof(*parser.drafts));
	plait__text_fini(&parser.names);
	return status;
}

void plait__signature_destroy(const plait_allocator *allocator,
			      plait__signature *signature)
{
	if (signature != NULL)
		plait__free(allocator, signature, signature->block_bytes);
}

/* ---- counts of arguments ---- */

enum { COUNT_TEXT_BYTES = 256 };

/* Write the first array as plain parameters. */
static void write_plain(const plait__signature *signature,
			char text[COUNT_TEXT_BYTES])
{
	const plait__parameter *at = signature->parameters;

	while (at->array == 0)
		at++;
	snprintf(text, COUNT_TEXT_BYTES,
		 "; %.40s is its pointer, %.40s_at (i64)%s%s, which only a flow "
		 "adds", at->name, at->name,
		 at->array > 1 ? ", its pitch (u64)" : "",
		 at->array > 2 ? ", its slice (u64)" : "");
}

plait_status plait__signature_fail_count(const plait__signature *signature,
					 uint64_t count, plait_error *error)
{
	char plain[COUNT_TEXT_BYTES] = "";

	if (signature->place_count > 0)
		write_plain(signature, plain);
	return plait__fail(error, PLAIT_E_INVALID,
			   "%llu arguments for %u parameters of %.60s%s",
			   (unsigned long long)count, signature->count,
			   signature->name, plain);
}
