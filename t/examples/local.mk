# SPDX-License-Identifier: MIT
SCRIPT_TESTS += %D%/readme.t
SCRIPT_TESTS += %D%/languages.t
SCRIPT_TESTS += %D%/flows.t
SCRIPT_TESTS += %D%/flows_mpirun.t
PLAIN_SCRIPT_TESTS += %D%/tutorial.t
