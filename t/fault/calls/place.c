/* SPDX-License-Identifier: MIT */
/* The place in which a call is tried, and the invariants when the call
 * fails. */
#include "fault/calls.h"

#include <stdio.h>
#include <time.h>

_Thread_local bool calls_allocating;

int32_t calls_add_one(void *user_data)
{
	__atomic_add_fetch((int *)user_data, 1, __ATOMIC_SEQ_CST);
	return 0;
}

int32_t calls_return_three(void *user_data)
{
	(void)user_data;
	return 3;
}

int32_t calls_return_zero(void *user_data)
{
	(void)user_data;
	return 0;
}

plait_status calls_wrong(plait_error *error, const char *text)
{
	error->status = PLAIT_E_INTERNAL;
	(void)snprintf(error->text, sizeof(error->text), "%s", text);
	return PLAIT_E_INTERNAL;
}

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	struct calls_memory *memory = user_data;
	void *moved = NULL;

	if (new_bytes != 0) {
		uint64_t fail = __atomic_load_n(&memory->fail,
						__ATOMIC_SEQ_CST);

		if (fail != 0 && __atomic_add_fetch(&memory->count, 1,
						    __ATOMIC_SEQ_CST) == fail) {
			__atomic_store_n(&memory->hit, 1, __ATOMIC_SEQ_CST);
			return NULL;
		}
		calls_allocating = true;
		moved = realloc(pointer, new_bytes);
		calls_allocating = false;
		if (moved == NULL)
			return NULL;
	} else {
		free(pointer);
	}
	__atomic_add_fetch(&memory->live_bytes,
			   new_bytes - (pointer != NULL ? old_bytes : 0),
			   __ATOMIC_SEQ_CST);
	return moved;
}

static plait_status fill_place(struct place *p, plait_error *error)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .flags = PLAIT_CONTEXT_NO_WORKERS,
					  .backends = p->backend,
					  .allocator = &p->allocator };
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };
	const plait_buffer_desc bytes = { .size = sizeof(bytes), .bytes = 64 };
	plait_status status;

	if ((status = plait_context_open(&desc, &p->context, error)) ||
	    (status = plait_context_device(p->context, 0, &p->device, error)) ||
	    (status = plait_queue_create(p->device, NULL, &p->queue, error)) ||
	    (status = plait_signal_create(p->device, NULL, &p->signal,
					  error)) ||
	    (status = plait_signal_create(p->device, &gate, &p->gate, error)) ||
	    (status = plait_inbox_create(p->context, &p->inbox, error)) ||
	    (status = plait_buffer_create(p->device, &bytes, &p->buffer,
					  error)))
		return status;
	return plait_signal_raise(p->gate, 1, error);
}

static bool open_place(struct place *place, const struct calls_entry *entry,
		       const char *backend)
{
	memset(place, 0, sizeof(*place));
	place->backend = backend;
	place->error.size = sizeof(place->error);
	place->allocator = (plait_allocator){ .size = sizeof(plait_allocator),
					      .resize = resize,
					      .user_data = &place->memory };
	if (fill_place(place, &place->error) == PLAIT_OK &&
	    (entry->prepare == NULL ||
	     entry->prepare(place, &place->error) == PLAIT_OK))
		return true;
	return OK_THAT(false, "a place to try in: %s", place->error.text);
}

/* The pause between two polls for an event that no notification reports: the
 * end of another thread. */
static void pause_a_little(void)
{
	const struct timespec time = { 0, 100000 };

	nanosleep(&time, NULL);
}

/* The memory of a context that ends on another thread goes last. */
static const char *close_place(struct place *place,
			       const struct calls_fault *fault)
{
	uint64_t since = 0;

	plait_plan_release(place->plan);
	plait_kernel_release(place->kernels[0]);
	plait_kernel_release(place->kernels[1]);
	plait_buffer_release(place->buffer);
	plait_inbox_release(place->inbox);
	plait_signal_release(place->signal);
	plait_signal_release(place->gate);
	plait_queue_release(place->queue);
	plait_context_release(place->context);
	while (plait_live_count(PLAIT_OBJECT_ANY) != 0 ||
	       __atomic_load_n(&place->memory.live_bytes, __ATOMIC_SEQ_CST) !=
		       0) {
		if (tap_late(&since))
			return "objects or memory are left";
		pause_a_little();
	}
	return fault->left != NULL ? fault->left() : NULL;
}

/* Remains of a failed call in the queue and in the inbox come to their end. */
static void settle(struct place *place)
{
	plait_event event = { .size = sizeof(event) };

	while (plait_queue_finish(place->queue, PLAIT_FOREVER, NULL) !=
	       PLAIT_OK) {
		plait_inbox_pump(place->inbox, 0, NULL, NULL);
		while (plait_inbox_next(place->inbox, &event, NULL) ==
		       PLAIT_OK) {
			if (event.kind == PLAIT_EVENT_CALL)
				plait_inbox_answer(place->inbox, event.id, 0,
						      NULL, NULL);
		}
	}
	while (plait_inbox_next(place->inbox, &event, NULL) == PLAIT_OK)
		continue;
	plait_signal_reset(place->signal, NULL);
	plait_signal_query(place->signal, NULL, &place->submitted, NULL);
}

/* Null, or the rule that was broken when number `k` failed. */
static const char *try(struct place *place, const struct calls_entry *entry,
		       const struct calls_fault *fault, uint64_t k,
		       bool *out_hit)
{
	static plait_error error;
	plait_status status;

	error = (plait_error){ .size = sizeof(error) };
	fault->arm(place, k);
	status = entry->run(place, &error);
	*out_hit = fault->disarm(place);
	if (status != PLAIT_OK && !*out_hit)
		return error.text[0] != '\0' ? error.text
					     : "fails without a reason";
	if (status != PLAIT_OK && !fault->may_be(status))
		return plait_status_name(status);
	if (status != PLAIT_OK && error.text[0] == '\0')
		return "no text";
	if (status != PLAIT_OK && error.status != status)
		return "the record has another status";
	settle(place);
	snprintf(error.text, sizeof(error.text), "not again");
	status = entry->run(place, &error);
	return status == PLAIT_OK ? NULL : error.text;
}

/* With a sanitizer, or valgrind. */
static bool is_slow(void)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");
	const char *wrapper = getenv("PLAIT_TEST_WRAPPER");

	return (sanitizer != NULL && strcmp(sanitizer, "no") != 0) ||
	       (wrapper != NULL && wrapper[0] != '\0');
}

/* The number after `k`.  Where a call is slow and has many steps, each of the
 * first ones is tried, and a sample of the others. */
static uint64_t after(uint64_t k)
{
	static uint64_t random;

	if (!is_slow() || tap_soak() || k < 16)
		return k + 1;
	if (random == 0)
		random = tap_seed();
	random = random * 6364136223846793005u + 1442695040888963407u;
	return k + 1 + (random >> 61);
}

void calls_sweep(const struct calls_entry *entry, const char *backend,
		 const struct calls_fault *fault)
{
	static struct place place;
	const char *wrong = NULL;
	const char *left = NULL;
	uint64_t tried = 0;
	bool hit = true;

	for (uint64_t k = 1; hit && k < 5000 && wrong == NULL && left == NULL;
	     k = after(k)) {
		if (!open_place(&place, entry, backend)) {
			(void)close_place(&place, fault);
			return;
		}
		wrong = try(&place, entry, fault, k, &hit);
		left = close_place(&place, fault);
		tried += hit;
	}
	OK_THAT(wrong == NULL && left == NULL && !hit,
		"%s on %s: %llu fail%s%s%s", entry->functions, backend,
		(unsigned long long)tried,
		wrong != NULL || left != NULL ? ": " : "",
		wrong != NULL ? wrong : "", left != NULL ? left : "");
}

void calls_sweep_all(const struct calls_fault *fault)
{
	const struct calls_entry *tables[] = { calls_device, calls_flow, calls_queue,
					       calls_inbox, calls_kernel,
					       calls_graph, calls_plan,
					       calls_run, calls_callable,
					       calls_coll, calls_schedule,
					       calls_world };
	const struct calls_entry *entry;
	size_t i;

	for (i = 0; i < TAP_COUNT(tables); i++)
		for (entry = tables[i]; entry->functions != NULL; entry++) {
			calls_sweep(entry, "host", fault);
			calls_sweep(entry, "chaos", fault);
		}
}
