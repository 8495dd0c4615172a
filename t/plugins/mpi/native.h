/* SPDX-License-Identifier: MIT */
/* Scenarios of native.c. */
#ifndef NATIVE_H
#define NATIVE_H

void native(void);
void threads(void);
void invalid(void);
void absent(void);

#endif
