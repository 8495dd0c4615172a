/* SPDX-License-Identifier: MIT */
/*
 * Signatures against kernels: each parameter of a kernel's signature is compared
 * with that of the function, as the driver describes it (CL_KERNEL_ARG_INFO).
 * Where it does not, the text tells which parameters are __local, and the driver
 * the size of values.
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "kernel.h"

enum { TYPE_BYTES = 64 };

/* A parameter of the function.  Empty texts: unknown. */
struct found {
	cl_kernel_arg_address_qualifier space; /* 0: unknown */
	char type[TYPE_BYTES];
};

const plait_code_parameter *
plaitp_opencl_signature_parameter(const plait_code *code, uint32_t index)
{
	return (const void *)((const char *)code->parameters +
			      (size_t)code->parameters->size * index);
}

bool plaitp_opencl_signature_has_images(const plait_code *code)
{
	uint32_t i = 0;

	while (i < code->parameter_count &&
	       (plaitp_opencl_signature_parameter(code, i)->flags &
		(PLAIT_CODE_IMAGE | PLAIT_CODE_SAMPLER)) == 0)
		i++;
	return i < code->parameter_count;
}

/* Returns "" for a core that does not tell. */
static const char *type_of(const plait_code_parameter *parameter)
{
	return parameter->size >= sizeof(*parameter) ? parameter->type : "";
}

plait_status plaitp_opencl_fail_argument(const plait_host_services *services,
					 plait_error *error, cl_int code,
					 uint32_t index, const char *name,
					 const char *entry)
{
	char where[200];

	snprintf(where, sizeof(where), "argument %u \"%.60s\" of %.80s", index,
		 name, entry);
	return plaitp_opencl_fail_call(services, error, "clSetKernelArg", code,
				       where);
}

uint64_t plaitp_opencl_signature_bytes(const plait_code *code,
				       const plait_code_parameter *parameter)
{
	const char *type = type_of(parameter);
	size_t length = strlen(type);

	if ((code->flags & PLAIT_CODE_PORTABLE) != 0 || length < 4 ||
	    strcmp(type + length - 2, "x3") != 0)
		return parameter->bytes;
	return parameter->bytes / 3 * 4;
}

/* --- what the driver says ------------------------------------------------- */

/* Ask for a parameter.  Where the driver does not answer, as it need not, the
 * space is 0 and the type empty. */
static struct found ask_driver(const plait_backend *self, cl_kernel kernel,
			       uint32_t index)
{
	struct found found = { .space = 0 };
	size_t length;

	if (self->cl.clGetKernelArgInfo(
		    kernel, index, CL_KERNEL_ARG_ADDRESS_QUALIFIER,
		    sizeof(found.space), &found.space, NULL) != CL_SUCCESS)
		found.space = 0;
	if (self->cl.clGetKernelArgInfo(kernel, index,
					CL_KERNEL_ARG_TYPE_NAME,
					sizeof(found.type), found.type,
					NULL) != CL_SUCCESS)
		found.type[0] = '\0';
	length = strnlen(found.type, sizeof(found.type) - 1);
	while (length > 0 && found.type[length - 1] == ' ')
		length--;
	found.type[length] = '\0';
	return found;
}

/* --- scalars -------------------------------------------------------------- */

static const struct {
	const char *name;
	uint32_t bytes;
	bool real; /* not an integer */
} scalars[] = {
	{ "char", 1, false },	{ "uchar", 1, false },
	{ "short", 2, false },	{ "ushort", 2, false },
	{ "int", 4, false },	{ "uint", 4, false },
	{ "long", 8, false },	{ "ulong", 8, false },
	{ "half", 2, true },	{ "float", 4, true },
	{ "double", 8, true },	{ "unsigned char", 1, false },
	{ "unsigned short", 2, false }, { "unsigned int", 4, false },
	{ "unsigned long", 8, false },	{ "signed char", 1, false },
};

static bool is_scalar(const char *type)
{
	size_t i;

	for (i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
		if (strcmp(type, scalars[i].name) == 0)
			return true;
	return false;
}

/* --- what the text says --------------------------------------------------- */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Returns the text behind the parenthesis of the next function of this name, or
 * null. */
static const char *find_parameters(const char *text, const char *entry)
{
	size_t length = strlen(entry);
	const char *at;

	for (at = strstr(text, entry); at != NULL;
	     at = strstr(at + length, entry)) {
		const char *behind = at + length;

		behind += strspn(behind, " \t\r\n");
		if (at > text && isspace((unsigned char)at[-1]) &&
		    *behind == '(')
			return behind + 1;
	}
	return NULL;
}

/* Add a word of a parameter to what is known of it. */
static void read_word(struct found *found, const char *word, size_t length)
{
	static const char *const ignored[] = { "const", "volatile", "restrict",
					       "__restrict" };
	char room[TYPE_BYTES];
	size_t i;

	snprintf(room, sizeof(room), "%.*s", (int)length, word);
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (strcmp(room, ignored[i]) == 0)
			return;
	word = strncmp(room, "__", 2) == 0 ? room + 2 : room;
	if (strcmp(word, "local") == 0)
		found->space = CL_KERNEL_ARG_ADDRESS_LOCAL;
	else if (strcmp(word, "global") == 0)
		found->space = CL_KERNEL_ARG_ADDRESS_GLOBAL;
	else if (strcmp(word, "constant") == 0)
		found->space = CL_KERNEL_ARG_ADDRESS_CONSTANT;
	else if (found->type[0] == '\0')
		memcpy(found->type, room, sizeof(room));
}

/* Read "qualifiers type [*] name".  A macro may hide a pointer, so a value is
 * known by a scalar's name alone. */
static struct found read_parameter(const char *at, const char *end)
{
	struct found found = { .space = 0 };
	bool pointer = memchr(at, '*', (size_t)(end - at)) != NULL;
	size_t length;

	for (; at < end; at += length) {
		length = 1;
		if (strchr("#/[", *at) != NULL)
			return (struct found){ .space = 0 };
		if (!is_word(*at))
			continue;
		while (at + length < end && is_word(at[length]))
			length++;
		read_word(&found, at, length);
	}
	if (found.space == 0 && !pointer && is_scalar(found.type))
		found.space = CL_KERNEL_ARG_ADDRESS_PRIVATE;
	length = strlen(found.type);
	if (pointer && length + 1 < sizeof(found.type))
		memcpy(found.type + length, "*", 2);
	return found;
}

/* Find a parameter of the function in the text.  Macros are not expanded; a
 * function that is there twice is not read. */
static struct found ask_text(const plait_code *code, uint32_t index)
{
	struct found found = { .space = 0 };
	const char *at = NULL, *end;

	if (code->form == PLAIT_SOURCE_OPENCL_C)
		at = find_parameters(code->code, code->entry);
	if (at != NULL && find_parameters(at, code->entry) != NULL)
		return found;
	for (; at != NULL; at = *end == ',' ? end + 1 : NULL) {
		end = at + strcspn(at, ",()");
		if (index-- > 0)
			continue;
		return read_parameter(at, end);
	}
	return found;
}

/* --- comparison ----------------------------------------------------------- */

/* Returns false for a scalar of another size or kind.  Vectors, structs and
 * names of the user's are left to their size. */
static bool fits_value(const plait_code_parameter *wanted, const char *type)
{
	bool real = type_of(wanted)[0] == 'f';
	size_t i;

	for (i = 0; i < sizeof(scalars) / sizeof(scalars[0]); i++)
		if (strcmp(type, scalars[i].name) == 0)
			return scalars[i].bytes == wanted->bytes &&
			       (scalars[i].real == real ||
				type_of(wanted)[0] == '\0');
	return true;
}

static bool is_opaque(const char *type)
{
	return strncmp(type, "image", 5) == 0 ||
	       strncmp(type, "sampler", 7) == 0 ||
	       strncmp(type, "pipe", 4) == 0;
}

static const char *find_opaque_fault(const plait_code_parameter *wanted,
				     const char *type)
{
	if (strncmp(type, "image2d_t", 9) == 0)
		return (wanted->flags & PLAIT_CODE_IMAGE) != 0 ? NULL :
		       "write in image or out image";
	if (strncmp(type, "sampler", 7) == 0)
		return (wanted->flags & PLAIT_CODE_SAMPLER) != 0 ? NULL :
		       "write sampler";
	return "a signature has images of two dimensions and samplers, and no "
	       "other types like that";
}

/* Returns the reason why the two do not fit, or null. */
static const char *find_fault(const plait_code_parameter *wanted,
			      const struct found *found)
{
	bool pointer = (wanted->flags & PLAIT_CODE_POINTER) != 0;
	bool local = (wanted->flags & PLAIT_CODE_LOCAL) != 0;

	if (is_opaque(found->type))
		return find_opaque_fault(wanted, found->type);
	if (found->space == 0)
		return NULL;
	if ((wanted->flags & (PLAIT_CODE_IMAGE | PLAIT_CODE_SAMPLER)) != 0)
		return "the function takes no image2d_t or sampler_t";
	if (local != (found->space == CL_KERNEL_ARG_ADDRESS_LOCAL))
		return local ? "the function takes no local memory" :
			       "the function takes local memory; write local "
			       "and the type";
	if (local)
		return NULL;
	if (pointer != (found->space != CL_KERNEL_ARG_ADDRESS_PRIVATE))
		return pointer ? "the function takes a value" :
				 "the function takes a pointer";
	return pointer || fits_value(wanted, found->type) ? NULL :
	       "the types differ";
}

static const char *name_space(const struct found *found)
{
	switch (found->space) {
	case CL_KERNEL_ARG_ADDRESS_GLOBAL:
		return "__global ";
	case CL_KERNEL_ARG_ADDRESS_LOCAL:
		return "__local ";
	case CL_KERNEL_ARG_ADDRESS_CONSTANT:
		return "__constant ";
	default:
		return "";
	}
}

static plait_status refuse(const plait_backend *self, const plait_code *code,
			   uint32_t index, const struct found *found,
			   const char *fault, plait_error *error)
{
	const plait_code_parameter *wanted =
		plaitp_opencl_signature_parameter(code, index);
	const char *kind = (wanted->flags & PLAIT_CODE_POINTER) != 0 ?
			   "pointer" :
			   (wanted->flags & PLAIT_CODE_LOCAL) != 0 ? "local" :
			   "";

	return plaitp_driven_fail(
		self->services, error, PLAIT_E_INVALID, 0,
		"opencl: argument %u \"%.40s\" of %.60s is %s%s%s in the "
		"signature and %s%s in the text: %s", index, wanted->name,
		code->entry, kind,
		*kind != '\0' && type_of(wanted)[0] != '\0' ? " " : "",
		type_of(wanted),
		name_space(found), found->type[0] != '\0' ? found->type :
		"memory", fault);
}

/* --- size of values ------------------------------------------------------- */

/* Set zeros of the signature's size: the driver refuses another size. */
static plait_status try_value(const plait_backend *self,
			      const plait_code *code, cl_kernel kernel,
			      uint32_t index, plait_error *error)
{
	static const unsigned char nothing[OPENCL_VALUE_BYTES];
	const plait_code_parameter *wanted =
		plaitp_opencl_signature_parameter(code, index);
	cl_int result;

	if ((wanted->flags & (PLAIT_CODE_POINTER | PLAIT_CODE_LOCAL |
			      PLAIT_CODE_SAMPLER)) != 0 ||
	    wanted->bytes > sizeof(nothing))
		return PLAIT_OK;
	result = self->cl.clSetKernelArg(
		kernel, index, plaitp_opencl_signature_bytes(code, wanted),
		nothing);
	if (result == CL_SUCCESS)
		return PLAIT_OK;
	if (result == CL_INVALID_ARG_SIZE || result == CL_INVALID_ARG_VALUE)
		return plaitp_driven_fail(
			self->services, error, PLAIT_E_INVALID, result,
			"opencl: argument %u \"%.40s\" of %.60s is %s in the "
			"signature, which has %u bytes; the function's "
			"parameter has another size", index, wanted->name,
			code->entry, type_of(wanted), (unsigned)wanted->bytes);
	return plaitp_opencl_fail_argument(self->services, error, result,
					   index, wanted->name, code->entry);
}

static plait_status check_one(const plait_backend *self,
			      const plait_code *code, cl_kernel kernel,
			      uint32_t index, plait_error *error)
{
	struct found found = ask_driver(self, kernel, index);
	const char *fault;

	if (found.space == 0)
		found = ask_text(code, index);
	fault = find_fault(plaitp_opencl_signature_parameter(code, index),
			   &found);
	if (fault != NULL)
		return refuse(self, code, index, &found, fault, error);
	return try_value(self, code, kernel, index, error);
}

plait_status plaitp_opencl_signature_check(plait_backend *self,
					   const plait_code *code,
					   cl_kernel kernel,
					   plait_error *error)
{
	plait_status status = PLAIT_OK;
	uint32_t i;

	/* The core wrote these parameters. */
	if ((code->flags & PLAIT_CODE_PORTABLE) != 0)
		return PLAIT_OK;
	for (i = 0; i < code->parameter_count && status == PLAIT_OK; i++)
		status = check_one(self, code, kernel, i, error);
	return status;
}
