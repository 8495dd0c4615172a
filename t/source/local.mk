# SPDX-License-Identifier: MIT
# Portable kernels: those of t/source/kernels, each against plain C.
API_TESTS += %D%/kernels_arrays.t
%C%_kernels_arrays_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/kernels_groups.t
%C%_kernels_groups_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/kernels_limits.t
%C%_kernels_limits_t_LDADD = $(LDADD_SUITE) -lm
API_TESTS += %D%/kernels_local.t
%C%_kernels_local_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/kernels_texts.t
%C%_kernels_texts_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/kernels_numbers.t
%C%_kernels_numbers_t_LDADD = $(LDADD_SUITE)
API_TESTS += %D%/kernels_values.t
%C%_kernels_values_t_LDADD = $(LDADD_SUITE) -lm
SPARED_TESTS += %D%/build.t
%C%_build_t_LDADD = $(LDADD_SUITE)
SPARED_TESTS += %D%/includes.t
%C%_includes_t_LDADD = $(LDADD_SUITE)
SPARED_TESTS += %D%/reserved_words_group_guard.t
%C%_reserved_words_group_guard_t_LDADD = $(LDADD_SUITE)
SERIAL_TESTS += %D%/cache_eviction.t
SERIAL_TESTS += %D%/item_variables.t
UNIT_TESTS += %D%/host_module.t
%C%_host_module_t_LDADD = t/lib/libsuite.la $(LDADD) -lm
META_TESTS += %D%/dialects.t
PLAIN_SCRIPT_TESTS += %D%/sanitized_kernels.t

TEST_HELPERS += %D%/compose
%C%_compose_LDADD = src/libplait.la
