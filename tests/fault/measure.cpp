#include "measure.hpp"

#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <cstdio>
#include <cstdlib>

namespace svc::test {
namespace {

using std::chrono::milliseconds;
constexpr std::chrono::seconds measure_patience{60};

void measure(rig& rig, load_actors const& as, fault const& fault, milliseconds lasting) {
  using clock = std::chrono::steady_clock;
  CAPTURE(fault.name);
  auto const before = rig.sql("SELECT id FROM runs WHERE job_id = '" + as.keyed_job + "'");
  auto const attempts_before = load::attempts_of(rig);
  load clients(rig, as, lasting);
  REQUIRE(comes_true([&] { return clients.is_warm(); }, measure_patience));
  auto const begun = clock::now();
  fault.begin(rig);
  clients.start_revoking();
  std::this_thread::sleep_until(begun + lasting);
  fault.end(rig);
  auto const ended = clock::now();
  auto const normal = [&] {
    try {
      return rig.is_normal();
    } catch (std::runtime_error const&) {
      return false;
    }
  };
  CHECK(comes_true(normal, measure_patience));
  auto const normal_after = std::chrono::duration_cast<milliseconds>(clock::now() - ended);
  rig.await_normal();
  auto const records = clients.stop();
  auto stored = clients.stored();
  for (auto const& row : before) stored.keyed_runs.erase(row[0]);
  stored.attempts -= attempts_before;
  auto const got = evaluate(records, stored);
  auto const wrong = broken(got, fault.allowed, static_cast<int>(rig.size()));
  CHECK_MESSAGE(wrong.empty(), wrong);
  // A fault that nobody was there to notice has shown nothing.
  CHECK(got.good > load::users);
  CHECK(got.revoked == load::victims);
  CHECK(got.acknowledged > 0);
  std::printf("%s\n", row_of(fault.name, got, normal_after).c_str());
  std::fflush(stdout);
}

}  // namespace

bool is_long_form() {
  return std::getenv("TEST_PARTITION") != nullptr;
}

std::chrono::seconds partition_length(std::chrono::seconds short_form) {
  return std::chrono::seconds(long_form("TEST_PARTITION", static_cast<int>(short_form.count())));
}

void measure_all(rig& rig, load_actors const& as, std::vector<fault> const& faults, std::chrono::seconds lasting) {
  std::printf("%s, %zu instances, each fault %lld s:\n%s\n", rig.stores().name, rig.size(),
              static_cast<long long>(lasting.count()), head_of_table().c_str());
  for (auto const& fault : faults) measure(rig, as, fault, lasting);
}

}  // namespace svc::test
