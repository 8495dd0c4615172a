/* SPDX-License-Identifier: MIT */
/*
 * MPI's library: opened by name with the instance, never linked and never
 * unloaded.  A program that is linked to this MPI has it loaded; the same file
 * is found then.
 */
#include <dlfcn.h>
#include <string.h>
#include <sys/auxv.h>

#include "driven/process_state.h"
#include "port.h"

#ifdef OPEN_MPI
#define VERSION_TEXT "Open MPI"
#define DLOPEN_NOTE \
	"[{\"feature\":\"openmpi\",\"description\":\"Connects ranks by Open " \
	"MPI\",\"priority\":\"optional\",\"soname\":[\"libmpi.so.40\"]}]"
static const char *const libraries[] = { "libmpi.so.40" };
#else
#define VERSION_TEXT "MPICH"
#define DLOPEN_NOTE \
	"[{\"feature\":\"mpich\",\"description\":\"Connects ranks by " \
	"MPICH\",\"priority\":\"optional\",\"soname\":[\"libmpich.so.12\"," \
	"\"libmpi.so.12\"]}]"
static const char *const libraries[] = { "libmpich.so.12", "libmpi.so.12" };
#endif

/* ELF note of libraries that are opened and not linked, which the linker cannot
 * record. */
static const struct {
	uint32_t owner_bytes, text_bytes, type;
	char owner[4];
	char text[(sizeof(DLOPEN_NOTE) + 3) / 4 * 4];
} dlopen_note __attribute__((section(".note.dlopen"), used, aligned(4))) = {
	4, sizeof(DLOPEN_NOTE), 0x407c0c0a, "FDO", DLOPEN_NOTE
};

#define MPI_NAME(name, parameters) \
	{ "MPI_" #name, offsetof(struct mpi_calls, name) },

static const struct {
	const char *name;
	size_t offset;
} symbols[] = {
	MPI_CALLS(MPI_NAME)
#ifdef OPEN_MPI
	{ "MPI_Comm_f2c", offsetof(struct mpi_calls, comm_from_fortran) },
	{ "ompi_mpi_comm_world", offsetof(struct mpi_calls, world) },
	{ "ompi_mpi_comm_self", offsetof(struct mpi_calls, self) },
	{ "ompi_mpi_comm_null", offsetof(struct mpi_calls, no_comm) },
	{ "ompi_mpi_byte", offsetof(struct mpi_calls, byte) },
	{ "ompi_mpi_errors_return",
	  offsetof(struct mpi_calls, errors_return) },
	{ "ompi_request_null", offsetof(struct mpi_calls, no_request) },
#endif
};

#ifdef OPEN_MPI
static void set_handles(struct mpi_calls *out)
{
	(void)out;
}
#else
static MPI_Comm from_fortran(MPI_Fint comm)
{
	return (MPI_Comm)comm;
}

static void set_handles(struct mpi_calls *out)
{
	out->comm_from_fortran = from_fortran;
	out->world = MPI_COMM_WORLD;
	out->self = MPI_COMM_SELF;
	out->no_comm = MPI_COMM_NULL;
	out->byte = MPI_BYTE;
	out->errors_return = MPI_ERRORS_RETURN;
	out->no_request = MPI_REQUEST_NULL;
}
#endif

static plait_status look_up(plait_backend *self, void *library,
			    const char *name, struct mpi_calls *out,
			    plait_error *error)
{
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
		void *found = dlsym(library, symbols[i].name);

		if (found == NULL)
			return plaitp_driven_fail(
				self->driven.services, error,
				PLAIT_E_UNAVAILABLE, 0, MPI_PLUGIN_NAME ": %s "
				"has no %s, which MPI 3.1 has", name,
				symbols[i].name);
		memcpy((char *)out + symbols[i].offset, &found,
		       sizeof(found));
	}
	set_handles(out);
	return PLAIT_OK;
}

/* Two MPIs may have one file name, and be binary incompatible. */
static plait_status check_version(plait_backend *self, const char *name,
				  plait_error *error)
{
	char text[MPI_MAX_LIBRARY_VERSION_STRING + 1] = "";
	int length = 0;

	self->mpi->Get_library_version(text, &length);
	if (strncmp(text, VERSION_TEXT, strlen(VERSION_TEXT)) == 0)
		return PLAIT_OK;
	text[strcspn(text, "\n")] = '\0';
	return plaitp_driven_fail(self->driven.services, error,
				  PLAIT_E_UNAVAILABLE, 0, MPI_PLUGIN_NAME
				  ": %s is \"%.60s\", not " VERSION_TEXT, name,
				  text);
}

/* Libraries below MPI install signal handlers when they are loaded. */
static plait_status load(plait_backend *self, const char **name, void **out,
			 plait_error *error)
{
	struct driven_process_state before;
	plait_status status;
	size_t i;

	status = plaitp_driven_process_save(&self->driven, &before, error);
	if (status != PLAIT_OK)
		return status;
	for (i = 0; *out == NULL &&
	     i < sizeof(libraries) / sizeof(libraries[0]); i++) {
		*name = libraries[i];
		*out = dlopen(*name, RTLD_NOW | RTLD_NODELETE);
	}
	plaitp_driven_process_restore(&self->driven, &before);
	return PLAIT_OK;
}

static plait_status fail_load(plait_backend *self, const char *reason,
			      plait_error *error)
{
	return plaitp_driven_fail(self->driven.services, error,
				  PLAIT_E_UNAVAILABLE, 0, MPI_PLUGIN_NAME
				  ": no " VERSION_TEXT ": %.160s",
				  reason != NULL ? reason : libraries[0]);
}

plait_status plaitp_mpi_library_open(plait_backend *self,
				     struct mpi_calls *out,
				     plait_error *error)
{
	const char *name = libraries[0];
	plait_status status;
	void *library = NULL;

	/* MPI loads code that environment variables name. */
	if (getauxval(AT_SECURE) != 0)
		return fail_load(self, "not in a process with more rights "
				 "than its user", error);
	status = load(self, &name, &library, error);
	if (status != PLAIT_OK)
		return status;
	if (library == NULL)
		return fail_load(self, dlerror(), error);
	status = look_up(self, library, name, out, error);
	self->mpi = out;
	if (status == PLAIT_OK)
		status = check_version(self, name, error);
	return status;
}

bool plaitp_mpi_is_initialized(const struct mpi_calls *mpi)
{
	int begun = 0, ended = 0;

	mpi->Initialized(&begun);
	mpi->Finalized(&ended);
	return begun != 0 && ended == 0;
}
