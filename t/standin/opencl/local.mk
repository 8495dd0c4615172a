# SPDX-License-Identifier: MIT
# A stand-in for the ICD loader and a driver of OpenCL.
if OPENCL
check_LTLIBRARIES += %D%/fakecl.la
%C%_fakecl_la_SOURCES = %D%/buffers.c %D%/commands.c %D%/fake.h %D%/fakecl.h \
	%D%/images.c %D%/memory.c %D%/objects.c %D%/programs.c %D%/standin.h \
	%D%/twins.c \
	%D%/works.c
%C%_fakecl_la_LDFLAGS = $(AM_LDFLAGS) -module -avoid-version -shared \
	-rpath /nowhere
endif
