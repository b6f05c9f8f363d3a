#pragma once

#include "svc/core/secret.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace svc {

/// Finds any number of texts in a stream in one pass (Aho and Corasick, 1975): the cost of a byte does not depend on
/// the number of texts. Uses at most twenty bytes of memory for each byte of the texts. Immutable.
class pattern_automaton {
 public:
  /// The constructor reads the texts only during the call.
  explicit pattern_automaton(std::vector<std::string_view> patterns);

  using state = std::uint32_t;
  static constexpr state start = 0;

  state next(state state, char byte) const;
  /// Returns how many of the last bytes are the start of a pattern; earlier bytes cannot become part of a pattern any
  /// more.
  std::size_t open(state state) const { return nodes_[state].depth; }
  /// Returns the length of the longest pattern that ends here; 0: none.
  std::size_t match(state state) const { return nodes_[state].match; }
  bool empty() const { return nodes_.size() == 1; }

 private:
  static constexpr std::uint32_t none = 0;  ///< the root is no node's child

  /// Nodes are stored level by level, the children of one node side by side and in order.
  struct node {
    std::uint32_t first_child = none;
    std::uint32_t fail = start;
    std::uint32_t depth = 0;
    std::uint32_t match = 0;
    std::uint16_t children = 0;
    char byte = 0;
  };

  std::uint32_t child_of(state state, char byte) const;
  void grow(std::vector<std::string_view> const& sorted);
  void link();

  std::vector<node, wiping_allocator<node>> nodes_;
  std::array<state, 256> from_start_{};  ///< by byte: most text starts no pattern, so most look-ups use this
};

}  // namespace svc
