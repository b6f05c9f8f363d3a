#include "model/simulator.hpp"

#include <random>

namespace svc::model {
namespace {

class run {
 public:
  run(rules const& rules, std::uint64_t seed, bool tracing)
      : random_(seed), simulated_(where_, rules), state_(begin()), tracing_(tracing) {}

  outcome walk(int length) {
    for (int i = 0; i < length && out_.broken == nullptr; ++i) {
      refill();
      move();
    }
    // Everything that still waits must end without new events.
    state_.budget = {};
    for (int i = 0; i < 10 * length && out_.broken == nullptr && waits(); ++i) move();
    if (out_.broken == nullptr && waits()) out_.broken = hangs;
    out_.counted = simulated_.tallied();
    return out_;
  }

 private:
  u8 below(unsigned n) { return static_cast<u8>(random_() % n); }

  /// Few kinds of events in a run, so that each also happens without the others.
  state begin() {
    where_.workers = max_workers;
    where_.tokens = 0b0111;
    where_.warm_redis = below(2) != 0;
    where_.warm_workers = where_.warm_redis ? below(8) : u8{0};
    state s = simulated_.initial();
    for (std::size_t e = 0; e < s.budget.size(); ++e)
      s.budget[e] = below(4) == 0 ? static_cast<u8>(1 + below(2)) : u8{0};
    s.budget[static_cast<std::size_t>(event::relay)] = 4;
    s.budget[static_cast<std::size_t>(event::tick)] = static_cast<u8>(2 + below(8));
    return s;
  }

  void refill() {
    for (request& q : state_.requests) {
      if (q.phase != going::done) continue;
      q = {};
      q.worker = below(max_workers);
      q.token = below(max_tokens);
      // A rotation draws its secret at random: nobody knows it before.
      if (q.token >= first_fresh && state_.truth.exists[q.token] == 0) q.token = 0;
      q.writes = below(3) == 0 ? 1 : 0;
    }
    if (state_.clock > max_number - 10 || state_.versions > max_number - 10) return;
    for (change& c : state_.changes) {
      if (c.phase != doing::done && c.phase != doing::idle) continue;
      c = {};
      c.kind = static_cast<edit>(below(9));
      c.worker = below(max_workers);
      bool const of_user = c.kind == edit::role || c.kind == edit::ban;
      bool const of_token_0 = c.kind >= edit::rotate;
      c.target = of_user || of_token_0 ? u8{0} : below(first_fresh);
    }
  }

  bool waits() const {
    for (request const& q : state_.requests) {
      if (q.phase != going::done && q.phase != going::waiting) return true;
    }
    for (change const& c : state_.changes) {
      if (c.phase != doing::done && c.phase != doing::idle) return true;
    }
    return false;
  }

  /// Events and new changes are rarer than steps of what is in progress.
  bool skips(step n) {
    if (is_environment(n) || n.settings != 0) return below(12) != 0;
    if (n.kind == step::step_kind::prepare || n.kind == step::step_kind::relay || n.kind == step::step_kind::fail) {
      return below(4) != 0;
    }
    return n.kind == step::step_kind::heal && below(6) != 0;
  }

  void move() {
    simulated_.enabled(state_, next_);
    if (next_.empty()) return;
    step n = next_[random_() % next_.size()];
    for (int tries = 0; tries < 8 && skips(n); ++tries) n = next_[random_() % next_.size()];
    if (tracing_) out_.trace += "\n  " + describe(n, state_);
    out_.broken = simulated_.apply(state_, n);
    ++out_.states;
  }

  std::mt19937_64 random_;
  world where_{};
  simulator simulated_;
  state state_;
  std::vector<step> next_{};
  bool tracing_;
  outcome out_{};
};

}  // namespace

outcome wander(rules const& rules, std::uint64_t seed, int length) {
  outcome found = run(rules, seed, false).walk(length);
  if (found.broken == nullptr) return found;
  found = run(rules, seed, true).walk(length);
  found.trace = "seed " + std::to_string(seed) + ": " + found.broken + found.trace;
  return found;
}

}  // namespace svc::model
