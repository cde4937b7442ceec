import Testing

@testable import Console

@Suite struct AuditDetailTests {
    @Test(
        arguments: [
            ("{}", "", nil), (#"{"hub": "news", "reason": null}"#, "hub: news", nil),
            (#"{"hub": "news", "messages": 12000}"#, "hub: news", "12,000 messages"),
            (#"{"hub": "news", "changes": 1}"#, "hub: news", "1 changes"),
            (#"{"force": true, "claims": 2, "returned": 9}"#, "force: yes, returned: 9", "2 claims"),
            (#"{"ids": "5000 values", "messages": 5000}"#, "ids: 5000 values", "5,000 messages"),
            (#"{"changed": ["a", "b"], "what": {"hub": "x"}}"#, "changed: a b, what: hub x", nil),
            (#"{"messages": "many"}"#, "messages: many", nil), (#"{"messages": 1e99}"#, "", "1e99 messages"),
            ("[1, 2]", "[1, 2]", nil), (#"{"cut": "#, #"{"cut": "#, nil),
        ] as [(String, String, String?)])
    func argumentsAndCountAreApart(_ json: String, _ arguments: String, _ count: String?) {
        let detail = AuditDetail(json)
        #expect(detail.arguments == arguments && detail.count == count)
    }
}
