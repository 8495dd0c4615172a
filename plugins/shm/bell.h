/* SPDX-License-Identifier: MIT */
/* Waking of a peer that sleeps on the bell of its port. */
#ifndef PLAITP_SHM_BELL_H
#define PLAITP_SHM_BELL_H

#include <limits.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "shm.h"

/* The caller has stored what the peer looks for.  The addition is sequentially
 * consistent, as the peer's store to `sleeping`: one of them sees the other. */
static inline void plaitp_shm_bell_ring(struct shm_head *head)
{
	plaitp_driven_add(&head->bell);
	if (plaitp_driven_load(&head->sleeping) != 0)
		(void)syscall(SYS_futex, &head->bell, FUTEX_WAKE, INT_MAX,
			      NULL, NULL, 0);
}

#endif
