"""The small parts that read what others print, and the command line."""
import contextlib
import io
import os
import re
import sys
import time
import unittest
from pathlib import Path

from bench.__main__ import PAGES, all_groups, parsed, shown
from bench.bench import Bench
from bench.machine import filesystem
from bench.printed import figures
from bench.problem import Problem
from bench.processes import Started, run, tree_cpu, waits
from bench.table import page_of
from bench.syscalls import parsed as parsed_calls

BURN = "import time\nuntil = time.process_time() + 0.2\nwhile time.process_time() < until: pass\n"


class ParserTests(unittest.TestCase):
    def test_a_line_of_figures_is_read_by_name(self):
        self.assertEqual(figures("warming up\nrps=1200 cpu_us/req=18.5\n"), {"rps": 1200, "cpu_us/req": 18.5})
        for wrong in ["", "no figures here", "rps=fast"]:
            with self.assertRaises(Problem):
                figures(wrong)

    def test_straces_table_is_read_with_and_without_errors(self):
        self.assertEqual(
            parsed_calls("% time     seconds  usecs/call     calls    errors syscall\n"
                         "------ ----------- ----------- --------- --------- ----------------\n"
                         " 60.00    0.010000          10      1000           sendto\n"
                         " 40.00    0.005000          10       500         3 recvfrom\n"
                         "------ ----------- ----------- --------- --------- ----------------\n"
                         "100.00    0.015000          10      1500         3 total\n"),
            {"sendto": 1000, "recvfrom": 500})


class ProcessTests(unittest.TestCase):
    def test_what_a_process_and_its_child_used_is_counted(self):
        child = f"import subprocess, sys\nkept = bytearray(50_000_000)\nsubprocess.run([sys.executable, '-c', {BURN!r}])\n"
        ran = run([sys.executable, "-c", f"{child}{BURN}print('ended')"])
        self.assertGreaterEqual(ran.cpu, 0.4)
        self.assertGreater(ran.peak, 50_000_000)
        self.assertEqual(ran.output, "ended\n")

    def test_a_tree_keeps_what_its_ended_children_used(self):
        before = tree_cpu(os.getpid())
        run([sys.executable, "-c", BURN])
        self.assertGreaterEqual(tree_cpu(os.getpid()) - before, 0.15)

    def test_a_side_that_fails_fails_the_run_with_its_words(self):
        with self.assertRaisesRegex(Problem, "ended with 3.*\n.*no hub"):
            run([sys.executable, "-c", "import sys; print('no hub', file=sys.stderr); sys.exit(3)"])

    def test_a_side_that_hangs_is_stopped(self):
        began = time.monotonic()
        with self.assertRaisesRegex(Problem, "was stopped after"):
            run(["sleep", "600"], timeout=0.1)
        self.assertLess(time.monotonic() - began, 300)


    def test_a_process_is_known_to_run_and_to_have_ended(self):
        started = Started(["sleep", "600"])
        self.addCleanup(started.close)
        self.assertTrue(started.runs)
        started.process.terminate()
        while started.runs:
            time.sleep(0.001)
        with self.assertRaisesRegex(Problem, "ended with -15"):
            started.ended()

    def test_waits_are_counted_while_a_process_runs(self):
        before = waits(os.getpid())
        for _ in range(3):
            time.sleep(0.001)
        self.assertGreaterEqual(waits(os.getpid()) - before, 3)


class CommandLineTests(unittest.TestCase):
    def refused(self, *arguments):
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(SystemExit) as ended:
            parsed(list(arguments), all_groups())
        self.assertEqual(ended.exception.code, 2)
        return said.getvalue()

    def test_what_cannot_be_measured_is_refused_by_name(self):
        self.assertIn("there is no group produkt; there are: campaign, console, devices", self.refused("produkt"))
        self.assertIn("at least 1", self.refused("--rounds", "0"))
        self.assertIn("whole figures", self.refused("--write", "--quick"))
        self.assertIn("no file /nowhere", self.refused("--fanfare", "/nowhere"))
        self.assertIn("no file /nowhere", self.refused("--emulator", "/nowhere"))
        self.assertIn("no file /nowhere", self.refused("--older", "/nowhere"))

    def test_the_command_under_a_table_names_no_place_of_this_machine(self):
        asked = parsed(["store", "--json", "/tmp/a.json", "--fanfare", __file__, "--side", "a b"], all_groups())
        self.assertEqual(shown(asked), "bin/bench store --rounds 5 --side 'a b'")

    def test_the_command_says_that_an_older_build_was_measured_too(self):
        asked = parsed(["metrics", "--older", sys.executable], all_groups())
        self.assertEqual(shown(asked), "bin/bench metrics --rounds 5 --older FILE")

    def test_every_group_says_what_it_measures(self):
        for name, group in all_groups().items():
            self.assertTrue(group.ABOUT and callable(group.run), name)

    def test_every_table_has_its_place_on_the_page_and_every_place_its_table(self):
        pages, names = "".join(page.read_text() for page in PAGES), [name for group in all_groups().values() for name in group.TABLES]
        for name in names:
            self.assertIn(page_of(PAGES, name), PAGES)
        self.assertEqual(sorted(re.findall("<!-- bench:(.*) -->", pages)), sorted(names))

    def test_a_quick_run_is_small_and_never_empty(self):
        self.assertEqual([Bench(quick=True).size(n) for n in (100, 5_000, 100_000)], [100, 1_000, 5_000])
        self.assertEqual(Bench().size(5_000), 5_000)


class MachineTests(unittest.TestCase):
    def test_the_file_system_of_proc_is_proc(self):
        self.assertEqual(filesystem(Path("/proc")), "proc")
