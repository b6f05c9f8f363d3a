#pragma once

#include "monitoring/scheduler/check_schedule.hpp"
#include "svc/core/deadline.hpp"
#include "svc/monitoring/checks/check_function.hpp"
#include "svc/store/monitors/check_requests.hpp"
#include "svc/store/monitors/check_store.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

namespace svc::scheduler {

/// Returns the result of a check as it is stored. A scheduled check has no `request`. `began` is in milliseconds
/// since 1970.
store::arrived_result pending_result(check_order const& order, due_check const& due,
                                     std::optional<store::check_request> const& request, std::int64_t began,
                                     check_report found);

/// Results that wait for the database, in the order of arrival. While the database is away they wait for `patience`,
/// and at most `most_waiting` of them; the buffer gives up the oldest first. Worker-local.
class result_buffer {
 public:
  static constexpr std::size_t most_waiting = 100'000;
  static constexpr std::chrono::seconds patience{60};

  void put(store::arrived_result result, steady::time_point now);
  /// Takes the oldest result of each monitor, at most `most` results. A monitor's later results must follow its
  /// oldest.
  std::vector<store::arrived_result> take(std::size_t most, steady::time_point now);
  /// Puts results back that were taken last and could not be stored. Each keeps its age.
  void put_back(std::vector<store::arrived_result> all);
  /// Returns the arrival time of the first result in the queue.
  std::optional<steady::time_point> oldest() const;

  bool empty() const { return waiting_.empty(); }
  std::size_t size() const { return waiting_.size(); }
  std::uint64_t given_up() const { return given_up_; }

 private:
  struct waiting {
    store::arrived_result result;
    steady::time_point since;
  };
  void give_up_old(steady::time_point now);

  std::deque<waiting> waiting_{};
  std::unordered_map<uuid, steady::time_point, uuid_hash> taken_{};  ///< arrival times of the results taken last
  std::uint64_t given_up_ = 0;
};

}  // namespace svc::scheduler
