import PushModel
import Store

extension Forecast {
    /// What becomes of how many, and then why. Pure.
    ///
    /// - Parameter most: how many recipients were asked for.
    package func findings(ofFirst most: Int64) -> [CampaignStore.Finding] {
        if recipients == 0 { return [] }
        let all = (recipients < most ? "" : "the first ") + Self.count(recipients, "recipient")
        let (lost, without) = (Self.sum(refused), Self.sum(leftOut))
        let parts = [
            "\(HumanFormat.grouped(sent)) would be sent", lost > 0 ? "\(HumanFormat.grouped(lost)) refused" : nil,
            without > 0 ? "\(HumanFormat.grouped(without)) left out" : nil,
        ]
        let counts = CampaignStore.Finding(
            "info", "hub \(hub)", "of \(all): \(parts.compactMap(\.self).joined(separator: ", "))", hint: nil)
        return [counts]
            + refused.map { loss in
                .init(
                    "warning", "hub \(hub)", "\(HumanFormat.grouped(loss.recipients)) of them refused: \(loss.why)",
                    hint: loss.example?.text)
            }
            + leftOut.map { loss in
                .init(
                    "info", "hub \(hub)", "\(HumanFormat.grouped(loss.recipients)) of them left out: \(loss.why)",
                    hint: nil)
            }
    }

    private static func count(_ number: Int64, _ thing: String) -> String {
        "\(HumanFormat.grouped(number)) \(thing)\(number == 1 ? "" : "s")"
    }

    private static func sum(_ losses: [Loss]) -> Int64 { losses.reduce(0) { $0 + $1.recipients } }
}

extension Forecast.Loss {
    fileprivate var why: String { text.map { "\(reason): \($0)" } ?? reason }
}

extension Forecast.Example {
    /// Nil: they have nothing of their own in it.
    fileprivate var text: String? {
        let value = property.map { "a value of {{\($0)}} with \(HumanFormat.grouped(written)) bytes" }
        let parts = [locale, written == 0 ? nil : value].compactMap(\.self)
        return parts.isEmpty ? nil : "Such as: \(parts.joined(separator: ", "))."
    }
}
