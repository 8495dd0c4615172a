/* SPDX-License-Identifier: MIT */
/* Lists of what there is, and which of it is nearest; see spelling_hint.h. */
#include "base/spelling_hint.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

/* Of three letters one may be wrong, of six two. */
enum { LETTERS_PER_FAULT = 3 };

struct word {
	const char *letters;
	size_t count;
};

static int lower(char letter)
{
	return letter >= 'A' && letter <= 'Z' ? letter - 'A' + 'a' : letter;
}

/* Of the first so many letters, from 1 on. */
static bool are_same(const struct word *one, size_t i, const struct word *other,
		     size_t k)
{
	return lower(one->letters[i - 1]) == lower(other->letters[k - 1]);
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* rows[r][k]: between so many letters of one, of which there are three rows in
 * turn, and k of the other. */
static unsigned compare(const struct word *one, const struct word *other)
{
	unsigned rows[3][PLAIT__SPELLING_HINT_WORD_BYTES + 1];

	for (size_t k = 0; k <= other->count; k++)
		rows[0][k] = (unsigned)k;
	for (size_t i = 1; i <= one->count; i++) {
		unsigned *now = rows[i % 3], *last = rows[(i + 2) % 3];
		const unsigned *before = rows[(i + 1) % 3];

		now[0] = (unsigned)i;
		for (size_t k = 1; k <= other->count; k++) {
			bool same = are_same(one, i, other, k);

			now[k] = least(least(last[k], now[k - 1]) + 1,
				       last[k - 1] + !same);
			if (i > 1 && k > 1 && are_same(one, i - 1, other, k) &&
			    are_same(one, i, other, k - 1))
				now[k] = least(now[k], before[k - 2] + 1);
		}
	}
	return rows[one->count % 3][other->count];
}

unsigned plait__spelling_hint_distance(const char *one, const char *other)
{
	const struct word a = { one, strlen(one) }, b = { other, strlen(other) };
	size_t longer = a.count > b.count ? a.count : b.count;
	unsigned distance;

	if (longer == 0 || longer > PLAIT__SPELLING_HINT_WORD_BYTES)
		return UINT_MAX;
	distance = compare(&a, &b);
	return distance <= longer / LETTERS_PER_FAULT ? distance : UINT_MAX;
}

void plait__spelling_hint_init(plait__spelling_hint *choices, const char *wanted)
{
	memset(choices, 0, sizeof(*choices));
	choices->wanted = wanted;
	choices->distance = UINT_MAX;
}

static void add_to_list(plait__spelling_hint *choices, const char *name)
{
	size_t room = sizeof(choices->list) - choices->length;
	const char *comma = choices->length > 0 ? ", " : "";
	const char *rest = ", ...";

	if (choices->full)
		return;
	if (strlen(name) + strlen("\"\", ") + strlen(rest) + 1 > room) {
		choices->full = true;
		(void)snprintf(choices->list + choices->length, room, "%s...",
			       comma);
		return;
	}
	choices->length += (size_t)snprintf(choices->list + choices->length,
					    room, "%s\"%s\"", comma, name);
}

void plait__spelling_hint_add(plait__spelling_hint *choices, const char *name)
{
	unsigned distance = plait__spelling_hint_distance(choices->wanted, name);

	add_to_list(choices, name);
	if (distance >= choices->distance)
		return;
	choices->distance = distance;
	(void)snprintf(choices->hint, sizeof(choices->hint),
		       ", perhaps \"%s\"", name);
}

const char *plait__spelling_hint_list(const plait__spelling_hint *choices)
{
	return choices->list[0] != '\0' ? choices->list : "none";
}

const char *plait__spelling_hint_text(const plait__spelling_hint *choices)
{
	return choices->hint;
}
