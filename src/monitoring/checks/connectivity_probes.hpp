#pragma once

#include "svc/core/single_flight.hpp"
#include "svc/monitoring/checks/engine.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace svc::checks {

/// The operator's connectivity probes, which show whether this location reaches the internet. Worker-local;
/// held by `shared_ptr`, because a probe may outlast its caller.
class connectivity_probes : public std::enable_shared_from_this<connectivity_probes> {
 public:
  connectivity_probes(asio::io_context& io, engine_settings const& settings);

  /// Returns true if a probe accepts a connection within 2 s, or if there are no probes. Asks all at once,
  /// for all callers together, at most twice a second. Returns false for 10 s after no probe answered,
  /// because failures of that time are reported late.
  task<bool> answer();

 private:
  struct probe_answers {
    bool good = false;
    std::size_t left = 0;
  };
  using round = single_flight<int, probe_answers>;

  task<> ask(connectivity_probe connectivity_probe, round::flight_ptr flight, steady::time_point start);
  /// Records the answer of one connectivity probe.
  void count(round::flight_ptr const& flight, bool answered);

  asio::io_context& io_;
  std::vector<connectivity_probe> const all_;
  egress::resolver names_;
  egress::stream_client streams_;
  round rounds_;
  steady::time_point next_round_{};
  std::optional<steady::time_point> silent_at_{};
};

}  // namespace svc::checks
