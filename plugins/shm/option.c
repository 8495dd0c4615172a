/* SPDX-License-Identifier: MIT */
/* Options: rank, ranks and name, as a launcher sets them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "shm.h"

static plait_status read_number(plait_backend *self, const char *key,
				uint64_t least, uint64_t most, uint32_t *out,
				plait_error *error)
{
	const char *text = self->services->option(self->host, key);
	unsigned long long value;
	char *end;

	if (!text)
		return PLAIT_OK;
	errno = 0;
	value = strtoull(text, &end, 10);
	if (*text < '0' || *text > '9' || *end || errno || value < least ||
	    value > most)
		return plaitp_shm_fail(self, error, PLAIT_E_INVALID,
				       "option %s=%.60s: expected a number "
				       "from %llu to %llu", key, text,
				       (unsigned long long)least,
				       (unsigned long long)most);
	*out = (uint32_t)value;
	return PLAIT_OK;
}

static plait_status read_name(plait_backend *self, plait_error *error)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz"
		"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";
	struct shm_settings *settings = &self->settings;
	const char *text = self->services->option(self->host, "name");

	if (!text)
		return PLAIT_OK;
	if (!*text || strlen(text) > SHM_NAME_BYTES ||
	    text[strspn(text, letters)] != '\0')
		return plaitp_shm_fail(self, error, PLAIT_E_INVALID,
				       "option name=%.60s: expected 1 to %d "
				       "letters, digits, '_', '.' or '-'", text,
				       SHM_NAME_BYTES);
	memcpy(settings->name, text, strlen(text) + 1);
	settings->has_name = true;
	return PLAIT_OK;
}

plait_status plaitp_shm_option_read(plait_backend *self, plait_error *error)
{
	struct shm_settings *settings = &self->settings;
	uint32_t rank = UINT32_MAX;
	plait_status status;

	if ((status = read_name(self, error)) ||
	    (status = read_number(self, "ranks", 1, SHM_MAX_RANKS,
				  &settings->ranks, error)) ||
	    (status = read_number(self, "rank", 0, SHM_MAX_RANKS - 1, &rank,
				  error)))
		return status;
	if ((rank != UINT32_MAX) != (settings->ranks != 0) ||
	    (settings->has_name && settings->ranks == 0))
		return plaitp_shm_fail(self, error, PLAIT_E_INVALID,
				       "options rank, ranks and name: rank and "
				       "ranks go together, a name needs both");
	if (settings->ranks == 0)
		return PLAIT_OK;
	if (rank >= settings->ranks)
		return plaitp_shm_fail(self, error, PLAIT_E_INVALID,
				       "options rank=%u, ranks=%u: ranks count "
				       "from 0", rank, settings->ranks);
	settings->rank = rank;
	if (!settings->has_name)
		memcpy(settings->name, "world", sizeof("world"));
	settings->has_name = true;
	return PLAIT_OK;
}
