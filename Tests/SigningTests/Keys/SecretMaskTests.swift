import Testing

@testable import Signing

@Suite struct SecretMaskTests {
    @Test(arguments: [
        (
            "Endpoint=sb://n.example/;SharedAccessKeyName=send;SharedAccessKey=c2VjcmV0+/=;EntityPath=news",
            "Endpoint=sb://n.example/;SharedAccessKeyName=send;SharedAccessKey=•••;EntityPath=news"
        ),
        ("sharedaccesskey=c2VjcmV0", "sharedaccesskey=•••"),
        ("SharedAccessKey%3Dc2VjcmV0%3D", "SharedAccessKey%3D•••"),
        ("SharedAccessSignature sr=https%3a%2f%2fh%2fnews&sig=c2VjcmV0%3d&se=1&skn=send", "SharedAccessSignature •••"),
        (
            "\"Authorization: SharedAccessSignature sr=x&sig=c2VjcmV0\" sent",
            "\"Authorization: SharedAccessSignature •••\" sent"
        ),
        ("?sr=x&sig=c2VjcmV0%3d&se=1", "?sr=x&sig=•••&se=1"),
        ("host=db password=secret user=me", "host=db password=••• user=me"),
        ("host=db password = 'se cr\\'et' user=me", "host=db password = '•••' user=me"),
        ("sslpassword=secret", "sslpassword=•••"),
        ("PASSWORD=secret", "PASSWORD=•••"), ("password: issecret", "password: •••"),
        (
            "{\"password\": \"secret\", \"SharedAccessKey\":\"secret\", \"n\": 1}",
            "{\"password\": \"•••\", \"SharedAccessKey\":\"•••\", \"n\": 1}"
        ),
        ("postgresql://me:secret@db/fanfare", "postgresql://me:•••@db/fanfare"),
        ("connect to postgresql://me:se/c@ret@db:5432/x failed", "connect to postgresql://me:•••@db:5432/x failed"),
        ("https://me:secret@[::1]:99/", "https://me:•••@[::1]:99/"),
        ("password=secret and sig=secret, postgres://a:secret@b", "password=••• and sig=•••, postgres://a:•••@b"),
        ("cut off: password='secret", "cut off: password='•••"),
        ("Authorization: Bearer c2VjcmV0.a-b_c~/+==, next", "Authorization: Bearer •••, next"),
        ("bearer%20secret", "bearer%20•••"), ("Bearer+secret&x=1", "Bearer+•••&x=1"), ("Bearer: secret", "Bearer: •••"),
        ("Bearer token-secret", "Bearer •••"), ("Bearer Bearer secret", "Bearer Bearer •••"),
        ("sig = Bearer secret", "sig = •••"), ("SharedAccessSignature=Bearer secret", "SharedAccessSignature=•••"),
        ("grant_type=urn%3Aietf&assertion=c2VjcmV0.c2VjcmV0.c2VjcmV0&x=1", "grant_type=urn%3Aietf&assertion=•••&x=1"),
        ("{\"assertion\": \"c2VjcmV0\"}", "{\"assertion\": \"•••\"}"),
        (
            "{\"access_token\": \"secret\", \"expires_in\": 3599, \"token_type\": \"Bearer\"}",
            "{\"access_token\": \"•••\", \"expires_in\": 3599, \"token_type\": \"Bearer\"}"
        ),
        ("?access_token=secret&alt=json", "?access_token=•••&alt=json"),
        (
            "{\"private_key_id\": \"1f\", \"private_key\": \"-----BEGIN PRIVATE KEY-----\\nc2VjcmV0\\n\", \"x\": 1}",
            "{\"private_key_id\": \"1f\", \"private_key\": \"•••\", \"x\": 1}"
        ),
        (
            "private_key=-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\nafter",
            "private_key=•••\nafter"
        ),
        ("key -----BEGIN RSA PRIVATE KEY-----\nc2VjcmV0", "key •••"),
        ("refused: $scrypt$ln=15,r=8,p=3$c2VjcmV0$c2VjcmV0+/ at", "refused: $scrypt$••• at"),
        ("-----begin encrypted private key-----c2VjcmV0-----END ENCRYPTED PRIVATE KEY-----.", "•••."),
    ])
    func aSecretIsMasked(text: String, shown: String) {
        #expect(SecretMask.masked(text) == shown)
        #expect(SecretMask.masked(shown) == shown)
        #expect(!SecretMask.masked(text).contains("c2VjcmV0"))
        #expect(!SecretMask.masked(text).contains("secret"))
    }

    @Test(arguments: [
        "", "password authentication failed for user \"me\"", "SharedAccessKeyName=send", "password=", "sig", "sig=",
        "http://127.0.0.1:8099/news", "http://127.0.0.1:8099/mail/a@b.example", "https://me@host/x",
        "see https://host/a:b@c", "design=1; 漢字 ://", "SharedAccessSignature", "Bearer", "a bearer token is missing",
        "WWW-Authenticate: Bearer realm=\"x\", error=\"invalid_token\"", "Invalid assertion: it has ended",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----", "private_key_id: 1f", "no access_token came",
        "$scrypt", "$scrypt$",
        "console.users.ana.password: is not set", "fanfare: console password: --json is given twice",
        "access_token_auth: true", "--- a ------ b",
    ])
    func textWithoutSecretsStays(text: String) {
        #expect(SecretMask.masked(text) == text)
    }

    @Test(arguments: [
        ("SharedAccessSignature sr=a&sig=SECRET%3d&se=1&skn=p refused", "••• refused"),
        ("sharedaccesssignature  se=1&sig=SECRET", "•••"), ("\"SharedAccessSignature sr=SECRET\",", "\"•••\","),
        ("SharedAccessSignature%20sr%3Da%26sig%3DSECRET", "•••"), ("?sr=a&sig=SECRET&se=1", "?sr=a&•••&se=1"),
        ("sr=a&\nsig=SECRET", "sr=a&\n•••"), ("SIG = SECRET.", "•••"), ("sig%3dSECRET", "•••"),
        ("&amp;sig=SECRET&amp;se=1", "&amp;•••&amp;se=1"),
        ("SharedAccessKeyName=p;SharedAccessKey=SECRET;x", "SharedAccessKeyName=p;•••;x"),
        ("sig=\u{301}SECRET", "•••"), ("SharedAccessSignature+++%20sr=SECRET'x", "•••'x"), ("sig=", "sig="),
        ("é sig=SECRET é", "é ••• é"),
        ("sig=SECRET,sig=SECRET;SharedAccessKey%3DSECRET", "•••,•••;•••"),
        ("SharedAccessKey = \"SECRET", "•••"), ("postgresql://me:SECRET@db/x", "postgresql://me:•••@db/x"),
    ])
    func theNameCanBeHiddenWithTheSecret(text: String, shown: String) {
        #expect(SecretMask.masked(text, hidesNames: true) == shown)
        #expect(!SecretMask.masked(text).contains("SECRET"))
    }

    @Test(arguments: [
        "InvalidSignature: The token has an invalid signature.", "SubCode=40900. Conflict",
        "The SharedAccessSignature is missing", "signature = none",
    ])
    func ordinaryWordsStay(text: String) {
        #expect(SecretMask.masked(text) == text)
        #expect(SecretMask.masked(text, hidesNames: true) == text)
    }

    /// As long as answers get. A regular expression backtracked over all of it for every character.
    @Test(arguments: [
        "+", "%20", "SharedAccessSignature+", "SharedAccessKey ", "sig ", "sig", "•", "Bearer ", "bearer", "-",
        "-----begin", "-----begin private key-----", "assertion ", "private_key ",
    ])
    func aHostileLineIsReadInOnePass(piece: String) {
        let many = String(repeating: piece, count: 3900 / piece.count)
        for text in ["%\"SharedAccessSignature\(many)\"sig", "=\(many)\" sig=SECRET"] {
            #expect(!SecretMask.masked(text, hidesNames: true).contains("SECRET"))
        }
        #expect(SecretMask.masked("sig = \(many)", hidesNames: true).hasPrefix("•••"))
    }

    @Test(arguments: ["Bearer ", "Bearer token ", "sig=Bearer ", "-----begin ", "assertion=-----begin private key "])
    func aLongHostileTextIsReadInOnePass(piece: String) {
        let many = String(repeating: piece, count: 10_000)
        #expect(!SecretMask.masked(many + "sig=SECRET").contains("SECRET"))
    }
}
