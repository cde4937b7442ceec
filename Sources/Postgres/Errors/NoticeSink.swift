import CLibpq

/// Where libpq delivers a session's notices. libpq holds an unretained pointer to it; the `Session` owns both and lets go
/// of the connection first.
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

    private func take(_ diagnosis: ErrorFields) {
        onNotice(
            Notice(
                severity: diagnosis[pgDiagSeverity] ?? "NOTICE", sqlState: diagnosis[pgDiagSqlState],
                message: diagnosis.message, detail: diagnosis[pgDiagDetail], hint: diagnosis[pgDiagHint]))
    }
}
