/* SPDX-License-Identifier: MIT */
/* Slots of ports for the table. */
#ifndef PLAITP_MPI_SLOTS_H
#define PLAITP_MPI_SLOTS_H

#include "port.h"

void plaitp_mpi_slots_fill(plait_backend_table *table);

#endif
