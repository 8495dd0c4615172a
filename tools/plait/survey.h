/* SPDX-License-Identifier: MIT */
/*
 * Reports of the backends, each made in a child process: a driver that a
 * backend loads may end its process, or not answer.
 */
#ifndef PLAIT_TOOLS_SURVEY_H
#define PLAIT_TOOLS_SURVEY_H

#include "plait/plait.h"

#include <stdbool.h>

typedef struct survey {
	bool complete; /* `text` is a report; else the reason of its absence */
	bool ended;    /* the child ended without an answer */
	char *text;    /* null: no memory */
} survey;

/* Make a text in the child process, for survey_text. */
typedef survey survey_maker(const plait_context_desc *desc);
survey survey_text(survey_maker *maker, const plait_context_desc *desc,
		   unsigned seconds);

/* Make the report of plait_backend_report.  `seconds` limits the time; 0: no
 * limit.  Release the text with free. */
survey survey_make(const plait_context_desc *desc, unsigned seconds);

#endif
