// Node.js alone, without packages: signs with a service account, gets an access token, and sends to a token and to a topic.
//
//   node fcm.mjs service-account.json alice Tech
import { createSign } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:http";

const [file, token, topic] = process.argv.slice(2);
const account = JSON.parse(readFileSync(file, "utf8"));

const post = (address, headers, body) =>
    new Promise((resolve, reject) => {
        const call = request(address, { method: "POST", headers }, (answer) => {
            let text = "";
            answer.setEncoding("utf8");
            answer.on("data", (part) => (text += part));
            answer.on("end", () => resolve({ status: answer.statusCode, body: JSON.parse(text) }));
        });
        call.on("error", reject);
        call.end(body);
    });

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
const now = Math.floor(Date.now() / 1000);
const signed = [
    encoded({ alg: "RS256", typ: "JWT", kid: account.private_key_id }),
    encoded({
        iss: account.client_email,
        aud: account.token_uri,
        scope: "https://www.googleapis.com/auth/firebase.messaging",
        iat: now,
        exp: now + 3600,
    }),
].join(".");
const signature = createSign("RSA-SHA256").update(signed).sign(account.private_key, "base64url");

const grant = await post(
    account.token_uri,
    { "Content-Type": "application/x-www-form-urlencoded" },
    new URLSearchParams({
        grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
        assertion: `${signed}.${signature}`,
    }).toString(),
);
console.log("token:", grant.status, grant.body.token_type, grant.body.expires_in);

const address = new URL(`/v1/projects/${account.project_id}/messages:send`, account.token_uri);
const headers = { Authorization: `Bearer ${grant.body.access_token}`, "Content-Type": "application/json" };
const send = async (label, message) => {
    const answer = await post(address, headers, JSON.stringify({ message }));
    const error = answer.body.error?.details?.find((detail) => detail.errorCode)?.errorCode ?? "";
    console.log(`${label}:`, answer.status, answer.body.name ? "named" : error);
};
await send("phone", { token, notification: { title: "Bonjour", body: "à tous" } });
await send("topic", { topic, notification: { title: "Guten Tag", body: "allen" } });
await send("nobody", { token: "gone-1" });
await send("wrong", { token, android: { ttl: 5 } });
