#pragma once

#include "svc/api/client_files.hpp"
#include "svc/api/outside_waits.hpp"
#include "svc/core/async.hpp"
#include "svc/core/deadline.hpp"
#include "svc/core/result.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/limit.hpp"
#include "svc/egress/address_policy.hpp"
#include "svc/monitoring/checks/check_function.hpp"
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
namespace svc::site {
class pages;
}
namespace svc::egress {
class resolver;
}
namespace svc::feed {
class project_feeds;
class publisher;
}  // namespace svc::feed
namespace svc::output {
class archive;
class run_streams;
class run_watch;
}  // namespace svc::output

namespace svc::api {

class limit_views;
class project_views;
class sign_in_services;

/// A dependency of the service, with the result of its last use or check.
struct dependency {
  std::string name;
  bool up = false;
};

/// The state of the monitors' checks, and the lag of the latest check.
struct check_health {
  std::string_view status = "stopped";  ///< ok, late: a check is 30 s overdue, stopped: no instance checks
  std::int64_t lag_seconds = 0;
};

/// The state that health pages show. All workers share `accepting`, which only the composition root writes. `check`
/// returns this worker's own view of its connections and never blocks.
struct health {
  std::atomic<bool> const& accepting;  ///< false while starting or draining
  std::function<std::vector<dependency>()> check;
  std::string version;
  std::function<check_health()> checks;  ///< the instance's view; never blocks
};

/// The limits that this deployment sets for monitors and providers. Immutable, shared by all workers.
struct monitor_rules {
  egress::address_policy reachable{};            ///< the literal addresses that checks and messages may go to
  std::chrono::seconds least_interval{30};       ///< for new settings of checks
  notifications::recipient_policy recipients{};  ///< the addresses that mail may go to
};

/// A constant document in the form in which it is served. Immutable, shared by all workers.
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

/// The changes of projects, for open pages. The parts belong to the worker.
struct project_changes {
  feed::publisher& publisher;      ///< announces changes that were committed
  feed::project_feeds& audiences;  ///< the viewers on this worker
  std::function<timestamp()> now;  ///< the database's time, as far as it is known
};

/// The services that handlers may use. The composition root makes the object, which belongs to one worker and
/// outlives every request.
struct services {
  store::repositories& stores;
  output::run_watch& watch;        ///< waits for runs to end
  output::run_streams& streams;    ///< shows running runs
  output::archive& outputs;        ///< the output of ended runs
  dispatch::dispatcher& dispatch;  ///< wakes runners
  access::change_publisher& changes;
  health& status;
  std::string const& public_url;                  ///< links are built from it, never from Host
  limit_table const& limits;                      ///< may change while a request waits
  outside_waits& outside;                         ///< the waits of operations of class `probe`
  scheduler::check_answers& answers;              ///< the results of checks that users requested
  scheduler::check_workers& check_workers;        ///< shared by all workers
  notifications::provider_tests& provider_tests;  ///< shared by all workers
  contract_documents const& documents;
  struct monitor_rules const& monitor_rules;
  account& responses;     ///< shared by all workers: the memory of responses until they were sent
  shared_texts& scripts;  ///< large scripts of tests in responses that are being sent
  client_files const& client;
  sign_in_services& sign_in;
  site::pages& pages;              ///< the dashboard
  class limit_views& limit_views;  ///< the use of rate limit windows, as this worker keeps it
  project_views& views;            ///< the overviews and bars that this worker keeps
  project_changes feed;
  egress::resolver& names;  ///< looks up the domains of status pages
};

}  // namespace svc::api
