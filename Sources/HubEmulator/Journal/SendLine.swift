import Glibc
import PushModel

/// One send on one line: time, hub, status, audience, outcome, first property.
package struct SendLine {
    private let entry: JournalEntry

    package init(_ entry: JournalEntry) { self.entry = entry }

    package var text: String {
        let status = entry.status.map { "\($0)" } ?? "---"
        return [Self.clock(entry.at), entry.hub.clipped(to: 40), status, audience.clipped(to: 60), outcome]
            .joined(separator: "  ")
    }

    private var audience: String {
        switch entry.kind {
        case .direct, .batch: entry.handles.map { "(\(Self.count($0, "handle")))" } ?? "(handles)"
        case .trial: entry.handles.map { "(\(Self.count($0, "handle")))" } ?? entry.tags?.onOneLine ?? ""
        case .send, .test, .scheduled, .due:
            entry.tags.map { $0.isEmpty ? "(no device)" : $0.onOneLine } ?? "(all devices)"
        }
    }

    private var outcome: String {
        var parts: [String] = []
        if [.test, .scheduled, .due, .trial].contains(entry.kind) { parts.append(entry.kind.rawValue) }
        if let fault = entry.fault { parts.append("fault \(fault)") }
        if let refusal = entry.refusal {
            parts.append(refusal.onOneLine.clipped(to: 100))
        } else if entry.kind != .trial, !entry.taken || entry.kind != .scheduled {
            parts.append(entry.taken ? Self.count(entry.reached, "notification") : "not taken")
        }
        if entry.status == nil, entry.kind != .due { parts.append("closed without a response") }
        if entry.taken, let property { parts.append(property) }
        return parts.joined(separator: "  ")
    }

    /// The first property of a template message.
    private var property: String? {
        // A body in a platform's own format is not a flat object and has no property to show.
        guard let body = entry.body, let first = try? StringObject(body).pairs.first else { return nil }
        return "\(first.name) \"\(first.value)\"".onOneLine.clipped(to: 60)
    }

    /// `1 handle`, `2 handles`.
    private static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    /// `14:02:11.040`, in local time.
    package static func clock(_ secondsSince1970: Double) -> String {
        var seconds = time_t(secondsSince1970)
        var local = tm()
        localtime_r(&seconds, &local)
        func digits(_ number: some BinaryInteger, _ count: Int) -> String {
            String(String(Int(number) + 1_000).suffix(count))
        }
        let milliseconds = (secondsSince1970 - Double(seconds)) * 1_000
        return [local.tm_hour, local.tm_min, local.tm_sec].map { digits($0, 2) }.joined(separator: ":")
            + "." + digits(Int(milliseconds), 3)
    }
}
