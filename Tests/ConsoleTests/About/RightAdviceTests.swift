import Store
import Testing

@testable import Console

@Suite struct RightAdviceTests {
    private let ann = Person("Ann", rights: [.look])

    @Test func aRightThatWorksNeedsNothing() {
        let login = LoginRoles(login: "console", groups: [.console, .monitor, .operator, .campaign, .approve])
        let advice = RightAdvice(.look, of: ann, login: login)
        #expect(advice.isGranted && advice.sql == nil && advice.settings == nil)
        let other = RightAdvice(.operate, of: ann, login: login)
        #expect(!other.isGranted && other.sql == nil && other.settings == "Add operate to console.users.Ann.may.")
    }

    @Test func oneMembershipGivesALoginAllRoles() {
        let advice = RightAdvice(.look, of: ann, login: LoginRoles(login: "it\"s", groups: []))
        #expect(advice.sql == "GRANT push_console TO \"it\"\"s\";")
    }

    @Test func aRoleThatTheConsolesRoleLacksIsGrantedToThat() {
        let advice = RightAdvice(.approve, of: ann, login: LoginRoles(login: "console", groups: [.console, .monitor]))
        #expect(advice.sql == "GRANT push_approve TO push_console;")
    }

    @Test func aLoginOfOnePersonGetsTheRoleItself() {
        let person = Person("ann", rights: [.look], sharesLogin: false)
        let advice = RightAdvice(.operate, of: person, login: LoginRoles(login: "ann", groups: [.monitor]))
        #expect(advice.sql == "GRANT push_operator TO \"ann\";" && advice.settings == nil)
    }

    @Test func withoutTheDatabaseOnlyTheSettingsAreKnown() {
        #expect(RightAdvice(.look, of: ann, login: nil).sql == nil)
    }
}
