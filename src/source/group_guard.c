/* SPDX-License-Identifier: MIT */
/* Guards in the bodies of group kernels; see group_guard.h. */
#include "source/group_guard.h"

#include "source/code_reader.h"

bool plait__guard_fits(const plait_source *source, const char *name)
{
	struct plait__code_reader in = plait__code_read(source);
	bool found = false;

	while (plait__code_find_group_kernel(&in, name)) {
		if (!plait__code_enter_body(&in))
			return false;
		found = true;
	}
	return found;
}

void plait__guard_add(plait__text *out, const plait_source *source,
		      const char *name)
{
	struct plait__code_reader in = plait__code_read(source);
	const char *from = in.at;

	while (plait__code_find_group_kernel(&in, name) && plait__code_enter_body(&in)) {
		plait__text_add_bytes(out, from, (uint64_t)(in.at - from));
		plait__text_add(out, " PLAIT_GUARD ");
		from = in.at;
	}
	plait__text_add_bytes(out, from, (uint64_t)(in.end - from));
}
