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
/// costs 0.2 s for 1 MiB and 40 bytes for each byte of a secret at most, so it is made off the event loop.
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
/// was cut. What several secrets cover together is one `***`, so that no rest of one shows beside another. Holds back
/// only what may be the beginning of a secret; the cost grows with the bytes alone. A value of one stream.
class masker {
 public:
  /// None: nothing is masked.
  explicit masker(secret_patterns_ptr patterns) : patterns_(std::move(patterns)) {}

  /// What can be shown now that these bytes came.
  std::string feed(std::string_view bytes);
  /// Whole lines are held back, because a spelled secret may go on in the next one.
  bool holds_line() const { return held_.find('\n') != std::string::npos; }
  /// Nothing more came for a while: gives those lines out, but for what begins a secret by `sure_beginning` bytes or
  /// as it is. Of a secret that goes on later, what was given out stays readable.
  std::string release();
  /// The rest: the stream has ended.
  std::string finish();

  static constexpr std::string_view mask = "***";
  /// No text looks by chance as if it began a secret for so long.
  static constexpr std::size_t sure_beginning = 8;
  /// A spelling that goes on for longer is not waited for.
  static constexpr std::size_t most_held = 1024UL * 1024;

 private:
  struct range : text_range {
    bool shown = false;  ///< its mask is written
  };

  void look(char c);
  void add(range found);
  /// Where what may become a secret begins, `least` bytes of it being there if it is spelled.
  std::size_t open(std::size_t least) const;
  /// Gives out what lies before `until`.
  std::string take(std::size_t until);

  secret_patterns_ptr patterns_;
  pattern_automaton::state at_ = pattern_automaton::start;
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

/// Makes a run's patterns by a thread of `builders`, so that the loop, with other runs' heartbeats, goes on. Wipes
/// its copies of the secrets. `io` outlives `builders`. Throws what making them throws.
task<secret_patterns_ptr> build_patterns(asio::io_context& io, asio::thread_pool& builders,
                                         std::vector<secret_string> secrets);

}  // namespace svc
