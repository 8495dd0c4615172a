/* SPDX-License-Identifier: MIT */
/* Memory that is left to be allocated. */
#ifndef PLAITP_SHM_ROOM_H
#define PLAITP_SHM_ROOM_H

#include <stdint.h>

/* Memory that is left, and the machine or control group that has no more. */
struct shm_room {
	uint64_t bytes;
	char of[128];
};

/* Find how much the machine and the control groups of the process have left, as far
 * as the kernel tells. */
void plaitp_shm_room_find(struct shm_room *room);

#endif
