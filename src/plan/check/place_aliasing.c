/* SPDX-License-Identifier: MIT */
/*
 * Aliasing of temporaries: of two that share bytes of an arena, all uses of one
 * happen before all uses of the other; likewise for a temporary and scratch.  A
 * use inside a region is one by the command of body 0 that contains it.  Two
 * ranges of scratch are the subject of scratch_aliasing.c.
 */
#include "plan/check/phases.h"

#include "plan/check/obligations.h"

/* A range of an arena: a temporary, or the scratch of one command. */
struct user {
	uint32_t device;
	uint32_t first;		/* in `uses`, ascending by command */
	uint32_t count;
	bool is_temporary;
	uint64_t from;
	uint64_t to;
};

struct places {
	plait__check *check;
	struct user *users;	/* temporaries by slot, then scratch,
				 * until check_all sorts them */
	uint32_t count;
	uint32_t *uses;		/* commands of body 0; null: only count */
	uint32_t command;	/* the one whose uses are added */
};

/* structure.c has checked that bodies nest. */
static uint32_t outer_command(const plait__plan *plan, uint32_t command)
{
	uint32_t body = plan->nodes[plan->commands[command].node].body;

	while (body != 0) {
		command = plan->regions[plan->bodies[body].region].command;
		body = plan->nodes[plan->commands[command].node].body;
	}
	return command;
}

static void add_use(struct places *p, uint32_t number)
{
	struct user *user = &p->users[number];

	if (p->uses != NULL)
		p->uses[user->first + user->count] = p->command;
	user->count++;
}

/* payload_tables.c has checked the arguments. */
static void add_payload(struct places *p, uint32_t payload)
{
	const plait__plan *plan = p->check->plan;
	const plait__plan_payload *from = &plan->payloads[payload];

	for (uint32_t i = 0; payload != PLAIT__NONE && i < from->arg_count;
	     i++) {
		const plait__plan_arg *arg = &plan->args[from->arg_first + i];
		const plait__plan_rotation *rotation;

		if (arg->kind == PLAIT__ARG_MEMORY)
			add_use(p, arg->index);
		if (arg->kind != PLAIT__ARG_ROTATION)
			continue;
		rotation = &plan->rotations[arg->index];
		for (uint32_t k = 0; k < rotation->slot_count; k++)
			add_use(p, plan->rotation_slots[
					rotation->slot_first + k]);
	}
}

static void add_command(struct places *p, uint32_t number)
{
	const plait__plan *plan = p->check->plan;
	const plait__plan_command *command = &plan->commands[number];
	const plait__plan_node *node = &plan->nodes[command->node];

	p->command = outer_command(plan, number);
	if (command->kind == PLAIT__CMD_REGION)
		add_payload(p, plan->regions[command->link].predicate);
	else if (command->kind == PLAIT__CMD_ENTER ||
		 command->kind == PLAIT__CMD_BARRIER_STUB)
		return;
	else
		add_payload(p, command->link);
	for (uint32_t i = node[0].access_first; i < node[1].access_first; i++)
		if (plan->accesses[i].object < plan->slots_count)
			add_use(p, plan->accesses[i].object);
}

/* With p->uses the counts of a first pass give each user its range. */
static void add_all(struct places *p)
{
	const plait__plan *plan = p->check->plan;
	uint32_t sum = 0;

	for (uint32_t i = 0; i < p->count; i++) {
		p->users[i].first = sum;
		sum += p->users[i].count;
		p->users[i].count = 0;
	}
	for (uint32_t i = 0; i < plan->command_count; i++)
		add_command(p, i);
	for (uint32_t i = 0; i < plan->scratch_count; i++) {
		p->command = outer_command(plan, plan->scratch[i].command);
		add_use(p, plan->slots_count + i);
	}
}

static plait_status find_users(struct places *p, const uint64_t *offsets)
{
	const plait__plan *plan = p->check->plan;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < plan->slots_count; i++) {
		const plait__plan_slot *slot = &plan->slots[i];

		if (slot->kind != PLAIT__SLOT_ARENA || offsets[i] > INT64_MAX)
			continue;
		p->users[i] = (struct user){
			.device = slot->device, .is_temporary = true,
			.from = offsets[i], .to = offsets[i] + slot->bytes
		};
	}
	for (uint32_t i = 0; i < plan->scratch_count; i++)
		p->users[plan->slots_count + i] = (struct user){
			.device = plan->scratch[i].device,
			.from = plan->scratch[i].offset,
			.to = plan->scratch[i].offset + plan->scratch[i].bytes
		};
	add_all(p);
	for (uint32_t i = 0; i < p->count; i++)
		sum += p->users[i].count;
	if (sum > UINT32_MAX)
		return plait__check_no_memory(p->check);
	p->uses = plait__check_alloc(p->check, sum, sizeof(uint32_t));
	if (p->uses == NULL)
		return plait__check_no_memory(p->check);
	add_all(p);
	return PLAIT_OK;
}

/* Returns true if the first use of `a` is submitted before all those of `b`.
 * Both have uses. */
static bool begins_before(const struct places *p, const struct user *a,
			  const struct user *b)
{
	const uint32_t *sequence = p->check->sequence;
	uint32_t first = UINT32_MAX, other = UINT32_MAX;

	for (uint32_t i = 0; i < a->count; i++)
		if (sequence[p->uses[a->first + i]] < first)
			first = sequence[p->uses[a->first + i]];
	for (uint32_t i = 0; i < b->count; i++)
		if (sequence[p->uses[b->first + i]] < other)
			other = sequence[p->uses[b->first + i]];
	return first < other;
}

static plait_status order_uses(const struct places *p, const struct user *a,
			       const struct user *b)
{
	plait_status status = PLAIT_OK;

	for (uint32_t i = 0; i < b->count; i++)
		for (uint32_t k = 0; k < a->count && status == PLAIT_OK; k++) {
			uint32_t before = p->uses[a->first + k];
			uint32_t after = p->uses[b->first + i];

			status = before == after ?
				 plait__obligations_fail(
					 p->check, before, after,
					 PLAIT__OBLIGATION_PLACE) :
				 plait__obligations_add(
					 p->check, before, after,
					 PLAIT__OBLIGATION_PLACE);
		}
	return status;
}

static plait_status check_pair(const struct places *p, const struct user *a,
			       const struct user *b)
{
	if ((!a->is_temporary && !b->is_temporary) || a->count == 0 ||
	    b->count == 0 || a->from == a->to || b->from == b->to)
		return PLAIT_OK;
	return begins_before(p, a, b) ? order_uses(p, a, b) :
					order_uses(p, b, a);
}

/* Temporaries first; then by device and offset. */
static bool is_left(const struct user *a, const struct user *b)
{
	if (a->is_temporary != b->is_temporary)
		return a->is_temporary;
	return a->device != b->device ? a->device < b->device :
					a->from < b->from;
}

static void sift(struct user *heap, uint32_t i, uint32_t count)
{
	struct user item = heap[i];
	uint64_t child;

	while ((child = 2ull * i + 1) < count) {
		if (child + 1 < count &&
		    is_left(&heap[child], &heap[child + 1]))
			child++;
		if (!is_left(&item, &heap[child]))
			break;
		heap[i] = heap[child];
		i = (uint32_t)child;
	}
	heap[i] = item;
}

static void sort_users(struct user *users, uint32_t count)
{
	for (uint32_t i = count / 2; i-- > 0;)
		sift(users, i, count);
	while (count-- > 1) {
		struct user swap = users[0];

		users[0] = users[count];
		users[count] = swap;
		sift(users, 0, count);
	}
}

/* Returns the first user of [low, high) on the device that begins at `from` or
 * above it. */
static uint32_t find_from(const struct places *p, uint32_t low, uint32_t high,
			  uint32_t device, uint64_t from)
{
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		const struct user *user = &p->users[middle];

		if (user->device < device ||
		    (user->device == device && user->from < from))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Check `i` against those of [low, high) that begin within it, from `from` on.
 * The users of [low, high) are sorted by device and offset. */
static plait_status check_within(const struct places *p, uint32_t i,
				 uint32_t low, uint32_t high, uint64_t from)
{
	const struct user *user = &p->users[i];
	plait_status status = PLAIT_OK;

	for (uint32_t k = find_from(p, low, high, user->device, from);
	     status == PLAIT_OK && k < high &&
	     p->users[k].device == user->device &&
	     p->users[k].from < user->to; k++)
		status = check_pair(p, user, &p->users[k]);
	return status;
}

static plait_status check_all(const struct places *p)
{
	plait_status status = PLAIT_OK;
	uint32_t middle = 0;

	sort_users(p->users, p->count);
	while (middle < p->count && p->users[middle].is_temporary)
		middle++;
	for (uint32_t i = 0; i < p->count && status == PLAIT_OK; i++) {
		uint64_t from = p->users[i].from;

		/* Among temporaries each pair once, by the order of sorting. */
		if (i < middle)
			status = check_within(p, i, i + 1, middle, from);
		if (status == PLAIT_OK)
			status = i < middle ?
				 check_within(p, i, middle, p->count,
					      from + 1) :
				 check_within(p, i, 0, middle, from);
	}
	return status;
}

plait_status plait__place_aliasing_check(plait__check *check,
					 const uint64_t *offsets)
{
	struct places p = { .check = check };
	plait_status status;

	p.count = check->plan->slots_count + check->plan->scratch_count;
	p.users = plait__check_alloc(check, p.count, sizeof(*p.users));
	if (p.users == NULL)
		return plait__check_no_memory(check);
	status = find_users(&p, offsets);
	return status == PLAIT_OK ? check_all(&p) : status;
}
