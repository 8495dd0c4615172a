/* SPDX-License-Identifier: MIT */
/* Textures and surfaces of two dimensions: what the driver does with their
 * handles, for the formats that image_cuda.prelude uses. */
#include "machine.h"
#include "parser.h"

static void fail(struct ptx_thread *t, const struct ptx_op *o, int result)
{
	if (result != 0)
		ptx_machine_fail(t, (enum ptx_result)result, "no pixel of "
				 "%#llx is there, or the handle is none",
				 (unsigned long long)t->r[o->a]);
}

static void read_texture(struct ptx_thread *t, const struct ptx_op *o)
{
	const struct ptx_launch *launch = t->machine->launch;
	float pixel[4] = { 0 };
	int result = launch->texture == NULL ? PTX_BAD_ADDRESS :
		     launch->texture(t->r[o->a], ptx_f32(t->r[o->b]),
				     ptx_f32(t->r[o->c]), pixel);
	uint32_t i;

	for (i = 0; i < 4; i++)
		t->r[o->v[i]] = ptx_of_f32(pixel[i]);
	fail(t, o, result);
}

static void store_surface(struct ptx_thread *t, const struct ptx_op *o)
{
	const struct ptx_launch *launch = t->machine->launch;
	uint32_t words[4], i;

	for (i = 0; i < o->count; i++)
		words[i] = (uint32_t)t->r[o->v[i]];
	fail(t, o, launch->store == NULL ? PTX_BAD_ADDRESS :
	     launch->store(t->r[o->a], words, 4u * o->count,
			   (int)t->r[o->b], (int)t->r[o->c]));
}

/* [handle, {x, y}] and the numbers of a pixel. */
static void set_operands(struct ptx_parser *p, const struct ptx_operand *place,
			 const struct ptx_operand *pixel, struct ptx_op *o)
{
	uint32_t i;

	if (place->kind != PTX_ADDRESS || place->count != 2)
		ptx_token_refuse(p, "a handle and two coordinates are "
				 "expected");
	o->a = place->slot;
	o->b = place->v[0];
	o->c = place->v[1];
	o->count = (uint8_t)(pixel->kind == PTX_VECTOR ? pixel->count : 1);
	o->v[0] = pixel->slot;
	for (i = 0; pixel->kind == PTX_VECTOR && i < pixel->count && i < 4; i++)
		o->v[i] = pixel->v[i];
}

bool ptx_texture_decode(struct ptx_parser *p, const struct ptx_statement *s,
			struct ptx_op *o)
{
	bool reads = strcmp(s->name, "tex") == 0;

	if ((!reads && strcmp(s->name, "sust") != 0) ||
	    !ptx_statement_has(s, "2d"))
		return false;
	ptx_statement_need(p, s, 2);
	if (reads ? s->type_count != 2 || s->types[0] != PTX_F32 ||
		    s->types[1] != PTX_F32 || s->operands[0].count != 4 :
		    s->type_count != 1 || s->types[0] != PTX_B32 ||
		    !ptx_statement_has(s, "b") || !ptx_statement_has(s, "trap"))
		return false;
	o->run = reads ? read_texture : store_surface;
	set_operands(p, &s->operands[reads], &s->operands[!reads], o);
	return true;
}
