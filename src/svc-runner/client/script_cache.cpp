#include "svc-runner/client/script_cache.hpp"

namespace svc::runner {
namespace {

/// The cost of an entry in addition to its script, so that the number of empty scripts is bounded as well.
constexpr std::size_t beside_the_script = 256;

std::size_t cost_of(script_text const& script) {
  return script->size() + beside_the_script;
}

}  // namespace

script_text script_cache::find(script_name const& name) {
  auto const found = by_name_.find(name);
  if (found == by_name_.end()) return nullptr;
  used_.splice(used_.begin(), used_, found->second);
  return found->second->script;
}

void script_cache::keep(script_name name, script_text script) {
  auto const cost = cost_of(script);
  if (cost > most_ || find(name) != nullptr) return;
  while (bytes_ + cost > most_) {
    bytes_ -= cost_of(used_.back().script);
    by_name_.erase(used_.back().name);
    used_.pop_back();
  }
  bytes_ += cost;
  used_.push_front({std::move(name), std::move(script)});
  by_name_.emplace(used_.front().name, used_.begin());
}

}  // namespace svc::runner
