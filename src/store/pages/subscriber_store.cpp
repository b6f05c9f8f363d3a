#include "svc/store/pages/subscriber_store.hpp"

#include "store/pages/subscription_token.hpp"
#include "store/sealing/project_key.hpp"
#include "store/sql/settled.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/sealer.hpp"
#include "svc/postgres/pool.hpp"

#include <array>
#include <utility>

namespace svc::store {
namespace {

// The numbers of confirmations are exact, because all requests take this lock.
constexpr postgres::statement lock_confirmations{
    "subscription_lock", "SELECT pg_advisory_xact_lock(hashtextextended('page confirmations', 0))"};

constexpr postgres::statement find_offer{"subscription_find_offer", R"(
SELECT p.project_id FROM status_pages p JOIN projects j ON j.id = p.project_id AND j.archived_at IS NULL
 WHERE p.id = $1 AND p.status = 'published' AND p.allow_subscribers AND p.deleted_at IS NULL)"};

// $1 page, $2 digest of the address, $3 confirmations of an hour.
constexpr postgres::statement look_at_address{"subscription_look", R"(
SELECT p.project_id, s.id, coalesce(s.state, ''),
       EXISTS (SELECT FROM mail_refusals r WHERE r.digest = $2),
       (SELECT count(*) FROM page_confirmations c
         WHERE c.digest = $2 AND c.sent_at > statement_timestamp() - interval '24 hours'),
       EXISTS (SELECT FROM page_confirmations c
                WHERE c.digest = $2 AND c.page_id = $1 AND c.sent_at > statement_timestamp() - interval '24 hours'),
       coalesce(a.active, 0)::bigint, h.all_projects, h.own_project
  FROM status_pages p
  JOIN projects j ON j.id = p.project_id AND j.archived_at IS NULL
  LEFT JOIN page_subscribers s ON s.page_id = p.id AND s.digest = $2
  LEFT JOIN page_audiences a ON a.page_id = p.id
 CROSS JOIN LATERAL (
   SELECT count(*) AS all_projects, count(*) FILTER (WHERE c.project_id = p.project_id) AS own_project
     FROM (SELECT n.project_id FROM page_confirmations n
            WHERE n.sent_at > statement_timestamp() - interval '1 hour' LIMIT $3) c) h
 WHERE p.id = $1 AND p.status = 'published' AND p.allow_subscribers AND p.deleted_at IS NULL)"};

// Components of other pages are left out; without any the subscription is for all.
constexpr postgres::statement insert_subscriber{"subscription_insert", R"(
INSERT INTO page_subscribers (id, project_id, page_id, email, digest, component_ids, confirm_digest, confirm_expires_at,
                              sealed, key_id)
VALUES ($1, $2, $3, $4, $5,
        ARRAY(SELECT c.id FROM page_components c WHERE c.page_id = $3 AND c.id = ANY ($6) ORDER BY c.id), $7,
        clock_timestamp() + $8 * interval '1 second', $9, $10))"};

constexpr postgres::statement renew_subscriber{"subscription_renew", R"(
UPDATE page_subscribers s
   SET component_ids = ARRAY(SELECT c.id FROM page_components c
                              WHERE c.page_id = s.page_id AND c.id = ANY ($2) ORDER BY c.id),
       confirm_expires_at = clock_timestamp() + $3 * interval '1 second'
 WHERE s.id = $1 AND s.state = 'pending')"};

constexpr postgres::statement insert_confirmation{"subscription_insert_confirmation", R"(
INSERT INTO page_confirmations (id, project_id, page_id, subscriber_id, digest) VALUES ($1, $2, $3, $4, $5))"};

constexpr postgres::statement count_audience{
    "subscription_audience", "SELECT active::bigint, pending::bigint FROM page_audiences WHERE page_id = $1"};

constexpr postgres::statement find_by_token{"subscription_find", R"(
SELECT s.state = 'active', coalesce(s.confirm_expires_at > clock_timestamp(), false) FROM page_subscribers s
 WHERE s.page_id = $1 AND (s.confirm_digest = $2 OR s.stop_digest = $2))"};

constexpr postgres::statement confirm_subscriber{"subscription_confirm", R"(
UPDATE page_subscribers s
   SET state = 'active', confirmed_at = clock_timestamp(), stop_digest = s.confirm_digest, confirm_digest = NULL,
       confirm_expires_at = NULL
  FROM status_pages p
 WHERE s.page_id = $1 AND s.confirm_digest = $2 AND s.state = 'pending' AND s.confirm_expires_at > clock_timestamp()
   AND p.id = s.page_id AND p.allow_subscribers AND p.status = 'published' AND p.deleted_at IS NULL
RETURNING s.id)"};

constexpr postgres::statement refuse_mail{"subscription_refuse", R"(
WITH asked AS (
  SELECT s.digest FROM page_subscribers s WHERE s.page_id = $1 AND s.confirm_digest = $2 AND s.state = 'pending'
), refused AS (
  INSERT INTO mail_refusals (digest) SELECT a.digest FROM asked a ON CONFLICT (digest) DO NOTHING
), over AS (
  SELECT s.id FROM page_subscribers s JOIN asked a ON a.digest = s.digest ORDER BY s.id FOR UPDATE OF s
)
DELETE FROM page_subscribers s USING over o WHERE s.id = o.id RETURNING s.id)"};

constexpr postgres::statement stop_subscription{
    "subscription_stop", "DELETE FROM page_subscribers s WHERE s.page_id = $1 AND s.stop_digest = $2"};

constexpr postgres::statement delete_pending{"subscription_delete_pending", R"(
DELETE FROM page_subscribers WHERE id IN (
  SELECT s.id FROM page_subscribers s
   WHERE s.state = 'pending' AND s.created_at < statement_timestamp() - $2 * interval '1 second'
     AND coalesce(s.confirm_expires_at, '-infinity') < clock_timestamp()
   ORDER BY s.created_at LIMIT $1 FOR UPDATE SKIP LOCKED))"};

constexpr postgres::statement delete_confirmations{"subscription_delete_confirmations", R"(
DELETE FROM page_confirmations WHERE id IN (
  SELECT c.id FROM page_confirmations c WHERE c.sent_at < statement_timestamp() - interval '24 hours'
   ORDER BY c.sent_at LIMIT $1 FOR UPDATE SKIP LOCKED))"};

constexpr postgres::statement delete_refusals{"subscription_delete_refusals", R"(
DELETE FROM mail_refusals WHERE digest IN (
  SELECT r.digest FROM mail_refusals r ORDER BY r.refused_at
   LIMIT least($1, greatest(0, (SELECT count(*) FROM mail_refusals) - $2))))"};

constexpr std::array<std::string_view, subscription_outcome_count> outcome_texts{
    "asked", "active", "not_offered", "page_full", "refused", "too_many_mails", "limited"};

std::int64_t pending_seconds() {
  return std::chrono::seconds(pending_life).count();
}

/// The row of `look_at_address`.
struct looked_address {
  explicit looked_address(postgres::row const& r)
      : project(r.id(0)),
        subscriber(r.maybe_id(1)),
        active(r.text(2) == "active"),
        refuses(r.boolean(3)),
        confirmations(r.integer(4)),
        asked_here(r.boolean(5)),
        audience(r.integer(6)),
        of_hour(r.integer(7)),
        own_of_hour(r.integer(8)) {}

  subscription_outcome judge(subscriber_store::limits const& most) const {
    using outcome = subscription_outcome;
    if (refuses) return outcome::refused;
    if (active) return outcome::active;
    if (audience >= most.subscribers) return outcome::page_full;
    if (asked_here || confirmations >= most_confirmations) return outcome::too_many_mails;
    // Half of the installation's, so that visitors who flood the form of one project leave others theirs.
    bool const over_share = own_of_hour >= (most.confirmations_per_hour + 1) / 2;
    return of_hour >= most.confirmations_per_hour || over_share ? outcome::limited : outcome::asked;
  }

  uuid project;
  std::optional<uuid> subscriber;
  bool active, refuses;
  std::int64_t confirmations;
  bool asked_here;
  std::int64_t audience, of_hour, own_of_hour;
};

/// Stores a new pending subscription, and returns its id.
task<uuid> add_subscriber(postgres::unit_of_work& tx, master_keys& master, uuid project, subscription_request request,
                          sha256_digest address) {
  auto const id = uuid::generate_v7();
  auto const token = mint_subscription_token();
  auto const key = co_await data_key_of(tx, master, project);
  auto const sealed = seal_bytes(key.plain, token.reveal(), place_of(project, id));
  auto const digest = sha256(token.reveal());
  postgres::query insert{
      insert_subscriber,
      postgres::parameters(id, project, request.page, request.email, byte_view(address), request.components,
                           byte_view(digest), pending_seconds(), sealed, key.id)};
  settled(co_await tx.run(std::move(insert)));
  co_return id;
}

}  // namespace

std::string_view to_text(subscription_outcome outcome) {
  return outcome_texts.at(static_cast<std::size_t>(outcome));
}

task<bool> subscriber_store::request(subscription_queue& queue, subscription_request request, deadline until) {
  postgres::query ask{find_offer, postgres::parameters(request.page)};
  // A page that takes no subscribers gets the same answer, and costs the queue nothing.
  if (settled(co_await db_.run(std::move(ask), until)).empty()) co_return true;
  co_return queue.push(std::move(request));
}

task<std::optional<uuid>> subscriber_store::find_project(uuid page, deadline until) {
  postgres::query ask{find_offer, postgres::parameters(page)};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return std::nullopt;
  co_return found.front().id(0);
}

task<subscription_outcome> subscriber_store::subscribe(subscription_request request, master_keys& master, limits most,
                                                       deadline until) {
  auto const address = sha256(lower_case(request.email));
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> look{
      {lock_confirmations},
      {look_at_address, postgres::parameters(request.page, byte_view(address), most.confirmations_per_hour)}};
  std::vector<postgres::rows> const looked = settled(co_await tx.run(std::move(look)));
  if (looked[1].empty()) co_return subscription_outcome::not_offered;
  looked_address const found(looked[1].front());
  if (auto const outcome = found.judge(most); outcome != subscription_outcome::asked) co_return outcome;
  auto const page = request.page;
  uuid subscriber = found.subscriber.value_or(uuid{});
  if (found.subscriber) {
    postgres::query renew{renew_subscriber, postgres::parameters(subscriber, request.components, pending_seconds())};
    settled(co_await tx.run(std::move(renew)));
  } else {
    subscriber = co_await add_subscriber(tx, master, found.project, std::move(request), address);
  }
  std::vector<postgres::query> next{{insert_confirmation, postgres::parameters(uuid::generate_v7(), found.project,
                                                                               page, subscriber, byte_view(address))},
                                    {count_audience, postgres::parameters(page)}};
  std::vector<postgres::rows> const counted = settled(co_await tx.run(std::move(next)));
  // Without a commit the transaction is rolled back.
  if (!counted[1].empty() && counted[1].front().integer(1) > most.subscribers)
    co_return subscription_outcome::page_full;
  settled(co_await tx.commit());
  co_return subscription_outcome::asked;
}

task<pages::subscription_step> subscriber_store::find_link(uuid page, std::string token, deadline until) {
  using enum pages::subscription_step;
  auto const digest = read_subscription_token(token);
  if (!digest) co_return link_over;
  postgres::query ask{find_by_token, postgres::parameters(page, byte_view(*digest))};
  postgres::rows const found = settled(co_await db_.run(std::move(ask), until));
  if (found.empty()) co_return link_over;
  if (found.front().boolean(0)) co_return stop;
  co_return found.front().boolean(1) ? confirm : link_over;
}

task<pages::subscription_step> subscriber_store::act(uuid page, std::string token, subscription_action action,
                                                     limits most, deadline until) {
  using enum pages::subscription_step;
  auto const digest = read_subscription_token(token);
  if (!digest) co_return link_over;
  auto const values = postgres::parameters(page, byte_view(*digest));
  if (action == subscription_action::stop) {
    postgres::query stop_it{stop_subscription, values};
    settled(co_await db_.run(std::move(stop_it), until));
    co_return stopped;
  }
  if (action == subscription_action::refuse) {
    postgres::query refuse{refuse_mail, values};
    co_return settled(co_await db_.run(std::move(refuse), until)).empty() ? link_over : refused;
  }
  postgres::unit_of_work tx = co_await db_.begin(until);
  std::vector<postgres::query> changes{{confirm_subscriber, values}, {count_audience, postgres::parameters(page)}};
  std::vector<postgres::rows> const done = settled(co_await tx.run(std::move(changes)));
  // Without a commit the transaction is rolled back: a full page takes nobody.
  if (done[0].empty() || done[1].empty() || done[1].front().integer(0) > most.subscribers) co_return link_over;
  settled(co_await tx.commit());
  co_return confirmed;
}

task<std::int64_t> subscriber_store::delete_over(std::int64_t most, deadline until, std::int64_t refusals) {
  std::int64_t out = 0;
  postgres::query ask{delete_pending, postgres::parameters(most, pending_seconds())};
  out += settled(co_await db_.run(std::move(ask), until)).affected();
  ask = {delete_confirmations, postgres::parameters(most)};
  out += settled(co_await db_.run(std::move(ask), until)).affected();
  ask = {delete_refusals, postgres::parameters(most, refusals)};
  co_return out + settled(co_await db_.run(std::move(ask), until)).affected();
}

}  // namespace svc::store
