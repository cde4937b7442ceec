// The registrations of the devices.
extension DeviceIndex {
    /// A registration made on its own, or one that an installation is listed as.
    ///
    /// - Returns: with the id of its installation, if it belongs to one.
    func registration(_ id: String) -> (registration: Registration, installation: String?)? {
        if let stored = stored(id) { return (stored, nil) }
        guard let front = RegistrationID.front(of: id), let number = byRegistration[front],
            let device = byNumber[Int(number)]
        else { return nil }
        for part in device.parts.all {
            let registration = device.registration(of: part)
            if registration.id == id { return (registration, device.id) }
        }
        return nil
    }

    /// In order of device and part, those after `cursor`, each with the cursor to continue after it.
    mutating func registrations(
        after cursor: RegistrationCursor?, limit: Int, where choice: RegistrationChoice
    ) -> [(registration: Registration, cursor: RegistrationCursor)] {
        let ids = ids(choice)
        var found: [(registration: Registration, cursor: RegistrationCursor)] = []
        let first = cursor.map { cursor in ids.partitioningIndex { $0 >= cursor.device } } ?? 0
        for id in ids[first...] {
            for number in [installations[id], registrations[id]] {
                guard let number, let device = byNumber[Int(number)] else { continue }
                for part in device.parts.all {
                    let own = device.cursor(of: part)
                    if let cursor, own <= cursor { continue }
                    guard choice.matches(device, part) else { continue }
                    if found.count >= limit { return found }
                    found.append((device.registration(of: part), own))
                }
            }
        }
        return found
    }

    /// All ids in alphabetical order. Sorts again only after one was added or removed.
    mutating func ids() -> [String] {
        let all = sortedIDs ?? (Array(installations.keys) + Array(registrations.keys)).sorted()
        sortedIDs = all
        return all
    }

    /// The devices whose registrations have to be checked, in alphabetical order.
    private mutating func ids(_ choice: RegistrationChoice) -> [String] {
        var numbers: Set<UInt32> = []
        switch choice {
        case .all: return ids()
        case .tag(let tag): add(holdersOf: tag, to: &numbers)
        case .channel(let filter):
            for handle in filter.spellings { byChannel[handle]?.add(to: &numbers) }
        }
        return Set(numbers.compactMap { byNumber[Int($0)]?.id }).sorted()
    }
}

extension [String] {
    /// The index of the first element that fulfils `condition`, which must hold for all elements after it too.
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
