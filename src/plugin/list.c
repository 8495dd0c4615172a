/* SPDX-License-Identifier: MIT */
/* Lists of plugin names; see list.h. */
#include "plugin/list.h"

#include "base/error.h"

#include <string.h>

bool plait__list_is_name(const char *text, uint64_t length)
{
	uint64_t i;

	if (length == 0 || length >= PLAIT__NAME_BYTES)
		return false;
	for (i = 0; i < length; i++)
		if (!(text[i] >= 'a' && text[i] <= 'z') &&
		    !(text[i] >= '0' && text[i] <= '9') && text[i] != '_')
			return false;
	return true;
}

bool plait__list_has(const plait__list *list, const char *name)
{
	uint32_t i;

	for (i = 0; i < list->count; i++)
		if (strcmp(list->names[i], name) == 0)
			return true;
	return false;
}

/* Strip blanks from both ends. */
static const char *trim(const char *text, size_t *length)
{
	while (*length > 0 && (text[0] == ' ' || text[0] == '\t')) {
		text++;
		--*length;
	}
	while (*length > 0 && (text[*length - 1] == ' ' ||
			       text[*length - 1] == '\t'))
		--*length;
	return text;
}

static plait_status add_name(plait__list *list, const char *text,
			     size_t length, const char *setting,
			     plait_error *error)
{
	char *name = list->names[list->count];
	int shown = length < 40 ? (int)length : 40;

	if (length == 0)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: name %u is empty", setting,
				   list->count + 1);
	if (!plait__list_is_name(text, length))
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: '%.*s' is not a name; 1 to %d of "
				   "a-z, 0-9 and _ are",
				   setting, shown, text,
				   PLAIT__NAME_BYTES - 1);
	memcpy(name, text, length);
	name[length] = '\0';
	if (plait__list_has(list, name))
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: '%s' is listed twice", setting,
				   name);
	list->count++;
	return PLAIT_OK;
}

/* Take the mark behind a name off; sets *out. */
static plait_status read_optional(const char *text, size_t *length,
				  const char *setting, bool may_choose,
				  bool excludes, bool *out, plait_error *error)
{
	*out = *length > 1 && text[*length - 1] == '?';
	if (!*out)
		return PLAIT_OK;
	if (!may_choose || excludes)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: '%.*s': ? is for a backend to use if "
				   "it is there", setting,
				   *length < 40 ? (int)*length : 40, text);
	--*length;
	return PLAIT_OK;
}

static plait_status add_item(plait__list *list, const char *text,
			     size_t length, const char *setting,
			     bool may_choose, plait_error *error)
{
	plait_status status;
	bool excludes, optional;

	text = trim(text, &length);
	excludes = length > 0 && text[0] == '^';
	if (excludes && !may_choose)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: nothing can be excluded here with ^",
				   setting);
	if (list->count == PLAIT__LIST_MAX)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: more than %d names", setting,
				   PLAIT__LIST_MAX);
	if (list->count > 0 && excludes != list->excludes)
		return plait__fail(error, PLAIT_E_INVALID,
				   "%s: names with and without ^; list "
				   "either names to use or names to exclude",
				   setting);
	list->excludes = excludes;
	if (excludes) {
		text++;
		length--;
	}
	status = read_optional(text, &length, setting, may_choose, excludes,
			       &optional, error);
	if (status != PLAIT_OK)
		return status;
	list->optional[list->count] = optional;
	return add_name(list, text, length, setting, error);
}

plait_status plait__list_parse(plait__list *list, const char *text,
			       const char *setting, bool may_choose,
			       plait_error *error)
{
	plait_status status;
	size_t length;

	memset(list, 0, sizeof(*list));
	if (text == NULL || *text == '\0')
		return PLAIT_OK;
	for (;;) {
		length = strcspn(text, ",");
		status = add_item(list, text, length, setting, may_choose,
				  error);
		if (status != PLAIT_OK || text[length] == '\0')
			return status;
		text += length + 1;
	}
}
