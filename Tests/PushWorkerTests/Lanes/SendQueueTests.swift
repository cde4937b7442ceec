import PushModel
import Testing

@testable import PushWorker

/// Every order of events, without a server.
@Suite struct SendQueueTests {
    private func posts(_ ids: ClosedRange<Int64>, bytes: Int = 10) -> [Lane.Outgoing] {
        ids.map { Lane.Outgoing(Post(messages: [$0], target: .tag("World"), body: Array(repeating: 0, count: bytes))) }
    }

    private func ids(_ posts: some Sequence<Lane.Outgoing>) -> [Int64] { posts.flatMap(\.post.messages) }

    private func next(_ queue: inout SendQueue, window: Int = 64, room: Int = 1_000, few: Int = 0) -> SendQueue.Action?
    {
        queue.next(window: window, room: room, areFew: { $0 <= few })
    }

    @Test func theGateIsAskedBeforeEachBatch() {
        var queue = SendQueue(posts(1...40), .open)
        #expect(next(&queue) == .askGate)
        queue.admitted(.open)
        #expect(next(&queue) == .takePlaces(upTo: 24, atLeast: 16))
        #expect(ids(queue.granted(20, isStillAdmitted: true)) == Array(1...20))
        queue.began()
        #expect(next(&queue) == .askGate)
        queue.admitted(.open)
        #expect(next(&queue) == .takePlaces(upTo: 20, atLeast: 16))
    }

    @Test func twoIntentsAreUnderWayAndAThirdWaits() {
        var queue = SendQueue(posts(1...60), .open)
        for _ in 1...2 {
            _ = next(&queue)
            queue.admitted(.open)
            _ = next(&queue)
            _ = queue.granted(16, isStillAdmitted: true)
            queue.began()
        }
        #expect(next(&queue) == .awaitPosts)
        queue.settled(Lane.SendResult(sent: 16))
        #expect(next(&queue) == .askGate)
    }

    @Test func aClosedGateEndsItAndIntentsUnderWayAreAwaited() {
        var queue = SendQueue(posts(1...40), .open)
        _ = next(&queue)
        queue.admitted(.open)
        _ = next(&queue)
        _ = queue.granted(16, isStillAdmitted: true)
        queue.began()
        _ = next(&queue)
        queue.admitted(.closed)
        #expect(next(&queue) == .awaitPosts)
        queue.settled(Lane.SendResult(sent: 16))
        #expect(next(&queue) == .sayFewLeft)
        #expect(next(&queue) == .sayWritten)
        #expect(next(&queue) == nil)
        #expect(ids(queue.waiting) == Array(17...40))
    }

    @Test func whoIsTurnedAwayAsksTheGateAgain() {
        var queue = SendQueue(posts(1...3), .open)
        _ = next(&queue)
        queue.admitted(.open)
        _ = next(&queue)
        #expect(queue.granted(0, isStillAdmitted: true).isEmpty)
        #expect(next(&queue) == .askGate)
        queue.admitted(.open)
        _ = next(&queue)
        #expect(queue.granted(3, isStillAdmitted: false).isEmpty)
        #expect(next(&queue) == .askGate)
        #expect(ids(queue.waiting) == [1, 2, 3])
    }

    @Test func aProbeIsOnePostAndTheOthersWaitForTheGate() {
        var queue = SendQueue(posts(1...3), .probe)
        #expect(next(&queue) == .takePlaces(upTo: 1, atLeast: 1))
        #expect(ids(queue.granted(1, isStillAdmitted: true, probe: { $0 - 1 })) == [3])
        queue.began()
        #expect(next(&queue) == .awaitPosts)
        queue.settled(Lane.SendResult(sent: 1, isProbe: true))
        #expect(queue.admission == .closed)
        #expect(next(&queue) == .askGate)
    }

    @Test func aProbeThatDidNotLeaveIsTriedWithTheNextPost() {
        var queue = SendQueue(posts(1...2), .probe)
        _ = next(&queue)
        _ = queue.granted(1, isStillAdmitted: true)
        queue.began()
        queue.settled(Lane.SendResult(sent: 0, isProbe: true))
        #expect(queue.admission == .probe)
        #expect(next(&queue) == .takePlaces(upTo: 1, atLeast: 1))
    }

    @Test func aProbeWithPlacesThatIsNotAdmittedAnyMoreLosesItsPermission() {
        var queue = SendQueue(posts(1...2), .probe)
        _ = next(&queue)
        #expect(queue.granted(0, isStillAdmitted: true).isEmpty)
        #expect(queue.admission == .probe)
        _ = next(&queue)
        #expect(queue.granted(1, isStillAdmitted: false).isEmpty)
        #expect(queue.admission == .closed)
        #expect(next(&queue) == .askGate)
    }

    @Test func aProbeFoundOnTheWayWaitsForTheIntentsBeforeIt() {
        var queue = SendQueue(posts(1...40), .open)
        _ = next(&queue)
        queue.admitted(.open)
        _ = next(&queue)
        _ = queue.granted(16, isStillAdmitted: true)
        queue.began()
        _ = next(&queue)
        queue.admitted(.probe)
        #expect(next(&queue) == .awaitPosts)
        queue.settled(Lane.SendResult(sent: 16))  // it is not the probe that has left
        #expect(queue.admission == .probe)
        #expect(next(&queue) == .takePlaces(upTo: 1, atLeast: 1))
    }

    @Test func replannedPostsLeaveFirst() {
        var queue = SendQueue(posts(1...20), .open)
        _ = next(&queue)
        queue.admitted(.open)
        _ = next(&queue)
        _ = queue.granted(16, isStillAdmitted: true)
        queue.began()
        queue.settled(Lane.SendResult(sent: 15, replanned: posts(7...7)))
        #expect(ids(queue.waiting) == [7, 17, 18, 19, 20])
    }

    @Test(arguments: [true, false]) func aHeldOrRescuedClaimSendsNothingMore(isRescued: Bool) {
        var queue = SendQueue(posts(1...40), .open)
        _ = next(&queue)
        queue.admitted(.open)
        _ = next(&queue)
        _ = queue.granted(16, isStillAdmitted: true)
        queue.began()
        queue.settled(Lane.SendResult(isHeld: !isRescued, isRescued: isRescued))
        #expect(queue.isRescued == isRescued)
        #expect(next(&queue) == .sayFewLeft)
        #expect(next(&queue) == .sayWritten)
        #expect(next(&queue) == nil)
        #expect(ids(queue.waiting) == Array(17...40))
    }

    @Test func bodiesInFlightLeaveRoomForOneAtLeast() {
        var queue = SendQueue(posts(1...10, bytes: 600), .open)
        _ = next(&queue)
        queue.admitted(.open)
        #expect(next(&queue, room: 0) == .awaitRoom)
        #expect(next(&queue) == .askGate)
        queue.admitted(.open)
        #expect(next(&queue, room: 1) == .takePlaces(upTo: 1, atLeast: 1))
        #expect(next(&queue, room: 1_000) == .takePlaces(upTo: 2, atLeast: 2))
    }

    @Test func fewLeftIsSaidOnce() {
        var queue = SendQueue(posts(1...10), .open)
        #expect(next(&queue, few: 10) == .sayFewLeft)
        #expect(next(&queue, few: 10) == .askGate)
        queue.stop()
        #expect(next(&queue, few: 10) == .sayWritten)
        #expect(next(&queue, few: 10) == nil)
        var empty = SendQueue([], .open)
        #expect(next(&empty) == .sayFewLeft)
        #expect(next(&empty) == .sayWritten)
        #expect(next(&empty) == nil)
    }

    @Test func aClaimWithoutNumbersGoesBack() {
        var queue = SendQueue(posts(1...20), .open)
        _ = next(&queue)
        queue.admitted(.open)
        _ = next(&queue)
        let batch = queue.granted(16, isStillAdmitted: true)
        queue.putBack(Array(batch.dropFirst(10)))
        queue.ranOutOfNumbers()
        queue.began()
        #expect(next(&queue) == .awaitPosts)
        queue.settled(Lane.SendResult(sent: 10))
        #expect(next(&queue) == .sayFewLeft)
        #expect(next(&queue) == .sayWritten)
        #expect(next(&queue) == nil)
        #expect(ids(queue.waiting) == Array(11...20))
    }

    /// However the events fall, every post leaves once or is left at the end.
    @Test(arguments: 1...200) func noPostIsLostOrSentTwice(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let all = posts(1...Int64.random(in: 1...60, using: &random))
        var queue = SendQueue(all, Bool.random(using: &random) ? .probe : .open)
        var sent: [Int64] = []
        var intents: [(posts: [Lane.Outgoing], isProbe: Bool)] = []
        var departures: [[Lane.Outgoing]] = []
        var fewLeft = 0
        var written = 0
        for step in 0..<10_000 {
            guard let action = next(&queue, few: Int.random(in: 0...20, using: &random)) else { break }
            #expect(step < 9_999)
            switch action {
            case .sayFewLeft: fewLeft += 1
            case .sayWritten:
                written += 1
                #expect(intents.isEmpty)
            case .askGate:
                let chance = Int.random(in: 0..<20, using: &random)
                queue.admitted(chance == 0 ? .closed : chance < 4 ? .probe : .open)
            case .awaitRoom: break
            case .takePlaces(let most, let least):
                #expect((1...most).contains(least))
                let places = Bool.random(using: &random) ? Int.random(in: least...most, using: &random) : 0
                let batch = queue.granted(places, isStillAdmitted: Int.random(in: 0..<8, using: &random) > 0) {
                    Int.random(in: 0..<$0, using: &random)
                }
                #expect(batch.count <= places)
                guard !batch.isEmpty else { continue }
                intents.append((batch, queue.admission == .probe))
                #expect(queue.admission != .probe || intents.count == 1 && batch.count == 1)
                queue.began()
                #expect(intents.count <= IntentBatch.atOnce)
            case .awaitPosts where intents.isEmpty || !departures.isEmpty && Bool.random(using: &random):
                sent += ids(departures.removeFirst())
                queue.departed()
            case .awaitPosts:
                let index = Int.random(in: 0..<intents.count, using: &random)
                let (batch, isProbe) = intents.remove(at: index)
                let left = Int.random(in: 0...batch.count, using: &random)
                let waits = !isProbe && left > 0 && Bool.random(using: &random)
                if waits { departures.append(Array(batch.prefix(left))) } else { sent += ids(batch.prefix(left)) }
                queue.settled(
                    Lane.SendResult(
                        sent: left, isProbe: isProbe, waits: waits, replanned: Array(batch.dropFirst(left)),
                        isHeld: Int.random(in: 0..<30, using: &random) == 0))
            }
        }
        #expect(intents.isEmpty)
        #expect(departures.isEmpty)
        #expect(fewLeft == 1)
        #expect(written == 1)
        #expect((sent + ids(queue.waiting)).sorted() == ids(all))
    }
}
