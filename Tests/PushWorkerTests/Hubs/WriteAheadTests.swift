import Testing

@testable import PushWorker

@Suite struct WriteAheadTests {
    /// (answers per second, seconds of an intent, window, posts written ahead)
    @Test(arguments: [
        (10_000.0, 0.004, 512, 72),  // 40 are answered meanwhile, and a portion of 32
        (10_000.0, 0.024, 512, 128),  // a quarter of the window at most
        (25_000.0, 0.002, 64, 0),  // the hub answers faster than intents are written
        (1_200.0, 0.004, 64, 16),
        (100.0, 0.004, 64, 16),
        (100.0, 0.004, 512, 0),  // a portion would wait too long
        (0.0, 0.004, 512, 0),
        (10_000.0, 0.004, 3, 0),
    ])
    func itIsWhatIsAnsweredWhileAnIntentIsWritten(rate: Double, seconds: Double, window: Int, posts: Int) {
        let ahead = WriteAhead()
        #expect(ahead.posts(rate: rate, window: window) == 0, "nothing is known yet")
        ahead.wrote(in: seconds)
        #expect(ahead.posts(rate: rate, window: window) == posts)
    }

    @Test func oneSlowIntentCountsLittle() {
        let ahead = WriteAhead()
        for _ in 0..<10 { ahead.wrote(in: 0.002) }
        ahead.wrote(in: 0.012)
        #expect(ahead.posts(rate: 1_000, window: 512) == 4 + IntentBatch(of: 512).least)
    }
}
