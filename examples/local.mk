# SPDX-License-Identifier: MIT
# Programs which show the library; each links libplait as a user would:
#
#   noinst_PROGRAMS += %D%/NAME
#   %C%_NAME_CPPFLAGS = -I$(top_srcdir)/include
#   %C%_NAME_LDADD = src/libplait.la

# two queues, a signal, a host function
noinst_PROGRAMS += %D%/first
%C%_first_CPPFLAGS = -I$(top_srcdir)/include
%C%_first_LDADD = src/libplait.la

# two processes, a collective in a graph
noinst_PROGRAMS += %D%/ranks
%C%_ranks_CPPFLAGS = -I$(top_srcdir)/include
%C%_ranks_LDADD = src/libplait.la

# a graph as text, for `plait plan`
EXTRA_DIST += %D%/first.graph

# tasks as text, for `plait flow`
EXTRA_DIST += %D%/stencil.flow

# The same programs as in python/ and lua/; kernels/ has what they run.
EXAMPLES_SHARED = %D%/program.c %D%/program.h
noinst_PROGRAMS += %D%/mandelbrot %D%/heat %D%/conjugate_gradient %D%/kmeans \
	%D%/pipeline
EXAMPLES_CPPFLAGS = -I$(top_srcdir)/include -DEXAMPLES='"$(abs_top_srcdir)/%D%"'
%C%_mandelbrot_SOURCES = %D%/mandelbrot.c $(EXAMPLES_SHARED)
%C%_mandelbrot_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_mandelbrot_LDADD = src/libplait.la
%C%_heat_SOURCES = %D%/heat.c $(EXAMPLES_SHARED)
%C%_heat_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_heat_LDADD = src/libplait.la
%C%_conjugate_gradient_SOURCES = %D%/conjugate_gradient.c $(EXAMPLES_SHARED)
%C%_conjugate_gradient_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_conjugate_gradient_LDADD = src/libplait.la -lm
%C%_kmeans_SOURCES = %D%/kmeans.c $(EXAMPLES_SHARED)
%C%_kmeans_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_kmeans_LDADD = src/libplait.la
%C%_pipeline_SOURCES = %D%/pipeline.c $(EXAMPLES_SHARED)
%C%_pipeline_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_pipeline_LDADD = src/libplait.la

# Coroutines
EXAMPLES_COROUTINE_SHARED = %D%/coroutine.c %D%/coroutine.h $(EXAMPLES_SHARED)
noinst_PROGRAMS += %D%/image_server %D%/stages %D%/tree_search
%C%_image_server_SOURCES = %D%/image_server.c $(EXAMPLES_COROUTINE_SHARED)
%C%_image_server_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_image_server_LDADD = src/libplait.la
%C%_stages_SOURCES = %D%/stages.c $(EXAMPLES_COROUTINE_SHARED)
%C%_stages_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_stages_LDADD = src/libplait.la
%C%_tree_search_SOURCES = %D%/tree_search.c $(EXAMPLES_COROUTINE_SHARED)
%C%_tree_search_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_tree_search_LDADD = src/libplait.la

# Programs of flows, each beside the same one in Python.
EXAMPLES_FLOW_SHARED = %D%/flow/frame.c %D%/flow/frame.h $(EXAMPLES_SHARED)
noinst_PROGRAMS += %D%/flow/black_scholes %D%/flow/cholesky %D%/flow/deep_learning \
	%D%/flow/ensemble %D%/flow/heat %D%/flow/hits %D%/flow/images %D%/flow/matmul \
	%D%/flow/nbody %D%/flow/rsim %D%/flow/vec %D%/flow/wave
%C%_flow_black_scholes_SOURCES = %D%/flow/black_scholes.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_black_scholes_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_black_scholes_LDADD = src/libplait.la -lm
%C%_flow_cholesky_SOURCES = %D%/flow/cholesky.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_cholesky_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_cholesky_LDADD = src/libplait.la -lm
%C%_flow_deep_learning_SOURCES = %D%/flow/deep_learning.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_deep_learning_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_deep_learning_LDADD = src/libplait.la -lm
%C%_flow_ensemble_SOURCES = %D%/flow/ensemble.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_ensemble_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_ensemble_LDADD = src/libplait.la -lm
%C%_flow_heat_SOURCES = %D%/flow/heat.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_heat_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_heat_LDADD = src/libplait.la -lm
%C%_flow_hits_SOURCES = %D%/flow/hits.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_hits_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_hits_LDADD = src/libplait.la -lm
%C%_flow_images_SOURCES = %D%/flow/images.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_images_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_images_LDADD = src/libplait.la -lm
%C%_flow_matmul_SOURCES = %D%/flow/matmul.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_matmul_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_matmul_LDADD = src/libplait.la -lm
%C%_flow_nbody_SOURCES = %D%/flow/nbody.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_nbody_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_nbody_LDADD = src/libplait.la -lm
%C%_flow_rsim_SOURCES = %D%/flow/rsim.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_rsim_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_rsim_LDADD = src/libplait.la -lm
%C%_flow_vec_SOURCES = %D%/flow/vec.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_vec_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_vec_LDADD = src/libplait.la -lm
%C%_flow_wave_SOURCES = %D%/flow/wave.c $(EXAMPLES_FLOW_SHARED)
%C%_flow_wave_CPPFLAGS = $(EXAMPLES_CPPFLAGS)
%C%_flow_wave_LDADD = src/libplait.la -lm

# Installed as they are, below the documents: t/lint/installed.t knows the list.
nobase_dist_tree_DATA += %D%/README.md %D%/a100.cluster %D%/ethernet.cluster \
	%D%/h100.cluster %D%/ndv4.cluster %D%/conjugate_gradient.c %D%/first.c \
	%D%/first.graph %D%/heat.c %D%/julia/conjugate_gradient.jl %D%/julia/heat.jl \
	%D%/julia/kmeans.jl %D%/julia/mandelbrot.jl %D%/julia/pipeline.jl \
	%D%/kernels/conjugate_gradient/apply.plk \
	%D%/kernels/conjugate_gradient/find_alpha.plk \
	%D%/kernels/conjugate_gradient/find_beta.plk %D%/kernels/conjugate_gradient/step.plk \
	%D%/kernels/conjugate_gradient/turn.plk %D%/kernels/coroutines/shade.plk \
	%D%/kernels/coroutines/smooth.plk %D%/kernels/coroutines/squares.plk \
	%D%/kernels/heat/change.plk \
	%D%/kernels/heat/decide.plk %D%/kernels/heat/spread.plk \
	%D%/kernels/kmeans/choose.plk %D%/kernels/kmeans/gather.plk \
	%D%/kernels/kmeans/move.plk %D%/kernels/kmeans/reseed.plk \
	%D%/kernels/mandelbrot/mandelbrot.plk %D%/kernels/pipeline/shuffle.plk \
	%D%/kernels/pipeline/steps.plk %D%/kmeans.c %D%/lua/conjugate_gradient.lua \
	%D%/lua/heat.lua %D%/lua/kmeans.lua %D%/lua/mandelbrot.lua %D%/lua/pipeline.lua \
	%D%/lua/image_server.lua %D%/lua/stages.lua %D%/lua/tree_search.lua \
	%D%/julia/image_server.jl %D%/julia/stages.jl %D%/julia/tree_search.jl \
	%D%/rust/image_server.rs %D%/rust/stages.rs %D%/rust/tree_search.rs \
	%D%/coroutine.c %D%/coroutine.h %D%/image_server.c %D%/stages.c %D%/tree_search.c \
	%D%/mandelbrot.c %D%/pipeline.c %D%/program.c %D%/program.h %D%/ranks.c \
	%D%/python/image_server.py %D%/python/stages.py %D%/python/tree_search.py \
	%D%/python/conjugate_gradient.py %D%/python/heat.py %D%/python/kmeans.py \
	%D%/python/mandelbrot.py %D%/python/pipeline.py %D%/rust/Cargo.toml \
	%D%/rust/conjugate_gradient.rs %D%/rust/heat.rs %D%/rust/kmeans.rs \
	%D%/rust/mandelbrot.rs %D%/rust/pipeline.rs %D%/stencil.flow \
	%D%/flow/README.md %D%/flow/black_scholes.c %D%/flow/black_scholes.py \
	%D%/flow/cholesky.c %D%/flow/cholesky.py %D%/flow/deep_learning.c \
	%D%/flow/deep_learning.py %D%/flow/ensemble.c %D%/flow/ensemble.py %D%/flow/frame.c \
	%D%/flow/frame.h %D%/flow/frame.py %D%/flow/heat.c %D%/flow/heat.py %D%/flow/hits.c \
	%D%/flow/hits.py %D%/flow/images.c %D%/flow/images.py %D%/flow/matmul.c \
	%D%/flow/matmul.py %D%/flow/nbody.c %D%/flow/nbody.py %D%/flow/rsim.c \
	%D%/flow/rsim.py %D%/flow/vec.c %D%/flow/vec.py %D%/flow/wave.c %D%/flow/wave.py \
	%D%/kernels/flow/blur.plk %D%/kernels/flow/centre.plk %D%/kernels/flow/convolve.plk \
	%D%/kernels/flow/add.plk %D%/kernels/flow/dense.plk %D%/kernels/flow/differ.plk \
	%D%/kernels/flow/drift.plk \
	%D%/kernels/flow/edge.plk %D%/kernels/flow/factor.plk %D%/kernels/flow/follow.plk \
	%D%/kernels/flow/mean.plk %D%/kernels/flow/mix.plk %D%/kernels/flow/multiply.plk \
	%D%/kernels/flow/pool.plk %D%/kernels/flow/price.plk %D%/kernels/flow/pull.plk \
	%D%/kernels/flow/score.plk %D%/kernels/flow/shine.plk %D%/kernels/flow/shrink.plk \
	%D%/kernels/flow/softmax.plk %D%/kernels/flow/solve.plk %D%/kernels/flow/square.plk \
	%D%/kernels/flow/swing.plk %D%/kernels/flow/total.plk %D%/kernels/flow/update.plk \
	%D%/kernels/flow/warm.plk
