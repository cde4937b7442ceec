import ArgumentParser
import CommandLineTool
import Foundation
import HubEmulator

/// `fanfare-emulator fault`: faults that the emulator plays on request.
struct FaultCommands: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fault", abstract: "Set, list and clear faults of a running emulator.",
        discussion: "Example: fanfare-emulator fault add every=10 status=429 retryAfter=2",
        subcommands: [AddFault.self, ListFaults.self, ClearFaults.self])
}

/// `fanfare-emulator fault add`
struct AddFault: EmulatorChange {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Set a fault, beside those already set.",
        discussion: """
            Its keys as key=value, or faults as JSON out of a file: when (nth, every, next, probability with seed; none: \
            every send), what (status, errorCode, retryAfter, html, delayMs, trickleMs, close, streamCode, reset, taken, goAway, streams, \
            ignorePings, endToken), and which hub. \
            docs/emulator.md has them all.

            Example: fanfare-emulator fault add next=3 close=after-body taken=true
            """)

    @Argument(help: ArgumentHelp("Keys of one fault.", valueName: "key=value")) var keys: [KeyValue] = []

    @Option(
        help: ArgumentHelp("One fault or an array of them as JSON; - is standard input.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var file: String?

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws {
        if keys.isEmpty == (file == nil) { throw ValidationError("Give key=value or --file.") }
        if file != nil, emulator.hub != nil {
            throw ValidationError("--hub goes with key=value; a file says it itself.")
        }
    }

    func change(_ client: EmulatorClient) async throws -> Report? {
        struct Numbers: Decodable { let numbers: [Int] }
        let body = try file.map { try InputFile.bytes(of: $0) } ?? written()
        let answer = try await client.ask(.post, "faults", body: body)
        let numbers = try EmulatorClient.decode(answer, as: Numbers.self).numbers
        return Report("fault " + numbers.map(String.init).joined(separator: ", "), answer.json)
    }

    /// Numbers, `true`, `false`, lists and objects as such; everything else is a text. The emulator knows the keys.
    private func written() throws -> [UInt8] {
        var members: [String: JSONOutput] = [:]
        if let hub = emulator.hub { members["hub"] = .text(hub) }
        for key in keys {
            guard members[key.key] == nil else {
                throw Failure("wrong fault", because: "\(key.key) stands twice", status: .usage)
            }
            members[key.key] = Self.value(key.value)
        }
        return Array(JSONOutput.object(members).line.utf8)
    }

    private static func value(_ text: String) -> JSONOutput {
        if let number = Int64(text) { return .number(number) }
        if let number = Double(text), number.isFinite { return .decimal(number) }
        if let flag = Bool(text) { return .flag(flag) }
        if text.hasPrefix("["), text.hasSuffix("]") {
            return .list(text.dropFirst().dropLast().split(separator: ",").map { value(String($0)) })
        }
        return .text(text)
    }
}

/// `fanfare-emulator fault list`
struct ListFaults: EmulatorCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print the faults that are set, and how often each acted.",
        discussion: "Example: fanfare-emulator fault list")

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func answer(_ client: EmulatorClient) async throws -> Report {
        let answer = try await client.ask(.get, "faults")
        let hub = emulator.hub?.lowercased()
        let faults = try EmulatorClient.decode(answer, as: [FaultReport].self).filter {
            hub == nil || $0.fault.hub == nil || $0.fault.hub?.lowercased() == hub
        }
        return Report(
            faults, [.number("fault"), .text("hub"), .text("when"), .number("acted"), .prose("what")],
            none: "no faults", written: answer.json
        ) { ["\($0.number)", $0.fault.hub ?? "all", $0.fault.momentText, "\($0.struck)", $0.fault.effectText] }
    }
}

/// `fanfare-emulator fault clear`
struct ClearFaults: EmulatorChange {
    static let configuration = CommandConfiguration(
        commandName: "clear", abstract: "Take back every fault that is set.",
        discussion: "Example: fanfare-emulator fault clear")

    @OptionGroup var emulator: EmulatorOptions
    @OptionGroup var options: ReportOptions

    func validate() throws { try emulator.refuseHub("Faults are cleared for all hubs at once") }

    func change(_ client: EmulatorClient) async throws -> Report? {
        _ = try await client.ask(.delete, "faults")
        return nil
    }
}
