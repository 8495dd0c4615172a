/* SPDX-License-Identifier: MIT */
/* Function pointers made at run time; see ffi_closure.h. */
#include "ffi/ffi_closure.h"

#include "ffi/shape.h"
#include "base/alloc.h"
#include "base/error.h"
#include "sys/exec.h"

#include <stddef.h>
#include <string.h>

#ifdef HAVE_LIBFFI

struct plait__ffi_closure {
	ffi_closure *memory; /* from libffi, not from the allocator */
	void *code;
	const plait__ffi_shape *shape;
	plait__ffi_handler handler;
	void *user_data;
};

/* Store a result; libffi wants narrow ones widened to a register. */
static void put_result(plait__ffi_type type, int64_t value, void *out)
{
	ffi_arg word = 0;

	switch (type) {
	case PLAIT__FFI_VOID: return;
	case PLAIT__FFI_I8: word = (ffi_arg)(ffi_sarg)(int8_t)value; break;
	case PLAIT__FFI_I16: word = (ffi_arg)(ffi_sarg)(int16_t)value; break;
	case PLAIT__FFI_I32: word = (ffi_arg)(ffi_sarg)(int32_t)value; break;
	case PLAIT__FFI_U8: word = (uint8_t)value; break;
	case PLAIT__FFI_U16: word = (uint16_t)value; break;
	case PLAIT__FFI_U32: word = (uint32_t)value; break;
	default: memcpy(out, &value, sizeof(value)); return;
	}
	memcpy(out, &word, sizeof(word));
}

static void enter(ffi_cif *cif, void *result, void **arguments, void *data)
{
	const plait__ffi_closure *closure = data;

	(void)cif;
	put_result(closure->shape->result,
		   closure->handler(closure->user_data, arguments), result);
}

static plait_status refused(plait_error *error)
{
	int result = plait__exec_query();

	if (result == 0)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a function pointer");
	return plait__fail_origin(error, PLAIT_E_UNAVAILABLE, -result,
				  "the system refuses memory that is written "
				  "and then run (errno %d: SELinux, seccomp or "
				  "the like), which a function pointer made at "
				  "run time needs", -result);
}

static plait_status prepare(plait__ffi_closure *closure, plait_error *error)
{
	ffi_status status;

	closure->memory = ffi_closure_alloc(sizeof(*closure->memory),
					    &closure->code);
	if (closure->memory == NULL)
		return refused(error);
	/* The call writes only to struct types, and there are none. */
	status = ffi_prep_closure_loc(closure->memory,
				      (ffi_cif *)(uintptr_t)
				      &closure->shape->cif,
				      enter, closure, closure->code);
	if (status == FFI_OK)
		return PLAIT_OK;
	ffi_closure_free(closure->memory);
	return plait__fail_origin(error, PLAIT_E_UNSUPPORTED, status,
				  "libffi makes no function pointer of this "
				  "type (%d)", (int)status);
}

plait_status plait__ffi_closure_create(const plait_allocator *allocator,
				       const plait__ffi_shape *shape,
				       plait__ffi_handler handler,
				       void *user_data,
				       plait__ffi_closure **out,
				       plait_error *error)
{
	plait__ffi_closure *closure = plait__alloc(allocator,
						   sizeof(*closure));
	plait_status status;

	*out = NULL;
	if (closure == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a function pointer");
	closure->shape = shape;
	closure->handler = handler;
	closure->user_data = user_data;
	status = prepare(closure, error);
	if (status == PLAIT_OK)
		*out = closure;
	else
		plait__free(allocator, closure, sizeof(*closure));
	return status;
}

void (*plait__ffi_closure_code(const plait__ffi_closure *closure))(void)
{
	void (*code)(void);

	memcpy(&code, &closure->code, sizeof(code));
	return code;
}

void plait__ffi_closure_destroy(const plait_allocator *allocator,
				plait__ffi_closure *closure)
{
	if (closure == NULL)
		return;
	ffi_closure_free(closure->memory);
	plait__free(allocator, closure, sizeof(*closure));
}

#else

plait_status plait__ffi_closure_create(const plait_allocator *allocator,
				       const plait__ffi_shape *shape,
				       plait__ffi_handler handler,
				       void *user_data,
				       plait__ffi_closure **out,
				       plait_error *error)
{
	(void)allocator;
	(void)shape;
	(void)handler;
	(void)user_data;
	*out = NULL;
	return plait__fail(error, PLAIT_E_UNSUPPORTED,
			   "function pointers made at run time need libffi, "
			   "and this library was built without it");
}

void (*plait__ffi_closure_code(const plait__ffi_closure *closure))(void)
{
	(void)closure;
	return NULL;
}

void plait__ffi_closure_destroy(const plait_allocator *allocator,
				plait__ffi_closure *closure)
{
	(void)allocator;
	(void)closure;
}

#endif
