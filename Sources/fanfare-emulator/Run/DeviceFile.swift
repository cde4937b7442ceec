import CommandLineTool
import Foundation
import HubEmulator

/// Devices to begin with, out of a file.
struct DeviceFile {
    private let file: String
    private let devices: [(hub: String, installation: Installation)]

    /// - Parameters:
    ///   - hubs: those there are. With one, a device need not say which.
    ///   - services: what those of them are that are no notification hubs, by their names in lower case.
    /// - Throws: `Failure` naming the device that is wrong.
    init(file: String, hubs: [String], services: [String: EmulatedService] = [:]) throws {
        func refusal(_ why: String) -> Failure {
            Failure("cannot read \(file)", because: why, status: .badInput)
        }
        self.file = file
        let data = Data(try InputFile.bytes(of: file))
        guard let list = try? JSONSerialization.jsonObject(with: data) as? [[String: Any]] else {
            throw refusal("it is not a JSON array of objects, one for each device")
        }
        devices = try list.enumerated().map { index, members in
            var members = members
            let named = members.removeValue(forKey: "hub") as? String
            guard let hub = named ?? (hubs.count == 1 ? hubs.first : nil) else {
                throw refusal("device \(index + 1): there are several hubs, so it needs a member \"hub\"")
            }
            do {
                let json = try JSONSerialization.data(withJSONObject: members)
                let service = services[hub.lowercased()] ?? .notificationHub
                return (hub, try Installation(json: Array(json), at: service))
            } catch let error as EmulatorError {
                throw refusal("device \(index + 1): \(error)")
            }
        }
    }

    /// - Throws: `Failure` for a hub that is not served, or a device that breaks a rule of the service.
    func register(at emulator: HubEmulator) throws(Failure) {
        for (index, device) in devices.enumerated() {
            do throws(EmulatorError) {
                try emulator.register(device.installation, at: device.hub)
            } catch {
                throw Failure("cannot read \(file)", because: "device \(index + 1): \(error)", status: .badInput)
            }
        }
    }
}
