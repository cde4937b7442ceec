#!/usr/bin/env bash
# With curl and openssl alone: signs with a service account, gets an access token, and sends to a topic.
#
#   bash fcm.sh service-account.json Tech '{"title_loc_key": "welcome_title", "title_loc_args": ["Alice"]}'
set -euo pipefail
file=$1 topic=$2 notification=$3

member() { sed -n "s/^ *\"$1\" *: *\"\(.*\)\",\{0,1\}$/\1/p" "$file"; }
encode() { base64 -w0 | tr '+/' '-_' | tr -d '='; }
address=$(member token_uri) now=$(date +%s)

# The assertion: header and claims in base64url, and their RS256 signature.
header=$(printf '{"alg":"RS256","typ":"JWT","kid":"%s"}' "$(member private_key_id)" | encode)
claims=$(printf '{"iss":"%s","aud":"%s","scope":"%s","iat":%d,"exp":%d}' "$(member client_email)" "$address" \
    https://www.googleapis.com/auth/firebase.messaging "$now" $((now + 3600)) | encode)
signature=$(printf '%s.%s' "$header" "$claims" |
    openssl dgst -sha256 -sign <(printf '%b' "$(member private_key)") -binary | encode)

token=$(curl -sS --fail-with-body "$address" --data-urlencode "assertion=$header.$claims.$signature" \
    --data-urlencode grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer | sed 's/.*"access_token":"\([^"]*\)".*/\1/')

curl -sS --fail-with-body "${address%/token}/v1/projects/$(member project_id)/messages:send" \
    -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \
    -d "{\"message\": {\"topic\": \"$topic\", \"android\": {\"notification\": $notification}}}"
