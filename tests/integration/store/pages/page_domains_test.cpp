// Proofs of the custom domains of status pages.
#include "page_fixture.hpp"

using namespace svc;
using namespace svc::test;

namespace {

constexpr auto domain = "status.acme.test";

pages::status_page make_claim(paged_shop& db, std::string slug) {
  auto set = db.page_named(std::move(slug));
  set.custom_domain = domain;
  auto made = db.create_page(set);
  REQUIRE(made.has_value());
  return *made;
}

result<store::domain_check> check(paged_shop& db, uuid page, std::vector<std::string> found) {
  return db.wait(db.status_pages.check_domain(db.as_ed(), page, domain, std::move(found), db.soon()));
}

std::optional<uuid> page_at_domain(paged_shop& db) {
  auto const found = db.wait(db.snapshots.find_domain(domain, db.soon()));
  return found ? std::optional(found->id) : std::nullopt;
}

void fail_since(paged_shop& db, std::string const& ago) {
  db.as_owner(
      "UPDATE status_pages SET domain_checked_at = now() - interval '25 hours', domain_failing_since = now() -"
      " interval '" +
      ago + "' WHERE domain_verified_at IS NOT NULL");
}

}  // namespace

TEST_CASE("a domain serves a page only after the page's own record was found") {
  paged_shop db;
  auto const acme = make_claim(db, "acme");
  CHECK_FALSE(page_at_domain(db));
  auto const wrong = check(db, acme.id, {"v=spf1", "svc-verify=other"});
  REQUIRE(wrong.has_value());
  CHECK_FALSE(wrong->verified);
  CHECK_FALSE(wrong->verified_at);
  CHECK_FALSE(page_at_domain(db));
  auto const right = check(db, acme.id, {"v=spf1", acme.proof.token});
  REQUIRE(right.has_value());
  CHECK(right->verified);
  CHECK(right->verified_at);
  CHECK(page_at_domain(db) == acme.id);
  CHECK(db.serve(acme.id).domain == domain);
  CHECK(check(db, acme.id, {acme.proof.token})->verified_at == right->verified_at);
  CHECK(db.audit_rows("status_page.domain_verified") == 1);
  CHECK(failure(db.wait(db.status_pages.check_domain(db.as_ed(), acme.id, "other.test", {}, db.soon()))) ==
        errc::not_found);
  // Another domain needs another proof.
  auto const moved = db.change_page(acme.id, [](auto& set) { set.custom_domain = "new.acme.test"; });
  REQUIRE(moved.has_value());
  CHECK_FALSE(moved->proof.verified_at);
  CHECK_FALSE(page_at_domain(db));
}

TEST_CASE("a second proof of a domain wins only if the first one is gone") {
  paged_shop db;
  auto const first = make_claim(db, "first");
  auto const second = make_claim(db, "second");
  REQUIRE(check(db, first.id, {first.proof.token})->verified);
  CHECK(failure(check(db, second.id, {first.proof.token, second.proof.token})) == errc::domain_taken);
  CHECK(page_at_domain(db) == first.id);
  CHECK_FALSE(check(db, second.id, {first.proof.token})->verified);
  CHECK(page_at_domain(db) == first.id);
  CHECK(check(db, second.id, {second.proof.token})->verified);
  CHECK(page_at_domain(db) == second.id);
  CHECK_FALSE(db.wait(db.status_pages.get(db.project, first.id, db.soon()))->proof.verified_at);
  CHECK(db.audit_rows("status_page.domain_lost") == 1);
}

TEST_CASE("a page loses its domain after three days of failures, and one good check forgives them") {
  paged_shop db;
  auto const acme = make_claim(db, "acme");
  REQUIRE(check(db, acme.id, {acme.proof.token})->verified);
  CHECK(db.wait(db.status_pages.domains_due(db.soon())).empty());
  fail_since(db, "71 hours");
  auto const due = db.wait(db.status_pages.domains_due(db.soon()));
  REQUIRE(due.size() == 1);
  CHECK(due[0].domain == domain);
  CHECK_FALSE(db.wait(db.status_pages.recheck_domain(due[0], std::nullopt, db.soon())));
  CHECK(page_at_domain(db) == acme.id);
  CHECK(db.wait(db.status_pages.domains_due(db.soon())).empty());
  CHECK_FALSE(db.wait(db.status_pages.recheck_domain(due[0], std::vector{acme.proof.token}, db.soon())));
  CHECK(db.rows("status_pages WHERE domain_failing_since IS NULL") == 1);
  CHECK_FALSE(db.wait(db.status_pages.recheck_domain(due[0], std::vector<std::string>{}, db.soon())));
  CHECK(db.rows("status_pages WHERE domain_failing_since IS NOT NULL") == 1);
  fail_since(db, "73 hours");
  CHECK(db.wait(db.status_pages.recheck_domain(due[0], std::vector<std::string>{"x"}, db.soon())));
  CHECK_FALSE(page_at_domain(db));
  CHECK(db.audit_rows("status_page.domain_lost") == 1);
  CHECK_FALSE(db.wait(db.status_pages.recheck_domain(due[0], std::nullopt, db.soon())));
}
