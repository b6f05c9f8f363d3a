#pragma once

#include "svc/access/instance_count.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/instance.hpp"
#include "svc/store/directory/instance_store.hpp"

#include <boost/json/object.hpp>

#include <optional>
#include <vector>

namespace svc::app {

/// An instance that at least one store knows.
struct known_instance {
  instance_identity identity;
  std::optional<timestamp> started_at{};  ///< by PostgreSQL's clock; Redis does not know it
  bool postgres = false, redis = false;   ///< true for each store that knows it
};

/// The view that an instance has of all instances after a heartbeat. A value.
struct instance_view {
  int count = 1;
  int divisor = 1;  ///< of limits, while Redis is lost
  access::instance_count::source source = access::instance_count::source::configuration;
  std::optional<int> postgres{}, redis{};   ///< the number that each store reports; empty when it did not answer
  std::vector<known_instance> instances{};  ///< by the stores that answered
};

/// Converts the list of PostgreSQL.
std::vector<known_instance> known_of(std::vector<store::present_instance> const& rows);

/// Returns the instances of both lists, each once: first those of PostgreSQL in its order.
std::vector<known_instance> merged(std::vector<known_instance> postgres, std::vector<instance_identity> const& redis);

/// Returns the form that operators see.
boost::json::object to_json(known_instance const& instance);

}  // namespace svc::app
