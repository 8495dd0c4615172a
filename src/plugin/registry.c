/* SPDX-License-Identifier: MIT */
/* Registries, from their settings to their report; see registry.h. */
#include "plugin/registry.h"

#include "plugin/candidate.h"
#include "plugin/choose.h"
#include "plugin/instance.h"
#include "plugin/report.h"

#include "base/alloc.h"
#include "base/error.h"
#include "sys/error_detail.h"
#include "sys/env.h"

#include <string.h>

/* --- settings */

/* Copy the caller's text or, without one, the environment's. */
static plait_status copy_setting(plait__registry *registry,
				 plait__setting *setting, const char *given,
				 const char *given_name, const char *variable,
				 plait_error *error)
{
	const char *text = given;

	setting->name = given_name;
	if (text == NULL || *text == '\0') {
		text = plait__env_get(variable);
		setting->name = variable;
	}
	if (text == NULL || *text == '\0')
		return PLAIT_OK;
	setting->bytes = strlen(text) + 1;
	setting->text = plait__alloc(registry->allocator, setting->bytes);
	if (setting->text == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "%s: no memory for its %llu bytes",
				   setting->name,
				   (unsigned long long)setting->bytes);
	memcpy(setting->text, text, setting->bytes);
	return PLAIT_OK;
}

static plait_status copy_settings(plait__registry *registry,
				  const plait__registry_config *config,
				  plait_error *error)
{
	plait_status status;

	status = copy_setting(registry, &registry->backends_setting,
			      config->backends, "backends", "PLAIT_BACKEND",
			      error);
	if (status == PLAIT_OK)
		status = copy_setting(registry, &registry->path_setting,
				      config->plugin_path, "plugin_path",
				      "PLAIT_PLUGIN_PATH", error);
	if (status == PLAIT_OK)
		status = copy_setting(registry, &registry->wrap_setting,
				      config->wrap, "wrap", "PLAIT_WRAP",
				      error);
	if (status == PLAIT_OK)
		status = copy_setting(registry, &registry->options_setting,
				      config->options, "options",
				      "PLAIT_OPTIONS", error);
	if (status == PLAIT_OK)
		status = copy_setting(registry, &registry->transport_setting,
				      NULL, "transports", "PLAIT_TRANSPORT",
				      error);
	return status;
}

static plait_status parse_settings(plait__registry *registry,
				   plait_error *error)
{
	plait_status status;

	status = plait__list_parse(&registry->wanted,
				   registry->backends_setting.text,
				   registry->backends_setting.name, true,
				   error);
	if (status == PLAIT_OK)
		status = plait__list_parse(&registry->wraps,
					   registry->wrap_setting.text,
					   registry->wrap_setting.name, false,
					   error);
	if (status == PLAIT_OK)
		status = plait__list_parse(&registry->transports,
					   registry->transport_setting.text,
					   registry->transport_setting.name,
					   false, error);
	if (status == PLAIT_OK)
		status = plait__options_init(&registry->options,
					     registry->allocator,
					     registry->options_setting.text,
					     registry->options_setting.name,
					     error);
	if (status == PLAIT_OK)
		status = plait__search_init(&registry->search,
					    registry->allocator,
					    registry->path_setting.text,
					    registry->path_setting.name,
					    error);
	return status;
}

/* --- creation and destruction */

static void free_setting(plait__registry *registry, plait__setting *setting)
{
	plait__free(registry->allocator, setting->text, setting->bytes);
}

static void close_backends(plait__registry *registry)
{
	while (registry->backend_count > 0)
		plait__instance_close(
			registry,
			&registry->backends[--registry->backend_count]);
}

void plait__registry_close(plait__registry *registry)
{
	uint32_t i;

	if (registry == NULL)
		return;
	close_backends(registry);
	for (i = 0; i < registry->candidate_count; i++)
		plait__text_fini(&registry->candidates[i].tried);
	plait__free(registry->allocator, registry->candidates,
		    (uint64_t)registry->candidate_capacity *
			    sizeof(*registry->candidates));
	plait__free(registry->allocator, registry->backends,
		    (uint64_t)registry->backend_capacity *
			    sizeof(*registry->backends));
	plait__text_fini(&registry->places);
	plait__text_fini(&registry->report);
	plait__search_fini(&registry->search);
	plait__options_fini(&registry->options);
	free_setting(registry, &registry->backends_setting);
	free_setting(registry, &registry->path_setting);
	free_setting(registry, &registry->wrap_setting);
	free_setting(registry, &registry->options_setting);
	free_setting(registry, &registry->transport_setting);
	plait__free(registry->allocator, registry, sizeof(*registry));
}

static plait_status fail_memory(plait_error *error)
{
	return plait__fail(error, PLAIT_E_NOMEM,
			   "no memory to find and open the backends");
}

/* Build a registry whether or not its result is usable; `probes`: open
 * transports too, for the report. */
static plait_status build(const plait__registry_config *config, bool probes,
			  plait__registry **out, plait_error *error)
{
	plait__registry *registry;
	plait_status status;

	*out = NULL;
	registry = plait__alloc(config->allocator, sizeof(*registry));
	if (registry == NULL)
		return fail_memory(error);
	registry->allocator = config->allocator;
	registry->log = config->log;
	registry->pool = config->pool;
	registry->probes = probes;
	plait__mutex_init(&registry->transports_lock);
	registry->search.allocator = config->allocator;
	registry->options.allocator = config->allocator;
	plait__text_init(&registry->places, config->allocator);
	plait__text_init(&registry->report, config->allocator);
	status = copy_settings(registry, config, error);
	if (status == PLAIT_OK)
		status = parse_settings(registry, error);
	if (status != PLAIT_OK)
		goto close_registry;
	status = plait__choose(registry);
	if (status == PLAIT_OK)
		plait__report_write(registry, &registry->report);
	if (status != PLAIT_OK || registry->report.failed) {
		status = fail_memory(error);
		goto close_registry;
	}
	*out = registry;
	return PLAIT_OK;

close_registry:
	plait__registry_close(registry);
	return status;
}

/*
 * Fail with the first reason as text and the whole report as detail. An option
 * that a backend rejects is PLAIT_E_INVALID; other reasons are
 * PLAIT_E_UNAVAILABLE.
 */
static plait_status fail_unusable(const plait__registry *registry,
				  plait_error *error)
{
	const plait_error *failure = &registry->failure;
	plait_status status;

	status = failure->status == PLAIT_E_INVALID ? PLAIT_E_INVALID :
						      PLAIT_E_UNAVAILABLE;
	plait__fail_origin(error, status, failure->origin, "%s",
			   failure->text);
	plait__detail_attach(error, plait__registry_report(registry));
	return status;
}

plait_status plait__registry_open(const plait__registry_config *config,
				  plait__registry **out, plait_error *error)
{
	plait__registry *registry;
	plait_status status;

	*out = NULL;
	status = build(config, false, &registry, error);
	if (status != PLAIT_OK)
		return status;
	if (registry->failure.status != PLAIT_OK) {
		status = fail_unusable(registry, error);
		plait__registry_close(registry);
		return status;
	}
	*out = registry;
	return PLAIT_OK;
}

plait_status plait__registry_survey(const plait__registry_config *config,
				    plait__text *out, plait_error *error)
{
	plait__registry *registry;
	plait_status status = build(config, true, &registry, error);

	if (status != PLAIT_OK)
		return status;
	plait__text_add(out, "%s", plait__registry_report(registry));
	plait__registry_close(registry);
	return out->failed ? fail_memory(error) : PLAIT_OK;
}

uint32_t plait__registry_count(const plait__registry *registry)
{
	return registry->backend_count;
}

bool plait__registry_wraps_in(const plait__registry *registry,
			      const char *name)
{
	return plait__list_has(&registry->wraps, name);
}

plait__backend *plait__registry_backend(plait__registry *registry,
					uint32_t index)
{
	return &registry->backends[index];
}

const char *plait__registry_report(const plait__registry *registry)
{
	return plait__text_get(&registry->report);
}
