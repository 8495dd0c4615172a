/* SPDX-License-Identifier: MIT */
/* Memory of the stand-in for libcuda.so.1, its copies, arrays; the end of
 * standin.h. */
#ifndef STANDIN_MEMORY_H
#define STANDIN_MEMORY_H

/* --- memory.c */

/* The kind of the `bytes` at an address; STANDIN_KINDS: unknown memory. */
enum standin_kind standin_memory_kind(const void *pointer, size_t bytes);
/* The memory around an address; false: unknown. */
bool standin_find_range(uint64_t address, uint64_t *begin, uint64_t *end);
void standin_free_memory(struct object *object);
/* Allocate memory for a record, which is zero, and add it. */
CUresult standin_allocate(struct block *block, size_t bytes,
			  enum standin_kind kind, CUcontext context,
			  int device);
/* Wait for the context, and free; `unknown`: the error if there is none. */
CUresult standin_take_back(const void *pointer, enum standin_kind kind,
			   CUresult unknown);
/* Memory, or a variable of a module. */
bool standin_is_known(const void *pointer, size_t bytes);
struct standin_operand standin_operand_at(const void *pointer,
					  CUmemorytype said);
/* Fill in the work of a memcpy node (copy.c) or a memset node. */
CUresult standin_fill_copy(struct work *work, const CUDA_MEMCPY3D_v2 *params);
CUresult standin_fill_fill(struct work *work,
			   const CUDA_MEMSET_NODE_PARAMS_v1 *params);
/* Returns whether the memory is of one context and one type. */
bool standin_is_same_memory(const struct standin_operand *one,
			    const struct standin_operand *other);

/* --- array.c */

/* Rows of an array, from a byte of a row on; false: it has them not. */
bool standin_find_rows(CUarray array, size_t x, size_t y, size_t bytes,
		       size_t rows, char **at, size_t *pitch);
/* Of a texture or a surface. */
void standin_free_view(struct object *object);
/* Of kernels, without the lock; return 0, or the error that fails the
 * context. */
int standin_texture(unsigned long long handle, float x, float y, float out[4]);
int standin_store(unsigned long long handle, const void *data, unsigned bytes,
		  int x, int y);

#endif
