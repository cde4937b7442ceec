/// The id under which the service lists a device, or one of its templates, among the registrations.
///
/// The service makes them up; here they follow from what they stand for, so that they stay the same from page to page
/// and from start to start.
struct RegistrationID: Sendable, Hashable {
    /// `8168029009148896589-2672269621075845440-1`.
    let text: String
    /// The first of its numbers.
    let front: UInt64

    /// - Parameter template: its name; nil: the device itself.
    init(device: String, template: String?) {
        // A byte no UTF-8 has stands between the two, so that no other pair makes the same text.
        let bytes = Array(device.utf8) + (template.map { [0xFF] + Array($0.utf8) } ?? [])
        front = Self.hash(bytes, 0xCBF2_9CE4_8422_2325)
        text = "\(front)-\(Self.hash(bytes, 0x9AE1_6A3B_2F90_404F))-1"
    }

    /// A new one, for `POST /{hub}/registrationids`.
    init() {
        front = .random(in: 1...(.max >> 1))
        text = "\(front)-\(UInt64.random(in: 1...(.max >> 1)))-1"
    }

    /// The first of the numbers of an id; nil: it is none.
    static func front(of id: String) -> UInt64? { id.split(separator: "-").first.flatMap { UInt64($0) } }

    /// FNV-1a, without the sign bit, which no id of the service has.
    private static func hash(_ bytes: [UInt8], _ basis: UInt64) -> UInt64 {
        bytes.reduce(basis) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 } & (.max >> 1)
    }
}
