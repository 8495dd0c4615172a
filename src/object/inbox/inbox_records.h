/* SPDX-License-Identifier: MIT */
/* Event records of an inbox. */
#ifndef PLAIT_SRC_OBJECT_INBOX_INBOX_RECORDS_H
#define PLAIT_SRC_OBJECT_INBOX_INBOX_RECORDS_H

#include "object/inbox/inbox.h"

/* Returns true if the calling thread is the owner. */
bool plait__inbox_is_mine(const plait__inbox *inbox);

/* Caller holds the lock. A linked event record is held by the inbox. */
void plait__inbox_link(plait__inbox *inbox, plait__inbox_event *event_record);
void plait__inbox_push(plait__inbox *inbox, plait__inbox_event *event_record);
/* Remove the record from the posted events, if it is one; it is TAKEN then. */
void plait__inbox_remove(plait__inbox *inbox, plait__inbox_event *event_record);
/* Make the descriptor readable, if it was asked for. Does not wake threads in the
 * wait loop. */
void plait__inbox_wake_owner(plait__inbox *inbox);
/* Returns true if the record was linked: the caller drops the inbox's hold,
 * without the lock. */
bool plait__inbox_unlink(plait__inbox_event *event_record);

#endif
