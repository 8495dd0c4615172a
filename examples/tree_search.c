/* SPDX-License-Identifier: MIT */
/*
 * A search in a tree whose shape is data: queens on a board, none of which
 * attacks another.  A plan finds the free squares of the next row; a coroutine
 * below each square of the first row awaits it, and goes into all of them.
 */
#include "coroutine.h"

#include <stdio.h>

enum { SIZE = 7 };

static plait_plan *plan;	/* finds the free squares */
static uint32_t number_of[4];	/* of its parameters */

struct seeker {
	plait_queue *queue;
	uint32_t first;		/* its square of the first row */
	/* What the plan has found.  Not on the stack: a run that is stopped may
	 * write it after the coroutine's end. */
	uint32_t squares;
	uint32_t places, solutions;
};

/* The attacked squares of the next row: by columns and by diagonals. */
struct board {
	uint32_t columns, left, right;
};

static plait_status await_squares(struct seeker *seeker, struct board board,
				  uint32_t *squares)
{
	plait_status status = plait_await_plan(
		plan, seeker->queue,
		PLAIT_BINDINGS(PLAIT_BIND_VALUE(number_of[0], board.columns),
			       PLAIT_BIND_VALUE(number_of[1], board.left),
			       PLAIT_BIND_VALUE(number_of[2], board.right),
			       PLAIT_BIND_HOST(number_of[3], &seeker->squares,
					       sizeof(seeker->squares))),
		PLAIT_FOREVER, NULL);

	*squares = seeker->squares;
	return status;
}

/* The recursion lies on the coroutine's stack, which other threads may
 * continue. */
static plait_status search(struct seeker *seeker, struct board board)
{
	plait_status status = PLAIT_OK;
	uint32_t squares, square;

	seeker->places++;
	if (board.columns == (1u << SIZE) - 1) {
		seeker->solutions++;
		return PLAIT_OK;
	}
	status = await_squares(seeker, board, &squares);
	for (; status == PLAIT_OK && squares != 0; squares &= squares - 1) {
		square = squares & -squares;
		status = search(seeker, (struct board){
			.columns = board.columns | square,
			.left = (board.left | square) << 1,
			.right = (board.right | square) >> 1,
		});
	}
	return status;
}

static int32_t seek(void *user_data)
{
	struct seeker *seeker = user_data;

	return search(seeker, (struct board){ seeker->first, seeker->first << 1,
					      seeker->first >> 1 });
}

static void make_plan(void)
{
	static const char *const names[] = { "columns", "left", "right",
					     "squares" };
	uint32_t size = SIZE;
	plait_node_desc read = {
		.size = sizeof(read), .kind = PLAIT_NODE_READ,
		.source = new_temporary(sizeof(uint32_t)),
		.host_parameter = names[3], .bytes = sizeof(uint32_t),
	};
	plait_graph *graph = new_graph();
	plait_node last;

	must(plait_graph_launch(graph, read_kernel("coroutines", "squares"),
				PLAIT_ITEMS(1),
				PLAIT_ARGUMENTS(PLAIT_PARAMETER("columns"),
						PLAIT_PARAMETER("left"),
						PLAIT_PARAMETER("right"),
						PLAIT_VALUE(size),
						PLAIT_BUFFER(read.source)),
				0, &last, &error));
	must(plait_graph_add(graph, &read, &last, 1, NULL, &error));
	plan = freeze_for(graph, SIZE);
	for (int i = 0; i < 4; i++)
		must(plait_plan_find_parameter(plan, names[i], &number_of[i],
					       &error));
}

int main(void)
{
	struct seeker seekers[SIZE] = { 0 };
	uint32_t places = 1, solutions = 0;
	plait_graph *graph;

	open_system();
	make_plan();
	graph = new_graph();
	for (uint32_t i = 0; i < SIZE; i++) {
		seekers[i].first = 1u << i;
		seekers[i].queue = new_queue();
		add_coroutine(graph, seek, &seekers[i]);
	}
	run_coroutines(graph);
	for (int i = 0; i < SIZE; i++) {
		places += seekers[i].places;
		solutions += seekers[i].solutions;
	}
	printf("%d queens: %u solutions in %u places\n", SIZE, solutions,
	       places);
	close_coroutines();
	close_system();
	return 0;
}
