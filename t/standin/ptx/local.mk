# SPDX-License-Identifier: MIT
# An interpreter of PTX: README.md.
check_LTLIBRARIES += %D%/libptx.la
%C%_libptx_la_SOURCES = %D%/atomic.c %D%/barrier.c %D%/bits.c %D%/compare.c \
	%D%/control.c %D%/convert.c %D%/declare.c %D%/machine.c %D%/machine.h \
	%D%/memory.c %D%/move.c %D%/operand.c %D%/parse.c %D%/parser.h \
	%D%/program.h %D%/ptx.h %D%/race.c %D%/real.c %D%/statement.c \
	%D%/token.c %D%/warp.c %D%/whole.c
%C%_libptx_la_LIBADD = -lm
