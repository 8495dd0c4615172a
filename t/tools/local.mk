# SPDX-License-Identifier: MIT
SCRIPT_TESTS += %D%/main_info.t
PLAIN_SCRIPT_TESTS += %D%/plan_check_simulate.t
PLAIN_SCRIPT_TESTS += %D%/picture_labels.t
SERIAL_SCRIPT_TESTS += %D%/run.t
SERIAL_SCRIPT_TESTS += %D%/coll.t
SERIAL_SCRIPT_TESTS += %D%/coll_run.t
SERIAL_SCRIPT_TESTS += %D%/coll_simulate.t
