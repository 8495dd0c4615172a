/* SPDX-License-Identifier: MIT */
/*
 * Checks of driver properties that the backend depends on.  The backend reads two
 * variables of each module, which NVRTC makes local to the module (.visible only
 * with -rdc): the driver must find them, in binaries and in PTX, with their values.
 * The driver must also link code that sets conditions, since it, not the compiler,
 * has that function.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hand.h"
#include "texts.h"

#define LOOK_TEXT \
	"extern \"C\" { __device__ __constant__ unsigned plait_group[3] = " \
	"{ 8, 4, 2 }; }\n" \
	"extern \"C\" { __device__ __constant__ unsigned plait_decides = 2; }\n" \
	GLOBAL_FUNCTION "look(unsigned *x)\n" \
	"{\n" \
	"	*x = 1;\n" \
	"}\n"

static const struct wanted {
	const char *name;
	size_t bytes;
	uint32_t values[3];
} wanted[] = {
	{ "plait_group", 12, { 8, 4, 2 } },
	{ "plait_decides", 4, { 2 } },
};

/* Return the fault, or null. */
static const char *fault_of(CUmodule module, const struct wanted *variable,
			    CUresult *code)
{
	uint32_t values[3] = { 0 };
	CUdeviceptr address = 0;
	size_t bytes = 0;

	*code = hand.cu.cuModuleGetGlobal(&address, &bytes, module,
					  variable->name);
	if (*code != CUDA_SUCCESS)
		return "THE DRIVER DOES NOT FIND IT";
	if (bytes != variable->bytes)
		return "IT HAS ANOTHER SIZE";
	DO(cuMemcpyDtoHAsync(values, address, bytes, NULL));
	DO(cuStreamSynchronize(NULL));
	return memcmp(values, variable->values, bytes) == 0 ?
		       NULL : "IT HAS ANOTHER VALUE";
}

static int look_into(bool ptx)
{
	char *image = hand_compile("look", LOOK_TEXT, ptx);
	CUmodule module;
	int wrong = 0;

	DO(cuModuleLoadDataEx(&module, image, 0, NULL, NULL));
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		CUresult code;
		const char *fault = fault_of(module, &wanted[i], &code);

		printf("%s in %s: %s (%d)\n", wanted[i].name,
		       ptx ? "PTX" : "a binary",
		       fault != NULL ? fault : "found", (int)code);
		wrong += fault != NULL;
	}
	DO(cuModuleUnload(module));
	free(image);
	return wrong;
}

static int load_setter(bool ptx)
{
	char *image = hand_compile("last", LAST_TEXT, ptx);
	CUfunction function = NULL;
	CUmodule module = NULL;
	CUresult code = hand.cu.cuModuleLoadDataEx(&module, image, 0, NULL,
						   NULL);

	if (code == CUDA_SUCCESS)
		code = hand.cu.cuModuleGetFunction(&function, module, "last");
	printf("cudaGraphSetConditional in %s: %s (%d)\n",
	       ptx ? "PTX" : "a binary", code == CUDA_SUCCESS ? "found" :
	       "THE DRIVER DOES NOT LOAD IT", (int)code);
	free(image);
	return code != CUDA_SUCCESS;
}

int look(void)
{
	int wrong = look_into(false) + look_into(true);
	int setters = 0;

	if (hand_has_conditions())
		setters = load_setter(false) + load_setter(true);
	else
		puts("no conditional nodes in this driver");

	if (wrong != 0)
		puts("WRONG: NO KERNEL OF PORTABLE SOURCE, AND NONE THAT "
		     "DECIDES ITS LOOP, CAN RUN HERE");
	if (setters != 0)
		puts("WRONG: THE HOST DECIDES SOME LOOPS HERE, OR ALL");
	DO(cuCtxSetCurrent(NULL));
	DO(cuDevicePrimaryCtxRelease(0));
	return wrong + setters;
}
