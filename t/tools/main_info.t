#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The plait command: its help, its usage errors, and the report of info."""
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from tap import BUILD, ROOT, done, none, ok, read, run, skip

PLAIT = os.path.join(BUILD, "tools/plait/plait")
BAD = os.path.join(BUILD, "t/plugin/bad/.libs")
PLUGINS = os.path.join(BUILD, "plugins/.libs")


def plait(*arguments, **variables):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PLAIT_")}
    environment.update(variables)
    return run([PLAIT] + list(arguments), env=environment)


def has(result, text, name):
    ok(text in result.stdout + result.stderr, name, result.stdout, result.stderr)


# --- words
result = plait("version")
ok(result.returncode == 0 and result.stdout.startswith("plait ") and "ABI" in result.stdout,
   "version tells version and ABI", result.stdout, result.stderr)
ok(plait("--version").stdout == result.stdout, "--version is the same")
result = plait("help")
ok(result.returncode == 0 and not result.stderr, "help is no error")
ok(plait("--help").stdout == result.stdout, "--help is the same")
commands = [line.split()[0] for line in result.stdout.splitlines() if line.startswith("  ")]
ok({"version", "help", "info"} <= set(commands), "help lists the commands", result.stdout)
manual = read("doc/man/plait.1")
none([c for c in commands if "\n.B %s" % c not in manual and '\n.BI "%s ' % c not in manual],
     "the manual has each command")
none([c for c in commands if not plait("help", c).stdout.startswith("usage: plait " + c)],
     "each command says how it is called")
for command in commands:
    want = plait("help", command).stdout
    none([args for args in ([command, "--help"], [command, "-h"], [command, "x", "--help"])
          for got in [plait(*args)] if got.returncode or got.stderr or got.stdout != want],
         "%s --help is the same" % command)
    none([o for o in re.findall(r"--\w+", want.split("\n\n")[0]) if want.count(o) < 2 and command != "conform"],
         "%s: each option is told about" % command)
told = [plait("help", "flow").stdout, manual.replace("\\-", "-")]
none([o for o in re.findall(r'{ "([a-z-]+)", (?:no|required)_argument', read("tools/plait/flow.c"))
      if not all(re.search(r"--%s\b(?!-)" % o, text) for text in told)],
     "flow: help and manual have each option")
for arguments in [(), ("frobnicate",), ("version", "x"), ("help", "x"), ("info", "x"), ("info", "-z"),
                  ("info", "-b")]:
    result = plait(*arguments)
    ok(result.returncode == 2 and not result.stdout and "usage: plait" in result.stderr,
       "usage: " + " ".join(arguments), result.returncode, result.stdout, result.stderr)
for wrong, meant in [("chek", "check"), ("simluate", "simulate"), ("inf", "info"), ("pln", "plan")]:
    has(plait(wrong), "unknown command '%s', did you mean '%s'?" % (wrong, meant), "a hint for " + wrong)
    has(plait("help", wrong), "did you mean '%s'?" % meant, "a hint for help " + wrong)
for wrong in ("frobnicate", "x", ""):
    none([wrong] if "did you mean" in plait(wrong).stderr else [], "no hint for '%s'" % wrong)
if os.path.exists("/dev/full"):
    with open("/dev/full", "w") as full:
        import subprocess
        for command in ("version", "info"):
            result = subprocess.run([PLAIT, command], stdout=full, stderr=subprocess.PIPE, text=True)
            ok(result.returncode == 1 and result.stderr.count("could not be written") == 1,
               command + ": output that cannot be written is a failure", result.returncode, result.stderr)
else:
    skip("no /dev/full")

# --- info
result = plait("info", "-p", BAD)
ok(result.returncode == 0 and not result.stderr, "info is quiet on the error stream", result.stderr)
has(result, "plugins from: %s (plugin_path)" % BAD, "it tells where it looked")
has(result, "good2: chosen, number 1", "it lists the chosen backends, in order")
has(result, "%s/plait_good2.so: loaded" % BAD, "and from where")
has(result, "good2:0: does nothing; 1 at a time", "and its devices")
has(result, "crowd: rejected: plugin crowd: says it has 4294967295 devices", "it reports a plugin with a false count")
has(result, "%s/plait_toonew.so: plugin toonew: too new" % BAD, "it reports a plugin that cannot be loaded")
has(result, "absent: rejected: absent: libabsent.so.1: no such file", "it reports a missing driver")
has(result, "shy: not chosen: it is used only when named, PLAIT_BACKEND=shy", "it reports a plugin that has to be named")
has(result, "inner: no backend but an interposer", "it tells interposers from backends")
ok(re.search(r"^shy: not chosen.*\n(  .*\n)*  shy:0: does nothing; 1 at a time\n\n", result.stdout, re.M),
   "it tells the devices of a plugin that has to be named", result.stdout)
result = plait("info", "-p", PLUGINS)
ok(re.search(r"^chaos: not chosen.*\n(  .*\n)*  chaos:0: .*\n  chaos:1: ", result.stdout, re.M) and
   result.stdout.count("chaos:0:") == 1, "all of them", result.stdout)
has(result, "  not usable here: null: a template, it has no devices\n", "or the reason why it has none")
ok("chaos" not in plait("info", "-p", PLUGINS, "-b", "host").stdout, "but of no other one, if some are named")
has(plait("info", "-p", PLUGINS, "-b", "^chaos"), "chaos: left out by backends\n", "nor of one that is excluded")
result = plait("info", "-p", PLUGINS, "-b", "hots?,host", PLAIT_LOG="warning")
ok(result.stderr.count("hots? has no effect") == 1 and result.stdout.count("perhaps \"host\"") == 1,
   "a warning comes once", result.stdout, result.stderr)

ok("\noptions: none\n" in plait("info", "-p", PLUGINS).stdout, "unset options are not listed")
has(plait("info", "-p", PLUGINS, "-o", "host:describe=1"), "\noptions: host:describe=1 (options)\n",
    "those that were set are")
has(plait("info", "-p", PLUGINS, "-b", "host", "--graphs"), "\ndevice graphs of three small plans:\n  no device takes graphs\n",
    "no device graph on hosts")
for name, hint in [("PLAIT_BACKENDS", "; perhaps PLAIT_BACKEND"), ("PLAIT_CHEK", "; perhaps PLAIT_CHECK"),
                   ("PLAIT_log", "; perhaps PLAIT_LOG"), ("PLAIT_FROBNICATE", ""), ("PLAIT_", "")]:
    line = name + " is not a variable of plait and has no effect" + hint + "\n"
    result = plait("info", PLAIT_PLUGIN_PATH=PLUGINS, PLAIT_LOG="warning", **{name: "1"})
    ok("note: " + line in result.stdout, name + ": a note", result.stdout)
    ok(line in result.stderr, name + ": a warning", result.stderr)
has(plait("info", "-p", PLUGINS, "-b", "host"), "\nmemories, and links between them:\n  memory 0: the program, host:0\n\n",
    "the host has the program's memory")
has(plait("info", "-p", PLUGINS, "-b", "chaos,host", "-o", "chaos:devices=4,peers=ring,link=2000/25000,host_link=5000/12000"),
    "  memory 0: the program, host:0\n  memory 1: chaos:0\n  memory 2: chaos:1\n  memory 3: chaos:2\n  memory 4: chaos:3\n"
    "  0>1 0>2 0>3 0>4 1>0 2>0 3>0 4>0: direct, 5000 ns, 12000 bytes/us\n"
    "  1>2 1>4 2>1 2>3 3>2 3>4 4>1 4>3: direct, 2000 ns, 25000 bytes/us\n"
    "  1>3 2>4 3>1 4>2: through the host, 10000 ns, 12000 bytes/us\n", "links that are told")
has(plait("info", "-p", PLUGINS, "-b", "chaos", "-o", "chaos:shared=1"),
    "  memory 1: chaos:0, chaos:1\n  0>1 1>0: direct, 10000 ns (assumed), 10000 bytes/us (assumed)\n",
    "a shared memory, and what is assumed")
ok("memories" not in plait("info", "-p", PLUGINS, "-b", "null").stdout, "and nothing without devices")
names = set(re.findall(r"^\.B (PLAIT_\w+)$", read("doc/man/plait.7"), re.M))
for folder, _, files in [at for top in ("src", "plugins", "tools", "bindings", "t/lib") for at in os.walk(os.path.join(ROOT, top))]:
    for file in files:
        if file.endswith((".c", ".h", ".py", ".lua")):
            names |= set(re.findall(r"""(?:env_get\(|getenv[( ]|environ\.get\()["'](PLAIT_\w+)["']""",
                                    read(os.path.relpath(os.path.join(folder, file), ROOT))))
result = plait("info", **dict({name: "" for name in names}, PLAIT_PLUGIN_PATH=PLUGINS))
ok(len(names) > 20 and "not a variable" not in result.stdout, "each variable that plait reads is known", result.stdout)
result = plait("info", PLAIT_PLUGIN_PATH=BAD, PLAIT_BACKEND="good,nobody", PLAIT_OPTIONS="goood:a=1")
ok(result.returncode == 0, "nothing usable is an answer", result.stderr)
has(result, "backends: good,nobody (PLAIT_BACKEND)", "it names the variable")
has(result, "%s/plait_nobody.so: not there" % BAD, "it tells each path that was tried")
has(result, "cannot be opened: plugin nobody: no plait_nobody.so in " + BAD, "it prints the error that a program gets")
has(result, "option goood:a has no effect, goood is not used", "it tells misspelt options")
has(result, "hint: plugins that are there too: ", "it suggests other names")

result = plait("info", "-p", BAD, "-b", "good", "-w", "outer,inner")
has(result, "wrapped in: outer,inner (wrap)", "it lists the interposers")
has(result, "good:0: outernothing", "and wraps")
for arguments, text in [(("-b", "good,^x"), "backends: names with and without ^"),
                        (("-p", "plugins"), "plugin_path: path 1, 'plugins', is not absolute"),
                        (("-o", "x"), "options: 'x' has no backend"),
                        (("-w", "a,a"), "wrap: 'a' is listed twice")]:
    result = plait("info", *arguments)
    ok(result.returncode == 1 and not result.stdout and text in result.stderr
       and "PLAIT_E_INVALID" in result.stderr, "info " + " ".join(arguments), result.stdout, result.stderr)
result = plait("info", "-p", PLUGINS, "-b", "null")
has(result, "null: rejected: null: a template, it has no devices", "the template declines")
done()
