extension Schema {
    /// How the schema compares with this build.
    public enum Standing: Sendable, Equatable {
        case current(Int32)
        /// No schema `push` at all.
        case absent
        case older(has: Int32, needs: Int32)
        /// From a newer Fanfare, and this build can go on with it: `worksFrom` is at most what it knows.
        case newer(has: Int32, knows: Int32, worksFrom: Int32)
        /// From a newer Fanfare, and only builds that know `worksFrom` can use it.
        case tooNew(has: Int32, knows: Int32, worksFrom: Int32)

        init(_ applied: [Applied], knows: Int32) {
            guard let has = applied.last?.version else {
                self = .absent
                return
            }
            let worksFrom = applied.map(\.worksFrom).max() ?? 0
            self =
                if has < knows {
                    .older(has: has, needs: knows)
                } else if has == knows {
                    .current(has)
                } else if worksFrom <= knows {
                    .newer(has: has, knows: knows, worksFrom: worksFrom)
                } else {
                    .tooNew(has: has, knows: knows, worksFrom: worksFrom)
                }
        }

        /// What people should know although this build goes on; nil: nothing.
        public var notice: String? {
            guard case .newer(let has, let knows, let worksFrom) = self else { return nil }
            return "the schema is at \(has), newer than this fanfare knows (\(knows)); it works from \(worksFrom) on"
        }

        /// Why this build cannot use the schema; nil: it can.
        var refusal: SchemaError? {
            switch self {
            case .current, .newer: nil
            case .absent: .absent
            case .older(let has, let needs): .older(has: has, needs: needs)
            case .tooNew(let has, let knows, let worksFrom): .newer(has: has, knows: knows, worksFrom: worksFrom)
            }
        }
    }
}

/// Why the schema cannot be used or changed.
public enum SchemaError: Error, CustomStringConvertible, Equatable {
    case absent
    case older(has: Int32, needs: Int32)
    case newer(has: Int32, knows: Int32, worksFrom: Int32)

    public var description: String {
        switch self {
        case .absent: "this database has no schema push: run `fanfare migrate up`"
        case .older(let has, let needs):
            "the schema push is at version \(has) and this fanfare needs \(needs): run `fanfare migrate up`"
        case .newer(let has, let knows, let worksFrom):
            "the schema push is at version \(has), which works from \(worksFrom) on, and this fanfare knows \(knows): "
                + "upgrade fanfare; nothing was changed"
        }
    }
}
