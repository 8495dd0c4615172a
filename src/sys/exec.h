/* SPDX-License-Identifier: MIT */
/* Memory that is written and then run. */
#ifndef PLAIT_SRC_SYS_EXEC_H
#define PLAIT_SRC_SYS_EXEC_H

/* 0: this process may have such memory; else the negative errno of trying. */
int plait__exec_query(void);

#endif
