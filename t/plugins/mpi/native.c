/* SPDX-License-Identifier: MIT */
/*
 * Scenarios of programs that initialise MPI themselves: communicators that they
 * pass, numbers that are none, first ports that two threads open at once, and a
 * rank that has no port.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "native.h"
#include "rank.h"

static void *find(void *library, const char *name)
{
	void *out = dlsym(library, name);

	MUST(out != NULL);
	return out;
}

/* MPI_Comm_c2f(MPI_COMM_WORLD), without a header of either MPI. */
static uint64_t fortran_world(void *library)
{
	int (*convert)(void *);
	void *found;

	if (strcmp(rank.plugin, "mpich") == 0)
		return 0x44000000;
	found = find(library, "MPI_Comm_c2f");
	memcpy(&convert, &found, sizeof(found));
	return (uint64_t)(uint32_t)convert(find(library,
						"ompi_mpi_comm_world"));
}

/* The program initialises MPI, and finalises it after the world. */
void native(void)
{
	bool is_mpich = strcmp(rank.plugin, "mpich") == 0;
	void *library = dlopen(is_mpich ? "libmpich.so.12" : "libmpi.so.40",
			       RTLD_NOW);
	int (*call)(void *, void *), (*finalize)(void), flag = 0;
	int (*finalized)(int *);
	uint32_t turn;
	void *found;

	MUST(library != NULL);
	found = find(library, "MPI_Init");
	memcpy(&call, &found, sizeof(found));
	found = find(library, "MPI_Finalize");
	memcpy(&finalize, &found, sizeof(found));
	found = find(library, "MPI_Finalized");
	memcpy(&finalized, &found, sizeof(found));
	MUST(call(NULL, NULL) == 0);
	for (turn = 0; turn < 3; turn++) {
		rank_open(turn == 1 ? 0 : fortran_world(library));
		rank_meet();
		rank_close();
	}
	MUST(finalized(&flag) == 0 && flag == 0);
	MUST(finalize() == 0);
	fakehost_init(&rank.host, "");
	MUST(fakehost_load(rank.plugin, &rank.table));
	MUST(fakehost_open(&rank.host, &rank.table, &rank.self,
			   &rank.error) == PLAIT_OK);
	MUST(rank.table.port_open(rank.self,
				  &(plait_port_request){
					  .size =
					  sizeof(plait_port_request) },
				  &rank.port, &rank.error) ==
	     PLAIT_E_UNAVAILABLE);
	rank.table.close(rank.self);
	fakehost_fini(&rank.host);
}

/* Initialise MPI as a program does; returns its library. */
static void *begin_mpi(void)
{
	int (*call)(void *, void *, int, int *), provided;
	bool is_mpich = strcmp(rank.plugin, "mpich") == 0;
	void *library = dlopen(is_mpich ? "libmpich.so.12" : "libmpi.so.40",
			       RTLD_NOW);
	void *found;

	MUST(library != NULL);
	found = find(library, "MPI_Init_thread");
	memcpy(&call, &found, sizeof(found));
	MUST(call(NULL, NULL, 2, &provided) == 0 && provided >= 2);
	return library;
}

static void end_mpi(void *library)
{
	void *found = find(library, "MPI_Finalize");
	int (*finalize)(void);

	memcpy(&finalize, &found, sizeof(found));
	MUST(finalize() == 0);
}

static bool is_first_rank(void)
{
	const char *number = getenv("PMI_RANK") ? getenv("PMI_RANK") :
				     getenv("OMPI_COMM_WORLD_RANK");

	return strcmp(number, "0") == 0;
}

struct opener {
	fakehost host;
	plait_backend *self;
	plait_backend_port *port;
	plait_error error;
	plait_status status;
};

static void *open_first(void *arg)
{
	const plait_port_request request = { .size = sizeof(request) };
	struct opener *opener = arg;

	opener->status = rank.table.port_open(opener->self, &request,
					      &opener->port, &opener->error);
	return NULL;
}

/* Two threads of rank 0 open the first ports at once, while rank 1, which opens
 * them one behind the other, is late: one of them duplicates the communicator. */
void threads(void)
{
	static struct opener openers[2];
	void *library = begin_mpi();
	bool is_first = is_first_rank();
	pthread_t started[2];

	MUST(fakehost_load(rank.plugin, &rank.table));
	for (int i = 0; i < 2; i++) {
		fakehost_init(&openers[i].host, "");
		openers[i].error.size = sizeof(openers[i].error);
		MUST(fakehost_open(&openers[i].host, &rank.table,
				   &openers[i].self, &rank.error) == PLAIT_OK);
	}
	for (int i = 0; i < 20000 && !is_first; i++)
		sched_yield();
	for (int i = 0; i < 2 && is_first; i++)
		MUST(pthread_create(&started[i], NULL, open_first,
				    &openers[i]) == 0);
	for (int i = 0; i < 2; i++) {
		if (is_first)
			MUST(pthread_join(started[i], NULL) == 0);
		else
			open_first(&openers[i]);
	}
	rank_open(0);
	rank_meet();
	for (int i = 0; i < 2; i++) {
		rank.error = openers[i].error;
		MUST(openers[i].status == PLAIT_OK);
		rank.table.port_close(openers[i].self, openers[i].port);
		rank.table.close(openers[i].self);
		fakehost_fini(&openers[i].host);
	}
	rank_close();
	end_mpi(library);
}

/* Duplicate the communicator of all ranks, as the plugin does. */
static void duplicate(void *library)
{
	static union {
		int number;
		void *pointer;
	} copy, request;
	bool is_mpich = strcmp(rank.plugin, "mpich") == 0;
	void *found = find(library, "MPI_Comm_idup");
	int (*numbers)(int, int *, int *);
	int (*pointers)(void *, void **, void **);
	int (*wait)(void *, void *);
	/* Room for a status of either MPI. */
	uint64_t status[16];

	memcpy(&numbers, &found, sizeof(found));
	memcpy(&pointers, &found, sizeof(found));
	MUST(is_mpich ? numbers((int)fortran_world(library), &copy.number,
				&request.number) == 0 :
			pointers(find(library, "ompi_mpi_comm_world"),
				 &copy.pointer, &request.pointer) == 0);
	found = find(library, "MPI_Wait");
	memcpy(&wait, &found, sizeof(found));
	MUST(wait(&request, status) == 0);
}

/* One rank has a communicator of the plugin, of which the other one, without a
 * port, does not know at the end. */
void absent(void)
{
	void *library = begin_mpi();

	if (is_first_rank()) {
		rank_open(fortran_world(library));
		rank_close();
	} else {
		duplicate(library);
	}
	end_mpi(library);
}

/* Numbers that are no communicator are refused, and the program's error handlers
 * are as before. */
void invalid(void)
{
	static const uint64_t numbers[] = { 1234567, 0x7fffffff, 0xffffffff,
					    UINT64_C(1) << 40, 999 };
	void *library = begin_mpi(), *found, *before = NULL, *after = NULL;
	int (*handler)(int, void **);

	found = find(library, "MPI_Comm_get_errhandler");
	memcpy(&handler, &found, sizeof(found));
	if (strcmp(rank.plugin, "mpich") == 0)
		MUST(handler((int)fortran_world(library), &before) == 0);
	fakehost_init(&rank.host, "");
	MUST(fakehost_load(rank.plugin, &rank.table));
	MUST(fakehost_open(&rank.host, &rank.table, &rank.self,
			   &rank.error) == PLAIT_OK);
	for (size_t i = 0; i < 100 * sizeof(numbers) / sizeof(*numbers); i++) {
		plait_port_request request = {
			.size = sizeof(request), .native = numbers[i / 100],
			.native_kind = PLAIT_NATIVE_MPI_COMM,
		};

		MUST(rank.table.port_open(rank.self, &request, &rank.port,
					  &rank.error) == PLAIT_E_INVALID);
		MUST(strstr(rank.error.text, "communicator") != NULL);
	}
	rank.table.close(rank.self);
	fakehost_fini(&rank.host);
	if (strcmp(rank.plugin, "mpich") == 0)
		MUST(handler((int)fortran_world(library), &after) == 0);
	MUST(before == after);
	rank_open(fortran_world(library));
	rank_meet();
	rank_close();
	end_mpi(library);
}
