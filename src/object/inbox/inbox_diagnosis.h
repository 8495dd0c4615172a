/* SPDX-License-Identifier: MIT */
/* Timeout diagnosis of inboxes. */
#ifndef PLAIT_SRC_OBJECT_INBOX_INBOX_DIAGNOSIS_H
#define PLAIT_SRC_OBJECT_INBOX_INBOX_DIAGNOSIS_H

#include "object/inbox/inbox.h"

/* Says which event the inbox `arg`, which has none, was promised. */
void plait__inbox_diagnosis_describe(void *arg, char *out, uint32_t bytes);

#endif
