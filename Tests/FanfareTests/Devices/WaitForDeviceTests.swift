import Foundation
import HubEmulator
import TestSupport
import Testing

/// `fanfare device wait`, with a real database and the emulator.
@Suite(.timeLimit(.minutes(10))) struct WaitForDeviceTests {
    private typealias Bench = DeviceTests.Bench

    @Test func whatIsAppliedMeanwhileEndsTheWait() async throws {
        let bench = try await Bench.make()
        var slow = Fault(.every(1))
        slow.operations = [.installation]
        slow.delayMilliseconds = 500
        try bench.worker.emulator.add(slow)
        try await bench.put()
        let worker = bench.worker
        async let drained = worker.drain()
        let ended = try await bench.fanfare("device", "wait", "phone-17", "--hub", "news", "--at-most", "4m")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output == "put at hub news: applied\n")
        let summary = try await drained
        #expect(summary.devices.applied == 1)
    }

    @Test func whatEndedBeforeIsSaidAtOnceAndAReplacedChangeIsNoFault() async throws {
        let bench = try await Bench.make()
        try await bench.put()
        try await bench.put()
        try await bench.worker.drain()
        let ended = try await bench.fanfare("device", "wait", "phone-17")
        #expect(ended.status == 0, "\(ended.errors)")
        #expect(ended.output == "put at hub news: applied\n")
    }

    @Test func aRefusedChangeHasItsOwnStatus() async throws {
        let bench = try await Bench.make()
        try await bench.call("patch_device('news', 'ghost', add_tags => '{a}')")
        try await bench.worker.drain()
        let ended = try await bench.fanfare("device", "wait", "ghost")
        #expect(ended.status == 1, "\(ended.errors)")
        #expect(ended.output == "patch at hub news: refused, no such installation\n")
    }

    @Test func whatIsStillThereAtTheEndOfTheTimeIsNamed() async throws {
        let bench = try await Bench.make()
        try await bench.put()
        let login = try await bench.login("push_register")
        let ended = try await bench.fanfare.run(["device", "wait", "phone-17", "--at-most", "0.2", "--json"] + login)
        #expect(ended.status == 75, "\(ended.errors)")
        let found = try ended.json([String: Any].self)
        #expect(found["done"] as? Bool == false)
        #expect((found["changes"] as? [[String: Any]])?.compactMap { $0["status"] as? String } == ["waiting"])
    }

    @Test func aDeviceThatNobodyChangedIsNotWaitedFor() async throws {
        let bench = try await Bench.make()
        let ended = try await bench.fanfare("device", "wait", "phone-17", "--hub", "news")
        #expect(ended.status == 65)
        #expect(ended.errors.contains("no backend has changed it at hub \"news\""), "\(ended.errors)")
    }
}
