/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of the text form of histories: an error with the name, or a history
 * that is the same after it is written and read again.
 */
#include "fuzz.h"

#include "base/alloc.h"
#include "flow/policy/history_text.h"

#include <string.h>

static plait_status read_text(plait__history *history, const char *text,
			      uint64_t bytes, plait__history_damage *damage,
			      plait_error *error)
{
	plait__history_init(history, plait__alloc_default());
	return plait__history_text_read(history, text, bytes, "input", damage,
					error);
}

static void compare(plait__history *history)
{
	plait_error error = { .size = sizeof(error) };
	plait__history_damage damage;
	plait__history again;
	plait__text one, two;

	plait__text_init(&one, plait__alloc_default());
	plait__text_init(&two, plait__alloc_default());
	plait__history_text_write(history, &one);
	FUZZ_NEED(read_text(&again, one.bytes, one.length, &damage, &error) ==
		  PLAIT_OK, error.text);
	FUZZ_NEED(damage.count == 0, damage.reason);
	plait__history_text_write(&again, &two);
	FUZZ_NEED(strcmp(plait__text_get(&one), plait__text_get(&two)) == 0,
		  plait__text_get(&one));
	plait__history_fini(&again);
	plait__text_fini(&one);
	plait__text_fini(&two);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	plait_error error = { .size = sizeof(error) };
	plait__history_damage damage;
	plait__history history;
	plait_status status = read_text(&history, (const char *)data, size,
					&damage, &error);

	FUZZ_NEED(status == PLAIT_OK || strncmp(error.text, "input:", 6) == 0,
		  error.text);
	FUZZ_NEED((damage.count > 0) == (damage.reason != NULL), error.text);
	if (status == PLAIT_OK)
		compare(&history);
	plait__history_fini(&history);
	return 0;
}
