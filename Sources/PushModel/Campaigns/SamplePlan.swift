/// The first recipients of a campaign on one hub, as messages that the planner folds as it would fold theirs. Pure.
///
/// What a message says has the sizes of what its recipient would read; equal where they would read the same, different where
/// not. Whom it goes to is `r17`, the same for recipients with the same tag, expression or handle.
public struct SamplePlan: Sendable, Equatable {
    public let hub: HubSettings
    public let priority: Priority
    /// In the order of the recipients' keys, with ids from 1.
    public let messages: [Message]
    /// For `Plan`.
    public let runContents: [Int64: RunContent]
    /// Recipients that were read.
    public let recipients: Int64
    /// Recipients in all; as many as were read where it is not known.
    public let audience: Int64
    /// Recipients for whom no message is made. Most recipients first.
    public let leftOut: [Forecast.Loss]
    /// Those whose message is refused where it is made, before anything is planned. Most recipients first.
    public let refused: [Forecast.Loss]

    /// By how much what is counted in the sample is multiplied; 1: the sample is the audience.
    public var scale: Double { recipients > 0 ? max(1, Double(audience) / Double(recipients)) : 1 }

    /// - Parameters:
    ///   - packs: whether they may share a post (`pack` of the spec).
    ///   - priority: of each.
    ///   - audience: recipients in all; nil: not known.
    public init(
        _ standIns: [StandIn], of hub: HubSettings, saying content: RunContent, packs: Bool = true,
        priority: Priority = .bulk, audience: Int64? = nil
    ) {
        (self.hub, self.priority) = (hub, priority)
        runContents = [content.id: content]
        recipients = standIns.reduce(0) { $0 + $1.recipients }
        self.audience = max(audience ?? 0, recipients)
        var messages: [Message] = []
        var leftOut: [String: Int64] = [:]
        var refused: [String: Int64] = [:]
        var forms = StandInForms()
        for standIn in standIns {
            switch standIn.fate {
            case .leftOut(let why): leftOut[why, default: 0] += standIn.recipients
            case .refused(let why): refused[why, default: 0] += standIn.recipients
            case .planned(let aim):
                let target = Target(standingIn: aim, number: standIn.targetTwin)
                let shown = forms.values(of: standIn)
                for _ in 0..<standIn.recipients {
                    var message = standIn.message(Int64(messages.count) + 1, to: target, showing: shown, of: content)
                    (message.pack, message.priority) = (packs, priority)
                    messages.append(message)
                }
            }
        }
        self.messages = messages
        self.leftOut = Self.sorted(leftOut) { Forecast.Loss(reason: $0, recipients: $1) }
        self.refused = Self.sorted(refused) {
            Forecast.Loss(reason: Reason.notSendable.rawValue, text: $0, recipients: $1)
        }
    }

    /// The messages as claims of a worker would have them.
    ///
    /// - Parameter limit: messages of a claim.
    public func claims(of limit: Int = 1000) -> [ArraySlice<Message>] {
        stride(from: 0, to: messages.count, by: max(1, limit)).map {
            messages[$0..<min($0 + max(1, limit), messages.count)]
        }
    }

    private static func sorted(
        _ losses: [String: Int64], _ loss: (String, Int64) -> Forecast.Loss
    ) -> [Forecast.Loss] {
        losses.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map(loss)
    }
}

extension Target {
    /// The same kind of target, to a tag or handle that names nobody.
    fileprivate init(standingIn aim: StandIn.Aim, number: Int64) {
        switch aim {
        case .broadcast: self = .broadcast
        case .handle:
            let name = "r\(number)"
            self = .handles([name + String(repeating: "x", count: max(0, 64 - name.utf8.count))])
        case .tag(let tag):
            // Each tag of an expression is a t; the words of $InstallationId and $UserId are none.
            var named = ""
            var count = 0
            var isWord = false
            for character in tag {
                if character == "$" { isWord = true }
                if character == "{" { isWord = false }
                if character == "t", !isWord {
                    named += count == 0 ? "r\(number)" : "r\(number).\(count)"
                    count += 1
                } else {
                    named.append(character)
                }
            }
            self = .tag(named)
        }
    }
}

/// Values for recipients that are alike: equal for twins, and different for others as far as there is room.
struct StandInForms {
    /// How many twins each form had, and the place of each twin among them.
    private var counts: [[String: StandIn.Value]: Int] = [:]
    private var places: [Int64: Int] = [:]

    /// JSON by property.
    mutating func values(of standIn: StandIn) -> [String: String] {
        let place: Int
        if let known = places[standIn.twin] {
            place = known
        } else {
            place = counts[standIn.values, default: 0]
            counts[standIn.values] = place + 1
            places[standIn.twin] = place
        }
        // The property with most room first.
        var rest = place
        var values: [String: String] = [:]
        for (name, value) in standIn.values.sorted(by: { ($1.value.written, $0.key) < ($0.value.written, $1.key) }) {
            values[name] = value.json(numbered: &rest)
        }
        return values
    }
}

extension StandIn.Value {
    /// A JSON value of the same kind and size, one of those that there are.
    ///
    /// - Parameter number: from 0; what is left of it is what this value has no room for.
    func json(numbered number: inout Int) -> String {
        let json = Array(json.unicodeScalars)
        guard number > 0, json.first == "\"", kind != .blank else { return self.json }
        var text: [Unicode.Scalar] = []
        var index = 0
        while index < json.count {
            let scalar = json[index]
            if scalar == "\\" {  // an escape stays as it is, but for those of letters
                let length = json[index + 1] == "u" ? 6 : 2
                text += Self.escape(json[index..<index + length], &number)
                index += length
                continue
            }
            text.append(Self.another(scalar, kind, &number))
            index += 1
        }
        return String(String.UnicodeScalarView(text))
    }

    /// Of letters and digits that stand in for others: another one with as many bytes.
    private static func another(_ scalar: Unicode.Scalar, _ kind: Kind, _ number: inout Int) -> Unicode.Scalar {
        switch scalar {
        case "1" where kind == .digits: Self.take(from: "1234567890", &number)
        case "x": Self.take(from: "xabcdefghijklmnopqrstuvwyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", &number)
        case "é": Self.take(from: "éàáâãäåæçèêëìíîïðñòóôõöøùúûüýþÿ", &number)
        default: scalar
        }
    }

    /// `\u0078` is an x, `\u00e9` an é.
    private static func escape(_ escape: ArraySlice<Unicode.Scalar>, _ number: inout Int) -> [Unicode.Scalar] {
        let text = String(String.UnicodeScalarView(escape))
        let letters: [String]
        switch text {
        case #"\u0078"#: letters = (0x61...0x7A).map { #"\u00"# + String($0, radix: 16) }
        case #"\u00e9"#: letters = (0xE0...0xFF).map { #"\u00"# + String($0, radix: 16) }
        default: return Array(escape)
        }
        let first = letters.firstIndex(of: text) ?? 0
        let letter = letters[(first + number % letters.count) % letters.count]
        number /= letters.count
        return Array(letter.unicodeScalars)
    }

    private static func take(from alphabet: String, _ number: inout Int) -> Unicode.Scalar {
        let scalars = Array(alphabet.unicodeScalars)
        let scalar = scalars[number % scalars.count]
        number /= scalars.count
        return scalar
    }
}
