#include "runner/pattern_automaton.hpp"

#include <algorithm>

namespace svc::runner {

pattern_automaton::pattern_automaton(std::vector<std::string> const& patterns) : nodes_(1) {
  for (auto const& each : patterns) add(each);
  link();
}

std::uint32_t pattern_automaton::child_of(state at, char byte) const {
  auto child = nodes_[at].child;
  while (child != none && nodes_[child].byte != byte) child = nodes_[child].sibling;
  return child;
}

void pattern_automaton::add(std::string_view pattern) {
  state at = start;
  for (char const c : pattern) {
    auto child = child_of(at, c);
    if (child == none) {
      child = static_cast<std::uint32_t>(nodes_.size());
      nodes_.push_back({.sibling = nodes_[at].child, .depth = nodes_[at].depth + 1, .byte = c});
      nodes_[at].child = child;
    }
    at = child;
  }
  if (at != start) nodes_[at].match = nodes_[at].depth;
}

/// Level by level, because a node fails to one that is nearer to the root.
void pattern_automaton::link() {
  std::vector<state> order{start};
  for (std::size_t i = 0; i < order.size(); ++i) {
    auto const parent = order[i];
    for (auto child = nodes_[parent].child; child != none; child = nodes_[child].sibling) {
      order.push_back(child);
      auto& n = nodes_[child];
      n.fail = parent == start ? start : next(nodes_[parent].fail, n.byte);
      n.match = std::max(n.match, nodes_[n.fail].match);
    }
  }
}

pattern_automaton::state pattern_automaton::next(state from, char byte) const {
  for (;;) {
    if (auto const child = child_of(from, byte); child != none) return child;
    if (from == start) return start;
    from = nodes_[from].fail;
  }
}

}  // namespace svc::runner
