import contextlib
import io
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from bench.bench import Bench
from bench.problem import Problem
from bench.psql import Database
from bench.sides.fanfare import Fanfare
from bench.sink import Taken
from bench.tls.certificates import Certificates, named
from bench.tls.samples import Samples, connections


class CertificateTests(unittest.TestCase):
    def test_fanfare_is_told_what_to_trust_only_when_the_hub_speaks_tls_and_only_itself_may_read_it(self):
        side, database = Fanfare(Bench(given_fanfare=Path(sys.executable))), Database("/nowhere", "none")
        self.addCleanup(side.bench.close)
        for ca in (None, Path("/some/ca.pem")):
            sink = type("Sink", (), {"connection_string": "Endpoint=https://127.0.0.1:1/", "ca": ca})
            file = side.command(database, sink).words[-1]
            expected = {"caFile": "/some/ca.pem"} if ca else None
            self.assertEqual(json.loads(file.read_text()).get("transport"), expected)
            self.assertEqual(file.stat().st_mode & 0o077, 0)

    @unittest.skipUnless(shutil.which("openssl"), "no openssl here")
    def test_both_kinds_of_certificates_come_from_one_authority_and_are_made_once(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        certificates = Certificates(Path(folder.name))
        ecdsa, rsa = certificates.tls(kind="ECDSA"), certificates.tls(kind="RSA")
        self.assertEqual((ecdsa.ca, ecdsa.name), (rsa.ca, "TLS 1.3, ECDSA"))
        self.assertEqual(certificates.tls("1.2", "RSA").certificate, rsa.certificate)
        self.assertEqual(named("side", None), "side, plain")
        self.assertEqual(named("side", rsa), "side, TLS 1.3, RSA")
        for made in (ecdsa, rsa):
            subprocess.run(["openssl", "verify", "-x509_strict", "-CAfile", made.ca, made.certificate], check=True,
                           capture_output=True)

    def test_what_openssl_refuses_is_said(self):
        with self.assertRaisesRegex(Problem, "openssl req failed"):
            Certificates(Path("/nowhere")).tls()


class SamplesTests(unittest.TestCase):
    def samples(self):
        bench = Bench(rounds=2)
        rates = {"plain": iter([100.0, 200.0]), "secure": iter([90.0, 160.0])}
        peaks = {"plain": 2.0, "secure": 4.0}
        with contextlib.redirect_stderr(io.StringIO()):
            return bench, Samples.of_rounds(bench, "table", {
                name: lambda name=name: {"rate": next(rates[name]), "peak_mb": peaks[name]} for name in rates})

    def test_sides_take_turns_and_each_sample_is_kept(self):
        bench, samples = self.samples()
        self.assertEqual([sample["side"] for sample in bench.raw], ["plain", "secure", "secure", "plain"])
        self.assertEqual(samples.of("secure", "rate"), [90, 160])
        self.assertEqual(samples.spread("plain", "rate"), "150 (100 to 200)")

    def test_a_side_is_compared_round_by_round_and_not_with_itself_or_one_that_was_not_measured(self):
        _, samples = self.samples()
        self.assertEqual(samples.ratio("secure", "plain"), "0.850 (0.833)")
        self.assertEqual(samples.ratio("plain", "plain"), "–")
        self.assertEqual(samples.ratio("secure", "other"), "–")
        self.assertEqual(samples.difference("secure", "plain", "peak_mb", 1000 / 512), "3.91")
        self.assertEqual(samples.median("secure", "longest_ms"), "–")

    def test_times_of_connections_are_milliseconds(self):
        self.assertEqual(
            connections(Taken(9, 9, 3, 0, 0, handshakes=3, resumed=1, most_open=2, started=1.5, slowest=0.25)),
            {"connections": 3, "most_open": 2, "handshakes": 3, "resumed": 1, "started_ms": 1500, "slowest_ms": 250})
