/* SPDX-License-Identifier: MIT */
/* Timeout diagnosis of a wait for an inbox. */
#ifndef PLAIT_SRC_OBJECT_INBOX_INBOX_DIAGNOSIS_H
#define PLAIT_SRC_OBJECT_INBOX_INBOX_DIAGNOSIS_H

#include "object/inbox/inbox.h"

/* Write which event the empty inbox `arg` was promised. */
void plait__inbox_diagnosis_describe(void *arg, char *out, uint32_t bytes);

#endif
