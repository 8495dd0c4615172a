/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: modules.  It loads the output of the stand-in
 * compiler, a shared object or a PTX with one inside; and of real PTX the one
 * thing that needs no compiler: an entry that sets the condition of a graph
 * (condition.c).
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "standin.h"

enum { DYNAMIC_BYTES = 49152, MOST_DYNAMIC_BYTES = 101376 };

/* --- images --------------------------------------------------------------- */

/* The length of an image is not passed: its header has it. */
static size_t elf_bytes(const void *image)
{
	ElfW(Ehdr) header;

	memcpy(&header, image, sizeof(header));
	return header.e_shoff + (size_t)header.e_shnum * header.e_shentsize;
}

/* A file of its own each time, so that each module has variables of its own. */
static void load_bytes(CUmodule module, const char *bytes, size_t count)
{
	const char *base = getenv("TMPDIR");
	char path[256];
	int fd;

	snprintf(path, sizeof(path), "%s/standin-module-XXXXXX",
		 base != NULL ? base : "/tmp");
	fd = mkstemp(path);
	if (fd < 0)
		return;
	if (write(fd, bytes, count) == (ssize_t)count)
		module->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	close(fd);
	unlink(path);
}

static unsigned digit(char c)
{
	return c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);
}

/* The line of a PTX that the stand-in compiler wrote. */
static void load_text(CUmodule module, const char *hex)
{
	size_t count = strspn(hex, "0123456789abcdef") / 2, i;
	char *bytes = standin_new(count);

	for (i = 0; i < count; i++)
		bytes[i] = (char)(digit(hex[2 * i]) << 4 |
				  digit(hex[2 * i + 1]));
	load_bytes(module, bytes, count);
	free(bytes);
}

/* --- real PTX: one kernel ------------------------------------------------- */

static unsigned long long number_at(void **arguments, int index)
{
	unsigned long long number;

	memcpy(&number, arguments[index], sizeof(number));
	return number;
}

static unsigned word_at(void **arguments, int index)
{
	const unsigned *word =
		(const unsigned *)(uintptr_t)number_at(arguments, index);

	/* Another process may write it meanwhile. */
	return __atomic_load_n(word, __ATOMIC_RELAXED);
}

/* (handle, address of 32 bits): the condition becomes the value there. */
static void set_from_word(void **arguments)
{
	standin_grid_host.set_condition(number_at(arguments, 0),
					word_at(arguments, 1));
}

/* (handle, two such addresses, 32 bits): the same, unless the value at the
 * second one is not 0; then it becomes the last parameter. */
static void set_unless(void **arguments)
{
	unsigned otherwise;

	memcpy(&otherwise, arguments[3], sizeof(otherwise));
	standin_grid_host.set_condition(number_at(arguments, 0),
					word_at(arguments, 2) != 0 ?
						otherwise :
						word_at(arguments, 1));
}

struct setter {
	struct standin_module table;
	struct standin_kernel kernel;
	char name[64];
};

static const size_t setter_sizes[] = { 8, 8 };
static const size_t unless_sizes[] = { 8, 8, 8, 4 };

/*
 * Nothing of it is executed: an entry that calls cudaGraphSetConditional and
 * takes two numbers of 64 bits, or three and one of 32, is taken to mean this.
 */
static const struct standin_module *find_setter(const char *text)
{
	const char *entry = strstr(text, ".entry"), *end;
	const char *first, *second, *third, *last;
	struct setter *setter;

	if (entry == NULL || strstr(text, "cudaGraphSetConditional") == NULL)
		return NULL;
	entry += strlen(".entry");
	entry += strspn(entry, " \t\n");
	end = entry + strcspn(entry, " \t\n(");
	first = strstr(end, ".param .u64");
	second = first != NULL ? strstr(first + 1, ".param .u64") : NULL;
	if (second == NULL || strchr(end, ')') < second ||
	    (size_t)(end - entry) >= sizeof(setter->name))
		return NULL;
	setter = standin_new(sizeof(*setter));
	memcpy(setter->name, entry, (size_t)(end - entry));
	setter->kernel.name = setter->name;
	setter->kernel.thread = set_from_word;
	setter->kernel.sizes = setter_sizes;
	setter->kernel.count = 2;
	third = strstr(second + 1, ".param .u64");
	last = third != NULL ? strstr(third, ".param .u32") : NULL;
	if (last != NULL && last < strchr(end, ')')) {
		setter->kernel.thread = set_unless;
		setter->kernel.sizes = unless_sizes;
		setter->kernel.count = 4;
	}
	setter->table.arch = 50;
	setter->table.driver = 12030;
	setter->table.count = 1;
	setter->table.kernels = &setter->kernel;
	return &setter->table;
}

/* --- loading -------------------------------------------------------------- */

static void say(unsigned count, const CUjit_option *options, void **values,
		const char *text)
{
	char *log = NULL;
	size_t room = 0;
	unsigned i;

	for (i = 0; i < count; i++) {
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
			log = values[i];
		if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
			room = (size_t)(uintptr_t)values[i];
	}
	if (log != NULL && room != 0)
		snprintf(log, room, "%s", text);
}

static CUresult load_ptx(CUmodule module, const char *text)
{
	const char *hex = strstr(text, "// standin ");

	if (strstr(text, ".version") == NULL || strstr(text, ".target") == NULL)
		return CUDA_ERROR_INVALID_IMAGE;
	if (hex == NULL) {
		module->table = find_setter(text);
		return module->table != NULL ? CUDA_SUCCESS :
					       CUDA_ERROR_INVALID_PTX;
	}
	load_text(module, hex + strlen("// standin "));
	return CUDA_SUCCESS;
}

static CUresult load_image(CUmodule module, const char *image)
{
	bool binary = memcmp(image, ELFMAG, SELFMAG) == 0;
	CUresult code = CUDA_SUCCESS;
	unsigned arch = (unsigned)standin.options.arch;

	if (binary)
		load_bytes(module, image, elf_bytes(image));
	else
		code = load_ptx(module, image);
	if (code != CUDA_SUCCESS)
		return code;
	if (module->library != NULL)
		module->table = dlsym(module->library, STANDIN_MODULE);
	if (module->table == NULL)
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	/* The module calls a function that does not exist. */
	if ((int)module->table->driver > standin.options.driver_version)
		return binary ? CUDA_ERROR_INVALID_IMAGE :
				CUDA_ERROR_INVALID_PTX;
	/* Binaries are for one generation, texts for all later ones. */
	if (module->table->arch > arch ||
	    (binary && module->table->arch / 10 != arch / 10))
		return CUDA_ERROR_NO_BINARY_FOR_GPU;
	if (module->table->host != NULL)
		*module->table->host = &standin_grid_host;
	return CUDA_SUCCESS;
}

/* Variables that cuModuleGetGlobal has returned: copies may read and write
 * them. */
struct variable {
	struct variable *next;
	CUmodule module;
	char *pointer;
	size_t bytes;
};

static struct variable *variables;

bool standin_is_variable(const void *pointer, size_t bytes)
{
	const struct variable *at;

	for (at = variables; at != NULL; at = at->next)
		if ((uintptr_t)pointer >= (uintptr_t)at->pointer &&
		    (uintptr_t)pointer - (uintptr_t)at->pointer + bytes <=
			    at->bytes)
			return true;
	return false;
}

static void add_variable(CUmodule module, void *pointer, size_t bytes)
{
	struct variable *variable;

	if (standin_is_variable(pointer, bytes))
		return;
	variable = standin_new(sizeof(*variable));
	variable->module = module;
	variable->pointer = pointer;
	variable->bytes = bytes;
	variable->next = variables;
	variables = variable;
}

static void forget_variables(CUmodule module)
{
	struct variable **at = &variables;

	while (*at != NULL) {
		struct variable *variable = *at;

		if (variable->module == module) {
			*at = variable->next;
			free(variable);
		} else {
			at = &variable->next;
		}
	}
}

static void free_module(CUmodule module)
{
	forget_variables(module);
	if (module->library != NULL)
		dlclose(module->library);
	else
		free((void *)(uintptr_t)module->table);
	free(module->functions);
	free(module);
}

CUresult standin_cuModuleLoadDataEx(CUmodule *out, const void *image,
				    unsigned int count,
				    CUjit_option *options, void **values)
{
	CUmodule module;
	CUresult code;
	unsigned i;

	if (out == NULL || image == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	module = standin_new(sizeof(*module));
	code = load_image(module, image);
	if (code != CUDA_SUCCESS) {
		say(count, options, values, "the stand-in for tests loads "
		    "only what its own compiler makes");
		free_module(module);
		return code;
	}
	module->functions = standin_new(module->table->count *
					sizeof(*module->functions));
	for (i = 0; i < module->table->count; i++) {
		module->functions[i].module = module;
		module->functions[i].kernel = &module->table->kernels[i];
		module->functions[i].dynamic_bytes = DYNAMIC_BYTES;
	}
	module->references = 1;
	standin_add(&module->object, STANDIN_MODULE_KIND, standin_current());
	*out = module;
	return CUDA_SUCCESS;
}

/* Also called when its last use ends: unloading waits for nothing. */
void standin_end_module(CUmodule module)
{
	if (standin_find(module, STANDIN_MODULE_KIND) != NULL) {
		standin_remove(&module->object);
		if (--module->references != 0)
			return;
	}
	free_module(module);
}

CUresult standin_cuModuleUnload(CUmodule module)
{
	if (standin_find(module, STANDIN_MODULE_KIND) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	/* It frees the module's memory. */
	standin_idle_locked(module->object.context);
	if (standin_find(module, STANDIN_MODULE_KIND) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	standin_end_module(module);
	return CUDA_SUCCESS;
}

/* --- contents ------------------------------------------------------------- */

CUresult standin_cuModuleGetFunction(CUfunction *out, CUmodule module,
				     const char *name)
{
	unsigned i;

	if (standin_find(module, STANDIN_MODULE_KIND) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	for (i = 0; i < module->table->count; i++)
		if (strcmp(module->table->kernels[i].name, name) == 0) {
			*out = &module->functions[i];
			return CUDA_SUCCESS;
		}
	return CUDA_ERROR_NOT_FOUND;
}

CUresult standin_cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes,
				   CUmodule module, const char *name)
{
	const ElfW(Sym) *symbol = NULL;
	void *address = NULL;
	Dl_info info;

	if (standin_find(module, STANDIN_MODULE_KIND) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (module->library != NULL)
		address = dlsym(module->library, name);
	if (address == NULL ||
	    dladdr1(address, &info, (void **)(uintptr_t)&symbol,
		    RTLD_DL_SYMENT) == 0 || symbol == NULL)
		return CUDA_ERROR_NOT_FOUND;
	add_variable(module, address, symbol->st_size);
	if (pointer != NULL)
		*pointer = (CUdeviceptr)(uintptr_t)address;
	if (bytes != NULL)
		*bytes = symbol->st_size;
	return CUDA_SUCCESS;
}

CUresult standin_cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
				    CUfunction function)
{
	unsigned most = function->kernel->most_threads;

	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = most != 0 ? (int)most : 1024;
		break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*value = 0;
		break;
	case CU_FUNC_ATTRIBUTE_NUM_REGS:
		*value = 32;
		break;
	case CU_FUNC_ATTRIBUTE_PTX_VERSION:
	case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
		*value = (int)function->module->table->arch;
		break;
	case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
		*value = function->dynamic_bytes;
		break;
	default:
		return CUDA_ERROR_INVALID_VALUE;
	}
	return CUDA_SUCCESS;
}

CUresult standin_cuFuncSetAttribute(CUfunction function,
				    CUfunction_attribute attribute, int value)
{
	if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ||
	    value < 0 || value > MOST_DYNAMIC_BYTES)
		return CUDA_ERROR_INVALID_VALUE;
	function->dynamic_bytes = value;
	return CUDA_SUCCESS;
}

/* Each at a multiple of its size, as scalars and pointers are. */
CUresult standin_cuFuncGetParamInfo(CUfunction function, size_t index,
				    size_t *offset, size_t *bytes)
{
	const struct standin_kernel *kernel = function->kernel;
	size_t at = 0, i;

	if (index >= kernel->count)
		return CUDA_ERROR_INVALID_VALUE;
	for (i = 0; i <= index; i++) {
		size_t size = kernel->sizes[i];

		at = (at + size - 1) / size * size;
		if (i < index)
			at += size;
	}
	*offset = at;
	if (bytes != NULL)
		*bytes = kernel->sizes[index];
	return CUDA_SUCCESS;
}

CUresult standin_cuLaunchKernel(CUfunction function, unsigned int grid_x,
				unsigned int grid_y, unsigned int grid_z,
				unsigned int block_x, unsigned int block_y,
				unsigned int block_z,
				unsigned int shared_bytes, CUstream handle,
				void **arguments, void **extra)
{
	const unsigned grid[3] = { grid_x, grid_y, grid_z };
	const unsigned block[3] = { block_x, block_y, block_z };
	CUstream stream = standin_stream(handle);
	struct work work = { .kind = WORK_NONE };
	CUresult code;

	if (function == NULL || stream == NULL ||
	    function->module->object.context != stream->object.context)
		return CUDA_ERROR_INVALID_HANDLE;
	/* Packed arguments: not in the stand-in. */
	if (extra != NULL)
		return CUDA_ERROR_NOT_SUPPORTED;
	code = standin_fill_launch(&work, function, grid, block, shared_bytes,
				   arguments);
	if (code == CUDA_SUCCESS)
		standin_enqueue(stream, &work);
	return code;
}
