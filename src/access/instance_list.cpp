#include "svc/access/instance_list.hpp"

#include <array>
#include <string>

namespace svc::embedded {
extern std::string_view const instances_lua;
}  // namespace svc::embedded

namespace svc::access {
namespace {

constexpr std::string_view instances_key = "svc:instances";

/// Returns the instances in Redis's reply. An entry that is not readable, possibly from a newer version, does not
/// count.
std::optional<std::vector<instance_identity>> instances_in(redis::outcome const& outcome) {
  if (!outcome.ok() || outcome.value.kind != redis::reply::type::array) return std::nullopt;
  std::vector<instance_identity> out;
  for (auto const& element : outcome.value.elements) {
    if (auto identity = read_instance(element.text)) out.push_back(std::move(*identity));
  }
  return out;
}

}  // namespace

redis::script const& instance_list::script() {
  static redis::script const instances("instances", embedded::instances_lua);
  return instances;
}

task<redis::outcome> instance_list::ask(std::string_view subject, std::string name, deadline until) {
  auto const age = std::to_string(std::chrono::milliseconds(instance_age).count());
  std::array<std::string_view, 1> const keys{instances_key};
  std::array<std::string_view, 3> const arguments{subject, name, age};
  co_return co_await redis_.evaluate(script(), keys, arguments, until);
}

task<std::optional<std::vector<instance_identity>>> instance_list::renew(instance_identity identity, deadline until) {
  co_return instances_in(co_await ask("beat", to_text(identity), until));
}

task<bool> instance_list::leave(instance_identity identity, deadline until) {
  auto const done = co_await ask("leave", to_text(identity), until);
  co_return done.ok();
}

task<std::optional<std::vector<instance_identity>>> instance_list::read(deadline until) {
  co_return instances_in(co_await ask("list", {}, until));
}

}  // namespace svc::access
