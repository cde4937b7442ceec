#!/usr/bin/env bash
# With curl and openssl alone: registers a phone, signs, sends, and reads the phone's inbox.
#
#   bash curl.sh http://127.0.0.1:8099 news
set -euo pipefail
address=$1 hub=$2
policy=emulator key=ZW11bGF0b3I=

# The signature: HMAC-SHA256 over the encoded address and the expiry, with the key as text.
encode() { sed -e 's/%/%25/g; s/:/%3a/g; s/\//%2f/g; s/+/%2b/g; s/=/%3d/g'; }
scope=$(printf '%s/%s' "$address" "$hub" | tr '[:upper:]' '[:lower:]' | encode)
expiry=$(($(date +%s) + 3600))
signature=$(printf '%s\n%s' "$scope" "$expiry" | openssl dgst -sha256 -hmac "$key" -binary | base64 | encode)
token="SharedAccessSignature sr=$scope&sig=$signature&se=$expiry&skn=$policy"

curl -sS --fail-with-body -X PUT "$address/$hub/installations/phone?api-version=2020-06" \
    -H "Authorization: $token" -H 'Content-Type: application/json' -d '{
        "installationId": "phone", "platform": "apns", "pushChannel": "00FC13AD", "tags": ["World"],
        "templates": {"news": {"body": "{\"aps\":{\"alert\":\"$(News_French)\"}}"}}}'

curl -sS --fail-with-body -o /dev/null -w 'sent: %{http_code}\n' "$address/$hub/messages?api-version=2020-06" \
    -H "Authorization: $token" -H 'Content-Type: application/json;charset=utf-8' \
    -H 'ServiceBusNotification-Format: template' -H 'ServiceBusNotification-Tags: World' \
    -d '{"News_English": "Good morning", "News_French": "Bonjour"}'

printf 'the phone shows: '
curl -sS --fail-with-body "$address/_emulator/devices/phone/inbox?hub=$hub" | grep -o '"alert":{"body":"[^"]*"'
