/* SPDX-License-Identifier: MIT */
/*
 * Two threads in one graph: the second one gets PLAIT_E_STATE and changes
 * nothing.  The first one is held inside the library by its allocator, so that
 * nothing depends on time.
 */
#include "plait/plait.h"

#include "lib/tap.h"

#include <pthread.h>
#include <stdlib.h>

enum { MANY = 20000 };

static plait_context *context;
static plait_graph *graph, *body;
static plait_node loop;
static plait_buffer *word;

/* The allocator lets the other thread try everything, once, when the first
 * thread allocates while `armed`. */
static _Thread_local bool armed;
static pthread_t other;
static plait_status answers[8];
static char text[PLAIT_ERROR_TEXT_BYTES];

static void *try_all(void *unused)
{
	plait_error error = { .size = sizeof(error) };
	plait_node_desc join = { .size = sizeof(join) };
	plait_plan *plan = NULL;
	plait_graph *found = NULL, *made = NULL;
	plait_node node = 0;
	uint64_t count;

	(void)unused;
	answers[0] = plait_graph_add(graph, &join, NULL, 0, &node, &error);
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = error.text[i];
	answers[1] = plait_graph_add(body, &join, NULL, 0, &node, &error);
	answers[2] = plait_graph_add_edge(graph, loop, loop, &error);
	answers[3] = plait_graph_size(graph, &count, NULL, &error);
	answers[4] = plait_graph_body(graph, loop, 0, &found, &error);
	answers[5] = plait_graph_freeze(graph, NULL, &plan, &error);
	answers[6] = plait_graph_while(graph, word, 0, 1, 0, &made, &node,
				       &error);
	answers[7] = PLAIT_OK;
	if (plait_graph_create(context, &made, &error) == PLAIT_OK)
		answers[7] = plait_graph_subgraph(made, graph, 0, &node,
						  &error);
	plait_graph_release(made);
	return NULL;
}

static void *resize(void *user_data, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	(void)user_data;
	(void)old_bytes;
	if (armed) {
		armed = false;
		if (pthread_create(&other, NULL, try_all, NULL) == 0)
			(void)pthread_join(other, NULL);
	}
	if (new_bytes == 0) {
		free(pointer);
		return NULL;
	}
	return realloc(pointer, new_bytes);
}

static void open_context(void)
{
	plait_error error = { .size = sizeof(error) };
	static const plait_allocator allocator = {
		.size = sizeof(allocator), .resize = resize
	};
	plait_context_desc desc = {
		.size = sizeof(desc), .backends = "host",
		.flags = PLAIT_CONTEXT_NO_WORKERS, .allocator = &allocator
	};
	plait_buffer_desc wanted = { .size = sizeof(wanted), .bytes = 64 };
	plait_device *device = NULL;

	IS_INT(plait_context_open(&desc, &context, &error), PLAIT_OK);
	IS_INT(plait_context_device(context, 0, &device, &error), PLAIT_OK);
	IS_INT(plait_buffer_create(device, &wanted, &word, &error), PLAIT_OK);
	IS_INT(plait_graph_create(context, &graph, &error), PLAIT_OK);
	IS_INT(plait_graph_while(graph, word, 0, 1, 0, &body, &loop, &error),
	       PLAIT_OK);
}

static void close_context(void)
{
	plait_graph_release(body);
	plait_graph_release(graph);
	plait_buffer_release(word);
	plait_context_release(context);
	IS_UINT(plait_live_count(PLAIT_OBJECT_ANY), 0);
}

static void second_thread_is_refused(void)
{
	plait_error error = { .size = sizeof(error) };
	plait_node_desc join = { .size = sizeof(join) };
	uint64_t count = 0;
	uint32_t added = 1;

	open_context();
	armed = true;
	for (; armed && added < MANY; added++)
		IS_INT(plait_graph_add(graph, &join, NULL, 0, NULL, &error),
		       PLAIT_OK);
	OK(!armed);
	for (uint32_t i = 0; i < TAP_COUNT(answers); i++)
		OK_THAT(answers[i] == PLAIT_E_STATE, "call %u: %d", i,
			(int)answers[i]);
	HAS_STR(text, "another thread is using this graph");
	/* Nothing was added, and the graph can be used again. */
	IS_INT(plait_graph_size(graph, &count, NULL, &error), PLAIT_OK);
	IS_UINT(count, added);
	close_context();
}

/* While a body is used, so is its graph. */
static void bodies_count(void)
{
	plait_error error = { .size = sizeof(error) };
	plait_node_desc join = { .size = sizeof(join) };

	open_context();
	armed = true;
	for (uint32_t i = 0; armed && i < MANY; i++)
		IS_INT(plait_graph_add(body, &join, NULL, 0, NULL, &error),
		       PLAIT_OK);
	for (uint32_t i = 0; i < TAP_COUNT(answers); i++)
		IS_INT(answers[i], PLAIT_E_STATE);
	close_context();
}

/* Add nodes; count them. */
static void *add_many(void *out)
{
	plait_node_desc join = { .size = sizeof(join) };
	uint64_t *added = out;

	for (uint32_t i = 0; i < MANY; i++) {
		plait_status status = plait_graph_add(graph, &join, NULL, 0,
						      NULL, NULL);

		*added += status == PLAIT_OK;
	}
	return NULL;
}

/* A thread at a time may use the graph, in turn. */
static void in_turn(void)
{
	plait_error error = { .size = sizeof(error) };
	uint64_t added = 0, count = 0;
	pthread_t thread;

	open_context();
	for (uint32_t i = 0; i < 3; i++) {
		IS_INT(pthread_create(&thread, NULL, add_many, &added), 0);
		IS_INT(pthread_join(thread, NULL), 0);
	}
	IS_UINT(added, 3 * MANY);
	IS_INT(plait_graph_size(graph, &count, NULL, &error), PLAIT_OK);
	IS_UINT(count, added + 1);
	close_context();
}

/* ---- at once ---- */

enum { THREADS = 3, CALLS = 20000 };

static pthread_barrier_t together;

struct user {
	uint64_t added, added_in_body;
	plait_graph *own;
	uint32_t number;
};

/* Each loop gives the graph another body, for which its table grows. */
static void use_once(struct user *user, uint32_t turn)
{
	plait_node_desc join = { .size = sizeof(join) };
	plait_node node = 0;
	plait_graph *made = NULL;

	switch ((turn + user->number) % 4) {
	case 0:
		user->added += plait_graph_add(graph, &join, NULL, 0, &node,
					       NULL) == PLAIT_OK;
		break;
	case 1:
		user->added_in_body += plait_graph_add(body, &join, NULL, 0,
						       &node, NULL) == PLAIT_OK;
		break;
	case 2:
		user->added += plait_graph_while(graph, word, 0, 1, 0, &made,
						 &node, NULL) == PLAIT_OK;
		plait_graph_release(made);
		break;
	default:
		if (turn % 64 == 0)
			(void)plait_graph_subgraph(user->own, body, 0, &node,
						   NULL);
	}
}

static void *use_often(void *arg)
{
	(void)pthread_barrier_wait(&together);
	for (uint32_t turn = 0; turn < CALLS; turn++)
		use_once(arg, turn);
	return NULL;
}

/* Each call is refused, or does all of its work alone. */
static void at_once(void)
{
	struct user users[THREADS] = { { .number = 0 } };
	uint64_t added = 0, added_in_body = 0, count = 0;
	pthread_t threads[THREADS];

	open_context();
	IS_INT(pthread_barrier_init(&together, NULL, THREADS), 0);
	for (uint32_t i = 0; i < THREADS; i++) {
		users[i].number = i;
		IS_INT(plait_graph_create(context, &users[i].own, NULL),
		       PLAIT_OK);
		IS_INT(pthread_create(&threads[i], NULL, use_often, &users[i]),
		       0);
	}
	for (uint32_t i = 0; i < THREADS; i++) {
		IS_INT(pthread_join(threads[i], NULL), 0);
		plait_graph_release(users[i].own);
		added += users[i].added;
		added_in_body += users[i].added_in_body;
	}
	(void)pthread_barrier_destroy(&together);
	IS_INT(plait_graph_size(graph, &count, NULL, NULL), PLAIT_OK);
	IS_UINT(count, added + 1);
	IS_INT(plait_graph_size(body, &count, NULL, NULL), PLAIT_OK);
	IS_UINT(count, added_in_body);
	close_context();
}

static const struct tap_scenario scenarios[] = {
	{ "a second thread is refused", second_thread_is_refused },
	{ "bodies count", bodies_count },
	{ "in turn", in_turn },
	{ "at once", at_once },
};
TAP_MAIN(scenarios)
