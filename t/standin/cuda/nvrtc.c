/* SPDX-License-Identifier: MIT */
/*
 * A stand-in for libnvrtc.so, for tests: CUDA C++ is compiled by the C++
 * compiler of the host, with a prelude that defines CUDA's words there.  The
 * output is for the stand-in driver alone.  The compiler is STANDIN_CXX of the
 * environment, else the one that configure found.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compiler.h"
#include "image.h"
#include "rewrite.h"

struct _nvrtcProgram {
	char *text, *name;
	struct text log, code, ptx;
	bool real; /* for a device, not for a family of them */
	bool built;
};

static const int archs[] = { 75, 80, 86, 89, 90, 100, 120 };

enum { ARCHS = sizeof(archs) / sizeof(archs[0]) };

/* 12080 is 12.8. */
static unsigned version(void)
{
	const char *chosen = getenv("STANDIN_NVRTC_VERSION");

	return chosen != NULL ? (unsigned)atoi(chosen) : 12080;
}

/* --- files ---------------------------------------------------------------- */

static void read_file(struct text *out, const char *path)
{
	FILE *file = fopen(path, "r");
	char part[4096];
	size_t count;

	if (file == NULL)
		return;
	while ((count = fread(part, 1, sizeof(part), file)) != 0)
		text_add(out, part, count);
	fclose(file);
}

static bool write_file(const char *path, const char *text, size_t count)
{
	FILE *file = fopen(path, "w");
	bool written;

	if (file == NULL)
		return false;
	written = fwrite(text, 1, count, file) == count;
	return fclose(file) == 0 && written;
}

/* In a folder of its own: one line for the shell. */
static bool shell(const char *folder, const char *format, const char *options)
{
	const char *chosen = getenv("STANDIN_CXX");
	struct text line = { NULL, 0, 0 };
	int status;

	text_print(&line, "cd %s && %s ", folder,
		   chosen != NULL ? chosen : STANDIN_CXX);
	text_print(&line, "%s %s >/dev/null 2>>log", format, options);
	status = system(line.at);
	free(line.at);
	return status == 0;
}

/* --- options -------------------------------------------------------------- */

struct choice {
	unsigned arch;
	bool real;
	struct text words; /* for the compiler */
};

static bool is_arch(unsigned arch)
{
	size_t i;

	for (i = 0; i < ARCHS; i++)
		if ((unsigned)archs[i] == arch)
			return true;
	return false;
}

static bool read_arch(struct choice *choice, const char *value)
{
	choice->real = strncmp(value, "sm_", 3) == 0;
	if (!choice->real && strncmp(value, "compute_", 8) != 0)
		return false;
	choice->arch = (unsigned)atoi(strchr(value, '_') + 1);
	return is_arch(choice->arch);
}

static const char *value_of(const char *option, const char *name)
{
	size_t length = strlen(name);

	return strncmp(option, name, length) == 0 ? option + length : NULL;
}

/* Quoted for the shell; options that contain a quote are refused. */
static bool pass_on(struct choice *choice, const char *option)
{
	if (strchr(option, '\'') != NULL)
		return false;
	text_print(&choice->words, " '%s'", option);
	return true;
}

static bool read_option(struct choice *choice, const char *option)
{
	static const char *const ignored[] = {
		"--fmad=", "-fmad=", "--use_fast_math", "-use_fast_math",
		"--ftz=", "-ftz=", "--prec-div=", "-prec-div=",
		"--prec-sqrt=", "-prec-sqrt=", "-default-device",
		"--device-as-default-execution-space", "-lineinfo",
		"--generate-line-info", "-w", "--disable-warnings",
		"--std=", "-std=", "--relocatable-device-code=", "-rdc=",
		"--extra-device-vectorization", "-dopt=", "--dopt=",
	};
	const char *value = value_of(option, "--gpu-architecture=");
	size_t i;

	if (value == NULL)
		value = value_of(option, "-arch=");
	if (value != NULL)
		return read_arch(choice, value);
	if (strncmp(option, "-D", 2) == 0 || strncmp(option, "-U", 2) == 0 ||
	    strncmp(option, "-I", 2) == 0)
		return pass_on(choice, option);
	for (i = 0; i < sizeof(ignored) / sizeof(ignored[0]); i++)
		if (value_of(option, ignored[i]) != NULL)
			return true;
	return false;
}

/* --- compiling ------------------------------------------------------------ */

static void write_ptx(nvrtcProgram program, unsigned arch)
{
	size_t i;

	text_print(&program->ptx, "// made by a stand-in for NVRTC, for "
		   "tests\n.version %d.%d\n.target sm_%u\n.address_size 64\n"
		   "// standin ", standin_ptx_version((int)version()) / 10,
		   standin_ptx_version((int)version()) % 10, arch);
	for (i = 0; i < program->code.count; i++)
		text_print(&program->ptx, "%02x",
			   (unsigned char)program->code.at[i]);
	text_print(&program->ptx, "\n");
}

static bool preprocess(const char *folder, nvrtcProgram program,
		       const struct choice *choice)
{
	char path[300];
	struct text source = { NULL, 0, 0 };
	bool done;

	text_print(&source, "#line 1 \"%s\"\n%s\n", program->name,
		   program->text);
	snprintf(path, sizeof(path), "%s/text.cu", folder);
	done = write_file(path, source.at, source.count) &&
	       shell(folder, "-std=gnu++17 -E -D__CUDACC_RTC__=1 "
		     "-D__CUDA_ARCH__=900 -I" STANDIN_FOLDER " -include "
		     STANDIN_FOLDER "/device.prelude -x c++ text.cu "
		     "-o text.i", choice->words.at);
	free(source.at);
	return done;
}

/* The message of its ptxas about an unknown function. */
static bool refuse_loops(const char *folder)
{
	static const char said[] = "ptxas fatal   : Unresolved extern "
		"function 'cudaGraphSetConditional'\n";
	char path[300];

	snprintf(path, sizeof(path), "%s/log", folder);
	(void)write_file(path, said, sizeof(said) - 1);
	return false;
}

static bool compile(const char *folder, const struct choice *choice)
{
	struct text in = { NULL, 0, 0 }, out = { NULL, 0, 0 };
	char path[300];
	unsigned driver;
	bool done;

	snprintf(path, sizeof(path), "%s/text.i", folder);
	read_file(&in, path);
	driver = rewrite(&out, in.at != NULL ? in.at : "", choice->arch);
	snprintf(path, sizeof(path), "%s/text.ii", folder);
	done = (driver <= version() || !choice->real ||
		refuse_loops(folder)) &&
	       write_file(path, out.at, out.count) &&
	       shell(folder, "-std=gnu++17 -O1 -fPIC -shared -w "
		     "-fno-exceptions -fno-rtti -fno-strict-aliasing "
		     "-ffp-contract=off -Wl,-Bsymbolic,--as-needed text.ii -o code.so -lm",
		     "");
	free(in.at);
	free(out.at);
	return done;
}

static void clean(const char *folder)
{
	static const char *const names[] = { "text.cu", "text.i", "text.ii",
					     "code.so", "log" };
	char path[300];
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, names[i]);
		unlink(path);
	}
	rmdir(folder);
}

static nvrtcResult build(nvrtcProgram program, const struct choice *choice)
{
	const char *base = getenv("TMPDIR");
	char folder[200], path[300];

	snprintf(folder, sizeof(folder), "%s/standin-XXXXXX",
		 base != NULL ? base : "/tmp");
	if (mkdtemp(folder) == NULL)
		return NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
	program->built = preprocess(folder, program, choice) &&
			 compile(folder, choice);
	snprintf(path, sizeof(path), "%s/log", folder);
	read_file(&program->log, path);
	snprintf(path, sizeof(path), "%s/code.so", folder);
	if (program->built)
		read_file(&program->code, path);
	clean(folder);
	if (!program->built)
		return NVRTC_ERROR_COMPILATION;
	program->real = choice->real;
	standin_mark_binary(program->code.at, (int)version());
	write_ptx(program, choice->arch);
	return NVRTC_SUCCESS;
}

/* --- the functions -------------------------------------------------------- */

nvrtcResult standin_nvrtcVersion(int *major, int *minor)
{
	*major = (int)version() / 1000;
	*minor = (int)version() % 1000 / 10;
	return NVRTC_SUCCESS;
}

nvrtcResult standin_nvrtcGetNumSupportedArchs(int *count)
{
	*count = ARCHS;
	return NVRTC_SUCCESS;
}

nvrtcResult standin_nvrtcGetSupportedArchs(int *out)
{
	memcpy(out, archs, sizeof(archs));
	return NVRTC_SUCCESS;
}

nvrtcResult standin_nvrtcCreateProgram(nvrtcProgram *out, const char *text,
			       const char *name, int count,
			       const char *const *headers,
			       const char *const *names)
{
	nvrtcProgram program;

	(void)headers, (void)names;
	if (out == NULL || text == NULL || count != 0)
		return NVRTC_ERROR_INVALID_INPUT;
	program = calloc(1, sizeof(*program));
	if (program == NULL)
		return NVRTC_ERROR_OUT_OF_MEMORY;
	program->text = strdup(text);
	program->name = strdup(name != NULL ? name : "default_program");
	text_add(&program->log, "", 0);
	*out = program;
	return NVRTC_SUCCESS;
}

nvrtcResult standin_nvrtcDestroyProgram(nvrtcProgram *program)
{
	if (program == NULL || *program == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	free((*program)->text);
	free((*program)->name);
	free((*program)->log.at);
	free((*program)->code.at);
	free((*program)->ptx.at);
	free(*program);
	*program = NULL;
	return NVRTC_SUCCESS;
}

nvrtcResult standin_nvrtcCompileProgram(nvrtcProgram program, int count,
				const char *const *options)
{
	struct choice choice = { .arch = 75 };
	nvrtcResult result = NVRTC_SUCCESS;
	int i;

	if (program == NULL || program->built)
		return NVRTC_ERROR_INVALID_PROGRAM;
	text_add(&choice.words, "", 0);
	for (i = 0; i < count && result == NVRTC_SUCCESS; i++)
		if (!read_option(&choice, options[i])) {
			text_print(&program->log, "nvrtc: error: invalid "
				   "value or option: %s\n", options[i]);
			result = NVRTC_ERROR_INVALID_OPTION;
		}
	if (result == NVRTC_SUCCESS)
		result = build(program, &choice);
	free(choice.words.at);
	return result;
}

static nvrtcResult give(nvrtcProgram program, const struct text *text,
			size_t more, size_t *bytes, char *out)
{
	if (program == NULL)
		return NVRTC_ERROR_INVALID_PROGRAM;
	if (bytes != NULL)
		*bytes = text->count + more;
	if (out != NULL && text->count != 0)
		memcpy(out, text->at, text->count);
	if (out != NULL && more != 0)
		out[text->count] = '\0';
	return NVRTC_SUCCESS;
}

nvrtcResult standin_nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
	return give(program, &program->log, 1, bytes, NULL);
}

nvrtcResult standin_nvrtcGetProgramLog(nvrtcProgram program, char *text)
{
	return give(program, &program->log, 1, NULL, text);
}

nvrtcResult standin_nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
	return give(program, &program->ptx, 1, bytes, NULL);
}

nvrtcResult standin_nvrtcGetPTX(nvrtcProgram program, char *text)
{
	return give(program, &program->ptx, 1, NULL, text);
}

/* None for a family: 0 bytes. */
nvrtcResult standin_nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
	nvrtcResult result = give(program, &program->code, 0, bytes, NULL);

	if (!program->real)
		*bytes = 0;
	return result;
}

nvrtcResult standin_nvrtcGetCUBIN(nvrtcProgram program, char *code)
{
	if (!program->real)
		return NVRTC_ERROR_INVALID_PROGRAM;
	return give(program, &program->code, 0, NULL, code);
}
