import Foundation

/// When a client certificate ends, in words. Pure.
public struct CertificateEnd: Sendable {
    /// Seconds since 1970-01-01 UTC.
    public let at: Int64

    /// Days ahead from which people are warned.
    public static let warningDays = 30

    public init(at: Int64) { self.at = at }

    /// Whether it is to be renewed now.
    public func isNear(now: Double) -> Bool { Double(at) - now < Double(Self.warningDays) * 86_400 }

    /// `the client certificate ends on 2026-12-24, in 26 days`; nil: there is time.
    public func words(now: Double) -> String? {
        guard isNear(now: now) else { return nil }
        let days = Int((Double(at) - now) / 86_400)
        switch Double(at) - now {
        case ...0: return "the client certificate ended on \(date)"
        case ..<86_400: return "the client certificate ends on \(date), within a day"
        default: return "the client certificate ends on \(date), in \(days == 1 ? "1 day" : "\(days) days")"
        }
    }

    /// `2026-12-24`, in UTC.
    public var date: String {
        Date(timeIntervalSince1970: Double(at)).formatted(.iso8601.year().month().day())
    }
}
