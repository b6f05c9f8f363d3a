#pragma once

#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/master_keys.hpp"
#include "svc/postgres/pool.hpp"
#include "svc/store/heartbeats/heartbeat_store.hpp"

#include <string>
#include <vector>

namespace svc::store {

/// A row of a group commit. Its body is what is kept.
struct beat_row {
  arrived_beat beat;

  uuid about() const { return beat.monitor; }
  std::size_t size() const { return beat.body.size(); }
};

/// Counts beats of different monitors in one transaction. False: the monitor is gone.
task<postgres::outcome<std::vector<bool>>> take_beats(postgres::pool& db, std::vector<beat_row> beats,
                                                      deadline until);

/// Judges deadlines that have passed.
task<std::int64_t> judge_late(postgres::pool& db, std::int64_t most, deadline until);

/// The beginning of a body without the key and the project's secrets; nothing if those have more than 4 KiB, sealed.
task<std::string> kept_body(postgres::pool& db, master_keys& master, arrived_beat const& beat, deadline until);

}  // namespace svc::store
