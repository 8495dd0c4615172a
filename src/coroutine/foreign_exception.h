/* SPDX-License-Identifier: MIT */
/*
 * Exceptions of other languages (C++) that leave the function of a coroutine.
 * The base frame of the coroutine catches them; a thread that ends in the
 * function passes it by.
 */
#ifndef PLAIT_SRC_COROUTINE_FOREIGN_EXCEPTION_H
#define PLAIT_SRC_COROUTINE_FOREIGN_EXCEPTION_H

#include <unwind.h>

/* The personality routine of the base frame: catches every exception, and
 * continues with it where the frame's language-specific data is. */
_Unwind_Reason_Code plait__foreign_exception_personality(
	int version, _Unwind_Action actions,
	_Unwind_Exception_Class exception_class,
	struct _Unwind_Exception *exception, struct _Unwind_Context *context);

/* End the exception, which was caught, and free it. */
void plait__foreign_exception_drop(struct _Unwind_Exception *exception);

#endif
