extension Schema {
    /// How the schema compares with this build, by the number of its release.
    public enum Standing: Sendable, Equatable {
        case current(Int32)
        /// No schema `push` at all.
        case absent
        /// Made by a build from before the first release.
        case unreleased
        case older(has: Int32, needs: Int32)
        /// From a newer Fanfare, and this build can go on with it: `worksFrom` is at most what it knows.
        case newer(has: Int32, knows: Int32, worksFrom: Int32)
        /// From a newer Fanfare, and only builds that know `worksFrom` can use it.
        case tooNew(has: Int32, knows: Int32, worksFrom: Int32)

        init(_ releases: [Release], knows: Int32) {
            guard let has = releases.last?.number else {
                self = .absent
                return
            }
            let worksFrom = releases.map(\.worksFrom).max() ?? 0
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
            return
                "the schema is of release \(has), newer than this fanfare knows (\(knows)); it works from release \(worksFrom) on"
        }

        /// Why this build cannot use the schema; nil: it can.
        public var refusal: SchemaError? {
            switch self {
            case .current, .newer: nil
            case .absent: .absent
            case .unreleased: .unreleased
            case .older(let has, let needs): .older(has: has, needs: needs)
            case .tooNew(let has, let knows, let worksFrom): .newer(has: has, knows: knows, worksFrom: worksFrom)
            }
        }
    }
}

/// Why the schema cannot be used or changed.
public enum SchemaError: Error, CustomStringConvertible, Equatable {
    case absent
    case unreleased
    case older(has: Int32, needs: Int32)
    case newer(has: Int32, knows: Int32, worksFrom: Int32)

    public var description: String {
        switch self {
        case .absent: "this database has no schema push: run `fanfare migrate up`"
        case .unreleased:
            "the schema push was made by a build from before the first release, and cannot be carried over: keep what "
                + "matters with that build (`fanfare message list --json`), run `DROP SCHEMA push CASCADE` in psql, "
                + "then `fanfare migrate up`; nothing was changed"
        case .older(let has, let needs):
            "the schema push is of release \(has) and this fanfare needs \(needs): run `fanfare migrate up`"
        case .newer(let has, let knows, let worksFrom):
            "the schema push is of release \(has), which works from release \(worksFrom) on, and this fanfare knows "
                + "\(knows): upgrade fanfare; nothing was changed"
        }
    }
}
