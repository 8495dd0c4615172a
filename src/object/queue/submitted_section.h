/* SPDX-License-Identifier: MIT */
/* Section among the commands of a submission; its gate and its pool are those of
 * external_section.h. */
#ifndef PLAIT_SRC_OBJECT_QUEUE_SUBMITTED_SECTION_H
#define PLAIT_SRC_OBJECT_QUEUE_SUBMITTED_SECTION_H

#include "object/queue/external_section.h"

/* Enter as one of several commands of a submission.  Add it, under the queue's
 * lock; then, without locks: `submitted` if the submission was accepted, or else
 * withdraw, and cancel. */
plait_status plait__section_add(plait__section *section,
				struct plait__submission_builder *builder,
				plait_error *error);
void plait__section_submitted(plait__section *section);
void plait__section_withdraw(plait__section *section);

#endif
