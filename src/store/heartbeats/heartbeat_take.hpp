#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/heartbeats/heartbeat_store.hpp"

#include <string>
#include <vector>

namespace svc::store {

/// A row of a group commit, with the part of the body that is kept.
struct ping_row {
  arrived_ping ping;
  std::shared_ptr<decision_listeners const> decided{};  ///< the same of all pings of a worker

  uuid about() const { return ping.monitor; }
  std::size_t size() const { return ping.body.size(); }
};

/// Counts pings of different monitors in one transaction. False: the monitor is gone.
task<postgres::outcome<std::vector<bool>>> take_pings(postgres::pool& db, std::vector<ping_row> pings,
                                                      deadline until);

/// Evaluates deadlines that have passed.
task<std::int64_t> evaluate_late(postgres::pool& db, std::int64_t most,
                                 std::shared_ptr<decision_listeners const> decided, deadline until);

/// The beginning of a body without the key and the project's secrets; nothing if these secrets take more than 4 KiB
/// in sealed form.
task<std::string> kept_body(postgres::pool& db, master_keys& master, arrived_ping const& ping, deadline until);

}  // namespace svc::store
