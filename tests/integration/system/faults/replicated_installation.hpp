#pragma once

#include "integration/system/runner.hpp"
#include "support/fleet.hpp"
#include "support/private_redis.hpp"
#include "support/replicated_postgres.hpp"

#include <memory>
#include <string>
#include <vector>

namespace svc::test {

/// Two instances on a primary with a standby, and a separate Redis. Files like the certificate are those of a fleet.
/// Has the tenant acme/shop with the owner ada@example.org. Create it on the main thread.
class replicated_installation {
 public:
  replicated_installation(fleet& files, replicated_postgres::commits when);

  replicated_postgres& postgres() { return postgres_; }
  private_redis& redis() { return redis_; }
  std::size_t size() const { return instances_.size(); }
  std::string url(std::size_t instance) const { return "https://" + instances_[instance]->address(0); }
  api_client client(std::size_t instance, std::string token) const;
  runner_client runner(std::size_t instance, std::string token) const;
  /// Returns the answer of each instance to a use of the token; one text if all agree.
  std::string uses(std::string const& token) const;
  /// Returns the plain admin listener of an instance.
  api_client pages(std::size_t instance) const { return {instances_[instance]->admin_url(), {}, {}}; }
  std::string log_of(std::size_t instance) const { return instances_[instance]->process().err().text(); }

  boost::json::object admin(std::vector<std::string> arguments) const;
  struct made_token {
    std::string id, key;
  };
  made_token make_token(std::string const& name, std::string const& owner = "ada") const;
  void make_user(std::string const& name, std::string const& role) const;
  /// Runs statements as superuser in the service's database of one of the two servers.
  static sql_rows sql(private_postgres const& postgres, std::string const& statements);
  static std::string url_of(private_postgres const& postgres);

 private:
  std::vector<std::string> environment() const;

  fleet& files_;
  replicated_postgres postgres_;
  private_redis redis_{};
  std::vector<std::unique_ptr<configured_service>> instances_{};
};

}  // namespace svc::test
