/* SPDX-License-Identifier: MIT */
/*
 * XML documents, parsed by expat without DTD: elements and attributes become
 * the tables of a document.
 */
#include "config.h"

#include "coll/form/xml_read.h"

#include "coll/form/xml_document.h"
#include "coll/form/xml_resolve.h"
#include "base/error.h"
#include "base/text.h"

#ifdef HAVE_EXPAT
#include <expat.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>

enum {
	MAX_DEPTH = 16,
	MAX_GPUS = 1 << 16,
	MAX_BLOCKS = 1 << 20,
	MAX_STEPS = 1 << 24
};

#define MAX_BYTES (UINT64_C(1) << 31)

typedef struct reader_state {
	XML_Parser parser;
	plait_error *error;
	plait_status status;
	plait__xml_document document;
	uint32_t depth;		/* elements that are open */
	uint32_t skipped;	/* open elements below an unknown one */
} reader_state;

static uint32_t line_of(const reader_state *reader)
{
	return (uint32_t)XML_GetCurrentLineNumber(reader->parser);
}

/* Keep the first error and stop the parser. */
#define REFUSE(reader, ...) \
	refuse(reader, plait__fail((reader)->error, PLAIT_E_INVALID, \
				   __VA_ARGS__))

static void refuse(reader_state *reader, plait_status status)
{
	reader->status = status;
	XML_StopParser(reader->parser, XML_FALSE);
}

/* ---- attributes ---- */

enum field_type { FIELD_NUMBER, FIELD_BYTES, FIELD_TEXT };

typedef struct field_rule {
	const char *name;
	size_t offset;
	uint8_t type;		/* enum field_type */
	uint8_t room;		/* FIELD_TEXT */
	bool optional;
	int64_t minimum, maximum;
} field_rule;

#define NUMBER(type, name, low, high) \
	{ #name, offsetof(type, name), FIELD_NUMBER, 0, false, low, high }
#define TEXT(type, name) \
	{ #name, offsetof(type, name), FIELD_TEXT, \
	  sizeof(((type *)0)->name), false, 0, 0 }

static const field_rule algo_fields[] = {
	{ "name", offsetof(plait__xml_document, name), FIELD_TEXT,
	  PLAIT__XML_TEXT_BYTES, true, 0, 0 },
	TEXT(plait__xml_document, proto),
	TEXT(plait__xml_document, coll),
	NUMBER(plait__xml_document, nchannels, 1, 65536),
	NUMBER(plait__xml_document, nchunksperloop, 1, 1 << 24),
	NUMBER(plait__xml_document, ngpus, 1, MAX_GPUS),
	NUMBER(plait__xml_document, inplace, 0, 1),
	{ "outofplace", offsetof(plait__xml_document, outofplace),
	  FIELD_NUMBER, 0, true, 0, 1 },
	{ "minBytes", offsetof(plait__xml_document, min_bytes), FIELD_BYTES, 0,
	  true, 0, INT64_MAX },
	{ "maxBytes", offsetof(plait__xml_document, max_bytes), FIELD_BYTES, 0,
	  true, 0, INT64_MAX },
};

static const field_rule gpu_fields[] = {
	NUMBER(plait__xml_gpu, id, 0, MAX_GPUS - 1),
	NUMBER(plait__xml_gpu, i_chunks, 0, 1 << 24),
	NUMBER(plait__xml_gpu, o_chunks, 0, 1 << 24),
	NUMBER(plait__xml_gpu, s_chunks, 0, 1 << 24),
};

static const field_rule block_fields[] = {
	NUMBER(plait__xml_block, id, 0, MAX_BLOCKS - 1),
	NUMBER(plait__xml_block, send, -1, MAX_GPUS - 1),
	NUMBER(plait__xml_block, recv, -1, MAX_GPUS - 1),
	NUMBER(plait__xml_block, chan, 0, 65535),
};

static const field_rule step_fields[] = {
	NUMBER(plait__xml_step, s, 0, MAX_STEPS - 1),
	TEXT(plait__xml_step, type),
	TEXT(plait__xml_step, srcbuf),
	NUMBER(plait__xml_step, srcoff, -1, 1 << 24),
	TEXT(plait__xml_step, dstbuf),
	NUMBER(plait__xml_step, dstoff, -1, 1 << 24),
	NUMBER(plait__xml_step, cnt, 0, 1 << 24),
	NUMBER(plait__xml_step, depid, -1, MAX_BLOCKS - 1),
	NUMBER(plait__xml_step, deps, -1, MAX_STEPS - 1),
	NUMBER(plait__xml_step, hasdep, 0, 1),
};

static const char *find_value(const XML_Char **attributes, const char *name)
{
	for (; attributes[0] != NULL; attributes += 2)
		if (strcmp(attributes[0], name) == 0)
			return attributes[1];
	return NULL;
}

/* Read a decimal number of at most 19 digits, with a sign or not. */
static bool read_number(const char *text, int64_t *out)
{
	bool negative = *text == '-';
	const char *digits = text + negative, *at = digits;

	*out = 0;
	for (; *at >= '0' && *at <= '9' && at - digits < 19; at++)
		if (__builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, *at - '0', out))
			return false;
	if (negative)
		*out = -*out;
	return at > digits && *at == '\0';
}

static void store_number(const field_rule *field, int64_t number, char *to)
{
	int32_t narrow = (int32_t)number;

	if (field->type == FIELD_BYTES)
		memcpy(to, &number, sizeof(number));
	else
		memcpy(to, &narrow, sizeof(narrow));
}

/* Returns false after a refusal. */
static bool store_value(reader_state *reader, const char *element,
			const field_rule *field, const char *value, char *to)
{
	int64_t number;

	if (field->type == FIELD_TEXT) {
		if (strlen(value) < field->room) {
			memcpy(to, value, strlen(value) + 1);
			return true;
		}
		REFUSE(reader, "line %u: %s of %s has more than %u characters",
		       line_of(reader), field->name, element, field->room - 1u);
		return false;
	}
	if (!read_number(value, &number) || number < field->minimum ||
	    number > field->maximum) {
		REFUSE(reader, "line %u: %s=\"%.*s\" of %s: a number from %lld "
		       "to %lld", line_of(reader), field->name,
		       PLAIT__TEXT_FIT(value, 40), element,
		       (long long)field->minimum, (long long)field->maximum);
		return false;
	}
	store_number(field, number, to);
	return true;
}

#define READ(reader, element, fields, attributes, to) \
	read_fields(reader, element, fields, \
		    sizeof(fields) / sizeof((fields)[0]), attributes, to)

static bool read_fields(reader_state *reader, const char *element,
			const field_rule *fields, size_t count,
			const XML_Char **attributes, void *to)
{
	for (size_t i = 0; i < count; i++) {
		const char *value = find_value(attributes, fields[i].name);

		if (value == NULL && fields[i].optional)
			continue;
		if (value == NULL) {
			REFUSE(reader, "line %u: %s has no attribute %s",
			       line_of(reader), element, fields[i].name);
			return false;
		}
		if (!store_value(reader, element, &fields[i], value,
				 (char *)to + fields[i].offset))
			return false;
	}
	return true;
}

/* ---- elements ---- */

static void add(reader_state *reader, plait__vector *vector, uint32_t maximum,
		const void *item)
{
	if (vector->count == maximum)
		REFUSE(reader, "line %u: more than %u elements of this kind",
		       line_of(reader), maximum);
	else if (plait__vector_push(vector, item, 1) == NULL)
		refuse(reader, plait__fail(reader->error, PLAIT_E_NOMEM,
					   "no memory at line %u",
					   line_of(reader)));
}

static void enter_algo(reader_state *reader, const XML_Char **attributes)
{
	reader->document.line = line_of(reader);
	READ(reader, "algo", algo_fields, attributes, &reader->document);
}

static void enter_gpu(reader_state *reader, const XML_Char **attributes)
{
	plait__xml_gpu item = { .line = line_of(reader) };

	item.first_block = reader->document.blocks.count;
	if (READ(reader, "gpu", gpu_fields, attributes, &item))
		add(reader, &reader->document.gpus, MAX_GPUS, &item);
}

static void enter_block(reader_state *reader, const XML_Char **attributes)
{
	plait__vector *gpus = &reader->document.gpus;
	plait__xml_block item = { .line = line_of(reader) };
	plait__xml_gpu *gpu = plait__vector_at(gpus, gpus->count - 1);

	item.first_step = reader->document.steps.count;
	gpu->block_count++;
	if (READ(reader, "tb", block_fields, attributes, &item))
		add(reader, &reader->document.blocks, MAX_BLOCKS, &item);
}

static void enter_step(reader_state *reader, const XML_Char **attributes)
{
	plait__vector *blocks = &reader->document.blocks;
	plait__xml_step item = { .line = line_of(reader) };
	plait__xml_block *block = plait__vector_at(blocks, blocks->count - 1);

	block->step_count++;
	if (READ(reader, "step", step_fields, attributes, &item))
		add(reader, &reader->document.steps, MAX_STEPS, &item);
}

typedef struct element_rule {
	const char *name;
	void (*enter)(reader_state *reader, const XML_Char **attributes);
} element_rule;

/* By depth. */
static const element_rule elements[] = {
	{ "algo", enter_algo },
	{ "gpu", enter_gpu },
	{ "tb", enter_block },
	{ "step", enter_step },
};

enum { ELEMENTS = sizeof(elements) / sizeof(elements[0]) };

static bool is_known(const char *name)
{
	for (uint32_t i = 0; i < ELEMENTS; i++)
		if (strcmp(elements[i].name, name) == 0)
			return true;
	return false;
}

static void XMLCALL enter(void *user_data, const XML_Char *name,
			  const XML_Char **attributes)
{
	reader_state *reader = user_data;
	uint32_t depth = reader->depth++;

	if (reader->status)
		return;
	if (depth == MAX_DEPTH)
		REFUSE(reader, "line %u: elements are nested deeper than %u",
		       line_of(reader), MAX_DEPTH);
	else if (reader->skipped > 0)
		reader->skipped++;
	else if (depth < ELEMENTS && strcmp(elements[depth].name, name) == 0)
		elements[depth].enter(reader, attributes);
	else if (depth == 0 || is_known(name))
		REFUSE(reader, "line %u: element %.*s is not expected here",
		       line_of(reader), PLAIT__TEXT_FIT(name, 40));
	else
		reader->skipped = 1;
}

static void XMLCALL leave(void *user_data, const XML_Char *name)
{
	reader_state *reader = user_data;

	(void)name;
	reader->depth--;
	if (reader->skipped > 0)
		reader->skipped--;
}

static void XMLCALL refuse_doctype(void *user_data, const XML_Char *name,
				   const XML_Char *system,
				   const XML_Char *public, int has_subset)
{
	reader_state *reader = user_data;

	(void)name, (void)system, (void)public, (void)has_subset;
	REFUSE(reader, "line %u: a document type is not allowed",
	       line_of(reader));
}

/* ---- documents ---- */

static void init(reader_state *reader, const plait_allocator *allocator)
{
	plait__xml_document *document = &reader->document;

	document->outofplace = PLAIT__XML_ABSENT;
	document->min_bytes = document->max_bytes = -1;
	plait__vector_init(&document->gpus, allocator, sizeof(plait__xml_gpu));
	plait__vector_init(&document->blocks, allocator,
			   sizeof(plait__xml_block));
	plait__vector_init(&document->steps, allocator,
			   sizeof(plait__xml_step));
}

static void fini(reader_state *reader)
{
	plait__vector_fini(&reader->document.gpus);
	plait__vector_fini(&reader->document.blocks);
	plait__vector_fini(&reader->document.steps);
}

/* Parse in pieces whose sizes an int can hold. */
static void parse(reader_state *reader, const char *bytes, uint64_t size)
{
	while (!reader->status) {
		int piece = size > 1 << 24 ? 1 << 24 : (int)size;
		bool is_last = (uint64_t)piece == size;
		enum XML_Status status = XML_Parse(reader->parser, bytes,
						   piece, is_last);

		if (status != XML_STATUS_OK && !reader->status)
			REFUSE(reader, "line %u: %s", line_of(reader),
			       XML_ErrorString(XML_GetErrorCode(
				       reader->parser)));
		if (is_last)
			return;
		bytes += piece;
		size -= (uint64_t)piece;
	}
}

static plait_status parse_document(reader_state *reader, const void *bytes,
				   uint64_t size)
{
	reader->parser = XML_ParserCreate(NULL);
	if (reader->parser == NULL)
		return plait__fail(reader->error, PLAIT_E_NOMEM,
				   "no memory for an XML parser");
	XML_SetUserData(reader->parser, reader);
	XML_SetElementHandler(reader->parser, enter, leave);
	XML_SetStartDoctypeDeclHandler(reader->parser, refuse_doctype);
	parse(reader, bytes, size);
	XML_ParserFree(reader->parser);
	return reader->status;
}

plait_status plait__xml_read(const void *bytes, uint64_t size, const char *name,
			     const plait_allocator *allocator,
			     plait__schedule **out, plait_error *error)
{
	reader_state reader = { .error = error };
	plait_status status;

	*out = NULL;
	if (size > MAX_BYTES)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: more than %llu bytes", name,
				   (unsigned long long)MAX_BYTES);
	init(&reader, allocator);
	status = parse_document(&reader, bytes, size);
	if (!status)
		status = plait__xml_resolve(&reader.document, allocator, out,
					    error);
	if (status)
		plait__error_prefix(error, "%s: ", name);
	fini(&reader);
	return status;
}

#else

plait_status plait__xml_read(const void *bytes, uint64_t size, const char *name,
			     const plait_allocator *allocator,
			     plait__schedule **out, plait_error *error)
{
	(void)bytes, (void)size, (void)allocator;
	*out = NULL;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "%s: this plait was built without expat and reads no "
			   "XML; install libexpat1-dev and configure again",
			   name);
}

#endif
