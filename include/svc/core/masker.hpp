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

/// What is masked in a run's output: its secrets and their lines. Immutable, for all streams of a run. Making it
/// costs 0.2 s for 1 MiB, and at most 40 bytes for each byte of a secret, so it is made off the event loop.
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

/// Replaces secrets in a stream of bytes by `***`, however they are spelled (spellings.hpp) and wherever the stream
/// was split. What several secrets cover together is one `***`, so that no part of one shows next to another. Holds
/// back only what may be the beginning of a secret; the cost depends only on the number of bytes. A value of one
/// stream.
class masker {
 public:
  /// Null: nothing is masked.
  explicit masker(secret_patterns_ptr patterns) : patterns_(std::move(patterns)) {}

  /// Takes more bytes; returns what can be shown now.
  std::string feed(std::string_view bytes);
  /// Whether whole lines are held back, because a secret in another spelling may go on in the next one.
  bool holds_line() const { return held_.find('\n') != std::string::npos; }
  /// For use when nothing more came for a while: returns those lines, except for what begins a secret as it is, or by
  /// `sure_beginning` bytes in another spelling. If a secret goes on later, the part that was returned stays
  /// readable.
  std::string release();
  /// The rest: the stream has ended.
  std::string finish();

  static constexpr std::string_view mask = "***";
  /// No text agrees with the beginning of a secret for so many bytes by chance.
  static constexpr std::size_t sure_beginning = 8;
  /// The most bytes held back: a spelling that goes on for longer is given up.
  static constexpr std::size_t most_held = 1024UL * 1024;

 private:
  struct range : text_range {
    bool shown = false;  ///< its mask is written
  };

  void look(char c);
  void add(range found);
  /// Where the text begins that may become a secret; in another spelling it counts only with `least` bytes of the
  /// secret.
  std::size_t open(std::size_t least) const;
  /// Returns what lies before `until`, masked, and forgets it.
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
  std::size_t begin_ = 0;      ///< where `held_` begins
  std::size_t end_ = 0;        ///< how many bytes have come
  std::deque<range> found_{};  ///< in order; none touches what another covers
};

/// Makes a run's patterns on a thread of `builders`, so that the loop, with other runs' heartbeats, goes on. Wipes
/// its copies of the secrets. `io` outlives `builders`. Rethrows what making them throws.
task<secret_patterns_ptr> build_patterns(asio::io_context& io, asio::thread_pool& builders,
                                         std::vector<secret_string> secrets);

}  // namespace svc
