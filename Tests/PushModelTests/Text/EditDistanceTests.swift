import PushModel
import Testing

@Suite struct EditDistanceTests {
    @Test(arguments: [
        ("batch", "batch", 0), ("", "abc", 3), ("bacth", "batch", 1), ("dispach", "dispatch", 1), ("ab", "ba", 1),
        ("wrold", "world", 1), ("kitten", "sitting", 3), ("ca", "abc", 3),
    ])
    func itCountsTypingErrors(one: String, other: String, distance: Int) {
        #expect(EditDistance.between(Array(one.utf8), Array(other.utf8)) == distance)
        #expect(EditDistance.between(Array(other.utf8), Array(one.utf8)) == distance)
    }
}
