/* SPDX-License-Identifier: MIT */
/* Actions of one thread while another waits, and the memory that a queue keeps
 * meanwhile. */
#include "lib/objects.h"

#include <sys/syscall.h>
#include <unistd.h>

/* --- an inbox that is closed while its owner waits for it */

struct owner {
	plait_context *context;
	plait_inbox *inbox;
	pthread_barrier_t ready;
	long thread;
	plait_status status;
};

static void *wait_in_inbox(void *arg)
{
	struct owner *owner = arg;

	plait_inbox_create(owner->context, &owner->inbox, NULL);
	owner->thread = syscall(SYS_gettid);
	pthread_barrier_wait(&owner->ready);
	/* For ever: the last look when the time is over proves nothing. */
	owner->status = plait_inbox_wait(owner->inbox, PLAIT_FOREVER, NULL);
	return NULL;
}

static bool is_asleep(long thread)
{
	char path[64];
	char line[128] = "";
	const char *state;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", thread);
	file = fopen(path, "r");
	if (file == NULL)
		return true;
	if (fgets(line, sizeof(line), file) == NULL)
		line[0] = '\0';
	fclose(file);
	state = strrchr(line, ')');
	return state != NULL && state[1] == ' ' && state[2] == 'S';
}

static pthread_t start_owner(struct owner *owner, struct rig *rig)
{
	pthread_t thread;
	int asleep = 0;
	int i;

	owner->context = rig->context;
	pthread_barrier_init(&owner->ready, NULL, 2);
	pthread_create(&thread, NULL, wait_in_inbox, owner);
	pthread_barrier_wait(&owner->ready);
	/* For good, not on its way from the barrier.  If that is never visible
	 * on a busy machine, this proves less but is no failure. */
	for (i = 0; i < 20000 && asleep < 50; i++) {
		pause_a_little();
		asleep = is_asleep(owner->thread) ? asleep + 1 : 0;
	}
	return thread;
}

static void closed_while_waiting(void)
{
	struct rig *rig;

	for (rig = settings; rig < settings + 2; rig++) {
		struct owner owner = { .inbox = NULL };
		pthread_t thread;

		if (!open_rig(rig))
			continue;
		thread = start_owner(&owner, rig);
		IS_INT(plait_inbox_close(owner.inbox, NULL), PLAIT_OK);
		pthread_join(thread, NULL);
		IS_INT(owner.status, PLAIT_E_STATE);
		plait_inbox_release(owner.inbox);
		close_rig(rig);
	}
}

/* --- without workers waiting threads do the work; also later work */

static void waiting_threads_work(void)
{
	struct rig *rig;

	for (rig = settings; rig < settings + 2; rig++) {
		struct owner owner = { .inbox = NULL };
		plait_command call = { .size = sizeof(call),
				       .kind = PLAIT_COMMAND_CALL };
		pthread_t thread;

		if (!open_rig(rig))
			continue;
		thread = start_owner(&owner, rig);
		call.inbox = owner.inbox;
		/* And then this thread does something else. */
		IS_INT(plait_queue_submit(rig->queue, &call, 1, NULL, NULL),
		       PLAIT_OK);
		pthread_join(thread, NULL);
		IS_INT(owner.status, PLAIT_OK);
		plait_inbox_release(owner.inbox);
		(void)plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL);
		close_rig(rig);
	}
}

/* --- memory in flight is released also if `finish` is never called */

static int64_t bytes_in_use;

static void *count_bytes(void *user_data, void *pointer, uint64_t old_bytes,
			 uint64_t new_bytes)
{
	(void)user_data;
	if (new_bytes == 0) {
		free(pointer);
		pointer = NULL;
	} else {
		pointer = realloc(pointer, new_bytes);
	}
	if (pointer != NULL || new_bytes == 0)
		__atomic_add_fetch(&bytes_in_use,
				   (int64_t)(new_bytes - old_bytes),
				   __ATOMIC_RELAXED);
	return pointer;
}

/*
 * A signal comes before its queue has noted that the batch is done, so the
 * objects of one batch may still be held when the next is submitted.  Hence two
 * batches may be in flight, or with growth by doubling the room of four; when
 * that happens depends on the threads.  The record of one command is smaller
 * than ENTRY_BYTES.
 */
enum {
	FILLS = 256,
	BUFFERS = 8,
	BATCHES = 400,
	ENTRY_BYTES = 512,
	MOST_BYTES = 4 * (FILLS + 2) * ENTRY_BYTES
};

static void submit_fills(struct rig *rig, plait_buffer **buffers)
{
	static plait_command fills[FILLS + 1];
	uint64_t sequence;
	int i;

	for (i = 0; i < FILLS; i++)
		fills[i] = (plait_command){ .size = sizeof(fills[i]),
					    .kind = PLAIT_COMMAND_FILL,
					    .target = buffers[i % BUFFERS],
					    .bytes = 8, .pattern_bytes = 1 };
	fills[FILLS] = (plait_command){ .size = sizeof(fills[0]),
					.kind = PLAIT_COMMAND_EMIT,
					.signal = rig->signal };
	plait_queue_submit(rig->queue, fills, FILLS + 1, &sequence, NULL);
	plait_signal_wait(rig->signal, sequence, PLAIT_FOREVER, NULL);
}

static void flat_without_finish(void)
{
	const plait_allocator allocator = { .size = sizeof(allocator),
					    .resize = count_bytes };
	plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
				    .backends = "host",
				    .allocator = &allocator };
	struct rig rig = { .backend = "host" };
	plait_buffer *buffers[BUFFERS];
	int64_t before;
	int64_t after;
	int i;

	IS_INT(plait_context_open(&desc, &rig.context, NULL), PLAIT_OK);
	plait_context_device(rig.context, 0, &rig.device, NULL);
	plait_queue_create(rig.device, NULL, &rig.queue, NULL);
	plait_signal_create(rig.device, NULL, &rig.signal, NULL);
	for (i = 0; i < BUFFERS; i++)
		buffers[i] = make_buffer(&rig, 8, NULL);
	before = __atomic_load_n(&bytes_in_use, __ATOMIC_RELAXED);
	for (i = 0; i < BATCHES; i++)
		submit_fills(&rig, buffers);
	after = __atomic_load_n(&bytes_in_use, __ATOMIC_RELAXED);
	/* Without the release it would be many times more. */
	OK_THAT(after - before <= MOST_BYTES, "%lld bytes, then %lld",
		(long long)before, (long long)after);
	for (i = 0; i < BUFFERS; i++)
		plait_buffer_release(buffers[i]);
	plait_signal_release(rig.signal);
	plait_queue_release(rig.queue);
	plait_context_release(rig.context);
	OK(all_gone());
}

/* --- closing objects does not free memory in use */

static void wrapped_memory_at_close(void)
{
	static char memory[64];
	int announced = 0;
	struct rig *rig;

	for (rig = settings; rig < settings + SETTINGS; rig++) {
		plait_wrap_desc desc = { .size = sizeof(desc),
					 .pointer = memory,
					 .bytes = sizeof(memory),
					 .released = add_one,
					 .user_data = &announced };
		plait_buffer *buffer;

		if (!open_rig(rig))
			continue;
		plait_inbox_create(rig->context, &desc.inbox, NULL);
		IS_INT(plait_buffer_wrap(rig->device, &desc, &buffer, NULL),
		       PLAIT_OK);
		IS_INT(plait_inbox_close(desc.inbox, NULL), PLAIT_OK);
		IS_INT(plait_inbox_pump(desc.inbox, 0, NULL, NULL), PLAIT_OK);
		IS_INT(announced, 0);
		plait_buffer_release(buffer);
		plait_inbox_release(desc.inbox);
		close_rig(rig);
	}
}

/* --- two queues that emit one signal in turn, and a thread that destroys it */

static void in_turn(void)
{
	struct rig *rig;

	for (rig = settings; rig < settings + 2; rig++) {
		plait_queue *other;
		uint64_t sequence = 0;
		int i;
		int k;

		if (!open_rig(rig))
			continue;
		plait_queue_create(rig->device, NULL, &other, NULL);
		for (i = 0; i < 200; i++) {
			plait_signal *signal;

			plait_signal_create(rig->device, NULL, &signal, NULL);
			for (k = 0; k < 10; k++)
				plait_queue_emit(k % 2 ? other : rig->queue,
						 signal, &sequence, NULL);
			plait_signal_wait(signal, sequence, PLAIT_FOREVER,
					  NULL);
			plait_signal_release(signal);
		}
		IS_UINT(sequence, 10);
		IS_INT(plait_queue_finish(other, PLAIT_FOREVER, NULL),
		       PLAIT_OK);
		plait_queue_release(other);
		close_rig(rig);
	}
}

/* --- released memory is available again, whichever thread reclaims it */

static int again(struct rig *rig)
{
	const plait_buffer_desc desc = { .size = sizeof(desc), .bytes = 2000 };
	plait_buffer *first = NULL;
	plait_buffer *second = NULL;
	plait_status status;

	plait_buffer_create(rig->device, &desc, &first, NULL);
	plait_queue_fill(rig->queue, first, 0, 2000, 1, 1, NULL);
	plait_queue_emit(rig->queue, rig->signal, NULL, NULL);
	/* In use yet: from now on a thread of the context tries to reclaim
	 * it. */
	plait_buffer_release(first);
	plait_signal_wait(rig->signal, 0, PLAIT_FOREVER, NULL);
	status = plait_buffer_create(rig->device, &desc, &second, NULL);
	plait_buffer_release(second);
	plait_queue_finish(rig->queue, PLAIT_FOREVER, NULL);
	if (status == PLAIT_OK)
		status = plait_signal_reset(rig->signal, NULL);
	return status != PLAIT_OK;
}

static void released_is_free(void)
{
	const int rounds = tap_soak() ? 50000 : 1000;
	struct rig *rig;

	for (rig = settings; rig < settings + 2; rig++) {
		int wrong = 0;
		int i;

		if (!open_rig(rig))
			continue;
		plait_device_set_budget(rig->device, 2000, NULL);
		for (i = 0; i < rounds; i++)
			wrong += again(rig);
		IS_INT(wrong, 0);
		close_rig(rig);
	}
}

static const struct tap_scenario all[] = {
	{ "an inbox closed while its owner waits", closed_while_waiting },
	{ "waiting threads work", waiting_threads_work },
	{ "flat without finish", flat_without_finish },
	{ "wrapped memory at close", wrapped_memory_at_close },
	{ "one signal, two queues", in_turn },
	{ "released memory is free", released_is_free },
};

TAP_MAIN(all)
