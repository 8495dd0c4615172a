# SPDX-License-Identifier: MIT
SCRIPT_TESTS += %D%/readme.t
SCRIPT_TESTS += %D%/languages.t
PLAIN_SCRIPT_TESTS += %D%/tutorial.t
