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
