#pragma once

#include "svc/access/reauthorization.hpp"
#include "svc/core/deadline.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace svc::output {

/// The times to check a viewer's right again and to send a heartbeat. A check is due before each heartbeat,
/// at once after a bump of its subject's epoch, and every second while neither store can answer. Decides and
/// does no I/O. Worker-local, owned by its stream.
class right_watch {
 public:
  /// The pause between two checks while neither store can answer.
  static constexpr milliseconds pause{1000};
  /// The time without an answer after which the stream ends.
  static constexpr std::chrono::seconds longest_revalidation{30};

  /// `epoch` is the epoch of the record that admitted the viewer.
  right_watch(std::int64_t epoch, milliseconds heartbeat) : epoch_(epoch), every_(heartbeat) {}

  void begin(steady::time_point now) { heartbeat_ = ask_at_ = now + every_; }

  /// Returns true if a check starts now. There is only one at a time.
  bool ask(steady::time_point now) {
    if (asking_ || now < ask_at_) return false;
    return asking_ = true;
  }
  /// Returns the lowest epoch that the check may accept; 0: any.
  std::int64_t at_least() const { return minimum_ > epoch_ ? minimum_ : 0; }

  enum class verdict : std::uint8_t {
    goes_on,
    withdrawn,
    lost,  ///< neither store has answered for too long
  };
  /// Reports the result of the check.
  verdict answered(access::permission_state const& found, steady::time_point now) {
    asking_ = false;
    if (found.content == access::permission_state::kind::withdrawn) return verdict::withdrawn;
    if (now >= heartbeat_) {
      ping_due_ = true;
      heartbeat_ = now + every_;
    }
    if (found.content == access::permission_state::kind::granted) {
      epoch_ = found.epoch;
      bool const bumped_meanwhile = minimum_ > epoch_;
      if (!bumped_meanwhile) revalidating_since_.reset();
      ask_at_ = bumped_meanwhile ? now : heartbeat_;
      return verdict::goes_on;
    }
    // Events wait until a store answers or the stream ends.
    if (!revalidating_since_) revalidating_since_ = now;
    if (now - *revalidating_since_ > longest_revalidation) return verdict::lost;
    ask_at_ = now + pause;
    return verdict::goes_on;
  }

  /// Reports that the subject's epoch was bumped to `epoch`. Returns false if that was already known.
  bool advance(std::int64_t epoch, steady::time_point now) {
    if (epoch <= std::max(epoch_, minimum_)) return false;
    minimum_ = epoch;
    ask_at_ = now;
    if (!revalidating_since_) revalidating_since_ = now;
    return true;
  }

  /// While true, nothing is read or sent.
  bool needs_revalidation() const { return revalidating_since_.has_value(); }
  /// True once for each heartbeat, which is sent only after a check of the right.
  bool take_ping() { return std::exchange(ping_due_, false); }
  /// Returns the time of the next check; never during a check, because its answer wakes the stream.
  steady::time_point due() const { return asking_ ? steady::time_point::max() : ask_at_; }

 private:
  std::int64_t epoch_;        ///< confirmed at admission or by the last check
  std::int64_t minimum_ = 0;  ///< the newest epoch reported by `advance`
  milliseconds every_;
  std::optional<steady::time_point> revalidating_since_{};
  steady::time_point heartbeat_{};  ///< when the next one is due
  steady::time_point ask_at_{};
  bool asking_ = false;
  bool ping_due_ = false;
};

}  // namespace svc::output
