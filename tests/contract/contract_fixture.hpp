#pragma once

#include "app/migrations/database_session.hpp"
#include "contract/answer_check.hpp"
#include "contract/served_contract.hpp"
#include "integration/egress/dns_server.hpp"
#include "support/https_client.hpp"
#include "support/service.hpp"
#include "support/temporary_directory.hpp"

#include <boost/json.hpp>

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace svc::test {

/// For every instance here: on a loaded machine a late command must not become a 503.
inline constexpr char const* patient_redis = "SVC_REDIS_DEADLINE=5s";

/// Nor must a request, because others wait long for their turn.
inline constexpr char const* no_shedding = "SVC_HTTP_QUEUE_TIME=0s";

/// Provokers present more unknown tokens per second than the budget for reading them allows.
inline constexpr char const* generous_reads = "SVC_AUTH_UNSEEN_READS=100000";

/// An id that does not exist.
inline constexpr std::string_view nowhere = "01934f2e-0000-7000-8000-000000000000";

/// A request before it is sent: provokers take a good one and spoil one thing.
struct request {
  std::string method;
  std::string target;
  std::string token{};  ///< empty: no Authorization
  std::string body{};
  support::header_list headers{};
  std::string media = "application/json";  ///< of a body that is not empty

  support::header_list all_headers() const;
};

/// One project with one of everything.
struct contract_tenant {
  std::string project;                     ///< organisation/project, as for `svcd admin`
  std::string token;                       ///< of the demo user, who is org_owner
  std::string trigger_key;                 ///< of the job
  std::string ended_run;                   ///< cancelled; `ids` has a queued one
  std::string used_test;                   ///< the job runs it; `ids` has one that no job uses
  std::string deleted_monitor;             ///< `ids` has one that is not
  std::string checked_monitor;             ///< `ids` has a paused one
  std::string heartbeat;                   ///< a monitor; `ids` has another one's key
  std::string window_update;               ///< of the window; `ids` has an update of the incident
  std::map<std::string, std::string> ids;  ///< by the path segment before the id: "jobs" -> ...
};

/// `svcd dev` with limits too high to be reached, its database, and the document it serves. Start on the main thread.
class contract_fixture {
 public:
  contract_fixture();

  served_contract& contract() { return *contract_; }
  dev_service const& dev() const { return dev_; }
  dev_service& dev() { return dev_; }
  app::database_session& sql() { return sql_; }
  std::string url() const { return dev_.text("url"); }
  std::string ca() const { return dev_.text("caFile"); }
  /// For another instance on its stores: `more`, and what its own has.
  std::vector<std::string> environment(std::vector<std::string> more = {}) const;

  contract_tenant const& main() const { return main_; }
  contract_tenant make_tenant(std::string const& organization = "demo", std::string const& owner = "demo@localhost");
  /// A member of the demo organisation whose only role is this one in the project; empty: none.
  std::string make_user(std::string const& project, std::string const& role);
  std::string make_token(std::string const& project, std::string const& owner);
  /// Signs the user in by a link of the operator. Returns the content of the session's cookie.
  std::string sign_in(std::string const& email);
  /// `svcd admin WORDS --json`. Throws when it fails.
  boost::json::value admin(std::vector<std::string> words);

  /// A request that succeeds: ids of `place`, its token, the first documented body.
  request good(http::operation const& op, contract_tenant const& tenant);
  request good(http::operation const& op) { return good(op, main_); }
  /// The documented bodies, with their ids replaced by those of `place`; one empty text when there is no body.
  std::vector<std::string> documented_bodies(http::operation const& op, contract_tenant const& tenant);

  support::answer send(request const& request) { return send(client_, request); }
  static support::answer send(support::https_client& client, request const& request);
  /// Sends the request; throws unless the answer has this status.
  boost::json::value must(unsigned status, request const& request);
  /// An attempt that counts towards the operation's class.
  attempt ask(http::operation const& op, request const& request, std::string about = {}) {
    return ask(client_, op, request, std::move(about));
  }
  static attempt ask(support::https_client& client, http::operation const& op, request const& request,
                     std::string about = {});

  support::https_client client() const { return {url(), ca()}; }

  /// Makes an outage of the monitor; SQL expressions of when it ended, and why.
  std::string make_outage(std::string const& monitor, std::string const& ended = "NULL",
                          std::string const& reason = "NULL");
  /// Returns the documented body with the ids of the tenant. A slug becomes one that no page has.
  std::string fitted(contract_tenant const& tenant, std::string body);
  /// Makes an alert of the outage for the place's provider; SQL expression of its status.
  std::string make_alert(contract_tenant const& tenant, std::string const& status = "'failed'");
  /// Makes a maintenance window of the tenant's monitor: for a day, from this time after now.
  std::string make_window(contract_tenant const& tenant, std::chrono::minutes start);
  /// Makes the name server answer questions for TXT records, of any name, with these texts of up to 255 characters.
  void set_text_records(std::vector<std::string> texts) {
    std::lock_guard const lock(texts_mutex_);
    texts_ = std::move(texts);
  }
  /// Waits for the first check of its `checked_monitor`, soon after it was made, which changes what is shown of it.
  void await_first_check(contract_tenant const& tenant);
  /// Open ones end when they began: until then their monitors' numbers change with each second.
  void end_outages() {
    sql_.run("UPDATE outages SET ended_at = started_at, end_reason = 'recovered' WHERE ended_at IS NULL", {});
  }

 private:
  void fill(contract_tenant& tenant);
  void make_results(std::string const& monitor);
  void fill_heartbeat(contract_tenant& tenant);
  void fill_page(contract_tenant& tenant);
  dns_script answer_names(dns_question const& question);

  std::mutex texts_mutex_;
  std::vector<std::string> texts_;
  /// Knows no address: what is checked, and what providers are sent, leaves no machine, and waits for no answer.
  dns_server names_of_targets_{[this](dns_question const& question) { return answer_names(question); }};
  temporary_directory directory_;
  dev_service dev_;
  support::https_client client_;
  app::database_session sql_;
  std::optional<served_contract> contract_;
  int names_ = 0;
  int slugs_ = 0;
  contract_tenant main_;
};

/// The operation's path with ids in place of its parameters.
std::string path_of(http::operation const& op, std::map<std::string, std::string> const& ids);

inline bool takes(http::operation const& op, std::string_view kind) {
  return std::find(op.token_kinds.begin(), op.token_kinds.end(), kind) != op.token_kinds.end();
}

}  // namespace svc::test
