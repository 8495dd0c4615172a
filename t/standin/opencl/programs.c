/* SPDX-License-Identifier: MIT */
/*
 * Programs and kernels of the stand-in for OpenCL.  A program is its text, and
 * its binary too, and its SPIR-V behind the magic number.  A text with "no such
 * language" in it does not build, one with "#warning" builds with a warning; the
 * action of a kernel is a function that the test registered.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

enum { LESSONS = 32, NAME_BYTES = 64 };

static const char binary_mark[] = "fakecl binary\n";
static const char failure_log[] = "stand-in: there is no such language";
static const char warning_log[] = "Start\na.cl:7:1: warning: so it is\nEnd\n";

static struct lesson {
	char name[NAME_BYTES];
	const char *text;
	plait_kernel_function function;
} lessons[LESSONS];

void fake_teach(const char *name, const char *text,
		plait_kernel_function function)
{
	struct lesson *lesson = lessons;
	char clean[NAME_BYTES];

	snprintf(clean, sizeof(clean), "%.*s", (int)strcspn(name, "("), name);
	while (lesson->function != NULL && (strcmp(lesson->name, clean) != 0 ||
					    lesson->text != text))
		if (++lesson == lessons + LESSONS)
			abort();
	memcpy(lesson->name, clean, sizeof(clean));
	lesson->text = text;
	lesson->function = function;
}

static plait_kernel_function find_function(const struct fake_program *program,
					   const char *name)
{
	const struct lesson *lesson;

	for (lesson = lessons; lesson < lessons + LESSONS &&
	     lesson->function != NULL; lesson++)
		if (strcmp(lesson->name, name) == 0 &&
		    (lesson->text == NULL ||
		     strstr(program->text, lesson->text) != NULL))
			return lesson->function;
	return NULL;
}

/* --- programs ------------------------------------------------------------- */

static void end_program(void *object)
{
	struct fake_program *program = object;

	free(program->text);
	fake_release(program->context);
}

static cl_program new_program(cl_context context, const void *text,
			      size_t bytes)
{
	struct fake_program *program = fake_new(FAKE_PROGRAM, sizeof(*program),
						end_program);

	fake_retain(context);
	program->context = (struct fake_context *)context;
	program->text = malloc(bytes + 1);
	if (program->text == NULL)
		abort();
	memcpy(program->text, text, bytes);
	program->text[bytes] = '\0';
	return (cl_program)program;
}

cl_program fake_clCreateProgramWithSource(cl_context context, cl_uint count,
					  const char **texts,
					  const size_t *bytes, cl_int *code)
{
	*code = !fake_is(context, FAKE_CONTEXT) ? CL_INVALID_CONTEXT :
		count != 1 || bytes == NULL	? CL_INVALID_VALUE :
						  CL_SUCCESS;
	return *code != CL_SUCCESS ? NULL :
	       new_program(context, texts[0], bytes[0]);
}

cl_program fake_clCreateProgramWithILKHR(cl_context context, const void *text,
					 size_t bytes, cl_int *code)
{
	static const uint32_t magic = 0x07230203;

	*code = !fake_is(context, FAKE_CONTEXT) ? CL_INVALID_CONTEXT :
		!fake.setup.spirv		? CL_INVALID_OPERATION :
		bytes <= sizeof(magic) ||
		memcmp(text, &magic, sizeof(magic)) != 0 ? CL_INVALID_VALUE :
							   CL_SUCCESS;
	return *code != CL_SUCCESS ? NULL :
	       new_program(context, (const char *)text + sizeof(magic),
			   bytes - sizeof(magic));
}

cl_program fake_clCreateProgramWithBinary(cl_context context, cl_uint count,
					  const cl_device_id *ids,
					  const size_t *bytes,
					  const unsigned char **binaries,
					  cl_int *states, cl_int *code)
{
	size_t mark = sizeof(binary_mark) - 1;

	(void)ids;
	*code = !fake_is(context, FAKE_CONTEXT) ? CL_INVALID_CONTEXT :
		count != 1			? CL_INVALID_VALUE :
		bytes[0] < mark || memcmp(binaries[0], binary_mark, mark) != 0
						? CL_INVALID_BINARY :
						  CL_SUCCESS;
	if (states != NULL)
		states[0] = *code;
	return *code != CL_SUCCESS ? NULL :
	       new_program(context, binaries[0] + mark, bytes[0] - mark);
}

cl_int fake_clBuildProgram(cl_program handle, cl_uint count,
			   const cl_device_id *ids, const char *options,
			   void (CL_CALLBACK *tell)(cl_program, void *),
			   void *user_data)
{
	struct fake_program *program = (struct fake_program *)handle;

	(void)count, (void)ids, (void)tell, (void)user_data;
	if (!fake_is(program, FAKE_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (strstr(program->text, "no such language") != NULL)
		return CL_BUILD_PROGRAM_FAILURE;
	program->built = true;
	fake.report.builds++;
	program->guarded = strstr(options, "-DPLAIT_GUARDED") != NULL;
	return CL_SUCCESS;
}

cl_int fake_clGetProgramInfo(cl_program handle, cl_program_info key,
			     size_t room, void *value, size_t *bytes)
{
	const struct fake_program *program = (struct fake_program *)handle;
	size_t mark = sizeof(binary_mark) - 1, length;

	(void)room;
	if (!fake_is(program, FAKE_PROGRAM))
		return CL_INVALID_PROGRAM;
	length = mark + strlen(program->text);
	if (bytes != NULL)
		*bytes = key == CL_PROGRAM_BINARIES ? sizeof(void *) :
						      sizeof(size_t);
	if (key == CL_PROGRAM_BINARIES) {
		memcpy(((unsigned char **)value)[0], binary_mark, mark);
		memcpy(((unsigned char **)value)[0] + mark, program->text,
		       length - mark);
	} else if (key == CL_PROGRAM_BINARY_SIZES) {
		memcpy(value, &length, sizeof(length));
	} else {
		return CL_INVALID_VALUE;
	}
	return CL_SUCCESS;
}

cl_int fake_clGetProgramBuildInfo(cl_program handle, cl_device_id device,
				  cl_program_build_info key, size_t room,
				  void *value, size_t *bytes)
{
	const struct fake_program *program = (struct fake_program *)handle;
	const char *text;

	if (!fake_is(program, FAKE_PROGRAM))
		return CL_INVALID_PROGRAM;
	if (!fake_is(device, FAKE_DEVICE))
		return CL_INVALID_DEVICE;
	if (key != CL_PROGRAM_BUILD_LOG)
		return CL_INVALID_VALUE;
	text = !program->built ? failure_log :
	       strstr(program->text, "#warning") != NULL ? warning_log : "";
	return fake_give(text, strlen(text) + 1, room, value, bytes);
}

/* --- kernels -------------------------------------------------------------- */

static void end_kernel(void *object)
{
	struct fake_kernel *kernel = object;

	fake_release(kernel->program);
}

/* Returns where the parameters of a function begin: in a text that plait
 * generated they stand in a line of their own. */
static const char *find_parameters(const struct fake_program *program,
				   const char *entry, const char *name)
{
	char wanted[NAME_BYTES + 32];
	const char *text = program->text, *at;

	snprintf(wanted, sizeof(wanted), "PLAIT_%s_%s ",
		 program->guarded ? "GUARDED" : "PARAMETERS", name);
	at = strstr(text, wanted);
	if (at == NULL) {
		snprintf(wanted, sizeof(wanted), " %s(", entry);
		at = strstr(text, wanted);
	}
	return at != NULL ? at + strlen(wanted) : NULL;
}

static void read_parameters(struct fake_kernel *kernel, const char *at)
{
	size_t length = strcspn(at, "\n){"), i;
	bool some = false;

	if (strncmp(at, "void", 4) == 0 && length <= 5)
		return;
	for (i = 0; i < length; i++) {
		struct fake_argument *argument =
			&kernel->arguments[kernel->count];

		if (argument->text == NULL)
			argument->text = at + i;
		argument->length = (size_t)(at + i + 1 - argument->text);
		some |= at[i] != ' ' && at[i] != '\t';
		if (at[i] == '*')
			kernel->arguments[kernel->count].pointer = true;
		if (at[i] == ',' && ++kernel->count == FAKE_PARAMETERS)
			abort();
	}
	kernel->count += some;
}

cl_kernel fake_clCreateKernel(cl_program handle, const char *entry,
			      cl_int *code)
{
	static const char prefix[] = "plait_kernel_";
	struct fake_program *program = (struct fake_program *)handle;
	const char *name = entry, *parameters;
	struct fake_kernel *kernel;

	if (strncmp(entry, prefix, sizeof(prefix) - 1) == 0)
		name += sizeof(prefix) - 1;
	*code = !fake_is(program, FAKE_PROGRAM) ? CL_INVALID_PROGRAM :
		!program->built ? CL_INVALID_PROGRAM_EXECUTABLE : CL_SUCCESS;
	if (*code != CL_SUCCESS)
		return NULL;
	parameters = find_parameters(program, entry, name);
	if (parameters == NULL) {
		*code = CL_INVALID_KERNEL_NAME;
		return NULL;
	}
	kernel = fake_new(FAKE_KERNEL, sizeof(*kernel), end_kernel);
	fake_retain(program);
	kernel->program = program;
	kernel->guarded = program->guarded;
	kernel->function = find_function(program, name);
	read_parameters(kernel, parameters);
	return (cl_kernel)kernel;
}

cl_int fake_clRetainKernel(cl_kernel kernel)
{
	if (!fake_is(kernel, FAKE_KERNEL))
		return CL_INVALID_KERNEL;
	fake_retain(kernel);
	return CL_SUCCESS;
}

cl_int fake_clGetKernelInfo(cl_kernel handle, cl_kernel_info key, size_t room,
			    void *value, size_t *bytes)
{
	const struct fake_kernel *kernel = (struct fake_kernel *)handle;

	(void)bytes;
	if (!fake_is(kernel, FAKE_KERNEL))
		return CL_INVALID_KERNEL;
	if (key != CL_KERNEL_NUM_ARGS || room < sizeof(kernel->count))
		return CL_INVALID_VALUE;
	memcpy(value, &kernel->count, sizeof(kernel->count));
	return CL_SUCCESS;
}

static bool has(const struct fake_argument *argument, const char *word)
{
	return memmem(argument->text, argument->length, word, strlen(word)) !=
	       NULL;
}

/* The first word that is no qualifier, and a star for a pointer. */
static void write_type(const struct fake_argument *argument, char *out,
		       size_t room)
{
	static const char *const qualifiers[] = { "__global", "__local",
						  "__constant", "const" };
	const char *at = argument->text;
	size_t i, length;

	for (;;) {
		at += strspn(at, " \t\n,");
		length = strcspn(at, " \t\n*");
		for (i = 0; i < sizeof(qualifiers) / sizeof(*qualifiers); i++)
			if (strlen(qualifiers[i]) == length &&
			    memcmp(at, qualifiers[i], length) == 0)
				break;
		if (i == sizeof(qualifiers) / sizeof(*qualifiers))
			break;
		at += length;
	}
	snprintf(out, room, "%.*s%s", (int)length, at,
		 argument->pointer ? "*" : "");
}

cl_int fake_clGetKernelArgInfo(cl_kernel handle, cl_uint index,
			       cl_kernel_arg_info key, size_t room,
			       void *value, size_t *bytes)
{
	const struct fake_kernel *kernel = (struct fake_kernel *)handle;
	const struct fake_argument *argument;
	cl_kernel_arg_address_qualifier space;
	char type[64];

	if (!fake_is(kernel, FAKE_KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= kernel->count)
		return CL_INVALID_ARG_INDEX;
	if (fake.setup.no_info)
		return CL_KERNEL_ARG_INFO_NOT_AVAILABLE;
	argument = &kernel->arguments[index];
	space = !argument->pointer	  ? CL_KERNEL_ARG_ADDRESS_PRIVATE :
		has(argument, "__local") ? CL_KERNEL_ARG_ADDRESS_LOCAL :
					   CL_KERNEL_ARG_ADDRESS_GLOBAL;
	if (key == CL_KERNEL_ARG_ADDRESS_QUALIFIER)
		return fake_give(&space, sizeof(space), room, value, bytes);
	if (key != CL_KERNEL_ARG_TYPE_NAME)
		return CL_INVALID_VALUE;
	write_type(argument, type, sizeof(type));
	return fake_give(type, strlen(type) + 1, room, value, bytes);
}

/* Names of plait's types are macros, of which nothing is known here. */
static bool has_size(const struct fake_argument *argument, size_t bytes)
{
	char type[64];

	write_type(argument, type, sizeof(type));
	if (strcmp(type, "int") == 0 || strcmp(type, "uint") == 0 ||
	    strcmp(type, "float") == 0)
		return bytes == 4;
	if (strcmp(type, "long") == 0 || strcmp(type, "ulong") == 0 ||
	    strcmp(type, "double") == 0)
		return bytes == 8;
	return true;
}

/* PLAIT_PARAMETERS and the like have words of portable source. */
static bool is_local(const struct fake_argument *argument)
{
	return argument->pointer && (has(argument, "__local ") ||
				     has(argument, "LOCAL "));
}

static cl_int set_local(struct fake_argument *argument, size_t bytes,
			const void *value)
{
	if (value != NULL)
		return CL_INVALID_ARG_VALUE;
	if (bytes == 0 || bytes > FAKE_LOCAL_BYTES)
		return CL_INVALID_ARG_SIZE;
	argument->set = true;
	return CL_SUCCESS;
}

cl_int fake_clSetKernelArg(cl_kernel handle, cl_uint index, size_t bytes,
			   const void *value)
{
	struct fake_kernel *kernel = (struct fake_kernel *)handle;
	struct fake_argument *argument;
	cl_mem memory = NULL;

	if (!fake_is(kernel, FAKE_KERNEL))
		return CL_INVALID_KERNEL;
	if (index >= kernel->count)
		return CL_INVALID_ARG_INDEX;
	argument = &kernel->arguments[index];
	if (is_local(argument))
		return set_local(argument, bytes, value);
	if (argument->pointer ? bytes != sizeof(cl_mem) :
				bytes > FAKE_VALUE_BYTES || value == NULL ||
				!has_size(argument, bytes))
		return CL_INVALID_ARG_SIZE;
	if (!argument->pointer)
		memcpy(argument->value, value, bytes);
	else if (value != NULL)
		memcpy(&memory, value, sizeof(memory));
	if (memory != NULL && !fake_is(memory, FAKE_MEMORY))
		return CL_INVALID_MEM_OBJECT;
	argument->memory = (struct fake_memory *)memory;
	argument->set = true;
	return CL_SUCCESS;
}

cl_int fake_clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
				     cl_kernel_work_group_info key,
				     size_t room, void *value, size_t *bytes)
{
	const size_t most = FAKE_GROUP_KERNEL;

	(void)bytes;
	if (!fake_is(kernel, FAKE_KERNEL))
		return CL_INVALID_KERNEL;
	if (!fake_is(device, FAKE_DEVICE))
		return CL_INVALID_DEVICE;
	memset(value, 0, room);
	if (key == CL_KERNEL_WORK_GROUP_SIZE)
		memcpy(value, &most, sizeof(most));
	return CL_SUCCESS;
}

/* --- launches ------------------------------------------------------------- */

/* Without the lock: the command has its own copy of the arguments. */
cl_int fake_launch(struct fake_command *command)
{
	const struct fake_kernel *kernel = command->kernel;
	struct fake_argument *copies = command->arguments != NULL ?
				       command->arguments :
				       command->kernel->arguments;
	void *pointers[FAKE_PARAMETERS], *arguments[FAKE_PARAMETERS];
	cl_uint i;

	if (kernel->guarded && copies[kernel->count - 1].value[0] == 0)
		return CL_SUCCESS;
	for (i = 0; i < kernel->count; i++) {
		struct fake_argument *argument = &copies[i];

		pointers[i] = argument->memory != NULL ?
			      argument->memory->bytes : NULL;
		arguments[i] = argument->pointer ? (void *)&pointers[i] :
						   argument->value;
	}
	if (kernel->function == NULL)
		return CL_INVALID_PROGRAM_EXECUTABLE;
	return kernel->function(arguments, &command->launch, NULL) == 0 ?
	       CL_SUCCESS : CL_OUT_OF_RESOURCES;
}
