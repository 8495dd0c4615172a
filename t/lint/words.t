#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Forbidden words: unfinished work, names of machines, and calls that only one
file may make."""
import functools
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import ROOT, done, none, ok, read, sources, tracked, without_comments

SELF = "t/lint/words.t"
read = functools.lru_cache(maxsize=None)(read)
TEXT = re.compile(r"\.([chmt]|md|mk|ac|am|in|sh|py|lua|rs|jl|toml|map|pml|txt|\d)$|^(bootstrap|LICENSE|\.ci/run)$")

# (what, pattern, where it is looked for, where it is allowed)
CODE = ("src", "plugins")
GATES = (
    ("atomics and futexes live in src/sys/atomic.h and src/sys/futex.c",
     r"stdatomic\.h|\b__atomic_|\b__sync_|\b_Atomic\b|\batomic_\w+|\bSYS_futex\b|\bvolatile\b",
     CODE, r"src/sys/(atomic|explore|futex|spin)\w*\.[ch]|plugins/driven/atomic\.h|plugins/shm/bell\.h"),
    ("locks are src/sys/mutex.h and src/sys/eventcount.h",
     r"\bpthread_(mutex|cond|rwlock|spin|barrier)\w*|\bsem_(init|wait|post)\b|threads\.h",
     ("src",), r"src/sys/mutex\.[ch]"),
    ("the environment is read in src/sys/env.c", r"\b(secure_)?getenv\b|\benviron\b|\b(put|set)env\b",
     CODE, r"src/sys/env\.c|plugins/driven/process_state\.c"),
    ("memory comes from src/base/alloc.c",
     r"\b(malloc|calloc|realloc|free|strdup|strndup|asprintf|posix_memalign|aligned_alloc)\s*\(",
     CODE, r"src/base/alloc\.c"),
    ("nothing aborts, exits or asserts", r"\b(abort|_?exit|_Exit|assert|__builtin_trap)\s*\(",
     CODE, r""),
    ("nothing prints but the log",
     r"\b(v?f?printf|puts|fputs|putchar|perror|fwrite)\s*\(|\bstd(out|err)\b",
     CODE, r"src/base/log\.c|src/object/log\.c|src/sys/log\.c"),
    ("no unbounded string functions", r'\b(strcat|v?sprintf|gets|strtok|alloca)\s*\(|\bstrcpy\s*\([^,]*,\s*[^"\s]',
     CODE + ("tools", "examples", "bench"), r""),
    ("no sleep as synchronisation", r"\b(u|nano)?sleep\s*\(",
     CODE, r"src/sys/(clock|thread)\.c"),
    # Allowed between two polls for an event without notification: the end of a thread.
    ("no sleep in tests", r"\b(u|nano)?sleep\s*\(", ("t",), r"t/lib/objects\.h|t/fault/calls/place\.c|t/standin/cuda/conflict\.c"),
    ("no signal handlers, no locale", r"\b(sigaction|signal|setlocale|chdir|umask)\s*\(",
     CODE, r"plugins/driven/process_state\.c"),
)


def hits(pattern, names, code=True):
    found = []
    anywhere = re.compile(pattern, re.M)
    for name in names:
        text = without_comments(read(name)) if code else read(name)
        if not anywhere.search(text):
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if re.search(pattern, line):
                found.append("%s:%d: %s" % (name, number, line.strip()[:80]))
    return found


texts = [n for n in tracked() if TEXT.search(n) and n != SELF]
code = sources("src", "plugins", "include", "tools", "examples", "bench", "t")
ok(len(texts) > 20 and len(code) > 10, "there is something to read")

# Split, so that this file is not its own finding.
unfinished = r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX|HA" + r"CK)\b"
none(hits(unfinished, [n for n in texts if n not in ("t/lib/tap.h", "t/lib/tap.c", "t/lint/tap.c", "bootstrap")],
          code=False), "no unfinished business")
none(hits(r"for no" + r"w\b", code, code=False), "nothing is only for the moment")
none(hits(r"/wor" + r"k/|/tm" + r"p/w/|/tm" + r"p/b/|/far" + r"m/|/roo" + r"t/|/hom" + r"e/\w", texts, code=False),
     "no paths of a machine")
none(hits(r"shared/(resea" + r"rch|desi" + r"gn)|\b(style|verify|design|replay|perf|ffi|nnc|msccl)\.m" + r"d\b",
          texts, code=False), "no names of private notes")
for what, pattern, where, allowed in GATES:
    names = [n for n in code if n.split("/")[0] in where and not (allowed and re.fullmatch(allowed, n))]
    none(hits(pattern, names), what)

# Not ThreadSanitizer's, because there is nothing for it to see.
fragments = [n for n in tracked() if n.startswith("t/") and n.endswith("/local.mk")]
serial = {"%s/%s.c" % (os.path.dirname(path), name) for path in fragments
          for name in re.findall(r"^SERIAL_TESTS \+= %D%/(\S+)\.t$", read(path), re.M)}
ok(len(serial) > 10, "the fragments name tests with one thread")
none(hits(r"\bpthread_create|\bplait__(thread_start|pool_|affinity_|callback_scope_|external_thread_|parallel_for_)|\bplait_context_open",
          [n for n in code if n in serial]), "and they start no other")

none([n for n in code if not read(n).startswith("/* SPDX-License-Identifier: MIT */\n")],
     "C files start with the licence")
none([n for n in texts if re.search(r"\.(mk|ac|am|t|sh|py|lua|rs|jl|toml)$", n) and not n.endswith(".md")
      and "SPDX-License-Identifier: MIT" not in "\n".join(read(n).split("\n")[:3])],
     "so do all others")
none([n for n in code if not re.match(r"/\* SPDX.*\n/\*", read(n))],
     "then a comment says what lives in the file")
none(["%s: //" % n for n in code if re.search(r"//", re.sub(
    r'/\*.*?\*/|"(?:\\.|[^"\\\n])*"', "", read(n), flags=re.S))], "comments are /* */")
none(hits(r"[ \t]+$", [n for n in texts if not n.endswith(".md")], code=False), "no blanks at the end of a line")
none([n for n in texts if not read(n).endswith("\n") or read(n).endswith("\n\n")],
     "files end with one newline")
none(hits(r"[^\x00-\x7f]", code, code=False), "code is ASCII")
none(hits(r"^ {4,}\S", [n for n in code if n.endswith(".c")]), "indentation is by tabs")
none([n for n in tracked() if re.search(r"(^|/)(utils?|helpers?|common|misc)\w*\.[ch]$", n)],
     "files are named for objects")
none([n for n in tracked() if re.search(r"(^|/)(configure|aclocal\.m4|Makefile\.in|Makefile)$|\.(o|so|la|lo)$", n)],
     "nothing generated is tracked")
none([n for n in tracked() if n.endswith(".t") and not os.access(os.path.join(ROOT, n), os.X_OK)],
     "scripts can be executed")
done()
