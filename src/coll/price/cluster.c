/* SPDX-License-Identifier: MIT */
/* Text form of clusters; see cluster.h. */
#include "coll/price/cluster.h"

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef struct plait__cluster_reader {
	const char *at, *end, *name;
	plait__cluster *cluster;
	plait_error *error;
	uint32_t line;
	uint32_t seen;		/* bit i: row i of the table has a value */
} plait__cluster_reader;

typedef struct plait__cluster_word {
	const char *start;
	size_t length;
} plait__cluster_word;

#define FIELD(member) offsetof(plait__cluster, member)
#define PROTOCOL(word, i) \
	{ word, "link", FIELD(protocols[i].link_ns), 0, 1000000000, 0 }, \
	{ word, "network", FIELD(protocols[i].network_ns), 0, 1000000000, \
	  0 }, \
	{ word, "wire", FIELD(protocols[i].wire), 1, 1024, 1 }, \
	{ word, "data", FIELD(protocols[i].data), 1, 1024, 1 }

static const struct row {
	const char *line, *field;
	size_t offset;
	uint32_t least, most;
	uint32_t usual;		/* value of a field that is left out */
} rows[] = {
	{ "cluster", "nodes", FIELD(nodes), 1, 65536, 1 },
	{ "cluster", "ranks", FIELD(ranks), 1, 65536, 0 },
	{ "cluster", "start", FIELD(start_ns), 0, 1000000000, 0 },
	{ "cluster", "step", FIELD(step_ns), 0, 1000000000, 0 },
	{ "lane", "rate", FIELD(lane_rate), 1, 100000000, 0 },
	{ "lane", "most", FIELD(lanes), 1, 1000000000, 1000000000 },
	{ "memory", "rate", FIELD(memory_rate), 1, 100000000, 100000000 },
	{ "link", "rate", FIELD(link_rate), 1, 100000000, 100000000 },
	{ "network", "rate", FIELD(network_rate), 1, 100000000, 100000000 },
	{ "network", "ports", FIELD(ports), 1, 65536, 1 },
	{ "network", "message", FIELD(message_ns), 0, 1000000000, 0 },
	PROTOCOL("simple", 0),
	PROTOCOL("ll", 1),
	PROTOCOL("ll128", 2),
};
enum { ROWS = sizeof(rows) / sizeof(rows[0]) };

static bool is_word(const plait__cluster_word *word, const char *text)
{
	return strlen(text) == word->length &&
	       memcmp(word->start, text, word->length) == 0;
}

static int shown_length(const plait__cluster_word *word)
{
	return word->length < 40 ? (int)word->length : 40;
}

static plait_status refuse(const plait__cluster_reader *reader,
			   const plait__cluster_word *word, const char *what)
{
	return plait__fail(reader->error, PLAIT_E_INVALID, "%s:%u: \"%.*s\" %s",
			   reader->name, reader->line, shown_length(word),
			   word->start, what);
}

/* Take a word of the line; its length is 0 at the end of the line. */
static plait__cluster_word next_word(plait__cluster_reader *reader)
{
	plait__cluster_word word;

	while (reader->at < reader->end &&
	       (*reader->at == ' ' || *reader->at == '\t' ||
		*reader->at == '\r'))
		reader->at++;
	word.start = reader->at;
	if (reader->at < reader->end && *reader->at == '#')
		while (reader->at < reader->end && *reader->at != '\n')
			word.start = ++reader->at;
	while (reader->at < reader->end && *reader->at != '\0' &&
	       strchr(" \t\r\n#", *reader->at) == NULL)
		reader->at++;
	word.length = (size_t)(reader->at - word.start);
	return word;
}

/* Parse all digits up to the end of the word; false if it is no number of 32
 * bits. */
static bool parse_number(const char *at, const char *end, uint32_t *out)
{
	*out = 0;
	if (at >= end)
		return false;
	for (; at < end; at++)
		if (*at < '0' || *at > '9' ||
		    __builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, (uint32_t)(*at - '0'), out))
			return false;
	return true;
}

static plait_status set_field(plait__cluster_reader *reader, uint32_t number,
			      const plait__cluster_word *word,
			      const char *value)
{
	const struct row *row = &rows[number];
	uint32_t parsed;

	if (!parse_number(value, word->start + word->length, &parsed) ||
	    parsed < row->least || parsed > row->most)
		return plait__fail(reader->error, PLAIT_E_INVALID,
				   "%s:%u: \"%.*s\": expected a number from %u "
				   "to %u", reader->name, reader->line,
				   shown_length(word), word->start, row->least,
				   row->most);
	if (reader->seen & 1u << number)
		return refuse(reader, word, "is given twice");
	reader->seen |= 1u << number;
	memcpy((char *)reader->cluster + row->offset, &parsed, sizeof(parsed));
	return PLAIT_OK;
}

static plait_status read_field(plait__cluster_reader *reader,
			       const plait__cluster_word *line,
			       const plait__cluster_word *word)
{
	const char *equals = memchr(word->start, '=', word->length);
	const plait__cluster_word field = {
		word->start,
		equals != NULL ? (size_t)(equals - word->start) : 0
	};

	if (equals == NULL)
		return refuse(reader, word, "is not of the form FIELD=NUMBER");
	for (uint32_t i = 0; i < ROWS; i++)
		if (is_word(line, rows[i].line) &&
		    is_word(&field, rows[i].field))
			return set_field(reader, i, word, equals + 1);
	return refuse(reader, word, "is no field of this line; doc/cluster.md "
		      "has them");
}

static plait_status read_line(plait__cluster_reader *reader)
{
	plait__cluster_word line = next_word(reader), word;
	plait_status status = PLAIT_OK;
	bool known = line.length == 0;

	for (uint32_t i = 0; i < ROWS; i++)
		known |= is_word(&line, rows[i].line);
	if (!known)
		return refuse(reader, &line, "begins no line of a cluster: "
			      "cluster, lane, memory, link, network, simple, "
			      "ll, ll128");
	for (word = next_word(reader); status == PLAIT_OK && word.length > 0;
	     word = next_word(reader))
		status = read_field(reader, &line, &word);
	if (status == PLAIT_OK && reader->at < reader->end) {
		if (*reader->at != '\n')
			return plait__fail(reader->error, PLAIT_E_INVALID,
					   "%s:%u: a byte of value 0",
					   reader->name, reader->line);
		reader->at++;
		reader->line++;
	}
	return status;
}

static plait_status complete(const plait__cluster_reader *reader)
{
	for (uint32_t i = 0; i < ROWS; i++) {
		char *field = (char *)reader->cluster + rows[i].offset;

		if (reader->seen & 1u << i)
			continue;
		if (rows[i].usual < rows[i].least)
			return plait__fail(reader->error, PLAIT_E_INVALID,
					   "%s: %s of the line %s is missing",
					   reader->name, rows[i].field,
					   rows[i].line);
		memcpy(field, &rows[i].usual, sizeof(rows[i].usual));
	}
	if (reader->cluster->ports > reader->cluster->ranks)
		return plait__fail(reader->error, PLAIT_E_INVALID,
				   "%s: %u ports of a node with %u ranks; at "
				   "most one of each rank", reader->name,
				   reader->cluster->ports,
				   reader->cluster->ranks);
	return PLAIT_OK;
}

plait_status plait__cluster_read(const char *text, uint64_t bytes,
				 const char *name, plait__cluster *out,
				 plait_error *error)
{
	plait__cluster_reader reader = {
		.at = text, .end = text + bytes, .name = name, .line = 1,
		.cluster = out, .error = error,
	};
	plait_status status = PLAIT_OK;

	*out = (plait__cluster){ .nodes = 0 };
	while (status == PLAIT_OK && reader.at < reader.end)
		status = read_line(&reader);
	return status == PLAIT_OK ? complete(&reader) : status;
}
