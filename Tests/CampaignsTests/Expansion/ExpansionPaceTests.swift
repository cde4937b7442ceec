import PushModel
import Testing

@testable import Campaigns

@Suite struct ExpansionPaceTests {
    @Test func theFirstSliceIsSmallAndTheNextFollowsAtOnce() {
        var ahead = ExpansionPace()
        #expect(ahead.next(ahead: 0, expanded: 0, rate: nil, now: 0) == 500)
        #expect(ahead.next(ahead: 500, expanded: 500, rate: nil, now: 0.01) == 1_500)
        #expect(ahead.next(ahead: 2_000, expanded: 2_000, rate: nil, now: 0.02) == nil)
    }

    /// As many zones as a local run may have: together they hold about as much as one stream would.
    @Test(arguments: [1, 38, 400]) func streamsOfARunShareWhatMayWait(streams: Int) {
        var total = 0
        for _ in 0..<streams {
            var ahead = ExpansionPace()
            var waiting = 0
            while let n = ahead.next(ahead: waiting, expanded: Int64(waiting), rate: nil, now: 0, streams: streams) {
                waiting += n
            }
            total += waiting
        }
        #expect(total >= ExpansionPace.least / 2 && total <= 20_000, "\(total) wait")
    }

    @Test func nothingIsExpandedWhileTheHubTakesNothing() {
        var ahead = ExpansionPace()
        for second in 0..<100 {
            #expect(ahead.next(ahead: 2_000, expanded: 2_000, rate: nil, now: Double(second)) == nil)
        }
    }

    @Test func aRunWithARateGetsTwoSecondsOfIt() {
        var ahead = ExpansionPace()
        #expect(ahead.next(ahead: 400, expanded: 500, rate: 300, now: 1) == 600)
        #expect(ahead.next(ahead: 400, expanded: 500, rate: 0.1, now: 1) == 1)
        #expect(ahead.next(ahead: 400, expanded: 500, rate: 1e6, now: 1) == 10_000)
    }

    /// Hubs of any pace, looked at every tenth of a second: never more than 50,000 wait, after a while never more than
    /// ten seconds and one slice, and the hub is never left without messages.
    @Test(arguments: [3.0, 50, 1_000, 8_000, 26_000, 200_000])
    func whatWaitsFollowsThePaceOfTheHub(pace: Double) {
        var random = SeededRandom(seed: 19)
        var ahead = ExpansionPace()
        var waiting = 0
        var expanded: Int64 = 0
        var credit = 0.0
        var emptyLooks = 0
        for look in 0..<1_000 {
            while let n = ahead.next(ahead: waiting, expanded: expanded, rate: nil, now: Double(look) / 10) {
                #expect(n <= ExpansionPace.largest)
                waiting += n
                expanded += Int64(n)
            }
            #expect(waiting <= ExpansionPace.most + ExpansionPace.largest)
            if look > 100 {
                #expect(Double(waiting) <= max(Double(ExpansionPace.least), pace * 1.6 * ExpansionPace.seconds))
            }
            credit += pace / 10 * Double.random(in: 0.5...1.5, using: &random)
            let taken = min(waiting, Int(credit))
            credit -= Double(taken)
            waiting -= taken
            if waiting == 0 {
                if look > 100 { emptyLooks += 1 }
                credit = 0
            }
        }
        // A pace of 200,000 a second is more than 50,000 messages last for between two looks.
        if pace < 100_000 { #expect(emptyLooks == 0) }
    }
}
