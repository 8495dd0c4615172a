# SPDX-License-Identifier: MIT
SERIAL_TESTS += %D%/text_log_spelling_hint.t
