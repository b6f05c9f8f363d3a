#pragma once

#include "runner/pattern_automaton.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc::runner {

/// What is masked in a run's output: its secrets, their lines, and how else they may be spelled (secret_forms.hpp).
/// Immutable, for all streams of a run.
class secret_patterns {
 public:
  /// Empty secrets mask nothing. Other spellings take `most_encoded` bytes at most together; the shortest secrets
  /// come first, and `unencoded` counts those that were left out.
  explicit secret_patterns(std::vector<std::string> secrets);

  pattern_automaton const& automaton() const { return automaton_; }
  std::size_t unencoded() const { return unencoded_; }

  static constexpr std::size_t most_encoded = 2UL * 1024 * 1024;

 private:
  std::vector<std::string> collect(std::vector<std::string> secrets);

  std::size_t unencoded_ = 0;
  pattern_automaton automaton_;
};

using secret_patterns_ptr = std::shared_ptr<secret_patterns const>;

/// Replaces secrets in a stream of bytes by `***`, wherever the stream was cut. What several secrets cover together
/// is one `***`, so that no rest of one shows beside another. Holds back only what may be the beginning of a secret;
/// the cost grows with the bytes alone. A value of one stream.
class masker {
 public:
  /// None: nothing is masked.
  explicit masker(secret_patterns_ptr patterns) : patterns_(std::move(patterns)) {}

  /// What can be shown now that these bytes came.
  std::string feed(std::string_view bytes);
  /// The rest: the stream has ended.
  std::string finish();

  static constexpr std::string_view mask = "***";

 private:
  /// Places count from the stream's first byte.
  struct range {
    std::size_t begin, end;
    bool shown = false;  ///< its mask is written
  };

  void add(range found);
  /// Gives out what lies before `until`.
  std::string take(std::size_t until);

  secret_patterns_ptr patterns_;
  pattern_automaton::state at_ = pattern_automaton::start;
  std::string held_{};
  std::size_t begin_ = 0;      ///< where `held_` begins
  std::size_t end_ = 0;        ///< how many bytes have come
  std::deque<range> found_{};  ///< in order; none touches what another covers
};

}  // namespace svc::runner
