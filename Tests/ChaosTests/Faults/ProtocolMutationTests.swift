import Store
import Testing

@testable import Chaos

/// What `bin/chaos --sabotage` takes out is there.
@Suite struct ProtocolMutationTests {
    @Test(arguments: ProtocolMutation.allCases)
    func whatItTakesOutStandsOnceInItsFunction(_ mutation: ProtocolMutation) throws {
        let sql = SchemaFile.all.map(\.sql).joined(separator: "\n")
        let start = try #require(sql.firstRange(of: "CREATE OR REPLACE FUNCTION \(mutation.function)("))
        let end = try #require(sql[start.upperBound...].firstRange(of: "END $$;"))
        let body = sql[start.lowerBound..<end.upperBound]
        #expect(body.ranges(of: mutation.change.from).count == 1)
    }
}
