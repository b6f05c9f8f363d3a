#pragma once

#include "svc/core/metrics.hpp"
#include "svc/domain/session.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::api {

/// The settings and counters of sign-in. Belongs to one worker.
class sign_in_services {
 public:
  sign_in_services(session_times times, metrics& counters);

  session_times const& times() const { return times_; }

  /// The outcome of one attempt to sign in.
  enum class verdict : std::uint8_t { succeeded, failed, limited, refused };
  void count_sign_in(std::string_view method, verdict outcome);
  void count_end(std::string_view reason, std::size_t sessions = 1);

 private:
  session_times times_;
  std::map<std::pair<std::string, verdict>, counter, std::less<>> sign_ins_;
  std::map<std::string, counter, std::less<>> ends_;
};

}  // namespace svc::api
