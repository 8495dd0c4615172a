/* SPDX-License-Identifier: MIT */
/*
 * Escaping of node and device names for JSON, DOT and SVG.  A node without a
 * label is named by its number.
 */
#ifndef PLAIT_SRC_PLAN_IO_ESCAPE_H
#define PLAIT_SRC_PLAN_IO_ESCAPE_H

#include "base/text.h"
#include "plan/plan.h"

/* Returns the string at an offset; "" for none. */
const char *plait__escape_string_at(const plait__plan *plan, uint32_t offset);

/* Write the node's label, or the name of its kernel if any, "#" and its number,
 * into `name`; cut to fit. */
const char *plait__escape_node_name(const plait__plan *plan, uint32_t node,
				    char name[256]);

/* Append a text escaped for a JSON string; also valid in DOT. */
void plait__escape_json(const char *text, plait__text *out);

/* Likewise, with quotes. */
void plait__escape_json_string(const char *text, plait__text *out);

/* Append a node's name as a JSON string. */
void plait__escape_json_node(const plait__plan *plan, uint32_t node,
			     plait__text *out);

/* Returns the plural ending after a count: "s" or "". */
const char *plait__escape_plural(uint64_t count);

/* Returns the number of characters of a text. */
uint32_t plait__escape_columns(const char *text);

/* Append at most `columns` characters, escaped for XML; a longer text is cut in
 * the middle: "be..end". */
void plait__escape_xml(const char *text, uint32_t columns, plait__text *out);

#endif
