#include "cli/settings/settings.hpp"

#include "cli/console/failure.hpp"
#include "cli/settings/credentials.hpp"

#include <filesystem>

namespace svc::cli {
namespace {

std::optional<found_value> of_flag(std::string const& value, char const* name) {
  if (value.empty()) return std::nullopt;
  return found_value{value, name};
}

using config_member = std::optional<found_value> config_values::*;

std::optional<found_value> of_file(std::optional<config_values> const& file, config_member member) {
  return file ? (*file).*member : std::nullopt;
}

std::optional<found_value> first_of(std::initializer_list<std::optional<found_value>> in_order) {
  for (auto const& each : in_order)
    if (each) return each;
  return std::nullopt;
}

failure settings_failure(char const* code, std::string const& sentence, std::string hint) {
  return {exit_code::usage, code, sentence, std::move(hint)};
}

base_url parsed_address(found_value const& value) {
  std::string reason;
  auto out = base_url::parse(value.value, reason);
  if (!out) throw settings_failure("bad_url", value.source + " " + reason + ".", "Example: https://ci.example.com");
  out->source = value.source;
  return *out;
}

bool same_address(std::string const& text, base_url const& url) {
  std::string ignored;
  auto const other = base_url::parse(text, ignored);
  return other && other->text == url.text;
}

/// Returns true if an address that only a project's file chose is the user's as well.
bool confirmed_elsewhere(setting_sources const& sources, base_url const& url, stored_token const& stored) {
  auto const own = of_file(sources.user_file, &config_values::url);
  return (own && same_address(own->value, url)) || same_address(sources.default_url, url) ||
         stored(url.text).has_value();
}

void choose_address(setting_sources const& sources, stored_token const& stored, bool needs_url, settings& out) {
  auto const own = first_of({of_flag(sources.flags.url, "--url"), sources.variables.url});
  auto const of_project = of_file(sources.project_file, &config_values::url);
  auto const chosen = first_of({own, of_project, of_file(sources.user_file, &config_values::url),
                                of_flag(sources.default_url, "the default of this build")});
  if (!chosen && !needs_url) return;
  if (!chosen)
    throw settings_failure("no_url", "The address of the service is not known.",
                           sources.logins.size() == 1
                               ? "You are logged in at " + sources.logins.front() +
                                     ": export SERVICE_URL=" + sources.logins.front() + ", or write url = \"" +
                                     sources.logins.front() + "\" to ~/.config/svc/config.toml."
                               : "Pass --url https://HOST, set SERVICE_URL, or write url = \"https://HOST\" to "
                                 "~/.config/svc/config.toml or to svc.toml in the project.");
  out.url = parsed_address(*chosen);
  out.url_confirmed = own || !of_project || confirmed_elsewhere(sources, out.url, stored);
}

void choose_credentials(setting_sources const& sources, stored_token const& stored, settings& out) {
  out.token = sources.variables.token;
  out.token_source = "SERVICE_TOKEN";
  out.trigger_key = sources.variables.trigger_key;
  if (out.url.text.empty()) return;
  if (!out.url_confirmed && (out.token || out.trigger_key))
    throw settings_failure(
        "unconfirmed_url",
        out.url.source + " names " + out.url.text + ", and none of your own settings does: " +
            (out.token ? "SERVICE_TOKEN" : "SERVICE_TRIGGER_KEY") + " is not sent there.",
        "If you trust that address: set SERVICE_URL, pass --url, or write it to ~/.config/svc/config.toml.");
  if (out.token) return;
  out.token = stored(out.url.text);
  out.token_source = out.token ? "svc login" : "";
}

std::optional<std::chrono::milliseconds> chosen_timeout(setting_sources const& sources) {
  if (sources.flags.timeout_seconds > 0)
    return std::chrono::milliseconds(static_cast<std::int64_t>(sources.flags.timeout_seconds * 1000));
  for (auto const* file : {&sources.project_file, &sources.user_file})
    if (*file && (*file)->timeout) return (*file)->timeout;
  return std::nullopt;
}

/// Returns no address if the file cannot be used; a command that needs its tokens says why.
std::vector<std::string> stored_addresses(std::string const& directory) {
  try {
    return credential_file(directory).addresses();
  } catch (failure const&) {
    return {};
  }
}

std::string value_or_nothing(std::optional<found_value> const& value) {
  return value ? value->value : std::string();
}

}  // namespace

settings settings_from(setting_sources const& sources, stored_token const& stored, bool needs_url) {
  settings out;
  choose_address(sources, stored, needs_url, out);
  choose_credentials(sources, stored, out);
  out.organization = first_of({of_flag(sources.flags.organization, "--org"), sources.variables.organization,
                               of_file(sources.project_file, &config_values::organization),
                               of_file(sources.user_file, &config_values::organization)});
  out.project = first_of({of_flag(sources.flags.project, "--project"), sources.variables.project,
                          of_file(sources.project_file, &config_values::project),
                          of_file(sources.user_file, &config_values::project)});
  out.ca_file = value_or_nothing(first_of({of_flag(sources.flags.ca_file, "--cacert"), sources.variables.ca_file,
                                           of_file(sources.user_file, &config_values::ca_file)}));
  out.colour = value_or_nothing(
      first_of({of_flag(sources.flags.colour, "--color"), of_file(sources.project_file, &config_values::colour),
                of_file(sources.user_file, &config_values::colour)}));
  out.proxies = sources.variables.proxies;
  out.config_directory = sources.variables.config_directory;
  out.cache_directory = sources.variables.cache_directory;
  out.trace_parent = sources.variables.trace_parent;
  out.timeout = chosen_timeout(sources);
  out.verbose = sources.flags.verbose;
  return out;
}

setting_sources load_sources(global_options const& given) {
  setting_sources out;
  out.flags = given;
  out.variables = read_environment();
  out.default_url = SVC_DEFAULT_URL;
  std::error_code none;
  auto const here = std::filesystem::current_path(none);
  auto const path = none ? std::string() : project_file_above(here.string());
  if (!path.empty()) out.project_file = load_config(path, config_origin::project);
  if (!out.variables.config_directory.empty()) out.logins = stored_addresses(out.variables.config_directory);
  if (!out.variables.config_directory.empty())
    out.user_file = load_config(out.variables.config_directory + "/config.toml", config_origin::user);
  return out;
}

settings load_settings(global_options const& given, bool needs_url) {
  auto const sources = load_sources(given);
  auto const stored = [&](std::string const& address) {
    return credential_file(sources.variables.config_directory).find(address);
  };
  auto out = settings_from(sources, stored, needs_url);
  if (!out.token && !out.url.text.empty() && !sources.variables.config_directory.empty())
    out.other_logins = credential_file(sources.variables.config_directory).addresses();
  return out;
}

}  // namespace svc::cli
