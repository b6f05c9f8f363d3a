// Plans of the statements that find mails of status pages to send.
#include "page_mail_fixture.hpp"

#include <algorithm>
#include <string>
#include <string_view>

using namespace svc;
using namespace svc::test;

namespace {

/// Returns the largest number of rows that a filter of the plan removed.
long most_removed(std::string const& plan) {
  static constexpr std::string_view label = "Rows Removed by Filter: ";
  long out = 0;
  for (auto position = plan.find(label); position != std::string::npos; position = plan.find(label, position)) {
    position += label.size();
    out = std::max(out, std::stol(plan.substr(position)));
  }
  return out;
}

}  // namespace

TEST_CASE("what is due is found by indexes, however many mails wait") {
  page_mailing db;
  auto const page = db.make_page("acme");
  auto const incident = db.make_incident(page, "Checkout fails");
  db.make_subscriber(page, "ann@mail.test");
  for (int i = 0; i < 3; ++i) db.post(page, incident, "More.");
  db.as_owner(
      "INSERT INTO page_subscribers (id, project_id, page_id, email, digest, state, confirmed_at) SELECT"
      " gen_random_uuid(), project_id, id, 'n' || n || '@mail.test', sha256(n::text::bytea), 'active', now()"
      " FROM status_pages CROSS JOIN generate_series(1, 5000) n;"
      "INSERT INTO page_mails (job_id, subscriber_id, next_at) SELECT j.id, s.id, now() + interval '1 hour'"
      " FROM page_mail_jobs j CROSS JOIN page_subscribers s;"
      "INSERT INTO page_mail_jobs (id, project_id, page_id, post_id, providers_at, ended_at) SELECT "
      "gen_random_uuid(),"
      " project_id, id, gen_random_uuid(), now(), now() FROM status_pages CROSS JOIN generate_series(1, 5000) n;"
      "INSERT INTO page_confirmations (id, project_id, page_id, digest, next_at, sent_at) SELECT gen_random_uuid(),"
      " project_id, id, sha256(n::text::bytea), now() + interval '1 hour', now() - interval '2 hours'"
      " FROM status_pages CROSS JOIN generate_series(1, 5000) n;"
      "ANALYZE");
  postgres::pool single_pool(db.io, {.url = secret_string(db.url()), .size = 1});
  single_pool.start();
  store::page_mail_store mails(single_pool, db.master);
  db.wait(mails.announce(db.soon()));
  CHECK(db.wait(mails.claim_confirmations(2, db.soon())).mails.empty());
  CHECK(db.wait(mails.claim_post({}, db.soon())).batch.has_value());
  db.check_plans(single_pool,
                 {{"page_mail_find_confirmations", "2", {"page_confirmations_due"}},
                  {"page_mail_find_again", "'{}'", {"page_mails_due"}},
                  {"page_mail_find_job", "'{}'", {"page_mail_jobs_"}}},
                 [](plan_case const& each, std::string const& plan) {
                   CAPTURE(each.statement);
                   CHECK(plan.find("Seq Scan on page_mail") == std::string::npos);
                   // A filter would read all rows that wait.
                   CHECK(most_removed(plan) < 100);
                 });
}
