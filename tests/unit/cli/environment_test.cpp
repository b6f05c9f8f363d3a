#include "cli/settings/environment.hpp"

#include "cli/console/failure.hpp"
#include "svc/domain/token.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace svc::cli;
using svc::token_kind;

namespace {

using variables = std::map<std::string, std::string>;

environment environment_with(variables const& all) {
  return read_environment([&](char const* name) {
    auto const found = all.find(name);
    return found == all.end() ? nullptr : found->second.c_str();
  });
}

std::string new_token(token_kind kind) {
  return std::string(svc::mint_token(kind).key.reveal());
}

/// The sentence of the failure; empty: there was none.
std::string refusal_with(variables const& all) {
  try {
    environment_with(all);
  } catch (failure const& f) {
    CHECK(f.exit() == exit_code::usage);
    return f.what() + f.hint();
  }
  return {};
}

}  // namespace

TEST_CASE("variables are found, and empty ones are not set") {
  auto const set = environment_with({{"SERVICE_URL", "https://a.example"},
                                     {"SERVICE_ORG", "acme"},
                                     {"SERVICE_PROJECT", "shop"},
                                     {"SERVICE_CACERT", "/ca.pem"}});
  CHECK(set.url->value == "https://a.example");
  CHECK(set.url->source == "SERVICE_URL");
  CHECK(set.organization->value == "acme");
  CHECK(set.project->value == "shop");
  CHECK(set.ca_file->value == "/ca.pem");
  auto const empty = environment_with({{"SERVICE_URL", ""},
                                       {"SERVICE_ORG", ""},
                                       {"SERVICE_TOKEN", ""},
                                       {"SERVICE_TRIGGER_KEY", ""},
                                       {"XDG_CONFIG_HOME", ""}});
  CHECK_FALSE(empty.url);
  CHECK_FALSE(empty.organization);
  CHECK_FALSE(empty.token);
  CHECK_FALSE(empty.trigger_key);
  CHECK(empty.config_directory.empty());
}

TEST_CASE("the lower-case spelling of a proxy's variable takes precedence, unless it is empty") {
  struct {
    variables set;
    char const *http, *https, *none;
  } const rows[] = {
      {{{"HTTP_PROXY", "http://u"}, {"HTTPS_PROXY", "http://v"}, {"NO_PROXY", "w"}}, "http://u", "http://v", "w"},
      {{{"http_proxy", "http://u"}, {"https_proxy", "http://v"}, {"no_proxy", "w"}}, "http://u", "http://v", "w"},
      {{{"http_proxy", "l"}, {"HTTP_PROXY", "u"}, {"https_proxy", "m"}, {"HTTPS_PROXY", "v"}}, "l", "m", ""},
      {{{"no_proxy", "l"}, {"NO_PROXY", "u"}, {"ALL_PROXY", "x"}}, "", "", "l"},
      {{{"http_proxy", ""}, {"HTTP_PROXY", "u"}}, "u", "", ""},
  };
  for (auto const& row : rows) {
    auto const proxies = environment_with(row.set).proxies;
    CHECK(proxies.http == row.http);
    CHECK(proxies.https == row.https);
    CHECK(proxies.no_proxy == row.none);
  }
}

TEST_CASE("files are below XDG directories, or below the home") {
  struct {
    variables set;
    char const *config, *cache;
  } const rows[] = {
      {{{"HOME", "/home/ada"}}, "/home/ada/.config/svc", "/home/ada/.cache/svc"},
      {{{"HOME", "/home/ada"}, {"XDG_CONFIG_HOME", "/c"}, {"XDG_CACHE_HOME", "/d"}}, "/c/svc", "/d/svc"},
      {{{"HOME", "/home/ada"}, {"XDG_CONFIG_HOME", "relative"}}, "/home/ada/.config/svc", "/home/ada/.cache/svc"},
      {{{"XDG_CONFIG_HOME", "/c"}}, "/c/svc", ""},
      {{{"HOME", "relative"}}, "", ""},
      {{}, "", ""},
  };
  for (auto const& row : rows) {
    auto const got = environment_with(row.set);
    CHECK(got.config_directory == row.config);
    CHECK(got.cache_directory == row.cache);
  }
}

TEST_CASE("a trace is sent in the format of version 00, and an invalid one is ignored") {
  std::string const ids = "0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331";
  auto const read = [](std::string const& given) { return environment_with({{"TRACEPARENT", given}}).trace_parent; };
  CHECK(read("00-" + ids + "-01") == "00-" + ids + "-01");
  CHECK(read("01-" + ids + "-03-more") == "00-" + ids + "-01");
  for (auto const& bad : {std::string(), ids, "00-" + ids + "-01\r\nX-Injected: 1"}) CHECK(read(bad).empty());
}

TEST_CASE("a credential of the wrong form or kind is refused and never quoted") {
  auto const cli = new_token(token_kind::cli);
  auto const trigger = new_token(token_kind::trigger);
  auto const legacy = new_token(token_kind::legacy_trigger);
  auto const runner = std::string(svc::mint_runner_token().key.reveal());
  auto mistyped = cli;
  mistyped[20] = mistyped[20] == 'a' ? 'b' : 'a';
  struct {
    char const* variable;
    std::string value;
    char const* says;
  } const rows[] = {
      {"SERVICE_TOKEN", cli, ""},
      {"SERVICE_TOKEN", new_token(token_kind::test), ""},
      {"SERVICE_TOKEN", "svc_live_0123456789abcdef0123456789abcdef", ""},
      {"SERVICE_TOKEN", trigger, "SERVICE_TOKEN holds a trigger key"},
      {"SERVICE_TOKEN", legacy, "SERVICE_TOKEN holds a trigger key"},
      {"SERVICE_TOKEN", runner, "SERVICE_TOKEN holds a runner's token"},
      {"SERVICE_TOKEN", mistyped, "no valid credential"},
      {"SERVICE_TOKEN", "hunter2", "no valid credential"},
      {"SERVICE_TOKEN", cli + "\n", "white space"},
      {"SERVICE_TOKEN", " " + cli, "white space"},
      {"SERVICE_TOKEN", "\"" + cli + "\"", "it starts with \"."},
      {"SERVICE_TOKEN", "'" + cli + "'", "it starts with '."},
      {"SERVICE_TOKEN", "Bearer " + cli, "it starts with Bearer."},
      {"SERVICE_TRIGGER_KEY", trigger, ""},
      {"SERVICE_TRIGGER_KEY", legacy, ""},
      {"SERVICE_TRIGGER_KEY", cli, "SERVICE_TRIGGER_KEY holds a CLI token"},
      {"SERVICE_TRIGGER_KEY", runner, "runner's token"},
      {"SERVICE_TRIGGER_KEY", trigger + "0", ""},  // 39 characters: an older key may have as many
      {"SERVICE_TRIGGER_KEY", trigger + "-", "no valid credential"},
  };
  for (auto const& row : rows) {
    CAPTURE(row.variable);
    CAPTURE(row.says);
    auto const said = refusal_with({{row.variable, row.value}});
    CHECK(said.empty() == (row.says[0] == '\0'));
    CHECK(said.find(row.says) != std::string::npos);
    if (!said.empty()) CHECK(said.find(row.value) == std::string::npos);
    if (row.value.size() > 20) CHECK(said.find(row.value.substr(12, 8)) == std::string::npos);
  }
}

TEST_CASE("a child knows no credentials") {
  ::setenv("SERVICE_TOKEN", "hidden from children", 1);
  ::setenv("SERVICE_TRIGGER_KEY", "hidden from children", 1);
  ::setenv("SERVICE_TOKENS", "another variable", 1);
  child_environment known;
  std::string all;
  for (char** position = known.get(); *position != nullptr; ++position) all.append(*position).append("\n");
  CHECK(all.find("hidden from children") == std::string::npos);
  CHECK(all.find("SERVICE_TOKENS=another variable\n") != std::string::npos);
  CHECK(all.find("PATH=") != std::string::npos);
  for (char const* const name : {"SERVICE_TOKEN", "SERVICE_TRIGGER_KEY", "SERVICE_TOKENS"}) ::unsetenv(name);
}
