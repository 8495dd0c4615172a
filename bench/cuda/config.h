/* SPDX-License-Identifier: MIT */
/* Configuration for bench/cuda/makefile: neither libffi nor hwloc. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif
#define PACKAGE_VERSION "0.1.0"
#if defined(__x86_64__) || defined(__aarch64__)
#define PLAIT_CONTEXT_ASSEMBLY 1
#endif
