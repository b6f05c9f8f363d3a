// How the value of a key is read.
#include "svc-runner/settings.hpp"

#include "svc-runner/client/endpoint.hpp"
#include "svc-runner/tools.hpp"
#include "svc/core/setting_text.hpp"
#include "svc/core/toml.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <utility>

namespace svc::runner {
namespace {

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> out;
  while (!text.empty()) {
    auto part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    if (!part.empty()) out.emplace_back(part);
  }
  return out;
}

struct reader {
  setting const& to;
  raw_value const& value;
  settings& into;

  bool typed(value_type wanted) const { return value.type == value_type::untyped || value.type == wanted; }
  bool in_range(std::optional<std::int64_t> n) const { return n && *n >= to.least && *n <= to.most; }

  bool operator()(std::string settings::* at) const {
    if (!typed(value_type::text) || value.text.find('\0') != std::string::npos) return false;
    return into.*at = value.text, true;
  }
  bool operator()(secret_string settings::* at) const {
    if (!typed(value_type::text)) return false;
    return into.*at = secret_string(value.text), true;
  }
  bool operator()(std::vector<std::string> settings::* at) const {
    if (!typed(value_type::list)) return false;
    return into.*at = split(value.text), true;
  }
  bool operator()(bool settings::* at) const {
    if (!typed(value_type::boolean) || (value.text != "true" && value.text != "false")) return false;
    return into.*at = value.text == "true", true;
  }
  template <class Owner>
  bool operator()(std::int64_t Owner::* at) const {
    auto const n = parse_integer(value.text);
    if (!typed(value_type::integer) || !in_range(n)) return false;
    return owner(static_cast<Owner*>(nullptr)).*at = *n, true;
  }
  template <class Owner>
  bool operator()(milliseconds Owner::* at) const {
    auto const n = parse_milliseconds(value.text);
    if (!typed(value_type::text) || !in_range(n)) return false;
    return owner(static_cast<Owner*>(nullptr)).*at = milliseconds(*n), true;
  }

  settings& owner(settings const* /*which*/) const { return into; }
  run_limits& owner(run_limits const* /*which*/) const { return into.limits; }
};

struct describer {
  setting const& to;

  std::string operator()(std::string settings::* /*at*/) const { return "must be a text"; }
  std::string operator()(secret_string settings::* /*at*/) const { return "must be a text"; }
  std::string operator()(std::vector<std::string> settings::* /*at*/) const { return "must be a list of texts"; }
  std::string operator()(bool settings::* /*at*/) const { return "must be true or false"; }
  template <class Owner>
  std::string operator()(std::int64_t Owner::* /*at*/) const {
    return "must be a whole number from " + std::to_string(to.least) + " to " + std::to_string(to.most);
  }
  template <class Owner>
  std::string operator()(milliseconds Owner::* /*at*/) const {
    return "must be a duration such as \"30s\" (ms, s, m, h), from " + std::to_string(to.least / 1000) + "s to " +
           std::to_string(to.most / 1000) + "s";
  }
};

constexpr std::size_t largest_token_file = 4096;

using problem_list = std::vector<std::string>;

/// Stores the value, or says what is allowed; never with the value of a secret.
std::optional<std::string> assign(setting const& to, raw_value const& value, settings& into) {
  if (std::visit(reader{to, value, into}, to.target)) return std::nullopt;
  return std::visit(describer{to}, to.target);
}

setting const* find_setting(std::string_view name) {
  auto const& all = all_settings();
  auto const at = std::find_if(all.begin(), all.end(), [&](setting const& s) { return s.name == name; });
  return at == all.end() ? nullptr : &*at;
}

void apply_file(std::string const& path, settings& into, problem_list& problems) {
  for (auto const& value : read_toml(path, problems)) {
    auto const* const known = find_setting(value.name);
    if (known == nullptr) {
      problems.push_back(path + ": " + value.name + ": no such key (svc-runner --help lists them)");
    } else if (auto const problem = assign(*known, value, into)) {
      problems.push_back(path + ": " + value.name + ": " + *problem);
    }
  }
}

void apply_environment(std::vector<std::string> const& environment, settings& into, problem_list& problems) {
  std::map<std::string, setting const*, std::less<>> known;
  for (auto const& s : all_settings()) known.emplace(s.variable(), &s);
  for (auto const& entry : environment) {
    auto const equals = entry.find('=');
    if (!entry.starts_with("SVC_RUNNER_") || equals == std::string::npos) continue;
    auto const name = entry.substr(0, equals);
    auto const found = known.find(name);
    if (found == known.end()) {
      problems.push_back(name + ": no such key (svc-runner --help lists them)");
    } else if (auto const problem = assign(*found->second, {name, entry.substr(equals + 1)}, into)) {
      problems.push_back(name + ": " + *problem);
    }
  }
}

/// The token stands alone in its file, and scripts that run as somebody else must not be able to read it.
void read_token(settings& into, problem_list& problems) {
  if (into.token_file.empty()) return;
  if (!into.token.empty()) {
    problems.emplace_back("token_file: set either this or token");
    return;
  }
  struct stat about{};
  std::ifstream file(into.token_file, std::ios::binary);
  if (!file || ::stat(into.token_file.c_str(), &about) != 0) {
    problems.push_back("token_file: must name a readable file: " + into.token_file);
    return;
  }
  if ((about.st_mode & 077) != 0 && (about.st_uid != 0 || (about.st_mode & 027) != 0)) {
    problems.push_back("token_file: others may read it (chmod 600): " + into.token_file);
    return;
  }
  std::string text(largest_token_file, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  into.token = secret_string(std::move(text));
}

void complete(settings& into, settings_sources const& from) {
  if (into.name.empty()) {
    std::array<char, 256> host{};
    into.name = ::gethostname(host.data(), host.size() - 1) == 0 && host[0] != '\0' ? host.data() : "svc-runner";
  }
  if (into.work_dir.empty() && from.root) into.work_dir = "/var/lib/svc-runner";
  if (into.work_dir.empty() && from.home.starts_with('/')) into.work_dir = from.home + "/.local/share/svc-runner";
}

bool is_word_token(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < 0x7f; });
}

void check_paths(settings const& s, problem_list& problems) {
  auto const absolute = [&](std::string_view key, std::string const& path) {
    if (!path.empty() && !path.starts_with('/')) problems.push_back(std::string(key) + ": must be an absolute path");
  };
  absolute("work_dir", s.work_dir);
  absolute("playwright.modules", s.playwright_modules);
  absolute("playwright.browser", s.playwright_browser);
  for (auto const& path : s.read_only) absolute("sandbox.read_only", path);
  if (s.work_dir.empty()) problems.emplace_back("work_dir: must be set, HOME is not");
  if (!s.ca_file.empty() && ::access(s.ca_file.c_str(), R_OK) != 0)
    problems.push_back("ca_file: must name a readable file: " + s.ca_file);
}

void check(settings const& s, problem_list& problems) {
  if (!parse_endpoint(s.url))
    problems.emplace_back(
        "url: must be https://HOST[:PORT] or unix:/PATH (http:// to this machine's loopback address only)");
  if (s.token.empty()) {
    if (problems.empty()) problems.emplace_back("token_file: must be set, or token (svcd admin create-runner)");
  } else if (!s.token.reveal().starts_with("svc_runner_") || !is_word_token(s.token.reveal())) {
    problems.emplace_back("token: must be one of an executor (svc_runner_...)");
  }
  if (s.name.size() > 100) problems.emplace_back("name: must be of at most 100 characters");
  for (auto const& label : s.labels)
    if (!find_job_type(label)) problems.push_back("labels: no such job type: " + label);
  constexpr std::array<std::string_view, 3> modes{"auto", "bubblewrap", "none"};
  if (std::find(modes.begin(), modes.end(), s.sandbox) == modes.end())
    problems.emplace_back("sandbox.mode: must be auto, bubblewrap or none");
  if (auto ignored = log::level::info; !log::parse_level(s.log_level, ignored))
    problems.emplace_back("log.level: must be debug, info, warn, error or off");
  check_paths(s, problems);
}

}  // namespace

loaded_settings load_settings(settings_sources const& from) {
  loaded_settings out;
  if (!from.file.empty()) apply_file(from.file, out.values, out.problems);
  apply_environment(from.environment, out.values, out.problems);
  read_token(out.values, out.problems);
  complete(out.values, from);
  check(out.values, out.problems);
  return out;
}

}  // namespace svc::runner
