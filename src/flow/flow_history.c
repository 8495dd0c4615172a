/* SPDX-License-Identifier: MIT */
/* Measured times of a flow's kernels; see flow_history.h. */
#include "flow/flow_history.h"

#include "flow/flow_devices.h"
#include "flow/history_file.h"
#include "flow/split_weights.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "kernel/launch.h"
#include "sys/clock.h"

enum {
	/* A launch that takes longer is always measured, */
	SHORT_NS = 2000,
	/* others once in as many. */
	SHORT_PERIOD = 64
};

/* Function of a kernel, with what its measurement needs; one per kernel of a
 * flow. */
struct plait__kernel_timing {
	plait__flow_history *history;
	plait_kernel_function function;
	void *user_data;
	plait__history_key key; /* of the host */
	at_u64 mean_ns;		/* about; 0: not measured */
	at_u32 runs;
};

/* ---- begin ---- */

static plait_status number_devices(plait__flow *flow)
{
	plait__flow_history *history = flow->history;
	const plait__flow_devices *devices = flow->devices;
	plait_status status = PLAIT_OK;

	if (flow->host != NULL)
		status = plait__history_device(
			&history->times,
			plait__device_facts(flow->host)->description,
			&history->host);
	for (uint32_t i = 0;
	     status == PLAIT_OK && devices != NULL && i < devices->count; i++)
		status = plait__history_device(
			&history->times,
			plait__device_facts(devices->items[i].device)
				->description,
			&history->device_of[i]);
	return status;
}

static plait_status read_file(plait__flow *flow, plait_error *error)
{
	char damage[PLAIT__HISTORY_FILE_DAMAGE_BYTES];
	plait_status status = plait__history_file_read(
		&flow->history->times, flow->history->path.bytes, damage,
		error);

	if (damage[0] != '\0')
		plait__log_line(&flow->object.context->settings.log,
				PLAIT_LOG_WARNING, "%s", damage);
	return status;
}

/* A plait__device_engine.measured. */
static void add_device_time(void *arg, const plait__device_lane *lane,
			    const plait__lane_launch *launch, uint64_t ns)
{
	plait__flow *flow = arg;
	plait__flow_history *history = flow->history;
	plait__history_key key;
	uint32_t i = 0;

	while (flow->devices->items[i].device != lane->device)
		i++;
	memcpy(key.code, launch->code, sizeof(key.code));
	key.device = history->device_of[i];
	plait__mutex_lock(&history->lock);
	history->is_changed |= plait__history_add(&history->times, &key,
						  launch->items, ns) ==
			       PLAIT_OK;
	plait__mutex_unlock(&history->lock);
}

plait_status plait__flow_history_make(plait__flow *flow,
				      const plait_flow_desc *desc,
				      plait_error *error)
{
	const plait_allocator *allocator = plait__flow_allocator(flow);
	plait__flow_history *history;
	plait_status status;

	if (desc->history == NULL)
		return PLAIT_OK;
	history = plait__alloc(allocator, sizeof(*history));
	flow->history = history;
	if (history == NULL)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the history of a flow");
	plait__history_init(&history->times, allocator);
	plait__text_init(&history->path, allocator);
	plait__vector_init(&history->splits, allocator,
			   sizeof(plait__last_split));
	plait__text_add_bytes(&history->path, desc->history,
			      strlen(desc->history) + 1);
	if (history->path.failed)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "no memory for the history of a flow");
	status = read_file(flow, error);
	if (status != PLAIT_OK) {
		plait__error_prefix(error, "plait_flow_desc: history: ");
		return status;
	}
	if (number_devices(flow) != PLAIT_OK)
		return plait__fail(error, PLAIT_E_NOMEM,
				   "plait_flow_desc: history: %.100s: no room "
				   "for the devices of the flow; remove the "
				   "file to begin a new one",
				   history->path.bytes);
	if (flow->devices != NULL) {
		flow->devices->engine.measured = add_device_time;
		flow->devices->engine.arg = flow;
	}
	return PLAIT_OK;
}

/* ---- end ---- */

/* Add what other processes have written since.  Times that this flow knows
 * stay. */
static void write_file(plait__flow *flow)
{
	plait__flow_history *history = flow->history;
	plait_error why = { .size = sizeof(why) };
	plait_status status = read_file(flow, &why);

	if (status == PLAIT_OK)
		status = plait__history_file_write(&history->times,
						   history->path.bytes, &why);
	if (status != PLAIT_OK)
		plait__log_line(&flow->object.context->settings.log,
				PLAIT_LOG_WARNING,
				"the history of a flow is not written: %s",
				why.text);
}

void plait__flow_history_end(plait__flow *flow)
{
	plait__flow_history *history = flow->history;

	if (history == NULL)
		return;
	if (history->is_changed)
		write_file(flow);
	plait__history_fini(&history->times);
	plait__text_fini(&history->path);
	plait__vector_fini(&history->splits);
	plait__free(plait__flow_allocator(flow), history, sizeof(*history));
	flow->history = NULL;
}

/* ---- the host ---- */

static bool is_sampled(struct plait__kernel_timing *timing)
{
	/* Relaxed: a hint. */
	uint64_t mean_ns = at_load_relaxed_u64(&timing->mean_ns);

	return mean_ns == 0 || mean_ns > SHORT_NS ||
	       at_add_u32(&timing->runs, 1) % SHORT_PERIOD == 0;
}

static void add_host_time(struct plait__kernel_timing *timing, uint64_t items,
			  uint64_t ns)
{
	plait__flow_history *history = timing->history;
	plait__history_key key = timing->key;
	const plait__history_entry *entry;

	key.size_class = plait__history_class(items);
	plait__mutex_lock(&history->lock);
	if (plait__history_add(&history->times, &key, items, ns) == PLAIT_OK) {
		history->is_changed = true;
		entry = plait__history_find(&history->times, &key);
		/* Relaxed: a hint. */
		at_store_relaxed_u64(&timing->mean_ns, entry->time.mean + 1);
	}
	plait__mutex_unlock(&history->lock);
}

/* The function of the kernel, as a plait_kernel_function. */
static int32_t run_timed(void *const *arguments, const plait_launch *launch,
			 void *user_data)
{
	struct plait__kernel_timing *timing = user_data;
	uint64_t start_ns;
	int32_t result;

	if (!is_sampled(timing))
		return timing->function(arguments, launch, timing->user_data);
	start_ns = plait__clock_now_ns();
	result = timing->function(arguments, launch, timing->user_data);
	if (result == 0)
		add_host_time(timing, plait__launch_items(launch),
			      plait__clock_now_ns() - start_ns);
	return result;
}

static struct plait__kernel_timing *make_timing(plait__flow *flow,
						const plait__kernel *kernel)
{
	struct plait__kernel_timing *made =
		plait__alloc(plait__flow_allocator(flow), sizeof(*made));

	if (made == NULL)
		return NULL;
	made->history = flow->history;
	made->function = kernel->function;
	made->user_data = kernel->user_data;
	made->key.device = flow->history->host;
	plait__hash_get(&kernel->hash, made->key.code);
	return made;
}

/* Without memory the launch is not measured. */
void plait__flow_history_time(plait__flow_task *task)
{
	plait__flow_kernel *entry = task->kernel;

	if (entry->kernel->function == NULL || task->flow->host == NULL)
		return;
	if (entry->timing == NULL)
		entry->timing = make_timing(task->flow, entry->kernel);
	if (entry->timing == NULL)
		return;
	task->filled.call.kernel = run_timed;
	task->filled.user_data = entry->timing;
}

void plait__flow_history_forget(const plait__flow *flow,
				plait__flow_kernel *kernel)
{
	plait__free(plait__flow_allocator(flow), kernel->timing,
		    sizeof(*kernel->timing));
}

/* ---- estimates ---- */

plait__estimate plait__flow_history_estimate(const plait__flow *flow,
					     const plait__kernel *kernel,
					     uint32_t device, uint64_t items,
					     uint64_t given_ns)
{
	plait__flow_history *history = flow->history;
	plait__history_key key = { .device = history->device_of[device] };
	plait__estimate estimate;

	plait__hash_get(&kernel->hash, key.code);
	plait__mutex_lock(&history->lock);
	estimate = plait__history_estimate(&history->times, &key, items,
					   given_ns);
	plait__mutex_unlock(&history->lock);
	return estimate;
}

/* ---- text ---- */

static void explain_entry(const plait__history *times,
			  const plait__history_entry *entry, plait__text *out)
{
	const plait__history_name *device =
		plait__vector_at(&times->devices, entry->key.device);

	plait__text_add(out, "\t");
	for (uint32_t i = 0; i < sizeof(entry->key.code) / 2; i++)
		plait__text_add(out, "%02x", entry->key.code[i]);
	plait__text_add(out, ", size class %u: %llu ns, mean of %u, spread "
			"%llu ns, on %s\n", entry->key.size_class,
			(unsigned long long)entry->time.mean,
			entry->time.count,
			(unsigned long long)entry->time.spread, device->text);
}

void plait__flow_history_explain(const plait__flow *flow, plait__text *out)
{
	plait__flow_history *history = flow->history;

	if (history == NULL)
		return;
	plait__mutex_lock(&history->lock);
	plait__text_add(out, "history %s: %u mean times\n", history->path.bytes,
			history->times.entries.count);
	for (uint32_t i = 0; i < history->times.entries.count; i++)
		explain_entry(&history->times,
			      plait__vector_at(&history->times.entries, i),
			      out);
	plait__mutex_unlock(&history->lock);
}
