import CommandLineTool
import Store

extension Finding {
    var json: JSONOutput {
        .object([
            "area": .text(area), "name": .text(name), "grade": .text(grade.rawValue), "found": .text(found),
            "remedy": .text(remedy),
        ])
    }

    fileprivate var lines: [String] {
        let mark = grade.rawValue.uppercased()
        let padding = String(repeating: " ", count: max(1, 5 - mark.count))
        return ["  \(mark)\(padding)\(name): \(found.onOneLine)"]
            + (remedy.map { ["       -> \($0.onOneLine)"] } ?? [])
    }
}

extension [Finding] {
    /// One line each under its area, with what to do below. Each area once, in the order of their first findings.
    var text: String {
        var areas: [String] = []
        for finding in self where !areas.contains(finding.area) { areas.append(finding.area) }
        return areas.map { area in
            ([area] + filter { $0.area == area }.flatMap(\.lines)).joined(separator: "\n")
        }.joined(separator: "\n\n")
    }

    var summary: String {
        let counts = Finding.Grade.allCases.map { grade in "\(count { $0.grade == grade }) \(grade.rawValue)" }
        return counts.joined(separator: ", ")
    }

    var hasFailed: Bool { contains { $0.grade == .fail } }
}
