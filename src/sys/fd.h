/* SPDX-License-Identifier: MIT */
/*
 * A level-triggered descriptor to poll on: readable from raise until drain.
 * Nothing blocks; interrupted calls are repeated.
 */
#ifndef PLAIT_SRC_SYS_FD_H
#define PLAIT_SRC_SYS_FD_H

/* Non-blocking and closed on exec.  The descriptor or a negative errno. */
int plait__fd_open(void);

/* Make it readable; raising twice is raising once.  0 or a negative errno. */
int plait__fd_raise(int fd);

/* Make it unreadable; 1 if it was raised, 0 if not, or a negative errno. */
int plait__fd_drain(int fd);

/* Negative is fine and does nothing. */
void plait__fd_close(int fd);

#endif
