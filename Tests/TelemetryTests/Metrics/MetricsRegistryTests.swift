import Testing

@testable import Telemetry

/// What is counted, by whom, and for how long it is told.
@Suite struct MetricsRegistryTests {
    private static let posts = MetricFamily("test_posts_total", .counter, labels: ["hub"], "Posts")
    private static let codes = MetricFamily("test_codes_total", .counter, labels: ["hub", "code"], "Codes")
    private static let window = MetricFamily("test_window", .gauge, labels: ["hub"], "Places")
    private static let time = MetricFamily("test_time_seconds", .histogram([1, 2]), "Time")

    private static func values(_ registry: MetricsRegistry, now: Double = 0) -> [String] {
        String(decoding: MetricsText.page(of: registry.reading(now: now), in: .prometheus), as: UTF8.self)
            .split(separator: "\n").filter { !$0.hasPrefix("#") }.map(String.init)
    }

    /// During a reload two workers have the same hubs.
    @Test func twoThatCountTheSameShareASeriesAndTwoThatAreReadAreAdded() {
        let registry = MetricsRegistry()
        registry.counter(Self.posts, "news").add(2)
        registry.counter(Self.posts, "news").add(3)
        let sources = [4, 5].map { places in registry.add { $0.add(places, to: Self.window, "news") } }
        #expect(Self.values(registry) == [#"test_posts_total{hub="news"} 5"#, #"test_window{hub="news"} 9"#])
        registry.remove(sources[0])
        #expect(Self.values(registry).last == #"test_window{hub="news"} 5"#)
    }

    @Test func aTableTellsOnlyWhatWasCounted() {
        let registry = MetricsRegistry()
        let table = registry.table(Self.codes, "news", count: 600) { $0 == 418 ? nil : ["\($0)"] }
        for code in [201, 0, 201, 599, 418, 600, -1] { table.add(at: code) }
        #expect(
            Self.values(registry) == [
                #"test_codes_total{hub="news",code="0"} 1"#, #"test_codes_total{hub="news",code="201"} 2"#,
                #"test_codes_total{hub="news",code="599"} 1"#,
            ])
    }

    @Test func everyValueIsInOneBucketAndTheLastHasThemAll() {
        let registry = MetricsRegistry()
        let histogram = registry.histogram(Self.time)
        #expect(Self.values(registry) == [], "told from the first value on")
        for value in [-1, 0, 1, 1.5, 2, 2.5, .nan, .infinity] { histogram.observe(value) }
        histogram.observe(1.25, times: 4)
        #expect(
            Self.values(registry) == [
                #"test_time_seconds_bucket{le="1.0"} 3"#, #"test_time_seconds_bucket{le="2.0"} 9"#,
                #"test_time_seconds_bucket{le="+Inf"} 10"#, "test_time_seconds_sum 12", "test_time_seconds_count 10",
            ])
    }

    @Test func theSeriesOfAHubThatLeftEndAfterFiveMinutesUnlessItComesBack() {
        let registry = MetricsRegistry()
        for hub in ["news", "sport", "chess"] { registry.counter(Self.posts, hub).add() }
        registry.serves(["news"], now: 100)
        registry.serves(["news", "chess"], now: 200)
        registry.serves(["news", "chess"], now: 300)
        #expect(Self.values(registry, now: 399).count == 3)
        #expect(Self.values(registry, now: 400) == ["chess", "news"].map { #"test_posts_total{hub="\#($0)"} 1"# })
        registry.serves(["news", "sport"], now: 500)
        #expect(registry.counter(Self.posts, "sport").value == 0, "a hub that comes back later begins anew")
    }

    /// From many threads at once nothing is lost.
    @Test func countsAreExact() async {
        let registry = MetricsRegistry()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    let counter = registry.counter(Self.posts, "news")
                    let table = registry.table(Self.codes, "news", count: 600) { ["\($0)"] }
                    for n in 0..<1_000 {
                        counter.add()
                        table.add(at: n % 600)
                    }
                }
                group.addTask { for _ in 0..<50 { _ = registry.reading(now: 0) } }
            }
        }
        let counted = Self.values(registry).filter { $0.hasPrefix("test_codes") }
        #expect(counted.reduce(0) { $0 + (Int($1.split(separator: " ")[1]) ?? 0) } == 8_000)
        #expect(registry.counter(Self.posts, "news").value == 8_000)
    }

    /// A reload replaces the worker that told them.
    @Test func theCountersOfASourceGoOnWhenItEnds() {
        let registry = MetricsRegistry()
        let first = registry.add { reading in
            reading.add(7, to: Self.posts, "news")
            reading.add(3, to: Self.window, "news")
        }
        registry.remove(first)
        registry.remove(first)
        #expect(Self.values(registry) == [#"test_posts_total{hub="news"} 7"#])
        _ = registry.add { $0.add(1, to: Self.posts, "news") }
        #expect(Self.values(registry) == [#"test_posts_total{hub="news"} 8"#])
    }

    @Test func whatAnEndedSourceSaidOfAHubThatLeftEndsToo() {
        let registry = MetricsRegistry()
        registry.remove(registry.add { $0.add(7, to: Self.posts, "news") })
        registry.remove(registry.add { $0.add(5, to: Self.posts, "sport") })
        registry.serves(["sport"], now: 100)
        #expect(Self.values(registry, now: 399).count == 2)
        #expect(Self.values(registry, now: 400) == [#"test_posts_total{hub="sport"} 5"#])
    }
}
