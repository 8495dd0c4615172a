# SPDX-License-Identifier: MIT
SERIAL_SCRIPT_TESTS += %D%/corpus.t
SERIAL_SCRIPT_TESTS += %D%/random_schedules.t
SEEDED_TESTS += %D%/random_schedules.t
TEST_HELPERS += %D%/prove
%C%_prove_LDADD = src/libplaitcore.la
API_TESTS += %D%/schedule_api.t
%C%_schedule_api_t_LDADD = $(LDADD_API)
