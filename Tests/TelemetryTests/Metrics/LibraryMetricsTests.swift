import CoreMetrics
import Logging
import Testing

@testable import Telemetry

/// What libraries count with swift-metrics.
@Suite struct LibraryMetricsTests {
    private let registry = MetricsRegistry()
    private let log = CapturedLog()
    private let libraries: LibraryMetrics

    init() { libraries = LibraryMetrics(in: registry, log: log.logger()) }

    private func page(_ format: MetricsText.Format = .prometheus) -> String {
        String(decoding: MetricsText.page(of: registry.reading(now: 0), in: format), as: UTF8.self)
    }

    /// The samples of libraries.
    private var samples: [String] {
        page().split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") && !$0.hasPrefix("fanfare_") }
    }

    private var dropped: Double? {
        page().split(separator: "\n").first { $0.hasPrefix("fanfare_library_metrics_dropped_total ") }
            .flatMap { Double($0.split(separator: " ")[1]) }
    }

    @Test func everyKindIsTold() {
        CoreMetrics.Counter(label: "cache.hits", factory: libraries).increment(by: 3)
        FloatingPointCounter(label: "cost_total", factory: libraries).increment(by: 0.25)
        Gauge(label: "depth", factory: libraries).record(-4)
        let meter = Meter(label: "level", factory: libraries)
        meter.set(10)
        meter.decrement(by: 2.5)
        meter.increment()
        Recorder(label: "size", factory: libraries).record(20)
        let timer = CoreMetrics.Timer(label: "lookup", factory: libraries)
        timer.recordMilliseconds(20)
        timer.recordNanoseconds(-1)
        #expect(samples.contains("cache_hits_total 3"))
        #expect(samples.contains("cost_total 0.25"))
        #expect(samples.contains("depth -4"))
        #expect(samples.contains("level 8.5"))
        #expect(samples.contains(#"size_bucket{le="10.0"} 0"#) && samples.contains(#"size_bucket{le="100.0"} 1"#))
        #expect(samples.contains("size_sum 20") && samples.contains("size_count 1"))
        #expect(samples.contains(#"lookup_seconds_bucket{le="0.001"} 1"#))
        #expect(samples.contains(#"lookup_seconds_bucket{le="0.025"} 2"#))
        #expect(samples.contains("lookup_seconds_sum 0.02") && samples.contains("lookup_seconds_count 2"))
        #expect(dropped == 0)
    }

    @Test func bothFormatsNameItsFamilies() {
        CoreMetrics.Counter(label: "a\"b\\c", dimensions: [("k", "x\"y\\z\nw")], factory: libraries).increment()
        CoreMetrics.Timer(label: "wait_seconds", factory: libraries).recordSeconds(1)
        let told = #"a_b_c_total{k="x\"y\\z\nw"} 1"#
        #expect(
            page().contains(
                "# HELP a_b_c_total Of a library, which calls it a\"b\\\\c\n# TYPE a_b_c_total counter\n\(told)\n"))
        #expect(
            page(.openMetrics).contains(
                "# HELP a_b_c Of a library, which calls it a\\\"b\\\\c\n# TYPE a_b_c counter\n\(told)\n"))
        for format in [MetricsText.Format.prometheus, .openMetrics] {
            #expect(page(format).contains("# TYPE wait_seconds histogram\nwait_seconds_bucket{"))
        }
    }

    @Test(arguments: [
        ("http.server.requests", "http_server_requests"), ("1st", "_1st"), ("a:b", "a:b"), ("", "_"),
        ("größe", "gr__e"), ("x\ny", "x_y"), ("__x", "__x"), ("👍🏽", "__"),
    ])
    func aNameIsMadeLegal(text: String, name: String) { #expect(LibraryNames.metric(text) == name) }

    @Test(arguments: [
        ([("b", "2"), ("a", "1")], "a=1 b=2"), ([("a", ""), ("b", "2")], "b=2"), ([("le", "1")], "exported_le=1"),
        ([("__name__", "x")], "exported___name__=x"), ([("a:b", "1"), ("0", "2")], "_0=2 a_b=1"),
        ([("a.b", "2"), ("a-b", "1"), ("a_b", "3")], "a_b=1;2;3"), ([("", "x")], "_=x"), ([], ""),
        ([("db.password", "x")], "db_password=•••"),
        ([("key", "SharedAccessKey=c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2VjcmV0c2U=")], "key=SharedAccessKey=•••"),
    ])
    func labelsAreLegalAndInOneOrder(dimensions: [(String, String)], labels: String) {
        #expect(
            LibraryNames.labels(dimensions).map { "\($0.name)=\($0.value)" }.joined(separator: " ") == labels)
    }

    @Test func theSameDimensionsInAnotherOrderAreTheSameSeries() {
        for dimensions in [[("a", "1"), ("b", "2")], [("b", "2"), ("a", "1")], [("b", "2"), ("c", ""), ("a", "1")]] {
            CoreMetrics.Counter(label: "hits", dimensions: dimensions, factory: libraries).increment()
        }
        CoreMetrics.Counter(label: "hits", dimensions: [("c", "3")], factory: libraries).increment()
        #expect(samples == [#"hits_total{a="",b="",c="3"} 1"#, #"hits_total{a="1",b="2",c=""} 3"#])
    }

    @Test func whatIsNoNumberOrBelowZeroHarmsNothing() {
        let counter = CoreMetrics.Counter(label: "n", factory: libraries)
        for n in [Int64.max, .max, -5, .min, 0] { counter.increment(by: n) }
        let floating = FloatingPointCounter(label: "f", factory: libraries)
        for n in [Double.nan, .infinity, -1, -.infinity, 2] { floating.increment(by: n) }
        let meter = Meter(label: "m", factory: libraries)
        for n in [Double.nan, .infinity, -1, 2] { meter.increment(by: n) }
        meter.decrement(by: Double.nan)
        let recorder = Recorder(label: "r", factory: libraries)
        for n in [Double.nan, .infinity, -1, 1e300] { recorder.record(n) }
        for _ in 1...20 { recorder.record(Int64.max) }
        let timer = CoreMetrics.Timer(label: "t", factory: libraries)
        for n in [Int64.min, .max] { timer.recordNanoseconds(n) }
        #expect(samples.contains { $0.hasPrefix("n_total 1.8446744073709") })
        #expect(samples.contains("f_total 2") && samples.contains("m 2"))
        #expect(samples.contains("r_count 22") && samples.contains(#"r_bucket{le="0.001"} 1"#))
        #expect(samples.contains("t_seconds_count 2") && samples.contains(#"t_seconds_bucket{le="30.0"} 1"#))
        counter.reset()
        #expect(samples.contains("n_total 0"))
    }

    /// What the log says of metrics that are dropped.
    private func said(_ field: String) throws -> [String] {
        try log.objects().map { line in
            #expect(line["msg"] as? String == "a metric of a library is not exposed")
            return try #require(line[field] as? String)
        }
    }

    @Test func whatHasAnothersNameIsDroppedAndSaidOnce() throws {
        CoreMetrics.Counter(label: "x", factory: libraries).increment()
        CoreMetrics.Timer(label: "t", factory: libraries).recordSeconds(1)
        let dropped = [
            // The family of a counter has in OpenMetrics its name without _total.
            "x": Gauge(label: "x", factory: libraries), "x_total": Gauge(label: "x_total", factory: libraries),
            "t_seconds": Recorder(label: "t_seconds", factory: libraries),
            "t_seconds_count": Gauge(label: "t_seconds_count", factory: libraries),
            "process_open_fds": Gauge(label: "process_open_fds", factory: libraries),
            "fanfare_new": Gauge(label: "fanfare_new", factory: libraries),
        ]
        _ = Gauge(label: "x", dimensions: [("a", "b")], factory: libraries)
        for gauge in dropped.values { gauge.record(7) }
        #expect(samples.count == 1 + 15 + 2 && samples.contains("x_total 1"))
        #expect(self.dropped == Double(dropped.count))
        #expect(try said("metric").sorted() == dropped.keys.sorted())
    }

    @Test func seriesAreBoundedByNameAndInAll() throws {
        for name in 0..<11 {
            for n in 0..<LibraryMetrics.mostOfName + 5 {
                CoreMetrics.Counter(label: "c\(name)", dimensions: [("n", "\(n)")], factory: libraries).increment()
            }
        }
        CoreMetrics.Counter(label: "c0", dimensions: [("n", "3")], factory: libraries).increment()
        #expect(samples.count == LibraryMetrics.most && samples.contains(#"c0_total{n="3"} 2"#))
        #expect(dropped == 11)
        CoreMetrics.Counter(label: "long", dimensions: [("n", String(repeating: "ä", count: 500))], factory: libraries)
            .increment()
        #expect(samples.count == LibraryMetrics.most && dropped == 12)
        #expect(
            try said("why") == Array(repeating: "it has more than 100 series", count: 10)
                + ["libraries have more than 1000 series", "its name and labels have more than 1000 bytes"])
    }

    @Test func aSeriesThatIsDestroyedIsToldNoMore() {
        let first = CoreMetrics.Counter(label: "c", dimensions: [("a", "1")], factory: libraries)
        let same = CoreMetrics.Counter(label: "c", dimensions: [("a", "1")], factory: libraries)
        let other = CoreMetrics.Counter(label: "c", dimensions: [("a", "2")], factory: libraries)
        first.increment()
        first.destroy()
        #expect(samples == [#"c_total{a="2"} 0"#])
        // The new one is another: the late end of its predecessor leaves it alone.
        CoreMetrics.Counter(label: "c", dimensions: [("a", "1")], factory: libraries).increment(by: 5)
        same.increment()
        same.destroy()
        #expect(samples == [#"c_total{a="1"} 5"#, #"c_total{a="2"} 0"#])
        CoreMetrics.Counter(label: "c", dimensions: [("a", "1")], factory: libraries).destroy()
        other.destroy()
        #expect(samples == [])
        // Its name is free again, and a handle that was dropped may be destroyed.
        let gauge = Gauge(label: "c", factory: libraries)
        let meter = Meter(label: "m", factory: libraries)
        let timer = CoreMetrics.Timer(label: "m", factory: libraries)
        let dropped = FloatingPointCounter(label: "c", factory: libraries)
        gauge.record(1)
        timer.recordSeconds(1)
        dropped.destroy()
        #expect(samples.contains("c 1") && samples.contains("m 0") && self.dropped == 1)
        gauge.destroy()
        meter.destroy()
        timer.destroy()
        #expect(samples == [])
    }

    /// Also while series come and go, and under a reader.
    @Test func manyThreadsCountOne() async {
        await withTaskGroup { group in
            for task in 0..<8 {
                group.addTask { [libraries, registry] in
                    for n in 0..<500 {
                        CoreMetrics.Counter(label: "hits", factory: libraries).increment()
                        let own = CoreMetrics.Timer(label: "t\(task)", factory: libraries)
                        own.recordNanoseconds(1)
                        own.destroy()
                        if n % 100 == 0 { _ = registry.reading(now: 0) }
                    }
                }
            }
        }
        #expect(samples == ["hits_total 4000"])
    }

    /// In its own process: libraries are told where to count once per process.
    @Test func aLibraryThatNamesNoFactoryIsTold() async throws {
        await #expect(processExitsWith: .success) {
            let registry = MetricsRegistry()
            bootstrapMetrics(registry, log: Logger(label: "test"))
            CoreMetrics.Counter(label: "hits").increment()
            let page = String(decoding: MetricsText.page(of: registry.reading(now: 0), in: .prometheus), as: UTF8.self)
            #expect(page.contains("\nhits_total 1\n"))
        }
    }
}
