/* SPDX-License-Identifier: MIT */
/* Validation of a plugin's table; see table_check.h. */
#include "plugin/table_check.h"

#include "plugin/defaults.h"

#include "base/error.h"
#include "sys/dl.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* The part before the slots, which every interface version has. */
enum { IDENTITY_BYTES = offsetof(plait_backend_table, open) };

enum need {
	OPTIONAL,
	MANDATORY,
	MANDATORY_OPENED, /* optional for an interposer */
	MANDATORY_DEVICES, /* optional for a transport without devices */
	MANDATORY_INTERPOSER, /* only for an interposer */
	PORT /* all of them or none; all for a transport without devices */
};

/* Slots have many types but one size, so they are read as bytes. */
struct slot {
	const char *name;
	size_t offset;
	enum need need;
};

#define SLOT(name, need) { #name, offsetof(plait_backend_table, name), need }

static const struct slot slots[] = {
	SLOT(open, MANDATORY_OPENED),
	SLOT(close, MANDATORY),
	SLOT(device_count, MANDATORY_DEVICES),
	SLOT(device_query, MANDATORY_DEVICES),
	SLOT(memory_create, MANDATORY_DEVICES),
	SLOT(memory_destroy, MANDATORY_DEVICES),
	SLOT(memory_map, OPTIONAL),
	SLOT(memory_unmap, OPTIONAL),
	SLOT(queue_create, MANDATORY_DEVICES),
	SLOT(queue_destroy, MANDATORY_DEVICES),
	SLOT(queue_submit, MANDATORY_DEVICES),
	SLOT(queue_flush, OPTIONAL),
	SLOT(queue_recover, MANDATORY_DEVICES),
	SLOT(signal_create, MANDATORY_DEVICES),
	SLOT(signal_destroy, MANDATORY_DEVICES),
	SLOT(signal_poll, MANDATORY_DEVICES),
	SLOT(signal_wait, MANDATORY_DEVICES),
	SLOT(signal_notify, OPTIONAL),
	SLOT(signal_raise, OPTIONAL),
	SLOT(signal_reset, MANDATORY_DEVICES),
	SLOT(pump, OPTIONAL),
	SLOT(wrap, MANDATORY_INTERPOSER),
	SLOT(kernel_build, OPTIONAL),
	SLOT(kernel_destroy, OPTIONAL),
	SLOT(kernel_query, OPTIONAL),
	SLOT(launch_create, OPTIONAL),
	SLOT(launch_destroy, OPTIONAL),
	SLOT(native_query, OPTIONAL),
	SLOT(segment_create, OPTIONAL),
	SLOT(segment_destroy, OPTIONAL),
	SLOT(segment_patch, OPTIONAL),
	SLOT(segment_stop, OPTIONAL),
	SLOT(wait_in_driver, OPTIONAL),
	SLOT(signal_label, OPTIONAL),
	SLOT(link_query, OPTIONAL),
	SLOT(port_open, PORT),
	SLOT(port_close, PORT),
	SLOT(port_query, PORT),
	SLOT(mail_send, PORT),
	SLOT(mail_next, PORT),
	SLOT(link_create, PORT),
	SLOT(link_destroy, PORT),
	SLOT(link_view, PORT),
	SLOT(peer_query, PORT),
	SLOT(host_span, OPTIONAL),
	SLOT(link_lend, OPTIONAL),
	SLOT(link_reclaim, OPTIONAL),
	SLOT(shared_create, OPTIONAL),
	SLOT(shared_destroy, OPTIONAL),
	SLOT(shared_map, OPTIONAL),
	SLOT(shared_unmap, OPTIONAL),
};

static const void *slot_address(const plait_backend_table *table,
				const struct slot *slot)
{
	const void *address;

	memcpy(&address, (const char *)table + slot->offset, sizeof(address));
	return address;
}

static plait_status check_size(const plait_backend_table *table,
			       const char *name, plait_error *error)
{
	if (table->size < IDENTITY_BYTES)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: its table has %u bytes, the "
				   "minimum is %d", name,
				   table->size, IDENTITY_BYTES);
	if (table->size > sizeof(*table))
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: says it filled %u bytes of a "
				   "table of %zu", name, table->size,
				   sizeof(*table));
	return PLAIT_OK;
}

static plait_status check_abi(const plait_backend_table *table,
			      const char *name, plait_error *error)
{
	if (table->abi_min > table->abi_max)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: supports interface %u to %u, "
				   "which is not a range", name, table->abi_min,
				   table->abi_max);
	if (table->abi_min > PLAIT__PLUGIN_ABI_MAX)
		return plait__fail(
			error, PLAIT_E_UNSUPPORTED,
			"plugin %s: too new; supports interface %u to "
			"%u, this plait (%s) %d to %d",
			name, table->abi_min, table->abi_max, plait_version(),
			PLAIT__PLUGIN_ABI_MIN, PLAIT__PLUGIN_ABI_MAX);
	if (table->abi_max < PLAIT__PLUGIN_ABI_MIN)
		return plait__fail(
			error, PLAIT_E_UNSUPPORTED,
			"plugin %s: too old; supports interface %u to "
			"%u, this plait (%s) %d to %d",
			name, table->abi_min, table->abi_max, plait_version(),
			PLAIT__PLUGIN_ABI_MIN, PLAIT__PLUGIN_ABI_MAX);
	if (table->abi < table->abi_min || table->abi > table->abi_max ||
	    table->abi < PLAIT__PLUGIN_ABI_MIN ||
	    table->abi > PLAIT__PLUGIN_ABI_MAX)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: chose interface %u, outside "
				   "its range %u to %u or ours %d to %d",
				   name, table->abi, table->abi_min,
				   table->abi_max, PLAIT__PLUGIN_ABI_MIN,
				   PLAIT__PLUGIN_ABI_MAX);
	return PLAIT_OK;
}

/* Texts are printed in reports unchanged: they must be terminated and free
 * of control bytes. */
static plait_status check_text(const char *text, size_t bytes,
			       const char *what, const char *name,
			       plait_error *error)
{
	const char *end = memchr(text, '\0', bytes);

	if (end == NULL)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: its %s has no NUL within %zu "
				   "bytes", name, what, bytes);
	for (; text < end; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f)
			return plait__fail(error, PLAIT_E_INTERNAL,
					   "plugin %s: its %s has a control "
					   "character", name, what);
	return PLAIT_OK;
}

static plait_status check_texts(const plait_backend_table *table,
				const char *name, plait_error *error)
{
	plait_status status;

	status = check_text(table->name, sizeof(table->name), "name", name,
			    error);
	if (status == PLAIT_OK)
		status = check_text(table->vendor, sizeof(table->vendor),
				    "vendor", name, error);
	if (status == PLAIT_OK)
		status = check_text(table->version, sizeof(table->version),
				    "version", name, error);
	if (status == PLAIT_OK && strcmp(table->name, name) != 0)
		status = plait__fail(error, PLAIT_E_INTERNAL,
				     "plugin %s: says its name is '%s'; it "
				     "must be that of the file", name,
				     table->name);
	return status;
}

static const char *sanitizer_name(uint32_t kind)
{
	static const char *const names[] = { "no", "the address", "the thread",
					     "the memory" };

	return kind < 4 ? names[kind] : "an unknown";
}

static plait_status check_build(const plait_backend_table *table,
				const char *name, plait_error *error)
{
	const uint32_t known = PLAIT_PLUGIN_INTERPOSER |
			       PLAIT_PLUGIN_EXPLICIT | PLAIT_PLUGIN_TRANSPORT;

	if (table->pointer_bytes != sizeof(void *))
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plugin %s: built for pointers of %u "
				   "bytes, this process has %zu", name,
				   table->pointer_bytes, sizeof(void *));
	if (table->sanitizer != PLAIT_SANITIZER_KIND)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plugin %s: built with %s sanitizer, this "
				   "process with %s sanitizer", name,
				   sanitizer_name(table->sanitizer),
				   sanitizer_name(PLAIT_SANITIZER_KIND));
	if ((table->flags & ~known) != 0)
		return plait__fail(error, PLAIT_E_UNSUPPORTED,
				   "plugin %s: flags 0x%x are not known to "
				   "this plait (%s)", name,
				   table->flags & ~known, plait_version());
	if ((table->flags & PLAIT_PLUGIN_INTERPOSER) != 0 &&
	    (table->flags & PLAIT_PLUGIN_TRANSPORT) != 0)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: has the flags of an interposer "
				   "and of a transport; one is possible",
				   name);
	return PLAIT_OK;
}

/* Returns true if the address lies in any object of this process. */
static bool is_code(void *object, const void *address)
{
	char path[PATH_MAX];

	return plait__dl_owns(object, address) ||
	       plait__dl_query_path(address, path, sizeof(path)) == 0;
}

static bool is_needed(const plait_backend_table *table, enum need need)
{
	bool interposer = (table->flags & PLAIT_PLUGIN_INTERPOSER) != 0;
	bool transport = (table->flags & PLAIT_PLUGIN_TRANSPORT) != 0;

	switch (need) {
	case MANDATORY:
		return true;
	case MANDATORY_OPENED:
		return !interposer;
	case MANDATORY_DEVICES:
		return !transport;
	case MANDATORY_INTERPOSER:
		return interposer;
	case PORT:
		return transport;
	case OPTIONAL:
		break;
	}
	return false;
}

static plait_status check_slot(const plait_backend_table *table,
			       const struct slot *slot, void *object,
			       const char *name, plait_error *error)
{
	const void *address = slot_address(table, slot);
	bool needed = is_needed(table, slot->need);

	if (address == NULL && needed)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: slot %s is mandatory%s and "
				   "null",
				   name, slot->name,
				   slot->need == MANDATORY_INTERPOSER ?
					   " for an interposer" :
				   slot->need == PORT ? " for a transport" :
							"");
	if (address != NULL && !needed && slot->need == MANDATORY_INTERPOSER)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: has slot %s, but not the flag "
				   "of an interposer", name, slot->name);
	if (address != NULL && !is_code(object, address))
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: slot %s points to %p, where "
				   "nothing is loaded", name, slot->name,
				   address);
	return PLAIT_OK;
}

/* Slots of ports are all there or none. */
static plait_status check_ports(const plait_backend_table *table,
				const char *name, plait_error *error)
{
	const char *present = NULL, *missing = NULL;

	for (size_t i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		if (slots[i].need != PORT)
			continue;
		if (slot_address(table, &slots[i]) != NULL)
			present = slots[i].name;
		else
			missing = slots[i].name;
	}
	if (present != NULL && missing != NULL)
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: has slot %s, but not %s; slots "
				   "of ports go together", name, present,
				   missing);
	return PLAIT_OK;
}

/* Slots of shared memory go together. */
static plait_status check_shared(const plait_backend_table *table,
				 const char *name, plait_error *error)
{
	bool has = table->shared_create != NULL;

	if ((table->shared_destroy != NULL) == has &&
	    (table->shared_map != NULL) == has &&
	    (table->shared_unmap != NULL) == has)
		return PLAIT_OK;
	return plait__fail(error, PLAIT_E_INTERNAL,
			   "plugin %s: shared_create, shared_destroy, shared_map "
			   "and shared_unmap go together; it has some of them",
			   name);
}

static plait_status check_slots(const plait_backend_table *table,
				void *object, const char *name,
				plait_error *error)
{
	plait_status status;
	size_t i;

	for (i = 0; i < sizeof(slots) / sizeof(slots[0]); i++) {
		status = check_slot(table, &slots[i], object, name, error);
		if (status != PLAIT_OK)
			return status;
	}
	if ((table->memory_map == NULL) != (table->memory_unmap == NULL))
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: memory_map and memory_unmap go "
				   "together; it has one of them", name);
	if ((table->link_lend == NULL) != (table->link_reclaim == NULL))
		return plait__fail(error, PLAIT_E_INTERNAL,
				   "plugin %s: link_lend and link_reclaim go "
				   "together; it has one of them", name);
	status = check_shared(table, name, error);
	return status == PLAIT_OK ? check_ports(table, name, error) : status;
}

plait_status plait__table_check(plait_backend_table *table, void *object,
				const char *name, plait_error *error)
{
	plait_status status = check_size(table, name, error);

	if (status == PLAIT_OK)
		status = check_abi(table, name, error);
	if (status == PLAIT_OK)
		status = check_texts(table, name, error);
	if (status == PLAIT_OK)
		status = check_build(table, name, error);
	if (status != PLAIT_OK)
		return status;
	/* A shorter table lacks the last slots: they become null, even if
	 * the plugin wrote there. */
	memset((char *)table + table->size, 0, sizeof(*table) - table->size);
	status = check_slots(table, object, name, error);
	if (status != PLAIT_OK)
		return status;
	plait__defaults_fill(table);
	table->size = sizeof(*table);
	return PLAIT_OK;
}
