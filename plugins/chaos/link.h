/* SPDX-License-Identifier: MIT */
/* Links between the simulated memories: which exist, and how long copies take. */
#ifndef PLAIT_PLUGINS_CHAOS_LINK_H
#define PLAIT_PLUGINS_CHAOS_LINK_H

#include <stdbool.h>

#include "plait/plugin.h"

typedef struct chaos chaos;

plait_status plaitp_chaos_link_query(plait_backend *self, uint32_t from,
				     uint32_t to, plait_link_info *out,
				     plait_error *error);

/* Refuse commands that use memory which device `device` does not reach:
 * PLAIT_E_UNSUPPORTED. */
plait_status plaitp_chaos_link_check_work(chaos *system, uint32_t device,
					  const plait_work *work,
					  plait_error *error);
plait_status plaitp_chaos_link_check_launch(chaos *system, uint32_t device,
					    const plait_launch_request *request,
					    plait_error *error);

/* Returns the time of a command that moves bytes between two memories whose
 * link has a time (options `link`, `host_link`); else 0. */
uint64_t plaitp_chaos_link_ns(const chaos *system, const plait_work *work);

#endif
