import Testing

@testable import PushModel

@Suite struct PostTests {
    private func post(_ count: Int) -> Post {
        Post(
            parts: (1...count).map { .init(messages: [Int64($0)], target: .tag("t\($0)")) }, format: "apple",
            headers: [.init(name: "apns-priority", value: "5")], body: [1, 2])
    }

    @Test func packedTagsAreJoinedAndTheirMessagesListed() {
        let post = Post(
            parts: [
                .init(messages: [3, 1], target: .tag("a")), .init(messages: [2], target: .tag("b")),
            ], body: [])
        #expect(post.target == .tag("a || b"))
        #expect(post.messages == [3, 1, 2])
        #expect(post.parts.map(\.messages) == [[3, 1], [2]])
    }

    @Test func packedHandlesAreJoined() {
        let post = Post(
            parts: [
                .init(messages: [1], target: .handles(["x", "y"])), .init(messages: [2], target: .handles(["z"])),
            ], body: [])
        #expect(post.target == .handles(["x", "y", "z"]))
    }

    @Test func anUnpackedPostHasOnePart() {
        let plain = Post(messages: [1, 2], target: .broadcast, body: [])
        #expect(plain.parts == [.init(messages: [1, 2], target: .broadcast)])
        #expect(Post(parts: plain.parts, body: []) == plain)
    }

    @Test func translationsOfOneContentAreNeverSeparated() {
        #expect(Post(messages: [1, 2, 3], target: .tag("a"), body: []).halves() == nil)
        #expect(Post(messages: [1], target: .handles(["x", "y"]), body: []).halves() == nil)
        #expect(post(1).halves() == nil)
    }

    @Test(arguments: [2, 3, 7, 20])
    func eachHalfHasTheBodyAndHalfOfTheParts(count: Int) throws {
        let whole = post(count)
        let (first, second) = try #require(whole.halves())
        #expect(first.parts + second.parts == whole.parts)
        #expect(first.messages + second.messages == whole.messages)
        #expect(first.parts.count == count / 2)
        for half in [first, second] {
            #expect(half.format == "apple" && half.headers == whole.headers && half.body == whole.body)
        }
    }

    @Test func singlesHaveOnePartEach() {
        let whole = post(3)
        #expect(whole.singles().map(\.target) == [.tag("t1"), .tag("t2"), .tag("t3")])
        #expect(whole.singles().map(\.messages) == [[1], [2], [3]])
        #expect(whole.singles().allSatisfy { $0.body == whole.body && $0.headers == whole.headers && !$0.isPacked })
        #expect(
            Post(messages: [1], target: .handles(["x", "y"]), body: []).singles().isEmpty, "one content is not split")
    }

    @Test func halvingEndsWithEveryPartAlone() throws {
        var waiting = [post(20)]
        var single: [Post] = []
        var posts = 0
        while let next = waiting.popLast() {
            posts += 1
            if let (first, second) = next.halves() {
                waiting += [second, first]
            } else {
                single.append(next)
            }
        }
        #expect(single.map(\.target) == (1...20).map { .tag("t\($0)") })
        #expect(single.map(\.messages) == (1...20).map { [Int64($0)] })
        #expect(posts == 39)
    }
}
