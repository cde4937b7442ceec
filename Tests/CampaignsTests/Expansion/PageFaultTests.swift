import Postgres
import Testing

@testable import Campaigns

@Suite struct PageFaultTests {
    private static func fault(_ sqlState: String?, isStuck: Bool = false) -> PageFault {
        let error = DatabaseError(
            doing: "expand a campaign", sqlState: sqlState, message: "gone", isTransient: sqlState == nil ? true : nil)
        return PageFault(error, seconds: 30, isStuck: isStuck)
    }

    @Test func eachErrorMeansOneThing() {
        #expect(Self.fault("40001") == .stopped)
        #expect(Self.fault("38000") == .passes("its audience cannot be read: 38000 gone"))
        #expect(Self.fault("38002") == .pause("its audience cannot be read: 38002 gone"))
        #expect(Self.fault("42501") == .pause("its audience cannot be read: 42501 gone"))
        #expect(Self.fault("53100") == .outage)
        #expect(Self.fault(nil) == .outage)
        for (fault, words) in [
            (Self.fault("57014"), "took longer than 30 s; fanfare campaign check"),
            (Self.fault(nil, isStuck: true), "took longer than 60 s, and code of its view"),
        ] {
            guard case .pause(let why) = fault else {
                Issue.record("\(fault)")
                continue
            }
            #expect(why.contains(words))
        }
        // Trouble of the database that has a name of its own is none of the view.
        #expect(Self.fault("42501", isStuck: true) == .pause("its audience cannot be read: 42501 gone"))
    }
}
