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

    @Test func itsPartsAreRead() throws {
        let context = try #require(TraceParent(Self.good))
        #expect(context.traceID == "0af7651916cd43dd8448eb211c80319c" && context.spanID == "b7ad6b7169203331")
        #expect(context.isSampled)
        for (flags, isSampled) in [("00", false), ("02", false), ("03", true), ("ff", true)] {
            #expect(TraceParent(Self.good.dropLast(2) + flags)?.isSampled == isSampled, "\(flags)")
        }
    }

    /// What the standard says of a request that goes on: the same trace, an id of its own, no flags that it does not know.
    @Test(arguments: [("00", "01", "01"), ("00", "00", "00"), ("00", "03", "03"), ("cc", "fd", "01")])
    func aChildStaysInTheTrace(version: String, flags: String, kept: String) throws {
        let text = "\(version)-\(Self.good.dropFirst(3).dropLast(2))\(flags)"
        let child = try #require(TraceParent(text)).child(0x1F)
        #expect(child.description == "00-0af7651916cd43dd8448eb211c80319c-000000000000001f-\(kept)")
        #expect(TraceParent(child.description) == child)
    }

    @Test func oneOfOursIsValid() {
        let context = TraceParent(trace: (1, .max), span: 0xAB)
        #expect(context.description == "00-0000000000000001ffffffffffffffff-00000000000000ab-01")
        #expect(TraceParent(context.description) == context)
    }
}
