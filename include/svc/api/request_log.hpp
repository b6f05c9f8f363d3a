#pragma once

#include "svc/api/exchange.hpp"
#include "svc/core/metrics.hpp"
#include "svc/http/contract.hpp"

#include <unordered_map>
#include <vector>

namespace svc::api {

/// Writes one access line for each request and counts it. Worker-local; counters are looked up once per operation and
/// status.
class request_log {
 public:
  request_log(http::contract const& contract, metrics& counters);
  void record(exchange const& x, http::response const& out);
  /// Records a head that was refused before it became a request.
  void record_refused(std::string_view request_id, unsigned status, std::string_view client_address);

 private:
  struct per_route {
    std::string route;
    labels as_labels;
    histogram duration;
    std::unordered_map<unsigned, counter> by_status;
  };

  per_route make_route(std::string const& method, std::string const& path);
  per_route& route_of(exchange const& x);
  void count(per_route& r, unsigned status);

  metrics& counters_;
  std::vector<per_route>
      routes_;  ///< by operation index; the last three: status pages, the dashboard, everything else
};

}  // namespace svc::api
