import PushModel
import Testing

@testable import PushWorker

@Suite struct PostTracesTests {
    private static func context(_ n: Int) throws -> TraceParent {
        let digits = String(n, radix: 16)
        let id = String(repeating: "0", count: 32 - digits.count) + digits
        return try #require(TraceParent("00-\(id)-b7ad6b7169203331-01"))
    }

    @Test func oneContextOfAllIsShared() throws {
        let one = try Self.context(1)
        let traces = try #require(PostTraces(of: [1, 2], in: [1: one, 2: one, 3: try Self.context(3)]))
        #expect(traces.shared == one && traces.text == one.description)
    }

    @Test func severalOrAMessageWithoutOneAreNotSharedAndAreShownOnceEach() throws {
        let (one, two) = (try Self.context(1), try Self.context(2))
        let several = try #require(PostTraces(of: [1, 2, 3], in: [1: one, 2: two, 3: one]))
        #expect(several.shared == nil && several.text == "\(one) \(two)")
        let some = try #require(PostTraces(of: [1, 2], in: [1: one]))
        #expect(some.shared == nil && some.text == one.description)
        let later = try #require(PostTraces(of: [1, 2], in: [2: one]))
        #expect(later.shared == nil)
    }

    @Test func withoutAnyThereIsNothing() throws {
        #expect(PostTraces(of: [1, 2], in: [:]) == nil)
        #expect(PostTraces(of: [1, 2], in: [3: try Self.context(1)]) == nil)
    }

    @Test func aLineShowsAtMostTwenty() throws {
        let known = try Dictionary(uniqueKeysWithValues: (1...1000).map { (Int64($0), try Self.context($0)) })
        let traces = try #require(PostTraces(of: (1...1000).map(Int64.init), in: known))
        #expect(traces.contexts.count == PostTraces.most && traces.shared == nil)
    }
}
