#include "shop.hpp"

using namespace svc;
using namespace svc::test;

TEST_CASE("the audit trail is filtered by action, user and time, within its project") {
  shop db;
  uuid const test = db.make_test("t").id;
  CHECK_FALSE(failure(db.wait(db.tests.remove(db.as_ed(), test, db.soon()))));
  CHECK(db.wait(db.tests.create(db.elsewhere(), {.title = "abroad"}, db.soon())).has_value());
  auto const total = [&](store::audit_filter which) {
    which.project = db.project;
    return db.wait(db.audit.list(which, {}, db.soon())).total;
  };
  auto const all = total({});
  auto const newest = db.wait(db.audit.list({.project = db.project}, {}, db.soon())).rows.front();
  CHECK(newest.entry.action == "test.deleted");
  auto const then = newest.created_at;
  auto const later = then + std::chrono::microseconds(1);
  CHECK(total({.action = "test.created"}) == 1);
  CHECK(total({.actor = db.ed}) == 2);
  CHECK(total({.action = "test.created", .actor = db.ada}) == 0);
  CHECK(total({.start = then}) == 1);
  CHECK(total({.start = later}) == 0);
  CHECK(total({.end = then}) == all - 1);
  CHECK(total({.end = later}) == all);
  CHECK(db.wait(db.audit.list({.project = db.other_project, .actor = db.ada}, {}, db.soon())).total == 1);
}
