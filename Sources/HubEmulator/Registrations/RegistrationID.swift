/// The id of a device, or of one of its templates, in the list of registrations.
///
/// The service chooses ids at random; here they are hashes of device and template, so that they stay the same on every
/// page and after a restart.
struct RegistrationID: Sendable, Hashable {
    /// `8168029009148896589-2672269621075845440-1`.
    let text: String
    /// Its first number.
    let front: UInt64

    /// - Parameter template: its name; nil: the device itself.
    init(device: String, template: String?) {
        // The separator never occurs in UTF-8, so that no other pair makes the same text.
        let bytes = Array(device.utf8) + (template.map { [0xFF] + Array($0.utf8) } ?? [])
        front = Self.hash(bytes, 0xCBF2_9CE4_8422_2325)
        text = "\(front)-\(Self.hash(bytes, 0x9AE1_6A3B_2F90_404F))-1"
    }

    /// A new id, for `POST /{hub}/registrationids`.
    init() {
        front = .random(in: 1...(.max >> 1))
        text = "\(front)-\(UInt64.random(in: 1...(.max >> 1)))-1"
    }

    /// Whether a client may use the text as an id of its own: three numbers, as the service's ids are (recorded in
    /// November 2018 for `123-234-1`).
    static func isValid(_ text: String) -> Bool {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        return parts.count == 3
            && parts.allSatisfy { part in
                (1...20).contains(part.utf8.count) && part.utf8.allSatisfy { (48...57).contains($0) }
            }
    }

    /// The first number of an id; nil: not an id.
    static func front(of id: String) -> UInt64? { id.split(separator: "-").first.flatMap { UInt64($0) } }

    /// FNV-1a without the sign bit, which the service's ids never have.
    private static func hash(_ bytes: [UInt8], _ basis: UInt64) -> UInt64 {
        bytes.reduce(basis) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } & (.max >> 1)
    }
}
