/* SPDX-License-Identifier: MIT */
/*
 * Types and functions of the transport shm, which loopback shares.
 *
 * A port owns one segment: a memfd that no name in the file system refers to and
 * that cannot shrink.  It holds a head, a mailbox for each rank, a directory of
 * links, and the slots of the links that the port receives by.  Peers open it
 * as /proc/PID/fd/N and map it.  The kernel frees it with the last process.
 *
 * A peer may write anything into a segment that it maps.  So a port reads sizes
 * and offsets once, checks them against its own, and keeps what it relies on in
 * private memory.
 */
#ifndef PLAITP_SHM_H
#define PLAITP_SHM_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "plait/plugin.h"

#include "driven/atomic.h"

enum {
	SHM_MAX_RANKS = 1024,
	SHM_NAME_BYTES = 40,
	SHM_MAIL_BYTES = 4096,
	SHM_RING_BYTES = 16384, /* of one mailbox; a power of two */
	SHM_LINKS = 4096,       /* received by one port at one time */
	SHM_PAGE = 4096,
	SHM_POPULATE_BYTES = 8 << 20, /* of the links of a port */
	SHM_POPULATE_SHARED = 64 << 20, /* of memory that peers read */
	SHM_VERSION = 2
};

#define SHM_MAGIC UINT64_C(0x706c6169742d7368)
#define SHM_MAX_SLOT_BYTES (UINT64_C(1) << 30)
#define SHM_MAX_LINK_BYTES (UINT64_C(1) << 36)

/* --- the segment */

struct shm_head {
	uint64_t magic;
	uint64_t token; /* random: which port */
	uint32_t version;
	uint32_t rank;
	uint32_t ranks;
	uint32_t closed; /* 1: the port was closed */
	uint64_t links; /* entries of the directory that were ever in use */
	uint32_t descriptor; /* of the segment in the owner's process */
	uint32_t reserved0;
	uint64_t reserved[2];
	uint32_t bell; /* a line of its own, as the two below */
	uint32_t bell_line[15];
	uint32_t sleeping;
	uint32_t sleeping_line[15];
	uint64_t mails; /* records put into all mailboxes */
	uint64_t mails_line[7];
};

/* Mail of one rank for the owner of the segment: a ring of records, each a
 * length of 8 bytes and the bytes, padded to 8. */
struct shm_mailbox {
	uint64_t place; /* claim of a port: process << 32 | descriptor; 0: none */
	uint64_t token; /* of the port at `place` */
	uint64_t bound; /* 1: the two ports are bound to each other */
	uint64_t peer_line[5];
	uint64_t written; /* bytes, by the sender */
	uint64_t written_line[7];
	uint64_t read; /* bytes, by the owner */
	uint64_t read_line[7];
	unsigned char ring[SHM_RING_BYTES];
};

/*
 *   FREE --receiver--> OFFERED --sender maps it--> TAKEN --sender--> LEFT
 *    ^                    |                          |                |
 *    |                    |                        GIVEN --sender-----+
 *    +--------------------+---------- receiver destroys its half -----+
 *
 * GIVEN: the receiver has destroyed its half first.
 */
enum {
	SHM_ENTRY_FREE,
	SHM_ENTRY_OFFERED,
	SHM_ENTRY_TAKEN,
	SHM_ENTRY_LEFT,
	SHM_ENTRY_GIVEN
};

/* A link that the owner receives by. */
struct shm_entry {
	uint64_t state;
	uint64_t number;
	uint64_t slot_bytes;
	uint64_t offset; /* of the region in the segment */
	uint32_t peer;
	uint32_t depth;
	uint64_t reserved[3];
};

/* First bytes of the region of a link; the slots follow. */
struct shm_region {
	uint64_t ready;
	uint64_t ready_lines[15]; /* no pair of lines is shared */
	uint64_t taken;
	uint64_t taken_lines[15];
};

/* --- private memory */

struct shm_settings {
	bool one_process; /* loopback */
	bool has_name;
	uint32_t rank;
	uint32_t ranks; /* 0: not set */
	char name[SHM_NAME_BYTES + 1];
};

struct plait_backend {
	plait_host *host;
	const plait_host_services *services;
	const char *transport; /* "shm" or "loopback" */
	struct shm_settings settings;
	unsigned char machine[16];
};

enum shm_peer_state {
	SHM_PEER_UNKNOWN, /* not found yet */
	SHM_PEER_HERE,
	SHM_PEER_ENDED
};

struct shm_peer {
	enum shm_peer_state state;
	bool broken; /* has written what no port writes */
	bool closed; /* its port was closed, its process may live */
	pid_t process;
	int watch; /* pidfd */
	int segment;
	uint64_t token;
	uint64_t place; /* by which its port claims mailboxes */
	unsigned char *base; /* the mapped segment without regions */
	uint64_t written; /* bytes of mail to it */
	uint64_t read;    /* bytes of mail of it */
};

/* Where a segment can be opened. */
struct shm_where {
	pid_t process;
	int segment;
	uint64_t token; /* 0: any */
};

/* The place of a region of this port, in use or free. */
struct shm_place {
	uint64_t offset;
	uint64_t bytes; /* 0: none was ever made */
	uint64_t number;
	uint32_t peer;
	bool used;
};

struct plait_backend_port {
	plait_backend *self;
	uint32_t rank;
	uint32_t ranks;
	bool named;
	int socket; /* holds the name; -1: none */
	uint64_t order; /* of the ports that this process opened, from 1 */
	pid_t process; /* that has opened it, in the list of name.c; 0: none */
	bool is_published;
	plait_backend_port *next_named;
	int segment;
	uint64_t token;
	unsigned char *base;
	uint64_t base_bytes;
	uint64_t end; /* bytes of the segment with its regions */
	uint64_t mails_seen;
	uint32_t next_mailbox; /* where mail_next looks first */
	uint32_t idle_looks; /* of mail_next that found nothing */
	struct shm_peer *peers;
	struct shm_place *places; /* SHM_LINKS, as the directory */
	uint32_t place_count;
	uint64_t populated; /* bytes of links */
	uint64_t unlooked; /* bytes that were allocated since room was found */
	plait_backend_link *links;
};

struct plait_backend_link {
	plait_backend_link *next;
	plait_backend_port *port;
	plait_link_direction direction;
	uint32_t peer;
	uint64_t number;
	uint32_t place; /* in the receiver's directory */
	uint32_t depth;
	uint64_t stride;
	struct shm_region *region;
	uint64_t region_bytes;
	bool populated;
};

/* --- instance.c */
/* Fill the table but for `open`. */
plait_status plaitp_shm_instance_describe(const plait_host_services *services,
					  const char *name,
					  plait_backend_table *table,
					  plait_error *error);
plait_status plaitp_shm_instance_open(plait_host *host,
				      const plait_host_services *services,
				      bool one_process, plait_backend **out,
				      plait_error *error);
/* Write an error that begins with the transport's name. */
__attribute__((format(printf, 4, 5)))
plait_status plaitp_shm_fail(const plait_backend *self, plait_error *error,
			     plait_status status, const char *format, ...);
/* Zeroed; null without memory. */
void *plaitp_shm_allocate(plait_backend *self, uint64_t bytes);
void plaitp_shm_free(plait_backend *self, void *pointer, uint64_t bytes);

/* --- option.c */
plait_status plaitp_shm_option_read(plait_backend *self, plait_error *error);

/* --- segment.c: layout, creation and mapping */
uint64_t plaitp_shm_segment_bytes(uint32_t ranks); /* without regions */
struct shm_head *plaitp_shm_segment_head(unsigned char *base);
struct shm_mailbox *plaitp_shm_segment_mailbox(unsigned char *base,
					       uint32_t rank);
struct shm_entry *plaitp_shm_segment_entry(unsigned char *base, uint32_t ranks,
					   uint32_t place);
plait_status plaitp_shm_segment_create(plait_backend_port *port,
				       plait_error *error);
/* Allocate memory of the port's segment, so that no access is a signal (SIGBUS).
 * PLAIT_E_NOMEM: the segment is as before; `purpose` is in the error. */
plait_status plaitp_shm_segment_allocate(plait_backend_port *port,
					 uint64_t offset, uint64_t bytes,
					 const char *purpose,
					 plait_error *error);
/* Free the pages of a range; the segment keeps its length. */
void plaitp_shm_segment_give_back(int segment, uint64_t offset,
				  uint64_t bytes);
/* Null with errno. */
void *plaitp_shm_segment_map(int segment, uint64_t offset, uint64_t bytes);
/* Make the pages of a region, so that no message waits for them. */
void plaitp_shm_segment_populate(void *pointer, uint64_t bytes);
void plaitp_shm_segment_unmap(void *pointer, uint64_t bytes);

/* --- name.c: ports with a name hold an abstract socket, which the kernel frees
 * with the process, and by which peers find the process.  Ports of one name and
 * rank share it. */
plait_status plaitp_shm_name_take(plait_backend_port *port,
				  plait_error *error);
/* The segment is complete: listen, and let newer ports of the process use it. */
plait_status plaitp_shm_name_publish(plait_backend_port *port,
				     plait_error *error);
void plaitp_shm_name_release(plait_backend_port *port);
/* PLAIT_OK with the process; PLAIT_PENDING: no port there. */
plait_status plaitp_shm_name_find(const plait_backend_port *port,
				  uint32_t peer, pid_t *out_process,
				  plait_error *error);
/* Of the segments of the peer's ports in the process: the one with the least
 * order above `after`, or false. */
bool plaitp_shm_name_next(const plait_backend_port *port, uint32_t peer,
			  pid_t process, uint64_t after, uint64_t *out_order,
			  int *out_segment);
/* Drop the connections of peers that looked for this port. */
void plaitp_shm_name_drain(const plait_backend_port *port);
/* The name of a port's memfd. */
enum { SHM_FILE_BYTES = 160 };
void plaitp_shm_name_of_file(const plait_backend_port *port,
			     char out[SHM_FILE_BYTES]);
/* Lock of the list below and of the fields that it leads to. */
void plaitp_shm_name_lock(void);
void plaitp_shm_name_unlock(void);
/* The oldest port of this process with the port's name and rank whose order is
 * above `after`; caller holds the lock. */
plait_backend_port *plaitp_shm_name_own(const plait_backend_port *port,
					uint64_t after);

/* --- attach.c: opening the segment of a peer's port, and binding the two ports
 * to each other */
enum shm_fit {
	SHM_FIT,
	SHM_FIT_LATER, /* the port is being opened */
	SHM_FIT_NEVER, /* it was closed, or is of another world */
	SHM_FIT_VERSION /* of another version of plait */
};

/* Open and map.  PLAIT_PENDING: there is no such segment, or no process. */
plait_status plaitp_shm_attach_open(plait_backend_port *port,
				    const struct shm_where *where,
				    struct shm_peer *state,
				    plait_error *error);
void plaitp_shm_attach_close(plait_backend_port *port,
			     struct shm_peer *state);
enum shm_fit plaitp_shm_attach_examine(plait_backend_port *port, uint32_t peer,
				       const struct shm_where *where,
				       struct shm_peer *state);
plait_status plaitp_shm_attach_fail_version(plait_backend_port *port,
					    uint32_t peer,
					    const struct shm_where *where,
					    plait_error *error);
/* False: one of the ports is bound, or about to be, to another one. */
bool plaitp_shm_attach_bind(plait_backend_port *port, uint32_t peer,
			    const struct shm_peer *state);
/* Returns true if the two ports of the box are bound. */
bool plaitp_shm_attach_is_bound(const struct shm_mailbox *box);
bool plaitp_shm_attach_has_process_ended(const struct shm_peer *state);

/* --- meet.c: ports of one name meet in the order in which they were opened */
/* Bind the port to its counterpart at the peer.  PLAIT_PENDING: there is none
 * yet. */
plait_status plaitp_shm_meet(plait_backend_port *port, uint32_t peer,
			     plait_error *error);

/* --- peer.c */
/* PLAIT_OK: the peer's segment is mapped.  PLAIT_PENDING: no port of it was
 * found yet; PLAIT_E_LOST. `address` may be null. */
plait_status plaitp_shm_peer_reach(plait_backend_port *port, uint32_t peer,
				   const uint8_t *address,
				   uint32_t address_bytes, plait_error *error);
plait_status plaitp_shm_peer_query(plait_backend *self,
				   plait_backend_port *port, uint32_t peer,
				   plait_error *error);
plait_status plaitp_shm_peer_fail_lost(plait_backend_port *port, uint32_t peer,
				       plait_error *error);
void plaitp_shm_peer_forget_all(plait_backend_port *port);
/* Process, descriptor and token of a port, for peers. */
enum { SHM_ADDRESS_BYTES = 16 };
void plaitp_shm_peer_address(const plait_backend_port *port,
			     uint8_t out[SHM_ADDRESS_BYTES]);

/* --- port.c */
plait_status plaitp_shm_port_open(plait_backend *self,
				  const plait_port_request *request,
				  plait_backend_port **out,
				  plait_error *error);
void plaitp_shm_port_close(plait_backend *self, plait_backend_port *port);
plait_status plaitp_shm_port_query(plait_backend *self,
				   plait_backend_port *port, plait_port *out,
				   plait_error *error);

/* --- mail.c */
plait_status plaitp_shm_mail_send(plait_backend *self,
				  plait_backend_port *port, uint32_t peer,
				  const void *bytes, uint64_t count,
				  plait_error *error);
plait_status plaitp_shm_mail_next(plait_backend *self,
				  plait_backend_port *port, uint32_t *out_peer,
				  void *buffer, uint64_t capacity,
				  uint64_t *out_bytes, plait_error *error);

/* --- link.c */
plait_status plaitp_shm_link_create(plait_backend *self,
				    plait_backend_port *port,
				    const plait_link_request *request,
				    plait_backend_link **out,
				    plait_error *error);
void plaitp_shm_link_destroy(plait_backend *self, plait_backend_link *link);
plait_status plaitp_shm_link_view(plait_backend *self,
				  plait_backend_link *link,
				  plait_link_view *out, plait_error *error);

/* --- share.c: memory that peers read in place */
plait_status plaitp_shm_share_create(plait_backend *self,
				     plait_backend_port *port, uint64_t bytes,
				     void **out, uint64_t *out_place,
				     plait_error *error);
void plaitp_shm_share_destroy(plait_backend *self, plait_backend_port *port,
			      void *memory, uint64_t place, uint64_t bytes);
plait_status plaitp_shm_share_map(plait_backend *self,
				  plait_backend_port *port, uint32_t peer,
				  uint64_t place, uint64_t bytes,
				  const void **out, plait_error *error);
void plaitp_shm_share_unmap(plait_backend *self, plait_backend_port *port,
			    const void *memory, uint64_t bytes);

/* --- place.c: regions in the port's segment */
/* Reserve a place with a region of `bytes`; SHM_LINKS: there is none. */
plait_status plaitp_shm_place_take(plait_backend_port *port, uint64_t bytes,
				   uint32_t *out, plait_error *error);
void plaitp_shm_place_offer(plait_backend_port *port, uint32_t place,
			    const plait_link_request *request);
void plaitp_shm_place_give_back(plait_backend_port *port, uint32_t place);
/* The sender cannot use what it has taken: the offer stands again, if the receiver
 * is still there. */
void plaitp_shm_place_refuse(struct shm_entry *entry);
/* Find and take the peer's offer.  PLAIT_PENDING: there is none. */
plait_status plaitp_shm_place_accept(plait_backend_port *port,
				     const plait_link_request *request,
				     uint64_t region_bytes,
				     uint32_t *out_place, uint64_t *out_offset,
				     plait_error *error);

#endif
