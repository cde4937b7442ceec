/// sas_tokens.json.
struct SASVectors: Decodable {
    struct Case: Decodable {
        struct Input: Decodable {
            let host: String
            let hub: String
            let keyName: String
            let key: String
            let expiry: Int64
        }
        struct Canonical: Decodable {
            let resourceUri: String
            let sr: String
            let stringToSign: String
            let signatureBase64: String
            let token: String
        }
        struct Style: Decodable {
            let scope: String
            let token: String
        }
        let id: String
        let input: Input
        let canonical: [String: Canonical]
        let acceptedOtherStyles: [String: Style]
    }
    struct KnownAnswer: Decodable {
        let id: String
        let key: String
        let stringToSign: String
        let signatureBase64: String
    }
    let cases: [Case]
    let knownAnswers: [KnownAnswer]
}
