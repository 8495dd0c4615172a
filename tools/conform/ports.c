/* SPDX-License-Identifier: MIT */
/* Rig for checks of transports; see ports.h. */
#include "ports.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long long conform_ports_fail_at;
long long conform_ports_live_bytes;

static const char *backend_name;

/* --- host services ------------------------------------------------------- */

static plait_status fail(plait_error *error, plait_status status,
			 int64_t origin, const char *text)
{
	error->status = status;
	error->origin = origin;
	snprintf(error->text, sizeof(error->text), "%s", text ? text : "");
	return status;
}

static void *resize(plait_host *host, void *pointer, uint64_t old_bytes,
		    uint64_t new_bytes)
{
	void *block = NULL;

	(void)host;
	if (new_bytes > 0) {
		if (conform_ports_fail_at > 0 && --conform_ports_fail_at == 0)
			return NULL;
		block = realloc(pointer, new_bytes);
		if (block == NULL)
			return NULL;
	} else {
		free(pointer);
	}
	conform_ports_live_bytes += (long long)new_bytes;
	conform_ports_live_bytes -= pointer ? (long long)old_bytes : 0;
	return block;
}

static void log_line(plait_host *host, plait_log_level level, const char *line)
{
	(void)host;
	(void)level;
	(void)line;
}

static uint64_t clock_ns(plait_host *host)
{
	(void)host;
	return conform_now_ns();
}

/* Options of the environment: "name:key=value,key=value;name:...". */
static const char *find_option(const char *key)
{
	static char value[256];
	const char *at = getenv("PLAIT_OPTIONS");
	size_t name = strlen(backend_name), bytes = strlen(key);

	while (at != NULL && *at) {
		size_t item = strcspn(at, ",;");
		const char *colon = memchr(at, ':', item);
		static bool ours;

		if (colon != NULL) {
			ours = (size_t)(colon - at) == name &&
				strncmp(at, backend_name, name) == 0;
			item -= (size_t)(colon + 1 - at);
			at = colon + 1;
		}
		if (ours && strncmp(at, key, bytes) == 0 && at[bytes] == '=') {
			snprintf(value, sizeof(value), "%.*s",
				 (int)(item - bytes - 1), at + bytes + 1);
			return value;
		}
		at += item + (at[item] != '\0');
	}
	return NULL;
}

/* A transport that needs a launcher opens as one rank, if it has this option. */
static const char *option(plait_host *host, const char *key)
{
	const char *value = find_option(key);

	(void)host;
	return value == NULL && strcmp(key, "alone") == 0 ? "1" : value;
}

static const plait_host_services services = {
	.size = sizeof(services), .abi_min = 1, .abi_max = PLAIT_PLUGIN_ABI,
	.resize = resize, .log = log_line, .fail = fail, .clock_ns = clock_ns,
	.option = option,
};

/* --- instances and ports ------------------------------------------------- */

static void load_table(struct conform *c, plait_backend_table *table)
{
	plait_plugin_entry_function entry = NULL;
	char path[CONFORM_PATH];
	void *object, *symbol;

	if (!conform_find_file(c, path))
		conform_skip(c, "the backend has no file of its own");
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	symbol = object ? dlsym(object, PLAIT_PLUGIN_ENTRY_NAME) : NULL;
	if (!HOLDS_THAT(symbol != NULL, "%s loads", path))
		conform_end(c);
	memcpy(&entry, &symbol, sizeof(entry));
	memset(table, 0, sizeof(*table));
	table->size = sizeof(*table);
	NEED(entry(&services, table, ERR));
	memset((char *)table + table->size, 0, sizeof(*table) - table->size);
	if (table->port_open == NULL)
		conform_skip(c, "it is no transport");
}

plait_status conform_ports_load(struct conform *c, struct ports *p)
{
	backend_name = c->backend;
	memset(p, 0, sizeof(*p));
	p->check = c;
	conform_leave_launcher();
	load_table(c, &p->table);
	return p->table.open(NULL, &services, &p->self, ERR);
}

void conform_ports_unload(struct ports *p)
{
	if (p->self != NULL)
		p->table.close(p->self);
	p->self = NULL;
}

void conform_ports_probe(struct conform *c)
{
	struct ports p;
	plait_status status = conform_ports_load(c, &p);

	if (status == PLAIT_E_UNAVAILABLE)
		conform_skip(c, "%s", c->error.text);
	GIVES(status, PLAIT_OK);
	conform_ports_unload(&p);
	conform_is_transport(c);
}

static void query(struct ports *p, uint32_t rank)
{
	struct conform *c = p->check;
	plait_port *facts = &p->facts[rank];

	memset(facts, 0, sizeof(*facts));
	facts->size = sizeof(*facts);
	NEED(p->table.port_query(p->self, p->port[rank], facts, ERR));
	if (facts->flags & PLAIT_PORT_NEEDS_PUMP)
		p->needs_pump = true;
}

/* A process is one rank there; the suite is no program of several. */
static void open_one(struct ports *p)
{
	const plait_port_request request = { .size = sizeof(request) };
	struct conform *c = p->check;

	p->count = 1;
	NEED(p->table.port_open(p->self, &request, &p->port[0], ERR));
	query(p, 0);
	if (p->facts[0].ranks != 1)
		conform_skip(c, "the options say %u ranks; run it as one",
			     p->facts[0].ranks);
}

void conform_ports_close(struct ports *p, uint32_t rank)
{
	if (p->port[rank] != NULL)
		p->table.port_close(p->self, p->port[rank]);
	p->port[rank] = NULL;
}

void conform_ports_end(struct ports *p)
{
	for (uint32_t i = 0; i < p->count; i++)
		conform_ports_close(p, i);
	conform_ports_unload(p);
}

uint32_t conform_ports_next(const struct ports *p, uint32_t rank)
{
	return (rank + 1) % p->count;
}

/* --- mail ---------------------------------------------------------------- */

void conform_ports_pump(struct ports *p)
{
	struct conform *c = p->check;

	if (p->needs_pump)
		(void)p->table.pump(p->self, ERR);
}

plait_status conform_ports_send(struct ports *p, uint32_t from, uint32_t to,
				const void *bytes, uint64_t count)
{
	struct conform *c = p->check;
	uint64_t end = conform_now_ns() + conform_patience_ns();
	plait_status status;

	do {
		conform_ports_pump(p);
		status = p->table.mail_send(p->self, p->port[from], to, bytes,
					    count, ERR);
	} while (status == PLAIT_E_BUSY && conform_now_ns() < end);
	return status;
}

uint64_t conform_ports_receive(struct ports *p, uint32_t rank,
			       uint32_t *out_peer, void *buffer)
{
	struct conform *c = p->check;
	uint64_t end = conform_now_ns() + conform_patience_ns();
	uint64_t bytes = 0;
	plait_status status;

	do {
		conform_ports_pump(p);
		status = p->table.mail_next(p->self, p->port[rank], out_peer,
					    buffer, p->facts[rank].mail_bytes,
					    &bytes, ERR);
	} while (status == PLAIT_PENDING && conform_now_ns() < end);
	return GIVES(status, PLAIT_OK) ? bytes : 0;
}

/* --- links --------------------------------------------------------------- */

plait_link_request conform_ports_request(const struct ports *p, uint32_t peer,
					 plait_link_direction direction,
					 uint64_t number, uint32_t depth,
					 uint64_t slot_bytes)
{
	return (plait_link_request){
		.size = sizeof(plait_link_request), .direction = direction,
		.peer = peer, .address = p->facts[peer].address,
		.address_bytes = p->facts[peer].address_bytes,
		.number = number, .depth = depth, .slot_bytes = slot_bytes,
	};
}

plait_status conform_ports_half(struct ports *p, uint32_t rank,
				const plait_link_request *request,
				struct half *out)
{
	struct conform *c = p->check;
	plait_status status;

	memset(out, 0, sizeof(*out));
	out->ports = p;
	out->sends = request->direction == PLAIT_LINK_SEND;
	conform_ports_pump(p);
	status = p->table.link_create(p->self, p->port[rank], request,
				      &out->link, ERR);
	if (status != PLAIT_OK)
		return status;
	out->view.size = sizeof(out->view);
	NEED(p->table.link_view(p->self, out->link, &out->view, ERR));
	return PLAIT_OK;
}

/* Either half may need the other one: try both in turn. */
void conform_ports_link(struct ports *p, uint32_t from, uint32_t to,
			uint64_t number, uint32_t depth, uint64_t slot_bytes,
			struct half *out_sender, struct half *out_receiver)
{
	const plait_link_request in = conform_ports_request(
		p, from, PLAIT_LINK_RECEIVE, number, depth, slot_bytes);
	const plait_link_request out = conform_ports_request(
		p, to, PLAIT_LINK_SEND, number, depth, slot_bytes);
	struct conform *c = p->check;
	uint64_t end = conform_now_ns() + conform_patience_ns();
	plait_status received = PLAIT_PENDING, sent = PLAIT_PENDING;

	while ((received == PLAIT_PENDING || sent == PLAIT_PENDING) &&
	       conform_now_ns() < end) {
		if (received == PLAIT_PENDING)
			received = conform_ports_half(p, to, &in,
						      out_receiver);
		if (sent == PLAIT_PENDING)
			sent = conform_ports_half(p, from, &out, out_sender);
	}
	NEED(received);
	NEED(sent);
}

void conform_ports_drop(struct half *half)
{
	if (half->link != NULL)
		half->ports->table.link_destroy(half->ports->self, half->link);
	half->link = NULL;
}

unsigned char *conform_ports_slot(const struct half *half, uint64_t message)
{
	return half->view.slots +
		message % half->view.depth * half->view.stride;
}

bool conform_ports_has_credit(const struct half *half)
{
	return half->count - atomic_load((_Atomic uint64_t *)
					 half->view.taken) < half->view.depth;
}

bool conform_ports_has_message(const struct half *half)
{
	return atomic_load((_Atomic uint64_t *)half->view.ready) > half->count;
}

/* A sender waits for a credit, a receiver for a message. */
static bool is_ready(const struct half *half)
{
	return half->sends ? conform_ports_has_credit(half) :
			     conform_ports_has_message(half);
}

bool conform_ports_await(struct half *half)
{
	struct conform *c = half->ports->check;
	uint64_t end = conform_now_ns() + conform_patience_ns();

	while (!is_ready(half) && conform_now_ns() < end)
		conform_ports_pump(half->ports);
	return HOLDS(is_ready(half));
}

static unsigned char pattern(uint64_t message, uint64_t i)
{
	return (unsigned char)(message * 31 + i * 7 + (i >> 8));
}

/* Write a message, its bytes to `at`, and send it. */
static void put(struct half *half, unsigned char *at, uint64_t message,
		uint64_t bytes)
{
	plait_link_slot *head = (plait_link_slot *)(void *)
		conform_ports_slot(half, half->count);

	head->bytes = bytes;
	for (uint64_t i = 0; i < CONFORM_COUNT(head->words); i++)
		head->words[i] = message * 1000 + i;
	for (uint64_t i = 0; i < bytes; i++)
		at[i] = pattern(message, i);
	atomic_store((_Atomic uint64_t *)half->view.ready, ++half->count);
}

void conform_ports_put(struct half *half, uint64_t message, uint64_t bytes)
{
	put(half, conform_ports_slot(half, half->count) +
		  sizeof(plait_link_slot), message, bytes);
}

void conform_ports_put_lent(struct half *half, unsigned char *memory,
			    uint64_t message, uint64_t bytes)
{
	struct conform *c = half->ports->check;

	for (uint64_t i = 0; i < bytes; i++)
		memory[i] = pattern(message, i);
	memset(conform_ports_slot(half, half->count), 0xee,
	       sizeof(plait_link_slot) + bytes);
	NEED(half->ports->table.link_lend(half->ports->self, half->link,
					  memory, bytes, ERR));
	put(half, memory, message, bytes);
}

/* Look at the oldest message that was not taken, or at a later one. */
bool conform_ports_holds(const struct half *half, uint64_t behind,
			 uint64_t message, uint64_t bytes)
{
	const unsigned char *slot =
		conform_ports_slot(half, half->count + behind);
	const plait_link_slot *head = (const plait_link_slot *)
		(const void *)slot;

	if (head->bytes != bytes)
		return false;
	for (uint64_t i = 0; i < CONFORM_COUNT(head->words); i++)
		if (head->words[i] != message * 1000 + i)
			return false;
	for (uint64_t i = 0; i < bytes; i++)
		if (slot[sizeof(*head) + i] != pattern(message, i))
			return false;
	return true;
}

void conform_ports_take(struct half *half)
{
	atomic_store((_Atomic uint64_t *)half->view.taken, ++half->count);
}

/* --- opening ------------------------------------------------------------- */

/* Ports that do not know ranks learn addresses from requests of links. */
static void introduce(struct ports *p)
{
	const uint64_t number = UINT64_C(1) << 60;
	struct half sender, receiver;

	for (uint32_t pair = 0; pair < p->count * p->count; pair++) {
		conform_ports_link(p, pair / p->count, pair % p->count, number,
				   1, 1, &sender, &receiver);
		conform_ports_drop(&sender);
		conform_ports_drop(&receiver);
	}
}

void conform_ports_open(struct ports *p, uint32_t wanted)
{
	plait_port_request request = { .size = sizeof(request),
				       .ranks = wanted };
	struct conform *c = p->check;

	p->count = wanted;
	for (uint32_t i = 0; i < wanted; i++) {
		plait_status status;

		request.rank = i;
		status = p->table.port_open(p->self, &request, &p->port[i],
					    ERR);
		if (i == 0 && (status == PLAIT_E_INVALID ||
			       status == PLAIT_E_UNSUPPORTED)) {
			open_one(p);
			return;
		}
		NEED(status);
		query(p, i);
	}
	if (!(p->facts[0].flags & PLAIT_PORT_KNOWS_RANKS))
		introduce(p);
}

void conform_ports_begin(struct conform *c, struct ports *p, uint32_t wanted)
{
	NEED(conform_ports_load(c, p));
	conform_ports_open(p, wanted);
}
