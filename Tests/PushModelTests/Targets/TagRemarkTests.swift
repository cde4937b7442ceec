import PushModel
import Testing

/// What is odd about a tag expression that is valid all the same.
@Suite struct TagRemarkTests {
    @Test(arguments: [
        (
            "a && !a",
            [
                "no device can match (a && !a): it asks for a tag and for its absence; the send is taken and nobody gets it"
            ]
        ),
        ("a || !A", ["every device matches (a || !A), whatever its tags: this is a broadcast"]),
        ("and", ["and is a tag here and no operator; the operators are && || !"]),
        ("a && NOT", ["NOT is a tag here and no operator; the operators are && || !"]),
        ("a", []), ("a && !b", []), ("(a || b) && !a", []),
    ]) func oddExpressionsAreRemarkedOn(text: String, remarks: [String]) throws {
        let expression = try TagExpression(text)
        let shown = expression.remarks.map { "\($0)".replacing("(\(expression))", with: "\(expression)") }
        #expect(shown == remarks.map { $0.replacing("(\(expression))", with: "\(expression)") })
    }
}
