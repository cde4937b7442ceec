extension Row {
    public func int16OrNil(_ column: Int) throws(DatabaseError) -> Int16? {
        try isNull(column) ? nil : try int16(column)
    }

    public func int32OrNil(_ column: Int) throws(DatabaseError) -> Int32? {
        try isNull(column) ? nil : try int32(column)
    }

    public func int64OrNil(_ column: Int) throws(DatabaseError) -> Int64? {
        try isNull(column) ? nil : try int64(column)
    }

    public func boolOrNil(_ column: Int) throws(DatabaseError) -> Bool? {
        try isNull(column) ? nil : try bool(column)
    }

    public func doubleOrNil(_ column: Int) throws(DatabaseError) -> Double? {
        try isNull(column) ? nil : try double(column)
    }

    public func stringOrNil(_ column: Int) throws(DatabaseError) -> String? {
        try isNull(column) ? nil : try string(column)
    }

    public func timestampOrNil(_ column: Int) throws(DatabaseError) -> Timestamp? {
        try isNull(column) ? nil : try timestamp(column)
    }

    public func bytesOrNil(_ column: Int) throws(DatabaseError) -> [UInt8]? {
        try isNull(column) ? nil : try bytes(column)
    }
}
