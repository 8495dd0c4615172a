/* SPDX-License-Identifier: MIT */
/*
 * Plans of parts of random graphs, compared with the plan of the whole: the
 * selected nodes, every edge between them, and the lanes and order of the
 * whole.  Happens-before is found by brute force, with no code of the planner's
 * and none of the check's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plan/check/check.h"
#include "lib/shapes.h"
#include "lib/tap.h"

enum { MOST_COMMANDS = 1024, WORDS = MOST_COMMANDS / 64, LIST = 3 };

struct setting {
	const char *name;
	struct shape_draw draw;
	uint32_t policy;
	uint32_t mode;
	uint32_t lanes;
};

#define DRAW(devices, multi, meaning, regions, objects) \
	{ 40, 80, devices, multi, meaning, regions, 2, 200, objects, 5 }

static const struct setting settings[] = {
	{ "widest", DRAW(1, 0, 0, 0, 0), 1, 0, 0 },
	{ "bounded 1", DRAW(1, 0, 0, 0, 0), 0, 0, 1 },
	{ "bounded 4 helped", DRAW(2, 0, 0, 0, 0), 0, 1, 4 },
	{ "first widest", DRAW(3, 250, 0, 0, 0), 1, 0, 0 },
	{ "first bounded 2", DRAW(3, 250, 0, 0, 0), 0, 0, 2 },
	{ "barrier widest", DRAW(3, 250, 1, 0, 0), 1, 0, 0 },
	{ "barrier bounded 2", DRAW(3, 250, 1, 0, 0), 0, 0, 2 },
	{ "barrier helped", DRAW(3, 250, 1, 0, 0), 1, 1, 0 },
	{ "group widest", DRAW(3, 250, 2, 0, 0), 1, 0, 0 },
	{ "group bounded 2", DRAW(3, 250, 2, 0, 0), 0, 0, 2 },
	{ "group helped", DRAW(3, 250, 2, 0, 0), 0, 1, 3 },
	{ "everything widest", DRAW(4, 250, 3, 100, 0), 1, 0, 0 },
	{ "everything bounded", DRAW(4, 250, 3, 100, 9), 0, 0, 3 },
	{ "everything helped", DRAW(4, 250, 3, 100, 9), 1, 1, 0 },
};

/* The plan and its order; one at a time. */
static struct shape shape;
static struct shape_random random_state;
static uint8_t wanted[1 << 16];		/* by node: takes part */
static uint64_t after[MOST_COMMANDS][WORDS]; /* [a]: what comes after a */
static char fault[200];

static bool fail(const char *what, uint32_t one, uint32_t other)
{
	(void)snprintf(fault, sizeof(fault), "%s (%u, %u)", what, one, other);
	return false;
}

/* ---- the selected nodes ---- */

static void mark(const uint32_t *from, uint32_t count, bool forward,
		 uint8_t *reached)
{
	bool again = true;

	for (uint32_t i = 0; i < count; i++)
		reached[from[i]] = 1;
	while (again) {
		again = false;
		for (uint32_t i = 0; i < shape.input.edge_count; i++) {
			uint32_t a = shape.edges[i].before;
			uint32_t b = shape.edges[i].after;

			if (!forward) {
				a = shape.edges[i].after;
				b = shape.edges[i].before;
			}
			if (reached[a] && !reached[b]) {
				reached[b] = 1;
				again = true;
			}
		}
	}
}

/* Bodies are selected with the node of their region, which is before them. */
static void find_wanted(const plait__input_options *options)
{
	static uint8_t down[1 << 16], up[1 << 16];
	uint32_t n = shape.input.node_count;

	memset(down, options->sources == NULL, n);
	memset(up, options->sinks == NULL, n);
	if (options->sources != NULL)
		mark(options->sources, options->source_count, true, down);
	if (options->sinks != NULL)
		mark(options->sinks, options->sink_count, false, up);
	for (uint32_t i = 0; i < n; i++)
		wanted[i] = down[i] && up[i];
	for (uint32_t s = 1; s < shape.input.scope_count; s++) {
		const plait__input_scope *scope = &shape.scopes[s];
		uint8_t part = wanted[shape.regions[scope->region].node];

		for (uint32_t i = 0; i < scope->node_count; i++)
			wanted[scope->node_first + i] = part;
	}
}

static bool check_nodes(const plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->node_count; i++)
		if ((plan->nodes[i].command != PLAIT__NONE) != wanted[i])
			return fail("a node more or less", i, wanted[i]);
	return true;
}

/* ---- happens-before ---- */

static void add_after(uint32_t a, uint32_t b)
{
	after[a][b / 64] |= UINT64_C(1) << b % 64;
}

static bool is_after(uint32_t a, uint32_t b)
{
	return after[a][b / 64] >> b % 64 & 1;
}

static uint32_t find_point(const plait__plan *plan,
			   const plait__plan_body *body, uint32_t lane,
			   uint32_t position)
{
	for (uint32_t c = 0; c < body->command_count; c++) {
		const plait__plan_command *command =
			&plan->commands[body->command_first + c];

		if (command->lane == lane && command->position == position)
			return c;
	}
	return 0;
}

/* Members of a group are started together, after all that any of them waits
 * for: their order is that of the group. */
static void add_orderings(const plait__plan *plan,
			  const plait__plan_body *body, uint32_t c)
{
	const plait__plan_command *command =
		&plan->commands[body->command_first + c];

	if (plan->mode == PLAIT__MODE_HELPED) {
		for (uint32_t i = command[0].pred_first;
		     i < command[1].pred_first; i++)
			add_after(plan->preds[i] - body->command_first, c);
		return;
	}
	if (command->position > 0)
		add_after(c - 1, c);
	for (uint32_t i = command[0].wait_first; i < command[1].wait_first;
	     i++)
		add_after(find_point(plan, body, plan->waits[i].lane,
				     plan->waits[i].position), c);
}

static bool close_body(const plait__plan *plan, const plait__plan_body *body)
{
	uint32_t n = body->command_count;

	if (n > MOST_COMMANDS)
		return fail("too many commands", n, 0);
	memset(after, 0, n * sizeof(after[0]));
	for (uint32_t c = 0; c < n; c++)
		add_orderings(plan, body, c);
	for (uint32_t k = 0; k < n; k++)
		for (uint32_t a = 0; a < n; a++)
			for (uint32_t w = 0; is_after(a, k) && w < WORDS; w++)
				after[a][w] |= after[k][w];
	for (uint32_t c = 0; c < n; c++)
		if (is_after(c, c))
			return fail("a cycle", c, c);
	return true;
}

static bool does_work(const plait__plan_command *command)
{
	return command->kind != PLAIT__CMD_ENTER &&
	       command->kind != PLAIT__CMD_BARRIER_STUB;
}

/* Each command of one node before each of the other. */
static bool check_edge(const plait__plan *plan, const plait__plan_body *body,
		       uint32_t before, uint32_t then)
{
	const plait__plan_command *commands =
		&plan->commands[body->command_first];

	for (uint32_t a = 0; a < body->command_count; a++) {
		if (commands[a].node != before || !does_work(&commands[a]))
			continue;
		for (uint32_t b = 0; b < body->command_count; b++)
			if (commands[b].node == then &&
			    does_work(&commands[b]) && !is_after(a, b))
				return fail("an edge is not kept", before,
					    then);
	}
	return true;
}

static bool check_edges(const plait__plan *plan)
{
	for (uint32_t i = 0; i < plan->bodies_count; i++) {
		const plait__plan_body *body = &plan->bodies[i];

		if (!close_body(plan, body))
			return false;
		for (uint32_t e = 0; e < shape.input.edge_count; e++) {
			uint32_t a = shape.edges[e].before;
			uint32_t b = shape.edges[e].after;

			if (wanted[a] && wanted[b] &&
			    plan->nodes[a].body == i &&
			    !check_edge(plan, body, a, b))
				return false;
		}
	}
	return true;
}

/* ---- the lanes of the whole ---- */

/* The part's commands are, in their order and on their lanes, some of the
 * whole's. */
static bool check_order(const plait__plan *part, const plait__plan *whole)
{
	const plait__plan_body *of_whole = &whole->bodies[0];
	uint32_t w = 0;

	if (part->lanes_count < whole->lanes_count)
		return fail("fewer lanes than the whole has",
			    part->lanes_count, whole->lanes_count);
	for (uint32_t i = 0; i < part->bodies[0].command_count; i++) {
		const plait__plan_command *command =
			&part->commands[part->order[i]];

		for (; w < of_whole->command_count; w++) {
			const plait__plan_command *there =
				&whole->commands[whole->order[w]];

			/* The lanes that a body needs may differ in the
			 * part. */
			if (there->node == command->node &&
			    (there->lane == command->lane ||
			     command->kind == PLAIT__CMD_ENTER))
				break;
		}
		if (w++ == of_whole->command_count)
			return fail("not as in the whole", command->node,
				    command->lane);
	}
	return true;
}

/* ---- one graph ---- */

/* A part of nothing is refused. */
static bool is_empty(void)
{
	return memchr(wanted, 1, shape.input.node_count) == NULL;
}

static plait__plan *make(const plait__input_options *options)
{
	plait_error error = { .size = sizeof(error) };
	plait__plan *plan = NULL;

	fault[0] = '\0';
	find_wanted(options);
	if (plait__planner_run(&shape.input, options, NULL, NULL, &plan,
			       &error) != PLAIT_OK)
		(void)snprintf(fault, sizeof(fault), "%.180s",
			       is_empty() && strstr(error.text, "no path") ?
			       "" : error.text);
	else if (is_empty())
		(void)fail("a part of nothing", 0, 0);
	else if (plait__check_plan(plan, &shape.input, 0, NULL, NULL, &error) !=
	    PLAIT_OK)
		(void)snprintf(fault, sizeof(fault), "%.180s", error.text);
	else if (check_nodes(plan))
		(void)check_edges(plan);
	return plan;
}

/* Some nodes of the graph itself, early or late ones, or none at all: a null
 * list. */
static uint32_t draw_list(uint32_t list[LIST], bool late)
{
	uint32_t count = shape_below(&random_state, LIST + 1);
	uint32_t n = shape.input.scope_count > 0 ?
		     shape.scopes[0].node_count : shape.input.node_count;

	for (uint32_t i = 0; i < count; i++)
		list[i] = shape_below(&random_state, (n + 1) / 2) +
			  (late ? n / 2 : 0);
	return count;
}

/* The first graph of a setting that is wrong is described. */
static void judge(const struct setting *setting, uint64_t seed,
		  const char *what, uint32_t *failed)
{
	if (fault[0] != '\0' && (*failed)++ == 0)
		NOTE("%s, %s, seed=%llu: %s", setting->name, what,
		     (unsigned long long)seed, fault);
}

static void run_one(const struct setting *setting, uint64_t seed,
		    uint32_t *failed, uint64_t *nodes)
{
	uint32_t sources[LIST], sinks[LIST];
	plait__input_options options = {
		.policy = setting->policy, .mode = setting->mode,
		.lanes = setting->lanes };
	plait__plan *whole, *part;

	shape_seed(&random_state, seed);
	shape_random(&shape, &setting->draw, &random_state);
	whole = make(&options);
	judge(setting, seed, "the whole", failed);
	options.source_count = draw_list(sources, false);
	options.sink_count = draw_list(sinks, true);
	options.sources = options.source_count > 0 ? sources : NULL;
	options.sinks = options.sink_count > 0 ? sinks : NULL;
	part = make(&options);
	judge(setting, seed, "a part", failed);
	plait__plan_release(part);
	options.whole = whole;
	part = make(&options);
	if (fault[0] == '\0' && part != NULL)
		(void)check_order(part, whole);
	judge(setting, seed, "a part on the lanes of the whole", failed);
	for (uint32_t i = 0; i < shape.input.node_count; i++)
		*nodes += wanted[i];
	plait__plan_release(part);
	plait__plan_release(whole);
	shape_fini(&shape);
}

/* A thousand; a tenth of that where every access is checked. */
static uint32_t rounds(void)
{
	const char *sanitizer = getenv("PLAIT_SANITIZER");

	if (sanitizer == NULL || strcmp(sanitizer, "no") == 0)
		return 1000;
	return tap_soak() ? 1000 : 100;
}

static void every_setting(void)
{
	uint64_t seed = tap_seed();
	uint32_t count = rounds();

	for (size_t s = 0; s < TAP_COUNT(settings); s++) {
		uint32_t failed = 0;
		uint64_t nodes = 0;

		for (uint32_t i = 0; i < count; i++)
			run_one(&settings[s], seed * 1000003 + i, &failed,
				&nodes);
		NOTE("%-20s %.1f nodes a part, seed %llu", settings[s].name,
		     (double)nodes / count, (unsigned long long)seed);
		OK_THAT(failed == 0, "%s: %u of %u plans are wrong",
			settings[s].name, failed, 3 * count);
	}
}

static const struct tap_scenario all[] = {
	{ "every setting", every_setting },
};

TAP_MAIN(all)
