/* SPDX-License-Identifier: MIT */
/* Sin: exports something, but no entry. */
#include "plait/plugin.h"

PLAIT_PLUGIN_EXPORT int32_t plait_plugin_entrance(void);

int32_t plait_plugin_entrance(void)
{
	return 0;
}
