import CoreMetrics

extension LibraryMetrics: MetricsFactory {
    private func number(
        _ label: String, _ dimensions: [(String, String)], _ kind: MetricFamily.Kind, suffix: String = ""
    ) -> LibraryNumber? {
        series(label, dimensions, kind, suffix: suffix) { LibraryNumber($0) }
    }

    private func histogram(
        _ label: String, _ dimensions: [(String, String)], _ bounds: [Double], suffix: String = ""
    ) -> LibraryHistogram? {
        series(label, dimensions, .histogram(bounds), suffix: suffix) { LibraryHistogram($0, bounds: bounds) }
    }

    public func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        number(label, dimensions, .counter, suffix: "_total") ?? NOOPMetricsHandler.instance
    }

    public func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        number(label, dimensions, .counter, suffix: "_total") ?? NOOPMetricsHandler.instance
    }

    public func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        number(label, dimensions, .gauge) ?? NOOPMetricsHandler.instance
    }

    public func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let handler: (any RecorderHandler)? =
            aggregate ? histogram(label, dimensions, LibraryHistogram.values) : number(label, dimensions, .gauge)
        return handler ?? NOOPMetricsHandler.instance
    }

    public func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        histogram(label, dimensions, LibraryHistogram.durations, suffix: "_seconds") ?? NOOPMetricsHandler.instance
    }

    public func destroyCounter(_ handler: any CounterHandler) { end(handler) }

    public func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { end(handler) }

    public func destroyMeter(_ handler: any MeterHandler) { end(handler) }

    public func destroyRecorder(_ handler: any RecorderHandler) { end(handler) }

    public func destroyTimer(_ handler: any TimerHandler) { end(handler) }
}
