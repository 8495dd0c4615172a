/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libcuda.so.1: modules.  It loads the output of the stand-in
 * compiler, a shared object or a PTX with one inside; and real PTX
 * (interpreted.c).
 */
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "image.h"
#include "standin.h"
#include "standin/ptx/ptx.h"

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
static void load_bytes(CUmodule module, const char *image, size_t count)
{
	const char *base = getenv("TMPDIR");
	char path[256], *bytes;
	int fd;

	/* The host's loader does not know the marks of a device's binaries. */
	bytes = memcpy(standin_new(count), image, count);
	bytes[EI_OSABI] = bytes[EI_ABIVERSION] = 0;
	snprintf(path, sizeof(path), "%s/standin-module-XXXXXX",
		 base != NULL ? base : "/tmp");
	fd = mkstemp(path);
	if (fd >= 0 && write(fd, bytes, count) == (ssize_t)count)
		module->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	free(bytes);
	if (fd < 0)
		return;
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

static CUresult load_ptx(CUmodule module, const char *text, char *message)
{
	const char *hex = strstr(text, "// standin ");

	if (strstr(text, ".version") == NULL || strstr(text, ".target") == NULL)
		return CUDA_ERROR_INVALID_IMAGE;
	if (standin_is_newer_ptx(text, standin.options.driver_version))
		return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
	if (hex == NULL) {
		module->table = standin_parse(module, text, message);
		return module->table != NULL ? CUDA_SUCCESS :
					       CUDA_ERROR_INVALID_PTX;
	}
	load_text(module, hex + strlen("// standin "));
	return CUDA_SUCCESS;
}

static CUresult load_image(CUmodule module, const char *image, char *message)
{
	bool binary = memcmp(image, ELFMAG, SELFMAG) == 0;
	CUresult code = CUDA_SUCCESS;
	unsigned arch = (unsigned)standin.options.arch;

	if (binary && standin_is_newer_binary(image,
					      standin.options.driver_version))
		return CUDA_ERROR_INVALID_IMAGE;
	if (binary)
		load_bytes(module, image, elf_bytes(image));
	else
		code = load_ptx(module, image, message);
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

bool standin_find_variable(uint64_t address, uint64_t *begin, uint64_t *end)
{
	const struct variable *at;

	for (at = variables; at != NULL; at = at->next)
		if (address - (uintptr_t)at->pointer < at->bytes) {
			*begin = (uintptr_t)at->pointer;
			*end = *begin + at->bytes;
			return true;
		}
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
	standin_free_parsed(module);
	if (module->library != NULL)
		dlclose(module->library);
	free(module->functions);
	free(module);
}

CUresult standin_cuModuleLoadDataEx(CUmodule *out, const void *image,
				    unsigned int count,
				    CUjit_option *options, void **values)
{
	char message[PTX_MESSAGE_BYTES] = "the stand-in for tests loads only "
		"PTX, and the binaries that its own compiler makes";
	CUmodule module;
	CUresult code;
	unsigned i;

	if (out == NULL || image == NULL)
		return CUDA_ERROR_INVALID_VALUE;
	module = standin_new(sizeof(*module));
	code = load_image(module, image, message);
	if (code != CUDA_SUCCESS) {
		say(count, options, values, message);
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

static CUresult find_parsed(CUdeviceptr *pointer, size_t *bytes,
			    CUmodule module, const char *name)
{
	size_t size = 0;
	void *address = ptx_variable(module->ptx, name, &size);

	if (address == NULL)
		return CUDA_ERROR_NOT_FOUND;
	add_variable(module, address, size);
	if (pointer != NULL)
		*pointer = (CUdeviceptr)(uintptr_t)address;
	if (bytes != NULL)
		*bytes = size;
	return CUDA_SUCCESS;
}

CUresult standin_cuModuleGetGlobal(CUdeviceptr *pointer, size_t *bytes,
				   CUmodule module, const char *name)
{
	const ElfW(Sym) *symbol = NULL;
	void *address = NULL;
	Dl_info info;

	if (standin_find(module, STANDIN_MODULE_KIND) == NULL)
		return CUDA_ERROR_INVALID_HANDLE;
	if (module->ptx != NULL)
		return find_parsed(pointer, bytes, module, name);
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
	const struct ptx_kernel *ptx = function->kernel->ptx;
	unsigned most = function->kernel->most_threads;

	switch (attribute) {
	case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
		*value = most != 0 ? (int)most : 1024;
		break;
	case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
		*value = ptx != NULL ? (int)ptx->shared_bytes : 0;
		break;
	case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
		*value = ptx != NULL ? (int)ptx->local_bytes : 0;
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
