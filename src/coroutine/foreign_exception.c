/* SPDX-License-Identifier: MIT */
/* Exceptions of other languages in coroutines; see foreign_exception.h. */
#include "coroutine/foreign_exception.h"

#include "sys/dl.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

_Unwind_Reason_Code plait__foreign_exception_personality(
	int version, _Unwind_Action actions,
	_Unwind_Exception_Class exception_class,
	struct _Unwind_Exception *exception, struct _Unwind_Context *context)
{
	(void)exception_class;
	if (version != 1)
		return _URC_FATAL_PHASE1_ERROR;
	if ((actions & _UA_FORCE_UNWIND) != 0)
		return _URC_CONTINUE_UNWIND;
	if ((actions & _UA_SEARCH_PHASE) != 0)
		return _URC_HANDLER_FOUND;
	if ((actions & _UA_HANDLER_FRAME) == 0)
		return _URC_CONTINUE_UNWIND;
	_Unwind_SetGR(context, __builtin_eh_return_data_regno(0),
		      (_Unwind_Word)(uintptr_t)exception);
	_Unwind_SetIP(context, (_Unwind_Ptr)(uintptr_t)
			       _Unwind_GetLanguageSpecificData(context));
	return _URC_INSTALL_CONTEXT;
}

/* Returns true for C++, as the runtimes of gcc and clang name it. */
static bool is_cplusplus(const struct _Unwind_Exception *exception)
{
	return (exception->exception_class >> 8 & 0xffffff) == 0x432b2b;
}

/* Open the C++ runtime that has thrown the exception: it has its cleanup
 * function.  Returns null if that is linked into the program. */
static void *open_runtime(const struct _Unwind_Exception *exception)
{
	_Unwind_Exception_Cleanup_Fn cleanup = exception->exception_cleanup;
	const void *address;
	char path[PATH_MAX], text[256];

	memcpy(&address, &cleanup, sizeof(address));
	if (address == NULL ||
	    plait__dl_query_path(address, path, sizeof(path)) != 0)
		return NULL;
	return plait__dl_open_code(path, text, sizeof(text));
}

/* Catch and end the exception as C++ does, or else the thread would count it as
 * uncaught for good.  Returns false if the runtime is not found. */
static bool drop_cplusplus(struct _Unwind_Exception *exception)
{
	void *runtime = open_runtime(exception);
	void *begin_address = NULL, *end_address = NULL;
	void *(*begin)(void *exception);
	void (*end)(void);

	if (runtime == NULL)
		return false;
	begin_address = plait__dl_find(runtime, "__cxa_begin_catch");
	end_address = plait__dl_find(runtime, "__cxa_end_catch");
	if (begin_address != NULL && end_address != NULL) {
		memcpy(&begin, &begin_address, sizeof(begin));
		memcpy(&end, &end_address, sizeof(end));
		(void)begin(exception);
		end();
	}
	plait__dl_close(runtime);
	return begin_address != NULL && end_address != NULL;
}

void plait__foreign_exception_drop(struct _Unwind_Exception *exception)
{
	if (!is_cplusplus(exception) || !drop_cplusplus(exception))
		_Unwind_DeleteException(exception);
}
