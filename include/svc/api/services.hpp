#pragma once

#include "svc/domain/limit.hpp"

#include <string>

namespace svc::access {
class change_publisher;
}
namespace svc::store {
class audit_store;
class job_store;
class provider_store;
class run_store;
class tag_store;
class test_store;
class token_store;
class trigger_batcher;
class usage_store;
class variable_store;
}  // namespace svc::store
namespace svc::dispatch {
class dispatcher;
}
namespace svc::output {
class archive;
class run_streams;
class run_watch;
}  // namespace svc::output

namespace svc::api {

struct contract_documents;
struct health;

/// What handlers may use. Worker-local; made by the composition root, outlives every request.
struct services {
  store::token_store& tokens;  ///< CLI tokens and trigger keys
  store::job_store& jobs;
  store::test_store& tests;
  store::tag_store& tags;
  store::usage_store& usage;
  store::run_store& runs;
  store::trigger_batcher& triggers;
  output::run_watch& watch;        ///< waits for runs to end
  output::run_streams& streams;    ///< shows runs as they go on
  output::archive& outputs;        ///< of ended runs
  dispatch::dispatcher& dispatch;  ///< tells runners
  store::provider_store& providers;
  store::variable_store& variables;
  store::audit_store& audit;
  access::change_publisher& changes;
  health& status;
  std::string const& public_url;  ///< links are built from it, never from Host
  limit_table const& limits;
  contract_documents const& documents;
};

}  // namespace svc::api
