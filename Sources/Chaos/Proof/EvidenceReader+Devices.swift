import Foundation
import HubEmulator
import Postgres
import PushModel

extension EvidenceReader {
    /// A document of push.installation_change.
    private struct Document: Decodable {
        struct Template: Decodable { var body: String }

        var handle: String?
        var userId: String?
        var tags: [String]?
        var addTags: [String]?
        var removeTags: [String]?
        var templates: [String: Template?]?
    }

    func changes() async throws -> [Facts.Change] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try await database.query(
            """
            SELECT c.id, h.name, c.device, c.action, c.document::text,
                   ARRAY(SELECT r.status::text FROM push.installation_result r
                          WHERE r.id = c.id AND r.status <> 'retrying' ORDER BY r.at),
                   EXISTS (SELECT FROM push.installation_due d WHERE d.id = c.id AND d.device = c.device)
                   OR EXISTS (SELECT FROM push.installation_claim k WHERE k.hub = c.hub AND k.device = c.device)
              FROM push.installation_change c JOIN push.hub h ON h.id = c.hub
             ORDER BY c.id
            """
        ) { rows in
            try rows.map { row in
                let id = try row.int64()
                let name = Facts.DeviceName(hub: try row.string(), device: try row.string())
                let word = try row.string()
                guard let action = DeviceChange.Action(rawValue: word) else {
                    throw ChaosError("push.installation_change has the action \(word)")
                }
                let document = try decoder.decode(Document.self, from: Data(try row.string().utf8))
                return Facts.Change(
                    id: id, name, action, handle: document.handle, user: document.userId,
                    tags: Set(document.tags ?? document.addTags ?? []), removed: Set(document.removeTags ?? []),
                    templates: (document.templates ?? [:]).mapValues { $0?.body }, results: try row.stringArray(),
                    isWaiting: try row.bool())
            }
        }
    }

    func devices() throws -> [Facts.DeviceName: Facts.Device] {
        var found: [Facts.DeviceName: Facts.Device] = [:]
        for hub in TestHub.withDevices.map(\.rawValue) {
            for device in try emulator.devices(at: hub) {
                guard let installation = try emulator.installation(device, at: hub),
                    case .handle(let handle) = installation.pushChannel
                else { continue }
                found[Facts.DeviceName(hub: hub, device: device)] = Facts.Device(
                    handle: handle, user: installation.userId, tags: Set(installation.tags ?? []),
                    templates: (installation.templates ?? [:]).mapValues(\.body))
            }
        }
        return found
    }
}
