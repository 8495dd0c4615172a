# SPDX-License-Identifier: MIT
# An interpreter of PTX: README.md.
check_LTLIBRARIES += %D%/libptx.la
%C%_libptx_la_SOURCES = %D%/atomic.c %D%/barrier.c %D%/bits.c %D%/compare.c \
	%D%/control.c %D%/convert.c %D%/declare.c %D%/machine.c %D%/machine.h \
	%D%/memory.c %D%/move.c %D%/operand.c %D%/parse.c %D%/parser.h \
	%D%/program.h %D%/ptx.h %D%/race.c %D%/real.c %D%/statement.c \
	%D%/texture.c %D%/token.c %D%/warp.c %D%/whole.c
%C%_libptx_la_LIBADD = -lm

# Its tests.
PLAIN_TESTS += %D%/interpret.t
%C%_interpret_t_SOURCES = %D%/interpret.c %D%/interpret.h
%C%_interpret_t_LDADD = %D%/libptx.la t/lib/libtap.la -lm
UNIT_TESTS += %D%/interpret_launches.t
%C%_interpret_launches_t_SOURCES = %D%/interpret_launches.c %D%/interpret.h
%C%_interpret_launches_t_LDADD = %D%/libptx.la t/lib/libtap.la -lm
