/* SPDX-License-Identifier: MIT */
/* Errors of MPI's calls. */
#include <stdio.h>

#include "port.h"

void plaitp_mpi_explain(const struct mpi_calls *mpi, int code, char *out,
			size_t room)
{
	char text[MPI_MAX_ERROR_STRING + 1] = "";
	int length = 0, i;

	if (mpi->Error_string(code, text, &length) != MPI_SUCCESS)
		length = snprintf(text, sizeof(text), "no text");
	/* An error is one line. */
	for (i = 0; i < length; i++)
		if (text[i] == '\n' || text[i] == '\t')
			text[i] = ' ';
	while (length > 0 && (text[length - 1] == ' ' ||
			      text[length - 1] == '.'))
		length--;
	(void)snprintf(out, room, "%.*s (%d)", length < 160 ? length : 160,
		       text, code);
}

plait_status plaitp_mpi_fail(plait_backend *self, plait_error *error,
			     const char *call, int code)
{
	plait_status status = PLAIT_E_FAILED;
	int class = MPI_ERR_OTHER;
	char text[200];

	plaitp_mpi_explain(self->mpi, code, text, sizeof(text));
	self->mpi->Error_class(code, &class);
	if (class == MPI_ERR_NO_MEM)
		status = PLAIT_E_NOMEM;
	return plaitp_driven_fail(self->driven.services, error, status, code,
				  MPI_PLUGIN_NAME ": MPI_%s failed: %s", call,
				  text);
}
