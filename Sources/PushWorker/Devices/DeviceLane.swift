import Concurrency
import HTTPTransport
import Logging
import Postgres
import Providers
import PushModel
import Signing
import Store
import Synchronization

/// The changes of devices at one hub, from the table to a recorded result.
///
/// This file is the whole story: claim → fold (`DeviceSteps`) → request → settle (`DeviceSettlement`) → record. What
/// happens when is decided by `DeviceFlow`. Repeating a change is harmless, so there is no intent and no doubt: whatever
/// ends badly leaves the change due.
final class DeviceLane: Sendable {
    let health = DeviceHealth()
    let hub: HubContext
    private let installations: Installations
    private let queue: DeviceQueue
    private let poller: DevicePoller
    private let transport: HTTPClient
    private let context: LaneContext
    private let inFlight = Mutex(0)
    /// Completions in a row that the database refused for good.
    private let refused = Mutex(0)

    init(
        hub: HubContext, installations: Installations, poller: DevicePoller, transport: HTTPClient,
        context: LaneContext
    ) {
        self.hub = hub
        self.installations = installations
        self.queue = poller.queue
        self.poller = poller
        self.transport = transport
        self.context = context
    }

    /// Devices in flight: those that a request has left for, or is about to.
    var devicesInFlight: Int { inFlight.withLock { $0 } }

    /// Whether no request is in flight.
    var isIdle: Bool { devicesInFlight == 0 }

    /// How something that was begun has ended.
    private enum Event: Sendable {
        case claimed(ClaimedDevices?, DueCursor)
        case claimFailed
        case applied(DeviceQueue.Finished, closes: Bool)
        case recorded(isWritten: Bool)
    }

    /// Works until nothing is due or the worker stops, and then until every request has its answer.
    ///
    /// - Parameter due: where the poller found something.
    func run(from due: DueCursor) async {
        guard context.isRunning else { return }
        var cursor = due
        var hasLeftovers = await work(&cursor)
        // What the hub applied is not recorded, so it will be applied again: wait first.
        if case let faults = refused.withLock({ $0 }), faults > 0 { await context.pause(after: faults) }
        // While these claims stand, no worker can claim their devices.
        while hasLeftovers, context.isRunning {
            hasLeftovers = await !giveBack()
            if hasLeftovers { await context.pause(after: 2) }
        }
        await rest(at: cursor)
    }

    /// Has no task until the poller finds something due.
    func rest(at cursor: DueCursor = DueCursor()) async { await poller.rest(hub.id, cursor: cursor) }

    /// Works until nothing is due, the hub is closed for devices, or the worker stops.
    ///
    /// - Returns: whether claims are left that have to be given back.
    private func work(_ cursor: inout DueCursor) async -> Bool {
        var flow = DeviceFlow(window: hub.settings.deviceWindow)
        await withTaskGroup(of: Event.self) { group in
            while true {
                if !mayWork { flow.stop() }
                for action in flow.next() {
                    switch action {
                    case .claim(let limit): group.addTask { [cursor] in await self.claim(cursor, limit) }
                    case .apply(let device): group.addTask { await self.apply(device) }
                    case .record(let finished): group.addTask { await self.record(finished) }
                    }
                }
                inFlight.withLock { $0 = flow.inFlight }
                guard let event = await group.next() else { break }
                switch event {
                case .claimed(let claimed, let next):
                    cursor = next
                    flow.claimed(claimed?.devices ?? [])
                case .claimFailed: flow.claimFailed()
                case .applied(let finished, let closes):
                    flow.applied(finished)
                    if closes { flow.stop() }
                case .recorded(let isWritten): flow.recorded(isWritten: isWritten)
                }
            }
        }
        return flow.hasLeftovers
    }

    private var mayWork: Bool { context.isRunning && context.heartbeat.isFresh }

    private func claim(_ cursor: DueCursor, _ limit: Int) async -> Event {
        let turn = await turn(for: limit)
        guard mayWork else { return .claimed(nil, cursor) }
        var cursor = cursor
        let began = context.clock.monotonic()
        let look = cursor.begin(now: began)
        do throws(DatabaseError) {
            let claimed = try await queue.claim(
                hub: hub.id, after: look.position, back: look.back, limit: Int32(clamping: limit))
            turn?.took(claimed?.devices.count ?? 0)
            cursor.claimed(look, seconds: context.clock.monotonic() - began, at: claimed?.position)
            context.events.report(.read(began: began))
            return .claimed(claimed, cursor)
        } catch {
            turn?.took(0)
            context.events.report(.failed(error, by: .devices(hub.id)))
            if error.is(.serverReplaced) { context.heartbeat.hurry() }  // it ends the worker
            context.log.error(
                "cannot claim devices; trying again",
                metadata: ["hub": "\(hub.settings.name)", "error": "\(error.why)"])
            await context.pause(after: 1)
            return .claimFailed
        }
    }

    /// Waits for its turn while many messages leave.
    ///
    /// - Returns: nil: nothing to make way for.
    private func turn(for devices: Int) async -> DevicePace.Turn? {
        guard case let began = context.clock.monotonic(), context.events.traffic.isHeavy(now: began) else { return nil }
        let turn = poller.pace.turn(for: devices, now: began)
        while context.isRunning, !Task.isCancelled, case let now = context.clock.monotonic(), now < turn.at,
            context.events.traffic.isHeavy(now: now)
        {
            await Sleep.system(min(turn.at - now, 0.05))
        }
        return turn
    }

    /// Applies all that waits for one device, one request after another.
    private func apply(_ device: ClaimedDevice) async -> Event {
        let plan = DeviceSteps(device.changes)
        var outcomes = plan.superseded.map {
            DeviceOutcome($0, .superseded, note: "A later change of the device replaced it.")
        }
        outcomes += plan.unreadable.map { DeviceOutcome($0.id, .refused, note: $0.why) }
        var closes = false
        for (index, step) in plan.steps.enumerated() {
            guard mayWork else { break }  // it stays due
            if let slots = hub.deviceSlots {
                guard await slots.take(upTo: 1) > 0 else { break }
            }
            let (answer, settlement) = await send(step, to: device.device)
            hub.deviceSlots?.release(1, answered: answer?.status == nil ? 0 : 1)
            closes = await carryOut(settlement.effect)
            outcomes += step.ids.map {
                DeviceOutcome(
                    $0, settlement.status, delay: settlement.delay, cost: settlement.cost, answer: answer,
                    note: settlement.note)
            }
            guard let delay = settlement.delay else { continue }
            // Later steps of the device wait for this one.
            outcomes += plan.steps[(index + 1)...].flatMap(\.ids).map { DeviceOutcome($0, nil, delay: delay) }
            break
        }
        return .applied(DeviceQueue.Finished(claim: device.claim, outcomes: outcomes), closes: closes)
    }

    private func send(_ step: DeviceSteps.Step, to device: String) async -> (Answer?, DeviceSettlement) {
        guard let pass = hub.pass else { return (nil, DeviceSettlement(withoutPass: hub.passes.trouble)) }
        let leftAt = context.clock.monotonic()
        let request: Request
        do throws(InvalidInstallation) {
            request = try installations.request(for: step.content, of: device, with: pass)
        } catch {
            return (nil, DeviceSettlement(unsendable: "\(error)"))
        }
        let answer = installations.answer(to: await transport.perform(request))
        let facts = DeviceSettlement.Facts(
            attempt: step.attempt, action: step.content.action,
            othersSucceed: health.othersSucceed(leftAt: leftAt),
            isTokenTaken: hub.keys.isTaken(pass, since: -.infinity), random: Double.random(in: 0...1))
        var settlement = DeviceSettlement(answer, facts, context.settings)
        switch settlement.effect {
        case .signAgain:
            if let why = await context.effects.refusedPass(pass, by: hub) {
                settlement.effect = .close(seconds: context.settings.probeSeconds, because: why)
            }
        case .failed(let why):
            let now = context.clock.monotonic()
            if let seconds = health.failed(leftAt: leftAt, now: now) {
                settlement.effect = .close(seconds: seconds, because: why)
            }
        case .works:
            health.worked(now: context.clock.monotonic())
            if let seconds = health.goesOn(now: context.clock.monotonic()) {
                context.log.notice(
                    "changes of devices are sent again",
                    metadata: ["hub": "\(hub.settings.name)", "since_seconds": .stringConvertible(seconds)])
            }
        case .none, .close: break
        }
        return (answer.answer, settlement)
    }

    /// - Returns: whether no other device is tried now.
    private func carryOut(_ effect: DeviceSettlement.Effect) async -> Bool {
        guard case .close(let seconds, let why) = effect else { return false }
        health.waits(now: context.clock.monotonic())
        context.log.warning(
            "changes of devices wait",
            metadata: [
                "hub": "\(hub.settings.name)", "seconds": .stringConvertible(seconds), "why": "\(why)",
            ])
        do throws(DatabaseError) {
            try await queue.close(hub: hub.id, seconds: seconds, because: why)
        } catch {
            context.log.warning(
                "cannot record that changes of devices wait", metadata: ["error": "\(error.why)"])
        }
        return true
    }

    /// Tries again until the database takes it, unless it refuses a value, or the server was replaced.
    private func record(_ finished: [DeviceQueue.Finished]) async -> Event {
        let written: Void? = await context.retrying(
            doing: "record changes of devices", by: .devices(hub.id),
            givingUp: { $0.isAboutValues || $0.is(.serverReplaced) }
        ) { () async throws(DatabaseError) in try await self.queue.complete(finished) }
        refused.withLock { $0 = written == nil ? $0 + 1 : 0 }
        guard written != nil else { return .recorded(isWritten: false) }
        var counts = DeviceCounts()
        for outcome in finished.flatMap(\.outcomes) {
            switch outcome.status {
            case .applied: counts.applied += 1
            case .superseded: counts.superseded += 1
            case .refused: counts.refused += 1
            case .retrying, nil: break
            }
        }
        health.count(counts)
        return .recorded(isWritten: true)
    }

    /// Only while nothing is under way: it ends all claims of this worker at the hub.
    ///
    /// - Returns: whether it succeeded.
    private func giveBack() async -> Bool {
        do throws(DatabaseError) {
            try await queue.giveBack(hub: hub.id)
            return true
        } catch {
            context.events.report(.failed(error, by: nil))
            context.log.warning(
                "cannot give devices back; trying again",
                metadata: ["hub": "\(hub.settings.name)", "error": "\(error.why)"])
            return false
        }
    }
}
