import CLibcurl

/// How connections begin, carry bytes and end.
extension HTTP2Loop {
    /// A connection that was being opened is there, or not.
    func finishConnecting() {
        while let (easy, code) = multi.nextDone() {
            let connection = HTTP2Connection.from(easy)
            guard let group = groups.values.first(where: { $0.connections.contains { $0 === connection } }) else {
                continue
            }
            do throws(Reply.Fault) {
                try connection.connected(code, counts: counts, into: readBuffer, at: now)
                connected[connection.fd] = (connection, group)
                if connection.generation < group.generation { connection.frames?.retire() }
            } catch {
                close(connection, of: group)
                // TLS was begun, or even made.
                let metServer = code == CURLE_OK || code == CURLE_SSL_CONNECT_ERROR
                if metServer { group.forgetSessions() }
                // Without a session the server gets another chance, before what waits is refused.
                if metServer, code != CURLE_OK, connection.mayResume { continue }
                refuseIfAlone(group, because: error)
                if !group.connections.isEmpty { group.rest(at: now) }
            }
        }
    }

    func read(_ connection: HTTP2Connection) {
        // It may have ended, and its descriptor be another one's.
        guard let (current, group) = connected[connection.fd], current === connection else { return }
        let wasLeaving = connection.frames?.state.isRetired == true
        do throws(Reply.Fault) {
            if try connection.read(into: readBuffer, at: now) { unread.append(connection) }
            // Who had requests in flight will have more, and a connection takes some round trips.
            if !wasLeaving, let frames = connection.frames, frames.state.isRetired, !frames.state.isUnproven,
                frames.inFlight > 0
            {
                bereft.append(group)
            }
            collect(connection)
        } catch {
            end(connection, of: group, because: error)
        }
    }

    func writeAll() {
        for (connection, group) in connected.values {
            do throws(Reply.Fault) {
                try connection.write()
                if connection.frames?.isOver == true { throw ConnectionFault.closedByServer }
            } catch {
                // What the server said before it closed counts: its GOAWAY tells what it has not read.
                // Once: a server that sends without end may not hold the loop. What ends it was found already; only an alert
                // says more.
                _ = try? connection.read(into: readBuffer, at: now)
                end(connection, of: group, because: connection.alertFault() ?? error)
            }
        }
    }

    func checkTimes() {
        for (connection, group) in connected.values {
            guard let frames = connection.frames,
                frames.deadline.map({ $0 <= now.monotonic }) ?? false || frames.state.isRetired
            else { continue }
            let due = frames.check(at: now)
            collect(connection)
            switch due {
            case .nothing: break
            case .isDead:
                end(connection, of: group, because: ConnectionFault.dead(frames.state))
            case .close:
                frames.sayGoodbye()
                // Whether the server hears it makes no difference: nothing is open.
                try? connection.write()
                end(connection, of: group, because: ConnectionFault.closedByServer)
            }
        }
    }

    /// Takes the replies of a connection.
    private func collect(_ connection: HTTP2Connection) {
        guard let frames = connection.frames else { return }
        for (reply, recipient) in frames.takeEnded() {
            inFlight -= 1
            deliveries.finish(reply, for: recipient)
        }
    }

    private func end(_ connection: HTTP2Connection, of group: HTTP2Group, because fault: Reply.Fault) {
        guard let frames = connection.frames else { return }
        frames.connectionEnded(because: fault, at: now)
        collect(connection)
        close(connection, of: group)
        if !frames.state.isGreeted { group.forgetSessions() }
        if !frames.state.isGreeted || frames.state.isShut {
            refuseIfAlone(group, because: fault)
        } else if frames.state.isUnproven {
            group.rest(at: now)
        }
    }

    private func close(_ connection: HTTP2Connection, of group: HTTP2Group) {
        if connection.fd != CURL_SOCKET_BAD { connected[connection.fd] = nil }
        unread.removeAll { $0 === connection }
        group.remove(connection)
        looksAgain = true
        counts.http2Connections.subtract(1, ordering: .relaxed)
    }

    func cancel(_ call: PendingReply) {
        for (connection, _) in connected.values {
            connection.frames?.cancel(call, at: now)
            collect(connection)
        }
        // It waits for a connection, and is skipped when its turn comes; or it was answered already.
        deliveries.finish(.notSent(call.id, because: .cancelled), for: .pending(call))
    }

    func abandonEverything() {
        for group in groups.values { refuseWaiting(of: group, because: .shutDown) }
        for (connection, group) in connected.values { end(connection, of: group, because: .shutDown) }
        for group in groups.values {
            for connection in group.connections { close(connection, of: group) }
        }
        deliveries.deliver()
    }
}
