# SPDX-License-Identifier: MIT
UNIT_TESTS += %D%/handle_table.t
API_TESTS += %D%/bad_input.t
%C%_bad_input_t_LDADD = $(LDADD_API)
API_TESTS += %D%/context_close.t
%C%_context_close_t_LDADD = $(LDADD_API)
API_TESTS += %D%/context_settings.t
%C%_context_settings_t_LDADD = $(LDADD_API)
API_TESTS += %D%/object_lifetime.t
%C%_object_lifetime_t_LDADD = $(LDADD_API)
API_TESTS += %D%/queue.t
%C%_queue_t_LDADD = $(LDADD_API)
API_TESTS += %D%/closed_queue.t
%C%_closed_queue_t_LDADD = $(LDADD_API)
API_TESTS += %D%/strided_copy.t
%C%_strided_copy_t_LDADD = $(LDADD_API)
API_TESTS += %D%/host_transfer.t
%C%_host_transfer_t_LDADD = $(LDADD_API)
API_TESTS += %D%/inbox.t
%C%_inbox_t_LDADD = $(LDADD_API)
API_TESTS += %D%/outer_calls.t
%C%_outer_calls_t_LDADD = $(LDADD_API)
API_TESTS += %D%/wait_diagnosis.t
%C%_wait_diagnosis_t_LDADD = $(LDADD_API)
API_TESTS += %D%/after_fork.t
%C%_after_fork_t_LDADD = $(LDADD_API)
API_TESTS += %D%/wait_loop_reclaim.t
%C%_wait_loop_reclaim_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/object_released_inside.t
API_TESTS += %D%/inflight_ring.t
API_TESTS += %D%/thread_exit.t
%C%_thread_exit_t_LDADD = $(LDADD_API)
API_TESTS += %D%/backend_result.t
%C%_backend_result_t_LDADD = $(LDADD_API)
UNIT_TESTS += %D%/notification.t
UNIT_TESTS += %D%/timer_heap.t
API_TESTS += %D%/wait_diagnosis_untold.t
%C%_wait_diagnosis_untold_t_LDADD = $(LDADD_API)
API_TESTS += %D%/dlpack_array.t
%C%_dlpack_array_t_SOURCES = %D%/dlpack_array.c t/lib/tensors.h
%C%_dlpack_array_t_LDADD = $(LDADD_API)
API_TESTS += %D%/dlpack_array_export.t
%C%_dlpack_array_export_t_LDADD = $(LDADD_API)
API_TESTS += %D%/native_handles.t
%C%_native_handles_t_LDADD = $(LDADD_API)
SERIAL_TESTS += %D%/grid_split.t
API_TESTS += %D%/host_code.t
%C%_host_code_t_SOURCES = %D%/host_code.c t/lib/kernels.h t/lib/objects.h
%C%_host_code_t_LDADD = $(LDADD_API)
API_TESTS += %D%/host_code_library.t
%C%_host_code_library_t_LDADD = $(LDADD_API)
API_TESTS += %D%/external_section.t
%C%_external_section_t_LDADD = $(LDADD_API)
API_TESTS += %D%/idle_section.t
%C%_idle_section_t_LDADD = $(LDADD_API)
# On the host, and on the stand-in of t/standin/opencl.
if OPENCL
API_TESTS += %D%/kernel_messages.t
%C%_kernel_messages_t_LDADD = $(LDADD_SUITE)
endif
API_TESTS += %D%/launch_record.t
%C%_launch_record_t_SOURCES = %D%/launch_record.c t/lib/kernels.h t/lib/objects.h
%C%_launch_record_t_LDADD = $(LDADD_API)
API_TESTS += %D%/device_code.t
%C%_device_code_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/image.t
%C%_image_t_SOURCES = %D%/image.c t/lib/images.h
%C%_image_t_LDADD = $(LDADD_API) -lm
API_TESTS += %D%/stress.t
%C%_stress_t_LDADD = $(LDADD_API)
SEEDED_TESTS += %D%/grid_split.t %D%/stress.t

# A library of kernels, which host_code_library loads.
check_LTLIBRARIES += %D%/forms.la
%C%_forms_la_SOURCES = %D%/forms.c
%C%_forms_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-rpath /nowhere
