/* SPDX-License-Identifier: MIT */
/* Versions and the names of status codes: constants that programs can query. */
#include "config.h"

#include "plait/base.h"



const char *plait_version(void)
{
	return PACKAGE_VERSION;
}

uint32_t plait_abi(void)
{
	return PLAIT_ABI;
}

const char *plait_status_name(plait_status status)
{
	switch (status) {
	case PLAIT_OK: return "PLAIT_OK";
	case PLAIT_PENDING: return "PLAIT_PENDING";
	case PLAIT_EVENT_READY: return "PLAIT_EVENT_READY";
	case PLAIT_E_INVALID: return "PLAIT_E_INVALID";
	case PLAIT_E_HANDLE: return "PLAIT_E_HANDLE";
	case PLAIT_E_NOMEM: return "PLAIT_E_NOMEM";
	case PLAIT_E_UNSUPPORTED: return "PLAIT_E_UNSUPPORTED";
	case PLAIT_E_UNAVAILABLE: return "PLAIT_E_UNAVAILABLE";
	case PLAIT_E_STATE: return "PLAIT_E_STATE";
	case PLAIT_E_BUSY: return "PLAIT_E_BUSY";
	case PLAIT_E_TIMEOUT: return "PLAIT_E_TIMEOUT";
	case PLAIT_E_CANCELLED: return "PLAIT_E_CANCELLED";
	case PLAIT_E_FAILED: return "PLAIT_E_FAILED";
	case PLAIT_E_LOST: return "PLAIT_E_LOST";
	case PLAIT_E_THREAD: return "PLAIT_E_THREAD";
	case PLAIT_E_DEADLOCK: return "PLAIT_E_DEADLOCK";
	case PLAIT_E_FORKED: return "PLAIT_E_FORKED";
	case PLAIT_E_INTERNAL: return "PLAIT_E_INTERNAL";
	default: return "(not a plait status)";
	}
}
