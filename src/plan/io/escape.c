/* SPDX-License-Identifier: MIT */
/* Escaping of names; see escape.h. */
#include "plan/io/escape.h"

#include <stdio.h>
#include <string.h>

const char *plait__escape_string_at(const plait__plan *plan, uint32_t offset)
{
	return offset < plan->strings_count ? plan->strings + offset : "";
}

const char *plait__escape_node_name(const plait__plan *plan, uint32_t node,
				    char name[256])
{
	const char *label = plait__plan_node_label(plan, node);
	const char *kernel = plait__plan_node_name(plan, node);

	if (label[0] != '\0')
		plait__text_copy(label, name, 256, NULL);
	else if (kernel[0] != '\0')
		(void)snprintf(name, 256, "%.*s #%u",
			       PLAIT__TEXT_FIT(kernel, 240), node);
	else
		(void)snprintf(name, 256, "#%u", node);
	return name;
}

/*
 * Returns the length of the character at `at` in bytes; 0 if some reader of
 * JSON or XML rejects it.  Accepted: UTF-8 in its shortest form; no surrogate,
 * nothing from U+FFFE to U+FFFF, no control character but those below U+0020.
 * The text ends with a NUL, at which the bytes of a character end too.
 */
static int character_bytes(const char *at)
{
	static const uint32_t lowest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char first = (unsigned char)at[0];
	int count = first < 0x80 ? 1 : first >= 0xc0 && first < 0xe0 ? 2 :
		    first >= 0xe0 && first < 0xf0 ? 3 :
		    first >= 0xf0 && first < 0xf8 ? 4 : 0;
	uint32_t code = first & (0xffu >> (count > 1 ? count + 1 : 1));

	for (int i = 1; i < count; i++) {
		if (((unsigned char)at[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | ((unsigned char)at[i] & 0x3f);
	}
	if (count == 0 || code < lowest[count] || code > 0x10ffff ||
	    (code >= 0xd800 && code < 0xe000) || (code | 1) == 0xffff ||
	    (code >= 0x7f && code < 0xa0))
		return 0;
	return count;
}

static int add_json_character(const char *at, plait__text *out)
{
	int bytes = character_bytes(at);

	if (bytes == 0)
		plait__text_add(out, "?");
	else if (*at == '"' || *at == '\\')
		plait__text_add(out, "\\%c", *at);
	else if ((unsigned char)*at < 0x20)
		plait__text_add(out, "\\u%04x", (unsigned)*at);
	else
		plait__text_add_bytes(out, at, (uint64_t)bytes);
	return bytes > 0 ? bytes : 1;
}

void plait__escape_json(const char *text, plait__text *out)
{
	while (*text != '\0')
		text += add_json_character(text, out);
}

void plait__escape_json_string(const char *text, plait__text *out)
{
	plait__text_add_bytes(out, "\"", 1);
	plait__escape_json(text, out);
	plait__text_add_bytes(out, "\"", 1);
}

void plait__escape_json_node(const plait__plan *plan, uint32_t node,
			     plait__text *out)
{
	char name[256];

	plait__escape_json_string(plait__escape_node_name(plan, node, name),
				  out);
}

static int add_xml_character(const char *at, plait__text *out)
{
	int bytes = character_bytes(at);

	if (bytes == 0 || (unsigned char)*at < 0x20)
		plait__text_add(out, "?");
	else if (*at == '<')
		plait__text_add(out, "&lt;");
	else if (*at == '&')
		plait__text_add(out, "&amp;");
	else if (*at == '"')
		plait__text_add(out, "&quot;");
	else
		plait__text_add_bytes(out, at, (uint64_t)bytes);
	return bytes > 0 ? bytes : 1;
}

const char *plait__escape_plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

uint32_t plait__escape_columns(const char *text)
{
	uint32_t count = 0;

	for (; *text != '\0'; count++) {
		int bytes = character_bytes(text);

		text += bytes > 0 ? bytes : 1;
	}
	return count;
}

/* Skip that many characters. */
static const char *skip(const char *text, uint32_t characters)
{
	for (; *text != '\0' && characters > 0; characters--) {
		int bytes = character_bytes(text);

		text += bytes > 0 ? bytes : 1;
	}
	return text;
}

/* Keep more of the end: names mostly differ there. */
void plait__escape_xml(const char *text, uint32_t columns, plait__text *out)
{
	uint32_t count = plait__escape_columns(text);
	bool cut = count > columns;
	bool dots = cut && columns > 2;
	uint32_t shown = dots ? columns - 2 : columns;
	uint32_t tail = dots ? (shown * 2 + 2) / 3 : 0;

	for (uint32_t i = shown - tail; *text != '\0' && i > 0; i--) {
		text += add_xml_character(text, out);
		count--;
	}
	if (!dots)
		return;
	plait__text_add(out, "..");
	for (text = skip(text, count - tail); *text != '\0';)
		text += add_xml_character(text, out);
}
