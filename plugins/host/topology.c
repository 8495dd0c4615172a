/* SPDX-License-Identifier: MIT */
/* Topology of the machine by hwloc: description, and placement of workers. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "host.h"

#ifdef HAVE_HWLOC

#include <hwloc.h>

/* With more, workers share CPUs. */
enum { MAX_CPUS = 4096 };

static void keep_types(hwloc_topology_t topology)
{
	static const hwloc_obj_type_t kept[] = { HWLOC_OBJ_PACKAGE,
						 HWLOC_OBJ_CORE,
						 HWLOC_OBJ_L2CACHE,
						 HWLOC_OBJ_L3CACHE };
	size_t i;

	hwloc_topology_set_all_types_filter(topology,
					    HWLOC_TYPE_FILTER_KEEP_NONE);
	for (i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		hwloc_topology_set_type_filter(topology, kept[i],
					       HWLOC_TYPE_FILTER_KEEP_ALL);
}

static int load(hwloc_topology_t *out)
{
	if (hwloc_topology_init(out) != 0)
		return -1;
	keep_types(*out);
	if (hwloc_topology_load(*out) == 0)
		return 0;
	hwloc_topology_destroy(*out);
	return -1;
}

static int count(hwloc_topology_t topology, hwloc_obj_type_t type)
{
	int found = hwloc_get_nbobjs_by_type(topology, type);

	return found > 0 ? found : 0;
}

static unsigned long long cache_kib(hwloc_topology_t topology,
				    hwloc_obj_type_t type)
{
	hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);

	return cache != NULL ? cache->attr->cache.size / 1024 : 0;
}

static void describe(plait_backend *self, hwloc_topology_t topology)
{
	hwloc_obj_t package =
		hwloc_get_obj_by_type(topology, HWLOC_OBJ_PACKAGE, 0);
	const char *model = package != NULL ?
		hwloc_obj_get_info_by_name(package, "CPUModel") : NULL;

	snprintf(self->description, sizeof(self->description),
		 "%.100s%s%d cores, %d CPUs, NUMA nodes %d, L2 %llu KiB, "
		 "L3 %llu KiB; %u workers", model != NULL ? model : "",
		 model != NULL ? ", " : "", count(topology, HWLOC_OBJ_CORE),
		 count(topology, HWLOC_OBJ_PU),
		 count(topology, HWLOC_OBJ_NUMANODE),
		 cache_kib(topology, HWLOC_OBJ_L2CACHE),
		 cache_kib(topology, HWLOC_OBJ_L3CACHE),
		 self->services->worker_count(self->host));
}

/*
 * List the CPUs that this process may use, in the order of placement: the first
 * of every core, then the second of every core, and so on.
 */
static uint32_t list_cpus(hwloc_topology_t topology, uint32_t *cpus)
{
	hwloc_bitmap_t allowed = hwloc_bitmap_alloc();
	int cores = count(topology, HWLOC_OBJ_CORE);
	uint32_t listed = 0;
	uint32_t before;
	int rank;
	int i;

	if (allowed == NULL)
		return 0;
	if (hwloc_get_cpubind(topology, allowed, HWLOC_CPUBIND_THREAD) != 0)
		hwloc_bitmap_fill(allowed);
	for (rank = 0, before = UINT32_MAX; listed != before; rank++) {
		before = listed;
		for (i = 0; i < cores && listed < MAX_CPUS; i++) {
			hwloc_obj_t core = hwloc_get_obj_by_type(
				topology, HWLOC_OBJ_CORE, (unsigned)i);
			int cpu = hwloc_bitmap_first(core->cpuset);
			int k = 0;

			while (cpu >= 0 && (k < rank ||
			       !hwloc_bitmap_isset(allowed, (unsigned)cpu))) {
				k += hwloc_bitmap_isset(allowed,
							(unsigned)cpu);
				cpu = hwloc_bitmap_next(core->cpuset, cpu);
			}
			if (cpu >= 0)
				cpus[listed++] = (uint32_t)cpu;
		}
	}
	hwloc_bitmap_free(allowed);
	return listed;
}

static plait_status pin_workers(plait_backend *self, hwloc_topology_t topology,
				plait_error *error)
{
	const uint64_t bytes = MAX_CPUS * sizeof(uint32_t);
	uint32_t *cpus = self->services->resize(self->host, NULL, 0, bytes);
	plait_status status;
	uint32_t listed;

	if (cpus == NULL)
		return self->services->fail(error, PLAIT_E_NOMEM, 0,
					    "host: no memory to list CPUs");
	listed = list_cpus(topology, cpus);
	if (listed == 0)
		status = self->services->fail(error, PLAIT_E_UNAVAILABLE, 0,
					      "host: pin=1, but hwloc lists "
					      "no core for this process");
	else
		status = self->services->worker_place(self->host, cpus, listed,
						      error);
	self->services->resize(self->host, cpus, bytes, 0);
	return status;
}

static const char *unusable(void)
{
	/* hwloc reads environment variables, which a privileged process must
	 * not obey. */
	return getauxval(AT_SECURE) != 0 ? "the process is privileged" : NULL;
}

#else

typedef int hwloc_topology_t;

static int load(hwloc_topology_t *out)
{
	*out = 0;
	return -1;
}

static void hwloc_topology_destroy(hwloc_topology_t topology)
{
	(void)topology;
}

static void describe(plait_backend *self, hwloc_topology_t topology)
{
	(void)self;
	(void)topology;
}

static plait_status pin_workers(plait_backend *self, hwloc_topology_t topology,
				plait_error *error)
{
	(void)self;
	(void)topology;
	(void)error;
	return PLAIT_OK;
}

static const char *unusable(void)
{
	return "plait was built without hwloc";
}

#endif

plait_status plaitp_host_topology_use(plait_backend *self,
				      const struct host_options *options,
				      plait_error *error)
{
	const char *why = unusable();
	const bool pin = options->pin != 0;
	plait_status status = PLAIT_OK;
	hwloc_topology_t topology;

	snprintf(self->description, sizeof(self->description),
		 "this machine; %u workers",
		 self->services->worker_count(self->host));
	/* Loading the topology takes longer than the rest of opening a
	 * context. */
	if (!pin && options->describe == 0)
		return PLAIT_OK;
	if (why == NULL && load(&topology) != 0)
		why = "hwloc cannot read the topology";
	if (why != NULL && pin)
		return plaitp_host_fail(self->services, error,
					PLAIT_E_UNAVAILABLE,
					"host: pin=1 places workers by hwloc, "
					"but %s", why);
	if (why != NULL)
		return PLAIT_OK;
	describe(self, topology);
	if (pin)
		status = pin_workers(self, topology, error);
	hwloc_topology_destroy(topology);
	return status;
}
