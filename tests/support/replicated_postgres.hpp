#pragma once

#include "support/private_postgres.hpp"

#include <optional>
#include <string>

namespace svc::test {

/// A primary and a standby that streams from it. Create it on the main thread.
class replicated_postgres {
 public:
  enum class commits {
    asynchronous,  ///< a COMMIT does not wait for the standby
    synchronous    ///< a COMMIT waits until the standby has written it
  };
  /// `settings` apply to both servers.
  explicit replicated_postgres(commits when, std::string const& settings = {});

  private_postgres& primary() { return primary_; }
  private_postgres& standby() { return *standby_; }
  private_postgres const& primary() const { return primary_; }
  private_postgres const& standby() const { return *standby_; }
  /// Returns the address of both servers, the primary first.
  std::string url(std::string const& user = "svc", std::string const& database = "postgres") const;

  /// Cuts the replication. The standby gets no more data from the primary, and does not end when the primary changes
  /// it.
  void cut_replication() const;
  /// Waits until the standby has all data. Later data is lost if the standby is promoted.
  void wait_until_level() const;
  /// Makes the standby a primary on a new timeline; returns when it is one.
  void promote() const;

 private:
  private_postgres primary_;
  std::optional<private_postgres> standby_{};
};

}  // namespace svc::test
