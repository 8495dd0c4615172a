/* SPDX-License-Identifier: MIT */
/*
 * Environment of a test that counts the library's own allocations or opens
 * plugins of a folder of its own: interposers that the caller asked for in
 * PLAIT_WRAP, and the check of races, are switched off before main.  Other tests
 * pass with PLAIT_WRAP=check; t/plugins/check_wrapped.t runs a part of them.
 */
#ifndef UNWRAPPED_H
#define UNWRAPPED_H

#include <stdlib.h>

__attribute__((constructor)) static void unwrap(void)
{
	unsetenv("PLAIT_WRAP");
	unsetenv("PLAIT_CHECK");
}

#endif
