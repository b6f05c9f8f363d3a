// The ends of batches of mails about posts.
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/pages/page_mail_store.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace svc::store {
namespace {

// A new attempt at the first unsent mail follows after the pause, and the next recipients after the others' turn.
constexpr postgres::statement settle_job{"page_mail_settle_job", R"(
UPDATE page_mail_jobs j
   SET claim_id = NULL, after_id = greatest(j.after_id, $3::uuid), attempts = $4::int::smallint,
       next_at = clock_timestamp() + $5 * interval '1 millisecond'
 WHERE j.id = $1 AND j.claim_id = $2
RETURNING j.id)"};

// The locks leave out recipients who end their subscription at this moment. Their keys would fail the whole batch.
constexpr postgres::statement insert_mails_again{"page_mail_insert_again", R"(
INSERT INTO page_mails (job_id, subscriber_id, attempts, next_at)
SELECT $1, s.id, 1, clock_timestamp() + w.pause * interval '1 millisecond'
  FROM unnest($2::uuid[], $3::bigint[]) AS w (id, pause) JOIN page_subscribers s ON s.id = w.id
   FOR KEY SHARE OF s
ON CONFLICT (job_id, subscriber_id) DO NOTHING)"};

// The end of a subscription locks the subscriber first, then its mails. The other order would be a deadlock.
constexpr postgres::statement lock_recipients{"page_mail_lock_recipients", R"(
SELECT s.id FROM page_subscribers s WHERE s.id = ANY ($1) ORDER BY s.id FOR NO KEY UPDATE)"};
constexpr postgres::statement lock_mails_again{"page_mail_lock_again", R"(
SELECT m.subscriber_id FROM page_mails m WHERE m.job_id = $1 AND m.claim_id = $2 ORDER BY m.subscriber_id FOR UPDATE)"};
// $4: milliseconds; $5: attempts that were made.
constexpr postgres::statement put_off_mails_again{"page_mail_put_off", R"(
UPDATE page_mails m
   SET claim_id = NULL, attempts = least(m.attempts + w.made, 5)::smallint,
       next_at = clock_timestamp() + w.pause * interval '1 millisecond'
  FROM unnest($3::uuid[], $4::bigint[], $5::bigint[]) AS w (id, pause, made)
 WHERE m.job_id = $1 AND m.claim_id = $2 AND m.subscriber_id = w.id)"};
constexpr postgres::statement delete_ended_mails{
    "page_mail_delete_ended",
    "DELETE FROM page_mails WHERE job_id = $1 AND claim_id = $2 AND subscriber_id = ANY ($3)"};

constexpr postgres::statement note_accepted{"page_mail_note_accepted", R"(
UPDATE page_subscribers SET refused_posts = 0 WHERE id = ANY ($1) AND refused_posts <> 0)"};
constexpr postgres::statement note_refused{"page_mail_note_refused", R"(
UPDATE page_subscribers SET refused_posts = refused_posts + 1 WHERE id = ANY ($1) AND refused_posts < $2)"};
constexpr postgres::statement remove_refusing{"page_mail_remove_refusing", R"(
DELETE FROM page_subscribers WHERE id = ANY ($1) AND refused_posts >= $2)"};

/// The recipients of a batch by the outcomes of their mails.
struct ends_of_batch {
  ends_of_batch(claimed_post const& batch, post_batch_end const& end) {
    using enum post_mail_end::fate;
    auto const known = std::min(batch.recipients.size(), end.mails.size());
    auto done = known;
    while (done > 0 && end.mails[done - 1].state == unsent) --done;
    if (done > 0) last = batch.recipients[done - 1].subscriber;
    all_started = done == batch.recipients.size();
    for (std::size_t i = 0; i < known; ++i) {
      auto const id = batch.recipients[i].subscriber;
      auto const& mail = end.mails[i];
      if (mail.state == sent) accepted.push_back(id);
      if (mail.state == refused) refusing.push_back(id);
      if (mail.state != retry && mail.state != unsent) {
        over.push_back(id);
        continue;
      }
      if (i < done) started = again.size() + 1;
      again.push_back(id);
      pauses.push_back(mail.state == retry ? mail.pause.count() : end.pause.count());
      made.push_back(mail.state == retry ? 1 : 0);
    }
  }

  std::vector<uuid> accepted{}, refusing{}, over{}, again{};
  std::vector<std::int64_t> pauses{}, made{};
  std::optional<uuid> last{};  ///< the last recipient with an outcome; those behind it were not started
  std::size_t started = 0;     ///< of `again`: the mails up to that recipient
  bool all_started = false;
};

void add_subscriber_changes(std::vector<postgres::query>& out, ends_of_batch const& ends) {
  if (!ends.accepted.empty()) out.push_back({note_accepted, postgres::parameters(ends.accepted)});
  if (ends.refusing.empty()) return;
  out.push_back({note_refused, postgres::parameters(ends.refusing, most_refused_posts)});
  out.push_back({remove_refusing, postgres::parameters(ends.refusing, most_refused_posts)});
}

postgres::query first_retries(claimed_post const& batch, ends_of_batch const& ends) {
  auto const count = static_cast<std::ptrdiff_t>(ends.started);
  std::vector<uuid> const ids(ends.again.begin(), ends.again.begin() + count);
  std::vector<std::int64_t> const pauses(ends.pauses.begin(), ends.pauses.begin() + count);
  return {insert_mails_again, postgres::parameters(batch.job, ids, pauses)};
}

/// The statement that shows if the batch is still claimed.
postgres::query first_change(claimed_post const& batch, post_batch_end const& end, ends_of_batch const& ends) {
  if (batch.again) return {lock_mails_again, postgres::parameters(batch.job, batch.claim)};
  auto const failures = end.away ? std::min(batch.failures + 1, 1'000U) : 0U;
  auto const pause = ends.all_started ? milliseconds(0) : end.pause;
  return {settle_job, postgres::parameters(batch.job, batch.claim, ends.last, static_cast<std::int64_t>(failures),
                                           std::int64_t{pause.count()})};
}

}  // namespace

task<bool> page_mail_store::settle_post(claimed_post const& batch, post_batch_end end, deadline until) {
  ends_of_batch const ends(batch, end);
  postgres::unit_of_work tx = co_await db_.begin(until);
  if (batch.again) {
    auto const ids =
        postgres::column<uuid>(batch.recipients, [](post_recipient const& each) { return each.subscriber; });
    postgres::query lock{lock_recipients, postgres::parameters(ids)};
    settled(co_await tx.run(std::move(lock)));
  }
  auto first = first_change(batch, end, ends);
  if (settled(co_await tx.run(std::move(first))).empty()) co_return false;
  std::vector<postgres::query> changes;
  if (batch.again) {
    changes.push_back({delete_ended_mails, postgres::parameters(batch.job, batch.claim, ends.over)});
    changes.push_back(
        {put_off_mails_again, postgres::parameters(batch.job, batch.claim, ends.again, ends.pauses, ends.made)});
  } else if (ends.started > 0) {
    changes.push_back(first_retries(batch, ends));
  }
  add_subscriber_changes(changes, ends);
  settled(co_await tx.commit(std::move(changes)));
  co_return true;
}

}  // namespace svc::store
