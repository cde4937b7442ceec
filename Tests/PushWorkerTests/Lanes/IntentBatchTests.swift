import Testing

@testable import PushWorker

@Suite struct IntentBatchTests {
    @Test(arguments: [
        (window: 1, least: 0, most: 1), (2, 0, 2), (16, 4, 16), (64, 16, 24), (128, 16, 24), (256, 16, 32),
        (512, 32, 64), (4_096, 256, 512),
    ])
    func anIntentHoldsSixteenPostsOrAnEighthOfTheWindow(window: Int, least: Int, most: Int) {
        let batch = IntentBatch(of: window)
        #expect(batch.least == least)
        #expect(batch.most == most)
    }

    @Test func aBatchNeverExceedsTheWindow() {
        for window in 1...1_000 {
            let batch = IntentBatch(of: window)
            #expect(batch.most >= 1 && batch.most <= window && batch.least <= batch.most)
        }
    }
}
