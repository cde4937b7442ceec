import CLibcurl
import Glibc

extension Request {
    /// Every header line this request leaves with, for people: the value of `Authorization` is hidden here, so that no
    /// caller can forget to.
    ///
    /// libcurl adds `Host`, `Accept: */*` and `Content-Length`.
    public var shownHeaders: [(name: String, value: String)] {
        var shown = headers.map { (name: $0.name, value: $0.value) }
        // The list is never changed, and `shared` lives as long as this request.
        var line = shared.list
        while let node = line {
            // A line without a value tells libcurl to leave its own out; it is never sent.
            if let data = node.pointee.data, let colon = strchr(data, Int32(UInt8(ascii: ":"))), colon[1] != 0 {
                let name = UnsafeRawBufferPointer(start: data, count: colon - data)
                shown.append((String(decoding: name, as: UTF8.self), String(cString: colon + 2)))
            }
            line = node.pointee.next
        }
        return shown.map { header in
            guard header.name.lowercased() == "authorization" else { return header }
            let scheme = header.value.prefix { $0 != " " }
            return (header.name, scheme.count < header.value.count ? "\(scheme) •••" : "•••")
        }
    }
}
