# SPDX-License-Identifier: MIT
SCRIPT_TESTS += %D%/readme.t
SCRIPT_TESTS += %D%/languages.t
