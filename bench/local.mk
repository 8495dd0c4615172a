# SPDX-License-Identifier: MIT
# Benchmarks are built by `make`, run by hand, and never part of the tests:
#
#   noinst_PROGRAMS += %D%/NAME
#   %C%_NAME_LDADD = src/libplaitcore.la

# how fast and how big the planner is, beside what libnnc took
noinst_PROGRAMS += %D%/plan
%C%_plan_LDADD = t/libshapes.la src/libplaitcore.la

# what queues and signals of the host cost, beside what the machine does
noinst_PROGRAMS += %D%/queue
%C%_queue_LDADD = src/libplaitcore.la

# what building a graph and freezing it cost, beside appending to an array
noinst_PROGRAMS += %D%/graph
%C%_graph_LDADD = t/libshapes.la src/libplaitcore.la
