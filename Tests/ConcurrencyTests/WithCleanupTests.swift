import Testing

@testable import Concurrency

@Suite struct WithCleanupTests {
    private struct Fault: Error {}

    @Test(arguments: [false, true]) func itCleansUpWhetherOrNotTheBodyThrows(isFaulty: Bool) async {
        var steps: [String] = []
        var thrown: Fault?
        do throws(Fault) {
            let value = try await withCleanup { () throws(Fault) in
                steps.append("body")
                if isFaulty { throw Fault() }
                return 7
            } then: {
                steps.append("cleanup")
            }
            #expect(value == 7)
        } catch {
            thrown = error
        }
        #expect(steps == ["body", "cleanup"] && (thrown != nil) == isFaulty)
    }
}
