import Concurrency
import Foundation
import Logging
import Synchronization
import Testing

@testable import Telemetry

@Suite struct RateLimitedLogTests {
    @Test func repeatsAreCountedAndLoggedOnceAMinute() throws {
        let captured = CapturedLog()
        let time = Mutex(0.0)
        let limited = RateLimitedLog(interval: 60) { time.withLock { $0 } }
        for second in 0..<150 {
            time.withLock { $0 = Double(second) }
            limited.log(.error, "hub is away", key: "news 503", to: captured.logger(), metadata: ["hub": "news"])
        }
        let objects = try captured.objects()
        #expect(objects.map { $0["repeated"] as? Int } == [nil, 59, 59])
        #expect(objects.allSatisfy { $0["hub"] as? String == "news" })
    }

    @Test func keysDoNotSilenceEachOther() {
        let captured = CapturedLog()
        let limited = RateLimitedLog { 0 }
        for key in ["news 503", "news 429", "news 503", "mail 503"] {
            limited.log(.error, "\(key)", key: key, to: captured.logger())
        }
        #expect(captured.lines.count == 3)
    }

    @Test func aLineBelowTheThresholdLeavesNoTrace() {
        let captured = CapturedLog()
        let limited = RateLimitedLog { 0 }
        limited.log(.debug, "quiet", key: "k", to: captured.logger(level: .info))
        limited.log(.error, "loud", key: "k", to: captured.logger(level: .info))
        #expect(captured.lines.count == 1)
    }

    @Test func memoryIsBounded() {
        var repeats = Repeats(interval: 60, capacity: 100)
        for index in 0..<1000 {
            #expect(repeats.note("key \(index)", at: Double(index) / 1000) == 0)
        }
        #expect(repeats.count == 100)
        #expect(repeats.note("key 999", at: 1) == nil)  // the newest are remembered
        #expect(repeats.note("another day", at: 1000) == 0)
        #expect(repeats.count == 1)  // keys without recent lines are forgotten
    }

    @Test func theClockNeverGoesBack() {
        let first = SystemClock.monotonicSeconds()
        #expect(SystemClock.monotonicSeconds() >= first)
    }
}
