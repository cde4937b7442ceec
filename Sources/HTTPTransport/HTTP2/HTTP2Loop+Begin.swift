/// How requests get onto connections.
extension HTTP2Loop {
    /// Puts requests into the queues of their groups. Those of a batch mostly belong to one.
    func add(_ batch: Batch) {
        var start = 0
        var current: (key: GroupKey, group: HTTP2Group)?
        func flush(to end: Int) {
            guard let current, end > start else { return }
            let part = start == 0 && end == batch.requests.count ? batch.requests : Array(batch.requests[start..<end])
            current.group.queue.add([Batch(requests: part, recipient: batch.recipient)])
            queued += part.count
        }
        for (index, request) in batch.requests.enumerated() {
            do throws(Reply.Fault) {
                let origin = try origins.locate(request.url).origin
                let key = GroupKey(origin: ObjectIdentifier(origin), credential: request.group.credential)
                if key != current?.key {
                    flush(to: index)
                    (start, current) = (index, (key, group(key, origin, request.group)))
                }
                if current?.group.admits(request.group) == false { throw ConnectionFault.anotherIdentity }
            } catch {
                flush(to: index)
                (start, current) = (index + 1, nil)
                deliveries.finish(.notSent(request.id, because: error), for: batch.recipient)
            }
        }
        flush(to: batch.requests.count)
    }

    private func group(_ key: GroupKey, _ origin: HTTP2Origin, _ first: ConnectionGroup) -> HTTP2Group {
        if let group = groups[key] { return group }
        let group = HTTP2Group(origin, first, limit: http2.connections)
        groups[key] = group
        return group
    }

    /// Submits what the connections take, and opens further ones.
    func begin() {
        looksAgain = false
        guard queued > 0 || !bereft.isEmpty else { return }
        var connectionsBegun = 0
        for group in groups.values where group.queue.count > 0 {
            look: while group.queue.count > 0, inFlight < settings.slots {
                switch group.next(at: now) {
                case .submit(let connection, let count):
                    submit(from: group, to: connection, upTo: min(count, settings.slots - inFlight))
                case .connect where connectionsBegun >= settings.newConnectionsPerTurn:
                    looksAgain = true
                    break look
                case .connect:
                    connectionsBegun += 1
                    connect(group)
                case .wait: break look
                }
            }
        }
        while let group = bereft.popLast() {
            guard case .connect = group.next(at: now) else { continue }
            guard connectionsBegun < settings.newConnectionsPerTurn else {
                bereft.append(group)
                looksAgain = true
                break
            }
            connectionsBegun += 1
            connect(group)
        }
    }

    private func submit(from group: HTTP2Group, to connection: HTTP2Connection, upTo count: Int) {
        guard let frames = connection.frames else { return }
        // Whether an idle connection has been closed shows only when it is read.
        if frames.inFlight == 0 { read(connection) }
        guard connected[connection.fd] != nil, case .take = frames.next(at: now) else { return }
        var submitted = 0
        while submitted < count, let (request, recipient) = group.queue.first {
            if case .pending(let call) = recipient, call.isAnswered {
                removeFirst(of: group)
                continue
            }
            // `add` has checked the URL: what follows the origin is its path.
            let path = group.origin.prefix.count
            guard frames.submit(request, fields.fill(request, to: group.origin, path: path), for: recipient, at: now)
            else { return }
            removeFirst(of: group)
            submitted += 1
            inFlight += 1
        }
    }

    private func removeFirst(of group: HTTP2Group) {
        group.queue.removeFirst()
        queued -= 1
    }

    private func connect(_ group: HTTP2Group) {
        do throws(TransportError) {
            group.add(
                try HTTP2Connection(
                    to: group.origin, generation: group.generation, showing: group.identity,
                    resuming: try group.lendSessions(), settings, caBundle: caBundle, in: multi, at: now))
            counts.http2Connections.add(1, ordering: .relaxed)
        } catch {
            refuseWaiting(of: group, because: Reply.Fault(code: error.code, text: error.text))
        }
    }

    /// A connection could not be opened. Others may still carry what waits.
    func refuseIfAlone(_ group: HTTP2Group, because fault: Reply.Fault) {
        if group.connections.isEmpty { refuseWaiting(of: group, because: fault) }
    }

    func refuseWaiting(of group: HTTP2Group, because fault: Reply.Fault) {
        while let (request, recipient) = group.queue.first {
            removeFirst(of: group)
            deliveries.finish(.notSent(request.id, because: fault), for: recipient)
        }
    }
}
