/* SPDX-License-Identifier: MIT */
/*
 * A level-triggered descriptor to poll: readable from raise until drain. Calls
 * do not block; interrupted calls are repeated.
 */
#ifndef PLAIT_SRC_SYS_FD_H
#define PLAIT_SRC_SYS_FD_H

/* Open a descriptor, non-blocking and close-on-exec. Returns it or a
 * negative errno. */
int plait__fd_open(void);

/* Make it readable; a second raise has no effect. Returns 0 or a negative
 * errno. */
int plait__fd_raise(int fd);

/* Make it unreadable. Returns 1 if it was raised, 0 if not, or a negative
 * errno. */
int plait__fd_drain(int fd);

/* Close it; a negative descriptor is ignored. */
void plait__fd_close(int fd);

#endif
