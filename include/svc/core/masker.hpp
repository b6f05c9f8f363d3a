#pragma once

#include "svc/core/async.hpp"
#include "svc/core/pattern_automaton.hpp"
#include "svc/core/spellings.hpp"

#include <boost/asio/thread_pool.hpp>

#include <cstddef>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// The patterns to mask in a run's output: its secrets and their lines. Immutable, for all streams of a run.
/// Construction costs 0.2 s for 1 MiB, and at most 40 bytes for each byte of a secret, so it does not run on the
/// event loop.
class secret_patterns {
 public:
  /// Empty secrets mask nothing.
  explicit secret_patterns(std::vector<secret_string> const& secrets) : automaton_(collect(secrets)) {}

  pattern_automaton const& automaton() const { return automaton_; }

 private:
  static std::vector<std::string_view> collect(std::vector<secret_string> const& secrets);

  pattern_automaton automaton_;
};

using secret_patterns_ptr = std::shared_ptr<secret_patterns const>;

/// Replaces secrets in a stream of bytes by `***`, in any of their spellings (spellings.hpp), and wherever the stream
/// was split. Overlapping secrets together become one `***`, so that no part of a secret shows next to another. The
/// masker holds back only bytes that may start a secret. Its cost depends only on the number of bytes. Each stream
/// has its own masker, which is a value.
class masker {
 public:
  /// If `patterns` is null, the masker masks nothing.
  explicit masker(secret_patterns_ptr patterns) : patterns_(std::move(patterns)) {}

  /// Takes more bytes and returns the bytes that can be shown now.
  std::string feed(std::string_view bytes);
  /// Returns true if the masker holds back whole lines, because a secret in another spelling may continue in the next
  /// line.
  bool holds_line() const { return held_.find('\n') != std::string::npos; }
  /// Returns these lines after a pause of the stream. The start of a secret in the original spelling stays held back.
  /// In another spelling it does so only if at least `sure_beginning` bytes of the secret have arrived; otherwise, if
  /// the secret continues later, its returned part stays readable.
  std::string release();
  /// Returns the rest at the end of the stream.
  std::string finish();

  static constexpr std::string_view mask = "***";
  /// The number of bytes that no text shares with the start of a secret by chance.
  static constexpr std::size_t sure_beginning = 8;
  /// The most bytes that the masker holds back: it gives up a longer spelling.
  static constexpr std::size_t most_held = 1024UL * 1024;

 private:
  struct range : text_range {
    bool shown = false;  ///< its mask is written
  };

  void look(char c);
  void add(range found);
  /// Returns the start of the text that may become a secret. A text in another spelling counts only with `least`
  /// bytes of the secret.
  std::size_t open(std::size_t least) const;
  /// Returns the text before `until`, masked, and removes it.
  std::string take(std::size_t until);

  secret_patterns_ptr patterns_;
  pattern_automaton::state state_ = pattern_automaton::start;
  base64_reading base64_{};
  hex_reading hex_{};
  std::vector<escape_reading> escapes_{escape_reading(escape_reading::style::percent),
                                       escape_reading(escape_reading::style::form),
                                       escape_reading(escape_reading::style::json)};
  text_ranges just_found_{};
  std::string held_{};
  std::size_t begin_ = 0;      ///< the position of the start of `held_`
  std::size_t end_ = 0;        ///< the number of bytes received
  std::deque<range> found_{};  ///< in order; no range touches another one
};

/// Builds a run's patterns on a thread of `builders`, so that the loop continues with other runs' heartbeats. Wipes
/// its copies of the secrets. `io` outlives `builders`. Rethrows exceptions of the construction.
task<secret_patterns_ptr> build_patterns(asio::io_context& io, asio::thread_pool& builders,
                                         std::vector<secret_string> secrets);

}  // namespace svc
