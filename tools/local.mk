# SPDX-License-Identifier: MIT
# The `plait` command.
# Append one line per source file.
bin_PROGRAMS += %D%/plait/plait
%C%_plait_plait_LDADD = src/libplait.la -lm
%C%_plait_plait_SOURCES =
%C%_plait_plait_SOURCES += %D%/plait/check.c
%C%_plait_plait_SOURCES += %D%/plait/command.h
%C%_plait_plait_SOURCES += %D%/plait/info.c
%C%_plait_plait_SOURCES += %D%/plait/input.c
%C%_plait_plait_SOURCES += %D%/plait/input.h
%C%_plait_plait_SOURCES += %D%/plait/main.c
%C%_plait_plait_SOURCES += %D%/plait/plan.c
%C%_plait_plait_SOURCES += %D%/plait/run.c
%C%_plait_plait_SOURCES += %D%/plait/schedule.c
%C%_plait_plait_SOURCES += %D%/plait/schedule.h
%C%_plait_plait_SOURCES += %D%/plait/simulate.c
%C%_plait_plait_SOURCES += %D%/plait/watch.c
%C%_plait_plait_SOURCES += %D%/plait/watch.h
%C%_plait_plait_SOURCES += %D%/conform/buffer.c
%C%_plait_plait_SOURCES += %D%/conform/call.c
%C%_plait_plait_SOURCES += %D%/conform/check.c
%C%_plait_plait_SOURCES += %D%/conform/conform.c
%C%_plait_plait_SOURCES += %D%/conform/conform.h
%C%_plait_plait_SOURCES += %D%/conform/entry.c
%C%_plait_plait_SOURCES += %D%/conform/error.c
%C%_plait_plait_SOURCES += %D%/conform/expect.c
%C%_plait_plait_SOURCES += %D%/conform/failure.c
%C%_plait_plait_SOURCES += %D%/conform/cache.c
%C%_plait_plait_SOURCES += %D%/conform/kernel.c
%C%_plait_plait_SOURCES += %D%/conform/load.c
%C%_plait_plait_SOURCES += %D%/conform/queue.c
%C%_plait_plait_SOURCES += %D%/conform/rig.c
%C%_plait_plait_SOURCES += %D%/conform/run.c
%C%_plait_plait_SOURCES += %D%/conform/signal.c
%C%_plait_plait_SOURCES += %D%/conform/sweep.c
%C%_plait_plait_SOURCES += %D%/conform/threads.c
%C%_plait_plait_SOURCES += %D%/conform/watch.c
