import Foundation

/// Which of the roles of `migrations/roles.sql` a login lacks, judged by the thing that was refused (`roles`). Pure.
struct MissingRole: Equatable {
    /// nil: the thing is not one that a role of ours opens.
    let name: String?

    /// - Parameter message: the server's, which ends with the name of the thing: `permission denied for function claim_v1`.
    ///   The words before it are in the server's language.
    init(refusal message: String) {
        let thing = message.split(separator: " ").last.map {
            $0.trimmingCharacters(in: .init(charactersIn: "\"«»„“”."))
        }
        name = thing.flatMap(Self.role)
    }

    /// What to do about it, as a sentence.
    var advice: String {
        guard let name else { return "Ask its owner to grant this role what it needs, or use another role." }
        return
            "This login is not a member of \(name). Have its owner run: GRANT \(name) TO the login; or use another login."
    }

    private static func role(for thing: String) -> String? {
        guard let roles = roles[thing]?.split(separator: " ").map(String.init) else {
            return thing.contains(/_v[0-9]+$/) ? "push_worker" : nil
        }
        guard let last = roles.last, roles.count > 1 else { return roles.first }
        return "one of " + roles.dropLast().joined(separator: ", ") + " and " + last
    }
}
