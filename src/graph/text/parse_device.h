/* SPDX-License-Identifier: MIT */
/* Names of devices in the text form. */
#ifndef PLAIT_SRC_GRAPH_TEXT_PARSE_DEVICE_H
#define PLAIT_SRC_GRAPH_TEXT_PARSE_DEVICE_H

#include "graph/text/parser_state.h"

/* Find the device that a token names. */
plait_status plait__parse_device(struct plait__parser *parser,
				 plait__token token, uint32_t *out);

#endif
