/* SPDX-License-Identifier: MIT */
/* Host access in random programs over ranks: reads, writes and mappings of boxes, which
 * all ranks make. */
#ifndef T_RANK_ACCESS_H
#define T_RANK_ACCESS_H

#include "rank_work.h"

static void compare(struct program *program, const struct use *use,
		    const uint64_t *host)
{
	uint32_t wrong = 0;

	for (uint64_t i = 0; i < count_of(&use->box); i++)
		wrong += host[i] !=
			 use->array->model[place(use->array, &use->box, i)];
	if (wrong > 0)
		note(program, "read", "other values");
}

static void read_now(struct rank *rank, struct work *work, struct use use)
{
	struct program *program = rank->arg;
	plait_status status = plait_data_read(use.array->data, &use.box,
					      work->host, &rank->error);

	if (has_poison(&use)) {
		if (status != PLAIT_E_FAILED || rank->error.origin != 7)
			note(program, "read of poison", rank->error.text);
	} else if (did(rank, "read", status)) {
		compare(program, &use, work->host);
	}
}

static void map_now(struct rank *rank)
{
	struct program *program = rank->arg;
	struct use use = random_use(program,
				    1 + (uint32_t)below(program, 3));
	uint64_t *pointer = NULL;
	void *mapped = NULL;
	plait_status status = plait_data_map(use.array->data, &use.box,
					     use.mode, &mapped, &rank->error);

	if ((use.mode & PLAIT_ACCESS_READ) != 0 && has_poison(&use)) {
		/* As of a task that reads it, what it writes is poison: the map
		 * did not come about, and all ranks have it as it was. */
		if (status != PLAIT_E_FAILED)
			note(program, "map of poison", rank->error.text);
		return;
	}
	if (!did(rank, "map", status))
		return;
	pointer = use.array->real;
	for (uint64_t i = 0; i < count_of(&use.box); i++) {
		uint64_t at = place(use.array, &use.box, i);

		if ((use.mode & PLAIT_ACCESS_WRITE) != 0)
			pointer[at] = use.array->model[at] =
				below(program, UINT64_MAX);
		else if (pointer[at] != use.array->model[at])
			note(program, "map", "other values");
	}
	if ((use.mode & PLAIT_ACCESS_WRITE) != 0)
		set_poison(&use, false);
	(void)did(rank, "unmap", plait_data_unmap(use.array->data, mapped,
						  &rank->error));
}

static void write_now(struct rank *rank, struct work *work)
{
	struct program *program = rank->arg;
	struct use use = random_use(program, PLAIT_ACCESS_WRITE);

	for (uint64_t i = 0; i < count_of(&use.box); i++)
		use.array->model[place(use.array, &use.box, i)] =
			work->host[i] = below(program, UINT64_MAX);
	set_poison(&use, false);
	(void)did(rank, "write", plait_data_write(use.array->data, &use.box,
						  work->host, &rank->error));
}

#endif
