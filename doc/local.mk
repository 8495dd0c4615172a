# SPDX-License-Identifier: MIT
# Man pages; one line each:  dist_man_MANS += %D%/plait.7
dist_man_MANS += %D%/man/plait.1
dist_man_MANS += %D%/man/plait-graph.5
dist_man_MANS += %D%/man/plait.7

# What those need who program, bind a language, or write a backend elsewhere.
dist_doc_DATA += README.md %D%/abi.md %D%/architecture.md %D%/errors.md \
	%D%/first.svg %D%/ring.svg %D%/cluster.md %D%/stencil.svg %D%/glossary.md %D%/graph-text.md %D%/compilers.md \
	%D%/coll.md %D%/coll-text.md %D%/arrays.md %D%/images.md %D%/kernels.md %D%/plans.md %D%/drivers.md %D%/plugins.md %D%/transports.md \
	%D%/flow.md %D%/pipelines.md %D%/peers.md %D%/flow-text.md %D%/flow-memories.md %D%/flow-fixed.md %D%/flow-devices.md %D%/flow-repetitions.md %D%/running.md %D%/overlap.md %D%/threads.md %D%/coroutines.md \
	%D%/tutorial.md %D%/worlds.md
referencedir = $(docdir)/reference
dist_reference_DATA = %D%/reference/c.md %D%/reference/julia.md %D%/reference/lua.md \
	%D%/reference/languages.md %D%/reference/python.md %D%/reference/rust.md
nulldir = $(docdir)/null
dist_null_DATA = plugins/null/README.md plugins/null/entry.c \
	plugins/null/kernel.c plugins/null/memory.c plugins/null/null.h plugins/null/queue.c \
	plugins/null/signal.c
