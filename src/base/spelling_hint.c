/* SPDX-License-Identifier: MIT */
/* Edit distance and hints for misspelt names; see spelling_hint.h. */
#include "base/spelling_hint.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* One wrong letter of three is tolerated, two of six. */
enum { LETTERS_PER_EDIT = 3 };

struct word {
	const char *letters;
	size_t count;
};

static int lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

/* Compare letter i of one with letter k of the other, counted from 1. */
static bool same_letter(const struct word *one, size_t i,
			const struct word *other, size_t k)
{
	return lower(one->letters[i - 1]) == lower(other->letters[k - 1]);
}

static unsigned smallest(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* rows[r][k] is the distance between a prefix of one (three rows in
 * rotation) and the first k letters of the other. */
static unsigned edit_distance(const struct word *one, const struct word *other)
{
	unsigned rows[3][PLAIT__SPELLING_HINT_WORD_BYTES + 1];

	for (size_t k = 0; k <= other->count; k++)
		rows[0][k] = (unsigned)k;
	for (size_t i = 1; i <= one->count; i++) {
		unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3];
		const unsigned *before = rows[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t k = 1; k <= other->count; k++) {
			bool same = same_letter(one, i, other, k);

			now[k] = smallest(smallest(last[k], now[k - 1]) + 1,
				       last[k - 1] + !same);
			if (i > 1 && k > 1 &&
			    same_letter(one, i - 1, other, k) &&
			    same_letter(one, i, other, k - 1))
				now[k] = smallest(now[k], before[k - 2] + 1);
		}
	}
	return rows[one->count % 3][other->count];
}

unsigned plait__spelling_hint_distance(const char *one, const char *other)
{
	const struct word a = { one, strlen(one) },
			  b = { other, strlen(other) };
	size_t longer = a.count > b.count ? a.count : b.count;
	unsigned distance;

	if (longer == 0 || longer > PLAIT__SPELLING_HINT_WORD_BYTES)
		return UINT_MAX;
	distance = edit_distance(&a, &b);
	return distance <= longer / LETTERS_PER_EDIT ? distance : UINT_MAX;
}

void plait__spelling_hint_init(plait__spelling_hint *hint, const char *wanted)
{
	memset(hint, 0, sizeof(*hint));
	hint->wanted = wanted;
	hint->distance = UINT_MAX;
}

static void add_to_list(plait__spelling_hint *hint, const char *name)
{
	size_t room = sizeof(hint->list) - hint->length;
	const char *comma = hint->length > 0 ? ", " : "";
	const char *rest = ", ...";

	if (hint->full)
		return;
	if (strlen(name) + strlen("\"\", ") + strlen(rest) + 1 > room) {
		hint->full = true;
		(void)snprintf(hint->list + hint->length, room, "%s...",
			       comma);
		return;
	}
	hint->length += (size_t)snprintf(hint->list + hint->length,
					    room, "%s\"%s\"", comma, name);
}

void plait__spelling_hint_add(plait__spelling_hint *hint, const char *name)
{
	unsigned distance = plait__spelling_hint_distance(hint->wanted, name);

	add_to_list(hint, name);
	if (distance >= hint->distance)
		return;
	hint->distance = distance;
	(void)snprintf(hint->hint, sizeof(hint->hint),
		       ", perhaps \"%s\"", name);
}

const char *plait__spelling_hint_list(const plait__spelling_hint *hint)
{
	return hint->list[0] != '\0' ? hint->list : "none";
}

const char *plait__spelling_hint_text(const plait__spelling_hint *hint)
{
	return hint->hint;
}
