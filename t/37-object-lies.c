/* SPDX-License-Identifier: MIT */
/* Backends whose slots fail without a word, or succeed without a result. */
#include "objects.h"

static bool open_bad(struct rig *rig, const char *backend)
{
	static char path[4096];
	const char *build = getenv("abs_top_builddir");
	plait_context_desc desc = { .size = sizeof(desc), .workers = 1,
				    .backends = backend,
				    .plugin_path = path };

	snprintf(path, sizeof(path), "%s/t/bad/.libs", build ? build : ".");
	(void)settings; /* which are those of backends that do not lie */
	memset(rig, 0, sizeof(*rig));
	return OK_THAT(plait_context_open(&desc, &rig->context,
					  &rig->error) == PLAIT_OK,
		       "open %s: %s", backend, rig->error.text) &&
	       OK(plait_context_device(rig->context, 0, &rig->device,
				       NULL) == PLAIT_OK);
}

static plait_status make_all(struct rig *rig, int which, void *out)
{
	static char memory[8];
	plait_buffer_desc buffer = { .size = sizeof(buffer), .bytes = 8 };
	plait_wrap_desc wrap = { .size = sizeof(wrap), .pointer = memory,
				 .bytes = 8 };

	switch (which) {
	case 0:
		return plait_queue_create(rig->device, NULL, out, &rig->error);
	case 1:
		return plait_signal_create(rig->device, NULL, out,
					   &rig->error);
	case 2:
		return plait_buffer_create(rig->device, &buffer, out,
					   &rig->error);
	default:
		return plait_buffer_wrap(rig->device, &wrap, out, &rig->error);
	}
}

static void refuse_all(const char *backend, const plait_status wants[4],
		       const char *const words[4])
{
	struct rig rig;
	int which;

	if (!open_bad(&rig, backend))
		return;
	for (which = 0; which < 4; which++) {
		void *made = &rig;

		memset(&rig.error, 0, sizeof(rig.error));
		IS_INT(make_all(&rig, which, &made), wants[which]);
		IS_INT(rig.error.status, wants[which]);
		IS_PTR(made, NULL);
		HAS_STR(rig.error.text, words[which]);
	}
	plait_context_release(rig.context);
	OK(all_gone());
}

static void without_a_word(void)
{
	static const plait_status wants[] = {
		PLAIT_E_UNSUPPORTED, PLAIT_E_UNSUPPORTED, PLAIT_E_UNSUPPORTED,
		PLAIT_E_UNSUPPORTED
	};
	static const char *const words[] = {
		"queue_create failed", "signal_create failed",
		"memory_create failed", "cannot wrap"
	};

	refuse_all("good", wants, words);
}

static void without_a_result(void)
{
	static const plait_status wants[] = {
		PLAIT_E_INTERNAL, PLAIT_E_INTERNAL, PLAIT_E_INTERNAL,
		PLAIT_E_INTERNAL
	};
	static const char *const words[] = {
		"queue_create succeeded without", "signal_create answered 77",
		"memory_create succeeded without",
		"memory_create succeeded without"
	};

	refuse_all("empty", wants, words);
}

static const struct tap_scenario all[] = {
	{ "without a word", without_a_word },
	{ "without a result", without_a_result },
};

TAP_MAIN(all)
