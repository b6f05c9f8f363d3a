#include "model/monitors/steps.hpp"
#include "model/visited.hpp"

namespace svc::model::monitors {
namespace {

struct frame {
  state at;
  std::vector<step> next{};
  std::size_t taken = 0;
};

}  // namespace

outcome explore(world const& where, rules const& with) {
  outcome out;
  visited seen;
  std::vector<frame> path;
  path.push_back({initial(where)});
  add_steps(path.back().at, where, with, path.back().next);
  seen.add(hash_of(path.back().at));
  while (!path.empty() && out.broken == nullptr) {
    auto& top = path.back();
    if (top.taken == top.next.size()) {
      path.pop_back();
      continue;
    }
    state to = top.at;
    out.broken = apply(to, top.next[top.taken++], where, with);
    if (out.broken != nullptr || !seen.add(hash_of(to))) continue;
    out.events |= events_in(to);
    path.push_back({to});
    add_steps(to, where, with, path.back().next);
  }
  if (out.broken != nullptr) {
    out.trace = where.name + ": " + out.broken;
    for (auto const& f : path) out.trace += "\n  " + describe(f.next[f.taken - 1], f.at, where);
  }
  out.states = seen.size();
  return out;
}

}  // namespace svc::model::monitors
