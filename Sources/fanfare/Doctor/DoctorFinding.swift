import CommandLineTool

/// What the doctor found at one place.
struct DoctorFinding: Sendable {
    enum Grade: String, Sendable, CaseIterable {
        case ok
        /// Not looked at: the role may not.
        case skip
        /// Works, and will not for long or not as meant.
        case warn
        case fail
    }

    /// `libraries`, `configuration`, `database`, `workers`, `hub news`.
    var area: String
    var name: String
    var grade: Grade
    /// What there is.
    var found: String
    /// What to do about it; nil when it is as it should be, or was not looked at.
    var remedy: String?

    static func ok(_ area: String, _ name: String, _ found: String) -> DoctorFinding {
        DoctorFinding(area: area, name: name, grade: .ok, found: found)
    }

    static func skip(_ area: String, _ name: String, _ found: String) -> DoctorFinding {
        DoctorFinding(area: area, name: name, grade: .skip, found: found)
    }

    static func warn(_ area: String, _ name: String, _ found: String, remedy: String) -> DoctorFinding {
        DoctorFinding(area: area, name: name, grade: .warn, found: found, remedy: remedy)
    }

    static func fail(_ area: String, _ name: String, _ found: String, remedy: String) -> DoctorFinding {
        DoctorFinding(area: area, name: name, grade: .fail, found: found, remedy: remedy)
    }

    /// Nothing or a list of troubles.
    static func list(
        _ area: String, _ name: String, _ troubles: [String], none: String, as grade: Grade, remedy: String
    ) -> DoctorFinding {
        guard !troubles.isEmpty else { return ok(area, name, none) }
        let shown = troubles.prefix(5).joined(separator: "; ")
        let more = troubles.count > 5 ? "; and \(troubles.count - 5) more" : ""
        return DoctorFinding(area: area, name: name, grade: grade, found: shown + more, remedy: remedy)
    }

    var json: JSONOutput {
        .object([
            "area": .text(area), "name": .text(name), "grade": .text(grade.rawValue), "found": .text(found),
            "remedy": .text(remedy),
        ])
    }
}

extension DoctorFinding {
    fileprivate var lines: [String] {
        let mark = grade.rawValue.uppercased()
        let padding = String(repeating: " ", count: max(1, 5 - mark.count))
        return ["  \(mark)\(padding)\(name): \(found.onOneLine)"]
            + (remedy.map { ["       -> \($0.onOneLine)"] } ?? [])
    }
}

extension [DoctorFinding] {
    /// One line each under its area, with what to do below. Each area once, in the order of their first findings.
    var text: String {
        var areas: [String] = []
        for finding in self where !areas.contains(finding.area) { areas.append(finding.area) }
        return areas.map { area in
            ([area] + filter { $0.area == area }.flatMap(\.lines)).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    var summary: String {
        let counts = DoctorFinding.Grade.allCases.map { grade in "\(count { $0.grade == grade }) \(grade.rawValue)" }
        return counts.joined(separator: ", ")
    }

    var hasFailed: Bool { contains { $0.grade == .fail } }
}
