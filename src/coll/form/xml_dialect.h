/* SPDX-License-Identifier: MIT */
/*
 * Dialects of MSCCL XML: names of collectives, protocols and steps, and what
 * each executor's transport does.
 */
#ifndef PLAIT_SRC_COLL_FORM_XML_DIALECT_H
#define PLAIT_SRC_COLL_FORM_XML_DIALECT_H

#include "plait/base.h"

/* Find the number of a name; returns 0, or -1 if there is none. */
int plait__dialect_find_kind(const char *name, uint32_t *out);
int plait__dialect_find_protocol(const char *name, uint32_t *out);
int plait__dialect_find_step(const char *name, uint32_t *out);
int plait__dialect_find_buffer(const char *name, uint32_t *out);

/* Returns the name that the executor knows. */
const char *plait__dialect_kind(uint32_t kind, uint32_t target);
const char *plait__dialect_protocol(uint32_t protocol);
const char *plait__dialect_step(uint32_t kind);
const char *plait__dialect_buffer(uint32_t buffer);

/* Returns the slots of a connection, and the bytes of a slot. */
uint32_t plait__dialect_depth(uint32_t protocol);
uint64_t plait__dialect_slot_bytes(uint32_t protocol);

#endif
