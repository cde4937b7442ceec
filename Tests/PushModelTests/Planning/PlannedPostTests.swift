import Testing

@testable import PushModel

@Suite struct PlannedPostTests {
    @Test func aPostIsShownWithoutItsBodyAndWithoutHandles() {
        let notes = PlanNotes()
        let plan = Plan(
            [
                .of(1, tag: "a", locale: "en"), .of(2, lead: 1, tag: "a", locale: "fr"),
                .of(3, tag: "b", locale: "en", expiresAt: 50), .of(4, lead: 3, tag: "b", locale: "fr"),
                .of(5, handles: ["secret-1", "secret-2"], headers: #"{"apns-priority":"5"}"#), .of(6, tag: "a || b"),
            ], for: .news, now: 0, epoch: 1_000, notes: notes)
        let posts = PlannedPost.posts(of: plan, notes, from: 8)
        #expect(posts.map(\.number) == [8, 9, 10])
        #expect(posts.map(\.target) == ["a || b", "(2 handles)", "a || b"])
        #expect(posts.map(\.rows) == [[1, 2, 3, 4], [5], [6]])
        #expect(posts.map(\.contents) == [2, 1, 1])
        #expect(posts.map(\.languages) == [["English", "French"], [], []])
        #expect(posts.map(\.filled) == [["Mandarin"], [], []])
        #expect(posts.map(\.format) == ["template", "apple", "template"])
        #expect(posts.map(\.bytes) == plan.posts.map(\.body.count))
        #expect(posts[1].headers == plan.posts[1].headers && !posts[1].headers.isEmpty)
        #expect(posts.map(\.expiresAt) == [1_050, nil, nil])
        #expect(posts.map(\.apart) == [.body, .body, .expression])
        #expect(posts.map(\.layer) == [0, 0, 0])
    }
}
