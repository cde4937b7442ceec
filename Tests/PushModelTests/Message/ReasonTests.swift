import Testing

@testable import PushModel

@Suite struct ReasonTests {
    /// As in the SQL enums: status, reason, class.
    static let table: [(Status?, String, ReasonClass)] = [
        (.accepted, "taken_by_hub", .none),
        (.rejected, "bad_request", .content), (.rejected, "too_large", .content),
        (.rejected, "not_sendable", .content), (.rejected, "no_fallback", .content),
        (.rejected, "late_translation", .content), (.rejected, "target_gone", .target),
        (.rejected, "target_invalid", .target), (.rejected, "attempts_exhausted", .provider),
        (.expired, "expired", .policy), (.cancelled, "cancelled_by_caller", .policy),
        (.cancelled, "replaced", .policy), (.cancelled, "suppressed", .policy),
        (.duplicate, "duplicate_key", .policy),
        (.inDoubt, "answer_lost", .network), (.inDoubt, "worker_lost", .network),
        (.retrying, "throttled", .provider), (.retrying, "target_throttled", .provider),
        (.retrying, "unavailable", .provider), (.retrying, "not_sent", .network),
        (.retrying, "auth_refused", .credentials), (.retrying, "hub_not_found", .configuration),
        (.retrying, "quota_exceeded", .quota), (.retrying, "resent", .policy),
        (.retrying, "hub_closed", .policy), (.retrying, "released", .policy), (.retrying, "paused", .policy),
        (.retrying, "resumed", .policy), (.retrying, "waited", .policy), (nil, "resolved", .policy),
    ]

    @Test func everyReasonHasItsStatusAndItsClass() throws {
        for (status, name, reasonClass) in Self.table {
            let reason = try #require(Reason(rawValue: name), "\(name)")
            #expect(reason.status == status, "\(name)")
            #expect(reason.class == reasonClass, "\(name)")
        }
        #expect(Self.table.count == Reason.allCases.count)
    }

    @Test func statusesAreTheWordsOfTheEnumAndSixAreFinal() {
        let words =
            "scheduled waiting due claimed posting retrying accepted rejected expired cancelled duplicate in_doubt"
        #expect(Status.allCases.map(\.rawValue).joined(separator: " ") == words)
        #expect(Status.allCases.filter(\.isFinal).count == 6)
        #expect(Reason.allCases.allSatisfy { $0.status.map { $0.isFinal || $0 == .retrying } ?? ($0 == .resolved) })
    }
}
