import PushModel
import Testing

/// W3C Trace Context, section 3.2: nothing else gets into a header of ours.
@Suite struct TraceParentTests {
    private static let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test(arguments: [good, "cc-\(good.dropFirst(3))", "00-\(String(repeating: "0", count: 31))1-000000000000000f-00"])
    func aContextIsKeptAsItIs(text: String) {
        #expect(TraceParent(text)?.description == text)
    }

    @Test(arguments: [
        "", "00", "ff-\(good.dropFirst(3))", good.uppercased(), good + "\r\nX-Evil: 1", good + "-00", " " + good,
        String(good.dropLast()), "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", good.replacing("-", with: "_"),
        "00-0af7651916cd43dd8448eb211c80319\n-b7ad6b7169203331-01", "0g-\(good.dropFirst(3))",
        "00-0af7651916cd43dd8448eb211c80319ç-b7ad6b7169203331-0", String(repeating: "-", count: 55),
    ])
    func anythingElseIsNone(text: String) {
        #expect(TraceParent(text) == nil)
    }
}
