import Foundation
import HTTPTypes
import HummingbirdCore
import NIOCore

/// Every request comes in here, finds its desk, and gets its answer written.
struct FrontDoor: Sendable {
    /// By name in lower case: the service does not care about case either.
    let hubs: [String: Hub]
    let sends: SendDesk
    let installations: InstallationDesk
    let registrations: RegistrationDesk
    let feedback: FeedbackDesk
    let admin: AdminDesk
    let now: @Sendable () -> Double

    /// - Throws: `Hangup`, after which the server closes the connection; and what reading and writing throws.
    func serve(_ request: Request, _ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
        if request.headers[.expect]?.lowercased() == "100-continue" {
            try await writer.writeInformationalHead(HTTPResponse(status: .continue))
        }
        let answer: Answer
        do {
            answer = try await self.answer(to: request)
        } catch let hangup as Hangup {
            if hangup.isReset { try await Self.reset(channel) }
            throw hangup
        }
        try await write(answer, writer)
        if answer.closesConnection || answer.isCutShort {
            if answer.resetsConnection { try await Self.reset(channel) }
            throw Hangup()
        }
    }

    private func answer(to request: Request) async throws -> Answer {
        guard let call = Call(request.head), let first = call.segments.first else { return refusal(.noSuchHub) }
        if first == "_emulator" { return try await admin.answer(call, body: request.body) }
        let hub = hubs[first.lowercased()]
        let operation = call.segments.dropFirst().first?.lowercased()
        switch (operation, call.segments.count, call.method) {
        case ("messages", 2, .post),
            ("messages", 3, .post) where SendKind.isAddress(call.segments):
            return try await sends.answer(call, hub: hub, named: first, body: request.body)
        case ("installations", 3..., _):
            guard let hub else { return refusal(.noSuchHub) }
            let id = call.segments.dropFirst(2).joined(separator: "/")
            return try await installations.answer(call, hub: hub, id: id, body: request.body)
        case ("messages", 2, _),
            ("messages", 3, _) where SendKind.isAddress(call.segments):
            return refusal(hub == nil ? .noSuchHub : .methodNotAllowed)
        case ("feedbackcontainer", 2, _):
            guard let hub else { return refusal(.noSuchHub) }
            var answer = feedback.answer(call, hub: hub)
            answer.closesConnection = call.method != .get  // its body was not read
            return answer
        default:
            guard let hub else { return refusal(.noSuchHub) }
            return try await registrations.answer(call, hub: hub, body: request.body) ?? refusal(.notServed)
        }
    }

    private func refusal(_ refusal: ServiceError) -> Answer {
        var answer = Answer.refusal(
            refusal, tracking: Identifier.tracking(), at: CivilTime(secondsSince1970: now()))
        // The body was not read, and nobody says how long it is.
        answer.closesConnection = true
        return answer
    }

    private func write(_ answer: Answer, _ writer: consuming ResponseWriter) async throws {
        var head = HTTPResponse(status: .init(code: answer.status), headerFields: answer.headers)
        head.headerFields[.date] = CivilTime(secondsSince1970: now()).httpDate
        head.headerFields[.server] = "fanfare-emulator"
        if answer.closesConnection { head.headerFields[.connection] = "close" }
        // 204 has no body and says no length (RFC 9110 section 8.6).
        if answer.status != 204 { head.headerFields[.contentLength] = "\(answer.body.count)" }
        if answer.trickleMilliseconds == 0, !answer.isCutShort {
            let body = answer.body.isEmpty ? ResponseBody() : ResponseBody(byteBuffer: ByteBuffer(bytes: answer.body))
            return try await writer.write(response: head, body: body)
        }
        let sent = answer.isCutShort ? answer.body.prefix(answer.body.count / 2) : answer.body[...]
        var body = try await writer.writeHead(head)
        if answer.trickleMilliseconds == 0 {
            try await body.write(ByteBuffer(bytes: sent))
        } else {
            for byte in sent {
                try await body.write(ByteBuffer(bytes: [byte]))
                try await Task.sleep(for: .milliseconds(answer.trickleMilliseconds))
            }
        }
        if !answer.isCutShort { try await body.finish(nil) }
    }

    /// Closes so that what is unsent is dropped and the client is told with RST.
    private static func reset(_ channel: any Channel) async throws {
        if let socket = channel as? any SocketOptionProvider {
            try await socket.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        }
        try await channel.close()
    }
}
