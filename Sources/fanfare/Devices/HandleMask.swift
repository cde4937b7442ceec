import CommandLineTool

/// Hides the handles of devices, which identify a person's phone. Pure.
enum HandleMask {
    /// The ends of a long one, so that two can be compared; nothing of a short one, or of a browser's.
    static func masked(_ handle: String) -> String {
        guard handle.count >= 16, !handle.hasPrefix("{"), !handle.contains("://") else { return "…" }
        return "\(handle.prefix(4))…\(handle.suffix(4))"
    }

    /// A document of push.installation_change.
    static func masked(document: JSONOutput) -> JSONOutput { masked(document, "handle") }

    /// An installation as a hub writes it.
    static func masked(installation: JSONOutput) -> JSONOutput {
        guard case .object(var members) = masked(installation, "pushChannel") else { return installation }
        if case .object(let tiles)? = members["secondaryTiles"] {
            members["secondaryTiles"] = .object(tiles.mapValues { masked($0, "pushChannel") })
        }
        return .object(members)
    }

    private static func masked(_ document: JSONOutput, _ name: String) -> JSONOutput {
        guard case .object(var members) = document, let handle = members[name] else { return document }
        switch handle {
        case .text(let text): members[name] = .text(masked(text))
        case .object(let parts): members[name] = .object(parts.mapValues { _ in .text("…") })
        default: break
        }
        return .object(members)
    }
}
