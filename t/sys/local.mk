# SPDX-License-Identifier: MIT
UNIT_TESTS += %D%/atomic_futex.t
UNIT_TESTS += %D%/eventcount.t
UNIT_TESTS += %D%/mutex.t
UNIT_TESTS += %D%/cpu.t
UNIT_TESTS += %D%/file.t
UNIT_TESTS += %D%/fork.t
UNIT_TESTS += %D%/clock_dl_env_fd.t
UNIT_TESTS += %D%/thread.t
UNIT_TESTS += %D%/thread_block.t
UNIT_TESTS += %D%/trusted_folder.t
UNIT_TESTS += %D%/read_write_file.t
SCRIPT_TESTS += %D%/system_calls_fail.t

TEST_HELPERS += %D%/probe
%C%_probe_LDADD = src/libplaitcore.la
