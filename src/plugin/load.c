/* SPDX-License-Identifier: MIT */
/* Loading of a plugin's table from its file; see load.h. */
#include "plugin/load.h"

#include "plugin/canary.h"
#include "plugin/elf_check.h"
#include "plugin/table_check.h"

#include "base/error.h"
#include "sys/dl.h"

#include <limits.h>
#include <string.h>

/* Records that the entry may write, each followed by a canary. */
struct answer {
	plait_backend_table table;
	unsigned char table_canary[PLAIT__CANARY_BYTES];
	plait_error error;
	unsigned char error_canary[PLAIT__CANARY_BYTES];
};

/* Terminate the text and keep it on one line. */
static void sanitize_text(char text[PLAIT_ERROR_TEXT_BYTES])
{
	text[PLAIT_ERROR_TEXT_BYTES - 1] = '\0';
	for (; *text != '\0'; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			*text = ' ';
}

plait_status plait__load_check_status(plait_status status, const char *name,
				      const char *slot, plait_error *error)
{
	error->size = sizeof(*error);
	sanitize_text(error->text);
	if (status == PLAIT_OK)
		return status;
	if (status > 0 || status < PLAIT_E_INTERNAL)
		return plait__fail_origin(error, PLAIT_E_INTERNAL, status,
					  "plugin %s: %s returned %d, which "
					  "is not a valid status", name, slot,
					  status);
	if (error->text[0] == '\0')
		return plait__fail(error, status,
				   "plugin %s: %s failed (%s) without saying "
				   "why", name, slot,
				   plait_status_name(status));
	error->status = status;
	return status;
}

static plait_status call_entry(plait_plugin_entry_function entry,
			       const char *name,
			       const plait_host_services *services,
			       struct answer *answer)
{
	plait_status status;

	memset(answer, 0, sizeof(*answer));
	plait__canary_init(answer->table_canary);
	plait__canary_init(answer->error_canary);
	answer->table.size = sizeof(answer->table);
	answer->error.size = sizeof(answer->error);
	status = entry(services, &answer->table, &answer->error);
	if (!plait__canary_is_intact(answer->table_canary))
		return plait__fail(&answer->error, PLAIT_E_INTERNAL,
				   "plugin %s: its entry wrote past the %zu "
				   "bytes of its table", name,
				   sizeof(answer->table));
	if (!plait__canary_is_intact(answer->error_canary))
		return plait__fail(&answer->error, PLAIT_E_INTERNAL,
				   "plugin %s: its entry wrote past the %zu "
				   "bytes of the error", name,
				   sizeof(answer->error));
	return plait__load_check_status(status, name, "its entry",
					&answer->error);
}

/* Find the entry of this object, not that of a library it depends on. */
static plait_status find_entry(void *object,
			       plait_plugin_entry_function *out,
			       plait_error *error)
{
	void *address = plait__dl_find(object, PLAIT_PLUGIN_ENTRY_NAME);

	*out = NULL;
	if (address == NULL)
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "does not export %s",
				   PLAIT_PLUGIN_ENTRY_NAME);
	if (!plait__dl_owns(object, address))
		return plait__fail(error, PLAIT_E_UNAVAILABLE,
				   "its %s comes from another object",
				   PLAIT_PLUGIN_ENTRY_NAME);
	memcpy(out, &address, sizeof(address));
	return PLAIT_OK;
}

/* Returns the linker's message without the path, which is printed before it. */
static const char *without_path(const char *text, const char *path)
{
	size_t length = strlen(path);

	if (strncmp(text, path, length) == 0 &&
	    strncmp(text + length, ": ", 2) == 0)
		return text + length + 2;
	return text;
}

plait_status plait__load(const char *path, const char *name,
			 const plait_host_services *services,
			 plait_backend_table *out, plait_error *error)
{
	plait_plugin_entry_function entry;
	struct answer answer;
	plait_status status;
	char text[512] = "", real[PATH_MAX];
	void *object;

	status = plait__elf_check(path, real, error);
	if (status != PLAIT_OK)
		return status;
	object = plait__dl_open(real, text, sizeof(text));
	if (object == NULL)
		return plait__fail(error, PLAIT_E_UNAVAILABLE, "%s",
				   without_path(text, real));
	status = find_entry(object, &entry, error);
	if (status != PLAIT_OK)
		return status;
	status = call_entry(entry, name, services, &answer);
	if (status != PLAIT_OK)
		return plait__error_copy(error, &answer.error);
	status = plait__table_check(&answer.table, object, name, error);
	if (status == PLAIT_OK)
		*out = answer.table;
	return status;
}
