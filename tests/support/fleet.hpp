#pragma once

#include "support/https_client.hpp"
#include "support/service.hpp"
#include "support/store_probe.hpp"
#include "support/temporary_directory.hpp"

#include <boost/json.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

namespace svc::test {

using support::answer;
using support::api_client;
using support::header_list;

/// An organisation with one project, its member and that member's first token.
struct tenant {
  std::string organization;  ///< slug
  std::string project;       ///< organization-slug/project-slug
  std::string user;          ///< e-mail address
  std::string user_id;
  std::string token;
  std::string token_id;
};

/// `svcd dev` and further instances on its stores, each a real process. Create it on the main thread; everything ends
/// with it. Instance 0 is dev. Limits and the stores' deadlines are raised so far that no test reaches them by
/// accident; `environment` applies to all instances and takes precedence. `program`: another version of svcd.
class fleet {
 public:
  explicit fleet(std::size_t instances, std::vector<std::string> const& environment = {},
                 std::string program = service_binary());

  std::size_t size() const { return others_.size() + 1; }
  std::string url(std::size_t instance) const;
  std::string admin_url(std::size_t instance) const;
  service& process(std::size_t instance);
  /// Returns the warnings in the logs of the instances, and the whole log of PostgreSQL, for the message of a failed
  /// test.
  std::string complaints();
  /// Replaces an instance that has ended (not dev) by another process, on its own ports. On the main thread.
  void restart(std::size_t instance);
  /// Starts one more instance, which does not count as part of the fleet, with an environment that takes precedence.
  /// Call it on the main thread.
  std::unique_ptr<second_service> beside(std::vector<std::string> environment) const;
  dev_service& dev() { return dev_; }
  /// Returns the environment of all instances, for an instance outside the fleet.
  std::vector<std::string> const& environment() const { return environment_; }
  std::string text(std::string_view member) const { return dev_.text(member); }

  api_client client(std::size_t instance, std::string token = {}) const;
  /// Returns the plain admin listener of an instance.
  api_client pages(std::size_t instance) const;

  /// Runs `svcd admin ... --json`; throws with its output when the exit code is not 0.
  boost::json::value admin(std::vector<std::string> arguments) const;
  /// Makes a tenant. `role` is a role in the organisation or in the project (the user is then also an org_member).
  tenant make_tenant(std::string const& role = "org_owner");
  /// Adds a member with a token to a tenant's project.
  tenant make_member(tenant const& subject, std::string const& role);

  /// Runs statements as the tables' owner in the service's database.
  sql_rows sql(std::string const& statements) const;
  /// Returns the first column of the first row; empty if there is none.
  std::string word(std::string const& query) const;
  std::string owner_url() const;
  std::string redis(std::vector<std::string> const& words) const;
  std::string redis_socket() const;
  /// The log has one line for each admission of all instances.
  std::string decision_log() const { return logs_.path() + "/decisions"; }

 private:
  temporary_directory data_, logs_;
  std::string program_;
  std::vector<std::string> environment_;
  dev_service dev_;
  std::vector<std::unique_ptr<second_service>> others_;
  std::atomic<int> tenants_ = 0;  ///< threads may make theirs at the same time
};

/// Returns a number that the environment may raise, for the long form of a test.
int long_form(char const* variable, int otherwise);

/// Returns a fleet of two, shared by tests that do not disturb each other: each creates its own tenant.
fleet& shared_fleet();

boost::json::object body_of(answer const& answer);
/// Returns `code` of an error's body; empty if there is none.
std::string code_of(answer const& answer);
std::string text_of(boost::json::value const& value, std::string_view pointer);

}  // namespace svc::test
