import Testing

@testable import PushModel

@Suite struct ReachCountTests {
    private func count(_ expression: String, limit: Int? = nil) throws -> ReachCount {
        ReachCount(try TagExpression(expression), limit: limit)
    }

    @Test func aDeviceCountsOnceHoweverManyRegistrationsItHas() throws {
        var count = try count("(world || Science) && !muted")
        for _ in 1...3 { count.add("a", tags: ["World", "$InstallationId:{a}"]) }
        count.add("b", tags: ["World", "MUTED"])
        count.add("b", tags: ["World", "MUTED", "news"])
        count.add("c", tags: [])
        #expect(count.devices == 1 && count.of == 3)
        #expect(!count.isFull)
    }

    /// The tags of a template may match where those of the device do not, on a later page.
    @Test func oneRegistrationThatMatchesIsEnough() throws {
        var count = try count("news")
        count.add("a", tags: ["World"])
        count.add("b", tags: ["World"])
        count.add("a", tags: ["World", "News"])
        #expect(count.devices == 1 && count.of == 2)
    }

    @Test func theLimitEndsTheCountAtTheDeviceBehindIt() throws {
        var count = try count("World", limit: 2)
        let within = [
            count.add("a", tags: ["World"]), count.add("b", tags: []), count.add("a", tags: ["World"]),
        ]
        #expect(within == [true, true, true] && !count.isFull)
        let beyond = count.add("c", tags: ["World"])
        #expect(!beyond && count.isFull && count.devices == 1 && count.of == 2)
    }

    @Test func exactlyAsManyAsTheLimitAreAll() throws {
        var count = try count("World", limit: 1)
        let within = count.add("a", tags: ["World"])
        #expect(within && !count.isFull)
    }

    @Test func devicesAreToldApartByTheirBytes() throws {
        var count = try count("World")
        count.add("\u{E9}", tags: ["World"])
        count.add("e\u{301}", tags: ["World"])
        #expect(count.devices == 2)
    }

    @Test(
        arguments: [
            ("World", "World"), ("(World)", "World"), ("$UserId:{7}", "$UserId:{7}"), ("!World", nil), ("a || b", nil),
            ("a && a", nil),
        ] as [(String, String?)])
    func ofOneTagTheHubListsItsOwn(expression: String, tag: String?) throws {
        #expect(try count(expression).onlyTag == tag)
    }

    /// As the emulator's own evaluator, whose devices these could be.
    @Test func aHundredThousandDevicesAreCounted() throws {
        var count = try count("a && !b || c")
        for number in 0..<100_000 {
            let tags = [(2, "a"), (3, "b"), (5, "C")].filter { number.isMultiple(of: $0.0) }.map(\.1)
            count.add("device-\(number)", tags: tags)
        }
        let wanted = (0..<100_000).count {
            $0.isMultiple(of: 2) && !$0.isMultiple(of: 3) || $0.isMultiple(of: 5)
        }
        #expect(count.devices == wanted && count.of == 100_000)
    }
}
