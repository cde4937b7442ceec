import PushModel

/// Generated devices for large audiences. The same number gives the same device on every machine.
///
/// Each has the tags `user:N`, `lang:...`, `city:...` and two of `topic:...`, and one template `news` with the
/// properties of its language, such as `title_French` and `News_French`. Ids and handles are short, so that a million
/// fit.
enum SyntheticDevices {
    struct Language: Sendable {
        let code: String
        /// As in property names.
        let word: String
        let cities: [String]
        /// Percent of the devices.
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

    /// With their percentages.
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

    /// The same device as a phone of an FCM sender: with a token, and with its topics.
    static func phone(_ number: Int) -> Installation {
        let device = device(number)
        let tags = device.tags ?? []
        return Installation(
            device.installationId,
            platform: Installation.platformsOfFCM.contains(device.platform) ? device.platform : .fcmV1,
            pushChannel: .handle("token-\(number)"), tags: tags.filter { !$0.hasPrefix("topic:") },
            topics: tags.filter { $0.hasPrefix("topic:") }.map { String($0.dropFirst("topic:".count)) })
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
            // An even number of hex digits.
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
    /// Adds those of the first `count` synthetic devices that are missing.
    ///
    /// - Throws: `EmulatorError` when the hub would have too many devices, without a change.
    func seed(_ count: Int) throws(EmulatorError) {
        guard count > 0 else { return }
        try index.withLock { index throws(EmulatorError) in
            let missing = (1...count).filter { index.installation(SyntheticDevices.id($0)) == nil }
            guard index.count + missing.count <= deviceLimit else {
                throw EmulatorError(
                    "\(count) seeds are more than the hub \(name) takes: \(deviceLimit) devices in all")
            }
            for number in missing {
                let seed = sender == nil ? SyntheticDevices.device(number) : SyntheticDevices.phone(number)
                try index.put(seed, isSeed: true)
            }
        }
    }
}
