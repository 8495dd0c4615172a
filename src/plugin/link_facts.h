/* SPDX-License-Identifier: MIT */
/*
 * Checked answers of a backend about the link between two of its devices, or
 * of one and the program. object/context/device_link assumes the rest.
 */
#ifndef PLAIT_SRC_PLUGIN_LINK_FACTS_H
#define PLAIT_SRC_PLUGIN_LINK_FACTS_H

#include "plugin/registry.h"

/*
 * Ask the backend for the link from `from` to `to`: two of its devices, not
 * equal, or one and PLAIT_LINK_HOST. Figures that it does not tell are 0, and so
 * are all flags but PLAIT_LINK_DIRECT. `out` is unchanged after a failure:
 * PLAIT_E_INTERNAL (figures that cannot be), or that of the backend, but never
 * PLAIT_E_UNSUPPORTED, which is an answer: unknown.
 */
plait_status plait__link_facts_query(const plait__backend *backend,
				     uint32_t from, uint32_t to,
				     plait_link_info *out, plait_error *error);

#endif
