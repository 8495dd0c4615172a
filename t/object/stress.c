/* SPDX-License-Identifier: MIT */
/*
 * Stress of shared objects: threads create, submit, wait, notify, fail, reset,
 * close and release, with handles that other threads have just released.  Every
 * status is allowed; a crash, a hang, a leak or a second delivery is not.
 *
 *	t/object/stress.t [seed=N] [steps=N]
 */
#include "lib/objects.h"

enum {
	THREADS = 3,
	SHARED = 6, /* of each kind */
	BATCH = 12,
	STEPS = 1500,
	BYTES = 64
};

enum kind { QUEUES, SIGNALS, GATES, INBOXES, KINDS };

struct stress {
	struct rig *rig;
	uint64_t shared[KINDS][SHARED]; /* handles, atomic */
	uint64_t wrapped;               /* atomic, as the rest */
	uint64_t announced;
	uint64_t calls;
	uint64_t ran;
};

struct actor {
	struct stress *stress;
	pthread_t thread;
	uint64_t random;
	int steps;
};

static uint64_t next(struct actor *actor)
{
	uint64_t x = actor->random;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	actor->random = x;
	return x * 0x2545f4914f6cdd1dull >> 16;
}

static uint64_t below(struct actor *actor, uint64_t bound)
{
	return next(actor) % bound;
}

/* A handle of that kind that may be stale, or null. */
static void *any(struct actor *actor, enum kind kind)
{
	uint64_t *slot = &actor->stress->shared[kind][below(actor, SHARED)];

	return (void *)(uintptr_t)__atomic_load_n(slot, __ATOMIC_ACQUIRE);
}

static void release(enum kind kind, void *handle)
{
	switch (kind) {
	case QUEUES:
		plait_queue_release(handle);
		break;
	case SIGNALS:
	case GATES:
		plait_signal_release(handle);
		break;
	default:
		plait_inbox_release(handle);
		break;
	}
}

static void replace(struct stress *stress, enum kind kind, uint64_t index,
		    void *fresh)
{
	uint64_t *slot = &stress->shared[kind][index];

	release(kind, (void *)(uintptr_t)__atomic_exchange_n(
			      slot, (uintptr_t)fresh, __ATOMIC_ACQ_REL));
}

static void *make(struct actor *actor, enum kind kind)
{
	struct rig *rig = actor->stress->rig;
	const plait_queue_desc queue = { .size = sizeof(queue), .capacity = 64,
					 .label = "stress" };
	const plait_signal_desc gate = { .size = sizeof(gate),
					 .flags = PLAIT_SIGNAL_GATE };
	void *out = NULL;

	if (kind == QUEUES)
		plait_queue_create(rig->device, &queue, (void *)&out, NULL);
	else if (kind == INBOXES)
		plait_inbox_create(rig->context, (void *)&out, NULL);
	else
		plait_signal_create(rig->device,
				    kind == GATES ? &gate : NULL,
				    (void *)&out, NULL);
	return out;
}

/* --- functions that run on workers */

static int32_t count_run(void *user_data)
{
	struct stress *stress = user_data;

	return __atomic_add_fetch(&stress->ran, 1, __ATOMIC_RELAXED) % 256 == 0;
}

struct wrapped {
	struct stress *stress;
	char bytes[BYTES];
};

/* A later use is detected. */
static int32_t free_wrapped(void *user_data)
{
	struct wrapped *wrapped = user_data;

	__atomic_add_fetch(&wrapped->stress->announced, 1, __ATOMIC_RELAXED);
	memset(wrapped, 0xff, sizeof(*wrapped));
	free(wrapped);
	return 0;
}

/* --- submitting */

static plait_buffer *make_memory(struct actor *actor)
{
	struct stress *stress = actor->stress;
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = BYTES };
	plait_wrap_desc wrap = { .size = sizeof(wrap), .bytes = BYTES,
				 .flags = PLAIT_CALL_ANY_THREAD,
				 .released = free_wrapped };
	plait_buffer *buffer = NULL;
	struct wrapped *wrapped;

	if (below(actor, 2) == 0) {
		plait_buffer_create(stress->rig->device, &desc, &buffer, NULL);
		return buffer;
	}
	wrapped = calloc(1, sizeof(*wrapped));
	wrapped->stress = stress;
	wrap.pointer = wrapped->bytes;
	wrap.user_data = wrapped;
	if (plait_buffer_wrap(stress->rig->device, &wrap, &buffer, NULL) ==
	    PLAIT_OK)
		__atomic_add_fetch(&stress->wrapped, 1, __ATOMIC_RELAXED);
	else
		free(wrapped);
	return buffer;
}

/* Memory that only this batch knows, so that there are no races for it. */
struct memory {
	plait_buffer *whole;
	plait_buffer *part;
};

static plait_command draw(struct actor *actor, const struct memory *memory)
{
	plait_command command = { .size = sizeof(command) };

	switch (below(actor, 10)) {
	case 0:
		command.kind = PLAIT_COMMAND_CALL;
		command.inbox = any(actor, INBOXES);
		command.function = below(actor, 2) ? count_run : NULL;
		command.user_data = actor->stress;
		break;
	case 1:
		command.kind = PLAIT_COMMAND_EMIT;
		command.signal = any(actor, SIGNALS);
		break;
	case 2:
		command.kind = PLAIT_COMMAND_WAIT;
		command.signal = any(actor, SIGNALS);
		break;
	case 3:
		command.kind = PLAIT_COMMAND_WAIT;
		command.signal = any(actor, GATES);
		command.sequence = below(actor, 3);
		break;
	case 4:
		command.kind = PLAIT_COMMAND_FILL;
		command.target = below(actor, 2) ? memory->whole
						 : memory->part;
		command.bytes = BYTES / 2;
		command.pattern_bytes = 1;
		break;
	default:
		command.kind = PLAIT_COMMAND_CALL;
		command.flags = PLAIT_CALL_ANY_THREAD;
		command.function = count_run;
		command.user_data = actor->stress;
		break;
	}
	return command;
}

static void submit(struct actor *actor)
{
	struct memory memory = { make_memory(actor), NULL };
	plait_command commands[BATCH];
	uint64_t count = 1 + below(actor, BATCH);
	uint64_t sequence;
	uint64_t i;

	plait_buffer_view(memory.whole, BYTES / 2, BYTES / 2, &memory.part,
			  NULL);
	for (i = 0; i < count; i++)
		commands[i] = draw(actor, &memory);
	plait_queue_submit(any(actor, QUEUES), commands, count, &sequence,
			   NULL);
	/* Commands in flight keep it. */
	plait_buffer_release(memory.whole);
	plait_buffer_release(memory.part);
}

/* --- all other calls */

static void serve(struct actor *actor)
{
	plait_event event = { .size = sizeof(event) };
	plait_inbox *inbox = any(actor, INBOXES);
	int32_t descriptor;

	switch (below(actor, 6)) {
	case 0:
		plait_inbox_adopt(inbox, NULL);
		break;
	case 1:
		if (below(actor, 10) == 0)
			plait_inbox_close(inbox, NULL);
		break;
	case 2:
		plait_inbox_pump(inbox, below(actor, 3), NULL, NULL);
		break;
	case 3:
		plait_inbox_descriptor(inbox, &descriptor, NULL);
		break;
	case 4:
		plait_inbox_wait(inbox, below(actor, 2) * 100000, NULL);
		break;
	default:
		if (plait_inbox_next(inbox, &event, NULL) == PLAIT_OK &&
		    event.kind == PLAIT_EVENT_CALL)
			plait_inbox_answer(inbox, event.id,
					      below(actor, 4) == 0, NULL,
					      NULL);
		break;
	}
}

static void wait(struct actor *actor)
{
	const uint64_t timeout_ns = below(actor, 3) * 50000;
	plait_point points[3] = {
		{ any(actor, SIGNALS), 0 },
		{ any(actor, SIGNALS), 0 },
		{ any(actor, GATES), below(actor, 3) }
	};

	if (below(actor, 2) == 0)
		plait_queue_finish(any(actor, QUEUES), timeout_ns, NULL);
	else
		plait_signal_wait_points(points, 1 + below(actor, 3),
				  (int32_t)below(actor, 2), timeout_ns, NULL,
				  NULL);
}

static void steer(struct actor *actor)
{
	plait_signal *gate = any(actor, GATES);
	enum kind which = below(actor, 2) ? SIGNALS : GATES;
	uint64_t reached;

	switch (below(actor, 6)) {
	case 0:
		if (below(actor, 4) == 0)
			plait_signal_fail(gate, 5, "on purpose", NULL);
		break;
	case 1:
		plait_signal_reset(any(actor, which), NULL);
		break;
	case 2:
		plait_signal_query(any(actor, which), &reached, NULL, NULL);
		break;
	case 3:
		plait_signal_notify(any(actor, which), below(actor, 3),
				    any(actor, INBOXES), NULL, NULL, NULL);
		break;
	default:
		plait_signal_raise(gate, 1 + below(actor, 3), NULL);
		break;
	}
}

static void step(struct actor *actor)
{
	enum kind kind = (enum kind)below(actor, KINDS);

	switch (below(actor, 8)) {
	case 0:
		replace(actor->stress, kind, below(actor, SHARED),
			make(actor, kind));
		break;
	case 1:
		serve(actor);
		break;
	case 2:
		wait(actor);
		break;
	case 3:
	case 4:
		steer(actor);
		break;
	default:
		submit(actor);
		break;
	}
}

static void *act(void *arg)
{
	struct actor *actor = arg;

	for (; actor->steps > 0; actor->steps--)
		step(actor);
	return NULL;
}

static void run_rig(struct rig *rig, uint64_t seed, int steps)
{
	struct stress stress = { .rig = rig };
	struct actor actors[THREADS];
	bool gone;
	int i;
	int k;

	for (i = 0; i < THREADS; i++)
		actors[i] = (struct actor){
			.stress = &stress, .steps = steps,
			.random = seed * 2654435761u + (uint64_t)i + 1
		};
	for (k = 0; k < KINDS; k++)
		for (i = 0; i < SHARED; i++)
			stress.shared[k][i] =
				(uintptr_t)make(&actors[0], (enum kind)k);
	for (i = 0; i < THREADS; i++)
		pthread_create(&actors[i].thread, NULL, act, &actors[i]);
	for (i = 0; i < THREADS; i++)
		pthread_join(actors[i].thread, NULL);
	for (k = 0; k < KINDS; k++)
		for (i = 0; i < SHARED; i++)
			replace(&stress, (enum kind)k, (uint64_t)i, NULL);
	plait_context_release(rig->context);
	gone = all_gone();
	OK_THAT(gone, "%d queues, %d signals, %d buffers, %d inboxes "
		"are left", (int)plait_live_count(PLAIT_OBJECT_QUEUE),
		(int)plait_live_count(PLAIT_OBJECT_SIGNAL),
		(int)plait_live_count(PLAIT_OBJECT_BUFFER),
		(int)plait_live_count(PLAIT_OBJECT_INBOX));
	IS_UINT(__atomic_load_n(&stress.announced, __ATOMIC_ACQUIRE),
		stress.wrapped);
	NOTE("%d calls ran, %d buffers were wrapped", (int)stress.ran,
	     (int)stress.wrapped);
}

static void anything_goes(void)
{
	const char *argument = tap_argument("steps");
	int steps = argument != NULL ? atoi(argument)
				     : tap_soak() ? 40 * STEPS : STEPS;
	uint64_t seed = tap_seed();
	struct rig *rig;

	for (rig = settings; rig < settings + SETTINGS; rig++)
		if (open_context(rig))
			run_rig(rig, seed + (uint64_t)(rig - settings),
				steps);
}

static const struct tap_scenario all[] = {
	{ "anything goes", anything_goes },
};

TAP_MAIN(all)
