#include "svc/store/pages/page_mail_store.hpp"

#include "store/pages/mailed_page.hpp"
#include "store/sealing/project_key.hpp"
#include "store/sql/settled.hpp"
#include "svc/core/log.hpp"
#include "svc/core/sealer.hpp"
#include "svc/postgres/pool.hpp"

#include <utility>

namespace svc::store {
namespace {

/// The most posts whose providers one statement notifies.
constexpr std::int64_t announced_at_once = 50;
constexpr std::int64_t most_counted = 100'000;

// An alert has the title of its post. The text is read when it is sent, so that a correction counts.
constexpr postgres::statement announce_posts{"page_mail_announce", R"(
WITH due AS (
  SELECT j.id, j.project_id, j.page_id, j.post_id FROM page_mail_jobs j
   WHERE j.ended_at IS NULL AND j.providers_at IS NULL ORDER BY j.next_at LIMIT $1 FOR UPDATE SKIP LOCKED
), told AS (
  INSERT INTO alerts (id, project_id, type, target_type, target_id, target_name, about, number, provider_id,
                      provider_name, status, suppressed_by, error_message)
  SELECT gen_random_uuid(), d.project_id, 'status_page_post', 'status_page', d.page_id, p.name, d.post_id, 0, n.id,
         n.name, CASE WHEN n.enabled THEN 'pending' ELSE 'suppressed' END,
         CASE WHEN NOT n.enabled THEN 'provider_disabled' END,
         '[' || replace(initcap(coalesce(t.status, 'scheduled')), '_', ' ') || '] ' || coalesce(i.name, o.name)
    FROM due d
    JOIN status_pages p ON p.id = d.page_id AND p.deleted_at IS NULL
    JOIN projects y ON y.id = p.project_id AND y.archived_at IS NULL
    JOIN page_providers x ON x.page_id = d.page_id
    JOIN notification_providers n ON n.id = x.provider_id AND n.type <> 'pagerduty'
    LEFT JOIN page_posts t ON t.id = d.post_id
    LEFT JOIN incidents i ON i.page_id = d.page_id AND i.id = t.parent_id
    LEFT JOIN page_occurrences o ON o.page_id = d.page_id AND o.occurrence_id = coalesce(t.parent_id, d.post_id)
   WHERE coalesce(i.name, o.name) IS NOT NULL
   ORDER BY n.id, d.post_id
  ON CONFLICT ON CONSTRAINT alerts_told_once DO NOTHING
)
UPDATE page_mail_jobs j SET providers_at = clock_timestamp() FROM due d WHERE j.id = d.id
RETURNING j.project_id, j.page_id)"};

constexpr auto find_confirmations_sql =
    sql("SELECT c.id, c.attempts::bigint, s.id, s.email, s.sealed, s.key_id, k.wrapped, k.master_key_id,"
        " s.state = 'pending' AND s.confirm_expires_at > clock_timestamp() AND p.status = 'published'"
        " AND p.allow_subscribers AND p.deleted_at IS NULL AND j.archived_at IS NULL"
        " AND NOT EXISTS (SELECT FROM mail_refusals r WHERE r.digest = c.digest),",
        mailed_page_columns, R"(
  FROM page_confirmations c
  LEFT JOIN page_subscribers s ON s.id = c.subscriber_id
  LEFT JOIN status_pages p ON p.id = s.page_id
  LEFT JOIN projects j ON j.id = p.project_id
  LEFT JOIN project_keys k ON k.project_id = s.project_id AND k.key_id = s.key_id)",
        mailed_page_joins, R"(
 WHERE c.next_at <= statement_timestamp() ORDER BY c.next_at LIMIT $1 FOR UPDATE OF c SKIP LOCKED)");
constexpr postgres::statement find_confirmations{"page_mail_find_confirmations", find_confirmations_sql};

constexpr postgres::statement claim_confirmation_rows{"page_mail_claim_confirmations", R"(
UPDATE page_confirmations c
   SET claim_id = CASE WHEN c.id = ANY ($1) THEN $2::uuid END,
       next_at = CASE WHEN c.id = ANY ($1) THEN clock_timestamp() + $3 * interval '1 second' END
 WHERE c.id = ANY ($1) OR c.id = ANY ($4))"};

// $3: milliseconds until the next attempt; NULL: there is none.
constexpr postgres::statement settle_confirmation_row{"page_mail_settle_confirmation", R"(
UPDATE page_confirmations c
   SET claim_id = NULL, attempts = least(c.attempts + $4::int, 32767)::smallint,
       next_at = clock_timestamp() + $3::bigint * interval '1 millisecond'
 WHERE c.id = $1 AND c.claim_id = $2
RETURNING c.id)"};

// The mails of a page's older post come first. Here and below the time of the statement lets an index find what is
// due.
constexpr postgres::statement find_next_job{"page_mail_find_job", R"(
SELECT j.id, j.page_id, j.post_id, j.project_id, j.after_id, j.created_at, j.attempts::bigint FROM page_mail_jobs j
 WHERE j.ended_at IS NULL AND j.next_at <= statement_timestamp() AND j.providers_at IS NOT NULL
   AND j.project_id <> ALL ($1)
   AND NOT EXISTS (SELECT FROM page_mail_jobs o
                    WHERE o.page_id = j.page_id AND o.ended_at IS NULL AND (o.created_at, o.id) < (j.created_at, j.id))
 ORDER BY j.next_at LIMIT 1 FOR UPDATE SKIP LOCKED)"};

// $1 page, $2 the last recipient, $3 time of the post, $4 its components, $5 number.
constexpr postgres::statement find_recipients{"page_mail_recipients", R"(
SELECT s.id, s.email, s.sealed, s.key_id, 0::bigint FROM page_subscribers s
 WHERE s.page_id = $1 AND s.state = 'active' AND s.id > $2 AND s.confirmed_at <= $3
   AND (s.component_ids = '{}' OR cardinality($4::uuid[]) = 0 OR s.component_ids && $4)
   AND NOT EXISTS (SELECT FROM mail_refusals r WHERE r.digest = s.digest)
 ORDER BY s.id LIMIT $5)"};

constexpr postgres::statement find_key_of_project{
    "page_mail_key", "SELECT key_id, wrapped, master_key_id FROM project_keys WHERE project_id = $1"};

constexpr postgres::statement claim_job{"page_mail_claim_job", R"(
UPDATE page_mail_jobs SET claim_id = $2, next_at = clock_timestamp() + $3 * interval '1 second' WHERE id = $1)"};
constexpr postgres::statement end_job{
    "page_mail_end_job", "UPDATE page_mail_jobs SET claim_id = NULL, ended_at = clock_timestamp() WHERE id = $1"};

constexpr postgres::statement find_job_again{"page_mail_find_again", R"(
SELECT j.id, j.page_id, j.post_id, j.project_id FROM page_mails m JOIN page_mail_jobs j ON j.id = m.job_id
 WHERE m.next_at <= statement_timestamp() AND j.project_id <> ALL ($1) ORDER BY m.next_at LIMIT 1)"};

constexpr postgres::statement find_recipients_again{"page_mail_recipients_again", R"(
SELECT s.id, s.email, s.sealed, s.key_id, m.attempts::bigint
  FROM page_mails m JOIN page_subscribers s ON s.id = m.subscriber_id
 WHERE m.job_id = $1 AND m.next_at <= clock_timestamp()
 ORDER BY s.id LIMIT $2 FOR UPDATE OF m SKIP LOCKED)"};

constexpr postgres::statement claim_mails_again{"page_mail_claim_again", R"(
UPDATE page_mails SET claim_id = $2, next_at = clock_timestamp() + $3 * interval '1 second'
 WHERE job_id = $1 AND subscriber_id = ANY ($4))"};
constexpr postgres::statement delete_mails_again{
    "page_mail_delete_again", "DELETE FROM page_mails WHERE job_id = $1 AND next_at <= clock_timestamp()"};

constexpr postgres::statement end_old_jobs{"page_mail_end_old", R"(
UPDATE page_mail_jobs SET ended_at = clock_timestamp(), claim_id = NULL
 WHERE ended_at IS NULL AND created_at < clock_timestamp() - $1 * interval '1 second')"};
constexpr postgres::statement delete_old_jobs{"page_mail_delete_old", R"(
DELETE FROM page_mail_jobs WHERE id IN (
  SELECT j.id FROM page_mail_jobs j WHERE j.ended_at < statement_timestamp() - interval '24 hours'
     AND j.created_at < statement_timestamp() - interval '24 hours'
   ORDER BY j.ended_at LIMIT $1 FOR UPDATE SKIP LOCKED))"};

constexpr postgres::statement find_due_work{"page_mail_find_due", R"(
SELECT EXISTS (SELECT FROM page_confirmations c WHERE c.next_at <= statement_timestamp()),
       EXISTS (SELECT FROM page_mail_jobs j WHERE j.ended_at IS NULL AND j.next_at <= statement_timestamp())
       OR EXISTS (SELECT FROM page_mails m WHERE m.next_at <= statement_timestamp()))"};

constexpr postgres::statement count_waiting_mails{"page_mail_count", R"(
SELECT (SELECT count(*) FROM (SELECT FROM page_confirmations c WHERE c.next_at IS NOT NULL LIMIT $1) a)
     + (SELECT count(*) FROM (SELECT FROM page_mails LIMIT $1) b)
     + (SELECT count(*) FROM (SELECT FROM page_mail_jobs j
                                JOIN page_subscribers s ON s.page_id = j.page_id AND s.state = 'active'
                               WHERE j.ended_at IS NULL AND s.id > j.after_id LIMIT $1) c))"};

std::int64_t lease_seconds() {
  return page_mail_lease.count();
}

/// The data key of a project, or nothing if no configured master key opens it.
std::optional<secret_bytes> try_open(master_keys& master, uuid project, uuid key, std::string_view master_id,
                                     byte_view wrapped) {
  try {
    return open_data_key(master, project, key, master_id, wrapped);
  } catch (unavailable const& e) {
    log::warn("mails of a status page wait, because their links cannot be opened", {{"why", e.what()}});
    return std::nullopt;
  }
}

/// Opens the token of a subscriber. Returns nothing for a row that was changed by others.
std::optional<secret_string> open_token(secret_bytes const& key, byte_view sealed, uuid project, uuid subscriber) {
  return open_bytes(key, sealed, place_of(project, subscriber));
}

/// Reads rows (subscriber, address, sealed, key, attempts). Leaves out those whose token does not open.
std::vector<post_recipient> read_recipients(postgres::rows const& found, postgres::rows const& keys, uuid project,
                                            master_keys& master) {
  std::vector<post_recipient> out;
  if (keys.empty()) return out;
  auto const k = keys.front();
  auto const key = try_open(master, project, k.id(0), k.text(2), k.bytes(1));
  if (!key) return out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    if (r.is_null(2) || r.maybe_id(3) != k.id(0)) continue;
    auto token = open_token(*key, r.bytes(2), project, r.id(0));
    if (!token) continue;
    out.push_back({.subscriber = r.id(0),
                   .address = std::string(r.text(1)),
                   .token = std::move(*token),
                   .attempts = static_cast<unsigned>(r.integer(4))});
  }
  return out;
}

}  // namespace

task<page_mail_store::due_work> page_mail_store::find_due(deadline until) {
  postgres::query ask{find_due_work};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  co_return due_work{.confirmations = found.front().boolean(0), .posts = found.front().boolean(1)};
}

task<std::vector<changed_thing>> page_mail_store::announce(deadline until) {
  postgres::query ask{announce_posts, postgres::parameters(announced_at_once)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<changed_thing> out;
  for (int i = 0; i < found.size(); ++i) out.push_back({found[i].id(0), "alert", std::nullopt});
  co_return out;
}

task<page_mail_store::confirmations> page_mail_store::claim_confirmations(std::int64_t room, deadline until) {
  confirmations out;
  auto const start = steady::now();
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::query find{find_confirmations, postgres::parameters(room)};
  postgres::rows const found = settled(co_await tx.run(std::move(find)));
  if (found.empty()) co_return out;
  auto const claim = uuid::generate_v7();
  std::vector<uuid> claimed, over;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    bool const wanted = !r.is_null(8) && r.boolean(8) && !r.is_null(4) && !r.is_null(6);
    (wanted ? claimed : over).push_back(r.id(0));
    if (!wanted) continue;
    claimed_confirmation mail{.id = r.id(0),
                              .claim = claim,
                              .page = read_mailed_page(r, 9),
                              .recipient = std::string(r.text(3)),
                              .attempts = static_cast<unsigned>(r.integer(1)),
                              .claimed_at = start};
    auto const key = try_open(master_, mail.page.project, r.id(5), r.text(7), r.bytes(6));
    auto token = key ? open_token(*key, r.bytes(4), mail.page.project, r.id(2)) : std::nullopt;
    // Without its token the confirmation waits for the end of the lease.
    if (!token) continue;
    mail.token = std::move(*token);
    out.mails.push_back(std::move(mail));
  }
  std::vector<postgres::query> last{
      {claim_confirmation_rows, postgres::parameters(claimed, claim, lease_seconds(), over)}};
  settled(co_await tx.commit(std::move(last)));
  out.over = static_cast<std::int64_t>(over.size());
  out.more = found.size() == room;
  co_return out;
}

task<bool> page_mail_store::settle_confirmation(uuid id, uuid claim, std::optional<milliseconds> pause, bool counts,
                                                deadline until) {
  std::optional<std::int64_t> wait;
  if (pause) wait = pause->count();
  postgres::query change{settle_confirmation_row, postgres::parameters(id, claim, wait, counts ? 1 : 0)};
  co_return !settled(co_await db_.run(std::move(change), until)).empty();
}

task<page_mail_store::posts> page_mail_store::claim_post(std::vector<uuid> without, deadline until) {
  auto again = co_await claim_again(without, until);
  if (again.batch || again.more) co_return again;
  co_return co_await claim_next(std::move(without), until);
}

task<page_mail_store::posts> page_mail_store::claim_again(std::vector<uuid> without, deadline until) {
  posts out;
  auto const start = steady::now();
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::query find{find_job_again, postgres::parameters(without)};
  postgres::rows const found = settled(co_await tx.run(std::move(find)));
  if (found.empty()) co_return out;
  auto const job = found.front();
  auto queries = mailed_post_queries(job.id(1), job.id(2));
  queries.push_back({find_recipients_again, postgres::parameters(job.id(0), page_mail_batch)});
  queries.push_back({find_key_of_project, postgres::parameters(job.id(3))});
  std::vector<postgres::rows> const read = settled(co_await tx.run(std::move(queries)));
  auto post = read_mailed_post(read.data(), job.id(2));
  auto const& rows = read[mailed_post_statements];
  out.more = !rows.empty();
  claimed_post batch{.job = job.id(0),
                     .claim = uuid::generate_v7(),
                     .post = job.id(2),
                     .page = std::move(post.page),
                     .again = true,
                     .claimed_at = start};
  std::vector<postgres::query> last;
  if (post.wanted) {
    last.push_back(
        {claim_mails_again, postgres::parameters(batch.job, batch.claim, lease_seconds(), read_ids(rows))});
    batch.recipients = read_recipients(rows, read[mailed_post_statements + 1], job.id(3), master_);
  } else {
    last.push_back({delete_mails_again, postgres::parameters(batch.job)});
  }
  settled(co_await tx.commit(std::move(last)));
  if (!batch.recipients.empty()) out.batch = std::move(batch);
  co_return out;
}

task<page_mail_store::posts> page_mail_store::claim_next(std::vector<uuid> without, deadline until) {
  posts out;
  auto const start = steady::now();
  postgres::unit_of_work tx = co_await db_.begin(until);
  postgres::query find{find_next_job, postgres::parameters(without)};
  postgres::rows const found = settled(co_await tx.run(std::move(find)));
  if (found.empty()) co_return out;
  auto const job = found.front();
  std::vector<postgres::rows> const read = settled(co_await tx.run(mailed_post_queries(job.id(1), job.id(2))));
  auto post = read_mailed_post(read.data(), job.id(2));
  std::vector<postgres::query> queries{
      {find_recipients, postgres::parameters(job.id(1), job.id(4), job.time(5), post.components, page_mail_batch)},
      {find_key_of_project, postgres::parameters(job.id(3))}};
  std::vector<postgres::rows> const rows = settled(co_await tx.run(std::move(queries)));
  out.more = true;
  std::vector<postgres::query> last;
  if (!post.wanted || rows[0].empty()) {
    last.push_back({end_job, postgres::parameters(job.id(0))});
    settled(co_await tx.commit(std::move(last)));
    co_return out;
  }
  claimed_post batch{.job = job.id(0),
                     .claim = uuid::generate_v7(),
                     .post = job.id(2),
                     .page = std::move(post.page),
                     .recipients = read_recipients(rows[0], rows[1], job.id(3), master_),
                     .failures = static_cast<unsigned>(job.integer(6)),
                     .claimed_at = start};
  last.push_back({claim_job, postgres::parameters(batch.job, batch.claim, lease_seconds())});
  settled(co_await tx.commit(std::move(last)));
  if (!batch.recipients.empty()) out.batch = std::move(batch);
  co_return out;
}

task<std::int64_t> page_mail_store::count_waiting(deadline until) {
  postgres::query ask{count_waiting_mails, postgres::parameters(most_counted)};
  co_return settled(co_await db_.run(std::move(ask), until)).front().integer(0);
}

task<std::int64_t> page_mail_store::delete_over(std::int64_t most, deadline until) {
  postgres::query end{end_old_jobs, postgres::parameters(std::int64_t{std::chrono::seconds(page_post_life).count()})};
  settled(co_await db_.run(std::move(end), until));
  postgres::query ask{delete_old_jobs, postgres::parameters(most)};
  co_return settled(co_await db_.run(std::move(ask), until)).affected();
}

}  // namespace svc::store
