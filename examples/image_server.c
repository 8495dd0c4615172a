/* SPDX-License-Identifier: MIT */
/*
 * A server of images: handlers await requests, and for each the device, which
 * shades the image.  A client sends all requests, and awaits the answers.  While
 * one handler waits for the device, the others and the client go on, also with a
 * single thread.
 */
#include "coroutine.h"

#include <stdio.h>

enum { REQUESTS = 12, HANDLERS = 3, WIDTH = 16, PIXELS = WIDTH * WIDTH };

struct request {
	uint32_t gain;
	uint32_t pixels[PIXELS];
};

/* Takes each third request; the gates count what it was asked and has
 * answered. */
struct handler {
	plait_signal *asked, *answered;
	plait_queue *queue;
	uint32_t number;
};

static struct request requests[REQUESTS];
static struct handler handlers[HANDLERS];
static uint64_t sum;
static plait_plan *plan;
static uint32_t pixels_in, pixels_out, gain;	/* parameters of the plan */

static plait_status shade(struct request *request, plait_queue *queue)
{
	const uint64_t bytes = sizeof(request->pixels);

	return plait_await_plan(
		plan, queue,
		PLAIT_BINDINGS(PLAIT_BIND_HOST(pixels_in, request->pixels,
					       bytes),
			       PLAIT_BIND_HOST(pixels_out, request->pixels,
					       bytes),
			       PLAIT_BIND_VALUE(gain, request->gain)),
		PLAIT_FOREVER, NULL);
}

static int32_t handle(void *user_data)
{
	struct handler *self = user_data;

	for (uint64_t i = 0; i < REQUESTS / HANDLERS; i++)
		if (plait_await_signal(self->asked, i + 1, PLAIT_FOREVER,
				       NULL) ||
		    shade(&requests[i * HANDLERS + self->number],
			  self->queue) ||
		    plait_signal_raise(self->answered, i + 1, NULL))
			return 1;
	return 0;
}

static void draw(struct request *request, uint32_t number)
{
	request->gain = number + 1;
	for (uint32_t i = 0; i < PIXELS; i++)
		request->pixels[i] = (i % WIDTH) * (i / WIDTH) % 128;
}

static int32_t ask(void *user_data)
{
	(void)user_data;
	for (uint32_t i = 0; i < REQUESTS; i++) {
		draw(&requests[i], i);
		if (plait_signal_raise(handlers[i % HANDLERS].asked,
				       i / HANDLERS + 1, NULL))
			return 1;
	}
	for (uint32_t i = 0; i < REQUESTS; i++) {
		if (plait_await_signal(handlers[i % HANDLERS].answered,
				       i / HANDLERS + 1, PLAIT_FOREVER, NULL))
			return 2;
		for (uint32_t j = 0; j < PIXELS; j++)
			sum += requests[i].pixels[j] * (i + 1);
	}
	return 0;
}

static void make_plan(void)
{
	const uint64_t bytes = PIXELS * sizeof(uint32_t);
	uint32_t count = PIXELS;
	plait_buffer *buffer = new_temporary(bytes);
	const plait_node_desc write = {
		.size = sizeof(write), .kind = PLAIT_NODE_WRITE,
		.target = buffer, .host_parameter = "in", .bytes = bytes,
	};
	const plait_node_desc read = {
		.size = sizeof(read), .kind = PLAIT_NODE_READ,
		.source = buffer, .host_parameter = "out", .bytes = bytes,
	};
	plait_graph *graph = new_graph();
	plait_node last;

	must(plait_graph_add(graph, &write, NULL, 0, &last, &error));
	must(plait_graph_launch(graph, read_kernel("coroutines", "shade"),
				PLAIT_ITEMS(PIXELS),
				PLAIT_ARGUMENTS(PLAIT_BUFFER(buffer),
						PLAIT_PARAMETER("gain"),
						PLAIT_VALUE(count)),
				last, &last, &error));
	must(plait_graph_add(graph, &read, &last, 1, NULL, &error));
	plan = freeze_for(graph, HANDLERS);
	must(plait_plan_find_parameter(plan, "in", &pixels_in, &error));
	must(plait_plan_find_parameter(plan, "out", &pixels_out, &error));
	must(plait_plan_find_parameter(plan, "gain", &gain, &error));
}

int main(void)
{
	plait_graph *graph;

	open_system();
	make_plan();
	graph = new_graph();
	for (uint32_t i = 0; i < HANDLERS; i++) {
		handlers[i] = (struct handler){ new_gate(), new_gate(),
						new_queue(), i };
		add_coroutine(graph, handle, &handlers[i]);
	}
	add_coroutine(graph, ask, NULL);
	run_coroutines(graph);
	printf("%d images by %d handlers, sum %llu\n", REQUESTS, HANDLERS,
	       (unsigned long long)sum);
	close_coroutines();
	close_system();
	return 0;
}
