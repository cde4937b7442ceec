#!/usr/bin/env bash
# With curl and openssl alone: signs a provider token with a .p8 key, and sends to a phone.
#
#   bash apns.sh ios.p8 KEY_ID TEAM_ID com.example.ios https://localhost:8443 ca.pem 616c696365 '{"aps": {"alert": "Hello"}}'
set -euo pipefail
key=$1 key_id=$2 team_id=$3 topic=$4 address=$5 authority=$6 handle=$7 payload=$8

encode() { base64 -w0 | tr '+/' '-_' | tr -d '='; }
# OpenSSL has a signature in DER, a token its two numbers of 32 bytes.
joined() { openssl asn1parse -inform DER | sed -n 's/.*INTEGER *://p' | while read -r number; do printf '%064d' 0 | head -c $((64 - ${#number})); printf '%s' "$number"; done; }

header=$(printf '{"alg":"ES256","kid":"%s"}' "$key_id" | encode)
claims=$(printf '{"iss":"%s","iat":%d}' "$team_id" "$(date +%s)" | encode)
signature=$(printf '%b' "$(printf '%s.%s' "$header" "$claims" | openssl dgst -sha256 -sign "$key" | joined |
    sed 's/../\\x&/g')" | encode)

curl -sS --http2 --cacert "$authority" -w '%{http_code}\n' "$address/3/device/$handle" \
    -H "authorization: bearer $header.$claims.$signature" -H "apns-topic: $topic" -H 'apns-push-type: alert' \
    -H 'content-type: application/json' -d "$payload"
