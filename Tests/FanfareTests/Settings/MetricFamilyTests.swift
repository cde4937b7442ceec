import Foundation
import Telemetry
import Testing

@testable import fanfare

@Suite struct MetricFamilyTests {
    /// The rules of Prometheus for names, and what promtool asks for.
    @Test func everyMetricHasAProperNameAndAMeaning() {
        for family in MetricFamily.all {
            #expect(family.name.wholeMatch(of: /(fanfare|process)_[a-z0-9_]+/) != nil, "\(family.name)")
            #expect(family.name.hasSuffix("_total") == (family.kind == .counter), "\(family.name)")
            #expect(!family.help.isEmpty && !family.help.hasSuffix("."), "\(family.name)")
            if case .histogram(let bounds) = family.kind { #expect(bounds == bounds.sorted()) }
        }
        #expect(Set(MetricFamily.all.map(\.name)).count == MetricFamily.all.count)
    }

    /// The list is joined from those of the targets, in the order of docs/metrics.md.
    @Test func theListIsThatOfTheDocument() throws {
        let page = #filePath.replacing(/Tests\/.*/, with: "docs/metrics.md")
        let rows = try String(contentsOfFile: page, encoding: .utf8)
            .matches(of: /(?m)^\| `([a-z0-9_]+)` \| (?:counter|gauge|histogram)/)
        let names = rows.map { String($0.output.1) }
        #expect(names == MetricFamily.all.map(\.name))
    }
}
