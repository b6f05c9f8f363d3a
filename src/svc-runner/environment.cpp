#include "svc-runner/environment.hpp"

#include <string_view>
#include <unordered_map>

namespace svc::runner {
namespace {

bool is_name(std::string_view text) {
  return !text.empty() && text.find('=') == std::string_view::npos && text.find('\0') == std::string_view::npos;
}

/// A list that finds names quickly, however many there are.
class named_list {
 public:
  explicit named_list(environment_list environment_list) {
    for (auto const& [name, value] : environment_list) set(name, value);
  }
  void set(std::string const& name, std::string_view value) {
    if (!is_name(name)) return;
    auto const [position, added] = positions_.emplace(name, list_.size());
    auto held = std::string(value.substr(0, value.find('\0')));
    if (added)
      list_.emplace_back(name, std::move(held));
    else
      list_[position->second].second = std::move(held);
  }
  environment_list take() { return std::move(list_); }

 private:
  environment_list list_{};
  std::unordered_map<std::string, std::size_t> positions_{};
};

}  // namespace

environment_list script_environment(claim const& claim, environment_list base) {
  named_list out(std::move(base));
  out.set("SERVICE_RUN_ID", claim.run_id);
  out.set("SERVICE_RUN_ATTEMPT", std::to_string(claim.attempt));
  if (!claim.trace_parent.empty()) out.set("TRACEPARENT", claim.trace_parent);
  for (auto const& v : claim.variables) out.set(v.name, v.value.reveal());
  for (auto const& p : claim.parameters) out.set("SERVICE_PARAM_" + p.name, p.value.reveal());
  return out.take();
}

std::vector<secret_string> secrets_of(claim const& claim) {
  std::vector<secret_string> out;
  for (auto const& v : claim.variables)
    if (v.secret) out.push_back(v.value);
  return out;
}

}  // namespace svc::runner
