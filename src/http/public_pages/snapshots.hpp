#pragma once

#include "http/public_pages/owner_cache.hpp"
#include "http/public_pages/source_health.hpp"
#include "svc/core/async.hpp"
#include "svc/core/database_clock.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/single_flight.hpp"
#include "svc/http/public_pages/copies.hpp"
#include "svc/http/public_pages/rebuild_slots.hpp"
#include "svc/http/public_pages/source.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>

namespace svc::public_pages {

/// The origin of a page: values of the label `source`.
enum class page_origin : std::uint8_t {
  memory,    ///< the worker's snapshot, which the database has confirmed within a second
  database,  ///< built for this request
  redis,     ///< a copy, because the database is gone
  stale,     ///< the worker's last snapshot, because the database is gone or busy
};

/// A page as this worker knows it.
struct held_page {
  page_ptr page{};  ///< null: there is no published page with the id
  std::uint64_t generation = 0;
  page_origin origin = page_origin::memory;
};

/// The snapshots of the pages that visitors of this worker look at. Each is confirmed by the page's version at most
/// once a second, and built again for a new version, otherwise every five seconds. Worker-local; its parts outlive
/// it, and it outlives the loop's work.
class snapshots {
 public:
  static constexpr std::chrono::seconds question_interval{1}, rebuild_interval{5}, copy_interval{10};

  struct parts {
    asio::io_context& io;
    page_source& source;
    page_copies& copies;
    rebuild_slots& slots;
    source_health& health;
    histogram rebuilds;
    std::function<timestamp()> now;  ///< the database's time, as far as the worker knows it
    std::size_t memory;              ///< bytes of all snapshots; one project holds a quarter at most
  };
  explicit snapshots(parts parts) : parts_(std::move(parts)), cache_(parts_.memory) {}
  snapshots(snapshots const&) = delete;
  snapshots& operator=(snapshots const&) = delete;

  /// Returns the page, or a null page if none with this id is published. Throws `unavailable` if neither database nor
  /// Redis answers, and the worker has never seen the page.
  task<held_page> find(uuid id, deadline until);

  /// The database's time as estimated, also while it is gone.
  timestamp now() const;

 private:
  struct entry {
    page_ptr page{};
    std::uint64_t generation = 0;
    steady::time_point asked{}, built{}, copied{};
    bool is_copy = false;
  };
  using entry_ptr = std::shared_ptr<entry>;
  struct outcome {
    entry_ptr found{};
    page_origin origin = page_origin::stale;
  };
  using flights = single_flight<uuid, outcome, uuid_hash>;

  task<> fly(uuid id, flights::flight_ptr flight);
  task<outcome> refresh(uuid id);
  task<outcome> rebuild(uuid id, entry_ptr held, steady::time_point asked, deadline until);
  /// Returns an empty slot at the deadline.
  task<rebuild_slots::slot> wait_for_slot(uuid owner, deadline until);
  task<held_page> fall_back(uuid id, entry_ptr held, deadline until);
  outcome keep(uuid id, entry_ptr const& before, page_ptr page, steady::time_point asked);
  outcome drop(uuid id, steady::time_point asked);
  bool is_copy_due(entry const& before, entry const& after) const;

  parts parts_;
  owner_cache<uuid, entry, uuid_hash> cache_;
  flights flights_{};
  database_clock clock_{};
  std::uint64_t generation_ = 0;
};

/// Returns the approximate memory of a snapshot, in bytes.
std::size_t memory_of(published_page const& page);

}  // namespace svc::public_pages
