/* SPDX-License-Identifier: MIT */
/* Words of repeated tasks: a descriptor matches as it equals the copy, whichever field
 * differs. */
#include "lib/tap.h"

#include "base/alloc.h"
#include "flow/repeat/repeated_task.h"
#include "flow/repeat/repeated_words.h"

enum { ACCESSES = 3 };

/* A task, with what it points to, and another of which one field is changed. */
static struct task {
	plait_box boxes[ACCESSES];
	plait_access accesses[ACCESSES];
	plait_task_desc desc;
} task, changed;

static char places[8]; /* handles and functions: only addresses matter */

static int32_t function(void *user_data)
{
	(void)user_data;
	return 0;
}

static int32_t other_function(void *user_data)
{
	(void)user_data;
	return 1;
}

/* The second access has no box. */
static void make(struct task *to)
{
	memset(to, 0, sizeof(*to));
	for (uint32_t i = 0; i < ACCESSES; i++) {
		to->boxes[i] = (plait_box){ { i, 0, 0 }, { i + 1, 1, 1 } };
		to->accesses[i] = (plait_access){
			.size = sizeof(plait_access),
			.mode = i == 0 ? PLAIT_ACCESS_WRITE : PLAIT_ACCESS_READ,
			.data = (plait_data *)(void *)&places[i],
			.box = i == 1 ? NULL : &to->boxes[i],
		};
	}
	to->desc = (plait_task_desc){
		.size = sizeof(to->desc), .kind = PLAIT_TASK_CALL,
		.function = function, .user_data = &places[3],
		.accesses = to->accesses, .access_count = ACCESSES,
	};
}

/* Returns true if it matches: all words then.  The copy is compared, too. */
static bool matches(const plait_task_desc *desc)
{
	const plait_allocator *allocator = plait__alloc_default();
	plait__repeated_task *copy = plait__repeated_task_make(allocator,
							       &task.desc);
	const uint64_t *at;
	plait__vector words;
	bool done;

	plait__vector_init(&words, allocator, sizeof(uint64_t));
	OK(copy != NULL && plait__repeated_words_add(&words, &task.desc));
	at = words.items;
	done = plait__repeated_words_match(&at, desc, 1) == 1;
	OK(at == (uint64_t *)words.items + (done ? words.count : 0));
	OK(plait__repeated_words_behind(words.items) ==
	   (uint64_t *)words.items + words.count);
	IS_INT(done, plait__repeated_task_equals(copy, desc));
	plait__repeated_task_free(allocator, copy);
	plait__vector_fini(&words);
	return done;
}

static void same(void)
{
	make(&task);
	make(&changed);
	OK(matches(&task.desc));
	OK(matches(&changed.desc)); /* boxes elsewhere */
	changed.desc.flags = PLAIT_TASK_NO_WAIT;
	changed.desc.label = "other";
	changed.desc.cost = 5;
	OK(matches(&changed.desc));
	task.desc.access_count = changed.desc.access_count = 0;
	changed.desc.accesses = NULL;
	OK(matches(&changed.desc));
}

/* Each statement changes one field of a task that was equal. */
#define DIFFERS(change) \
	do { \
		make(&changed); \
		change; \
		OK_THAT(!matches(&changed.desc), "matches: %s", #change); \
	} while (0)

static void different_tasks(void)
{
	plait_task_desc *desc = &changed.desc;

	make(&task);
	DIFFERS(desc->size = 8);
	DIFFERS(desc->kind = PLAIT_TASK_FILL);
	DIFFERS(desc->flags = PLAIT_TASK_BARRIER);
	DIFFERS(desc->priority = 1);
	DIFFERS(desc->priority = -1);
	DIFFERS(desc->function = other_function);
	DIFFERS(desc->user_data = NULL);
	DIFFERS(desc->access_count = 2);
	DIFFERS(desc->accesses = NULL);
	DIFFERS(desc->argument_count = 1);
	DIFFERS(desc->launch = (plait_launch *)(void *)places);
	DIFFERS(desc->inbox = (plait_inbox *)(void *)places);
	DIFFERS(desc->kernel = (plait_kernel *)(void *)places);
	DIFFERS(desc->arguments = (plait_argument *)(void *)places);
	DIFFERS(desc->target = (plait_data *)(void *)places);
	DIFFERS(desc->source = (plait_data *)(void *)places);
	DIFFERS(desc->host = places);
	DIFFERS(desc->pattern = 1);
	DIFFERS(desc->signal = (plait_signal *)(void *)places);
	DIFFERS(desc->sequence = 1);
	DIFFERS(desc->plan = (plait_plan *)(void *)places);
	DIFFERS(desc->split = 1);
	DIFFERS(desc->pieces = 1);
}

static void different_accesses(void)
{
	for (uint32_t i = 0; i < ACCESSES; i++) {
		plait_access *access = &changed.accesses[i];

		make(&task);
		DIFFERS(access->size = 8);
		DIFFERS(access->mode = PLAIT_ACCESS_READ_WRITE);
		DIFFERS(access->data = (plait_data *)(void *)&places[4]);
		DIFFERS(access->box = access->box == NULL ? &changed.boxes[1] :
							    NULL);
		DIFFERS(access->mapper = (plait_mapper *)(void *)places);
		DIFFERS(access->combine = (plait_kernel *)(void *)places);
		DIFFERS(access->flags = 1);
		DIFFERS(access->reserved0 = 1);
	}
}

static void different_boxes(void)
{
	make(&task);
	for (int d = 0; d < 3; d++) {
		DIFFERS(changed.boxes[0].low[d] = 7);
		DIFFERS(changed.boxes[2].high[d] = 7);
	}
}

/* Returns true if the head of a task without words matches. */
static bool matches_other(const uint64_t *at, const plait_task_desc *desc)
{
	return plait__repeated_words_match(&at, desc, 1) != 0;
}

/* The task has a head alone, which tells that it is compared with its copy; no descriptor
 * matches it, not even one that is not valid. */
static void has_no_words(void)
{
	plait_task_desc desc;
	plait__vector words;

	plait__vector_init(&words, plait__alloc_default(), sizeof(uint64_t));
	OK(plait__repeated_words_add(&words, &task.desc));
	IS_UINT(words.count, PLAIT__REPEATED_WORDS_HEAD);
	OK(plait__repeated_words_are_other(words.items));
	OK(plait__repeated_words_behind(words.items) ==
	   (uint64_t *)words.items + words.count);
	OK(!matches_other(words.items, &task.desc));
	memset(&desc, 0, sizeof(desc));
	OK(!matches_other(words.items, &desc));
	desc.flags = UINT32_MAX;
	desc.priority = -1;
	OK(!matches_other(words.items, &desc));
	plait__vector_fini(&words);
}

static void other_kinds(void)
{
	const plait_mapper mapper = { .size = sizeof(mapper) };

	make(&task);
	task.desc.kind = PLAIT_TASK_FILL;
	has_no_words();
	make(&task);
	task.accesses[2].mapper = &mapper;
	has_no_words();
	make(&task);
	task.desc.split = 1;
	has_no_words();
	make(&task);
	task.desc.pieces = 2;
	has_no_words();
}

/* Of an array each task is compared: the count ends before the first one that differs. */
static void arrays(void)
{
	enum { COUNT = 6 };
	plait_task_desc descs[COUNT];
	plait__vector words;

	make(&task);
	plait__vector_init(&words, plait__alloc_default(), sizeof(uint64_t));
	for (uint32_t i = 0; i < COUNT; i++) {
		descs[i] = task.desc;
		descs[i].access_count = i % (ACCESSES + 1);
		descs[i].user_data = &places[i];
		OK(plait__repeated_words_add(&words, &descs[i]));
	}
	for (uint32_t i = 0; i <= COUNT; i++) {
		const uint64_t *at = words.items, *behind = words.items;

		for (uint32_t k = 0; k < i; k++)
			behind = plait__repeated_words_behind(behind);
		if (i < COUNT)
			descs[i].user_data = &places[7];
		IS_UINT(plait__repeated_words_match(&at, descs, COUNT), i);
		OK(at == behind);
		at = words.items;
		IS_UINT(plait__repeated_words_match(&at, descs, i / 2), i / 2);
		if (i < COUNT)
			descs[i].user_data = &places[i];
	}
	plait__vector_fini(&words);
}

static const struct tap_scenario all[] = {
	{ "same", same },
	{ "different tasks", different_tasks },
	{ "different accesses", different_accesses },
	{ "different boxes", different_boxes },
	{ "other kinds", other_kinds },
	{ "arrays", arrays },
};

TAP_MAIN(all)
