/* SPDX-License-Identifier: MIT */
/* The ring of the last 64 error details; see error_detail.h. */
#include "sys/error_detail.h"

#include "sys/mutex.h"

#include "base/alloc.h"
#include "base/text.h"

#include <stddef.h>
#include <string.h>

struct detail {
	uint64_t number; /* 0: empty */
	char *text;
	uint64_t bytes;
};

/* Guards the variables below; a leaf. */
static struct plait__mutex mutex;
static struct detail ring[PLAIT__DETAIL_COUNT];
static uint64_t last_number;

/* Copy a text with its NUL; a truncated copy ends in a mark. */
static char *copy_text(const char *text, uint64_t *out_bytes)
{
	static const char mark[] = "\n(cut: the text is longer)\n";
	uint64_t length = strlen(text);
	char *copy;

	if (length < PLAIT__DETAIL_MAX_BYTES) {
		copy = plait__alloc(plait__alloc_default(), length + 1);
		if (copy != NULL)
			memcpy(copy, text, length);
		*out_bytes = length + 1;
		return copy;
	}
	*out_bytes = PLAIT__DETAIL_MAX_BYTES;
	copy = plait__alloc(plait__alloc_default(), *out_bytes);
	if (copy == NULL)
		return NULL;
	plait__text_copy(text, copy, *out_bytes - sizeof(mark) + 1, NULL);
	memcpy(copy + strlen(copy), mark, sizeof(mark));
	return copy;
}

uint64_t plait__detail_keep(const char *text)
{
	struct detail added, evicted;
	struct detail *slot;

	added.text = copy_text(text, &added.bytes);
	if (added.text == NULL)
		return 0;
	plait__mutex_lock(&mutex);
	added.number = ++last_number;
	slot = &ring[added.number % PLAIT__DETAIL_COUNT];
	evicted = *slot;
	*slot = added;
	plait__mutex_unlock(&mutex);
	plait__free(plait__alloc_default(), evicted.text, evicted.bytes);
	return added.number;
}

void plait__detail_attach(plait_error *error, const char *text)
{
	if (error == NULL)
		return;
	if (error->size != 0 && error->size < offsetof(plait_error, text))
		return;
	error->detail = plait__detail_keep(text);
}

/* Copied under the lock: a newer text may free this one. */
PLAIT_API plait_status plait_error_detail(uint64_t detail, char *buffer,
					  uint64_t capacity_bytes,
					  uint64_t *out_bytes)
{
	plait_status status = PLAIT_E_HANDLE;
	struct detail *slot;

	if (out_bytes != NULL)
		*out_bytes = 0;
	if (buffer != NULL && capacity_bytes != 0)
		buffer[0] = '\0';
	if (detail == 0)
		return status;
	plait__mutex_lock(&mutex);
	slot = &ring[detail % PLAIT__DETAIL_COUNT];
	if (slot->number == detail) {
		plait__text_copy(slot->text, buffer, capacity_bytes, out_bytes);
		status = PLAIT_OK;
	}
	plait__mutex_unlock(&mutex);
	return status;
}
