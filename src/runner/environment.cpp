#include "runner/environment.hpp"

#include <algorithm>

namespace svc::runner {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && text.find('=') == std::string_view::npos && text.find('\0') == std::string_view::npos;
}

void set(environment_list& in, std::string const& name, std::string const& value) {
  if (!is_name(name)) return;
  auto const held = value.substr(0, value.find('\0'));
  auto const at = std::find_if(in.begin(), in.end(), [&](auto const& entry) { return entry.first == name; });
  if (at == in.end()) {
    in.emplace_back(name, held);
  } else {
    at->second = held;
  }
}

}  // namespace

environment_list script_environment(claim const& of, environment_list base) {
  set(base, "SERVICE_RUN_ID", of.run_id);
  set(base, "SERVICE_RUN_ATTEMPT", std::to_string(of.attempt));
  for (auto const& v : of.variables) set(base, v.name, v.value);
  for (auto const& p : of.parameters) set(base, "SERVICE_PARAM_" + p.name, p.value);
  return base;
}

std::vector<std::string> secrets_of(claim const& of) {
  std::vector<std::string> out;
  for (auto const& v : of.variables)
    if (v.secret) out.push_back(v.value);
  return out;
}

}  // namespace svc::runner
