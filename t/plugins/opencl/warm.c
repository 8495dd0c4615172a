/* SPDX-License-Identifier: MIT */
/*
 * Warm kernels of the OpenCL backend: the code that a driver compiles at a
 * kernel's first execution exists before a plan runs, so the first run adds no
 * file to PoCL's cache.  With warm=no files do appear, which proves that the
 * test sees them.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plait/plait.h"
#include "lib/tap.h"

enum { COUNT = 1000, KERNELS = 4 };

static int found;

static int count_one(const char *path, const struct stat *status, int kind,
		     struct FTW *at)
{
	size_t length = strlen(path);

	(void)status, (void)at;
	found += kind == FTW_F && length > 3 &&
		 strcmp(path + length - 3, ".so") == 0;
	return 0;
}

static char folder[] = "/tmp/plait-test-XXXXXX";

static int count_compiled(void)
{
	found = 0;
	(void)nftw(folder, count_one, 16, FTW_PHYS);
	return found;
}

static int remove_one(const char *path, const struct stat *status, int kind,
		      struct FTW *at)
{
	(void)status, (void)kind, (void)at;
	return remove(path);
}

static plait_error error = { .size = sizeof(error) };

struct world {
	plait_context *context;
	plait_device *device;
	plait_buffer *x;
	plait_queue *queue;
};

static const char in_items[] = "KERNEL(add) { EACH(i, n) x[i] += WORD; }";

/* A kernel of groups with the result of one item per element; the comments and
 * the define resemble the kernel's opening but are not it. */
static const char in_groups[] =
	"/* GROUP_KERNEL(add, 1, 1, 1) { */\n"
	"#define END 2 /* it's */\n"
	"GROUP_KERNEL(add, 20, 1, 1) // {\n"
	"{\n"
	"	LOCAL_MEMORY u32 word[2];\n"
	"	UNIFORM(u64, groups, GROUP_COUNT(0) * GROUP_COUNT(1) *\n"
	"			     GROUP_COUNT(2));\n"
	"	UNIFORM(u64, group, GROUP_ID(0) + GROUP_COUNT(0) *\n"
	"			    (GROUP_ID(1) + GROUP_COUNT(1) * GROUP_ID(2)));\n"
	"	ITEMS { if (LOCAL_ID(0) < END) word[LOCAL_ID(0)] = WORD; }\n"
	"	ITEMS {\n"
	"		for (u64 i = group; i < n; i += groups)\n"
	"			if (i % 20 == (u64)LOCAL_ID(0))\n"
	"				x[i] += word[LOCAL_ID(0) % END];\n"
	"	}\n"
	"}\n";

static plait_kernel *make_kernel(struct world *world, const char *code,
				 const char *word)
{
	const plait_source source = {
		.size = sizeof(source), .defines = word, .code = code,
	};
	const plait_kernel_desc desc = {
		.size = sizeof(desc), .sources = &source, .source_count = 1,
		.signature = "add(x: inout pointer u32, n: u32)",
	};
	plait_kernel *kernel = NULL;

	IS_INT(plait_kernel_create(world->context, &desc, &kernel, &error),
	       PLAIT_OK);
	return kernel;
}

static plait_node add(struct world *world, plait_graph *graph,
		      plait_kernel *kernel, int number, plait_node *behind)
{
	static const uint32_t count = COUNT;
	const plait_argument arguments[] = {
		{ .size = sizeof(*arguments), .kind = PLAIT_ARGUMENT_BUFFER,
		  .buffer = world->x },
		{ .size = sizeof(*arguments), .value = &count,
		  .bytes = sizeof(count) },
	};
	/* Geometries of one, two and three dimensions; number 0 has its own group size. */
	const plait_launch launch = {
		.size = sizeof(launch),
		.dimensions = number > 2 ? 3 : number > 1 ? 2 : 1,
		.items = { 60 + 60 * (uint64_t)number, number > 1 ? 4 : 0,
			   number > 2 ? 3 : 0 },
		.group = { number == 0 ? 20 : 0, 0, 0 },
	};
	const plait_node_desc desc = {
		.size = sizeof(desc), .kind = PLAIT_NODE_LAUNCH,
		.kernel = kernel, .launch = &launch, .arguments = arguments,
		.argument_count = 2, .device = world->device,
	};
	plait_node node = { 0 };

	IS_INT(plait_graph_add(graph, &desc, behind, behind != NULL, &node,
			       &error), PLAIT_OK);
	return node;
}

static plait_plan *make_plan(struct world *world, plait_kernel *kernel)
{
	plait_graph *graph = NULL;
	plait_plan *plan = NULL;
	plait_node node = { 0 };

	IS_INT(plait_graph_create(world->context, &graph, &error), PLAIT_OK);
	for (int i = 0; i < KERNELS; i++)
		node = add(world, graph, kernel, i, i > 0 ? &node : NULL);
	IS_INT(plait_graph_freeze(graph, NULL, &plan, &error), PLAIT_OK);
	OK_THAT(plait_plan_prepare(plan, &error) == PLAIT_OK, "%s",
		error.text);
	plait_graph_release(graph);
	return plan;
}

/* Returns false if there is no driver. */
static bool open_world(struct world *world, const char *options)
{
	const plait_context_desc desc = { .size = sizeof(desc),
					  .backends = "opencl",
					  .options = options };
	const plait_buffer_desc bytes = { .size = sizeof(bytes),
					  .bytes = COUNT * 4 };
	plait_device_info info = { .size = sizeof(info) };

	*world = (struct world){ .context = NULL };
	if (plait_context_open(&desc, &world->context, &error) != PLAIT_OK)
		return false;
	IS_INT(plait_context_device(world->context, 0, &world->device,
				    &error), PLAIT_OK);
	IS_INT(plait_device_query(world->device, &info, &error), PLAIT_OK);
	NOTE("%s", info.description);
	IS_INT(plait_buffer_create(world->device, &bytes, &world->x, &error),
	       PLAIT_OK);
	IS_INT(plait_queue_create(world->device, NULL, &world->queue, &error),
	       PLAIT_OK);
	IS_INT(plait_queue_fill(world->queue, world->x, 0, COUNT * 4, 0, 4,
				&error), PLAIT_OK);
	IS_INT(plait_queue_finish(world->queue, PLAIT_FOREVER, &error),
	       PLAIT_OK);
	return true;
}

static bool are_all(struct world *world, uint32_t want)
{
	static uint32_t words[COUNT];

	IS_INT(plait_queue_read(world->queue, world->x, 0, words,
				sizeof(words), &error), PLAIT_OK);
	for (int i = 0; i < COUNT; i++)
		if (words[i] != want)
			return OK_THAT(false, "word %d is %u, not %u", i,
				       words[i], want);
	return true;
}

/* Returns how many compiled pieces appeared while the plan ran first. */
static int try(const char *options, const char *code, const char *word,
	       int *out_before)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");
	struct world world;
	plait_kernel *kernel;
	plait_plan *plan;
	int begun = count_compiled(), before;

	if (sanitizer != NULL && strcmp(sanitizer, "no") != 0)
		SKIP_ALL("what drivers keep for good looks like a leak");
	if (!open_world(&world, options))
		SKIP_ALL("no driver: %s", error.text);
	kernel = make_kernel(&world, code, word);
	plan = make_plan(&world, kernel);
	OK(are_all(&world, 0));
	before = count_compiled();
	IS_INT(plait_plan_call(plan, NULL, NULL, &error), PLAIT_OK);
	*out_before = before - begun;
	before = count_compiled() - before;
	OK(are_all(&world, KERNELS * (uint32_t)atoi(strchr(word, '=') + 1)));
	plait_plan_release(plan);
	plait_kernel_release(kernel);
	plait_queue_release(world.queue);
	plait_buffer_release(world.x);
	plait_context_release(world.context);
	return before;
}

/* `least`: the pieces that a cold run has to compile at least. */
static void check(const char *code, int least)
{
	int before, during, warm;

	during = try("opencl:warm=no", code, "WORD=3", &before);
	NOTE("cold: %d pieces before the run, %d in it", before, during);
	if (before + during == 0) {
		SKIP("this driver keeps nothing in POCL_CACHE_DIR");
		return;
	}
	OK(during >= least);
	IS_INT(try("opencl:warm=yes", code, "WORD=5", &warm), 0);
	IS_INT(warm, before + during);
	IS_INT(try("opencl:events=last", code, "WORD=7", &warm), 0);
}

static void compiled(void)
{
	setenv("POCL_CACHE_DIR", mkdtemp(folder), 1);
	setenv("PLAIT_CACHE_DIR", "/dev/null/cache", 1);
	check(in_items, KERNELS - 1);
	check(in_groups, 1);
	(void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static const struct tap_scenario all[] = {
	{ "compiled before it runs", compiled },
};

TAP_MAIN(all)
