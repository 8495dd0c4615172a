# SPDX-License-Identifier: MIT
# Sources of the layers, installed as they are: a program in a language takes them
# from there. Not here: tests, generators. t/lint/installed.t knows the list.
nobase_dist_pkgdata_DATA = %D%/README.md %D%/api.json %D%/julia/Plait/Project.toml \
	%D%/julia/Plait/src/Plait.jl %D%/julia/Plait/src/coll.jl %D%/julia/Plait/src/world.jl %D%/julia/Plait/src/core.jl \
	%D%/julia/Plait/src/data.jl %D%/julia/Plait/src/flow.jl \
	%D%/julia/Plait/src/graph.jl %D%/julia/Plait/src/inbox.jl \
	%D%/julia/Plait/src/kernel.jl %D%/julia/Plait/src/memory.jl \
	%D%/julia/Plait/src/plan.jl %D%/julia/Plait/src/queue.jl %D%/julia/Plait/src/raw.jl \
	%D%/julia/Plait/src/system.jl %D%/julia/README.md %D%/lua/README.md \
	%D%/lua/plait-scm-1.rockspec %D%/lua/plait/binding.lua %D%/lua/plait/cdef.lua \
	%D%/lua/plait/core.lua %D%/lua/plait/graph.lua %D%/lua/plait/init.lua \
	%D%/lua/plait/coll.lua %D%/lua/plait/world.lua %D%/lua/plait/flow.lua %D%/lua/plait/kernel.lua %D%/lua/plait/memory.lua %D%/lua/plait/plan.lua \
	%D%/python/README.md %D%/python/plait/__init__.py %D%/python/plait/_batch.py %D%/python/plait/_buffer.py %D%/python/plait/_coll.py %D%/python/plait/_world.py %D%/python/plait/_coroutine.py \
	%D%/python/plait/_core.py %D%/python/plait/_data.py %D%/python/plait/_elements.py \
	%D%/python/plait/_flow.py %D%/python/plait/_functions.py %D%/python/plait/_graph.py \
	%D%/python/plait/_kernel.py %D%/python/plait/_library.py %D%/python/plait/_plan.py \
	%D%/python/plait/_raw.py %D%/python/plait/_queue.py %D%/python/plait/_system.py %D%/python/plait/_tensor.py \
	%D%/python/plait/py.typed %D%/python/pyproject.toml %D%/rust/README.md \
	%D%/rust/plait-sys/Cargo.toml %D%/rust/plait-sys/src/lib.rs \
	%D%/rust/plait-sys/src/raw.rs %D%/rust/plait/Cargo.toml %D%/rust/plait/src/access.rs \
	%D%/rust/plait/src/coll.rs %D%/rust/plait/src/data.rs %D%/rust/plait/src/error.rs \
	%D%/rust/plait/src/flow.rs %D%/rust/plait/src/flow_options.rs %D%/rust/plait/src/placement.rs \
	%D%/rust/plait/src/world.rs \
	%D%/rust/plait/src/graph.rs %D%/rust/plait/src/inbox.rs %D%/rust/plait/src/kernel.rs \
	%D%/rust/plait/src/lib.rs %D%/rust/plait/src/library.rs %D%/rust/plait/src/memory.rs \
	%D%/rust/plait/src/names.rs %D%/rust/plait/src/plan.rs %D%/rust/plait/src/queue.rs \
	%D%/rust/plait/src/rows.rs %D%/rust/plait/src/schedule.rs %D%/rust/plait/src/suspend.rs %D%/rust/plait/src/system.rs %D%/rust/plait/src/task.rs

# The module plait.ffi for Lua 5.4; Lua's symbols are those of the interpreter.  A name with
# "exec" is installed before install-exec-hook.
if LUA
luaexecdir = $(libdir)/lua/5.4/plait
luaexec_LTLIBRARIES = %D%/lua/ffi/ffi.la
%C%_lua_ffi_ffi_la_SOURCES = %D%/lua/ffi/c_type.c %D%/lua/ffi/c_type.h \
	%D%/lua/ffi/cdata.c %D%/lua/ffi/cdata.h %D%/lua/ffi/conversion.c \
	%D%/lua/ffi/conversion.h %D%/lua/ffi/declaration.c %D%/lua/ffi/declaration.h \
	%D%/lua/ffi/library.c %D%/lua/ffi/library.h %D%/lua/ffi/module.c \
	%D%/lua/ffi/token.c %D%/lua/ffi/token.h
%C%_lua_ffi_ffi_la_CPPFLAGS = $(LUA_CFLAGS) -D_GNU_SOURCE
%C%_lua_ffi_ffi_la_CFLAGS = $(AM_CFLAGS) $(FFI_CFLAGS)
%C%_lua_ffi_ffi_la_LDFLAGS = $(AM_LDFLAGS) $(UNDEFS_LDFLAGS) $(NODELETE_LDFLAGS) \
	-module -avoid-version -shared -export-symbols-regex '^luaopen_plait_ffi$$'
%C%_lua_ffi_ffi_la_LIBADD = $(FFI_LIBS)
endif

# A wheel for Python with the library inside, for machines like this one.
WHEEL_FOLDER = .
wheel: all
	rm -rf wheel.stage
	$(MAKE) install DESTDIR=$(abs_builddir)/wheel.stage >/dev/null
	python3 $(srcdir)/%D%/wheel.py $(abs_builddir)/wheel.stage$(libdir) \
		$(PACKAGE_VERSION) $(WHEEL_FOLDER)
	rm -rf wheel.stage
.PHONY: wheel
