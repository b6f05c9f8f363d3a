// Ways to trigger: keys bound to addresses, waiting, and keys for retries.
#include "contract/provoker.hpp"

namespace svc::test {
namespace {

namespace json = boost::json;

bool binds_addresses(http::operation const& op) {
  return op.id == "create_trigger_key" || op.id == "update_trigger_key";
}

request named(request r, std::string const& key) {
  r.headers = {{"Idempotency-Key", key}};
  return r;
}

/// The advisory lock of an idempotency key, held by another session like that of a first request in progress.
class held_name {
 public:
  held_name(contract_fixture& s, std::string const& job, std::string const& key)
      : s_(s), name_("trigger " + job + " " + key) {
    s_.sql().run("SELECT pg_advisory_lock(hashtextextended($1, (SELECT seed FROM lock_seed)))", {name_});
  }
  ~held_name() {
    s_.sql().run("SELECT pg_advisory_unlock(hashtextextended($1, (SELECT seed FROM lock_seed)))", {name_});
  }
  held_name(held_name const&) = delete;
  held_name& operator=(held_name const&) = delete;

 private:
  contract_fixture& s_;
  std::string name_;
};

std::vector<attempt> play_in_progress(contract_fixture& s, http::operation const& op, contract_tenant const& tenant) {
  held_name const first(s, tenant.ids.at(op.id == "execute_test" ? "tests" : "jobs"), "held");
  return {s.ask(op, named(s.good(op, tenant), "held"))};
}

/// The key of one run's repetition, used for another run or for the test itself.
std::vector<attempt> play_other_run(contract_fixture& s, http::operation const& op, contract_tenant const& tenant) {
  std::string const execute = "/api/tests/" + tenant.ids.at("tests") + "/execute";
  auto const again = [](std::string const& run) { return "/api/runs/" + run + "/rerun"; };
  bool const single = op.id == "execute_test";
  std::string first = tenant.ended_run;
  if (single) first = s.must(202, {"POST", execute, tenant.token}).at("id").as_string();
  s.must(202, named({"POST", again(first), tenant.token}, "another"));
  return {s.ask(op, named({"POST", single ? execute : again(tenant.ids.at("runs")), tenant.token}, "another"))};
}

std::vector<attempt> play_mismatch(contract_fixture& s, http::operation const& op, contract_tenant const& tenant) {
  if (!takes_trigger(op)) return play_other_run(s, op, tenant);
  auto r = named(s.good(op, tenant), "once");
  s.must(202, r);
  r.body = R"({"parameters":{"BRANCH":"another"}})";
  std::vector<attempt> out{s.ask(op, r, "CLI token")};
  r.token = tenant.trigger_key;
  out.push_back(s.ask(op, r, "the job's key"));
  return out;
}

std::vector<attempt> play_unreadable(contract_fixture& s, http::operation const& op, contract_tenant const& tenant) {
  std::pair<std::string, std::string> const wrong[] = {{"Idempotency-Key", "a b"},
                                                       {"Idempotency-Key", std::string(256, 'k')},
                                                       {"Prefer", "wait=0"},
                                                       {"Prefer", "wait=56"},
                                                       {"Prefer", "wait"}};
  std::vector<attempt> out;
  for (auto const& [name, value] : wrong) {
    auto r = s.good(op, tenant);
    r.headers = {{name, value}};
    out.push_back(s.ask(op, r, name + ": " + value));
    out.back().pointer = name;
  }
  return out;
}

std::vector<attempt> play_wait_by_key(contract_fixture& s, http::operation const& op, contract_tenant const& tenant) {
  auto r = s.good(op, tenant);
  r.token = tenant.trigger_key;
  r.headers = {{"Prefer", "wait=1"}};
  std::vector<attempt> out{s.ask(op, r, "Prefer")};
  r.headers.clear();
  r.target += "?wait=1";
  out.push_back(s.ask(op, r, "wait"));
  return out;
}

}  // namespace

std::vector<provoker> triggering(contract_fixture& s) {
  auto const where = s.make_tenant();
  auto const bound = s.must(201, {"POST", "/api/jobs/" + where.ids.at("jobs") + "/trigger-keys", where.token,
                                  R"({"name":"bound","allowedCidrs":["203.0.113.0/24"]})"});
  std::string const key(bound.at("triggerKey").at("key").as_string());
  auto const agent = [&s, where](auto play) {
    return [&s, where, play](http::operation const& op) { return play(s, op, where); };
  };

  std::vector<provoker> out;
  out.push_back({"address_not_allowed", "from here", takes_trigger, [&s, where, key](http::operation const& op) {
                   auto r = s.good(op, where);
                   r.token = key;
                   return std::vector{s.ask(op, r)};
                 }});
  out.push_back({"validation_failed", "no address range", binds_addresses, [&s, where](http::operation const& op) {
                   auto r = s.good(op, where);
                   r.body = R"({"name":"narrow","allowedCidrs":["203.0.113.0/33"]})";
                   auto attempt = s.ask(op, r);
                   attempt.pointer = "/allowedCidrs";
                   return std::vector{attempt};
                 }});
  out.push_back({"wait_needs_cli_token", "key", takes_trigger, agent(play_wait_by_key)});
  out.push_back({"validation_failed", "headers", takes_trigger, agent(play_unreadable)});
  out.push_back({"idempotency_mismatch", "another request", any_operation, agent(play_mismatch)});
  out.push_back({"idempotency_in_progress", "the first holds its name", any_operation, agent(play_in_progress)});
  return out;
}

}  // namespace svc::test
