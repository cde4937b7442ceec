extension Hub {
    /// In order of device and part, those after `cursor`.
    ///
    /// - Parameter cursor: nil: from the beginning.
    func registrations(
        after cursor: RegistrationCursor?, limit: Int, where choice: RegistrationChoice
    ) -> [(registration: Registration, cursor: RegistrationCursor)] {
        index.withLock { $0.registrations(after: cursor, limit: limit, where: choice) }
    }

    func registration(_ id: String) -> Registration? { index.withLock { $0.registration(id)?.registration } }

    /// `POST /{hub}/registrations`: a new registration; the hub chooses its id.
    ///
    /// - Throws: 400 for an invalid template, 403 when the hub is full, without a change.
    func create(_ body: RegistrationBody) throws(ServiceError) -> Registration {
        try write(body, id: RegistrationID().text, version: 1)
    }

    /// `PUT /{hub}/registrations/{id}`: creates or replaces it; with `match` it only replaces.
    ///
    /// - Parameter match: the value of `If-Match`; nil: absent.
    /// - Throws: 410 for an id that is not three numbers, 404 when the registration to replace is missing, 409 for one
    ///   that belongs to an installation, 412 for another ETag, 400 and 403 as `create`; all without a change.
    func put(_ body: RegistrationBody, id: String, match: String?) throws(ServiceError) -> Registration {
        try index.withLock { index throws(ServiceError) in
            guard let present = index.registration(id) else {
                if match != nil { throw .noSuchRegistration }
                guard RegistrationID.isValid(id) else { throw .registrationGone }
                return try write(body, id: id, version: 1, &index)
            }
            if let installation = present.installation { throw .ofInstallation(installation) }
            if let match, !present.registration.isMatched(by: match) { throw .preconditionFailed }
            return try write(body, id: id, version: present.registration.version + 1, &index)
        }
    }

    /// - Parameter match: the value of `If-Match`, which is mandatory.
    /// - Throws: 404, 409 and 412 as `put`.
    func deleteRegistration(_ id: String, match: String?) throws(ServiceError) {
        try index.withLock { index throws(ServiceError) in
            guard let present = index.registration(id) else { throw .noSuchRegistration }
            if let installation = present.installation { throw .ofInstallation(installation) }
            guard let match, present.registration.isMatched(by: match) else { throw .preconditionFailed }
            index.removeRegistration(id)
        }
    }

    private func write(_ body: RegistrationBody, id: String, version: Int) throws(ServiceError) -> Registration {
        try index.withLock { index throws(ServiceError) in try write(body, id: id, version: version, &index) }
    }

    private func write(
        _ body: RegistrationBody, id: String, version: Int, _ index: inout DeviceIndex
    ) throws(ServiceError) -> Registration {
        if version == 1, index.count >= deviceLimit { throw ServiceError(.tooManyDevices) }
        do throws(EmulatorError) {
            let registration = try body.registration(id: id, version: version)
            try index.put(registration)
            return registration
        } catch {
            throw ServiceError(error)
        }
    }
}
