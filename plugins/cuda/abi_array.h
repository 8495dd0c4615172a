/* SPDX-License-Identifier: MIT */
/* Types and numbers of the driver for arrays, textures and surfaces; the end of
 * abi.h. */
#ifndef PLAITP_CUDA_ABI_ARRAY_H
#define PLAITP_CUDA_ABI_ARRAY_H

typedef enum {
	CU_AD_FORMAT_UNSIGNED_INT8 = 1,
	CU_AD_FORMAT_FLOAT = 32
} CUarray_format;

typedef enum {
	CU_RESOURCE_TYPE_ARRAY = 0
} CUresourcetype;

typedef enum {
	CU_TR_ADDRESS_MODE_WRAP = 0,
	CU_TR_ADDRESS_MODE_CLAMP = 1,
	CU_TR_ADDRESS_MODE_MIRROR = 2,
	CU_TR_ADDRESS_MODE_BORDER = 3
} CUaddress_mode;

typedef enum {
	CU_TR_FILTER_MODE_POINT = 0,
	CU_TR_FILTER_MODE_LINEAR = 1
} CUfilter_mode;

enum { CUDA_ARRAY3D_SURFACE_LDST = 2 };

typedef struct {
	size_t Width, Height, Depth;
	CUarray_format Format;
	unsigned int NumChannels;
	unsigned int Flags;
} CUDA_ARRAY3D_DESCRIPTOR_v2;

union cuda_resource {
	CUarray array;
	int reserved0[32];
};

typedef struct {
	CUresourcetype resType;
	union cuda_resource res;
	unsigned int flags;
} CUDA_RESOURCE_DESC_v1;

typedef struct {
	CUaddress_mode addressMode[3];
	CUfilter_mode filterMode;
	unsigned int flags; /* 0: bytes are read as numbers from 0 to 1 */
	unsigned int maxAnisotropy;
	CUfilter_mode mipmapFilterMode;
	float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
	float borderColor[4];
	int reserved[12];
} CUDA_TEXTURE_DESC_v1;

typedef struct CUDA_RESOURCE_VIEW_DESC_st CUDA_RESOURCE_VIEW_DESC_v1;

/* Layout of CUDA_MEMCPY3D_v2. */
typedef struct {
	size_t srcXInBytes, srcY, srcZ, srcLOD;
	CUmemorytype srcMemoryType;
	const void *srcHost;
	CUdeviceptr srcDevice;
	CUarray srcArray;
	CUcontext srcContext;
	size_t srcPitch, srcHeight;
	size_t dstXInBytes, dstY, dstZ, dstLOD;
	CUmemorytype dstMemoryType;
	void *dstHost;
	CUdeviceptr dstDevice;
	CUarray dstArray;
	CUcontext dstContext;
	size_t dstPitch, dstHeight;
	size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D_PEER_v1;

#endif
