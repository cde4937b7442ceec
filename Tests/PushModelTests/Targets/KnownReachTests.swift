import Testing

@testable import PushModel

/// What somebody counted, found again however the expression is written.
@Suite struct KnownReachTests {
    private static func reach(_ expression: String, _ devices: Int64 = 1, at: Double = 0) -> KnownReach {
        KnownReach(expression, devices: devices, of: devices, isWhole: true, countedAt: at)
    }

    @Test func caseBlanksAndParenthesesDoNotCount() {
        let table = ReachTable([Self.reach("World"), Self.reach("(a && b) || c"), Self.reach("x && y")])
        #expect(table["world"]?.expression == "World")
        #expect(table["A&&B||c"]?.expression == "(a && b) || c" && table["a && (b || c)"] == nil)
        #expect(table["y && x"] == nil && table["(x&&y)"]?.expression == "x && y")
        #expect(table["(a"] == nil && table[""] == nil && !table.isEmpty)
        #expect(ReachTable([]).isEmpty && ReachTable([Self.reach("(a")]).isEmpty)
    }

    @Test func theNewestCountIsTaken() {
        for counted in [
            [Self.reach("a", 1, at: 5), Self.reach("A", 2, at: 3)],
            [Self.reach("A", 2, at: 3), Self.reach("a", 1, at: 5)],
        ] {
            #expect(ReachTable(counted)["a"]?.devices == 1)
        }
    }

    @Test func nobodyIsKnownOnlyWhereAllWereLookedAt() {
        #expect(Self.reach("a", 0).isNobody && !Self.reach("a", 1).isNobody)
        #expect(!KnownReach("a", devices: 0, of: 20, isWhole: false, countedAt: 0).isNobody)
    }

    @Test func aTallyHasTheReachOfItsTargetsTheFewestFirst() {
        let counted = ["World", "sports", "Quiet", "(Weather) && !Quiet", "nobody"].enumerated().map {
            Self.reach($1, 100 - Int64($0))
        }
        let rows = [
            Message.of(1, tag: "world"), .of(2, tag: "Sports"), .of(3, tag: "Weather&&!Quiet"), .of(4, tag: "other"),
        ]
        var tally = PlanTally(of: .news, reach: counted)
        let notes = PlanNotes()
        tally.add(Plan(rows, for: .news, now: 0, notes: notes), notes, of: rows, priority: .normal)
        #expect(tally.reach.map(\.expression) == ["(Weather) && !Quiet", "sports", "World"])
        // Of a campaign, whose stand-ins name nobody.
        tally = PlanTally(of: .news, reach: counted)
        tally.add(targets: ["nobody", "unknown"])
        #expect(tally.reach.map(\.expression) == ["nobody"])
    }
}
