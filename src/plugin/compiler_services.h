/* SPDX-License-Identifier: MIT */
/*
 * The host services for kernel compilers: the build log, the cache on disk, and
 * C for the host. Named and typed as in plait_host_services, and called only
 * through its table.
 */
#ifndef PLAIT_SRC_PLUGIN_COMPILER_SERVICES_H
#define PLAIT_SRC_PLUGIN_COMPILER_SERVICES_H

#include "plait/plugin.h"

void plait__compiler_services_log(plait_host *host, plait_build_log *log,
				  const char *text, uint64_t bytes);

plait_status plait__compiler_services_get(plait_host *host, const char *name,
					  const void *key, uint64_t key_bytes,
					  void **out, uint64_t *out_bytes,
					  plait_error *error);
void plait__compiler_services_put(plait_host *host, const char *name,
				  const void *key, uint64_t key_bytes,
				  const void *code, uint64_t code_bytes);

plait_status plait__compiler_services_build(plait_host *host,
					    const plait_code *code,
					    plait_host_code **out,
					    uint64_t out_group[3],
					    plait_error *error);
void plait__compiler_services_destroy(plait_host *host, plait_host_code *code);
void plait__compiler_services_run(plait_host *host, const plait_host_code *code,
				  const plait_host_part *part,
				  void *const *arguments);

#endif
