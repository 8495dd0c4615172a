# SPDX-License-Identifier: MIT
SERIAL_SCRIPT_TESTS += %D%/corpus.t

# Fuzz targets: each takes any bytes.  Here they run the inputs of corpus and
# found; the lane `fuzz` of bootstrap links them with libFuzzer.
FUZZ_TARGETS = %D%/signature %D%/graph_text %D%/plan_bytes \
	%D%/graph_calls %D%/plan_runs %D%/interface %D%/coll_xml \
	%D%/coll_text %D%/coll_bytes %D%/history_text
TEST_HELPERS += $(FUZZ_TARGETS)
FUZZ_MAIN = %D%/replay.c %D%/fuzz.h
LDFLAGS_FUZZ =
%C%_signature_SOURCES = %D%/signature.c $(FUZZ_MAIN)
%C%_signature_LDADD = src/libplaitcore.la
%C%_signature_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_graph_text_SOURCES = %D%/graph_text.c $(FUZZ_MAIN)
%C%_graph_text_LDADD = src/libplaitcore.la
%C%_graph_text_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_plan_bytes_SOURCES = %D%/plan_bytes.c %D%/plan_words.h $(FUZZ_MAIN)
%C%_plan_bytes_LDADD = src/libplaitcore.la
%C%_plan_bytes_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_coll_xml_SOURCES = %D%/coll_xml.c %D%/coll_proof.h $(FUZZ_MAIN)
%C%_coll_xml_LDADD = src/libplaitcore.la
%C%_coll_xml_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_coll_text_SOURCES = %D%/coll_text.c %D%/coll_proof.h $(FUZZ_MAIN)
%C%_coll_text_LDADD = src/libplaitcore.la
%C%_coll_text_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_coll_bytes_SOURCES = %D%/coll_bytes.c %D%/coll_proof.h $(FUZZ_MAIN)
%C%_coll_bytes_LDADD = src/libplaitcore.la
%C%_coll_bytes_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_graph_calls_SOURCES = %D%/graph_calls.c %D%/blank.h \
	$(FUZZ_MAIN)
%C%_graph_calls_LDADD = src/libplaitcore.la
%C%_graph_calls_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_interface_SOURCES = %D%/interface.c %D%/backends.h %D%/stream.h \
	%D%/handles.h $(FUZZ_MAIN)
nodist_%C%_interface_SOURCES = %D%/api_calls.h
%C%_interface_LDADD = src/libplaitcore.la
%C%_interface_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%D%/interface.$(OBJEXT): %D%/api_calls.h
%D%/api_calls.h: $(srcdir)/%D%/generate_calls.py $(srcdir)/bindings/api.json
	$(AM_V_GEN)python3 $(srcdir)/%D%/generate_calls.py $(srcdir)/bindings/api.json >$@.new && mv $@.new $@
CLEANFILES += %D%/api_calls.h
EXTRA_DIST += %D%/generate_calls.py
%C%_plan_runs_SOURCES = %D%/plan_runs.c %D%/guarded.h %D%/plan_attacks.h \
	%D%/plan_words.h $(FUZZ_MAIN)
%C%_plan_runs_LDADD = src/libplaitcore.la
%C%_plan_runs_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
%C%_history_text_SOURCES = %D%/history_text.c $(FUZZ_MAIN)
%C%_history_text_LDADD = src/libplaitcore.la
%C%_history_text_LDFLAGS = $(AM_LDFLAGS) $(LDFLAGS_FUZZ)
