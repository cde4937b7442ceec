import tempfile
import unittest
from pathlib import Path

from bench.table import Table, page_of, replaced, write

PAGE = "# Performance\n\n<!-- bench:a -->\nold\n<!-- /bench:a -->\n\nKept.\n\n<!-- bench:b -->\n<!-- /bench:b -->\n"
A = Table("a", ["side", "rate"], [["one|two", "1"]], ["How."])
B = Table("b", ["x"], [["\\1"]])


class TableTests(unittest.TestCase):
    def test_a_table_takes_the_place_between_its_markers(self):
        page = replaced(replaced(PAGE, A), B)
        self.assertEqual(page, PAGE.replace("old\n", "| side | rate |\n| --- | --- |\n| one\\|two | 1 |\n\nHow.\n").replace(
            "<!-- bench:b -->\n", "<!-- bench:b -->\n| x |\n| --- |\n| \\1 |\n"))
        self.assertEqual(replaced(replaced(page, A), B), page)

    def test_without_its_markers_nothing_is_written(self):
        for page in ["", "<!-- bench:a -->", PAGE + PAGE, "<!-- /bench:a -->\n<!-- bench:a -->"]:
            with self.assertRaises(ValueError):
                replaced(page, A)

    def test_a_row_has_a_cell_for_every_column(self):
        with self.assertRaises(ValueError):
            Table("a", ["one", "two"], [["1"]]).markdown()

    def test_a_table_has_its_place_on_one_page_only(self):
        with tempfile.TemporaryDirectory() as folder:
            pages = [Path(folder, "first.md"), Path(folder, "second.md")]
            pages[0].write_text(PAGE)
            pages[1].write_text("<!-- bench:c -->\n<!-- /bench:c -->\n<!-- bench:b -->\n<!-- /bench:b -->\n<!-- bench:d -->\n")
            self.assertEqual([page_of(pages, "a"), page_of(pages, "c")], pages)
            for name in ["b", "d", "unknown"]:
                with self.assertRaises(ValueError):
                    page_of(pages, name)

    def test_all_tables_are_written_or_none(self):
        with tempfile.TemporaryDirectory() as folder:
            page = Path(folder, "page.md")
            page.write_text(PAGE)
            with self.assertRaises(ValueError):
                write(page, [A, Table("unknown", ["x"], [])])
            self.assertEqual(page.read_text(), PAGE)
            write(page, [A, B])
            self.assertNotIn("old", page.read_text())
