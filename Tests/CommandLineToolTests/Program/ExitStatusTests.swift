import CommandLineTool
import Testing

@Suite struct ExitStatusTests {
    @Test func exitStatusesAreThoseOfSysexits() {
        #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 64, 65, 69, 70, 74, 75, 77, 78])
    }
}
