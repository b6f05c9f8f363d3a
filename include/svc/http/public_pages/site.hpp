// Public status pages: the paths of section "Public" of the contract, on the service's hosts and on pages' domains.
#pragma once

#include "svc/core/account.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/metrics.hpp"
#include "svc/domain/limit.hpp"
#include "svc/http/body_budget.hpp"
#include "svc/http/message.hpp"
#include "svc/http/public_pages/rebuild_slots.hpp"
#include "svc/http/public_pages/source.hpp"
#include "svc/redis/client.hpp"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace svc::public_pages {

/// The parts of a worker's site. Referenced objects outlive it.
struct site_parts {
  asio::io_context& io;
  page_source& source;
  subscription_desk& desk;
  redis::client& redis;  ///< keeps the copies; loads `page_copies::script`
  rebuild_slots& slots;  ///< shared by all workers
  account& memory;       ///< shared by all workers: `memory_terms`
  account& time;         ///< the same: `time_terms`
  metrics& counters;
  limit_table const& limits;  ///< may change between two requests
  /// Counts a request in a window that all instances share; while Redis is lost, in this instance's share of it.
  std::function<task<limit_decision>(rate_class, std::string subject, deadline)> count;
  std::function<timestamp()> now;                 ///< the database's time, as far as the worker knows it
  std::string const& public_url;                  ///< complete when the first request arrives
  http::body_budget& bodies;                      ///< owned by the worker
  int copies = 2000;                              ///< pages with a copy in Redis
  std::size_t memory_bytes = 16UL * 1024 * 1024;  ///< of this worker
};

/// Returns the terms of the account of rendered pages, including those that slow clients still read.
account_terms memory_terms(std::size_t worker_bytes, std::size_t workers);
/// Returns the terms of the account of the processor time that rendering takes.
account_terms time_terms(std::size_t workers);

/// One request, as the pipeline hands it over.
struct visit {
  http::request const& head;
  http::body_source& body;
  std::string_view request_id;
  bool overloaded = false;
  /// Returns true if the request has the session of a member of the project. Throws `unavailable`.
  std::function<task<bool>(uuid project, deadline)> is_member;
  deadline until;
};

/// Answers the requests for public pages from memory, as far as possible, so that the pages remain available without
/// the stores. Worker-local; the loop must not run after this object has ended.
class site {
 public:
  explicit site(site_parts parts);
  ~site();
  site(site const&) = delete;
  site& operator=(site const&) = delete;

  /// Returns true for a request that `answer` may answer. Costs no memory and asks no store.
  bool concerns(http::request const& head) const;
  /// Returns the complete answer, or `std::nullopt` if the request is for something else. Throws no `unavailable`.
  task<std::optional<http::response>> answer(visit visit);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace svc::public_pages
