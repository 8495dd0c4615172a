/* SPDX-License-Identifier: MIT */
/* Parser of the options.  A value that is not valid is an error that names its
 * key; a default never replaces it. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"

/* Parse digits with an optional K, M, G or T; return 0, or -1. */
static int parse(const char *text, uint64_t *out)
{
	static const char letters[] = "KMGT";
	const char *letter;
	char *end;
	int shift;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	*out = strtoull(text, &end, 10);
	if (errno != 0)
		return -1;
	if (*end == '\0')
		return 0;
	letter = strchr(letters, *end);
	if (letter == NULL || end[1] != '\0')
		return -1;
	shift = 10 * (int)(letter - letters + 1);
	if (*out > UINT64_MAX >> shift)
		return -1;
	*out <<= shift;
	return 0;
}

plait_status plaitp_host_options_read(plait_host *host,
				      const plait_host_services *services,
				      struct host_options *out,
				      plait_error *error)
{
	const struct {
		const char *key;
		uint64_t least;
		uint64_t most;
		uint64_t usual;
		uint64_t *value;
	} known[] = {
		{ "devices", 1, HOST_MAX_DEVICES, 1, &out->devices },
		{ "pin", 0, 1, 0, &out->pin },
		{ "describe", 0, 1, 0, &out->describe },
		{ "memory", 1, UINT64_MAX, 0, &out->memory_bytes },
	};
	const char *text;
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		*known[i].value = known[i].usual;
		text = services->option(host, known[i].key);
		if (text == NULL)
			continue;
		if (parse(text, known[i].value) == 0 &&
		    *known[i].value >= known[i].least &&
		    *known[i].value <= known[i].most)
			continue;
		return plaitp_host_fail(services, error, PLAIT_E_INVALID,
					"host: option %s=%.60s: expected a "
					"number from %llu to %llu",
					known[i].key, text,
					(unsigned long long)known[i].least,
					(unsigned long long)known[i].most);
	}
	return PLAIT_OK;
}
