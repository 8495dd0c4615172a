#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
# time limit: 1200 s
"""Tests of the library pass with PLAIT_WRAP=check: the interposer finds no
violation and changes no result, and tests that need the bare library say so."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, done, ok, run, skip

for name in ("object/inbox", "object/inflight_ring", "object/backend_result", "object/queue", "object/strided_copy",
             "run/bind_parameters", "run/races", "run/start", "run/start_costs", "run/temporaries",
             "run/regions_queued", "plugin/choose_services", "plugin/load_table_check", "plugin/search_elf_check",
             "plugin/swapped_folders", "plugins/host_backend"):
    test = os.path.join(BUILD, "t", name + ".t")
    if not os.path.exists(test):
        skip(name + " is not built here")
        continue
    got = run([test], env=dict(os.environ, PLAIT_WRAP="check"))
    bad = [line for line in got.stdout.splitlines() if line.startswith("not ok")]
    ok(got.returncode == 0 and not bad, "PLAIT_WRAP=check " + name, got.returncode, *bad[:9])
done()
