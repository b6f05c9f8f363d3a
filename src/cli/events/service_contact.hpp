#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace svc::cli {

/// Knows whether the service answers, and decides on the message when it does not. Until it answers again, only the
/// last state of a run is known. A value.
class service_contact {
 public:
  using time_point = std::chrono::steady_clock::time_point;
  /// Shorter losses are not worth a line: an instance was replaced.
  static constexpr std::chrono::seconds unsaid{3};
  static constexpr std::chrono::minutes reminder{1};

  /// The service did not answer. `reason`: a sentence.
  void lose(time_point now, std::string reason);
  void answer(time_point now);

  bool lost() const { return lost_at_.has_value(); }
  /// Returns how long and why the service has not answered, such as "2m 5s: The connection was closed."; empty if it
  /// answers.
  std::string loss(time_point now) const;
  /// A sentence that is due, at most one for each loss, each minute of it, and each return. `status`: of the run when
  /// the service last answered; empty if it never did.
  std::optional<std::string> report(time_point now, std::string_view status);

 private:
  std::optional<time_point> lost_at_{}, said_at_{};
  std::string reason_{};
  std::optional<std::chrono::milliseconds> returned_after_{};
};

}  // namespace svc::cli
