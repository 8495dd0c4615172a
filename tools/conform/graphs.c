/* SPDX-License-Identifier: MIT */
/*
 * Sums of the graphs that devices made and refused.  Backends with device graphs
 * log "NAME:0: graphs: 3 made, 1 refused" when a context closes.  A suite that
 * passes without a graph proves little about graphs.
 */
#include "conform.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 8, WORD_BYTES = 32 };

static struct {
	char word[WORD_BYTES];
	unsigned long long sum;
} sums[MOST_WORDS];

/* --- in the child */

static const char *const names[] = { "default", "none", "error", "warning",
				     "info", "debug" };

const char *conform_graphs_level_name(plait_log_level level)
{
	return names[level];
}

plait_log_level conform_graphs_log_level(void)
{
	const char *text = getenv("PLAIT_LOG");
	plait_log_level level = PLAIT_LOG_DEBUG;

	while (text != NULL && level > PLAIT_LOG_NONE &&
	       strcmp(names[level], text) != 0)
		level--;
	return text != NULL ? level : PLAIT_LOG_NONE;
}

void conform_graphs_listen(struct conform *c, plait_context_desc *desc)
{
	plait_log_level shown = conform_graphs_log_level();

	if (desc->log != NULL || desc->log_level != PLAIT_LOG_DEFAULT)
		return;
	desc->log = conform_log;
	desc->log_user_data = c;
	desc->log_level = shown > PLAIT_LOG_INFO ? shown : PLAIT_LOG_INFO;
}

/* --- in the parent */

static void add(const char *word, unsigned long long count)
{
	size_t i;

	for (i = 0; i < MOST_WORDS && sums[i].word[0] != '\0' &&
		    strcmp(sums[i].word, word) != 0; i++)
		;
	if (i == MOST_WORDS)
		return;
	snprintf(sums[i].word, WORD_BYTES, "%s", word);
	sums[i].sum += count;
}

void conform_graphs_add(const char *line)
{
	const char *at = strstr(line, ": graphs: ");
	unsigned long long count;
	char word[WORD_BYTES];

	for (at = at != NULL ? at + strlen(": graphs:") : NULL; at != NULL;
	     at = strchr(at, ',')) {
		at += *at == ',';
		if (sscanf(at, " %llu %31[^,]", &count, word) == 2)
			add(word, count);
	}
}

void conform_graphs_print(void)
{
	if (sums[0].word[0] == '\0')
		return;
	printf("# graphs:");
	for (size_t i = 0; i < MOST_WORDS && sums[i].word[0] != '\0'; i++)
		printf("%s %llu %s", i == 0 ? "" : ",", sums[i].sum,
		       sums[i].word);
	printf("\n");
}
