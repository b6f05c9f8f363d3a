#include "svc/core/pattern_automaton.hpp"

#include <algorithm>
#include <utility>

namespace svc {
namespace {

std::size_t common(std::string_view a, std::string_view b) {
  auto const ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<std::size_t>(ends.first - a.begin());
}

/// The nodes of the tree that sorted texts make: the root, and one for each byte that a text does not share with the
/// one before it.
std::size_t count_nodes(std::vector<std::string_view> const& sorted) {
  std::size_t out = 1;
  for (std::size_t i = 0; i < sorted.size(); ++i)
    out += sorted[i].size() - (i == 0 ? 0 : common(sorted[i - 1], sorted[i]));
  return out;
}

}  // namespace

pattern_automaton::pattern_automaton(std::vector<std::string_view> patterns) {
  std::sort(patterns.begin(), patterns.end());
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  nodes_.reserve(count_nodes(patterns));
  nodes_.emplace_back();
  grow(patterns);
  for (std::size_t i = 0; i < nodes_[start].children; ++i) {
    auto const child = nodes_[start].first_child + static_cast<state>(i);
    from_start_[static_cast<unsigned char>(nodes_[child].byte)] = child;
  }
  link();
}

/// Makes the nodes level by level. Texts that share a beginning are neighbours, so a new node is made where the
/// parent or the byte changes.
void pattern_automaton::grow(std::vector<std::string_view> const& sorted) {
  std::vector<std::pair<std::string_view, state>> longer;
  for (auto const& each : sorted)
    if (!each.empty()) longer.emplace_back(each, start);
  for (std::uint32_t depth = 1; !longer.empty(); ++depth) {
    auto last_parent = start;
    bool first = true;
    for (auto& [text, entry] : longer) {
      char const byte = text[depth - 1];
      auto const parent = entry;
      if (first || parent != last_parent || nodes_.back().byte != byte) {
        auto& above = nodes_[parent];
        if (above.children == 0) above.first_child = static_cast<state>(nodes_.size());
        ++above.children;
        nodes_.push_back({.depth = depth, .byte = byte});
      }
      entry = static_cast<state>(nodes_.size() - 1);
      if (text.size() == depth) nodes_[entry].match = depth;
      last_parent = parent;
      first = false;
    }
    std::erase_if(longer, [depth](auto const& each) { return each.first.size() == depth; });
  }
}

/// Sets the failure links, in the order of the nodes, because each leads to a node nearer to the root.
void pattern_automaton::link() {
  for (state parent = start; parent < nodes_.size(); ++parent) {
    for (std::uint32_t i = 0; i < nodes_[parent].children; ++i) {
      auto& n = nodes_[nodes_[parent].first_child + i];
      n.fail = parent == start ? start : next(nodes_[parent].fail, n.byte);
      n.match = std::max(n.match, nodes_[n.fail].match);
    }
  }
}

std::uint32_t pattern_automaton::child_of(state state, char byte) const {
  auto const& n = nodes_[state];
  auto first = n.first_child;
  if (n.children == 1) return nodes_[first].byte == byte ? first : none;
  auto count = static_cast<std::uint32_t>(n.children);
  auto const wanted = static_cast<unsigned char>(byte);
  while (count > 0) {
    auto const half = count / 2;
    auto const found = static_cast<unsigned char>(nodes_[first + half].byte);
    if (found == wanted) return first + half;
    if (found < wanted) {
      first += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return none;
}

pattern_automaton::state pattern_automaton::next(state state, char byte) const {
  while (state != start) {
    if (auto const child = child_of(state, byte); child != none) return child;
    state = nodes_[state].fail;
  }
  return from_start_[static_cast<unsigned char>(byte)];
}

}  // namespace svc
