import Testing

@testable import Console

@Suite struct RightTests {
    @Test func eachRightIsARoleOfItsOwn() {
        #expect(Set(Right.allCases.map(\.role)).count == Right.allCases.count)
        #expect(Right.look.role == "push_monitor" && Right.operate.role == "push_operator")
        #expect(Right.campaigns.role == "push_campaign" && Right.approve.role == "push_approve")
    }
}
