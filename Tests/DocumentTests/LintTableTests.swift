import ProgramSupport
import PushModel
import Testing

/// The rules of lint stand in one list; documents say the same.
@Suite struct LintTableTests {
    @Test func theTableOfCampaignsIsTheList() throws {
        let page = try Repository.text("docs/campaigns.md")
        for rule in LintRule.allCases {
            let hint = rule.hint.replacing(scalars: "||", with: #"\|\|"#)
            let row = "| `\(rule.rawValue)` | \(rule.level.rawValue) | \(rule.sentence) | \(hint) |"
            #expect(page.contains(row), "docs/campaigns.md lacks the row: \(row)")
        }
        let rows = page.matches(of: /(?m)^\| `[A-Za-z]+` \| (?:error|warning|info) \|/)
        #expect(rows.count == LintRule.allCases.count)
    }
}
