/* SPDX-License-Identifier: MIT */
/* The thread-local end of a time slice. */
#include "pool/time_slice.h"

PLAIT__THREAD_LOCAL uint64_t plait__time_slice_end_ns;
