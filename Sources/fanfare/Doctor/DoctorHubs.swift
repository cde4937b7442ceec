import Configuration
import CommandLineTool
import Daemon
import PushWorker
import HTTPTransport
import Providers
import PushModel
import Signing

import class Foundation.ProcessInfo
import Store

/// Every hub of the settings: whether it is reached, proves who it is, and takes our keys. Nothing is sent
/// (`HubService.question`).
enum DoctorHubs {
    /// Seconds our clock may differ from a hub's: its tokens are good for an hour and signed anew 5 minutes before.
    static let clockTolerance = 60.0

    static func findings(
        _ hubs: [String: HubConfiguration], _ transport: TransportSettings
    ) async throws -> [Finding] {
        guard !hubs.isEmpty else { return [] }
        var settings = transport
        settings.slots = 16
        settings.timeout = .seconds(10)
        return try await Failure.saying("cannot look at the hubs") {
            let services = try hubs.sorted { $0.key < $1.key }.map { ($0.key, try HubService($0.value)) }
            let clients = try HTTPClients(settings, http2: services.map(\.1.provider.http2))
            var findings: [Finding] = []
            for (name, service) in services { findings += try await ask(name, service, clients) }
            await clients.shutdown()
            return findings
        }
    }

    private static func ask(
        _ name: String, _ service: HubService, _ clients: HTTPClients
    ) async throws -> [Finding] {
        var findings: [Finding] = []
        for (index, credential) in service.credentials.enumerated() {
            let place = Place(
                area: "hub \(name)", key: credential.name, base: service.base,
                remedies: HubRemedies(of: service.settings, setting: credential.setting),
                proxyVariable: proxyVariable(in: ProcessInfo.processInfo.environment))
            let passes = try credential.passes(clients.http1)
            async let _ = passes.keepReady { _ in }
            let pass: Pass
            do throws(PassTrouble) {
                pass = try await passes.waitForPass(to: service.provider.host)
            } catch {
                findings.append(finding(error, at: place))
                continue
            }
            let reply = await clients.client(service.provider.http2).perform(try service.question.ask(pass))
            findings.append(finding(service.question.read(reply), reply, at: place))
            if index == 0, let skew = skew(reply) { findings.append(clock(skew, place)) }
        }
        if let certificate = service.certificate {
            findings.append(finding(certificate, of: service.settings, now: Clock.system.wall()))
        } else if service.credentials.count == 1 {
            let word = HubSecretKeys(of: service.settings.kind).word
            findings.append(
                .ok("hub \(name)", "secondary \(word)", "none: a rotation of the \(word) means a pause"))
        }
        return findings + advice(on: service.settings)
    }

    /// Whether there is time until a client certificate ends. Pure.
    static func finding(_ certificate: ClientCertificate, of hub: HubSettings, now: Double) -> Finding {
        let (area, name) = ("hub \(hub.name)", "certificate ends")
        let end = CertificateEnd(at: certificate.notAfter)
        guard end.isNear(now: now) else { return .ok(area, name, "on \(end.date)") }
        let remedy =
            "Make a new one in the Apple developer account, put it into hubs.\(hub.name).certificate and certificateKey, and "
            + "reload."
        return Double(end.at) <= now
            ? .fail(area, name, "on \(end.date), which is past", remedy: remedy)
            : .warn(area, name, "on \(end.date), in less than \(CertificateEnd.warningDays) days", remedy: remedy)
    }

    /// Why there is no pass to ask with. Pure.
    static func finding(_ trouble: PassTrouble, at place: Place) -> Finding {
        let found =
            switch trouble {
            case .refused(let why): "lets nobody in: \(why)"
            case .waiting(let why): "brings no access token: \(why)"
            }
        return .fail(place.area, place.key, found, remedy: place.remedies.remedy(of: trouble))
    }

    struct Place: Sendable {
        var area: String
        /// `primary key`
        var key: String
        /// `https://host`
        var base: String
        var remedies: HubRemedies
        /// The variable of the environment that names a proxy; nil: no variable.
        var proxyVariable: String?
    }

    /// - Returns: the first one that is not empty; nil: none is.
    static func proxyVariable(in environment: [String: String]) -> String? {
        ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"].first { environment[$0]?.isEmpty == false }
    }

    /// What an answer says about the key it was asked with. Pure.
    static func finding(_ answer: Answer, _ reply: Reply, at place: Place) -> Finding {
        let (area, name) = (place.area, place.key)
        let words = answer.error ?? "hub replied \(answer.status.map(String.init) ?? "nothing")"
        let remedy = place.remedies.remedy(of: answer.verdict, http: answer.status) ?? "Ask again later."
        switch answer.verdict {
        case .accepted: return .ok(area, name, "accepted by \(place.base)")
        case .authExpired, .authFailed:
            if place.remedies.kind == .notificationHubs, isMissingRight(reply) {
                return .warn(
                    area, name, "may only send, so it cannot be checked without sending: \(words)",
                    remedy:
                        "Nothing to do if messages are accepted and no backend registers devices (push.put_device): "
                        + "these need the right Listen. With it the key can be checked, too.")
            }
            if answer.status == 407 {
                return .fail(
                    area, name, "a proxy between here and \(place.base) asks for credentials: \(words)", remedy: remedy)
            }
            if answer.status == nil {
                return .fail(area, name, "\(place.base) cannot prove who it is: \(words)", remedy: remedy)
            }
            return .fail(area, name, "refused: \(words)", remedy: remedy)
        case .hubNotFound where answer.status != 404:
            return .fail(
                area, name, "another server answers at \(place.base), perhaps a proxy: \(words)", remedy: remedy)
        case .hubNotFound:
            return .fail(area, name, "\(place.remedies.absence) at \(place.base): \(words)", remedy: remedy)
        case .quotaExceeded:
            return .fail(area, name, "the hub's tier or quota does not allow it: \(words)", remedy: remedy)
        case .notSent:
            return .fail(
                area, name, "\(place.base) is out of reach: \(words)",
                remedy: remedy + (place.proxyVariable.map { " Fanfare does not use the proxy of \($0)." } ?? ""))
        case .throttled(let after, _, _):
            return .warn(
                area, name, "the hub asks to wait for \(HumanFormat.duration(after)): \(words)", remedy: remedy)
        default: return .warn(area, name, "is not known: \(words)", remedy: remedy)
        }
    }

    /// The key is right and its policy lacks the right to read: 401 with "... claim is required" in older versions, 403
    /// with an empty body from 2020-06 on (docs/wire/notification-hubs.md, "Status codes"). A wrong key is 401 in all.
    private static func isMissingRight(_ reply: Reply) -> Bool {
        guard case .answered(let response) = reply.outcome else { return false }
        let words = String(decoding: response.body, as: UTF8.self).lowercased()
        switch response.status {
        case 401: return words.contains("claim") && words.contains("required")
        case 403: return words.isEmpty || words.contains("claim") && words.contains("required")
        default: return false
        }
    }

    private static func skew(_ reply: Reply) -> Double? {
        guard case .answered(let response) = reply.outcome, let date = response["date"].flatMap(HTTPDate.seconds) else {
            return nil
        }
        return date - reply.receivedAt
    }

    private static func clock(_ skew: Double, _ place: Place) -> Finding {
        guard abs(skew) > clockTolerance else {
            return .ok(place.area, "clock", "differs from ours by less than \(HumanFormat.duration(clockTolerance))")
        }
        return .fail(
            place.area, "clock", "the hub is \(ServerFindings.difference(skew)) us",
            remedy: HubRemedies.clock)
    }
}
