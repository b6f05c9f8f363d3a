// Tokens that an instance has never seen arrive all at once, while clients guess others. This happens after a restart
// with an empty Redis, or at the hour of nightly pipelines. `TEST_COLD=100000`: the number of tokens, over two
// instances.
#include "integration/system/extra_instance.hpp"
#include "integration/system/faults/faults.hpp"
#include "integration/system/revocation/auth_reads.hpp"
#include "support/together.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <thread>

namespace svc::test {
namespace {

using std::chrono::steady_clock;

constexpr int tokens_a_project = 20;

/// Tokens of one owner in separate projects, inserted into the database directly: no instance has ever seen them, and
/// Redis does not know them. They have the older form without a checksum.
class cold_tokens {
 public:
  cold_tokens(tenant const& tenant, int count) : stem_(tenant.organization) {
    std::erase(stem_, '-');
    auto const owner = "'" + tenant.user_id + "'::uuid";
    auto const organization = "(SELECT id FROM organizations WHERE slug = '" + tenant.organization + "')";
    auto const projects = std::to_string((count + tokens_a_project - 1) / tokens_a_project);
    shared_fleet().sql("INSERT INTO projects (id, organization_id, slug, name) SELECT gen_random_uuid(), " +
                       organization + ", 'cold-' || n, 'Cold' FROM generate_series(0, " + projects + " - 1) n");
    shared_fleet().sql(
        "WITH made AS (INSERT INTO tokens (id, kind, project_id, owner_id, created_by, name, start, slot)"
        " SELECT gen_random_uuid(), 'cli', p.id, " +
        owner + ", " + owner +
        ", 'cold-' || "
        "substr(p.slug, 6)::int * 20 + k - 1, 'svc_live_cold...', k FROM projects p, generate_series(1, 20) k"
        " WHERE p.organization_id = " +
        organization +
        " AND p.slug LIKE 'cold-%' RETURNING id, name)"
        " INSERT INTO token_secrets (digest, token_id, state, start) SELECT sha256(convert_to('svc_live_" +
        stem_ + "x' || substr(name, 6), 'UTF8')), id, 'current', 'svc_live_cold...' FROM made");
    shared_fleet().sql("ANALYZE tokens, token_secrets, projects");
  }

  std::string operator[](int which) const { return "svc_live_" + stem_ + "x" + std::to_string(which); }

 private:
  std::string stem_;
};

int ask(support::https_client& client, std::string const& token) {
  return client.request("GET", "/api/auth/whoami", {{"Authorization", "Bearer " + token}}).status;
}

/// Sends requests with unknown tokens as long as it lives.
class guesser {
 public:
  explicit guesser(extra_instance const& instance)
      : thread_([this, url = instance.url(), ca = instance.ca_file()] {
          support::https_client client(url, ca);
          for (int i = 0; !over_; ++i) {
            auto const status =
                ask(client, "svc_live_guessed" + std::to_string(reinterpret_cast<std::uintptr_t>(this) + i));
            (status == 401 ? refused : other) += 1;
          }
        }) {}
  ~guesser() {
    over_ = true;
    thread_.join();
  }

  std::atomic<int> refused = 0, other = 0;

 private:
  std::atomic<bool> over_ = false;
  std::thread thread_;
};

struct seen_of_one {
  int passed = 0, others = 0;
  std::vector<double> millis{};
};

TEST_CASE("unknown valid tokens arrive all at once: each passes, however many clients guess at the same time") {
  // The requests that wait in one pause of the machine, one of each client, are less than a hundredth.
  constexpr int short_form = 2000;
  int const count = long_form("TEST_COLD", short_form);
  bool const is_long = count > short_form;
  std::size_t const instances = is_long ? 2 : 1;
  // Each worker sends a statement every 40 ms: 5 000 tokens a second require this many waiting clients.
  int const clients = is_long ? 192 : 16, guessing = is_long ? 64 : 2;
  cold_tokens const tokens(shared_fleet().make_tenant(), count);
  std::vector<std::unique_ptr<extra_instance>> fresh;
  for (std::size_t i = 0; i < instances; ++i)
    fresh.push_back(std::make_unique<extra_instance>(std::vector<std::string>{"SVC_AUTH_UNSEEN_READS=50"}));

  std::deque<guesser> guessers;
  for (int i = 0; i < guessing; ++i) guessers.emplace_back(*fresh[static_cast<std::size_t>(i) % instances]);
  std::vector<seen_of_one> seen(static_cast<std::size_t>(clients));
  auto const before = count_auth_reads(shared_fleet());
  auto const start = steady_clock::now();
  together(clients, [&](int me) {
    auto& instance = *fresh[static_cast<std::size_t>(me) % instances];
    support::https_client client(instance.url(), instance.ca_file());
    auto& mine = seen[static_cast<std::size_t>(me)];
    for (int i = me; i < count; i += clients) {
      auto const asked = steady_clock::now();
      (ask(client, tokens[i]) == 200 ? mine.passed : mine.others) += 1;
      mine.millis.push_back(std::chrono::duration<double, std::milli>(steady_clock::now() - asked).count());
    }
  });
  double const seconds = std::chrono::duration<double>(steady_clock::now() - start).count();

  auto const reads = count_auth_reads(shared_fleet()) - before;

  int passed = 0, others = 0, guessed = 0;
  std::vector<double> all;
  for (auto const& view : seen) {
    passed += view.passed, others += view.others;
    all.insert(all.end(), view.millis.begin(), view.millis.end());
  }
  for (auto const& guesser : guessers) {
    guessed += guesser.refused;
    CHECK(guesser.other == 0);
  }
  std::ranges::sort(all);
  double const p99 = all[all.size() * 99 / 100];
  MESSAGE(passed << " tokens passed in " << seconds << " s, p99 " << p99 << " ms, " << guessed << " guesses refused; "
                 << reads.statements << " statements took " << reads.millis / seconds
                 << " ms of PostgreSQL a second");
  CHECK(passed == count);
  CHECK(others == 0);
  CHECK(p99 <= 250);
  CHECK(guessed > 0);
  CHECK(static_cast<double>(reads.statements) <= 50 * static_cast<double>(instances) * (seconds + 2));
}

}  // namespace
}  // namespace svc::test
