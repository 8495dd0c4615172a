/* SPDX-License-Identifier: MIT */
/*
 * The watcher of the CUDA backend, on a stand-in that does not call back after
 * an error: each way to wait for a command that has failed ends, with the loss
 * of the device.  A watcher that cannot be started is an error of the open.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "segments.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || \
	__has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#else
#define SANITIZED 0
#endif

/* A plan of one launch, and a signal that the queue emits behind it. */
struct silent {
	plait_kernel *map;
	plait_buffer *x;
	plait_plan *plan;
	plait_run *run;
	plait_signal *signal;
};

static bool begin(struct silent *out, const char *standin)
{
	const plait_signal_desc desc = { .size = sizeof(desc) };
	plait_graph *graph;

	memset(out, 0, sizeof(*out));
	if (!open_cuda(standin, "1"))
		return false;
	out->map = map_kernel();
	out->x = words_on(rig.device);
	write_words(out->x, 0);
	graph = new_graph();
	(void)add_map(graph, out->map, out->x, out->x, 1, 1, NULL, 0);
	out->plan = freeze_on(graph, 1);
	rig_fault(1, CUDA_ERROR_ILLEGAL_ADDRESS);
	OK(plait_signal_create(rig.device, &desc, &out->signal, &rig.error) ==
	   PLAIT_OK);
	OK(plait_plan_run(out->plan, rig.queue, NULL, &out->run, &rig.error) ==
	   PLAIT_OK);
	(void)plait_queue_emit(rig.queue, out->signal, NULL, &rig.error);
	return true;
}

static void drop(struct silent *silent)
{
	plait_run_release(silent->run);
	plait_signal_release(silent->signal);
	plait_plan_release(silent->plan);
	plait_buffer_release(silent->x);
	plait_kernel_release(silent->map);
	plait_queue_release(rig.queue);
}

static void end(struct silent *silent)
{
	drop(silent);
	OK(plait_context_close(rig.context, TAP_PATIENCE_NS, &rig.error) ==
	   PLAIT_OK);
	(void)rig_speak();
	OK(all_gone());
}

/* ---- ways to wait ---- */

static plait_status wait_for_run(struct silent *silent)
{
	return plait_run_wait(silent->run, TAP_PATIENCE_NS, &rig.error);
}

static plait_status poll_run(struct silent *silent)
{
	uint64_t since = 0;
	plait_status status;

	do {
		status = plait_run_poll(silent->run, &rig.error);
	} while (status == PLAIT_PENDING && !tap_late(&since));
	return status;
}

static plait_status wait_for_event(struct silent *silent)
{
	plait_event event = { .size = sizeof(event) };
	plait_inbox *inbox = NULL;

	OK(plait_inbox_create(rig.context, &inbox, &rig.error) == PLAIT_OK);
	OK(plait_run_notify(silent->run, inbox, NULL, NULL, &rig.error) ==
	   PLAIT_OK);
	OK(plait_inbox_wait(inbox, TAP_PATIENCE_NS, &rig.error) == PLAIT_OK);
	OK(plait_inbox_next(inbox, &event, &rig.error) == PLAIT_OK);
	plait_inbox_release(inbox);
	return event.status;
}

static plait_status finish(struct silent *silent)
{
	(void)silent;
	return plait_queue_finish(rig.queue, TAP_PATIENCE_NS, &rig.error);
}

static plait_status wait_for_signal(struct silent *silent)
{
	return plait_signal_wait(silent->signal, 1, TAP_PATIENCE_NS,
				 &rig.error);
}

/* The close is the one that waits. */
static plait_status close_at_once(struct silent *silent)
{
	(void)silent;
	return PLAIT_E_LOST;
}

static void each_way(const char *standin)
{
	static plait_status (*const ways[])(struct silent *) = {
		wait_for_run, poll_run, wait_for_event,
		finish, wait_for_signal, close_at_once,
	};
	struct silent silent;

	for (size_t i = 0; i < TAP_COUNT(ways); i++) {
		if (!begin(&silent, standin))
			return;
		IS_INT(ways[i](&silent), PLAIT_E_LOST);
		end(&silent);
	}
}

static void silence(void)
{
	each_way("mute=1");
	each_way("mute=1,writes=0");
}

/* ---- a process without a thread more ---- */

#if SANITIZED
static void no_thread(void)
{
	(void)SKIP("the sanitizer has a pthread_create of its own");
}
#else
static bool refuses;

/* Refuse threads that run code of the backend. */
__attribute__((visibility("default")))
int pthread_create(pthread_t *out, const pthread_attr_t *attributes,
		   void *(*run)(void *), void *arg)
{
	int (*next)(pthread_t *, const pthread_attr_t *, void *(*)(void *),
		    void *);
	void *symbol = dlsym(RTLD_NEXT, "pthread_create"), *address;
	Dl_info info;

	memcpy(&address, &run, sizeof(address));
	if (__atomic_load_n(&refuses, __ATOMIC_RELAXED) &&
	    dladdr(address, &info) != 0 && info.dli_fname != NULL &&
	    strstr(info.dli_fname, "plait_cuda") != NULL)
		return EAGAIN;
	memcpy(&next, &symbol, sizeof(next));
	return next(out, attributes, run, arg);
}

static void no_thread(void)
{
	plait_error error = { .size = sizeof(error) };
	plait_context *context = NULL;
	plait_context_desc desc = { .size = sizeof(desc), .backends = "cuda",
				    .workers = 1, .allocator = &counting };
	char options[600];

	standin_prepare("");
	(void)snprintf(options, sizeof(options), "cuda:driver=%.500s",
		       standin_path);
	desc.options = options;
	__atomic_store_n(&refuses, true, __ATOMIC_RELAXED);
	IS_INT(plait_context_open(&desc, &context, &error),
	       PLAIT_E_UNAVAILABLE);
	HAS_STR(error.text, "cannot start the thread that watches the driver");
	__atomic_store_n(&refuses, false, __ATOMIC_RELAXED);
	OK(all_gone());
	standin_is_clean();
}
#endif

static const struct tap_scenario all[] = {
	{ "silence", silence },
	{ "no thread", no_thread },
};
TAP_MAIN(all)
