/* SPDX-License-Identifier: MIT */
/* Binding of kernels and functions to the names of a plan. */
#include "graph/plan/bind_code.h"

#include "base/error.h"
#include "base/sized_struct.h"
#include "base/spelling_hint.h"
#include "base/text.h"
#include "object/inbox/inbox.h"
#include "object/kernel/kernel.h"

#include <string.h>

/* ---- steps of every binding ---- */

plait_status plait__bind_enter(plait_plan *plan, plait__plan_object **out,
			       plait_error *error)
{
	plait_status status = plait__plan_object_enter(plan, out, error);

	if (status != PLAIT_OK || (*out)->bindings != NULL)
		return status;
	plait__object_leave(&(*out)->object);
	return plait__fail(error, PLAIT_E_STATE,
			   "the plan was frozen with its objects and has no "
			   "names to bind");
}

plait_status plait__bind_unknown(const plait__plan_object *plan_object,
				 uint32_t kind, const char *name,
				 plait_error *error)
{
	uint32_t count = plait__binding_names_count(plan_object->bindings);
	plait__spelling_hint choices;

	plait__spelling_hint_init(&choices, name);
	for (uint32_t i = 0; i < count; i++) {
		const plait__binding *binding =
			plait__binding_names_at(plan_object->bindings, i);

		if (binding->kind == kind)
			plait__spelling_hint_add(&choices, binding->name);
	}
	return plait__fail(error, PLAIT_E_INVALID,
			   "the plan has no %s \"%.*s\"%s; it has %s",
			   plait__binding_kinds[kind],
			   PLAIT__TEXT_FIT(name, 60),
			   plait__spelling_hint_text(&choices),
			   plait__spelling_hint_list(&choices));
}

plait_status plait__bind_find(const plait__plan_object *plan_object,
			      uint32_t kind, const char *name, uint32_t *out,
			      plait_error *error)
{
	const plait__binding *binding;

	if (name == NULL)
		return plait__fail(error, PLAIT_E_INVALID, "name is null");
	binding = plait__binding_names_find(plan_object->bindings, kind, name);
	if (binding == NULL)
		return plait__bind_unknown(plan_object, kind, name, error);
	*out = binding->at;
	return PLAIT_OK;
}

plait_status plait__bind_begin(plait__plan_object *plan_object,
			       plait_error *error)
{
	plait__mutex_lock(&plan_object->lock);
	if (!plan_object->sealed)
		return PLAIT_OK;
	plait__mutex_unlock(&plan_object->lock);
	return plait__fail(error, PLAIT_E_STATE,
			   "the plan has run; its bindings no longer change");
}

void plait__bind_end(plait__plan_object *plan_object, plait__object *old)
{
	plait__mutex_unlock(&plan_object->lock);
	if (old != NULL)
		plait__object_drop(old);
}

plait__object *plait__bind_exchange(plait__object **place,
				    plait__object *object)
{
	plait__object *old = *place;

	plait__object_hold(object);
	*place = object;
	return old;
}

/* ---- kernels ---- */

static bool has_name(const plait__plan_object *plan_object, uint32_t at,
		     const plait__kernel *kernel)
{
	return strcmp(plait__plan_object_string(
			      plan_object, plan_object->plan->kernels[at].name),
		      kernel->signature->name) == 0;
}

static bool has_signature(const plait__plan_object *plan_object, uint32_t at,
			  const plait__kernel *kernel)
{
	return strcmp(plait__plan_object_string(
			      plan_object,
			      plan_object->plan->kernels[at].signature),
		      kernel->signature->text) == 0;
}

/* Find the first kernel of the plan with this name and signature.
 * PLAIT_E_INVALID: an unknown name, or another signature. */
static plait_status find_kernel(const plait__plan_object *plan_object,
				const plait__kernel *kernel, uint32_t *out,
				plait_error *error)
{
	const plait__plan *plan = plan_object->plan;
	const char *name = kernel->signature->name;
	const char *wanted = NULL;

	for (uint32_t i = 0; i < plan->kernels_count; i++) {
		if (!has_name(plan_object, i, kernel))
			continue;
		if (has_signature(plan_object, i, kernel)) {
			*out = i;
			return PLAIT_OK;
		}
		wanted = plait__plan_object_string(plan_object,
						   plan->kernels[i].signature);
	}
	if (wanted == NULL)
		return plait__bind_unknown(plan_object, PLAIT_BINDING_KERNEL,
					   name, error);
	return plait__fail(error, PLAIT_E_INVALID,
			   "the plan needs kernel %.*s, this one is %.*s",
			   PLAIT__TEXT_FIT(wanted, 90),
			   PLAIT__TEXT_FIT(kernel->signature->text, 90));
}

/* Bind every kernel of this name and signature.  The replaced ones are dropped
 * by a thread that holds no lock.  Caller has entered plan and kernel. */
static plait_status bind_kernel(plait__plan_object *plan_object,
				plait__kernel *kernel, plait_error *error)
{
	uint32_t i = 0;
	plait_status status = find_kernel(plan_object, kernel, &i, error);

	if (status == PLAIT_OK)
		status = plait__bind_begin(plan_object, error);
	if (status != PLAIT_OK)
		return status;
	for (; i < plan_object->plan->kernels_count; i++) {
		plait__object *old = NULL;

		if (has_name(plan_object, i, kernel) &&
		    has_signature(plan_object, i, kernel))
			old = plait__bind_exchange(&plan_object->kernels[i],
						   &kernel->object);
		if (old != NULL)
			plait__object_drop_deferred(old);
	}
	plait__bind_end(plan_object, NULL);
	plait__reclaim_pending(plan_object->object.context);
	return PLAIT_OK;
}

plait_status plait_plan_bind_kernel(plait_plan *plan, plait_kernel *kernel,
				    plait_error *error)
{
	plait__plan_object *entered;
	plait__kernel *code;
	plait_status status = plait__bind_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = plait__kernel_enter(kernel, &code, error);
	if (status == PLAIT_OK) {
		status = plait__context_check_same(&entered->object,
						   &code->object, error);
		if (status == PLAIT_OK)
			status = bind_kernel(entered, code, error);
		plait__object_leave(&code->object);
	}
	plait__object_leave(&entered->object);
	return status;
}

/* ---- functions ---- */

/* Check the descriptor against the thread that the plan recorded. */
static plait_status check_function(const plait__plan_object *plan_object,
				   uint32_t at, const char *name,
				   const plait_function_desc *desc,
				   plait_error *error)
{
	uint32_t wanted = plan_object->plan->functions[at].flags;
	bool any = (wanted & PLAIT__FUNCTION_ANY_THREAD) != 0;
	bool suspends = (wanted & PLAIT__FUNCTION_COROUTINE) != 0;
	bool bound = (wanted & PLAIT__FUNCTION_FIRST_WORKER) != 0;

	if ((desc->flags & ~(uint32_t)(PLAIT_CALL_ANY_THREAD |
				       PLAIT_CALL_COROUTINE |
				       PLAIT_CALL_FIRST_WORKER)) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plait_function_desc: flags 0x%x are not "
				   "known", desc->flags);
	if (any && (desc->inbox != NULL || desc->flags == 0))
		return plait__fail(error, PLAIT_E_INVALID,
				   "the plan's \"%.*s\" runs on any thread: "
				   "set PLAIT_CALL_ANY_THREAD and no inbox",
				   PLAIT__TEXT_FIT(name, 60));
	if (!any && (desc->inbox == NULL || desc->flags != 0))
		return plait__fail(error, PLAIT_E_INVALID,
				   "the plan's \"%.*s\" runs on the owner's "
				   "thread of an inbox: set one, and not "
				   "PLAIT_CALL_ANY_THREAD",
				   PLAIT__TEXT_FIT(name, 60));
	if (suspends != ((desc->flags & PLAIT_CALL_COROUTINE) != 0))
		return plait__fail(error, PLAIT_E_INVALID,
				   "the plan's \"%.*s\" is %s coroutine: %s "
				   "PLAIT_CALL_COROUTINE",
				   PLAIT__TEXT_FIT(name, 60),
				   suspends ? "a" : "no",
				   suspends ? "set" : "do not set");
	if (bound != ((desc->flags & PLAIT_CALL_FIRST_WORKER) != 0))
		return plait__fail(error, PLAIT_E_INVALID,
				   "the plan's \"%.*s\" continues on %s "
				   "worker: %s PLAIT_CALL_FIRST_WORKER",
				   PLAIT__TEXT_FIT(name, 60),
				   bound ? "its first" : "any",
				   bound ? "set" : "do not set");
	if (desc->function == NULL && desc->inbox == NULL)
		return plait__fail(error, PLAIT_E_INVALID,
				   "plait_function_desc: function is null");
	return PLAIT_OK;
}

/* check_function has accepted the descriptor; the caller has entered the
 * inbox. */
static plait_status set_function(plait__plan_object *plan_object, uint32_t at,
				 const plait_function_desc *desc,
				 plait__object *inbox, plait_error *error)
{
	plait__store_function *place = &plan_object->functions[at];
	plait__object *old;
	plait_status status = plait__bind_begin(plan_object, error);

	if (status != PLAIT_OK)
		return status;
	old = place->inbox;
	if (inbox != NULL)
		plait__object_hold(inbox);
	*place = (plait__store_function){ desc->function, desc->user_data,
					  inbox };
	plait__bind_end(plan_object, old);
	return PLAIT_OK;
}

/* Bind a function; with an inbox, the plan holds that.  Caller has entered the
 * plan. */
static plait_status bind_function(plait__plan_object *plan_object,
				  const char *name,
				  const plait_function_desc *desc,
				  plait_error *error)
{
	plait__inbox *inbox = NULL;
	uint32_t at;
	plait_status status = plait__bind_find(
		plan_object, PLAIT_BINDING_FUNCTION, name, &at, error);

	if (status == PLAIT_OK)
		status = check_function(plan_object, at, name, desc, error);
	if (status != PLAIT_OK || desc->inbox == NULL)
		return status != PLAIT_OK ? status :
		       set_function(plan_object, at, desc, NULL, error);
	status = plait__inbox_enter(desc->inbox, &inbox, error);
	if (status != PLAIT_OK)
		return status;
	status = plait__context_check_same(&plan_object->object, &inbox->object,
					   error);
	if (status == PLAIT_OK)
		status = set_function(plan_object, at, desc, &inbox->object,
				      error);
	plait__object_leave(&inbox->object);
	return status;
}

plait_status plait_plan_bind_function(plait_plan *plan, const char *name,
				      const plait_function_desc *desc,
				      plait_error *error)
{
	plait_function_desc ours;
	plait__plan_object *entered;
	plait_status status = plait__bind_enter(plan, &entered, error);

	if (status != PLAIT_OK)
		return status;
	status = PLAIT__STRUCT_READ(plait_function_desc, &ours, desc, error);
	if (status == PLAIT_OK)
		status = bind_function(entered, name, &ours, error);
	plait__object_leave(&entered->object);
	return status;
}
