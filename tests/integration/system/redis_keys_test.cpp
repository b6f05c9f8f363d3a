// A key without an end, or of a kind that nobody knows of, fills Redis by whatever a tenant chooses.
#include "extra_instance.hpp"
#include "integration/system/faults/faults.hpp"
#include "jobs.hpp"
#include "runner.hpp"
#include "support/documented_rows.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace svc::test {
namespace {

/// `*` stands for any text without a colon or a brace, except at the end of a pattern.
bool pattern_matches(std::string_view pattern, std::string_view key) {
  auto const star = pattern.find('*');
  if (star == pattern.npos) return pattern == key;
  if (!key.starts_with(pattern.substr(0, star))) return false;
  auto const rest = pattern.substr(star + 1);
  key.remove_prefix(star);
  if (rest.empty()) return true;
  // An address may contain colons, so the text ends at what follows the star.
  auto const end = key.find(rest.substr(0, rest.find('*')));
  return end != key.npos && pattern_matches(rest, key.substr(end));
}

struct key_rule {
  std::string pattern;
  bool ends = false;
};

std::vector<key_rule> documented_keys() {
  std::vector<key_rule> out;
  for (auto const& row : documented_rows("### Keys of Redis")) {
    REQUIRE(row.cells.size() == 3);
    CHECK(row.cells[1].size() > 10);
    for (auto const& pattern : words_of(row.cells[0]))
      out.push_back({.pattern = pattern, .ends = !row.cells[2].starts_with("none")});
  }
  return out;
}

std::vector<std::string> lines_of(std::string const& text) {
  std::vector<std::string> out;
  std::istringstream words(text);
  for (std::string line; std::getline(words, line);)
    if (!line.empty()) out.push_back(line);
  return out;
}

/// Has the service write each kind of key: tokens, unknown ones, trigger keys, addresses, changes, output.
void write_each_kind(extra_instance const& instance) {
  auto const tenant = shared_fleet().make_tenant();
  auto client = instance.client(tenant.token);
  auto const job = make_job(client);
  auto const key = make_key(client, job, "k");
  CHECK(instance.client(key.key).post(trigger_path(job)).status == 202);
  CHECK(instance.client().get("/api/health").status == 200);
  CHECK(instance.client("sckt_unknown").get("/api/auth/whoami").status == 401);
  CHECK(client.del("/api/jobs/" + job + "/trigger-keys/" + key.id).status == 204);
}

}  // namespace

TEST_CASE("patterns of documented keys match whole keys") {
  struct {
    char const* pattern;
    char const* key;
    bool expected;
  } const cases[] = {
      {"svc:instances", "svc:instances", true},    {"svc:instances", "svc:instances2", false},
      {"svc:{*}:epoch", "svc:{0190}:epoch", true}, {"svc:{*}:epoch", "svc:{0190}:epochs", false},
      {"svc:{*}:epoch", "svc:tok:{0190}", false},  {"svc:{*}:w:*", "svc:{2001:db8::/64}:w:cli:60", true},
      {"svc:{*}:w:*", "svc:{a}:epoch", false},     {"svc:probe*", "svc:probe{1}", true},
      {"svc:probe*", "svc:prob", false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.pattern);
    CAPTURE(c.key);
    CHECK(pattern_matches(c.pattern, c.key) == c.expected);
  }
}

TEST_CASE("each key in Redis is documented with a bound, and has an end unless it says that it has none") {
  extra_instance const instance({"SVC_WORKERS=1"});
  write_each_kind(instance);
  auto const rules = documented_keys();
  auto const keys = lines_of(shared_fleet().redis({"KEYS", "*"}));
  std::set<std::string> met;
  for (auto const& key : keys) {
    CAPTURE(key);
    auto const rule = std::ranges::find_if(rules, [&](key_rule const& r) { return pattern_matches(r.pattern, key); });
    REQUIRE(rule != rules.end());
    met.insert(rule->pattern);
    // -1: it has no end; -2: it has ended meanwhile.
    if (rule->ends) CHECK(shared_fleet().redis({"TTL", key}).find("-1") == std::string::npos);
  }
  for (char const* pattern : {"svc:{*}:epoch", "svc:{*}:w:*", "svc:tok:{*}", "svc:instances"})
    CHECK_MESSAGE(met.contains(pattern), pattern);
}

}  // namespace svc::test
