#include "model/monitors/steps.hpp"
#include "model/visited.hpp"

namespace svc::model::monitors {
namespace {

struct frame {
  state state;
  std::vector<step> next{};
  std::size_t taken = 0;
};

}  // namespace

outcome explore(world const& where, rules const& rules) {
  outcome out;
  visited seen;
  std::vector<frame> path;
  path.push_back({initial(where)});
  add_steps(path.back().state, where, rules, path.back().next);
  seen.add(hash_of(path.back().state));
  while (!path.empty() && out.broken == nullptr) {
    auto& top = path.back();
    if (top.taken == top.next.size()) {
      path.pop_back();
      continue;
    }
    state state = top.state;
    out.broken = apply(state, top.next[top.taken++], where, rules);
    if (out.broken != nullptr || !seen.add(hash_of(state))) continue;
    out.events |= events_in(state);
    path.push_back({state});
    add_steps(state, where, rules, path.back().next);
  }
  if (out.broken != nullptr) {
    out.trace = where.name + ": " + out.broken;
    for (auto const& f : path) out.trace += "\n  " + describe(f.next[f.taken - 1], f.state, where);
  }
  out.states = seen.size();
  return out;
}

}  // namespace svc::model::monitors
