import Foundation
import ProgramSupport

/// `SystemCallFilter=` of a unit, read as systemd reads it: the first line allows, `~` removes, the next adds again.
enum SyscallFilter {
    /// Every call the unit allows.
    static func calls(of unit: String) async throws -> Set<String> {
        var allowed: Set<String> = []
        for match in unit.matches(of: /(?m)^SystemCallFilter=(~?)(.+)$/) {
            for word in match.2.split(separator: " ") {
                let named = try await members(of: String(word))
                if match.1 == "~" { allowed.subtract(named) } else { allowed.formUnion(named) }
            }
        }
        return allowed
    }

    /// The calls of a group such as `@system-service`, with those of the groups it names.
    private static func members(of name: String) async throws -> Set<String> {
        guard name.hasPrefix("@") else { return [name] }
        var members: Set<String> = []
        for line in try await Tool.systemd(["syscall-filter", name]).output.split(separator: "\n").dropFirst() {
            let word = line.trimmingCharacters(in: .whitespaces)
            if word.hasPrefix("#") || word.isEmpty { continue }
            members.formUnion(try await Self.members(of: word))
        }
        return members
    }
}
