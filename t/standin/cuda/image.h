/* SPDX-License-Identifier: MIT */
/* Marks of images by which a driver refuses those of newer compilers: the version
 * of PTX, and two bytes in the head of a binary. */
#ifndef STANDIN_IMAGE_H
#define STANDIN_IMAGE_H

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The PTX of a version of CUDA: 87 is 8.7, of 12.8. */
static inline int standin_ptx_version(int cuda)
{
	int minor = cuda % 1000 / 10;

	if (cuda >= 13000)
		return 90 + minor;
	/* 12.6 has that of 12.5. */
	return cuda >= 12000 ? 80 + minor - (minor > 5) : 70 + minor;
}

static inline bool standin_is_newer_ptx(const char *text, int driver)
{
	const char *version = strstr(text, ".version ");
	int major, minor;

	return version != NULL &&
	       sscanf(version, ".version %d.%d", &major, &minor) == 2 &&
	       10 * major + minor > standin_ptx_version(driver);
}

/* Binaries of CUDA 13 have another OS/ABI than those of 12. */
static inline void standin_mark_binary(char *image, int cuda)
{
	image[EI_OSABI] = cuda >= 13000 ? 41 : 33;
	image[EI_ABIVERSION] = cuda >= 13000 ? 8 : 7;
}

static inline bool standin_is_newer_binary(const char *image, int driver)
{
	return driver < 13000 && (image[EI_OSABI] != 33 ||
				  image[EI_ABIVERSION] != 7);
}

#endif
