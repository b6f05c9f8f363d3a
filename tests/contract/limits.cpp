// Windows that are used up: those of addresses and users on an instance that admits one request, a key's own on any.
#include "contract/provoker.hpp"

#include <memory>

namespace svc::test {
namespace {

/// Another instance on the same stores, and a connection to it.
struct narrow_instance {
  second_service process;
  support::https_client client;

  explicit narrow_instance(contract_fixture& s)
      : process(s.dev(), {patient_redis, no_shedding, generous_reads, "SVC_LIMITS_CLI_LIMIT=1",
                          "SVC_LIMITS_ANONYMOUS_LIMIT=1", "SVC_LIMITS_FEED_LIMIT=1", "SVC_LIMITS_DOWNLOAD_LIMIT=1",
                          "SVC_LIMITS_HEALTH_LIMIT=1", "SVC_LIMITS_HEARTBEAT_LIMIT=1", "SVC_LIMITS_REFUSED_LIMIT=1"}),
        client(process.url(), s.ca()) {}

  /// The second of two equal requests finds the window full, whatever filled it before.
  attempt second(request const& r, std::string about) {
    contract_fixture::send(client, r);
    return {contract_fixture::send(client, r), true, std::move(about)};
  }
};

}  // namespace

std::vector<provoker> limits(contract_fixture& s) {
  auto const narrow = std::make_shared<narrow_instance>(s);
  auto const spoilt = s.make_user(s.main().project, "project_viewer");
  auto const refused = s.make_token(s.main().project, spoilt);
  s.admin({"ban-user", "--user", spoilt});
  auto const made = s.must(201, {"POST", "/api/jobs/" + s.main().ids.at("jobs") + "/trigger-keys", s.main().token,
                                 R"({"name":"slow","rateLimit":{"limit":1,"windowSeconds":3600}})"});
  std::string const key(made.at("triggerKey").at("key").as_string());

  std::vector<provoker> out;
  out.push_back({"rate_limited", "the operation's class", any_operation, [&s, narrow](http::operation const& op) {
                   return std::vector{narrow->second(s.good(op), "class")};
                 }});
  out.push_back({"rate_limited", "strangers", takes_cli, [&s, narrow, refused](http::operation const& op) {
                   auto r = s.good(op);
                   r.token.clear();
                   std::vector<attempt> all{narrow->second(r, "no credential")};
                   r.token = "svc_live_x";
                   all.push_back(narrow->second(r, "unknown token"));
                   r.token = "nothing";
                   all.push_back(narrow->second(r, "counted without Redis"));
                   r.token = refused;
                   all.push_back(narrow->second(r, "refused token"));
                   return all;
                 }});
  out.push_back({"rate_limited", "the key's own window", takes_trigger, [&s, key](http::operation const& op) {
                   auto r = s.good(op);
                   r.token = key;
                   s.send(r);
                   return std::vector{s.ask(op, r)};
                 }});
  return out;
}

}  // namespace svc::test
