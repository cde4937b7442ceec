import Signing
import Testing

@testable import Console

@Suite struct PeopleTests {
    private let people = People([
        Account(Person("ann", rights: [.look]), password: .make(of: "correct horse", cost: .cheap)),
        Account(Person("ben", rights: [.approve]), password: nil),
    ])

    @Test func aPersonIsKnownByNameAndPassword() {
        #expect(people.user("ann", password: "correct horse")?.person == Person("ann", rights: [.look]))
    }

    @Test(arguments: [
        ("ann", "correct hors"), ("ann", ""), ("Ann", "correct horse"), ("", ""), ("eve", "correct horse"),
        // The hash that a stranger's password is compared with is somebody's; that opens nothing.
        ("ben", "correct horse"), ("ben", ""),
    ])
    func nobodyElseIs(name: String, password: String) { #expect(people.user(name, password: password) == nil) }

    @Test func withoutPasswordsNobodySignsIn() {
        let people = People([Account(Person("ben", rights: [.look]), password: nil)])
        #expect(people.user("ben", password: "") == nil && people["ben"]?.person.name == "ben")
    }

    @Test func passwordsAreNotPrinted() {
        #expect(!String(reflecting: people).contains("scrypt") && "\(people)".contains("•••"))
    }
}
