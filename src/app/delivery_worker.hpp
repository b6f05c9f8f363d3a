#pragma once

#include "app/database_thread.hpp"
#include "app/shared.hpp"
#include "svc/monitoring/notifications/message.hpp"
#include "svc/monitoring/notifications/provider.hpp"

#include <memory>
#include <vector>

namespace svc::app {

/// One thread that brings alerts to their providers, apart from those that serve requests and that check: with its
/// own pool of PostgreSQL, resolver and clients. Every instance has it; the queue in PostgreSQL shares the work.
/// Owned by the application.
class delivery_worker {
 public:
  /// Throws `std::runtime_error` if libcurl or c-ares cannot be set up, or with the name of a file of authorities
  /// that cannot be used.
  /// `how`: names, the guard and the authorities, as for checks.
  delivery_worker(shared_parts& shared, probes::engine_settings const& how);
  delivery_worker(delivery_worker const&) = delete;
  delivery_worker& operator=(delivery_worker const&) = delete;
  ~delivery_worker();

  /// Starts the thread. It sends nothing until the instance accepts traffic: then the schema is there.
  void start();
  /// Any thread. Where the primary is: `postgres::pool::follow`.
  void follow(postgres::primary_place const& where) { thread_.follow(where); }
  /// For any thread, as long as this exists.
  api::message_tester tester();
  /// Any thread. Begins no attempt any more, lets those under way end until the deadline, and ends the thread.
  void drain(deadline until);
  /// Any thread. True when nothing of this worker runs any more.
  bool finished() const { return thread_.finished(); }
  void join() { thread_.join(); }
  /// As long as this exists.
  std::vector<watched_thread> watched() { return {thread_.watched("notification_cpu")}; }
  /// The threads that send mails; without a function if there are none.
  watched_attempts watched_mail() const;

 private:
  struct inside;
  task<> finish(deadline until);

  bool stopping_ = false;
  database_thread thread_;
  std::unique_ptr<inside> in_;
};

}  // namespace svc::app
