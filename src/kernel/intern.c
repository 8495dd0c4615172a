/* SPDX-License-Identifier: MIT */
/* Sharing of equal signatures; see intern.h. */
#include "kernel/intern.h"

#include "base/alloc.h"
#include "base/error.h"

#include <string.h>

struct plait__interned {
	struct plait__interned *next;
	plait__signature *signature;
	uint64_t references;
};

static struct plait__interned **bucket_of(plait__intern *intern,
					  const char *text)
{
	uint32_t hash = 2166136261u;

	for (; *text != '\0'; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return &intern->buckets[hash % PLAIT__INTERN_BUCKETS];
}

static struct plait__interned **find(plait__intern *intern, const char *text)
{
	struct plait__interned **link = bucket_of(intern, text);

	while (*link != NULL && strcmp((*link)->signature->text, text) != 0)
		link = &(*link)->next;
	return link;
}

/* True: there was one already, and `parsed` is not needed. */
static bool share(plait__intern *intern, struct plait__interned *fresh,
		  const plait__signature **out)
{
	struct plait__interned **link;
	bool found;

	plait__mutex_lock(&intern->lock);
	link = find(intern, fresh->signature->text);
	found = *link != NULL;
	if (!found)
		*link = fresh;
	(*link)->references++;
	*out = (*link)->signature;
	plait__mutex_unlock(&intern->lock);
	return found;
}

plait_status plait__intern_take(plait__intern *intern,
				const plait_allocator *allocator,
				const char *text, const plait__signature **out,
				plait_error *error)
{
	struct plait__interned *fresh;
	plait__signature *parsed;
	plait_status status = plait__signature_parse(text, allocator, &parsed,
						     error);

	*out = NULL;
	if (status != PLAIT_OK)
		return status;
	fresh = plait__alloc(allocator, sizeof(*fresh));
	if (fresh == NULL) {
		plait__signature_destroy(allocator, parsed);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a signature");
	}
	fresh->signature = parsed;
	if (share(intern, fresh, out)) {
		plait__signature_destroy(allocator, parsed);
		plait__free(allocator, fresh, sizeof(*fresh));
	}
	return PLAIT_OK;
}

void plait__intern_drop(plait__intern *intern,
			const plait_allocator *allocator,
			const plait__signature *signature)
{
	struct plait__interned **link, *gone = NULL;

	if (signature == NULL)
		return;
	plait__mutex_lock(&intern->lock);
	link = find(intern, signature->text);
	if (*link != NULL && --(*link)->references == 0) {
		gone = *link;
		*link = gone->next;
	}
	plait__mutex_unlock(&intern->lock);
	if (gone == NULL)
		return;
	plait__signature_destroy(allocator, gone->signature);
	plait__free(allocator, gone, sizeof(*gone));
}
