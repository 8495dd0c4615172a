# SPDX-License-Identifier: MIT
include %D%/bad/local.mk
UNIT_TESTS += %D%/list_options.t
UNIT_TESTS += %D%/load_table_check.t
%C%_load_table_check_t_LDADD = $(LDADD_RIG)
UNIT_TESTS += %D%/search_elf_check.t
%C%_search_elf_check_t_LDADD = $(LDADD_RIG)
UNIT_TESTS += %D%/swapped_folders.t
%C%_swapped_folders_t_LDADD = $(LDADD_RIG)
UNIT_TESTS += %D%/transport_alias.t
%C%_transport_alias_t_LDADD = $(LDADD_RIG)
UNIT_TESTS += %D%/choose_services.t
%C%_choose_services_t_LDADD = $(LDADD_RIG)
UNIT_TESTS += %D%/transport.t
%C%_transport_t_LDADD = $(LDADD_RIG)
SEEDED_TESTS += %D%/load_table_check.t %D%/search_elf_check.t
