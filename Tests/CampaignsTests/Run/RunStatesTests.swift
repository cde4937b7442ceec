import Campaigns
import ProgramSupport
import Testing

/// What is made from the table of transitions: the rows of the schema, and parts of documents.
@Suite struct RunStatesTests {
    @Test func theSchemaHasTheRowsOfTheTable() throws {
        let file = try Repository.text("migrations/functions/rules/run_transitions.sql")
        #expect(file == RunStates.sql + "\n", "bin/generate makes it")
    }

    @Test(arguments: ["docs/campaigns.md", "ARCHITECTURE.md"]) func theDocumentsShowTheDiagram(_ name: String) throws {
        #expect(try Repository.text(name).contains("```mermaid\n\(RunStates.diagram)\n```"), "bin/generate makes it")
    }

    @Test func theDocumentShowsWhatCanBeAsked() throws {
        #expect(try Repository.text("docs/campaigns.md").contains(RunStates.asked), "bin/generate makes it")
    }
}
