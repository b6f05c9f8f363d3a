#include "cli/settings/settings.hpp"

#include "cli/console/failure.hpp"

#include <doctest/doctest.h>

#include <map>

using namespace svc::cli;

namespace {

std::optional<config_values> file_with_url(std::string const& path, std::string const& url) {
  config_values out;
  out.path = path;
  out.url = found_value{url, path + ":1"};
  return out;
}

stored_token const nothing_stored = [](std::string const&) { return std::nullopt; };

stored_token stored_for(std::string const& wanted) {
  return [wanted](std::string const& address) -> std::optional<svc::secret_string> {
    if (address != wanted) return std::nullopt;
    return svc::secret_string("stored");
  };
}

/// The code of the failure; empty: there was none.
std::string refusal_of_settings(setting_sources const& sources, stored_token const& stored = nothing_stored) {
  try {
    settings_from(sources, stored);
  } catch (failure const& f) {
    CHECK(f.exit() == exit_code::usage);
    CHECK_FALSE(f.hint().empty());
    return f.code();
  }
  return {};
}

}  // namespace

TEST_CASE("flags beat the environment, that the project's file, that the user's, and that the build's default") {
  setting_sources sources;
  sources.default_url = "https://default.example";
  CHECK(settings_from(sources, nothing_stored).url.text == "https://default.example");
  sources.user_file =
      read_config("/u", "url='https://user.example'\nproject='u'\norganization='u'\ncolor='never'\ntimeout=4",
                  config_origin::user);
  CHECK(settings_from(sources, nothing_stored).url.text == "https://user.example");
  CHECK(settings_from(sources, nothing_stored).timeout == std::chrono::seconds(4));
  sources.project_file = read_config("/p", "url='https://project.example'\nproject='p'\ncolor='always'\ntimeout=3",
                                     config_origin::project);
  auto const by_project = settings_from(sources, nothing_stored);
  CHECK(by_project.url.source == "/p:1");
  CHECK(by_project.project->value == "p");
  CHECK(by_project.organization->value == "u");
  CHECK(by_project.colour == "always");
  CHECK(by_project.timeout == std::chrono::seconds(3));
  sources.variables.url = found_value{"https://environment.example", "SERVICE_URL"};
  sources.variables.project = found_value{"e", "SERVICE_PROJECT"};
  CHECK(settings_from(sources, nothing_stored).url.source == "SERVICE_URL");
  CHECK(settings_from(sources, nothing_stored).project->source == "SERVICE_PROJECT");
  sources.flags.url = "https://flag.example";
  sources.flags.project = "f";
  sources.flags.timeout_seconds = 0.5;
  sources.flags.colour = "auto";
  auto const by_flag = settings_from(sources, nothing_stored);
  CHECK(by_flag.url.source == "--url");
  CHECK(by_flag.project->source == "--project");
  CHECK(by_flag.timeout == std::chrono::milliseconds(500));
  CHECK(by_flag.colour == "auto");
}

TEST_CASE("an address is needed, and must be one") {
  setting_sources sources;
  CHECK(refusal_of_settings(sources) == "no_url");
  CHECK(settings_from(sources, nothing_stored, false).url.text.empty());
  sources.flags.url = "http://ci.example.com";
  CHECK(refusal_of_settings(sources) == "bad_url");
  sources.flags.url = "https://ci.example.com";
  CHECK(refusal_of_settings(sources).empty());
}

TEST_CASE("the only address of a login is named when no address is known") {
  setting_sources sources;
  auto const hint = [&] {
    try {
      settings_from(sources, nothing_stored);
    } catch (failure const& f) {
      return f.hint();
    }
    return std::string();
  };
  CHECK(hint().starts_with("Pass --url https://HOST"));
  sources.logins = {"https://ci.example.com"};
  CHECK(hint().starts_with("You are logged in at https://ci.example.com: export SERVICE_URL=https://ci.example.com"));
  sources.logins.emplace_back("https://other.example.com");
  CHECK(hint().starts_with("Pass --url https://HOST"));
}

TEST_CASE("the environment's token takes precedence over the stored one, which is only for its address") {
  setting_sources sources;
  sources.flags.url = "https://a.example/";
  CHECK_FALSE(settings_from(sources, stored_for("https://b.example")).token);
  auto const stored = settings_from(sources, stored_for("https://a.example"));
  CHECK(stored.token->reveal() == "stored");
  CHECK(stored.token_source == "svc login");
  sources.variables.token = svc::secret_string("environment");
  auto const set = settings_from(sources, stored_for("https://a.example"));
  CHECK(set.token->reveal() == "environment");
  CHECK(set.token_source == "SERVICE_TOKEN");
}

TEST_CASE("a repository cannot redirect the environment's credentials to its own address") {
  auto const action = [](bool token, bool key) {
    setting_sources out;
    out.project_file = file_with_url("/repo/svc.toml", "https://evil.example");
    if (token) out.variables.token = svc::secret_string("t");
    if (key) out.variables.trigger_key = svc::secret_string("k");
    return out;
  };
  CHECK(refusal_of_settings(action(true, false)) == "unconfirmed_url");
  CHECK(refusal_of_settings(action(false, true)) == "unconfirmed_url");
  // Without credentials there is nothing to lose; login learns of it.
  CHECK(refusal_of_settings(action(false, false)).empty());
  CHECK_FALSE(settings_from(action(false, false), nothing_stored).url_confirmed);

  auto confirmed = action(true, true);
  CHECK(refusal_of_settings(confirmed, stored_for("https://evil.example")).empty());
  CHECK(refusal_of_settings(confirmed, stored_for("https://good.example")) == "unconfirmed_url");
  confirmed.user_file = file_with_url("/user", "https://EVIL.example:443/");
  CHECK(refusal_of_settings(confirmed).empty());
  confirmed.user_file = file_with_url("/user", "https://good.example");
  CHECK(refusal_of_settings(confirmed) == "unconfirmed_url");
  confirmed.default_url = "https://evil.example";
  CHECK(refusal_of_settings(confirmed).empty());
  confirmed = action(true, true);
  confirmed.variables.url = found_value{"https://good.example", "SERVICE_URL"};
  CHECK(settings_from(confirmed, nothing_stored).url.text == "https://good.example");
  CHECK(settings_from(confirmed, nothing_stored).url_confirmed);
}
