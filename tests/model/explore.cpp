#include "model/simulator.hpp"

#include "model/visited.hpp"

#include <algorithm>

namespace svc::model {
namespace {

/// Somebody waits, and only the environment could move.
bool stuck(state const& s, std::vector<step> const& next) {
  if (std::ranges::any_of(next, [](step n) { return !is_environment(n); })) return false;
  bool const request_waits = std::ranges::any_of(
      s.requests, [](request const& q) { return q.phase != going::done && q.phase != going::waiting; });
  bool const change_waits = std::ranges::any_of(
      s.changes, [](change const& c) { return c.phase != doing::done && c.phase != doing::idle && c.frozen == 0; });
  return request_waits || change_waits;
}

struct frame {
  state state;
  std::vector<step> next{};
  std::size_t taken = 0;
};

std::string trace_of(std::vector<frame> const& path) {
  std::string out;
  for (frame const& f : path) out += "\n  " + describe(f.next[f.taken - 1], f.state);
  return out;
}

}  // namespace

outcome explore(world const& where, rules const& rules) {
  simulator simulated(where, rules);
  outcome out;
  visited seen;
  std::vector<frame> path;
  path.push_back({simulated.initial()});
  simulated.enabled(path.back().state, path.back().next);
  seen.add(hash_of(path.back().state));
  while (!path.empty() && out.broken == nullptr) {
    frame& top = path.back();
    if (top.taken == top.next.size()) {
      path.pop_back();
      continue;
    }
    state state = top.state;
    out.broken = simulated.apply(state, top.next[top.taken++]);
    if (out.broken != nullptr || !seen.add(hash_of(state))) continue;
    path.push_back({state});
    simulated.enabled(state, path.back().next);
    if (stuck(state, path.back().next)) {
      path.pop_back();
      out.broken = hangs;
    }
  }
  if (out.broken != nullptr) out.trace = where.name + ": " + out.broken + trace_of(path);
  out.states = seen.size();
  out.counted = simulated.tallied();
  return out;
}

}  // namespace svc::model
