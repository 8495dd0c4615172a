/* SPDX-License-Identifier: MIT */
/* Text form of bandwidths; see links_read.h. */
#include "flow/policy/links_read.h"

#include "base/error.h"
#include "base/text.h"

#include <string.h>

/* Decimals of a GB/s are bytes per microsecond. */
enum { DECIMALS = 3, MOST_RATE = 1000000000, SHOWN = 40 };

typedef struct plait__links_line {
	const char *at;		/* null behind the last word */
	const char *end;
	const char *name;
	uint32_t number;
	plait_error *error;
} plait__links_line;

typedef struct plait__links_word {
	const char *start;
	size_t length;
} plait__links_word;

/* ---- words ---- */

/* Take the text up to a comma or the end, without the blanks around it. */
static plait__links_word next_word(plait__links_line *line)
{
	plait__links_word word = { line->at != NULL ? line->at : line->end, 0 };
	const char *comma = memchr(word.start, ',',
				   (size_t)(line->end - word.start));
	const char *end = comma != NULL ? comma : line->end;

	line->at = comma != NULL ? comma + 1 : NULL;
	while (word.start < end && (*word.start == ' ' || *word.start == '\t'))
		word.start++;
	while (end > word.start && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	word.length = (size_t)(end - word.start);
	return word;
}

static int shown(const plait__links_word *word)
{
	return word->length < SHOWN ? (int)word->length : SHOWN;
}

/* Parse digits from *at on; returns false if there is none, or the number is
 * above MOST_RATE. */
static bool parse_digits(const char **at, const char *end, uint64_t *out)
{
	const char *first = *at;

	for (*out = 0; *at < end && **at >= '0' && **at <= '9'; (*at)++) {
		*out = *out * 10 + (uint64_t)(**at - '0');
		if (*out > MOST_RATE)
			return false;
	}
	return *at > first;
}

/* The decimals behind a point as thousandths; more than three are checked and
 * dropped. */
static bool parse_decimals(const char *at, const char *end, uint64_t *out)
{
	const char *first = at;

	*out = 0;
	for (; at < end && *at >= '0' && *at <= '9'; at++)
		if (at - first < DECIMALS)
			*out = *out * 10 + (uint64_t)(*at - '0');
	for (long i = at - first; i < DECIMALS; i++)
		*out *= 10;
	return at == end && at > first;
}

/* ---- fields ---- */

static plait_status read_memory(const plait__links_line *line,
				const plait__links_word *word,
				const plait__links *links, uint32_t *out)
{
	const char *at = word->start, *end = at + word->length;
	uint64_t number;

	*out = links->host;
	if (word->length == 2 && memcmp(at, "-1", 2) == 0)
		return PLAIT_OK;
	if (parse_digits(&at, end, &number) && at == end &&
	    number + 1 < links->count) {
		*out = (uint32_t)number + (number >= links->host);
		return PLAIT_OK;
	}
	if (links->count == 1)
		return plait__fail(line->error, PLAIT_E_INVALID,
				   "%s:%u: \"%.*s\": there are no devices; the "
				   "host is -1", line->name, line->number,
				   shown(word), word->start);
	return plait__fail(line->error, PLAIT_E_INVALID,
			   "%s:%u: \"%.*s\": devices are numbered 0 to %u, the "
			   "host is -1", line->name, line->number, shown(word),
			   word->start, links->count - 2);
}

static plait_status read_rate(const plait__links_line *line,
			      const plait__links_word *word, uint64_t *out)
{
	const char *at = word->start, *end = at + word->length;
	uint64_t whole = 0, decimals = 0;
	bool valid = parse_digits(&at, end, &whole);

	if (valid && at < end)
		valid = *at == '.' && parse_decimals(at + 1, end, &decimals);
	*out = whole * 1000 + decimals;
	if (valid && *out > 0 && *out <= MOST_RATE)
		return PLAIT_OK;
	return plait__fail(line->error, PLAIT_E_INVALID,
			   "%s:%u: \"%.*s\": expected a bandwidth from 0.001 to "
			   "1000000 GB/s; leave out the line if there is no "
			   "link", line->name, line->number, shown(word),
			   word->start);
}

/* ---- lines ---- */

static bool is_word(const plait__links_word *word, const char *text)
{
	return word->length == strlen(text) &&
	       memcmp(word->start, text, word->length) == 0;
}

static bool is_skipped(const plait__links_line *line)
{
	plait__links_line rest = *line;
	plait__links_word from = next_word(&rest), to = next_word(&rest);
	plait__links_word rate = next_word(&rest);

	if (from.length == 0 && from.start == line->end)
		return true;
	if (from.length > 0 && from.start[0] == '#')
		return true;
	return line->number == 1 && is_word(&from, "From") &&
	       is_word(&to, "To") && is_word(&rate, "Bandwidth") &&
	       rest.at == NULL;
}

static plait_status read_line(plait__links *links, plait__links_line *line,
			      uint64_t seen[])
{
	plait__links_word words[3];
	uint32_t from = 0, to = 0;
	uint64_t rate = 0;
	plait_status status;

	for (int i = 0; i < 3; i++)
		words[i] = next_word(line);
	if (words[2].length == 0 || line->at != NULL)
		return plait__fail(line->error, PLAIT_E_INVALID,
				   "%s:%u: expected From,To,Bandwidth, such as "
				   "\"-1,0,12.5\"", line->name, line->number);
	status = read_memory(line, &words[0], links, &from);
	if (status == PLAIT_OK)
		status = read_memory(line, &words[1], links, &to);
	if (status == PLAIT_OK)
		status = read_rate(line, &words[2], &rate);
	if (status == PLAIT_OK && seen[from] >> to & 1)
		return plait__fail(line->error, PLAIT_E_INVALID,
				   "%s:%u: the link from %.*s to %.*s is given "
				   "twice; leave out one of the lines",
				   line->name, line->number, shown(&words[0]),
				   words[0].start, shown(&words[1]),
				   words[1].start);
	if (status != PLAIT_OK)
		return status;
	seen[from] |= (uint64_t)1 << to;
	links->table[from * links->count + to].rate = rate;
	return PLAIT_OK;
}

plait_status plait__links_read(plait__links *links, const char *text,
			       uint64_t bytes, const char *name,
			       plait_error *error)
{
	uint64_t seen[PLAIT__LINKS_MEMORIES] = { 0 };
	char room[PLAIT__TEXT_CUT_BYTES];
	plait__links_line line = { .error = error };
	const char *end = text + bytes;
	plait_status status = PLAIT_OK;

	line.name = plait__text_path(name, PLAIT__TEXT_CUT_BYTES - 4, room);
	while (status == PLAIT_OK && text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));

		line.number++;
		line.at = text;
		line.end = stop != NULL ? stop : end;
		text = stop != NULL ? stop + 1 : end;
		if (line.end > line.at && line.end[-1] == '\r')
			line.end--;
		if (!is_skipped(&line))
			status = read_line(links, &line, seen);
	}
	return status;
}
