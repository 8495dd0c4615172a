# SPDX-License-Identifier: MIT
# The public ABI, all of it.  A header which is not here is not installed.

pkginclude_HEADERS += %D%/plait/array.h
pkginclude_HEADERS += %D%/plait/base.h
pkginclude_HEADERS += %D%/plait/callable.h
pkginclude_HEADERS += %D%/plait/code.h
pkginclude_HEADERS += %D%/plait/coll.h
pkginclude_HEADERS += %D%/plait/collective.h
pkginclude_HEADERS += %D%/plait/coroutine.h
pkginclude_HEADERS += %D%/plait/device.h
pkginclude_HEADERS += %D%/plait/inbox.h
pkginclude_HEADERS += %D%/plait/kernel.h
pkginclude_HEADERS += %D%/plait/mapper.h
pkginclude_HEADERS += %D%/plait/native.h
pkginclude_HEADERS += %D%/plait/node.h
pkginclude_HEADERS += %D%/plait/flow.h
pkginclude_HEADERS += %D%/plait/graph.h
pkginclude_HEADERS += %D%/plait/plan.h
pkginclude_HEADERS += %D%/plait/plait.h
pkginclude_HEADERS += %D%/plait/plait.hpp
pkginclude_HEADERS += %D%/plait/plugin.h
pkginclude_HEADERS += %D%/plait/queue.h
pkginclude_HEADERS += %D%/plait/run.h
pkginclude_HEADERS += %D%/plait/schedule.h
pkginclude_HEADERS += %D%/plait/source.h
pkginclude_HEADERS += %D%/plait/trace.h
pkginclude_HEADERS += %D%/plait/work.h
