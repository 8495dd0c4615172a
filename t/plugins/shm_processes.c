/* SPDX-License-Identifier: MIT */
/*
 * Transport shm between processes: a peer that is killed at any step, stopped,
 * forked, or hostile; and nothing is left behind.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "shm/shm.h"

#include "lib/ranks.h"
#include "lib/tap.h"

enum { DEPTH = 2, BYTES = 5000 };

static struct rank here;
static char name[32];

/* --- what a process may leave behind */

static unsigned count_files(const char *path)
{
	DIR *folder = opendir(path);
	unsigned count = 0;

	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

/* Returns true if a socket of the name is there. */
static bool is_name_taken(void)
{
	FILE *file = fopen("/proc/net/unix", "r");
	char line[512];
	bool found = false;

	while (file && fgets(line, sizeof(line), file))
		found = found || strstr(line, name) != NULL;
	if (file)
		fclose(file);
	return found;
}

/* Fork; the child reports nothing. */
static pid_t begin(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0 && !freopen("/dev/null", "w", stdout))
		_exit(9);
	return child;
}

/* --- ranks */

static void new_name(void)
{
	static unsigned count;

	snprintf(name, sizeof(name), "t%ld.%u", (long)getpid(), count++);
}

static bool open_rank(uint32_t rank, uint32_t count)
{
	char options[96];

	snprintf(options, sizeof(options), "rank=%u ranks=%u name=%s", rank,
		 count, name);
	return rank_load(&here, "shm", options) == PLAIT_OK &&
		rank_open(&here, NULL) == PLAIT_OK;
}

static void close_rank(void)
{
	rank_close(&here);
	rank_unload(&here);
}

static plait_status query_peer(uint32_t peer)
{
	return here.table.peer_query(here.self, here.port, peer, &here.error);
}

/* Create a half of link `number`, while the peer lives. */
static plait_status link_to(uint32_t peer, plait_link_direction direction,
			    struct half *out)
{
	uint64_t since = 0;
	plait_status status;

	do
		status = rank_link(&here, NULL, rank_link_to(
			peer, direction, 1, DEPTH, BYTES), out);
	while (status == PLAIT_PENDING && !tap_late(&since));
	return status;
}

/* Returns PLAIT_OK, or the loss of the peer. */
static plait_status await_message(struct half *half, uint32_t peer)
{
	uint64_t since = 0;
	plait_status status = PLAIT_OK;

	while (!half_can_receive(half) && status == PLAIT_OK &&
	       !tap_late(&since))
		status = query_peer(peer);
	return half_can_receive(half) ? PLAIT_OK : status;
}

static plait_status await_credit(struct half *half, uint32_t peer)
{
	uint64_t since = 0;
	plait_status status = PLAIT_OK;

	while (!half_can_send(half) && status == PLAIT_OK && !tap_late(&since))
		status = query_peer(peer);
	return half_can_send(half) ? PLAIT_OK : status;
}

/* Mail until it was received, or the peer is lost. */
static plait_status await_mail(uint32_t peer)
{
	char in[4096];
	uint64_t since = 0, bytes;
	uint32_t from;
	plait_status status, lost = PLAIT_OK;

	do {
		status = rank_look(&here, &from, in, &bytes);
		if (status == PLAIT_PENDING && lost != PLAIT_OK)
			return lost;
		if (status == PLAIT_PENDING)
			lost = query_peer(peer);
	} while (status == PLAIT_PENDING && !tap_late(&since));
	return status;
}

/* --- a peer that is killed */

enum { STEPS = 9 };

static void die_at(int step, int killed_at)
{
	if (step == killed_at)
		(void)kill(getpid(), SIGKILL);
}

/* Rank 1: mail and messages both ways. */
static void be_rank_1(int killed_at)
{
	unsigned char bytes[BYTES];
	struct half in, out;

	memset(bytes, 7, sizeof(bytes));
	if (!open_rank(1, 2))
		_exit(2);
	die_at(0, killed_at);
	if (rank_send(&here, 0, "hello", 5) != PLAIT_OK)
		_exit(3);
	die_at(1, killed_at);
	if (link_to(0, PLAIT_LINK_RECEIVE, &in) != PLAIT_OK)
		_exit(4);
	die_at(2, killed_at);
	if (link_to(0, PLAIT_LINK_SEND, &out) != PLAIT_OK)
		_exit(5);
	die_at(3, killed_at);
	for (int i = 0; i < 2 * DEPTH; i++) {
		if (await_credit(&out, 0) != PLAIT_OK)
			_exit(6);
		die_at(4 + (i > 0), killed_at);
		half_send(&out, (uint64_t)i, bytes, sizeof(bytes));
		if (await_message(&in, 0) != PLAIT_OK)
			_exit(7);
		half_receive(&in, bytes, NULL);
	}
	die_at(6, killed_at);
	half_close(&here, &in);
	half_close(&here, &out);
	die_at(7, killed_at);
	rank_close(&here);
	die_at(8, killed_at);
	rank_unload(&here);
	_exit(0);
}

/* Rank 0: the same; returns what ended it. */
static plait_status be_rank_0(void)
{
	unsigned char bytes[BYTES];
	struct half in, out;
	plait_status status = await_mail(1);

	memset(&in, 0, sizeof(in));
	memset(&out, 0, sizeof(out));
	if (status == PLAIT_OK)
		status = link_to(1, PLAIT_LINK_RECEIVE, &in);
	if (status == PLAIT_OK)
		status = link_to(1, PLAIT_LINK_SEND, &out);
	for (int i = 0; status == PLAIT_OK && i < 2 * DEPTH; i++) {
		status = await_message(&in, 1);
		if (status != PLAIT_OK)
			break;
		IS_UINT(half_receive(&in, bytes, NULL), i);
		IS_UINT(bytes[BYTES - 1], 7);
		status = await_credit(&out, 1);
		if (status == PLAIT_OK)
			half_send(&out, 0, bytes, sizeof(bytes));
	}
	half_close(&here, &in);
	half_close(&here, &out);
	return status;
}

static pid_t start_rank_1(int killed_at)
{
	pid_t child = begin();

	if (child == 0)
		be_rank_1(killed_at);
	OK(child > 0);
	return child;
}

static void end_of(pid_t child, int expected_signal)
{
	int state = 0;

	IS_INT(waitpid(child, &state, 0), child);
	if (expected_signal)
		OK(WIFSIGNALED(state) && WTERMSIG(state) == expected_signal);
	else
		OK(WIFEXITED(state) && WEXITSTATUS(state) == 0);
}

static void two_processes_exchange(void)
{
	pid_t child;

	new_name();
	child = start_rank_1(-1);
	if (OK(open_rank(0, 2)))
		IS_INT(be_rank_0(), PLAIT_OK);
	end_of(child, 0);
	close_rank();
	OK(!is_name_taken());
}

/* A killed peer is lost, named, and leaves nothing; the next world of the name
 * works. */
static void killed_peers_are_lost(void)
{
	unsigned files = count_files("/proc/self/fd");
	unsigned names = count_files("/dev/shm");
	char text[64];

	for (int step = 0; step < STEPS; step++) {
		pid_t child;
		plait_status status = PLAIT_OK;

		new_name();
		child = start_rank_1(step);
		if (!OK(open_rank(0, 2)))
			return;
		/* Killed before its first mail, it is unknown. */
		if (step > 0)
			status = be_rank_0();
		end_of(child, SIGKILL);
		if (step < 6 && step > 0)
			IS_INT(status, PLAIT_E_LOST);
		if (step > 0) {
			IS_INT(query_peer(1), PLAIT_E_LOST);
			snprintf(text, sizeof(text), "rank 1 (process %ld) ",
				 (long)child);
			HAS_STR(here.error.text, text);
		} else {
			IS_INT(here.table.mail_send(here.self, here.port, 1,
						    "x", 1, &here.error),
			       PLAIT_E_BUSY);
		}
		rank_close(&here);
		OK(!is_name_taken());
		child = start_rank_1(-1);
		IS_INT(rank_open(&here, NULL), PLAIT_OK);
		IS_INT(be_rank_0(), PLAIT_OK);
		end_of(child, 0);
		close_rank();
	}
	IS_UINT(count_files("/proc/self/fd"), files);
	IS_UINT(count_files("/dev/shm"), names);
}

/* A stop is no death; after it the peer goes on. */
static void stopped_peers_live(void)
{
	pid_t child;
	int state;

	new_name();
	child = begin();
	if (child == 0) {
		if (!open_rank(1, 2) ||
		    rank_send(&here, 0, "a", 1) != PLAIT_OK)
			_exit(1);
		(void)raise(SIGSTOP);
		_exit(rank_send(&here, 0, "b", 1) != PLAIT_OK ||
		      await_mail(0) != PLAIT_OK);
	}
	if (!OK(open_rank(0, 2)))
		return;
	IS_INT(await_mail(1), PLAIT_OK);
	IS_INT(waitpid(child, &state, WUNTRACED), child);
	OK(WIFSTOPPED(state));
	IS_INT(query_peer(1), PLAIT_OK);
	IS_INT(rank_send(&here, 1, "c", 1), PLAIT_OK);
	IS_INT(kill(child, SIGCONT), 0);
	IS_INT(await_mail(1), PLAIT_OK);
	end_of(child, 0);
	IS_INT(query_peer(1), PLAIT_E_LOST);
	close_rank();
}

/* --- ranks and names */

static void a_rank_is_taken_once(void)
{
	int ready[2], leave[2];
	char byte;
	pid_t child;

	new_name();
	if (!OK(pipe(ready) == 0 && pipe(leave) == 0))
		return;
	child = begin();
	if (child == 0) {
		(void)close(leave[1]);
		if (!open_rank(0, 2) || write(ready[1], "x", 1) != 1)
			_exit(1);
		_exit(read(leave[0], &byte, 1) != 0);
	}
	IS_INT(read(ready[0], &byte, 1), 1);
	OK(!open_rank(0, 2));
	IS_INT(here.error.status, PLAIT_E_INVALID);
	HAS_STR(here.error.text, "is taken by process");
	rank_unload(&here);
	(void)close(leave[1]);
	end_of(child, 0);
	if (OK(open_rank(0, 2)))
		close_rank();
	(void)close(ready[0]);
	(void)close(ready[1]);
	(void)close(leave[0]);
}

/* A child that holds copies of the descriptors disturbs nothing; only its
 * parent's next port of the name waits for it. */
static void forks_are_harmless(void)
{
	int leave[2];
	char byte;
	pid_t holder, child;

	new_name();
	if (!OK(pipe(leave) == 0) || !OK(open_rank(0, 2)))
		return;
	holder = begin();
	if (holder == 0) {
		(void)close(leave[1]);
		_exit(read(leave[0], &byte, 1) != 0);
	}
	child = start_rank_1(-1);
	IS_INT(be_rank_0(), PLAIT_OK);
	end_of(child, 0);
	rank_close(&here);
	IS_INT(rank_open(&here, NULL), PLAIT_E_BUSY);
	HAS_STR(here.error.text, "a process forked before holds its name");
	(void)close(leave[1]);
	end_of(holder, 0);
	IS_INT(rank_open(&here, NULL), PLAIT_OK);
	close_rank();
	(void)close(leave[0]);
}

/* --- a hostile peer */

static uint64_t draw(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

/* Map the segment of an address: process, descriptor. */
static unsigned char *map_segment(const uint8_t *address, uint64_t *out_bytes)
{
	uint32_t words[2];
	struct stat facts;
	char path[64];
	void *base;
	int file;

	memcpy(words, address, sizeof(words));
	snprintf(path, sizeof(path), "/proc/%u/fd/%u", words[0], words[1]);
	file = open(path, O_RDWR);
	if (file < 0 || fstat(file, &facts) != 0)
		return NULL;
	*out_bytes = (uint64_t)facts.st_size;
	base = mmap(NULL, *out_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file,
		    0);
	(void)close(file);
	return base == MAP_FAILED ? NULL : base;
}

/* Write words that are likely to be taken for something: small numbers, large
 * ones, and numbers near those that are there. */
static void scribble(unsigned char *base, uint64_t bytes, uint64_t *random)
{
	uint64_t *words = (uint64_t *)(void *)base;
	uint64_t kind = draw(random) % 4;
	uint64_t at = draw(random) % (bytes / 8);

	if (draw(random) % 2)
		at %= 64;
	words[at] = kind == 0 ? draw(random) :
		kind == 1 ? draw(random) % 5 :
		kind == 2 ? words[at] + draw(random) % 4097 - 2048 :
		UINT64_MAX - draw(random) % 3;
}

static void be_hostile(uint64_t seed, int told)
{
	uint64_t bytes[2], random = seed;
	unsigned char *bases[2];
	uint8_t address[64];
	struct half in;

	if (!open_rank(1, 2) || read(told, address, 64) != 64)
		_exit(2);
	bases[0] = map_segment(address, &bytes[0]);
	bases[1] = map_segment(here.facts.address, &bytes[1]);
	if (!bases[0] || !bases[1] ||
	    rank_send(&here, 0, "hello", 5) != PLAIT_OK ||
	    link_to(0, PLAIT_LINK_RECEIVE, &in) != PLAIT_OK)
		_exit(3);
	for (;;) {
		uint64_t which = draw(&random) % 2;

		scribble(bases[which], bytes[which], &random);
	}
}

/* Call every slot; results do not matter, but that they come. */
static void use_port(uint64_t *random)
{
	struct half halves[4];
	char in[4096];
	uint64_t bytes;
	uint32_t peer;

	for (int i = 0; i < 4; i++)
		(void)rank_link(&here, NULL, rank_link_to(
			1, draw(random) % 2, draw(random) % 3, DEPTH, BYTES),
			&halves[i]);
	for (int i = 0; i < 50; i++) {
		(void)here.table.mail_send(here.self, here.port, 1, in,
					   1 + draw(random) % 4096,
					   &here.error);
		(void)rank_look(&here, &peer, in, &bytes);
		(void)query_peer(1);
	}
	for (int i = 0; i < 4; i++)
		half_close(&here, &halves[i]);
}

static void hostile_peers_do_not_crash_us(void)
{
	uint64_t seed = tap_seed(), refused = 0;

	for (unsigned round = 0; round < (tap_soak() ? 500 : 12); round++) {
		uint64_t random = seed + round;
		int told[2];
		pid_t child;

		new_name();
		if (!OK(pipe(told) == 0))
			return;
		child = begin();
		if (child == 0)
			be_hostile(seed + round, told[0]);
		if (!OK(open_rank(0, 2)))
			return;
		IS_INT(write(told[1], here.facts.address, 64), 64);
		(void)await_mail(1);
		for (int i = 0; i < 200; i++)
			use_port(&random);
		refused += strstr(here.error.text, "what no port writes") != 0;
		(void)kill(child, SIGKILL);
		end_of(child, SIGKILL);
		close_rank();
		(void)close(told[0]);
		(void)close(told[1]);
	}
	NOTE("%" PRIu64 " peers were refused", refused);
	two_processes_exchange();
}

/* The segment is sealed: it cannot shrink under its readers. */
static void segments_cannot_shrink(void)
{
	uint32_t words[2];
	char path[64];
	int file;

	new_name();
	if (!OK(open_rank(0, 2)))
		return;
	memcpy(words, here.facts.address, sizeof(words));
	snprintf(path, sizeof(path), "/proc/%u/fd/%u", words[0], words[1]);
	file = open(path, O_RDWR);
	OK(file >= 0);
	OK(ftruncate(file, 0) != 0);
	(void)close(file);
	close_rank();
}

/* A receiver that offers slots which are not in its segment is lost. */
static void offers_are_checked(void)
{
	enum { AT_END = 1 };
	static const uint64_t offsets[] = {
		0, SHM_PAGE, UINT64_C(1) << 40, UINT64_MAX - SHM_PAGE + 1, 100,
		AT_END,
	};
	static struct rank ends[2];

	for (size_t i = 0; i < TAP_COUNT(offsets); i++) {
		struct shm_entry *entry;
		struct half in, out;
		uint64_t bytes;
		unsigned char *base;

		new_name();
		if (!ranks_open(ends, 2, "shm", name))
			return;
		IS_INT(rank_link(&ends[0], NULL, rank_link_to(1, 1, 1, 2, 64),
				 &in), PLAIT_OK);
		base = map_segment(ends[0].facts.address, &bytes);
		if (!OK(base != NULL))
			return;
		entry = (struct shm_entry *)(void *)
			(base + sizeof(struct shm_head) +
			 2 * sizeof(struct shm_mailbox));
		IS_UINT(entry->state, SHM_ENTRY_OFFERED);
		entry->offset = offsets[i] == AT_END ? bytes : offsets[i];
		IS_INT(rank_link(&ends[1], NULL, rank_link_to(0, 0, 1, 2, 64),
				 &out), PLAIT_E_LOST);
		HAS_STR(ends[1].error.text, "what no port writes");
		(void)munmap(base, bytes);
		half_close(&ends[0], &in);
		ranks_close(ends, 2);
	}
}

static const struct tap_scenario all[] = {
	{ "two processes exchange", two_processes_exchange },
	{ "killed peers are lost", killed_peers_are_lost },
	{ "stopped peers live", stopped_peers_live },
	{ "a rank is taken once", a_rank_is_taken_once },
	{ "forks are harmless", forks_are_harmless },
	{ "hostile peers do not crash us", hostile_peers_do_not_crash_us },
	{ "offers are checked", offers_are_checked },
	{ "segments cannot shrink", segments_cannot_shrink },
};

TAP_MAIN(all)
