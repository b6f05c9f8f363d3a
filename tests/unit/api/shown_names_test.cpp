// Names of jobs, tests, monitors and providers, whose characters people must all see.
#include "api/monitors.hpp"
#include "api/resources.hpp"
#include "svc/domain/display_text.hpp"
#include "unit/api/contract.hpp"
#include "unit/api/object.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::api {
namespace {

using test::object;

constexpr timestamp saved_at{1'790'000'000'000'000};
/// An override of direction, a control character, and a space without width.
std::string const hidden[] = {"invoice\u202Etxt.exe", "a\nb", "night\u200Bly"};

/// A kind of resource with a name: its creation, and a change of a row that has the name `stored`.
struct named_kind {
  std::string kind, field;
  std::function<result<>(std::string const& name)> create;
  std::function<result<>(std::string const& stored, boost::json::object const& patch)> change;
};

template <class T>
result<> outcome_of(result<T> const& made) {
  if (!made) return made.error();
  return {};
}

boost::json::object body_with(std::string_view body, std::string const& member, std::string const& text) {
  auto out = object(body);
  out[member] = text;
  return out;
}

constexpr std::string_view bare_monitor = R"({"type":"http_request","target":"https://a.test/"})";
constexpr std::string_view provider_body = R"({"type":"discord","config":{"webhookUrl":"https://e.org"}})";
egress::address_policy const any_address;
monitor_rules const rules{};

result<> change_job(std::string const& stored, boost::json::object const& patch) {
  job now;
  now.set.name = stored;
  return outcome_of(patch_job(test::contract(), now, patch));
}

result<> change_test(std::string const& stored, boost::json::object const& patch) {
  test_case now;
  now.set.title = stored;
  return outcome_of(patch_test(test::contract(), now, patch));
}

result<> change_monitor(std::string const& stored, boost::json::object const& patch) {
  monitor now;
  now.set = read_monitor(body_with(bare_monitor, "name", "site"), rules, saved_at).value();
  now.set.name = stored;
  return outcome_of(patch_monitor(test::contract(), now, patch, rules, saved_at));
}

result<> change_provider(std::string const& stored, boost::json::object const& patch) {
  notification_provider now;
  now.name = stored;
  now.type = "discord";
  now.config = R"({"webhookUrl":"https://e.org"})";
  return outcome_of(patch_provider(test::contract(), any_address, now, patch));
}

std::vector<named_kind> kinds() {
  return {
      {.kind = "job",
       .field = "name",
       .create = [](auto const& name) { return outcome_of(read_job(body_with("{}", "name", name))); },
       .change = change_job},
      {.kind = "test",
       .field = "title",
       .create = [](auto const& name) { return outcome_of(read_test(body_with("{}", "title", name))); },
       .change = change_test},
      {.kind = "monitor",
       .field = "name",
       .create =
           [](auto const& name) {
             return outcome_of(read_monitor(body_with(bare_monitor, "name", name), rules, saved_at));
           },
       .change = change_monitor},
      {.kind = "provider",
       .field = "name",
       .create =
           [](auto const& name) {
             return outcome_of(read_provider(body_with(provider_body, "name", name), any_address));
           },
       .change = change_provider},
  };
}

TEST_CASE("a new name shows all of its characters") {
  for (auto const& each : kinds()) {
    CAPTURE(each.kind);
    CHECK(test::faults(each.create("\u0646\u0645\u06CC\u200C\u062F\u0627\u0646\u0645 caf\u00E9")).empty());
    for (auto const& name : hidden) {
      CAPTURE(name);
      auto const refused = each.create(name);
      CHECK(test::faults(refused) == "/" + each.field);
      if (!refused) CHECK(refused.error().details.at(0).message == hidden_character_reason);
      CHECK(test::faults(each.change("plain", body_with("{}", each.field, name))) == "/" + each.field);
    }
  }
}

TEST_CASE("a hidden character in a name is reported together with the other faults") {
  auto const& name = hidden[0];
  CHECK(test::faults(read_job(body_with(R"({"timeZone":"Europe/Atlantis"})", "name", name))) == "/name /timeZone");
  auto const closed = body_with(R"({"type":"webhook","config":{"url":"https://[::1]/"}})", "name", name);
  CHECK(test::faults(read_provider(closed, any_address)) == "/name /config/url");
}

TEST_CASE("a stored name that is older than the rule stays, whatever else a patch changes") {
  for (auto const& each : kinds()) {
    CAPTURE(each.kind);
    for (auto const& name : hidden) {
      CAPTURE(name);
      auto const other = each.kind == "provider" ? R"({"enabled":false})" : R"({"description":"d"})";
      CHECK(test::faults(each.change(name, object(other))).empty());
      CHECK(test::faults(each.change(name, body_with("{}", each.field, name))).empty());
      CHECK(test::faults(each.change(name, body_with("{}", each.field, "plain"))).empty());
      CHECK(test::faults(each.change(name, body_with("{}", each.field, name + "!"))) == "/" + each.field);
    }
  }
}

}  // namespace
}  // namespace svc::api
