/* SPDX-License-Identifier: MIT */
/*
 * Data-parallel loops by plait, for bench/loops.py: a plan of one launch of
 * portable source, called.
 *
 *	loops KERNEL ITEMS BATCHES PAUSE_NS WORKERS
 */
#include "loops.h"

#include "plait/plait.h"

#include <stdbool.h>
#include <string.h>

#define TEXT(body) #body
#define QUOTE(body) TEXT(body)
#define SOURCE(name, body)                                                    \
	{ #name, #name "(x: in pointer f32, y: inout pointer f32, n: u64)",   \
	  "KERNEL(" #name ") { EACH(i, n) { " QUOTE(body) " } }" }

static const struct {
	const char *name, *signature, *code;
} kernels[] = {
	SOURCE(saxpy, SAXPY_BODY), SOURCE(compute, COMPUTE_BODY),
	SOURCE(rising, RISING_BODY), SOURCE(front, FRONT_BODY)
};

static plait_error error = { .size = sizeof(error) };
static plait_plan *plan;

static void must(plait_status status)
{
	if (status == PLAIT_OK)
		return;
	fprintf(stderr, "%s\n", error.text);
	exit(1);
}

static void call(void)
{
	must(plait_plan_call(plan, NULL, NULL, &error));
}

static plait_buffer *make_buffer(plait_device *device, uint64_t n, bool zero)
{
	const plait_buffer_desc desc = { .size = sizeof(desc),
					 .bytes = n * sizeof(float) };
	plait_buffer *buffer;
	void *bytes;

	must(plait_buffer_create(device, &desc, &buffer, &error));
	must(plait_buffer_map(buffer, 0, desc.bytes, PLAIT_MAP_WRITE, &bytes,
			      &error));
	for (uint64_t i = 0; i < n; i++)
		((float *)bytes)[i] = zero ? 0 : (float)i / (float)n;
	must(plait_buffer_unmap(buffer, bytes, &error));
	return buffer;
}

static plait_kernel *make_kernel(plait_context *context, const char *name)
{
	plait_kernel *kernel = NULL;

	for (size_t i = 0; i < 4; i++) {
		const plait_source source = { .size = sizeof(source),
					      .code = kernels[i].code };
		const plait_kernel_desc desc = {
			.size = sizeof(desc),
			.signature = kernels[i].signature,
			.sources = &source, .source_count = 1,
		};

		if (strcmp(kernels[i].name, name) == 0)
			must(plait_kernel_create(context, &desc, &kernel,
						 &error));
	}
	return kernel;
}

static void make_plan(plait_context *context, const char *name, uint64_t n)
{
	plait_kernel *kernel = make_kernel(context, name);
	plait_device *device;
	plait_buffer *x, *y;
	plait_graph *graph;

	must(plait_context_device(context, 0, &device, &error));
	x = make_buffer(device, n, false);
	y = make_buffer(device, n, true);
	must(plait_graph_create(context, &graph, &error));
	must(plait_graph_launch(graph, kernel, PLAIT_ITEMS(n),
				PLAIT_ARGUMENTS(PLAIT_BUFFER(x),
						PLAIT_BUFFER(y),
						PLAIT_VALUE(n)),
				0, NULL, &error));
	must(plait_graph_freeze(graph, NULL, &plan, &error));
	must(plait_plan_prepare(plan, &error));
	plait_graph_release(graph);
	plait_kernel_release(kernel);
	plait_buffer_release(x);
	plait_buffer_release(y);
}

int main(int argc, char **argv)
{
	plait_context_desc desc = { .size = sizeof(desc), .backends = "host" };
	plait_context *context;

	if (argc != 6)
		return 2;
	desc.workers = (uint32_t)atoi(argv[5]);
	desc.flags = desc.workers == 0 ? PLAIT_CONTEXT_NO_WORKERS : 0;
	must(plait_context_open(&desc, &context, &error));
	make_plan(context, argv[1], strtoull(argv[2], NULL, 10));
	report(call, atoi(argv[3]), atol(argv[4]));
	plait_plan_release(plan);
	plait_context_release(context);
	return 0;
}
