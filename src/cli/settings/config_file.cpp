#include "cli/settings/config_file.hpp"

#include "cli/console/failure.hpp"
#include "cli/settings/files.hpp"
#include "cli/settings/token_scan.hpp"
#include "svc/core/numbers.hpp"
#include "svc/core/toml.hpp"

#include <sys/stat.h>

#include <cstdint>

namespace svc::cli {
namespace {

constexpr std::int64_t longest_timeout_seconds = 604800;

failure config_failure(std::string const& sentence, std::string hint = {}) {
  return {exit_code::usage, "configuration", sentence, std::move(hint)};
}

void refuse_tokens(std::string const& path, std::string_view text) {
  auto const found = find_tokens(text);
  if (found.empty()) return;
  auto const& first = found.front();
  throw failure(exit_code::usage, "token_in_file",
                path + ":" + std::to_string(first.line) + " contains a credential (" + first.shown + ").",
                "Revoke it (svc token revoke), because files are copied and committed, and delete it there. Then log "
                "in with svc login, or set SERVICE_TOKEN.");
}

void take_text(raw_value const& value, std::string const& source, std::optional<found_value>& into) {
  if (value.type != value_type::text || value.text.empty())
    throw config_failure(source + ": " + value.name +
                         (value.type == value_type::text ? " must not be empty." : " must be a text in quotes."));
  into = found_value{value.text, source};
}

void take_timeout(raw_value const& value, std::string const& source, config_values& into) {
  bool const spelled = value.type == value_type::text;
  auto const seconds = spelled ? parse_seconds(value.text) : parse_number<std::int64_t>(value.text);
  if ((!spelled && value.type != value_type::integer) || !seconds || *seconds < 1 ||
      *seconds > longest_timeout_seconds)
    throw config_failure(source +
                         ": timeout must be a whole number of seconds from 1 to 604800, or a text such as \"30m\".");
  into.timeout = std::chrono::seconds(*seconds);
}

void take_colour(raw_value const& value, std::string const& source, config_values& into) {
  take_text(value, source, into.colour);
  if (value.text != "auto" && value.text != "always" && value.text != "never")
    throw config_failure(source + ": color must be \"auto\", \"always\" or \"never\".");
}

void take_ca_file(raw_value const& value, std::string const& source, config_origin origin, config_values& into) {
  if (origin == config_origin::project)
    throw config_failure(
        source + ": cacert is not allowed in a project's file: a repository must not choose whom you trust.",
        "Set it in ~/.config/svc/config.toml, by SERVICE_CACERT, or with --cacert.");
  take_text(value, source, into.ca_file);
  auto& file = into.ca_file->value;
  if (!file.starts_with('/')) file = directory_of(into.path) + "/" + file;
}

void take_value(raw_value const& value, config_origin origin, config_values& into) {
  auto const source = into.path + ":" + std::to_string(value.line);
  if (value.name == "url") {
    take_text(value, source, into.url);
  } else if (value.name == "organization") {
    take_text(value, source, into.organization);
  } else if (value.name == "project") {
    take_text(value, source, into.project);
  } else if (value.name == "timeout") {
    take_timeout(value, source, into);
  } else if (value.name == "color") {
    take_colour(value, source, into);
  } else if (value.name == "cacert") {
    take_ca_file(value, source, origin, into);
  } else if (value.name.find("token") != std::string::npos || value.name.find("key") != std::string::npos) {
    throw config_failure(
        source + ": " + value.name + " is not a setting, because files are copied and committed.",
        "Delete the line; if it holds a real credential, revoke that (svc token revoke). Then log in "
        "with svc login, or set SERVICE_TOKEN.");
  } else {
    throw config_failure(source + ": there is no key " + value.name + ".",
                         origin == config_origin::project
                             ? "The keys are url, organization, project, timeout and color."
                             : "The keys are url, organization, project, cacert, timeout and color.");
  }
}

}  // namespace

config_values read_config(std::string const& path, std::string_view text, config_origin origin) {
  refuse_tokens(path, text);
  std::vector<std::string> problems;
  auto const values = read_toml_text(path, text, problems);
  if (!problems.empty()) throw config_failure(problems.front() + ".");
  config_values out;
  out.path = path;
  for (auto const& value : values) take_value(value, origin, out);
  return out;
}

std::optional<config_values> load_config(std::string const& path, config_origin origin) {
  auto const text = read_regular_file(path, largest_config_file);
  if (!text) return std::nullopt;
  return read_config(path, *text, origin);
}

std::string project_file_above(std::string directory) {
  for (;; directory = directory_of(directory)) {
    auto const path = (directory == "/" ? "" : directory) + "/svc.toml";
    struct stat about{};
    if (::stat(path.c_str(), &about) == 0) return path;
    if (directory.size() <= 1) return {};
  }
}

}  // namespace svc::cli
