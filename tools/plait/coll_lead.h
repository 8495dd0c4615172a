/* SPDX-License-Identifier: MIT */
/* Search by rank 0 of a world that measures; all other ranks follow. */
#ifndef PLAIT_TOOLS_COLL_LEAD_H
#define PLAIT_TOOLS_COLL_LEAD_H

#include "coll_measure.h"
#include "coll_search.h"

/* Measure the candidates of a search that has a list and a cluster, until its time
 * ends or a rank has ended: first those that are the best by prediction. */
void coll_lead(struct coll_search *search, struct coll_measure *measure);

#endif
