#pragma once

#include "svc/core/single_flight.hpp"
#include "svc/monitoring/checks/engine.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

namespace svc::checks {

/// Places of the operator's that tell whether this location reaches the outside at all. Worker-local; held by
/// `shared_ptr`, because a question may outlast who asked.
class connectivity_probes : public std::enable_shared_from_this<connectivity_probes> {
 public:
  connectivity_probes(asio::io_context& io, engine_settings const& settings);

  /// Whether one of them takes a connection now, within 2 s: what was before says nothing of a failure that came
  /// later. Nor for 10 s after none did: what failed meanwhile is told late. All are asked at once, by one caller for
  /// all, twice a second at most. True if there is none.
  task<bool> answer();

 private:
  struct probe_answers {
    bool good = false;
    std::size_t left = 0;
  };
  using round = single_flight<int, probe_answers>;

  task<> ask(connectivity_probe connectivity_probe, round::flight_ptr flight, steady::time_point start);
  /// The question to one connectivity probe is over.
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
