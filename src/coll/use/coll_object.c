/* SPDX-License-Identifier: MIT */
/* Program objects: creation, destruction, entry of one thread at a time. */
#include "coll/use/coll_object.h"

#include "base/alloc.h"
#include "base/error.h"

static at_u32 last_tag;

uint32_t plait__coll_object_tag(void)
{
	uint32_t tag = at_add_u32(&last_tag, 1);

	return tag % ((1u << PLAIT__CHUNK_TAG_BITS) - 1) + 1;
}

static void destroy_coll_object(plait__object *object)
{
	plait__coll_object *coll_object = (plait__coll_object *)object;

	plait__chunk_program_free(coll_object->program);
	plait__free(plait__context_allocator(object->context), coll_object,
		    sizeof(*coll_object));
}

static const plait__class coll_class = {
	.type = PLAIT_OBJECT_COLL, .destroy = destroy_coll_object
};

plait_status plait__coll_object_create(plait__context *context,
				       plait__chunk_program *program,
				       plait_coll **out, plait_error *error)
{
	const plait_allocator *allocator = plait__context_allocator(context);
	plait__coll_object *coll_object = plait__alloc(allocator,
						       sizeof(*coll_object));
	plait_status status;

	if (coll_object == NULL) {
		plait__chunk_program_free(program);
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for a chunk program");
	}
	coll_object->program = program;
	status = plait__object_init(&coll_object->object, &coll_class, context,
				    error);
	if (status != PLAIT_OK) {
		plait__chunk_program_free(program);
		plait__free(allocator, coll_object, sizeof(*coll_object));
		return status;
	}
	plait__object_set_label(&coll_object->object, program->shape->name);
	*out = plait__object_handle(&coll_object->object);
	return PLAIT_OK;
}

plait_status plait__coll_object_enter(plait_coll *handle,
				      plait__coll_object **out,
				      plait_error *error)
{
	plait__object *entered;
	plait_status status = plait__object_enter(handle, PLAIT_OBJECT_COLL,
						  &entered, error);

	*out = (plait__coll_object *)entered;
	if (status != PLAIT_OK)
		return status;
	/* Acquire: pairs with the release in plait__coll_object_leave. */
	if (at_exchange_u32(&(*out)->busy, 1) == 0)
		return PLAIT_OK;
	plait__object_leave(entered);
	*out = NULL;
	return plait__fail(error, PLAIT_E_STATE,
			   "another thread is using this program; one thread "
			   "at a time may use a program");
}

void plait__coll_object_leave(plait__coll_object *coll_object)
{
	at_store_release_u32(&coll_object->busy, 0);
	plait__object_leave(&coll_object->object);
}

PLAIT__OBJECT_REFERENCES(coll, PLAIT_OBJECT_COLL);
