// JSON that is made to be expensive, four at a time, as large as bodies may be: it costs little, and another
// organisation's requests go on. `TEST_HOSTILE=60` is the long form: so many seconds of each kind.
#include "bystander.hpp"
#include "executor.hpp"
#include "faults.hpp"

#include <doctest/doctest.h>

#include <array>
#include <functional>

namespace svc::test {
namespace {

struct document {
  std::string name;
  std::string text;
  int status;
  std::string sentence;  ///< a part of its error
};

/// `first`, then `again` until the text has so many bytes, then `last`.
std::string filled(std::string first, std::string const& again, std::string const& last,
                   std::size_t size = 10'000'000) {
  first.reserve(size + again.size() + last.size());
  while (first.size() < size) first += again;
  return first += last;
}

std::string object_of_1000() {
  std::string out = "{\"0\":0";
  for (int i = 1; i < 1000; ++i) out += ",\"" + std::to_string(i) + "\":0";
  return out + "}";
}

std::vector<document> documents() {
  auto const many = "at most 50000 values";
  return {
      {"zeros", filled("{\"zz\":[0", ",0", "]}"), 400, many},
      {"objects", filled("{\"zz\":[{}", ",{\"a\":{}}", "]}"), 400, many},
      {"objects of 1000 members", filled("[0", "," + object_of_1000(), "]"), 400, many},
      {"nested", filled("[[[[]]]", ",[[[]]]", "]"), 400, many},
      {"decimal fractions", filled("[0", ",0.1234567890123456789e-7", "]"), 400, many},
      {"long numbers", filled("{\"zz\":[0", "," + std::string(1000, '7') + ".5e-1000", "]}"), 400,
       "is not allowed here"},
      {"one number", filled("{\"zz\":1", "1", "}"), 400, "A number is longer than 1024 characters"},
      {"one name", filled("{\"z", "z", "\":1}"), 400, "A member name is longer than 4096 bytes"},
      {"one unknown string", filled("{\"zz\":\"", "\\u0041", "\"}"), 400, "is not allowed here"},
      {"a script that is too long", filled(R"({"title":"t","script":")", "x", "\"}"), 400, "5242880"},
      {"space", filled("{\"title\":", " \n", "1}"), 400, "must be a string"},
      {"a script of escapes", filled(R"({"title":"t","script":")", "\\u00e4", "\"}", 10'400'000), 201, ""},
  };
}

/// Sends it again and again, four at a time; how many were answered otherwise than it says, and how many in all.
std::array<int, 2> send(fleet& of, std::string const& token, document const& what, milliseconds how_long) {
  std::atomic<int> wrong = 0, all = 0;
  std::vector<std::thread> senders;
  auto const until = clock::now() + how_long;
  for (int i = 0; i < 4; ++i) {
    senders.emplace_back([&] {
      auto client = of.client(0, token);
      do {
        auto const got = client.post("/api/tests", what.text);
        bool const right = got.status == what.status && got.body.find(what.sentence) != std::string::npos;
        if (!right && wrong++ == 0) MESSAGE(what.name << ": " << got.status << ' ' << got.body.substr(0, 300));
        ++all;
      } while (clock::now() < until);
    });
  }
  for (auto& each : senders) each.join();
  return {wrong, all};
}

TEST_CASE("hostile JSON, four at a time: refused at little cost, and another organisation's requests go on") {
  auto const each = milliseconds(long_form("TEST_HOSTILE", 0) * 1000);
  // Four of them at a time are allowed: what they cost shall be seen, not that they are shed.
  fleet fleet(1, {"SVC_LOG_LEVEL=warn", "SVC_HTTP_DEADLINE=10s", "SVC_HTTP_BODY_BYTES_PER_USER=60000000"});
  auto const attacker = fleet.make_tenant();
  for (auto const& what : documents()) {
    CAPTURE(what.name);
    bystander other(fleet);
    auto const start = clock::now();
    auto const [wrong, all] = send(fleet, attacker.token, what, each);
    auto const took = std::chrono::duration<double, std::milli>(clock::now() - start).count();
    other.end();
    MESSAGE(what.name << ": " << all << " in " << took << " ms; the other's p99 " << other.p99() << " ms of "
                      << other.requests());
    CHECK(wrong == 0);
    CHECK(other.failures().empty());
    // Much more than one needs on a quiet machine, much less than one such document took when it was read in one go.
    CHECK(other.p99() < 1000);
  }
}

TEST_CASE("the bound of a document's values, for users and for executors") {
  auto& fleet = shared_fleet();
  auto const tenant = fleet.make_tenant();
  configured_service const both(fleet.dev(), both_kinds);
  auto const runner = fleet.admin({"create-runner", "--project", tenant.project, "--name", "bounds"});
  api_client user("https://" + both.address(0), fleet.text("caFile"), tenant.token);
  api_client executor("https://" + both.address(1), fleet.text("caFile"), text_of(runner, "/key"));
  auto const zeros = [](int n) { return filled("{\"zz\":[0", ",0", "]}", static_cast<std::size_t>(2 * n) + 6); };
  auto const run = "/internal/v1/runs/" + tenant.user_id + "/output";
  // The object, its array and 49 998 zeros; then one more.
  CHECK(code_of(user.post("/api/tests", zeros(49'998))) == "validation_failed");
  CHECK(code_of(executor.post(run, zeros(49'998))) == "validation_failed");
  for (auto const& got : {user.post("/api/tests", zeros(49'999)), executor.post(run, zeros(49'999))}) {
    CHECK(got.status == 400);
    CHECK(code_of(got) == "malformed_json");
    CHECK(got.body.find("at most 50000 values; there is one more at line 1") != std::string::npos);
  }
}

}  // namespace
}  // namespace svc::test
