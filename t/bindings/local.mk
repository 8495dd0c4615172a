# SPDX-License-Identifier: MIT
META_TESTS += %D%/api.t
PLAIN_SCRIPT_TESTS += %D%/reference.t
PLAIN_SCRIPT_TESTS += %D%/python.t
PLAIN_SCRIPT_TESTS += %D%/lua.t
PLAIN_SCRIPT_TESTS += %D%/rust.t
PLAIN_SCRIPT_TESTS += %D%/julia.t
