# shellcheck shell=bash
# Sourced by inside.sh: executes the blocks of docs/backup.md, with a time T between a base backup and two revocations.
# What the page leaves to its reader stands here: where the blocks are pasted, which servers are stopped, and T itself.

# pasted NN.LANGUAGE: the block with T for the page's time.
pasted() {
  sed -e "s/2027-01-01 12:00:00+00/$restored_to+00/g; s/2027-01-01 12:00:00 UTC/$restored_to UTC/g" \
    -e "s/base-2027-01-01/base-$(date +%F)/g" "/packages/blocks/backup/$1"
}
paste_block() { pasted "$1" >/tmp/block && bash -euo pipefail /tmp/block; }
answers_with() { is "$(curl -s -o /dev/null -w '%{http_code}' --cacert fullchain.pem -H "Authorization: Bearer $1" https://localhost:28443/api/jobs)" "$2"; }
in_recovery() { is "$(runuser -u postgres -- psql -Atc 'SELECT pg_is_in_recovery()')" "$1"; }
# Whole seconds, because the page's times have no fractions.
next_second() { sleep 1.1; date -u '+%F %T'; }
restored_to=unknown

install -d -o postgres -g postgres /backup /backup/archive
check "the blocks of the page are those that are executed here" \
  is "$(ls /packages/blocks/backup | xargs)" "01.txt 02.sh 03.sh 04.sh 05.sh 06.sh"
pasted 01.txt >>/etc/postgresql/15/main/postgresql.conf
check "PostgreSQL archives its WAL" systemctl restart postgresql@15-main
check "the instances find it again" eventually 30 call $front whoami
leaked=$(admin create-token --json --project acme/shop --owner ada@example.org --name leaked)
lost_runner=$(admin create-runner --json --organization acme --name lost | jq -r .id)
check "the token works" eventually 10 answers_with "$(jq -r .key <<<"$leaked")" 200
check "a base backup, verified" paste_block 02.sh
sleep 1.1
restored_to=$(next_second)
sleep 1.1
# Not by the balancer: the block reads the log of one instance.
check "a token is revoked by the API" call https://localhost:28443 token revoke "$(jq -r .id <<<"$leaked")" --yes
check "a runner's token is revoked by an operator" admin revoke-runner "$lost_runner"
check "systemctl reload, as on any day" systemctl reload svcd

check "systemctl stop" systemctl stop svcd.socket svcd svcd-second
check "what happened since T, from the database" paste_block 03.sh
check "both are on the list" is "$(sort ended.txt | xargs)" "$(printf '%s\n' "$(jq -r .id <<<"$leaked")" "$lost_runner" | sort | xargs)"
check "people read of the revocations" grep -q revoke lost.txt
read_log() { paste_block 04.sh >/tmp/said.log 2>&1 || { cat /tmp/said.log; return 1; }; }
check "what happened since T, from the log" read_log
check "the log knows what the API did" is "$(cat logged.txt)" "$(jq -r .id <<<"$leaked")"
check "it reaches back to T" not grep -q 'does not reach back' /tmp/said.log
check "systemctl stop postgresql@15-main" systemctl stop postgresql@15-main
check "the backup takes the place of the data" paste_block 05.sh
check "systemctl start postgresql@15-main" systemctl start postgresql@15-main
check "it is restored" eventually 30 in_recovery f
check "the revocations are forgotten" is "$(runuser -u postgres -- psql -Atc 'SELECT count(*) FROM tokens WHERE revoked_at IS NOT NULL' svc)" 0
check "they are made again, and runs are ended" paste_block 06.sh
check "redis-cli FLUSHALL" redis-cli FLUSHALL
check "systemctl start svcd" systemctl start svcd svcd-second
check "it is ready" eventually 20 ready
check "the token of before works" eventually 20 call $front whoami
check "the revoked one does not" answers_with "$(jq -r .key <<<"$leaked")" 401
check "a job runs" eventually 60 run
rm -r /backup ended.txt lost.txt logged.txt /var/lib/postgresql/15/main.given-up
sed -i '/^archive_mode/d; /^archive_command/d; /^archive_timeout/d' /etc/postgresql/15/main/postgresql.conf
check "PostgreSQL without the archive" systemctl restart postgresql@15-main
check "the instances find it again" eventually 30 call $front whoami
