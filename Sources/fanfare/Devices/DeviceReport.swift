import CommandLineTool
import Foundation
import PushModel
import Store

/// What is known of one device at one hub. Pure.
struct DeviceReport {
    let device: String
    let hub: String
    /// The newest first.
    let changes: [DeviceSearch.Change]
    /// What the calls said, by the change's id; nil: this role may not read it.
    let documents: [Int64: String]?
    let atHub: HubLookup.Found
    /// Whether handles are shown whole.
    let isWhole: Bool

    /// Whether there is something to show.
    var isKnown: Bool {
        if case .installation = atHub { return true }
        return !changes.isEmpty
    }

    // MARK: For people

    func text(fitting width: Int?, limit: Int32) -> String {
        var parts = ["device \(device.onOneLine) at hub \(hub)"]
        if changes.isEmpty {
            parts.append("no backend has changed it, or purge has taken that")
        } else {
            parts.append(table.text(fitting: width) + remarks(limit))
        }
        if case .installation(let bytes) = atHub, let members = Self.members(bytes) {
            let shown = GetInstallation.text(members) { isWhole ? $0 : HandleMask.masked($0) }
            parts.append("what the hub has now:\n\(shown)")
        } else {
            parts.append(atHubInWords)
        }
        return parts.joined(separator: "\n\n")
    }

    /// What the hub said when it has no installation to show.
    var atHubInWords: String {
        switch atHub {
        case .installation: "hub \"\(hub)\" has it"
        case .missing: "hub \"\(hub)\" has no such installation"
        case .unknown(let why): "what the hub has now is not known: \(why)".onOneLine
        }
    }

    private var table: TextTable {
        var table = TextTable([
            .number("ID"), .text("ACTION"), .text("STATUS"), .number("ASKED"), .text("BY"), .number("HTTP"),
            .prose("WHAT"),
        ])
        for change in changes {
            let note = change.note ?? change.error
            let next = change.nextTry.map { "next try \($0)" }
            let call = document(of: change).map { DeviceCall($0).description }
            table.add([
                "\(change.id)", change.action, change.status, change.at, change.changedBy,
                change.http.map { "\($0)" } ?? "-",
                [call, note, next].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "; "),
            ])
        }
        return table
    }

    private func remarks(_ limit: Int32) -> String {
        var lines: [String] = []
        if changes.count == Int(limit) { lines.append("the newest \(limit); more with --limit") }
        if documents == nil {
            lines.append("what each call said: only for a login that may read push.installation_change")
        }
        return lines.map { "\n" + $0 }.joined()
    }

    // MARK: For programs

    var json: JSONOutput {
        var installation: JSONOutput?
        if case .installation(let bytes) = atHub { installation = JSONOutput(json: bytes) }
        if !isWhole { installation = installation.map { HandleMask.masked(installation: $0) } }
        let list = changes.map { change in
            JSONOutput.object(change.members.merging(["document": document(of: change) ?? .null]) { $1 })
        }
        return .object([
            "hub": .text(hub), "changes": .list(list), "installation": installation ?? .null,
            "note": .text(installation == nil ? atHubInWords : nil),
        ])
    }

    private func document(of change: DeviceSearch.Change) -> JSONOutput? {
        let document = documents?[change.id].flatMap { JSONOutput(json: Array($0.utf8)) }
        return isWhole ? document : document.map { HandleMask.masked(document: $0) }
    }

    private static func members(_ bytes: [UInt8]) -> [String: Any]? {
        (try? JSONSerialization.jsonObject(with: Data(bytes))) as? [String: Any]
    }
}
