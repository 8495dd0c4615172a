/* SPDX-License-Identifier: MIT */
/*
 * MPI in this process: its launcher, initialisation, the communicators of plait,
 * and the end.
 *
 * MPI can be initialised once in a process, so it outlives instances and ports:
 * what the plugin has initialised it finalises when the process exits with
 * status 0.  For each communicator of the program there is one of plait, made
 * at the first port and kept as an attribute, so that no later port has to wait
 * for other ranks.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "driven/process_state.h"
#include "port.h"

/* Time for all ranks to come to their first port. */
#define DUP_WAIT_NS UINT64_C(60000000000)

static struct {
	pthread_mutex_t lock; /* guards the fields below, and all calls of MPI */
	bool has_key;
	int key;	   /* attribute of communicators: struct mpi_base */
	uint32_t links;	   /* made so far */
	pid_t initialized; /* process that the plugin initialised MPI in */
	bool finalizes;	   /* the lock is held by finalize() */
	struct mpi_base *bases; /* all that were made */
	struct mpi_calls mpi;
} process = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* --- launchers ------------------------------------------------------------ */

#ifdef OPEN_MPI
#define LAUNCHER "Open MPI's mpirun"
static const char *const variables[] = {
	"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE"
};
#else
#define LAUNCHER "MPICH's mpirun"
static const char *const variables[] = { "PMI_RANK", "PMI_FD", "PMI_PORT" };
#endif

plait_status plaitp_mpi_process_check(plait_backend *self,
				      plait_error *error)
{
	const char *option = self->driven.services->option(self->driven.host,
							   "alone");
	size_t i;

	if (plaitp_mpi_is_initialized(self->mpi) ||
	    (option != NULL && option[0] == '1' && option[1] == '\0'))
		return PLAIT_OK;
	for (i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (plaitp_driven_process_variable(variables[i]) != NULL)
			return PLAIT_OK;
	return plaitp_driven_fail(self->driven.services, error,
				  PLAIT_E_UNAVAILABLE, 0, MPI_PLUGIN_NAME
				  ": " LAUNCHER " did not start the process "
				  "(no %s), nor is it initialised; PLAIT_OPTIONS="
				  MPI_PLUGIN_NAME ":alone=1 makes it one rank",
				  variables[0]);
}

/* --- initialisation ------------------------------------------------------- */

/* A failed process does not wait for others in MPI_Finalize; its launcher ends
 * them.  Threads that still wait in worlds call slots meanwhile, and later. */
static void finalize(int status, void *unused)
{
	(void)unused;
	if (status != 0 || process.initialized != getpid())
		return;
	plaitp_mpi_process_lock();
	process.finalizes = true;
	if (plaitp_mpi_is_initialized(&process.mpi))
		process.mpi.Finalize();
	process.finalizes = false;
	plaitp_mpi_process_unlock();
}

/* MPI_Finalize deletes this attribute of MPI_COMM_SELF first, while MPI still works:
 * for the plugin, or for the program that has initialised MPI. */
static int remove_self(MPI_Comm comm, int key, void *in, void *data)
{
	(void)comm;
	(void)key;
	(void)in;
	(void)data;
	if (!process.finalizes)
		plaitp_mpi_process_lock();
	plaitp_mpi_drain(&process.mpi, process.bases);
	if (!process.finalizes)
		plaitp_mpi_process_unlock();
	return MPI_SUCCESS;
}

static plait_status initialize(plait_backend *self, plait_error *error)
{
	struct driven_process_state before;
	int code, ended = 0, provided = 0;
	plait_status status;

	self->mpi->Finalized(&ended);
	if (ended)
		return plaitp_driven_fail(self->driven.services, error,
					  PLAIT_E_UNAVAILABLE, 0,
					  MPI_PLUGIN_NAME ": the program has "
					  "finalised MPI; open worlds before "
					  "that");
	status = plaitp_driven_process_save(&self->driven, &before, error);
	if (status != PLAIT_OK)
		return status;
	code = self->mpi->Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED,
				      &provided);
	plaitp_driven_process_restore(&self->driven, &before);
	if (code != MPI_SUCCESS)
		return plaitp_mpi_fail(self, error, "Init_thread", code);
	process.mpi = self->calls;
	process.initialized = getpid();
	on_exit(finalize, NULL);
	/* Nothing else uses it: a failure there would end the process. */
	self->mpi->Comm_set_errhandler(self->mpi->world,
				       self->mpi->errors_return);
	return PLAIT_OK;
}

/* --- communicators -------------------------------------------------------- */

/* Wait until all ranks have come; all of them open their ports in one order. */
static plait_status await(plait_backend *self, MPI_Request *request,
			  plait_error *error)
{
	const plait_host_services *services = self->driven.services;
	uint64_t end = services->clock_ns(self->driven.host) + DUP_WAIT_NS;
	int code, done = 0;

	for (;;) {
		code = self->mpi->Test(request, &done, MPI_STATUS_IGNORE);
		if (code != MPI_SUCCESS)
			return plaitp_mpi_fail(self, error, "Comm_idup", code);
		if (done)
			return PLAIT_OK;
		if (services->clock_ns(self->driven.host) > end)
			return plaitp_driven_fail(
				services, error, PLAIT_E_TIMEOUT, 0,
				MPI_PLUGIN_NAME ": after 60 s not every rank "
				"has opened a world on this communicator");
		/* Other worlds of the process go on. */
		plaitp_mpi_process_unlock();
		sched_yield();
		plaitp_mpi_process_lock();
	}
}

static plait_status describe(plait_backend *self, struct mpi_base *base,
			     plait_error *error)
{
	const struct mpi_calls *mpi = self->mpi;
	int code, found = 0, *most = NULL;

	mpi->Comm_set_errhandler(base->comm, mpi->errors_return);
	code = mpi->Comm_rank(base->comm, &base->rank);
	if (code == MPI_SUCCESS)
		code = mpi->Comm_size(base->comm, &base->ranks);
	if (code != MPI_SUCCESS)
		return plaitp_mpi_fail(self, error, "Comm_size", code);
	mpi->Comm_get_attr(base->comm, MPI_TAG_UB, &most, &found);
	base->tags = found && *most > 0 ? (uint32_t)*most : 32767;
	if (base->tags < 4 * MAIL_TAGS)
		return plaitp_driven_fail(
			self->driven.services, error, PLAIT_E_UNSUPPORTED, 0,
			MPI_PLUGIN_NAME ": its largest tag is %u; %u is "
			"needed", base->tags, 4 * MAIL_TAGS);
	return PLAIT_OK;
}

/* Make the communicator of plait for `comm`, which has `base` meanwhile, so that
 * no other thread of this process does so, too. */
static plait_status fill_base(plait_backend *self, MPI_Comm comm,
			      struct mpi_base *base, plait_error *error)
{
	MPI_Request request;
	plait_status status;
	int code = self->mpi->Comm_idup(comm, &base->comm, &request);

	if (code != MPI_SUCCESS)
		return plaitp_mpi_fail(self, error, "Comm_idup", code);
	status = await(self, &request, error);
	return status == PLAIT_OK ? describe(self, base, error) : status;
}

/* A base that failed is never freed: other ranks may have succeeded, and other
 * threads look at it. */
static plait_status make_base(plait_backend *self, MPI_Comm comm,
			      struct mpi_base **out, plait_error *error)
{
	struct mpi_base *base = plaitp_mpi_map(sizeof(*base));
	plait_status status;
	int code;

	*out = base;
	if (base == NULL)
		return plaitp_driven_fail(self->driven.services, error,
					  PLAIT_E_NOMEM, 0, MPI_PLUGIN_NAME
					  ": no memory for a communicator");
	code = self->mpi->Comm_set_attr(comm, process.key, base);
	if (code != MPI_SUCCESS) {
		plaitp_mpi_unmap(base, sizeof(*base));
		return plaitp_mpi_fail(self, error, "Comm_set_attr", code);
	}
	base->next = process.bases;
	process.bases = base;
	status = fill_base(self, comm, base, error);
	base->state = status == PLAIT_OK ? BASE_READY : BASE_FAILED;
	return status;
}

/* Another thread is making the base. */
static plait_status await_base(plait_backend *self, struct mpi_base *base,
			       plait_error *error)
{
	while (base->state == BASE_BEING_MADE) {
		plaitp_mpi_process_unlock();
		sched_yield();
		plaitp_mpi_process_lock();
	}
	if (base->state == BASE_READY)
		return PLAIT_OK;
	return plaitp_driven_fail(self->driven.services, error,
				  PLAIT_E_FAILED, 0, MPI_PLUGIN_NAME
				  ": another thread could not duplicate the "
				  "communicator");
}

static int copy_none(MPI_Comm comm, int key, void *data, void *in, void *out,
		     int *flag)
{
	(void)comm;
	(void)key;
	(void)data;
	(void)in;
	(void)out;
	*flag = 0;
	return MPI_SUCCESS;
}

static int remove_none(MPI_Comm comm, int key, void *in, void *data)
{
	(void)comm;
	(void)key;
	(void)in;
	(void)data;
	return MPI_SUCCESS;
}

/* Attributes: of communicators, and the one that tells MPI's end. */
static plait_status make_keys(plait_backend *self, plait_error *error)
{
	const struct mpi_calls *mpi = self->mpi;
	int end, code = mpi->Comm_create_keyval(copy_none, remove_none,
						&process.key, NULL);

	if (code == MPI_SUCCESS)
		code = mpi->Comm_create_keyval(copy_none, remove_self, &end,
					       NULL);
	process.mpi = self->calls;
	if (code == MPI_SUCCESS)
		code = mpi->Comm_set_attr(mpi->self, end, &process);
	if (code != MPI_SUCCESS)
		return plaitp_mpi_fail(self, error, "Comm_create_keyval", code);
	process.has_key = true;
	return PLAIT_OK;
}

static plait_status find_base(plait_backend *self, MPI_Comm comm,
			      struct mpi_base **out, plait_error *error)
{
	plait_status status = PLAIT_OK;
	int code, found = 0;

	if (!process.has_key)
		status = make_keys(self, error);
	if (status != PLAIT_OK)
		return status;
	plaitp_mpi_sent_sweep(self->mpi);
	code = self->mpi->Comm_get_attr(comm, process.key, out, &found);
	if (code != MPI_SUCCESS)
		return plaitp_mpi_fail(self, error, "Comm_get_attr", code);
	if (found && (*out)->state == BASE_READY)
		return PLAIT_OK;
	return found && (*out)->state == BASE_BEING_MADE ?
		       await_base(self, *out, error) :
		       make_base(self, comm, out, error);
}

/* A communicator that is none is an error of MPI, which ends the process by
 * default: on MPI_COMM_WORLD, since MPI 4 on MPI_COMM_SELF. */
static plait_status check_comm(plait_backend *self, MPI_Comm comm,
			       plait_error *error)
{
	const struct mpi_calls *mpi = self->mpi;
	const MPI_Comm raised_on[2] = { mpi->world, mpi->self };
	MPI_Errhandler before[2];
	int code, size;

	for (int i = 0; i < 2; i++) {
		mpi->Comm_get_errhandler(raised_on[i], &before[i]);
		mpi->Comm_set_errhandler(raised_on[i], mpi->errors_return);
	}
	code = comm ? mpi->Comm_size(comm, &size) : MPI_ERR_COMM;
	for (int i = 0; i < 2; i++) {
		mpi->Comm_set_errhandler(raised_on[i], before[i]);
		mpi->Errhandler_free(&before[i]);
	}
	if (code == MPI_SUCCESS)
		return PLAIT_OK;
	return plaitp_driven_fail(self->driven.services, error,
				  PLAIT_E_INVALID, code, MPI_PLUGIN_NAME
				  ": plait_world_desc.native is no "
				  "communicator; give it as MPI_Comm_c2f does");
}

/* The communicator of the request, or MPI_COMM_WORLD. */
static plait_status find_comm(plait_backend *self,
			      const plait_port_request *request, MPI_Comm *out,
			      plait_error *error)
{
	*out = self->mpi->world;
	if (request->native_kind == 0)
		return PLAIT_OK;
	if (request->native != (uint64_t)(MPI_Fint)request->native &&
	    request->native != (uint32_t)request->native)
		return plaitp_driven_fail(
			self->driven.services, error, PLAIT_E_INVALID, 0,
			MPI_PLUGIN_NAME ": plait_world_desc.native is larger "
			"than a communicator of Fortran");
	*out = self->mpi->comm_from_fortran((MPI_Fint)request->native);
	if (*out == self->mpi->no_comm)
		return plaitp_driven_fail(
			self->driven.services, error, PLAIT_E_INVALID, 0,
			MPI_PLUGIN_NAME ": the communicator is MPI_COMM_NULL");
	return check_comm(self, *out, error);
}

plait_status plaitp_mpi_process_base(plait_backend *self,
				     const plait_port_request *request,
				     struct mpi_base **out,
				     plait_error *error)
{
	plait_status status = PLAIT_OK;
	MPI_Comm comm;

	if (!plaitp_mpi_is_initialized(self->mpi))
		status = initialize(self, error);
	if (status == PLAIT_OK)
		status = find_comm(self, request, &comm, error);
	if (status != PLAIT_OK)
		return status;
	status = find_base(self, comm, out, error);
	if (status == PLAIT_OK)
		(*out)->worlds++;
	return status;
}

void plaitp_mpi_process_lock(void)
{
	pthread_mutex_lock(&process.lock);
}

void plaitp_mpi_process_unlock(void)
{
	pthread_mutex_unlock(&process.lock);
}

plait_status plaitp_mpi_process_enter(const plait_backend *self,
				      plait_error *error)
{
	plaitp_mpi_process_lock();
	if (plaitp_mpi_is_initialized(self->mpi))
		return PLAIT_OK;
	plaitp_mpi_process_unlock();
	return plaitp_driven_fail(self->driven.services, error, PLAIT_E_LOST,
				  0, MPI_PLUGIN_NAME ": MPI was finalised; "
				  "close the context before");
}

uint32_t plaitp_mpi_process_next_link(void)
{
	return process.links++;
}
