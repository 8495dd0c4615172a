# SPDX-License-Identifier: MIT
PLAIN_SCRIPT_TESTS += %D%/replay.t
PLAIN_SCRIPT_TESTS += %D%/languages.t
PLAIN_SCRIPT_TESTS += %D%/cuda.t

TEST_HELPERS += %D%/replay_sins
%C%_replay_sins_LDADD = bench/libreplay.la
