#include "runner_fixture.hpp"

#include "svc/store/jobs/variable_store.hpp"

using namespace svc;
using namespace svc::test;

namespace {

constexpr std::size_t mib = 1024UL * 1024;

/// A job with one test that has a script of this number of bytes.
uuid make_heavy(machine& db, std::string const& name, std::size_t bytes, int tests = 1) {
  std::vector<uuid> planned;
  for (int i = 0; i < tests; ++i) {
    planned.push_back(db.make_test(name + std::to_string(i)).id);
    db.as_owner("UPDATE tests SET script = repeat('x', " + std::to_string(bytes) + ") WHERE id = '" +
                planned.back().to_string() + "'");
  }
  return db.make_job(name, planned).id;
}

}  // namespace

TEST_CASE("a claim's answer is bounded in bytes: runs that do not fit stay queued, at their position") {
  machine db;
  auto const heavy = make_heavy(db, "heavy", 3 * mib);
  auto const alone = make_heavy(db, "alone", 5 * mib, 2);
  std::vector<uuid> made;
  for (auto const job : {heavy, heavy, heavy, alone, db.id, heavy, db.id}) made.push_back(db.make_run(job).run);
  auto const claim = [&](std::vector<uuid> const& expected, bool more) {
    auto const got = db.wait(db.runners.claim(db.secret, {db.self, {"command"}, 10}, db.soon()));
    REQUIRE(got.has_value());
    std::vector<uuid> runs;
    for (auto const& run : got->runs) runs.push_back(run.run);
    CHECK(runs == expected);
    CHECK(got->more == more);
  };
  claim({made[0], made[1]}, true);
  CHECK(db.count("status = 'queued' AND attempt = 0 AND claim_id IS NULL AND version = 1") == 5);
  claim({made[2]}, true);  // with the next one it is too much
  claim({made[3]}, true);  // this one is too much by itself
  claim({made[4], made[5], made[6]}, false);
  claim({}, false);
}

TEST_CASE("a claim's answer holds each project's variables once per run") {
  machine db;
  // More than a project may have.
  store::variable_store variables(db.pool, db.master, {.variables = 0, .variable_bytes = 0});
  for (int i = 0; i < 300; ++i)
    REQUIRE(
        db.wait(variables.create(
                    db.as_ed(), {"V" + std::to_string(i), secret_string(std::string(10'000, 'v')), false}, db.soon()))
            .has_value());
  for (int i = 0; i < 4; ++i) db.make_run(db.id);
  CHECK(db.claim(10).size() == 2);
  CHECK(db.claim(1).size() == 1);
  CHECK(db.claim(10).size() == 1);
}
