#pragma once

#include "model/monitors/world.hpp"

#include <string>
#include <vector>

namespace svc::model::monitors {

struct step {
  enum class step_kind : u8 {
    tick,
    probe,    ///< a worker makes a check; `location`, `outcome`
    asked,    ///< a worker makes the requested check; `outcome`
    parent,   ///< the parent's transaction for a check; `outcome`
    look,     ///< a worker decides by the clock
    count,    ///< a worker counts its result in a separate statement, if that is enough
    lock,     ///< the first statement of a transaction
    go_on,    ///< its next statement, finally the COMMIT
    unheard,  ///< a COMMIT whose answer is lost
    crash,
    edit  ///< the user's next statement
  } kind;
  u8 owner = 0, location = 0, outcome = 0;
};

std::string describe(step s, state const& before, world const& where);

state initial(world const& where);
void add_steps(state const& s, world const& where, rules const& rules, std::vector<step>& out);
/// Returns the broken invariant, or null.
char const* apply(state& s, step next, world const& where, rules const& rules);

/// The events that the rows show, as a set of `event`s.
enum event : std::uint32_t {
  reported = 1,
  recovered = 2,
  reminded = 4,
  muted = 8,
  error_reported = 16,
  second_outage = 32,
  edited_twice = 64,
  held = 128,
  silenced = 256,
  released = 512,
  left_out = 1024,
  caused = 2048,
  all_events = 4095
};
std::uint32_t events_in(state const& s);

/// The invariants of the rows, which hold after every step.
char const* evaluate(state const& s, world const& where);
/// The invariants of a transaction's decision, which turned `before` into `rows`. `hold_over`: the state's.
char const* evaluate_decision(database const& before, database const& rows, u8 now, u8 hold_over, world const& where);
/// The invariants while no worker has any work.
char const* evaluate_quiet(state const& s, world const& where);

}  // namespace svc::model::monitors
