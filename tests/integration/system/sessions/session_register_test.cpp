// Ends of sessions of every kind under load on four instances, also while Redis fails, checked as a register.
#include "../revocation/late_fixture.hpp"
#include "svc/core/bytes.hpp"
#include "svc/domain/token.hpp"

#include "browser.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr int kinds_of_session_end = 8;

/// Returns how often each kind of end happens, unless the environment asks for the long form.
int rounds_of_ends(int otherwise) {
  return long_form("TEST_SESSION_ENDS", otherwise * kinds_of_session_end) / kinds_of_session_end;
}

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
  header_list new_session(std::string const& age = "0 s") const {
    auto const minted = mint_token(token_kind::session);
    installation.sql(
        "INSERT INTO sessions (id, user_id, digest, method, created_at, expires_at) VALUES "
        "(gen_random_uuid(), '" +
        member.user_id + "', '\\x" + to_hex(minted.digest) + "', 'link', clock_timestamp() - interval '" + age +
        "', clock_timestamp() + interval '1 day')");
    return {{"Cookie", std::string(session_cookie_name) + "=" + std::string(minted.key.reveal())},
            {"Sec-Fetch-Site", "same-origin"},
            {"Svc-Project", project}};
  }

  /// A kind of end: `begin` prepares what `end` ends; the session is made between them.
  struct kind {
    std::string name;
    std::function<std::string()> begin = [] { return std::string(); };
    std::function<std::string(header_list const&)> end{};
    int refused = 401;
    std::string age = "0 s";
  };

  void add(kind const& which) {
    auto const headers = std::make_shared<header_list>();
    endings.push_back({.kind = which.name,
                       .probe = {.target = "/api/jobs", .refused = which.refused},
                       .begin =
                           [this, headers, which](ending& each) {
                             auto failure = which.begin();
                             each.probe.headers = *headers = new_session(which.age);
                             return failure;
                           },
                       .end = [headers, which] { return which.end(*headers); }});
  }

  /// Repeats a request until it is answered, as a 503 asks for. A repeated end of the own session finds it ended.
  std::string insist(std::size_t instance, std::string const& method, std::string const& path,
                     header_list const& headers, std::string const& body = {}) const {
    auto fields = headers;
    if (!body.empty()) fields.emplace_back("Content-Type", "application/json");
    for (int left = 20, refused = 0;; --left, ++refused) {
      auto const got = installation.client(instance).http().request(method, path, fields, body);
      if (got.status < 300 || (refused > 0 && code_of(got) == "session_ended")) return {};
      if (got.status != 503 || left == 0) return got.body + "\n";
    }
  }

  /// Fifty live sessions, of which the session in use will be the oldest.
  std::string fill_up() const {
    installation.sql(
        "UPDATE sessions SET ended_at = clock_timestamp(), ended_reason = 'filled' WHERE ended_at IS NULL AND "
        "user_id = '" +
        member.user_id +
        "'; INSERT INTO sessions (id, user_id, digest, method, expires_at) SELECT gen_random_uuid(), '" +
        member.user_id +
        "', sha256(uuid_send(gen_random_uuid())), 'link', clock_timestamp() + interval '1 day' "
        "FROM generate_series(1, 49)");
    return {};
  }

  std::string sign_in_once_more() const {
    try {
      browser(installation, 2).sign_in(member.user);
      return {};
    } catch (std::runtime_error const& failed) {
      return std::string(failed.what()) + "\n";
    }
  }

  void add_requests() {
    add({.name = "sign-out",
         .begin = [this] { return admin({"unarchive-project", "--project", owner.project}); },
         .end = [this](auto const& used) { return insist(0, "POST", "/dashboard/v1/sign-out", used); }});
    // All others end by a request of one.
    add({.name = "other session",
         .end = [this](auto const&) { return insist(1, "DELETE", "/dashboard/v1/me/sessions", new_session()); }});
    add({.name = "password", .end = [this](auto const&) {
           return insist(3, "PUT", "/dashboard/v1/me/password", new_session(),
                         R"({"password":"seven unrelated words make one"})");
         }});
    add({.name = "oldest of 51",
         .begin = [this] { return fill_up(); },
         .end = [this](auto const&) { return sign_in_once_more(); },
         .age = "1 hour"});
  }

  void add_commands() {
    add({.name = "operator", .end = [this](auto const&) { return admin({"end-sessions", "--user", member.user}); }});
    add({.name = "ban",
         .begin = [this] { return admin({"unban-user", "--user", member.user}); },
         .end = [this](auto const&) { return admin({"ban-user", "--user", member.user}); }});
    add({.name = "role",
         .begin =
             [this] {
               return admin({"unban-user", "--user", member.user}) +
                      admin({"add-member", "--project", owner.project, "--user", member.user, "--role",
                             "project_viewer"});
             },
         .end =
             [this](auto const&) {
               return admin({"remove-member", "--project", owner.project, "--user", member.user});
             },
         .refused = 404});
    add({.name = "archive",
         .begin =
             [this] {
               return admin({"add-member", "--project", owner.project, "--user", member.user, "--role",
                             "project_editor"}) +
                      admin({"unarchive-project", "--project", owner.project});
             },
         .end = [this](auto const&) { return admin({"archive-project", "--project", owner.project}); },
         .refused = 404});
  }

  /// Each kind once, in an order in which each finds what it needs.
  void add_all() {
    add_requests();
    add_commands();
  }
};

TEST_CASE("no request that begins after the answer to an end of its session is let in") {
  fleet installation(4);
  session_victims victims(installation);
  for (int i = 0; i < rounds_of_ends(3); ++i) victims.add_all();
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

/// Lets Redis fail before each end of a session, and return before the next session is made.
class failing_redis {
 public:
  failing_redis(fleet& installation, std::vector<ending>& endings) : installation_(installation) {
    for (std::size_t i = 0; i < endings.size(); ++i) surround(endings[i], i + i / kinds_of_session_end);
  }

  void recover() {
    if (gone_ == fault::stopped) redis_.go_on();
    if (gone_ == fault::killed) redis_.start(false);
    gone_ = fault::none;
    CHECK(limits_become(installation_, "shared", patience, [] {}));
  }

 private:
  enum class fault { none, stopped, killed };

  void surround(ending& each, std::size_t turn) {
    each.begin = [this, begin = each.begin](ending& next) {
      recover();
      return begin(next);
    };
    each.end = [this, turn, end = each.end] {
      if (turn % 3 == 0) redis_.stop();
      if (turn % 3 == 1) redis_.kill();
      if (turn % 3 == 2) installation_.redis({"FLUSHALL"});
      if (turn % 3 < 2) gone_ = turn % 3 == 0 ? fault::stopped : fault::killed;
      return end();
    };
  }

  fleet& installation_;
  lost_and_found_redis redis_{installation_};
  fault gone_ = fault::none;
};

TEST_CASE("while Redis is stopped, killed or flushed no request that begins after the answer is let in either") {
  fleet installation(4, {"SVC_HTTP_DEADLINE=2s", "SVC_REDIS_DEADLINE=50ms", "SVC_INSTANCES=4"});
  session_victims victims(installation);
  for (int i = 0; i < rounds_of_ends(1); ++i) victims.add_all();
  failing_redis faults(installation, victims.endings);
  std::vector<campaign> campaigns;
  campaigns.push_back({installation, victims.endings, 0});
  campaigns.back().run();
  faults.recover();
  CHECK(campaigns.back().failures == "");
  auto const verdict = check(campaigns);
  CHECK(verdict.accepted_after == 0);
  CHECK(verdict.refused_before == 0);
  CHECK_MESSAGE(verdict.others == 0, installation.complaints());
  CHECK(verdict.fewest_after >= 4 * uses_behind);
  // An end for good stays one after the return of Redis.
  for (auto const& each : victims.endings) {
    CAPTURE(each.kind);
    if (each.kind == "ban" || each.probe.refused != 401) continue;
    for (std::size_t instance = 0; instance < installation.size(); ++instance)
      CHECK(installation.client(instance).call("GET", each.probe.target, {}, each.probe.headers).status == 401);
  }
  MESSAGE(verdict.before << " uses before, " << verdict.during << " during, at least " << verdict.fewest_after
                         << " after each of " << victims.endings.size() << " ends of sessions");
}

TEST_CASE("the register checker sees an end of a session that bumps nobody") {
  fleet installation(4);
  session_victims victims(installation);
  for (int i = 0; i < 3; ++i)
    victims.add({.name = "silent", .end = [&installation](auto const&) {
                   installation.sql("UPDATE sessions SET ended_at = clock_timestamp(), ended_reason = 'silent'");
                   return std::string();
                 }});
  // Nobody is refused within the life of a record, so the clients stop after their uses.
  std::vector<campaign> campaigns;
  campaigns.push_back({installation, victims.endings, 0});
  campaigns.back().run();
  CHECK(check(campaigns).accepted_after > 0);
}

}  // namespace
}  // namespace svc::test
