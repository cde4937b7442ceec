import PushModel
import Testing

@testable import Console

@Suite struct SignInLimitTests {
    private func address(_ text: String) throws -> IPAddress { try #require(IPAddress(text)) }

    @Test func theEleventhWrongPasswordOfAMinuteWaits() throws {
        var limit = SignInLimit()
        let client = try address("192.0.2.7")
        for number in 0..<10 {
            #expect(limit.wait(of: client, now: Double(number)) == nil)
            limit.addWrong(from: client, now: Double(number))
        }
        #expect(limit.wait(of: client, now: 10) == 50)
        #expect(limit.wait(of: try address("192.0.2.8"), now: 10) == nil)
        #expect(limit.wait(of: client, now: 60) == nil, "the first is a minute old")
        limit.addWrong(from: client, now: 60)
        #expect(limit.wait(of: client, now: 60) == 1, "the second is not yet")
    }

    @Test func aNetworkOfOneSubscriberIsOneClient() throws {
        var limit = SignInLimit()
        for number in 0..<10 { limit.addWrong(from: try address("2001:db8:0:1::\(number)"), now: 0) }
        #expect(limit.wait(of: try address("2001:db8:0:1:ffff::"), now: 1) == 59)
        #expect(limit.wait(of: try address("2001:db8:0:2::"), now: 1) == nil)
        #expect(limit.wait(of: nil, now: 1) == nil)
    }

    @Test func clientsThatAreNotKnownAreOne() {
        var limit = SignInLimit()
        for _ in 0..<10 { limit.addWrong(from: nil, now: 0) }
        #expect(limit.wait(of: nil, now: 1) == 59)
    }

    @Test func itsMemoryIsBounded() {
        var limit = SignInLimit()
        func client(_ number: Int) -> IPAddress {
            IPAddress(bytes: [10, UInt8(number >> 16), UInt8(number >> 8 & 255), UInt8(number & 255)])
        }
        for _ in 0..<10 { limit.addWrong(from: client(1), now: 0.5) }
        limit.addWrong(from: client(0), now: 0)
        for number in 2...SignInLimit.addresses { limit.addWrong(from: client(number), now: 1) }
        #expect(limit.count == SignInLimit.addresses)
        #expect(limit.wait(of: client(1), now: 2) != nil, "the one that was quiet longest has made room")
        limit.addWrong(from: client(0xffffff), now: 100)
        #expect(limit.count == 1, "what is over is forgotten first")
    }
}
