/* SPDX-License-Identifier: MIT */
/* Suite of the kernels of t/source/kernels, loaded and run; see suite.h. */
#include "suite.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ARGUMENTS = 16, TEXT_BYTES = 1 << 16, SIGNATURE_BYTES = 1024 };

static struct {
	plait_context *context;
	plait_device *device;
	plait_queue *queue;
	plait_kernel *kernel;
	plait_error error;
	bool plans;
	uint32_t count;
	plait_argument arguments[ARGUMENTS];
	unsigned char values[ARGUMENTS][256];
	void *pointers[ARGUMENTS];
	size_t bytes[ARGUMENTS];
} suite = { .error = { .size = sizeof(plait_error) } };

/* ---- the folder ---- */

static char folder[64];

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	if (system(command) != 0)
		NOTE("%s is left", folder);
}

const char *suite_folder(void)
{
	char cache[96];

	if (folder[0] != '\0')
		return folder;
	snprintf(folder, sizeof(folder), "/tmp/plait-suite-XXXXXX");
	if (mkdtemp(folder) == NULL)
		SKIP_ALL("no folder below /tmp");
	atexit(remove_folder);
	snprintf(cache, sizeof(cache), "%s/cache", folder);
	setenv("PLAIT_CACHE_DIR", cache, 1);
	setenv("TMPDIR", folder, 1);
	return folder;
}

/* ---- the backend ---- */

bool suite_open_driver(const char *backend)
{
	plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
				    .backends = backend };
	const char *sanitizer = getenv("PLAIT_SANITIZER");

	if (sanitizer != NULL && strcmp(sanitizer, "no") != 0)
		SKIP_ALL("compilers of drivers leak; one lane is enough");
	setenv("POCL_CACHE_DIR", suite_folder(), 1);
	setenv("HOME", suite_folder(), 1);
	if (plait_context_open(&desc, &suite.context, &suite.error) ==
	    PLAIT_E_UNAVAILABLE)
		SKIP_ALL("%s", suite.error.text);
	suite_close();
	return suite_open(backend);
}

bool suite_open(const char *backend)
{
	plait_context_desc desc = { .size = sizeof(desc), .workers = 2,
				    .backends = backend };

	suite_folder();
	NOTE("%s", backend);
	return OK_THAT(plait_context_open(&desc, &suite.context,
					  &suite.error) == PLAIT_OK,
		       "open %s: %s", backend, suite.error.text) &&
	       OK(plait_context_device(suite.context, 0, &suite.device,
				       &suite.error) == PLAIT_OK) &&
	       OK(plait_queue_create(suite.device, NULL, &suite.queue,
				     &suite.error) == PLAIT_OK);
}

void suite_close(void)
{
	plait_queue_release(suite.queue);
	plait_context_release(suite.context);
	suite.queue = NULL;
	suite.context = NULL;
}

plait_context *suite_context(void)
{
	return suite.context;
}

/* ---- the kernel ---- */

static void find_signature(const char *text, char *out, size_t room)
{
	const char *at = strchr(text, '\n');
	size_t length = 0;

	at = at != NULL ? strstr(at, "/* ") : NULL;
	for (at = at != NULL ? at + 3 : ""; *at != '\0'; at++) {
		bool blank = isspace((unsigned char)*at) || *at == '*';

		if (length + 2 > room)
			break;
		if (!blank || (length > 0 && out[length - 1] != ' '))
			out[length++] = blank ? ' ' : *at;
		if (*at == ')')
			break;
	}
	out[length] = '\0';
}

const char *suite_text(const char *name, char *signature, size_t room)
{
	static char text[TEXT_BYTES];
	const char *root = getenv("abs_top_srcdir");
	char path[4096];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "%s/t/source/kernels/%s.plk",
		 root != NULL ? root : ".", name);
	file = fopen(path, "r");
	if (!OK_THAT(file != NULL, "%s", path))
		return "";
	length = fread(text, 1, sizeof(text) - 1, file);
	text[length] = '\0';
	fclose(file);
	find_signature(text, signature, room);
	return text;
}

static void show_detail(void)
{
	static char text[8192];

	if (plait_error_detail(suite.error.detail, text, sizeof(text), NULL) ==
	    PLAIT_OK)
		NOTE("%s", text);
}

bool suite_take(const char *signature, const plait_source *source)
{
	return suite_take_many(signature, source, 1);
}

bool suite_take_many(const char *signature, const plait_source *sources,
		     uint64_t count)
{
	plait_kernel_desc desc = { .size = sizeof(desc),
				   .signature = signature,
				   .sources = sources, .source_count = count };

	suite.count = 0;
	if (OK_THAT(plait_kernel_create(suite.context, &desc, &suite.kernel,
					&suite.error) == PLAIT_OK,
		    "%s: %s", signature, suite.error.text))
		return true;
	show_detail();
	return false;
}

bool suite_load(const char *name)
{
	char signature[SIGNATURE_BYTES], file[64];
	plait_source source = { .size = sizeof(source), .file = file };

	snprintf(file, sizeof(file), "%s.plk", name);
	source.code = suite_text(name, signature, sizeof(signature));
	return suite_take(signature, &source);
}

/* ---- the launch ---- */

void suite_value(const void *value, size_t bytes)
{
	uint32_t i = suite.count++;

	memcpy(suite.values[i], value, bytes);
	suite.bytes[i] = 0;
	suite.arguments[i] = (plait_argument){
		.size = sizeof(plait_argument), .kind = PLAIT_ARGUMENT_VALUE,
		.value = suite.values[i], .bytes = bytes
	};
}

void suite_memory(void *pointer, size_t bytes)
{
	plait_buffer_desc desc = { .size = sizeof(desc), .bytes = bytes };
	uint32_t i = suite.count++;
	plait_buffer *buffer;
	void *mapped;

	suite.pointers[i] = pointer;
	suite.bytes[i] = bytes;
	if (plait_buffer_create(suite.device, &desc, &buffer, &suite.error) !=
	    PLAIT_OK ||
	    plait_buffer_map(buffer, 0, bytes, PLAIT_MAP_WRITE, &mapped,
			     &suite.error) != PLAIT_OK) {
		OK_THAT(false, "memory: %s", suite.error.text);
		exit(1);
	}
	memcpy(mapped, pointer, bytes);
	plait_buffer_unmap(buffer, mapped, &suite.error);
	suite.arguments[i] = (plait_argument){
		.size = sizeof(plait_argument), .kind = PLAIT_ARGUMENT_BUFFER,
		.buffer = buffer
	};
}

void suite_local(uint64_t bytes)
{
	uint32_t i = suite.count++;

	suite.bytes[i] = 0;
	suite.arguments[i] = (plait_argument){
		.size = sizeof(plait_argument), .kind = PLAIT_ARGUMENT_LOCAL,
		.bytes = bytes
	};
}

static bool fetch(uint32_t i)
{
	plait_buffer *buffer = suite.arguments[i].buffer;
	void *mapped;

	if (suite.bytes[i] == 0)
		return true;
	if (plait_buffer_map(buffer, 0, suite.bytes[i], PLAIT_MAP_READ,
			     &mapped, &suite.error) != PLAIT_OK)
		return false;
	memcpy(suite.pointers[i], mapped, suite.bytes[i]);
	plait_buffer_unmap(buffer, mapped, &suite.error);
	plait_buffer_release(buffer);
	return true;
}

void suite_use_plans(bool plans)
{
	suite.plans = plans;
}

/* A plan of one node; null, and the error. */
static plait_plan *plan_launch(const plait_launch *launch)
{
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = suite.kernel, .launch = launch,
		.arguments = suite.arguments, .argument_count = suite.count,
		.device = suite.device,
	};
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node node;

	if (plait_graph_create(suite.context, &graph, &suite.error) ==
	    PLAIT_OK &&
	    plait_graph_add(graph, &desc, NULL, 0, &node, &suite.error) ==
	    PLAIT_OK)
		(void)plait_graph_freeze(graph, NULL, &plan, &suite.error);
	plait_graph_release(graph);
	return plan;
}

static bool run_planned(const plait_launch *launch)
{
	plait_plan *plan = plan_launch(launch);
	bool fine = plan != NULL &&
		    plait_plan_call(plan, NULL, NULL, &suite.error) ==
			    PLAIT_OK;

	plait_plan_release(plan);
	return fine;
}

static bool run_queued(const plait_launch *launch)
{
	return plait_queue_launch(suite.queue, suite.kernel, launch,
				  suite.arguments, suite.count,
				  &suite.error) == PLAIT_OK &&
	       plait_queue_finish(suite.queue, PLAIT_FOREVER, &suite.error) ==
		       PLAIT_OK;
}

bool suite_launch(uint64_t x, uint64_t y, uint64_t z)
{
	plait_launch launch = { .size = sizeof(launch), .dimensions = 3,
				.items = { x, y, z } };
	bool fine = suite.plans ? run_planned(&launch) : run_queued(&launch);

	for (uint32_t i = 0; i < suite.count; i++)
		fine = fetch(i) && fine;
	OK_THAT(fine, "launch: %s", suite.error.text);
	suite_drop();
	return fine;
}

void suite_drop(void)
{
	plait_kernel_release(suite.kernel);
	suite.kernel = NULL;
}

/* ---- numbers ---- */

uint32_t suite_random(void)
{
	static uint64_t state = 88172645463325252u;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(state >> 16);
}

float suite_between(float low, float high)
{
	return low + (high - low) * (float)(suite_random() & 0xffff) / 65536;
}

bool suite_close_f64(const double *got, const double *want, size_t count,
		     double tolerance)
{
	for (size_t i = 0; i < count; i++) {
		double room = tolerance * fmax(1, fabs(want[i]));

		if (!(fabs(got[i] - want[i]) <= room))
			return OK_THAT(false, "number %zu: %.17g, not %.17g",
				       i, got[i], want[i]);
	}
	return OK_THAT(true, "%zu numbers within %g", count, tolerance);
}

bool suite_close_f32(const float *got, const float *want, size_t count,
		     float tolerance)
{
	for (size_t i = 0; i < count; i++) {
		float room = tolerance * fmaxf(1, fabsf(want[i]));

		if (!(fabsf(got[i] - want[i]) <= room))
			return OK_THAT(false, "number %zu: %.9g, not %.9g", i,
				       (double)got[i], (double)want[i]);
	}
	return OK_THAT(true, "%zu numbers within %g", count, (double)tolerance);
}
