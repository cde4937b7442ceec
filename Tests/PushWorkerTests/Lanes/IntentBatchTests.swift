import Testing

@testable import PushWorker

@Suite struct PortionTests {
    @Test(arguments: [
        (window: 1, least: 0, most: 1), (2, 0, 2), (16, 4, 16), (64, 16, 24), (128, 16, 24), (256, 16, 32),
        (512, 32, 64), (4_096, 256, 512),
    ])
    func anIntentIsSharedBySixteenAndABigWindowIsCutInEight(window: Int, least: Int, most: Int) {
        let portion = IntentBatch(of: window)
        #expect(portion.least == least)
        #expect(portion.most == most)
    }

    @Test func thereAreNeverMoreThanTheWindowHolds() {
        for window in 1...1_000 {
            let portion = IntentBatch(of: window)
            #expect(portion.most >= 1 && portion.most <= window && portion.least <= portion.most)
        }
    }
}
