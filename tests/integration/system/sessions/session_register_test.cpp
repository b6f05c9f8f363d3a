// Ends of sessions of every kind under load on four instances, checked as a register.
#include "../revocation/ending_under_load.hpp"
#include "svc/core/bytes.hpp"
#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

int const of_each_session_end = long_form("TEST_SESSION_ENDS", 20) / 5;

/// A member of a project, whose sessions end in each possible way.
struct session_victims {
  fleet& installation;
  tenant owner = installation.make_tenant();
  tenant member = installation.make_member(owner, "project_editor");
  std::string project = installation.word(
      "SELECT p.id FROM projects p JOIN organizations o ON o.id = p.organization_id WHERE o.slug || '/' || p.slug = "
      "'" +
      owner.project + "'");
  std::vector<ending> endings{};

  explicit session_victims(fleet& where) : installation(where) {}

  std::string admin(std::vector<std::string> const& arguments) const {
    try {
      installation.admin(arguments);
      return {};
    } catch (std::runtime_error const& failed) {
      return std::string(failed.what()) + "\n";
    }
  }

  /// Makes a session as a sign-in does, and the headers of a page that uses it.
  header_list new_session() const {
    auto const minted = mint_token(token_kind::session);
    installation.sql("INSERT INTO sessions (id, user_id, digest, method, expires_at) VALUES (gen_random_uuid(), '" +
                     member.user_id + "', '\\x" + to_hex(minted.digest) +
                     "', 'link', clock_timestamp() + interval '1 day')");
    return {{"Cookie", "__Host-svc_session=" + std::string(minted.key.reveal())},
            {"Sec-Fetch-Site", "same-origin"},
            {"Svc-Project", project}};
  }

  /// `begin` prepares what `end` ends; the session is made between them.
  void add(std::string kind, int refused, std::function<std::string()> begin,
           std::function<std::string(header_list const&)> end) {
    auto const headers = std::make_shared<header_list>();
    endings.push_back({.kind = std::move(kind),
                       .probe = {.target = "/api/jobs", .refused = refused},
                       .begin =
                           [this, headers, begin](ending& each) {
                             auto failure = begin();
                             each.probe.headers = *headers = new_session();
                             return failure;
                           },
                       .end = [headers, end] { return end(*headers); }});
  }

  void add_all() {
    auto const nothing = [] { return std::string(); };
    add("sign-out", 401, nothing, [this](header_list const& headers) {
      auto const got = installation.client(0).http().request("POST", "/dashboard/v1/sign-out", headers);
      return got.status == 204 ? std::string() : got.body + "\n";
    });
    add(
        "ban", 401, [this] { return admin({"unban-user", "--user", member.user}); },
        [this](header_list const&) { return admin({"ban-user", "--user", member.user}); });
    add(
        "role", 404,
        [this] {
          return admin({"unban-user", "--user", member.user}) +
                 admin({"add-member", "--project", owner.project, "--user", member.user, "--role", "project_viewer"});
        },
        [this](header_list const&) {
          return admin({"remove-member", "--project", owner.project, "--user", member.user});
        });
    add(
        "archive", 404,
        [this] {
          return admin(
                     {"add-member", "--project", owner.project, "--user", member.user, "--role", "project_editor"}) +
                 admin({"unarchive-project", "--project", owner.project});
        },
        [this](header_list const&) { return admin({"archive-project", "--project", owner.project}); });
    add(
        "other session", 401, [this] { return admin({"unarchive-project", "--project", owner.project}); },
        [this](header_list const&) {
          // All others end by the request of one.
          auto const got =
              installation.client(1).http().request("DELETE", "/dashboard/v1/me/sessions", new_session());
          return got.status == 204 ? std::string() : got.body + "\n";
        });
  }
};

TEST_CASE("no request that begins after the answer to an end of its session is let in") {
  fleet installation(4);
  session_victims victims(installation);
  for (int i = 0; i < of_each_session_end; ++i) victims.add_all();
  std::vector<campaign> campaigns;
  campaigns.push_back({installation, victims.endings, 0});
  campaigns.back().run();
  CHECK(campaigns.back().failures == "");
  auto const verdict = check(campaigns);
  CHECK(verdict.accepted_after == 0);
  CHECK(verdict.refused_before == 0);
  CHECK(verdict.others == 0);
  CHECK(verdict.fewest_after >= 4 * uses_behind);
  MESSAGE(verdict.before << " uses before, " << verdict.during << " during, at least " << verdict.fewest_after
                         << " after each of " << victims.endings.size() << " ends of sessions");
}

TEST_CASE("the register checker sees an end of a session that bumps nobody") {
  fleet installation(4);
  session_victims victims(installation);
  for (int i = 0; i < 3; ++i)
    victims.add(
        "silent", 401, [] { return std::string(); },
        [&installation](header_list const&) {
          installation.sql("UPDATE sessions SET ended_at = clock_timestamp(), ended_reason = 'silent'");
          return std::string();
        });
  // Nobody is refused within the life of a record, so the clients stop after their uses.
  std::vector<campaign> campaigns;
  campaigns.push_back({installation, victims.endings, 0});
  campaigns.back().run();
  CHECK(check(campaigns).accepted_after > 0);
}

}  // namespace
}  // namespace svc::test
