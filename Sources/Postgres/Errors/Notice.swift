import CLibpq

/// A message of the server that stopped nothing: `RAISE NOTICE`, a deprecated setting, a collation that changed under
/// the database.
public struct Notice: Sendable, Equatable {
    /// WARNING, NOTICE, INFO, LOG or DEBUG, in English whatever language the server speaks.
    public var severity: String
    public var sqlState: String?
    public var message: String
    public var detail: String?
    public var hint: String?
}

/// Where libpq delivers the notices of one session. libpq holds an unretained pointer to it; the `Session` owns both
/// and closes the connection first.
final class NoticeSink {
    private let onNotice: @Sendable (Notice) -> Void

    init(_ onNotice: @escaping @Sendable (Notice) -> Void) { self.onNotice = onNotice }

    /// Also replaces libpq's own receiver, which prints to stderr.
    func attach(to connection: OpaquePointer) {
        let receiver: PQnoticeReceiver = { sink, result in
            guard let sink, let result else { return }
            Unmanaged<NoticeSink>.fromOpaque(sink).takeUnretainedValue().take(ErrorFields(result))
        }
        _ = PQsetNoticeReceiver(connection, receiver, Unmanaged.passUnretained(self).toOpaque())
    }

    private func take(_ fields: ErrorFields) {
        onNotice(
            Notice(
                severity: fields[pgDiagSeverity] ?? "NOTICE", sqlState: fields[pgDiagSqlState],
                message: fields.message, detail: fields[pgDiagDetail], hint: fields[pgDiagHint]))
    }
}
