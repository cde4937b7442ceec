import Glibc
import HubEmulator
import PushModel

/// One send on one line: when, which hub, what was answered, for whom, who got it, what it says.
struct EmulateLine {
    private let entry: JournalEntry

    init(_ entry: JournalEntry) { self.entry = entry }

    var text: String {
        let status = entry.status.map { "\($0)" } ?? "---"
        return [Self.clock(entry.at), entry.hub.clipped(to: 40), status, audience.clipped(to: 60), outcome]
            .joined(separator: "  ")
    }

    private var audience: String {
        switch entry.kind {
        case .direct, .batch: entry.handles.map { "(\(HumanFormat.count($0, "handle")))" } ?? "(handles)"
        case .send, .test, .scheduled, .due: entry.tags.map { $0.isEmpty ? "(nobody)" : $0.onOneLine } ?? "(everyone)"
        }
    }

    private var outcome: String {
        var parts: [String] = []
        if [.test, .scheduled, .due].contains(entry.kind) { parts.append(entry.kind.rawValue) }
        if let fault = entry.fault { parts.append("fault \(fault)") }
        if let refusal = entry.refusal {
            parts.append(refusal.onOneLine.clipped(to: 100))
        } else if !entry.taken || entry.kind != .scheduled {
            parts.append(entry.taken ? HumanFormat.count(entry.reached, "notification") : "not taken")
        }
        if entry.status == nil, entry.kind != .due { parts.append("closed without an answer") }
        if entry.taken, let property { parts.append(property) }
        return parts.joined(separator: "  ")
    }

    /// The first property of a template message.
    private var property: String? {
        // A body in a platform's own format is no flat object: then there is no property to show.
        guard let body = entry.body, let first = try? StringObject(body).pairs.first else { return nil }
        return "\(first.name) \"\(first.value)\"".onOneLine.clipped(to: 60)
    }

    /// `14:02:11.040`, by the clock of this place.
    static func clock(_ secondsSince1970: Double) -> String {
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
