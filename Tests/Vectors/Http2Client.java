import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.hc.client5.http.async.methods.SimpleHttpRequest;
import org.apache.hc.client5.http.async.methods.SimpleHttpResponse;
import org.apache.hc.client5.http.async.methods.SimpleRequestBuilder;
import org.apache.hc.client5.http.impl.async.CloseableHttpAsyncClient;
import org.apache.hc.client5.http.impl.async.HttpAsyncClients;
import org.apache.hc.core5.http.ContentType;

/**
 * Sends over HTTP/2 with the client that the Notification Hubs SDK for Java has by default (Apache HttpClient 5,
 * HTTP/2 only) and with the JDK's own. Arguments: the address of the hub, a token. Prints what each one got.
 */
public class Http2Client {
    public static void main(String[] arguments) throws Exception {
        String hub = arguments[0];
        String token = arguments[1];
        try (CloseableHttpAsyncClient client = HttpAsyncClients.customHttp2().build()) {
            client.start();
            List<Future<SimpleHttpResponse>> sends = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                SimpleHttpRequest send = SimpleRequestBuilder.post(hub + "/messages?api-version=2020-06")
                    .addHeader("Authorization", token)
                    .addHeader("ServiceBusNotification-Format", "template")
                    .setBody("{\"m\":\"" + i + "\"}", ContentType.create("application/json", "utf-8"))
                    .build();
                sends.add(client.execute(send, null));
            }
            int taken = 0;
            SimpleHttpResponse last = null;
            for (Future<SimpleHttpResponse> send : sends) {
                last = send.get();
                if (last.getCode() == 201) taken++;
            }
            System.out.println("Apache " + last.getVersion() + ": " + taken + " taken");
            SimpleHttpRequest make = SimpleRequestBuilder.post(hub + "/registrationids?api-version=2020-06")
                .addHeader("Authorization", token).build();
            String location = client.execute(make, null).get().getHeader("Location").getValue();
            System.out.println("Apache found an id: " + location.matches("(\\S+)/registrationids/([^?]+).*"));
        }
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest send = HttpRequest.newBuilder(URI.create(hub + "/messages?api-version=2020-06"))
            .header("Authorization", token)
            .header("ServiceBusNotification-Format", "template")
            .header("Content-Type", "application/json;charset=utf-8")
            .POST(HttpRequest.BodyPublishers.ofString("{\"m\":\"x\"}"))
            .build();
        HttpResponse<String> response = client.send(send, HttpResponse.BodyHandlers.ofString());
        System.out.println("JDK " + response.version() + ": " + response.statusCode());
    }
}
