extension Hub {
    /// In order of device and part, from the one after `mark` on.
    ///
    /// - Parameter mark: nil: from the first one on.
    func registrations(
        after mark: RegistrationMark?, limit: Int, where choice: RegistrationChoice
    ) -> [(registration: Registration, mark: RegistrationMark)] {
        roster.withLock { $0.registrations(after: mark, limit: limit, where: choice) }
    }

    func registration(_ id: String) -> Registration? { roster.withLock { $0.registration(id)?.registration } }

    /// `POST /{hub}/registrationids`: an id that a registration may be put under.
    func reserveRegistrationID() -> String {
        let id = RegistrationID().text
        registrationIDs.add(id)
        return id
    }

    /// `POST /{hub}/registrations`: a new one under an id of the hub's choice.
    ///
    /// - Throws: 400 for a template that is none, 403 for one device too many; then nothing has changed.
    func create(_ body: RegistrationBody) throws(ServiceError) -> Registration {
        try write(body, id: RegistrationID().text, version: 1)
    }

    /// `PUT /{hub}/registrations/{id}`: creates or replaces it; with `match` it only replaces.
    ///
    /// - Parameter match: the value of `If-Match`; nil: there is none.
    /// - Throws: 410 for an id the hub did not give out, 404 when there is nothing to replace, 409 for what belongs to an
    ///   installation, 412 for another ETag, 400 and 403 as `create`; then nothing has changed.
    func put(_ body: RegistrationBody, id: String, match: String?) throws(ServiceError) -> Registration {
        try roster.withLock { roster throws(ServiceError) in
            guard let present = roster.registration(id) else {
                if match != nil { throw .noSuchRegistration }
                guard registrationIDs.contains(id) else { throw .registrationGone }
                return try write(body, id: id, version: 1, &roster)
            }
            if let installation = present.installation { throw .ofInstallation(installation) }
            if let match, !present.registration.isNamed(by: match) { throw .preconditionFailed }
            return try write(body, id: id, version: present.registration.version + 1, &roster)
        }
    }

    /// - Parameter match: the value of `If-Match`, which is needed.
    /// - Throws: 404, 409 and 412 as `put`.
    func deleteRegistration(_ id: String, match: String?) throws(ServiceError) {
        try roster.withLock { roster throws(ServiceError) in
            guard let present = roster.registration(id) else { throw .noSuchRegistration }
            if let installation = present.installation { throw .ofInstallation(installation) }
            guard let match, present.registration.isNamed(by: match) else { throw .preconditionFailed }
            roster.removeRegistration(id)
        }
    }

    private func write(_ body: RegistrationBody, id: String, version: Int) throws(ServiceError) -> Registration {
        try roster.withLock { roster throws(ServiceError) in try write(body, id: id, version: version, &roster) }
    }

    private func write(
        _ body: RegistrationBody, id: String, version: Int, _ roster: inout DeviceIndex
    ) throws(ServiceError) -> Registration {
        if version == 1, roster.count >= deviceLimit { throw ServiceError(.tooManyDevices) }
        do throws(EmulatorError) {
            let registration = try body.registration(id: id, version: version)
            try roster.put(registration)
            registrationIDs.remove(id)
            return registration
        } catch {
            throw ServiceError(error)
        }
    }
}
