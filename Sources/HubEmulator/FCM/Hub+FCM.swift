import PushModel

// Phones of an FCM sender.
extension Hub {
    /// Whether FCM knows that no app has the token any more: its phone was removed, got another token, or expired. A token that
    /// no phone ever had is not gone.
    func isGone(_ token: String) -> Bool {
        index.withLock { index in
            if index.goneTokens.contains(token) { return true }
            var numbers: Set<UInt32> = []
            index.byChannel[token]?.add(to: &numbers)
            let devices = numbers.compactMap { index.byNumber[Int($0)] }
            return !devices.isEmpty && devices.allSatisfy { $0.expires <= now() }
        }
    }

    /// A topic of a phone with a similar spelling.
    func topicNear(_ topic: String) -> String? { index.withLock { $0.topicNear(topic) } }

    func isSubscribed(_ token: String, to topic: String) -> Bool {
        index.withLock { index in
            var numbers: Set<UInt32> = []
            index.byChannel[token]?.add(to: &numbers)
            return numbers.contains { index.byNumber[Int($0)]?.topics.contains(topic) ?? false }
        }
    }

    /// Subscribes the phones with these tokens to a topic, or ends their subscription. A token that no phone has gets one,
    /// with the token as its id.
    ///
    /// - Returns: for each token nil, or the word for what is wrong with it.
    func subscribe(_ tokens: [String], to topic: String, isOn: Bool) -> [String?] {
        index.withLock { index in
            tokens.map { token in
                guard RegistrationToken.isValid(token) else { return "INVALID_ARGUMENT" }
                switch TokenRule(token) {
                case .gone: return "NOT_FOUND"
                case .invalid, .mismatch: return "INVALID_ARGUMENT"
                case .throttle: return "RESOURCE_EXHAUSTED"
                case .unavailable: return "INTERNAL"
                case nil: break
                }
                if index.goneTokens.contains(token) { return "NOT_FOUND" }
                return subscribe(token, to: topic, isOn: isOn, &index)
            }
        }
    }

    private func subscribe(_ token: String, to topic: String, isOn: Bool, _ index: inout DeviceIndex) -> String? {
        var numbers: Set<UInt32> = []
        index.byChannel[token]?.add(to: &numbers)
        var phones = numbers.sorted().compactMap { number -> Installation? in
            guard case .installation(let installation) = index.byNumber[Int(number)]?.content else { return nil }
            return installation
        }
        if phones.isEmpty {
            guard isOn else { return nil }
            guard index.count < deviceLimit else { return "RESOURCE_EXHAUSTED" }
            phones = [Installation(token, platform: .fcmV1, pushChannel: .handle(token))]
        }
        for var phone in phones {
            var topics = phone.topics ?? []
            guard topics.contains(topic) != isOn else { continue }
            if isOn { topics.append(topic) } else { topics.removeAll { $0 == topic } }
            guard topics.count <= FCMTopic.perPhone else { return "TOO_MANY_TOPICS" }
            phone.topics = topics.isEmpty ? nil : topics
            do throws(EmulatorError) {
                try index.put(phone)
            } catch {
                return "INVALID_ARGUMENT"
            }
        }
        return nil
    }
}
