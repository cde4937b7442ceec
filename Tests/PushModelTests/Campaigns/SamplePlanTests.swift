import Testing

@testable import PushModel

/// Messages that stand in for recipients are folded as theirs would be.
@Suite struct SamplePlanTests {
    private static let spring = RunContent(
        id: 7, format: "template",
        texts: ["en": #"{"title":"Hi {{name}} {{town|}}"}"#, "fr": #"{"title":"{{name|ami}}"}"#])

    private static func sample(
        _ standIns: [StandIn], of hub: HubSettings = .news, audience: Int64? = nil
    ) -> SamplePlan { SamplePlan(standIns, of: hub, saying: spring, audience: audience) }

    private static func plan(_ sample: SamplePlan) -> Plan {
        Plan(sample.messages, for: sample.hub, now: 0, runContents: sample.runContents)
    }

    @Test func recipientsWhoReadTheSameShareAPost() {
        let name = ["name": StandIn.Value(.ascii, written: 4)]
        let sample = Self.sample(
            (1...30).map { StandIn(.planned(.tag("t")), values: name, twin: $0 % 3 + 1, targetTwin: $0) })
        let plan = Self.plan(sample)
        #expect(plan.posts.count == 3 && plan.refusals.isEmpty)
        #expect(Set(plan.posts.map(\.body)).count == 3 && Set(plan.posts.map(\.body.count)).count == 1)
    }

    @Test func aTagThatComesTwiceIsInTwoPosts() {
        let plan = Self.plan(
            Self.sample([
                StandIn(
                    .planned(.tag("t")), recipients: 3, values: ["name": .init(.digits, written: 1)], twin: 1,
                    targetTwin: 1)
            ]))
        #expect(plan.posts.map(\.target) == Array(repeating: .tag("r1"), count: 3))
    }

    @Test(arguments: StandIn.Value.Kind.allCases, [1, 2, 3, 7, 40])
    func twinsAreEqualAndOthersOfTheSameSizes(_ kind: StandIn.Value.Kind, bytes: Int) throws {
        for escaped in [0, 4, 11] {
            let value = StandIn.Value(kind, written: bytes + escaped, bytes: bytes)
            let standIns = (1...40).map {
                StandIn(.planned(.tag("t")), values: ["name": value], twin: $0 % 20 + 1, targetTwin: $0)
            }
            let contents = Self.sample(standIns).messages.map(\.content)
            #expect(Set(contents.map(\.utf8.count)).count == 1)
            for (one, other) in zip(contents, contents.dropFirst(20)) { #expect(one == other) }
            // As many as there are: of one digit ten, of one other character more than twenty.
            let different = Set(contents).count
            switch kind {
            case .digits where escaped == 0: #expect(different == (bytes == 1 ? 10 : 20))
            case .ascii where escaped == 0: #expect(different == 20)
            case .array, .object, .blank: #expect(different == 1)
            default: #expect(different <= 20)
            }
            for content in contents { #expect(throws: Never.self) { _ = try JSONNode(Array(content.utf8)) } }
        }
    }

    @Test(arguments: ["t", "t || t", "(t || !t)", "t && t && !t", "$InstallationId:{t}", "$UserId:{t} || t"])
    func anExpressionKeepsItsForm(_ tag: String) throws {
        let tags = Self.sample([
            StandIn(.planned(.tag(tag)), values: [:], twin: 1, targetTwin: 17),
            StandIn(.planned(.tag(tag)), values: [:], twin: 1, targetTwin: 18),
        ]).messages.compactMap { message in if case .tag(let tag) = message.target { tag } else { nil } }
        #expect(tags[0] != tags[1] && tags[0].contains("r17"))
        let (shape, named) = (try TagExpression(tag), try TagExpression(tags[0]))
        #expect(shape.tagCount == named.tagCount && shape.onlyOr == named.onlyOr)
    }

    @Test func whoGetsNoMessageIsCounted() {
        let sample = Self.sample(
            [
                StandIn(.leftOut("suppressed"), recipients: 2), StandIn(.leftOut("capped"), recipients: 5),
                StandIn(.refused("its tag is not one"), recipients: 3),
                StandIn(.planned(.handle), recipients: 2, isLate: true, twin: 1, targetTwin: 1),
                StandIn(.planned(.broadcast), twin: 2, targetTwin: 2),
            ], audience: 130)
        #expect(sample.recipients == 13 && sample.audience == 130 && sample.scale == 10)
        #expect(sample.leftOut.map(\.reason) == ["capped", "suppressed"] && sample.refused.map(\.recipients) == [3])
        #expect(sample.messages.map(\.id) == [1, 2, 3])
        #expect(sample.messages[0].target == sample.messages[1].target && sample.messages[2].target == .broadcast)
        #expect(Self.plan(sample).refusals.count(where: { $0.reason == .expired }) == 2)
        #expect(sample.claims(of: 2).map(\.count) == [2, 1] && sample.claims().count == 1)
        #expect(Self.sample([]).scale == 1 && Self.sample([], audience: 9).scale == 1)
    }

    @Test func alikeStandInsAreCountedTogether() {
        let one = StandIn(
            .planned(.tag("t")), recipients: 2, values: ["name": .init(.ascii, written: 3)], twin: 1, targetTwin: 4)
        var other = one
        (other.twin, other.targetTwin, other.recipients) = (2, 5, 3)
        let late = StandIn(.planned(.tag("t")), isLate: true, twin: 3, targetTwin: 6)
        #expect(StandIn.alike([one, late, other]).map(\.recipients) == [5, 1])
        let hub = HubSettings.news
        #expect(
            Forecast([one, late, other], of: hub, saying: Self.spring)
                == Forecast(StandIn.alike([one, late, other]), of: hub, saying: Self.spring))
    }
}
