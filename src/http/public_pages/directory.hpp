#pragma once

#include "http/public_pages/known_names.hpp"
#include "http/public_pages/source_health.hpp"
#include "svc/core/async.hpp"
#include "svc/core/single_flight.hpp"
#include "svc/http/public_pages/copies.hpp"
#include "svc/http/public_pages/source.hpp"

#include <optional>
#include <string>

namespace svc::public_pages {

/// Finds the pages of names: in the worker's memory, in the database, and in Redis if the database is gone.
/// Worker-local; its parts outlive it, and it outlives the loop's work.
class directory {
 public:
  struct parts {
    asio::io_context& io;
    page_source& source;
    page_copies& copies;
    source_health& health;
  };
  explicit directory(parts parts) : parts_(parts) {}
  directory(directory const&) = delete;
  directory& operator=(directory const&) = delete;

  /// Returns what the worker remembers of a name, without asking anybody.
  std::optional<known_names::known> remembered(page_name const& name) { return names_.find(name, steady::now()); }
  /// Throws `unavailable` if the database is gone and no copy has the name.
  task<std::optional<located_page>> find(page_name name, deadline until);
  /// Returns true while the database is asked about the name.
  bool is_asked(page_name const& name) const;
  /// Asks again in the background.
  void refresh(page_name const& name);
  void forget(page_name const& name) { names_.forget(name); }

 private:
  struct outcome {
    bool answered = false;
    std::optional<located_page> page{};
  };
  using flights = single_flight<std::string, outcome>;

  flights::flight_ptr join(page_name const& name);
  task<> fly(page_name name, flights::flight_ptr flight);
  task<std::optional<located_page>> find_copy(page_name name, deadline until);

  parts parts_;
  known_names names_{};
  flights flights_{};
};

}  // namespace svc::public_pages
