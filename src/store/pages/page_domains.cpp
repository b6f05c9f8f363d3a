// Proofs of the custom domains of status pages.
#include "store/pages/status_page_sql.hpp"
#include "store/sql/change_sql.hpp"
#include "store/sql/settled.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/pages/page_store.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace svc::store {
namespace {

constexpr std::int64_t domains_at_once = 20;

// The page, and another one that has proved its domain, in the order that all writers share.
constexpr postgres::statement lock_claims{"page_lock_claims", R"(
SELECT p.id, p.project_id, p.name, p.domain_token, p.domain_verified_at,
       (SELECT j.organization_id FROM projects j WHERE j.id = p.project_id)
  FROM status_pages p
 WHERE p.custom_domain = $2 AND p.deleted_at IS NULL AND (p.id = $1 OR p.domain_verified_at IS NOT NULL)
 ORDER BY p.id FOR NO KEY UPDATE)"};

// $2: the proof is there. $3 days of failures end it.
constexpr postgres::statement write_domain_check{"page_write_domain_check", R"(
UPDATE status_pages p
   SET domain_checked_at = n.now,
       domain_failing_since = CASE WHEN NOT $2 AND p.domain_verified_at IS NOT NULL
                                   THEN coalesce(p.domain_failing_since, n.now) END,
       domain_verified_at = CASE WHEN $2 THEN coalesce(p.domain_verified_at, n.now)
                                 WHEN p.domain_failing_since > n.now - $3::bigint * interval '1 day'
                                      OR p.domain_failing_since IS NULL THEN p.domain_verified_at END,
       shown_version = p.shown_version + 1
  FROM (SELECT clock_timestamp() AS now) n
 WHERE p.id = $1
RETURNING p.domain_verified_at)"};

constexpr postgres::statement end_proof{"page_end_proof", R"(
UPDATE status_pages
   SET domain_verified_at = NULL, domain_checked_at = NULL, domain_failing_since = NULL,
       shown_version = shown_version + 1
 WHERE id = $1)"};

constexpr postgres::statement find_due_domains{"page_due_domains", R"(
SELECT project_id, id, custom_domain FROM status_pages
 WHERE domain_verified_at IS NOT NULL AND deleted_at IS NULL
   AND domain_checked_at < statement_timestamp() - interval '1 day'
 ORDER BY domain_checked_at LIMIT $1)"};

/// Days of failures after which a page loses its domain.
constexpr std::int64_t failing_days = 3;

/// A page that claims a domain.
struct domain_claim {
  uuid page{}, project{}, organization{};
  std::string name, token;
  std::optional<timestamp> verified_at{};
};

std::vector<domain_claim> read_domain_claims(postgres::rows const& found) {
  std::vector<domain_claim> out;
  for (int i = 0; i < found.size(); ++i) {
    auto const r = found[i];
    out.push_back({.page = r.id(0),
                   .project = r.id(1),
                   .organization = r.id(5),
                   .name = std::string(r.text(2)),
                   .token = std::string(r.text(3)),
                   .verified_at = r.maybe_time(4)});
  }
  return out;
}

bool proves(std::vector<std::string> const& found, domain_claim const& claim) {
  return std::ranges::find(found, claim.token) != found.end();
}

postgres::query audited_loss(domain_claim const& claim) {
  return audit_query({.actor = {.name = "status pages"},
                      .organization = claim.organization,
                      .project = claim.project,
                      .action = "status_page.domain_lost",
                      .resource = "status_page",
                      .resource_id = claim.page,
                      .details = boost::json::serialize(boost::json::object{{"name", claim.name}})});
}

postgres::query write_domain_check_query(uuid page, bool proven) {
  return {write_domain_check, postgres::parameters(page, proven, failing_days)};
}

}  // namespace

task<result<domain_check>> page_store::check_domain(editor editor, uuid id, std::string domain,
                                                    std::vector<std::string> found, deadline until) {
  auto work = co_await db_.begin(until);
  std::vector<postgres::query> reads{lock_project_query(editor.project),
                                     {get_status_page, postgres::parameters(editor.project, id)},
                                     {lock_claims, postgres::parameters(id, domain)}};
  auto const rows = settled(co_await work.run(std::move(reads)));
  if (rows[1].empty()) co_return errc::not_found;
  if (rows[0].empty()) co_return errc::project_archived;
  auto const claims = read_domain_claims(rows[2]);
  auto const own = std::ranges::find(claims, id, &domain_claim::page);
  if (own == claims.end()) co_return errc::not_found;
  bool const proven = proves(found, *own);
  std::vector<postgres::query> last;
  for (auto const& other : claims) {
    if (!proven || other.page == id) continue;
    if (proves(found, other)) co_return errc::domain_taken;
    last.push_back({end_proof, postgres::parameters(other.page)});
    last.push_back(audited_loss(other));
  }
  auto const checked = last.size();
  last.push_back(write_domain_check_query(id, proven));
  if (proven && !own->verified_at) last.push_back(audited_page(editor, "domain_verified", id, own->name));
  auto const done = co_await work.commit(std::move(last));
  // Another page proved the domain at the same time.
  if (!done && done.error().constraint == "status_pages_domain_unique") co_return errc::domain_taken;
  auto const rows_written = settled(done);
  co_return domain_check{.verified = proven, .verified_at = rows_written[checked].front().maybe_time(0)};
}

task<std::vector<domain_to_check>> page_store::domains_due(deadline until) {
  postgres::query ask{find_due_domains, postgres::parameters(domains_at_once)};
  auto const found = settled(co_await db_.run(std::move(ask), until));
  std::vector<domain_to_check> out;
  for (int i = 0; i < found.size(); ++i)
    out.push_back({.project = found[i].id(0), .page = found[i].id(1), .domain = std::string(found[i].text(2))});
  co_return out;
}

task<bool> page_store::recheck_domain(domain_to_check checked, std::optional<std::vector<std::string>> found,
                                      deadline until) {
  auto work = co_await db_.begin(until);
  postgres::query lock{lock_claims, postgres::parameters(checked.page, checked.domain)};
  auto const claims = read_domain_claims(settled(co_await work.run(std::move(lock))));
  auto const own = std::ranges::find(claims, checked.page, &domain_claim::page);
  if (own == claims.end() || !own->verified_at) co_return false;
  bool const proven = found && proves(*found, *own);
  auto const now = settled(co_await work.run(write_domain_check_query(checked.page, proven)));
  bool const lost = now.front().is_null(0);
  std::vector<postgres::query> last;
  if (lost) last.push_back(audited_loss(*own));
  settled(co_await work.commit(std::move(last)));
  co_return lost;
}

}  // namespace svc::store
