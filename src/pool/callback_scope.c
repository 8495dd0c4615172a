/* SPDX-License-Identifier: MIT */
/* Thread-local state of callback scopes; see callback_scope.h. */
#include "pool/callback_scope.h"

PLAIT__THREAD_LOCAL plait__pool *plait__callback_scope_pool;
PLAIT__THREAD_LOCAL struct plait__callback_run plait__callback_scope_run;
