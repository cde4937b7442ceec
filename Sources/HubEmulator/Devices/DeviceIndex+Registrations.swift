// What the roster lists as registrations.
extension DeviceIndex {
    /// Of an installation, or made as such.
    ///
    /// - Returns: with the device's id when it belongs to an installation.
    func registration(_ id: String) -> (registration: Registration, installation: String?)? {
        if let stored = stored(id) { return (stored, nil) }
        guard let front = RegistrationID.front(of: id), let number = byRegistration[front],
            let resident = residents[Int(number)]
        else { return nil }
        for part in resident.parts.all {
            let registration = resident.registration(of: part)
            if registration.id == id { return (registration, resident.id) }
        }
        return nil
    }

    /// In order of device and part, from the one after `mark` on, with the marks to go on after each.
    mutating func registrations(
        after mark: RegistrationMark?, limit: Int, where choice: RegistrationChoice
    ) -> [(registration: Registration, mark: RegistrationMark)] {
        let devices = devices(choice)
        var found: [(registration: Registration, mark: RegistrationMark)] = []
        let first = mark.map { mark in devices.partitioningIndex { $0 >= mark.device } } ?? 0
        for device in devices[first...] {
            for number in [installations[device], registrations[device]] {
                guard let number, let resident = residents[Int(number)] else { continue }
                for part in resident.parts.all {
                    let own = resident.mark(of: part)
                    if let mark, own <= mark { continue }
                    guard choice.takes(resident, part) else { continue }
                    if found.count >= limit { return found }
                    found.append((resident.registration(of: part), own))
                }
            }
        }
        return found
    }

    /// The ids of all, in alphabetical order; sorted again only when one came or went.
    mutating func devices() -> [String] {
        let all = sorted ?? (Array(installations.keys) + Array(registrations.keys)).sorted()
        sorted = all
        return all
    }

    /// Whose registrations have to be looked at, in alphabetical order.
    private mutating func devices(_ choice: RegistrationChoice) -> [String] {
        var some: Set<UInt32> = []
        switch choice {
        case .all: return devices()
        case .tag(let tag): add(holdersOf: tag, to: &some)
        case .channel(let filter):
            for handle in filter.spellings { byChannel[handle]?.add(to: &some) }
        }
        return Set(some.compactMap { residents[Int($0)]?.id }).sorted()
    }
}

extension [String] {
    /// The first index whose element fulfils a condition that holds from some element on.
    func partitioningIndex(where condition: (String) -> Bool) -> Int {
        var low = startIndex
        var high = endIndex
        while low < high {
            let middle = low + (high - low) / 2
            if condition(self[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
