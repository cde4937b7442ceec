import ProgramSupport
import Foundation
import HubEmulator
import PushModel
import TestSupport
import Testing

/// Several `fanfare run` on one database and one hub, each a process of its own.
struct CrashBench {
    let worker: TestWorker
    let scratch: ScratchDirectory
    /// Between `first` and the database.
    let proxy: Proxy

    /// - Parameter hub: what all of them serve.
    init(_ hub: HubSettings = TestWorker.news) async throws {
        worker = try await TestWorker.make(hub)
        scratch = try ScratchDirectory()
        proxy = try Proxy(to: worker.test.conninfo)
    }

    /// Starts one.
    ///
    /// - Parameters:
    ///   - name: of its settings, and of its log.
    ///   - proxied: its connections lead through the proxy.
    func start(_ name: String, proxied: Bool = false, batch: Int = 100) throws -> ServiceBench.Process {
        let settings = try settings(proxied: proxied, batch: batch)
        let fanfare = BuiltProgram(settings: try scratch.write(settings, to: name + ".json"), scratch: scratch)
        let process = fanfare.process(["run", "--log-format", "json"])
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = try scratch.open(name + ".log")
        return try ServiceBench.Process(process)
    }

    /// Writes other settings for one that runs: a sender of APNs proves itself with another of its keys.
    func give(key: Int, to name: String) throws {
        _ = try scratch.write(try settings(key: key), to: name + ".json")
    }

    private func settings(proxied: Bool = false, batch: Int = 100, key: Int = 0) throws -> String {
        let url = proxied ? proxy.conninfo(worker.test.conninfo) : worker.test.conninfo
        return """
            {"database": {"url": "\(url)"\(proxied ? #", "prepare": "never""# : "")},
             "hubs": {"\(worker.hub.name)": \(try hub(key: key))},
             "console": {"listen": "off"}, "dispatch": {"leaseSeconds": 5, "batch": \(batch)},
             "transport": {"caFile": "\(worker.transport.caBundle ?? "")"}}
            """
    }

    /// The hub in the settings of a worker.
    private func hub(key number: Int) throws -> String {
        switch worker.hub.kind {
        case .notificationHubs:
            let connection = worker.emulator.connectionString(for: worker.hub.hub)?.reveal() ?? ""
            return """
                {"hub": "breaking-news", "connectionString": "\(connection)", "window": 16,
                 "languages": {"en": "English", "fr": "French", "zh-Hans": "Mandarin"}, "fallback": "en"}
                """
        case .fcm:
            let account = worker.emulator.serviceAccount(of: worker.hub.name)?.reveal() ?? ""
            let text = try JSONSerialization.data(withJSONObject: account, options: .fragmentsAllowed)
            return """
                {"kind": "fcm", "tags": "topics", "endpoint": "\(worker.emulator.endpoint ?? "")", "window": 16,
                 "serviceAccount": \(String(decoding: text, as: UTF8.self))}
                """
        case .apns:
            let sender = worker.emulator.apnsSender(worker.hub.name)
            let key = worker.emulator.apnsKey(of: worker.hub.name, key: number)?.reveal() ?? ""
            let text = try JSONSerialization.data(withJSONObject: key, options: .fragmentsAllowed)
            return """
                {"kind": "apns", "topic": "\(sender?.topic ?? "")", "teamId": "\(sender?.teamID ?? "")", "window": 16,
                 "keyId": "\(sender?.keys[number].id ?? "")", "endpoint": "\(worker.emulator.secureEndpoint ?? "")",
                 "key": \(String(decoding: text, as: UTF8.self))}
                """
        }
    }

    /// Waits until its log says this.
    func log(of name: String, says text: String) async throws {
        while try !scratch.read(name + ".log").contains(text) { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// The number of a process in push.worker; 0: it has none.
    func number(of process: ServiceBench.Process) async throws -> Int64 {
        try await worker.test.number(
            "SELECT coalesce(max(id), 0) FROM push.worker WHERE name LIKE \("%/\(process.id)")")
    }

    func untilNothingIsLeft() async throws {
        // In one look: what goes back from a claim would be missed by two.
        try await worker.until("SELECT (SELECT count(*) FROM push.due) + (SELECT count(*) FROM push.claim)") { $0 == 0 }
    }

    /// Of `count` messages each was accepted once or is in doubt, and the hub has seen none twice.
    ///
    /// - Returns: how many are in doubt.
    @discardableResult
    func balance(_ count: Int) async throws -> Int64 {
        #expect(try await worker.lost() == [])
        #expect(Set(worker.taken).count == worker.taken.count, "something was sent twice")
        let accepted = try await worker.test.number(
            "SELECT count(*) FROM push.message_status WHERE status = 'accepted'")
        let doubts = try await worker.test.number("SELECT count(*) FROM push.in_doubt")
        #expect(accepted + doubts == count)
        return doubts
    }
}
