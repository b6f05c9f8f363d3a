#pragma once

#include "svc/api/client_files.hpp"
#include "svc/api/outside_waits.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/domain/limit.hpp"
#include "svc/egress/guard.hpp"
#include "svc/monitoring/checks/performer.hpp"
#include "svc/monitoring/notifications/answer.hpp"
#include "svc/monitoring/notifications/message.hpp"
#include "svc/monitoring/notifications/provider.hpp"
#include "svc/monitoring/notifications/recipient_policy.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace svc {
class account;
class shared_texts;
}  // namespace svc
namespace svc::access {
class change_publisher;
}
namespace svc::store {
struct repositories;
}
namespace svc::dispatch {
class dispatcher;
}
namespace svc::scheduler {
class check_answers;
class check_workers;
}  // namespace svc::scheduler
namespace svc::notifications {
class provider_tests;
}
namespace svc::output {
class archive;
class run_streams;
class run_watch;
}  // namespace svc::output

namespace svc::api {

/// One thing the service depends on, as its last use or check found it.
struct dependency {
  std::string name;
  bool up = false;
};

/// Whether monitors are checked, and how late the latest is.
struct check_health {
  std::string_view status = "stopped";  ///< ok, late: something is 30 s overdue, stopped: nobody checks
  std::int64_t lag_seconds = 0;
};

/// What health pages show. `accepting` is shared by all workers (written by the composition root only);
/// `check` gives this worker's own view of its connections and never blocks.
struct health {
  std::atomic<bool> const& accepting;  ///< false while starting or draining
  std::function<std::vector<dependency>()> check;
  std::string version;
  std::function<check_health()> checks;  ///< as the instance knows it; never blocks
};

/// What monitors and providers may be in this deployment. Immutable, shared by all workers.
struct monitor_rules {
  egress::guard reachable{};                     ///< to which literal addresses checks and messages may go
  std::chrono::seconds least_interval{30};       ///< of checks that are set from now on
  notifications::recipient_policy recipients{};  ///< to which addresses mail may go
};

/// A constant document as it is served. Immutable, shared by all workers.
struct served_document {
  std::shared_ptr<std::string const> text;
  std::shared_ptr<std::string const> gzip;
  std::string etag;  ///< with its quotes
};

/// The OpenAPI document in both forms, with this deployment's address as its server.
struct contract_documents {
  served_document json;
  served_document yaml;
};

contract_documents make_contract_documents(std::string_view public_url);

/// What handlers may use. Worker-local; made by the composition root, outlives every request.
struct services {
  store::repositories& stores;
  output::run_watch& watch;        ///< waits for runs to end
  output::run_streams& streams;    ///< shows runs as they go on
  output::archive& outputs;        ///< of ended runs
  dispatch::dispatcher& dispatch;  ///< wakes runners
  access::change_publisher& changes;
  health& status;
  std::string const& public_url;                  ///< links are built from it, never from Host
  limit_table const& limits;                      ///< may change while a request waits
  outside_waits& outside;                         ///< of operations of class `probe`
  scheduler::check_answers& answers;              ///< of checks out of turn
  scheduler::check_workers& check_workers;        ///< shared by all workers
  notifications::provider_tests& provider_tests;  ///< the same
  contract_documents const& documents;
  struct monitor_rules const& monitor_rules;
  account& responses;     ///< shared by all workers: what responses hold until they were sent
  shared_texts& scripts;  ///< tests with large scripts that are being sent
  client_files const& client;
};

}  // namespace svc::api
