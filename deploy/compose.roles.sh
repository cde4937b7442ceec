#!/bin/sh
# The roles of compose.yaml and compose.hub.yaml. PostgreSQL's image runs it once, when it makes the database:
#
#   fanfare_owner     owns the database: `fanfare migrate up`
#   fanfare_worker    `fanfare run`: calls functions, owns nothing
#   fanfare_enqueue   backends: inserts into push.message, reads no content
#   fanfare_console   `fanfare console run`: acts for the people whom it signs in, so nobody else has it
#
# Each gets the password in /run/secrets/NAME-password, if there is such a file.
set -eu

psql() { command psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" "$@"; }

# The group roles are made here, so that the owner needs no right to make roles.
psql --set database="$POSTGRES_DB" <<'SQL'
CREATE ROLE push_enqueue NOLOGIN;
CREATE ROLE push_register NOLOGIN;
CREATE ROLE push_campaign NOLOGIN;
CREATE ROLE push_approve NOLOGIN;
CREATE ROLE push_audience NOLOGIN;
CREATE ROLE push_worker NOLOGIN;
CREATE ROLE push_monitor NOLOGIN;
CREATE ROLE push_operator NOLOGIN IN ROLE push_monitor;
CREATE ROLE push_console NOLOGIN NOINHERIT IN ROLE push_monitor, push_operator, push_campaign, push_approve;
-- The owner gives the functions that read audiences to push_audience.
CREATE ROLE fanfare_owner LOGIN IN ROLE push_audience;
CREATE ROLE fanfare_worker LOGIN IN ROLE push_worker;
CREATE ROLE fanfare_enqueue LOGIN IN ROLE push_enqueue;
CREATE ROLE fanfare_console LOGIN IN ROLE push_console;
ALTER DATABASE :"database" OWNER TO fanfare_owner;
SQL

for name in owner worker enqueue console; do
    file=${SECRETS_DIRECTORY:-/run/secrets}/$name-password
    [ -r "$file" ] || continue
    # On standard input, so that no password is in ps.
    printf "ALTER ROLE fanfare_%s PASSWORD '%s';\n" "$name" "$(tr -d '\n' <"$file")" | psql
done
