/* SPDX-License-Identifier: MIT */
/* Permission to map memory that is writable and executable. */
#ifndef PLAIT_SRC_SYS_EXEC_H
#define PLAIT_SRC_SYS_EXEC_H

/* Returns 0 if this process may map such memory, else the negative errno of
 * the attempt. */
int plait__exec_query(void);

#endif
