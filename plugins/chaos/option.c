/* SPDX-License-Identifier: MIT */
/*
 * Parser of the options.  A value that is not valid is an error that names its
 * key; a default never replaces it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "chaos.h"

struct reader {
	plait_host *host;
	const plait_host_services *services;
	plait_error *error;
};

static const struct {
	const char *name;
	uint32_t quirk;
} quirks[] = {
	{ "late_notify", CHAOS_LATE_NOTIFY },
	{ "inline_notify", CHAOS_INLINE_NOTIFY },
	{ "slow_host", CHAOS_SLOW_HOST },
	{ "batch", CHAOS_NEEDS_FLUSH },
	{ "shuffle", CHAOS_SHUFFLE },
	{ "spurious", CHAOS_SPURIOUS },
	{ "staged_map", CHAOS_STAGED_MAP },
	{ "all", UINT32_MAX },
};

static plait_status refuse(const struct reader *reader, const char *key,
			   const char *value, const char *expected)
{
	char text[PLAIT_ERROR_TEXT_BYTES];

	snprintf(text, sizeof(text), "chaos: option %s=%.60s: expected %s",
		 key, value, expected);
	return reader->services->fail(reader->error, PLAIT_E_INVALID, 0, text);
}

/* Parse digits with an optional K, M or G; return their end, or null. */
static const char *number(const char *text, uint64_t *out)
{
	static const char letters[] = "KMG";
	const char *letter;
	char *end;

	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	*out = strtoull(text, &end, 0);
	letter = *end ? strchr(letters, *end) : NULL;
	if (errno)
		return NULL;
	if (letter) {
		int shift = 10 * (int)(letter - letters + 1);

		if (*out > UINT64_MAX >> shift)
			return NULL;
		*out <<= shift;
		end++;
	}
	return end;
}

static plait_status read_number(const struct reader *reader, const char *key,
				uint64_t min, uint64_t max, uint64_t *value)
{
	const char *text = reader->services->option(reader->host, key);
	const char *end;
	uint64_t read;
	char expected[80];

	if (!text)
		return PLAIT_OK;
	end = number(text, &read);
	if (end && !*end && read >= min && read <= max) {
		*value = read;
		return PLAIT_OK;
	}
	snprintf(expected, sizeof(expected), "a number from %llu to %llu",
		 (unsigned long long)min, (unsigned long long)max);
	return refuse(reader, key, text, expected);
}

static plait_status read_alignment(const struct reader *reader, uint64_t *value)
{
	const char *text = reader->services->option(reader->host, "alignment");
	plait_status status = read_number(reader, "alignment", 64, 1 << 20,
					  value);

	return status != PLAIT_OK || (*value & (*value - 1)) == 0 ? status :
	       refuse(reader, "alignment", text, "a power of two");
}

/* Read MIN-MAX, or one number for both, in ns; at most one hour. */
static plait_status read_range(const struct reader *reader, const char *key,
			       chaos_range *range)
{
	const char *text = reader->services->option(reader->host, key);
	const uint64_t limit = UINT64_C(3600000000000);
	chaos_range read;
	const char *end;

	if (!text)
		return PLAIT_OK;
	end = number(text, &read.min);
	read.max = read.min;
	if (end && *end == '-')
		end = number(end + 1, &read.max);
	if (!end || *end || read.min > read.max || read.max > limit)
		return refuse(reader, key, text,
			      "MIN-MAX in nanoseconds, up to an hour");
	*range = read;
	return PLAIT_OK;
}

/* Read numbers with + between them, one per device. */
static plait_status read_items(const struct reader *reader,
			       uint64_t items[CHAOS_SPEEDS])
{
	const char *text = reader->services->option(reader->host, "item_ns");
	const char *at = text;
	uint64_t read[CHAOS_SPEEDS];
	uint32_t count = 0;

	if (!text)
		return PLAIT_OK;
	while (at && count < CHAOS_SPEEDS) {
		at = number(at, &read[count]);
		if (!at || read[count++] > 1000000000)
			break;
		if (!*at) {
			for (uint32_t i = 0; i < CHAOS_SPEEDS; i++)
				items[i] = read[i < count ? i : count - 1];
			return PLAIT_OK;
		}
		at = *at == '+' ? at + 1 : NULL;
	}
	return refuse(reader, "item_ns", text,
		      "up to 16 numbers of nanoseconds, up to 1000000000, with + "
		      "between them");
}

/* Read names, separated by any characters but letters and _. */
static plait_status read_quirks(const struct reader *reader, uint32_t *out)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz_";
	const char *text = reader->services->option(reader->host, "quirks");
	uint32_t read = 0;

	for (const char *p = text; p && *p; ) {
		size_t length = strspn(p, letters);
		size_t i;

		for (i = 0; i < sizeof(quirks) / sizeof(quirks[0]); i++)
			if (strlen(quirks[i].name) == length &&
			    memcmp(quirks[i].name, p, length) == 0)
				break;
		if (i == sizeof(quirks) / sizeof(quirks[0]) && length > 0)
			return refuse(reader, "quirks", p,
				      "late_notify, inline_notify, slow_host, "
				      "batch, shuffle, spurious, staged_map "
				      "or all");
		if (length > 0)
			read |= quirks[i].quirk;
		p += length;
		p += strcspn(p, letters);
	}
	*out = read;
	return PLAIT_OK;
}

/* Read LATENCY/BANDWIDTH, in ns and bytes per microsecond. */
static plait_status read_link(const struct reader *reader, const char *key,
			      chaos_link *link)
{
	const char *text = reader->services->option(reader->host, key);
	const uint64_t most = 1000000000;
	chaos_link read = { 0, 0 };
	const char *end;

	if (!text)
		return PLAIT_OK;
	end = number(text, &read.latency_ns);
	if (end)
		end = *end == '/' ? number(end + 1, &read.bytes_per_us) : NULL;
	if (!end || *end || read.latency_ns == 0 || read.latency_ns > most ||
	    read.bytes_per_us == 0 || read.bytes_per_us > most)
		return refuse(reader, key, text,
			      "LATENCY/BANDWIDTH, in nanoseconds and bytes per "
			      "microsecond, each from 1 to 1000000000");
	*link = read;
	return PLAIT_OK;
}

static plait_status read_peers(const struct reader *reader, uint32_t *out)
{
	static const char *const names[] = {
		[CHAOS_PEERS_ALL] = "all", [CHAOS_PEERS_RING] = "ring",
		[CHAOS_PEERS_NONE] = "none"
	};
	const char *text = reader->services->option(reader->host, "peers");
	uint32_t i;

	if (!text)
		return PLAIT_OK;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(text, names[i]) == 0) {
			*out = i;
			return PLAIT_OK;
		}
	return refuse(reader, "peers", text, "all, ring or none");
}

static plait_status read_links(const struct reader *reader, chaos_options *out)
{
	plait_status status;

	if ((status = read_peers(reader, &out->peers)) ||
	    (status = read_number(reader, "shared", 0, 1, &out->shared)) ||
	    (status = read_link(reader, "link", &out->link)) ||
	    (status = read_link(reader, "host_link", &out->host_link)))
		return status;
	return PLAIT_OK;
}

/* Read RANK@NS. */
static plait_status read_death(const struct reader *reader, chaos_options *out)
{
	const char *text = reader->services->option(reader->host, "dies");
	const char *end;

	if (!text)
		return PLAIT_OK;
	end = number(text, &out->dead_rank);
	if (end)
		end = *end == '@' ? number(end + 1, &out->death_ns) : NULL;
	if (end && !*end)
		return PLAIT_OK;
	return refuse(reader, "dies", text, "RANK@NANOSECONDS");
}

static plait_status read_ranks(const struct reader *reader, chaos_options *out)
{
	const uint64_t most = UINT64_MAX;
	plait_status status;

	if ((status = read_range(reader, "wire_ns", &out->wire_ns)) ||
	    (status = read_number(reader, "mail_lost", 0, most,
				  &out->mail_lost)) ||
	    (status = read_number(reader, "mail_twice", 0, most,
				  &out->mail_twice)) ||
	    (status = read_number(reader, "mail_late", 0, most,
				  &out->mail_late)) ||
	    (status = read_number(reader, "mail_cut", 0, most,
				  &out->mail_cut)) ||
	    (status = read_death(reader, out)))
		return status;
	return PLAIT_OK;
}

plait_status plaitp_chaos_options(plait_host *host,
				  const plait_host_services *services,
				  chaos_options *out, plait_error *error)
{
	const struct reader reader = { host, services, error };
	plait_status status;

	*out = (chaos_options){
		.seed = 1, .devices = 2, .memory_bytes = 256u << 20,
		.parallel = 4, .host_calls = 1, .kernels = 1,
		.segments = 1, .regions = 1, .patches = 1, .rows = 1,
		.patience_ms = 5000, .alignment_bytes = 64,
		.submit_ns = { 200, 2000 }, .command_ns = { 100, 10000 },
		.hop_ns = { 100, 3000 }, .wire_ns = { 500, 5000 },
		.dead_rank = UINT64_MAX,
	};
	if ((status = read_number(&reader, "seed", 0, UINT64_MAX,
				  &out->seed)) ||
	    (status = read_number(&reader, "devices", 1, 1024,
				  &out->devices)) ||
	    (status = read_number(&reader, "memory", 0, UINT64_MAX,
				  &out->memory_bytes)) ||
	    (status = read_number(&reader, "parallel", 1, 4096,
				  &out->parallel)) ||
	    (status = read_number(&reader, "host_calls", 0, 1,
				  &out->host_calls)) ||
	    (status = read_number(&reader, "kernels", 0, 1,
				  &out->kernels)) ||
	    (status = read_number(&reader, "segments", 0, 1,
				  &out->segments)) ||
	    (status = read_number(&reader, "regions", 0, 1,
				  &out->regions)) ||
	    (status = read_number(&reader, "patches", 0, 1,
				  &out->patches)) ||
	    (status = read_number(&reader, "repeats", 0, 1,
				  &out->repeats)) ||
	    (status = read_number(&reader, "rows", 0, 1, &out->rows)) ||
	    (status = read_alignment(&reader, &out->alignment_bytes)) ||
	    (status = read_number(&reader, "patience_ms", 0, 3600000,
				  &out->patience_ms)) ||
	    (status = read_number(&reader, "log", 0, 1, &out->log)) ||
	    (status = read_range(&reader, "submit_ns", &out->submit_ns)) ||
	    (status = read_range(&reader, "command_ns", &out->command_ns)) ||
	    (status = read_range(&reader, "hop_ns", &out->hop_ns)) ||
	    (status = read_items(&reader, out->item_ns)) ||
	    (status = read_links(&reader, out)) ||
	    (status = read_ranks(&reader, out)) ||
	    (status = read_quirks(&reader, &out->quirks)))
		return status;
	return PLAIT_OK;
}
