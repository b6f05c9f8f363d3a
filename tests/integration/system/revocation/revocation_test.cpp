#include "ending_under_load.hpp"
#include "support/metrics_page.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

int const projects = long_form("TEST_PROJECTS", 4);
bool const is_long = projects >= 50;
constexpr int of_each_kind = 5, removals = 4, of_project = 3 * of_each_kind + removals;
/// The share of changes that must reach Redis within 50 ms of their COMMIT; asserted in the long form.
constexpr double propagated = 0.99;

/// The answer to a call if its status is not the wanted one.
std::string wrong(answer const& got, int wanted) {
  return got.status == wanted ? std::string() : got.body + "\n";
}

std::string run_admin(fleet const& fleet, std::vector<std::string> const& arguments) {
  try {
    fleet.admin(arguments);
    return {};
  } catch (std::runtime_error const& failed) {
    return std::string(failed.what()) + "\n";
  }
}

/// A project whose tokens lose what they may do, in each possible way.
struct project_of_victims {
  fleet& installation;
  tenant owner = installation.make_tenant();
  tenant member = installation.make_member(owner, "project_editor");
  std::shared_ptr<api_client> client = std::make_shared<api_client>(installation.client(0, owner.token));
  std::vector<ending> endings{};

  explicit project_of_victims(fleet& where) : installation(where) {
    for (int i = 0; i < of_each_kind; ++i) {
      revoke();
      disable();
      demote();
      if (i < removals) remove();
    }
  }

  /// Id and secret.
  std::pair<std::string, std::string> make_token() {
    auto const made = body_of(client->post("/api/cli-tokens", R"({"name":"v)" + std::to_string(++made_) + R"("})"));
    return {text_of(made, "/token/id"), text_of(made, "/token/key")};
  }

  void revoke() {
    auto const [id, key] = make_token();
    auto const end = [user = client, id] { return wrong(user->del("/api/cli-tokens/" + id), 204); };
    endings.push_back({.kind = "revocation", .key = key, .end = end});
  }

  void disable() {
    auto const [id, key] = make_token();
    auto const end = [user = client, id] {
      return wrong(user->patch("/api/cli-tokens/" + id, R"({"enabled":false})"), 200);
    };
    endings.push_back({.kind = "disable", .key = key, .end = end});
  }

  /// An editor may create tests, a viewer may not; this is checked before the body.
  void demote() {
    auto const set = [&fleet = installation, subject = member](std::string const& role) {
      return run_admin(fleet, {"set-role", "--project", subject.project, "--user", subject.user, "--role", role});
    };
    endings.push_back({.kind = "role change",
                       .probe = {"POST", "/api/tests", "{}", 400, 403},
                       .key = member.token,
                       .begin = [set](ending&) { return set("project_editor"); },
                       .end = [set] { return set("project_viewer"); }});
  }

  /// A user who returns gets no old token back: each removal ends a new one.
  void remove() {
    auto const removed_member = std::make_shared<tenant>();
    auto const begin = [&fleet = installation, removed_member, owner_of_organization = owner](ending& ending) {
      *removed_member = fleet.make_member(owner_of_organization, "org_admin");
      ending.key = removed_member->token;
      return std::string();
    };
    auto const end = [&fleet = installation, removed_member] {
      return run_admin(
          fleet, {"remove-member", "--organization", removed_member->organization, "--user", removed_member->user});
    };
    endings.push_back({.kind = "removal", .begin = begin, .end = end});
  }

 private:
  int made_ = 0;
};

/// Over all instances: how many changes reached Redis, and what share of them within this time.
struct propagation {
  double within = 0, all = 0;

  static propagation of(fleet const& fleet) {
    propagation out;
    for (std::size_t i = 0; i < fleet.size(); ++i) {
      auto const page = fleet.pages(i).get("/metrics").body;
      out.within += sum_of(page, R"(revocation_propagation_seconds_bucket{le="0.05"})");
      out.all += sum_of(page, "revocation_propagation_seconds_count");
    }
    return out;
  }
};

TEST_CASE("no request that begins after the answer to a revocation, disable, role change or removal is let in") {
  auto& fleet = shared_fleet();
  std::vector<std::unique_ptr<project_of_victims>> all;
  for (int i = 0; i < projects; ++i) all.push_back(std::make_unique<project_of_victims>(fleet));
  auto const before = propagation::of(fleet);
  std::vector<campaign> campaigns;
  for (int i = 0; i < projects; ++i)
    campaigns.push_back({fleet, all[static_cast<std::size_t>(i)]->endings, i * of_project});
  // Two at a time: users with different epochs, and changes that overlap.
  std::atomic<std::size_t> next{0};
  auto const work = [&] {
    for (auto i = next++; i < campaigns.size(); i = next++) campaigns[i].run();
  };
  std::thread other(work);
  work();
  other.join();

  for (auto const& c : campaigns) CHECK(c.failures == "");
  auto const verdict = check(campaigns);
  CHECK(verdict.accepted_after == 0);
  CHECK(verdict.refused_before == 0);
  CHECK(verdict.others == 0);
  CHECK(verdict.fewest_after >= campaign::clients_of(fleet) * uses_behind);
  CHECK(verdict.before > projects * of_project);
  auto const after = propagation::of(fleet);
  auto const changes = after.all - before.all, in_time = after.within - before.within;
  CHECK(changes >=
        2 * of_each_kind * projects);  // changes made by an instance; the others are made by the command line
  if (is_long) CHECK(in_time >= propagated * changes);
  MESSAGE(verdict.before << " uses before, " << verdict.during << " during, at least " << verdict.fewest_after
                         << " after each of " << projects * of_project << " changes; " << in_time << " of " << changes
                         << " told to Redis within 50 ms of their COMMIT");
}

TEST_CASE("the register checker sees a revocation that changes no epoch") {
  auto& fleet = shared_fleet();
  project_of_victims project(fleet);
  std::vector<ending> silent;
  for (int i = 0; i < of_each_kind; ++i) {
    auto const [id, key] = project.make_token();
    auto const end = [&fleet, id] {
      fleet.sql("UPDATE tokens SET revoked_at = clock_timestamp() WHERE id = '" + id + "'");
      return std::string();
    };
    silent.push_back({.kind = "silent", .key = key, .end = end});
  }
  campaign unheard{fleet, silent, 0};
  unheard.run();
  CHECK(check({unheard}).accepted_after > of_each_kind);
}

}  // namespace
}  // namespace svc::test
