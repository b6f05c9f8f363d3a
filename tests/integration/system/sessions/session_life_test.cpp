// Ends of sessions by time, and what counts as activity.
#include "browser.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/hash.hpp"

#include <doctest/doctest.h>

#include <thread>

namespace svc::test {
namespace {

TEST_CASE("idle and old sessions end, and requests in the background are no activity") {
  signed_in_member m;
  auto const age = [&](std::string const& column, std::string const& time) {
    m.installation.sql("UPDATE sessions SET " + column + " = clock_timestamp() - interval '" + time +
                       "' WHERE user_id = '" + m.member.user_id + "'");
    // Only a bump makes instances read the row before their record is too old.
    m.installation.sql("SELECT bump_subjects(ARRAY['" + m.member.user_id + "'::uuid])");
  };
  auto const soon = [&](std::string const& code) {
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < until) {
      auto const got = m.page.call("GET", "/api/jobs", {}, {{"Svc-Background", "1"}});
      if (code_of(got) == code) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return false;
  };
  age("last_seen_at", "13 hours");
  CHECK(soon("session_expired"));
  m.page.sign_in(m.member.user);
  CHECK(m.page.get("/api/jobs").status == 200);
  age("expires_at", "1 second");
  CHECK(soon("session_expired"));
}

TEST_CASE("requests in the background leave a session idle, while those of a person at another page keep theirs") {
  signed_in_member m;
  browser used(m.installation);
  used.sign_in(m.member.user);
  auto const seen_lately = [&](browser& page) {
    auto const digest = to_hex(sha256(page.cookie(session_cookie_name)));
    return m.installation.word(
        "SELECT last_seen_at > clock_timestamp() - interval '1 hour' FROM sessions "
        "WHERE digest = '\\x" +
        digest + "'");
  };
  // Both are used on one connection, so that one worker writes what it has seen of both.
  auto client = m.installation.client(0);
  auto const use = [&](browser& page, header_list fields) {
    fields.insert(fields.end(),
                  {{"Cookie", std::string(session_cookie_name) + "=" + page.cookie(session_cookie_name)},
                   {"Sec-Fetch-Site", "same-origin"},
                   {"Svc-Project", m.project}});
    CHECK(client.call("GET", "/api/jobs", {}, fields).status == 200);
  };
  m.installation.sql("UPDATE sessions SET last_seen_at = last_seen_at - interval '2 hours' WHERE user_id = '" +
                     m.member.user_id + "'");
  REQUIRE(seen_lately(used) == "f");
  CHECK(comes_true(
      [&] {
        use(m.page, {{"Svc-Background", "1"}});
        use(used, {});
        return seen_lately(used) == "t";
      },
      std::chrono::seconds(40)));
  CHECK(seen_lately(m.page) == "f");
}

}  // namespace
}  // namespace svc::test
