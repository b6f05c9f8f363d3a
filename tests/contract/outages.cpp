// Tests stores that are gone, and an instance that drains. Each store is taken from a separate service, because `dev`
// does not restart it.
#include "contract/provoker.hpp"
#include "support/comes_true.hpp"

#include <csignal>
#include <memory>
#include <stdexcept>

namespace svc::test {
namespace {

/// Operations that only describe the credential are served from its record, without the database.
bool reads_resources(http::operation const& op) {
  // A monitor without variables can be tested without the database.
  if (op.id == "test_monitor") return false;
  return takes_cli(op) && (!op.permission.empty() || op.path.find('{') != std::string::npos);
}

void end_store(contract_fixture& fixture, std::string_view store, int signal) {
  auto const pid = fixture.dev().pid_of(store);
  process_watch const watch(pid);
  ::kill(pid, signal);
  if (!watch.ended_within()) throw std::runtime_error("a store does not end");
}

/// A service with its own stores, and an instance next to it that gets the requests. The instance waits only briefly
/// for a store that is gone. The service has the time that it needs to fill the stores.
struct lone_instance {
  contract_fixture stage{};
  second_service process{stage.dev(), stage.environment({"SVC_HTTP_DEADLINE=300ms", "SVC_WORKERS=1"})};
  support::https_client client{process.url(), stage.ca()};

  request good(http::operation const& op) { return stage.good(op); }
  support::answer send(request const& request) { return contract_fixture::send(client, request); }
  attempt ask(http::operation const& op, request const& request) {
    return contract_fixture::ask(client, op, request);
  }
};

/// Returns an instance that already knows the token of the main place.
std::shared_ptr<lone_instance> alone() {
  auto out = std::make_shared<lone_instance>();
  auto const known = [&] { return out->send({"GET", "/api/auth/whoami", out->stage.main().token}).status == 200; };
  if (!comes_true(known, std::chrono::seconds(10))) throw std::runtime_error("the instance does not know the token");
  return out;
}

/// The credential cannot be verified, so the request is not counted.
std::vector<attempt> unproven(lone_instance& s, http::operation const& op, std::string const& token) {
  auto r = s.good(op);
  r.token = token;
  return {attempt{s.send(r), false}};
}

}  // namespace

// Nothing becomes unavailable: instances count by themselves, and PostgreSQL knows the credentials.
std::vector<provoker> redis_away(contract_fixture&) {
  auto const s = alone();
  end_store(s->stage, "redis", SIGKILL);
  std::vector<provoker> out;
  out.push_back({"idempotency_not_supported", "Redis is gone", any_operation, [s](http::operation const& op) {
                   auto r = s->good(op);
                   r.headers = {{"Idempotency-Key", "k"}};
                   return std::vector{s->ask(op, r)};
                 }});
  out.push_back({"token_required", "Redis is gone", any_operation, [s](http::operation const& op) {
                   auto r = s->good(op);
                   r.token.clear();
                   return std::vector{s->ask(op, r)};
                 }});
  return out;
}

std::vector<provoker> postgres_away(contract_fixture&) {
  auto const s = alone();
  // The main token is known before the outage, so that its requests pass the gate; no request has used the other two
  // yet.
  auto const unseen = s->stage.make_token(s->stage.main().project, "demo@localhost");
  // Immediate shutdown: it ends when all its sessions have ended; after SIGKILL they would continue for a moment.
  end_store(s->stage, "postgres", SIGQUIT);
  std::vector<provoker> out;
  out.push_back({"unavailable", "PostgreSQL is gone", reads_resources,
                 [s](http::operation const& op) { return std::vector{s->ask(op, s->good(op))}; }});
  out.push_back({"unavailable", "PostgreSQL is gone, a heartbeat", takes_pings,
                 [s](http::operation const& op) { return std::vector{attempt{s->send(s->good(op)), false}}; }});
  out.push_back({"unavailable", "PostgreSQL is gone, unseen token", takes_cli,
                 [s, unseen](http::operation const& op) { return unproven(*s, op, unseen); }});
  out.push_back(
      {"unavailable", "PostgreSQL is gone, unseen key", takes_trigger,
       [s, key = s->stage.main().trigger_key](http::operation const& op) { return unproven(*s, op, key); }});
  return out;
}

std::vector<provoker> both_stores_away(contract_fixture&) {
  auto const s = alone();
  auto const unseen = s->stage.make_token(s->stage.main().project, "demo@localhost");
  end_store(s->stage, "redis", SIGKILL);
  end_store(s->stage, "postgres", SIGQUIT);
  std::vector<provoker> out;
  out.push_back({"unavailable", "nobody knows the token", takes_cli,
                 [s, unseen](http::operation const& op) { return unproven(*s, op, unseen); }});
  out.push_back(
      {"unavailable", "nobody knows the key", takes_trigger,
       [s, key = s->stage.main().trigger_key](http::operation const& op) { return unproven(*s, op, key); }});
  return out;
}

std::vector<provoker> draining(contract_fixture& s) {
  auto const other = std::make_shared<second_service>(s.dev(), std::vector<std::string>{"SVC_DRAIN_DELAY=60s"});
  auto const client = std::make_shared<support::https_client>(other->url(), s.ca());
  other->process().signal(SIGTERM);
  other->process().wait_error_line("\"draining\"");
  std::vector<provoker> out;
  out.push_back({"unavailable", "draining", [](http::operation const& op) { return op.id == "get_readyz"; },
                 [&s, other, client](http::operation const& op) {
                   return std::vector{attempt{contract_fixture::send(*client, s.good(op)), false}};
                 }});
  return out;
}

}  // namespace svc::test
