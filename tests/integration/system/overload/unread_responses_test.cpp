// Clients ask for large responses and do not read them. They hold little memory, a user at its limit is refused more,
// and other clients do not notice. `TEST_UNREAD=1000`: the number of connections.
#include "integration/system/extra_instance.hpp"
#include "integration/system/faults/faults.hpp"
#include "resources.hpp"
#include "support/metrics_page.hpp"
#include "support/process_tree.hpp"
#include "support/stalled_clients.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <memory>

namespace svc::test {
namespace {

constexpr std::size_t mebibyte = 1024UL * 1024;

std::string test_of_size(std::size_t size) {
  return R"({"title":"t","script":")" + std::string(size, 'x') + "\"}";
}

std::string request_for(std::string const& path, std::string const& token) {
  return "GET " + path + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + token + "\r\n\r\n";
}

double responses_held(extra_instance const& instance) {
  return sum_of(instance.pages().get("/metrics").body, "svc_account_held{", "account=\"responses\"");
}

/// Returns the most resident bytes of the process until all clients have sent their requests and `settled` holds.
long peak_memory(extra_instance const& instance, stalled_clients const& clients,
                 std::function<bool()> const& settled) {
  auto most = resident_memory(instance.pid());
  CHECK(comes_true(
      [&] {
        most = std::max(most, resident_memory(instance.pid()));
        return clients.all_stalling() && settled();
      },
      seconds(60)));
  return std::max(most, resident_memory(instance.pid()));
}

TEST_CASE("many connections that ask for one script and do not read it share its bytes, on all workers") {
  auto const count = static_cast<std::size_t>(long_form("TEST_UNREAD", 300));
  extra_instance const instance({"SVC_WORKERS=2", "SVC_HTTP_WRITE_TIMEOUT=60s", "SVC_HTTP_DEADLINE=10s"});
  auto const attacker = shared_fleet().make_tenant();
  auto owner = instance.client(attacker.token);
  auto third = instance.client(shared_fleet().make_tenant().token);
  auto const made = owner.post("/api/tests", test_of_size(4 * mebibyte));
  REQUIRE(made.status == 201);
  auto const path = "/api/tests/" + id_of(made) + "?includeScript=true";
  auto const first = owner.get(path);
  CHECK(first.status == 200);
  CHECK(text_of(body_of(first), "/script") == std::string(4 * mebibyte, 'x'));
  long idle = 0;
  {
    stalled_clients const waiting(instance.url(), {.name = "idle", .opening = request_for("/livez", "x")}, count);
    idle = peak_memory(instance, waiting, [] { return true; });
  }
  stalled_clients const unread(
      instance.url(), {.name = "unread", .opening = request_for(path, attacker.token), .reads = false}, count);
  auto const answered = [&] {
    return sum_of(instance.pages().get("/metrics").body, "http_server_requests_total{", "/api/tests/{id}") >=
           static_cast<double>(count);
  };
  auto const most = peak_memory(instance, unread, answered);
  MESSAGE(count << " unread responses of 4 MiB: " << (most - idle) / 1024 << " KiB above as many idle connections, "
                << responses_held(instance) / 1024 << " KiB charged");
  CHECK(most - idle <= static_cast<long>(20 * mebibyte));
  CHECK(comes_true([&] { return std::abs(responses_held(instance) - 4.0 * mebibyte) < mebibyte; }, patience));
  CHECK(owner.get("/api/auth/whoami").status == 200);
  CHECK(third.get("/api/auth/whoami").status == 200);
  CHECK(third.post("/api/tests", test_of_size(mebibyte)).status == 201);
}

TEST_CASE("a user whose unread responses use up the user's share gets no more, and others do") {
  constexpr std::size_t user_share = 40 * mebibyte;
  extra_instance const instance({"SVC_WORKERS=1", "SVC_HTTP_RESPONSE_BYTES=" + std::to_string(4 * user_share),
                                 "SVC_HTTP_RESPONSE_BYTES_PER_USER=" + std::to_string(user_share),
                                 "SVC_HTTP_WRITE_TIMEOUT=60s", "SVC_HTTP_DEADLINE=10s"});
  auto const holder = shared_fleet().make_tenant();
  auto const other = shared_fleet().make_tenant();
  auto owner = instance.client(holder.token);
  auto third = instance.client(other.token);
  std::vector<std::string> paths;
  for (int i = 0; i < 12; ++i) {
    auto const made = owner.post("/api/tests", test_of_size(4 * mebibyte));
    REQUIRE(made.status == 201);
    paths.push_back("/api/tests/" + id_of(made) + "?includeScript=true");
  }
  CHECK(comes_true([&] { return responses_held(instance) == 0; }, patience));
  std::vector<std::unique_ptr<stalled_clients>> unread;
  // A script counts twice while it is read from the database, so there is no room for a ninth.
  for (std::size_t i = 0; i < 8; ++i) {
    unread.push_back(std::make_unique<stalled_clients>(
        instance.url(), stall{.name = "unread", .opening = request_for(paths[i], holder.token), .reads = false}, 1));
    // The check waits until the script does not count twice any more.
    auto const settled = [&] {
      return std::abs(responses_held(instance) - static_cast<double>((i + 1) * 4 * mebibyte)) < mebibyte;
    };
    REQUIRE(comes_true(settled, patience));
  }
  auto const refused = owner.get(paths.back());
  CHECK(refused.status == 503);
  CHECK(code_of(refused) == "overloaded");
  CHECK(refused.header("retry-after") == "1");
  // A shared script needs no further room.
  CHECK(owner.get(paths.front()).status == 200);
  // A change whose answer would show the script is refused before it is executed.
  auto const test = paths.back().substr(0, paths.back().find('?'));
  auto const etag = owner.get(test).header("etag").value();
  CHECK(owner.patch(test, R"({"title":"u"})").status == 503);
  CHECK(owner.get(test).header("etag").value() == etag);
  CHECK(owner.get("/api/auth/whoami").status == 200);
  auto const theirs = third.post("/api/tests", test_of_size(4 * mebibyte));
  CHECK(theirs.status == 201);
  CHECK(third.get("/api/tests/" + id_of(theirs) + "?includeScript=true").status == 200);
  unread.clear();
  CHECK(comes_true([&] { return responses_held(instance) == 0; }, patience));
  CHECK(owner.get(paths.back()).status == 200);
}

}  // namespace
}  // namespace svc::test
