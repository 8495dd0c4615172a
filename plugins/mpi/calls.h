/* SPDX-License-Identifier: MIT */
/*
 * Table of all MPI functions that are used, and the predefined handles.
 * library.c derives the function pointers and the names to look up.
 *
 *   CALL(name, parameters)   MPI_<name>; returns an MPI error code
 *
 * The header is that of the MPI which the plugin is compiled for; the library is
 * opened, never linked.
 */
#ifndef PLAITP_MPI_CALLS_H
#define PLAITP_MPI_CALLS_H

#include <mpi.h>

#ifdef OPEN_MPI
#define MPI_PLUGIN_NAME "openmpi"
#else
#define MPI_PLUGIN_NAME "mpich"
#endif

#define MPI_CALLS(CALL) \
	CALL(Get_library_version, (char *text, int *length)) \
	CALL(Initialized, (int *flag)) \
	CALL(Finalized, (int *flag)) \
	CALL(Init_thread, \
	     (int *argc, char ***argv, int required, int *provided)) \
	CALL(Finalize, (void)) \
	CALL(Comm_rank, (MPI_Comm comm, int *rank)) \
	CALL(Comm_size, (MPI_Comm comm, int *size)) \
	CALL(Comm_idup, (MPI_Comm comm, MPI_Comm *out, MPI_Request *request)) \
	CALL(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler)) \
	CALL(Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler *out)) \
	CALL(Errhandler_free, (MPI_Errhandler *handler)) \
	CALL(Comm_create_keyval, \
	     (MPI_Comm_copy_attr_function *copy, \
	      MPI_Comm_delete_attr_function *remove, int *key, void *data)) \
	CALL(Comm_set_attr, (MPI_Comm comm, int key, void *value)) \
	CALL(Comm_get_attr, (MPI_Comm comm, int key, void *out, int *flag)) \
	CALL(Isend, (const void *bytes, int count, MPI_Datatype type, \
		     int peer, int tag, MPI_Comm comm, MPI_Request *out)) \
	CALL(Irecv, (void *bytes, int count, MPI_Datatype type, int peer, \
		     int tag, MPI_Comm comm, MPI_Request *out)) \
	CALL(Iprobe, (int peer, int tag, MPI_Comm comm, int *flag, \
		      MPI_Status *out)) \
	CALL(Ibarrier, (MPI_Comm comm, MPI_Request *out)) \
	CALL(Test, (MPI_Request *request, int *flag, MPI_Status *out)) \
	CALL(Testsome, (int count, MPI_Request *requests, int *out_count, \
			int *indices, MPI_Status *statuses)) \
	CALL(Cancel, (MPI_Request *request)) \
	CALL(Test_cancelled, (const MPI_Status *status, int *flag)) \
	CALL(Request_free, (MPI_Request *request)) \
	CALL(Get_count, \
	     (const MPI_Status *status, MPI_Datatype type, int *count)) \
	CALL(Error_class, (int code, int *class)) \
	CALL(Error_string, (int code, char *text, int *length))

#define MPI_POINTER(name, parameters) int (*name) parameters;
struct mpi_calls {
	MPI_CALLS(MPI_POINTER)
	MPI_Comm (*comm_from_fortran)(MPI_Fint comm);
	/* Predefined handles, of which some MPIs have the addresses only. */
	MPI_Comm world;
	MPI_Comm self;
	MPI_Comm no_comm;
	MPI_Datatype byte;
	MPI_Errhandler errors_return;
	MPI_Request no_request;
};

#endif
