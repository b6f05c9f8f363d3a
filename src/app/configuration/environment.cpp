#include "app/configuration/keys.hpp"

#include <unistd.h>
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <map>

namespace svc::app {
namespace {

// Not configuration: read elsewhere, by test builds and by the tests themselves.
constexpr std::array<std::string_view, 4> foreign{"SVC_FAILPOINTS", "SVC_DECISION_LOG", "SVC_CORPORA_DIR", "SVC_BIN"};

constexpr std::size_t largest_secret = 64UL * 1024;

using variables = std::map<std::string, std::string, std::less<>>;

variables ours(std::vector<std::string> const& environment) {
  variables out;
  for (auto const& entry : environment) {
    auto const equals = entry.find('=');
    // The runner's, which may run beside us.
    if (entry.starts_with("SVC_RUNNER_")) continue;
    if (entry.starts_with("SVC_") && equals != std::string::npos)
      out.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
  return out;
}

/// The file's text without the line end that editors add.
std::optional<std::string> read_secret(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text(largest_secret + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (file.bad() || text.size() > largest_secret) return std::nullopt;
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

void apply_secret_file(key const& k, variables& from, configuration& into, std::vector<std::string>& problems) {
  auto const found = from.find(k.variable() + "_FILE");
  if (found == from.end()) return;
  if (from.contains(k.variable())) {
    problems.push_back(found->first + ": set either this or " + k.variable());
  } else if (auto const text = read_secret(found->second); !text) {
    problems.push_back(found->first + ": must name a readable file of at most 64 KiB: " + found->second);
  } else if (auto const problem = assign(k, {std::string(k.name), *text}, into)) {
    problems.push_back(found->first + ": its content " + *problem);
  }
  from.erase(found);
}

/// `SVC_A_B` back to the spelling of reserved keys, where the last dot is ambiguous.
bool is_reserved(std::string_view variable) {
  std::string name;
  for (char const c : variable.substr(4)) name += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  if (reserved_key(name)) return true;
  auto const first = name.find('_');
  if (first == std::string::npos) return false;
  name[first] = '.';
  return reserved_key(name);
}

}  // namespace

void apply_environment(std::vector<std::string> const& environment, configuration& into,
                       std::vector<std::string>& problems) {
  auto left = ours(environment);
  for (key const& k : configuration_keys()) {
    if (k.secret()) apply_secret_file(k, left, into, problems);
    auto const found = left.find(k.variable());
    if (found == left.end()) continue;
    if (auto const problem = assign(k, {std::string(k.name), found->second}, into))
      problems.push_back(found->first + ": " + *problem);
    left.erase(found);
  }
  for (auto const& [name, value] : left) {
    if (std::find(foreign.begin(), foreign.end(), name) != foreign.end()) continue;
    problems.push_back(name + (is_reserved(name) ? ": not supported by this version yet"
                                                 : ": no such key (svcd print-config --comments lists them)"));
  }
}

std::vector<std::string> process_environment() {
  std::vector<std::string> out;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    if (std::string_view(*entry).starts_with("SVC_")) out.emplace_back(*entry);
  return out;
}

}  // namespace svc::app
