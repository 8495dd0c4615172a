/* SPDX-License-Identifier: MIT */
/* Slots of the template. */
#ifndef PLAITP_NULL_H
#define PLAITP_NULL_H

#include "plait/plugin.h"

/* Fail with PLAIT_E_UNSUPPORTED, as every slot does. */
plait_status plaitp_null_refuse(plait_error *error);

plait_status plaitp_null_memory_create(plait_backend *self, uint32_t device,
				       const plait_memory_request *request,
				       plait_backend_memory **out,
				       plait_error *error);
void plaitp_null_memory_destroy(plait_backend *self,
				plait_backend_memory *memory);
plait_status plaitp_null_memory_map(plait_backend *self,
				    plait_backend_memory *memory,
				    uint64_t offset, uint64_t bytes,
				    uint32_t flags, void **out,
				    plait_error *error);
plait_status plaitp_null_memory_unmap(plait_backend *self,
				      plait_backend_memory *memory,
				      void *pointer, plait_error *error);

plait_status plaitp_null_queue_create(plait_backend *self, uint32_t device,
				      const plait_queue_request *request,
				      plait_backend_queue **out,
				      plait_error *error);
void plaitp_null_queue_destroy(plait_backend *self,
			       plait_backend_queue *queue);
plait_status plaitp_null_queue_submit(plait_backend *self,
				      plait_backend_queue *queue,
				      const plait_submission *submissions,
				      uint32_t count, plait_error *error);
plait_status plaitp_null_queue_flush(plait_backend *self,
				     plait_backend_queue *queue,
				     plait_error *error);
plait_status plaitp_null_queue_recover(plait_backend *self,
				       plait_backend_queue *queue,
				       plait_error *error);

plait_status plaitp_null_signal_create(plait_backend *self, uint32_t device,
				       uint32_t flags,
				       plait_backend_signal **out,
				       plait_error *error);
void plaitp_null_signal_destroy(plait_backend *self,
				plait_backend_signal *signal);
plait_status plaitp_null_signal_poll(plait_backend *self,
				     const plait_backend_point *point,
				     uint64_t *out_reached,
				     plait_error *error);
plait_status plaitp_null_signal_wait(plait_backend *self,
				     const plait_backend_point *points,
				     uint32_t count, uint32_t any,
				     uint64_t timeout_ns, plait_error *error);
plait_status plaitp_null_signal_notify(plait_backend *self,
				       const plait_backend_point *point,
				       plait_notify_function function,
				       void *user_data, plait_error *error);
plait_status plaitp_null_signal_raise(plait_backend *self,
				      const plait_backend_point *point,
				      const plait_error *failure,
				      plait_error *error);
plait_status plaitp_null_signal_reset(plait_backend *self,
				      plait_backend_signal *signal,
				      plait_error *error);
plait_status plaitp_null_pump(plait_backend *self, plait_error *error);

plait_status plaitp_null_kernel_build(plait_backend *self, uint32_t device,
				      const plait_code *code,
				      plait_backend_kernel **out,
				      plait_error *error);
void plaitp_null_kernel_destroy(plait_backend *self,
				plait_backend_kernel *kernel);
plait_status plaitp_null_kernel_query(plait_backend *self,
				      plait_backend_kernel *kernel,
				      plait_kernel_facts *out,
				      plait_error *error);
plait_status plaitp_null_launch_create(plait_backend *self,
				       const plait_launch_request *request,
				       plait_backend_launch **out,
				       plait_error *error);
void plaitp_null_launch_destroy(plait_backend *self,
				plait_backend_launch *launch);
plait_status plaitp_null_native_query(plait_backend *self,
				      const plait_native_request *request,
				      uint64_t *out, plait_error *error);
plait_status plaitp_null_segment_create(plait_backend *self, uint32_t device,
					const plait_segment_request *request,
					plait_backend_segment **out,
					plait_error *error);
void plaitp_null_segment_destroy(plait_backend *self,
				 plait_backend_segment *segment);
plait_status plaitp_null_segment_patch(plait_backend *self,
				       plait_backend_segment *segment,
				       uint32_t index, const plait_work *work,
				       plait_error *error);
plait_status plaitp_null_link_query(plait_backend *self, uint32_t from,
				    uint32_t to, plait_link_info *out,
				    plait_error *error);

#endif
