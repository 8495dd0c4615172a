/* SPDX-License-Identifier: MIT */
/*
 * Scratch and temporaries have the alignment of their device, and a plan whose
 * scratch has less is refused.
 */
#include "turns.h"
#include "temporary.h"

#include <unistd.h>

static uintptr_t low_bits;

static int32_t note_address(void *const *arguments, const plait_launch *launch,
			    void *user_data)
{
	(void)launch;
	(void)user_data;
	low_bits |= (uintptr_t)*(void **)arguments[0];
	low_bits |= (uintptr_t)*(void **)arguments[1];
	return 0;
}

/* A device with an alignment of its own, or that of the others. */
static bool open_aligned(uint32_t alignment)
{
	static char options[64];

	(void)snprintf(options, sizeof(options), "chaos:seed=3,alignment=%u",
		       alignment);
	rig = settings[2];
	rig.options = options;
	return open_rig(&rig);
}

static plait_node_desc with_scratch(plait_kernel *kernel,
				    const plait_argument *arguments)
{
	return (plait_node_desc){
		.kind = PLAIT_NODE_LAUNCH, .kernel = kernel,
		.arguments = arguments, .argument_count = 2,
		.scratch_bytes = 8,
	};
}

/* Two nodes at a time, each with scratch and a temporary. */
static plait_plan *freeze_aligned(plait_kernel *kernel)
{
	plait_buffer *one = temporary(8, "one"), *other = temporary(8, "other");
	plait_argument arguments[2] = {
		{ .size = sizeof(plait_argument), .buffer = one,
		  .kind = PLAIT_ARGUMENT_BUFFER },
		{ .size = sizeof(plait_argument),
		  .kind = PLAIT_ARGUMENT_SCRATCH },
	};
	plait_graph *graph = new_graph();
	plait_plan *plan;

	(void)add_node(graph, with_scratch(kernel, arguments), NULL, 0);
	arguments[0].buffer = other;
	(void)add_node(graph, with_scratch(kernel, arguments), NULL, 0);
	plan = freeze(graph, 2, 2);
	plait_graph_release(graph);
	plait_buffer_release(other);
	plait_buffer_release(one);
	return plan;
}

static void aligned_by_the_device(void)
{
	static const uint32_t alignments[] = { 512, 4096, 64 };
	char path[] = "/tmp/plait-aligned-XXXXXX";
	int file = mkstemp(path);
	plait_plan *plan = NULL;
	plait_kernel *kernel;

	OK(file >= 0);
	for (uint32_t i = 0; i < 3 && open_aligned(alignments[i]); i++) {
		uint32_t least = alignments[i] < 256 ? 256 : alignments[i];

		kernel = make_kernel(note_address,
				     "note(c: pointer u64, s: pointer u64)");
		plan = freeze_aligned(kernel);
		low_bits = 0;
		OK_THAT(run_with(plan, 0) == PLAIT_OK, "%s", rig.error.text);
		OK(low_bits != 0);
		IS_UINT(low_bits % least, 0);
		OK(plait_plan_check(plan, &rig.error) == PLAIT_OK);
		IS_INT(plait_plan_save(plan, path, &rig.error), PLAIT_OK);
		plait_plan_release(plan);
		plait_kernel_release(kernel);
		close_rig(&rig);
	}
	/* The last plan is not good enough for the first device. */
	if (open_aligned(512)) {
		kernel = make_kernel(note_address,
				     "note(c: pointer u64, s: pointer u64)");
		OK_THAT(plait_plan_load(rig.context, path, &plan,
					&rig.error) == PLAIT_OK, "%s",
			rig.error.text);
		IS_INT(plait_plan_bind_kernel(plan, kernel, &rig.error), PLAIT_OK);
		IS_INT(run_with(plan, 0), PLAIT_E_UNSUPPORTED);
		HAS_STR(rig.error.text, "needs multiples of 512 here");
		plait_plan_release(plan);
		plait_kernel_release(kernel);
		close_rig(&rig);
	}
	(void)unlink(path);
	(void)close(file);
}

static const struct tap_scenario all[] = {
	{ "aligned by the device", aligned_by_the_device },
};

TAP_MAIN(all)
