/* SPDX-License-Identifier: MIT */
/* Scenarios of the receives that a half has posted; see receives.c. */
#ifndef RECEIVES_H
#define RECEIVES_H

/* Each rank has a CPU. */
void receives_few(void);
/* Ranks share CPUs. */
void receives_crowded(void);

#endif
