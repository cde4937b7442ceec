import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Java's own HttpClient against the emulator: one notification to each handle, by a provider token or a client certificate.
 *
 *     java ApnsSender.java ENDPOINT CA_FILE TOPIC KEY_FILE,KEY_ID,TEAM HANDLE...
 *     java ApnsSender.java ENDPOINT CA_FILE TOPIC CERTIFICATE_FILE HANDLE...
 *
 * Handles joined with + get theirs at the same time. The word "token" makes a new token, "client" a new client.
 */
public class ApnsSender {
    private static final String PAYLOAD =
        "{\"aps\":{\"alert\":{\"title\":\"Party\",\"body\":\"You’re invited!\"},\"category\":\"INVITE_CATEGORY\"}}";

    private final String endpoint;
    private final String authority;
    private final String topic;
    private final String[] credential;
    private HttpClient client;
    private String token;

    public static void main(String[] arguments) throws Exception {
        ApnsSender sender = new ApnsSender(arguments[0], arguments[1], arguments[2], arguments[3].split(","));
        for (String word : Arrays.copyOfRange(arguments, 4, arguments.length)) {
            switch (word) {
                case "token" -> sender.token = sender.newToken();
                case "client" -> sender.client = sender.newClient();
                default -> sender.send(word.split("\\+"));
            }
        }
    }

    private ApnsSender(String endpoint, String authority, String topic, String[] credential) throws Exception {
        this.endpoint = endpoint;
        this.authority = authority;
        this.topic = topic;
        this.credential = credential;
        client = newClient();
        if (!isCertificate()) token = newToken();
    }

    private boolean isCertificate() { return credential.length == 1; }

    private void send(String[] handles) throws InterruptedException {
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (String handle : handles) {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(endpoint + "/3/device/" + handle))
                .timeout(Duration.ofSeconds(60))
                .header("apns-topic", topic).header("apns-push-type", "alert").header("apns-priority", "5")
                .header("apns-expiration", "2000000000").header("apns-collapse-id", "score")
                .header("content-type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(PAYLOAD));
            if (!isCertificate()) request.header("authorization", "bearer " + token);
            answers.add(client.sendAsync(request.build(), HttpResponse.BodyHandlers.ofString())
                .thenApply(answer -> answer.version() + " " + answer.statusCode() + " " + reason(answer.body()))
                .exceptionally(failure -> "no answer"));
        }
        for (int i = 0; i < handles.length; i++) System.out.println(handles[i] + ": " + answers.get(i).join());
    }

    /** The reason in {"reason": "…"}; a library for JSON would be another dependency. */
    private static String reason(String body) {
        String[] parts = body.split("\"");
        String since = body.contains("\"timestamp\":") ? " since" : "";
        return (parts.length > 3 ? parts[Arrays.asList(parts).indexOf("reason") + 2] : "-") + since;
    }

    private String newToken() throws IOException, GeneralSecurityException {
        PrivateKey key = privateKey(Files.readString(Path.of(credential[0])));
        String signed = part("{\"alg\":\"ES256\",\"kid\":\"" + credential[1] + "\"}") + "."
            + part("{\"iss\":\"" + credential[2] + "\",\"iat\":" + System.currentTimeMillis() / 1000 + "}");
        // r and s of 32 bytes each, not DER.
        Signature signature = Signature.getInstance("SHA256withECDSAinP1363Format");
        signature.initSign(key);
        signature.update(signed.getBytes(StandardCharsets.UTF_8));
        return signed + "." + Base64.getUrlEncoder().withoutPadding().encodeToString(signature.sign());
    }

    private static String part(String json) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(json.getBytes(StandardCharsets.UTF_8));
    }

    private HttpClient newClient() throws IOException, GeneralSecurityException {
        KeyStore known = emptyStore();
        known.setCertificateEntry("emulator", certificate(Files.readString(Path.of(authority))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(known);
        KeyManagerFactory own = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        KeyStore keys = emptyStore();
        if (isCertificate()) {
            String text = Files.readString(Path.of(credential[0]));
            keys.setKeyEntry("sender", privateKey(text), new char[0], new Certificate[] {certificate(text)});
        }
        own.init(keys, new char[0]);
        SSLContext tls = SSLContext.getInstance("TLS");
        tls.init(own.getKeyManagers(), trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(tls).build();
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static PrivateKey privateKey(String text) throws GeneralSecurityException {
        return KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(pem(text, "PRIVATE KEY")));
    }

    private static Certificate certificate(String text) throws GeneralSecurityException {
        return CertificateFactory.getInstance("X.509")
            .generateCertificate(new ByteArrayInputStream(pem(text, "CERTIFICATE")));
    }

    private static byte[] pem(String text, String label) {
        String begin = "-----BEGIN " + label + "-----";
        int start = text.indexOf(begin) + begin.length();
        return Base64.getMimeDecoder().decode(text.substring(start, text.indexOf("-----END", start)));
    }
}
