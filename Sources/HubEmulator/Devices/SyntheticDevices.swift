/// Made-up devices for trying large audiences: the same ones for the same number, whatever the machine.
///
/// Each has the tags `user:N`, `lang:...`, `city:...` and two of `topic:...`, and one template `news` that shows
/// `title_French` and `News_French`, or those of its language. Ids and handles are short, so that a million fit.
enum SyntheticDevices {
    struct Language: Sendable {
        let code: String
        /// The word in property names.
        let word: String
        let cities: [String]
        /// Of a hundred devices.
        let share: Int
    }

    static let languages = [
        Language(code: "en", word: "English", cities: ["london", "newyork", "sydney", "toronto"], share: 28),
        Language(code: "zh", word: "Mandarin", cities: ["beijing", "shanghai", "taipei"], share: 16),
        Language(code: "es", word: "Spanish", cities: ["madrid", "mexico", "bogota"], share: 14),
        Language(code: "fr", word: "French", cities: ["paris", "lyon", "dakar"], share: 12),
        Language(code: "de", word: "German", cities: ["berlin", "wien", "zurich"], share: 10),
        Language(code: "pt", word: "Portuguese", cities: ["lisboa", "saopaulo"], share: 8),
        Language(code: "ja", word: "Japanese", cities: ["tokyo", "osaka"], share: 7),
        Language(code: "ar", word: "Arabic", cities: ["cairo", "amman"], share: 5),
    ]

    static let topics = ["news", "sport", "weather", "science", "culture", "traffic"]

    /// Of a hundred devices.
    static let platforms: [(platform: Installation.Platform, share: Int)] = [
        (.fcmV1, 50), (.apns, 40), (.wns, 4), (.browser, 3), (.adm, 2), (.xiaomi, 1),
    ]

    /// - Parameter number: from 1 on.
    static func device(_ number: Int) -> Installation {
        var random = SeededRandom(seed: UInt64(number))
        let language = choose(languages, \.share, &random)
        let platform = choose(platforms, \.share, &random).platform
        let city = language.cities[Int(random.next() % UInt64(language.cities.count))]
        let topic = Int(random.next() % UInt64(topics.count))
        let other = (topic + 1 + Int(random.next() % UInt64(topics.count - 1))) % topics.count
        return Installation(
            id(number), platform: platform, pushChannel: channel(number, platform),
            tags: [
                "user:\(number)", "lang:\(language.code)", "city:\(city)", "topic:\(topics[topic])",
                "topic:\(topics[other])",
            ], templates: ["news": template(language.word, platform)])
    }

    static func id(_ number: Int) -> String { "seed-\(number)" }

    private static func choose<Choice>(
        _ choices: [Choice], _ share: (Choice) -> Int, _ random: inout SeededRandom
    ) -> Choice {
        var left = Int(random.next() % UInt64(choices.reduce(0) { $0 + share($1) }))
        for choice in choices.dropLast() {
            left -= share(choice)
            if left < 0 { return choice }
        }
        return choices[choices.count - 1]
    }

    private static func channel(_ number: Int, _ platform: Installation.Platform) -> PushChannel {
        switch platform {
        case .apns:
            // Hex digits, an even number of them.
            let digits = String(number, radix: 16)
            return .handle(String(repeating: "0", count: max(0, 14 - digits.count)) + digits)
        case .browser:
            return .browser(endpoint: "https://push.example/\(number)", p256dh: "p256dh", auth: "auth")
        case .wns, .mpns, .adm, .gcm, .baidu, .fcmV1, .xiaomi: return .handle("\(platform.rawValue)-\(number)")
        }
    }

    private static func template(_ word: String, _ platform: Installation.Platform) -> String {
        let text = #""title":"$(title_\#(word))","body":"$(News_\#(word))""#
        return switch platform {
        case .apns: #"{"aps":{"alert":{\#(text)}}}"#
        case .fcmV1: #"{"message":{"notification":{\#(text)}}}"#
        case .wns, .mpns:
            #"<toast><visual><binding template="ToastText02"><text id="1">$(title_\#(word))</text>"#
                + #"<text id="2">$(News_\#(word))</text></binding></visual></toast>"#
        case .browser: "{\(text)}"
        case .adm, .gcm, .baidu, .xiaomi: #"{"data":{\#(text)}}"#
        }
    }
}

extension Hub {
    /// Adds the first seeds that are not there yet.
    ///
    /// - Throws: `EmulatorError` when there would be more devices than the hub takes; then nothing has changed.
    func seed(_ count: Int) throws(EmulatorError) {
        guard count > 0 else { return }
        try roster.withLock { roster throws(EmulatorError) in
            let missing = (1...count).filter { roster.installation(SyntheticDevices.id($0)) == nil }
            guard roster.count + missing.count <= deviceLimit else {
                throw EmulatorError(
                    "\(count) seeds are more than the hub \(name) takes: \(deviceLimit) devices in all")
            }
            for number in missing { try roster.put(SyntheticDevices.device(number), isSeed: true) }
        }
    }
}
