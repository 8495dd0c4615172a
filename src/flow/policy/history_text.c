/* SPDX-License-Identifier: MIT */
/* Text form of a history; see history_text.h. */
#include "flow/policy/history_text.h"

#include "base/error.h"

#include <stddef.h>

static const char first_line[] = "plait history 1";

/* In place of a number of the history. */
#define UNKNOWN_DEVICE UINT32_MAX

/* ---- writing ---- */

static void write_entry(const plait__history_entry *entry, plait__text *out)
{
	plait__text_add(out, "time ");
	for (uint32_t i = 0; i < sizeof(entry->key.code); i++)
		plait__text_add(out, "%02x", entry->key.code[i]);
	plait__text_add(out, " %u %u %llu %llu %u\n", entry->key.device,
			entry->key.size_class,
			(unsigned long long)entry->time.mean,
			(unsigned long long)entry->time.spread,
			entry->time.count);
}

void plait__history_text_write(plait__history *history, plait__text *out)
{
	plait__history_sort(history);
	plait__text_add(out, "%s\n", first_line);
	for (uint32_t i = 0; i < history->devices.count; i++) {
		const plait__history_name *name =
			plait__vector_at(&history->devices, i);

		plait__text_add(out, "device %u %s\n", i, name->text);
	}
	for (uint32_t i = 0; i < history->entries.count; i++)
		write_entry(plait__vector_at(&history->entries, i), out);
}

/* ---- reading ---- */

typedef struct plait__history_reader {
	plait__history *history;
	const char *at, *end;	/* of the rest of the line */
	uint32_t line;
	plait__history_damage *damage;
	/* Numbers of the text's devices in the history. */
	uint32_t devices[PLAIT__HISTORY_DEVICES];
} plait__history_reader;

static bool skip_word(plait__history_reader *reader, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(reader->end - reader->at) < length ||
	    memcmp(reader->at, word, length) != 0)
		return false;
	reader->at += length;
	return true;
}

/* Parse a number of at most `most`, and the blank or the end behind it. */
static bool read_number(plait__history_reader *reader, uint64_t most,
			uint64_t *out)
{
	const char *first = reader->at;

	*out = 0;
	for (; reader->at < reader->end && *reader->at >= '0' &&
	       *reader->at <= '9'; reader->at++)
		if (__builtin_mul_overflow(*out, 10, out) ||
		    __builtin_add_overflow(*out, *reader->at - '0', out))
			return false;
	return reader->at > first && *out <= most &&
	       (reader->at == reader->end || skip_word(reader, " "));
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_code(plait__history_reader *reader,
		      unsigned char code[PLAIT__HASH_BYTES])
{
	if (reader->end - reader->at < 2 * PLAIT__HASH_BYTES)
		return false;
	for (int i = 0; i < PLAIT__HASH_BYTES; i++) {
		int high = hex_digit(*reader->at++);
		int low = hex_digit(*reader->at++);

		if (high < 0 || low < 0)
			return false;
		code[i] = (unsigned char)(high << 4 | low);
	}
	return skip_word(reader, " ");
}

static plait_status skip_line(plait__history_reader *reader,
			      const char *reason)
{
	if (reader->damage->count++ == 0) {
		reader->damage->first_line = reader->line;
		reader->damage->reason = reason;
	}
	return PLAIT_OK;
}

static plait_status read_device(plait__history_reader *reader)
{
	char name[PLAIT__HISTORY_NAME_BYTES];
	uint64_t number, length;
	plait_status status;

	if (!read_number(reader, PLAIT__HISTORY_DEVICES - 1, &number) ||
	    reader->at == reader->end)
		return skip_line(reader, "no number and description");
	length = (uint64_t)(reader->end - reader->at);
	if (length >= sizeof(name) || memchr(reader->at, '\0', length) != NULL)
		return skip_line(reader, "no description");
	if (reader->devices[number] != UNKNOWN_DEVICE)
		return skip_line(reader, "the device is given twice");
	memcpy(name, reader->at, length);
	name[length] = '\0';
	status = plait__history_device(reader->history, name,
				       &reader->devices[number]);
	if (status == PLAIT_OK)
		return PLAIT_OK;
	reader->devices[number] = UNKNOWN_DEVICE;
	return reader->history->devices.count < PLAIT__HISTORY_DEVICES ?
	       status : skip_line(reader, "too many devices");
}

static bool read_time(plait__history_reader *reader,
		      plait__time_model *time)
{
	const uint64_t most = PLAIT__TIME_MOST_NS;
	uint64_t count;

	if (!read_number(reader, most, &time->mean) ||
	    !read_number(reader, most, &time->spread) ||
	    !read_number(reader, UINT32_MAX, &count) || count == 0)
		return false;
	time->count = (uint32_t)count;
	return reader->at == reader->end && reader->at[-1] != ' ';
}

static plait_status read_entry(plait__history_reader *reader)
{
	plait__time_model time = { .mean = 0 };
	plait__history_entry *entry;
	plait__history_key key;
	uint64_t device, size_class;

	if (!read_code(reader, key.code) ||
	    !read_number(reader, PLAIT__HISTORY_DEVICES - 1, &device) ||
	    !read_number(reader, PLAIT__HISTORY_CLASSES - 1, &size_class) ||
	    !read_time(reader, &time))
		return skip_line(reader, "not six fields in their ranges");
	key.device = reader->devices[device];
	key.size_class = (uint32_t)size_class;
	if (key.device == UNKNOWN_DEVICE)
		return skip_line(reader, "its device is not given before");
	if (plait__history_find(reader->history, &key) != NULL)
		return PLAIT_OK;
	entry = plait__history_touch(reader->history, &key);
	if (entry == NULL)
		return PLAIT_E_NOMEM;
	entry->time = time;
	return PLAIT_OK;
}

static plait_status read_line(plait__history_reader *reader)
{
	if (skip_word(reader, "device "))
		return read_device(reader);
	if (skip_word(reader, "time "))
		return read_entry(reader);
	return skip_line(reader, "neither a device nor a time");
}

/* Take the next line; returns false for a last one without its end, which may be
 * a part. */
static bool take_line(plait__history_reader *reader, const char **text,
		      const char *end)
{
	const char *stop = memchr(*text, '\n', (size_t)(end - *text));

	reader->line++;
	reader->at = *text;
	reader->end = stop != NULL ? stop : end;
	*text = stop != NULL ? stop + 1 : end;
	return stop != NULL;
}

plait_status plait__history_text_read(plait__history *history,
				      const char *text, uint64_t bytes,
				      const char *name,
				      plait__history_damage *damage,
				      plait_error *error)
{
	plait__history_reader reader = { .history = history,
					 .damage = damage };
	const char *end = text + bytes;
	plait_status status = PLAIT_OK;

	*damage = (plait__history_damage){ .count = 0 };
	memset(reader.devices, 0xff, sizeof(reader.devices));
	if (!take_line(&reader, &text, end) ||
	    !skip_word(&reader, first_line) || reader.at < reader.end)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%.*s:1: expected \"%s\"; a history of "
				   "another version, or no history; remove the "
				   "file to begin a new one",
				   PLAIT__TEXT_FIT(name, 80), first_line);
	while (status == PLAIT_OK && text < end)
		status = take_line(&reader, &text, end) ? read_line(&reader) :
			 skip_line(&reader, "the line has no end");
	if (status == PLAIT_OK)
		return PLAIT_OK;
	return plait__fail(error, status, "%.*s:%u: no memory for a history",
			   PLAIT__TEXT_FIT(name, 80), reader.line);
}
