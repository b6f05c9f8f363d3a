#pragma once

#include "integration/system/jobs.hpp"

#include <doctest/doctest.h>

namespace svc::test {

/// The instances on which rotations are tested; each test creates its own tenant.
inline fleet& four_instances() {
  static fleet four(4);
  return four;
}

/// A CLI token or trigger key, with its use and its rotation.
struct rotated {
  fleet& input;
  api_client owner;
  std::string path;   ///< of the resource
  std::string shown;  ///< its member in an answer
  std::string first;  ///< the secret with which it was created
  std::string method, target;
  int good;

  static rotated cli_token(fleet& fleet) {
    auto owner = fleet.client(0, fleet.make_tenant().token);
    auto const made = body_of(owner.post("/api/cli-tokens", R"({"name":"rotated"})"));
    return {fleet,
            std::move(owner),
            "/api/cli-tokens/" + text_of(made, "/token/id"),
            "/token",
            text_of(made, "/token/key"),
            "GET",
            "/api/auth/whoami",
            200};
  }
  static rotated trigger_key(fleet& fleet) {
    auto owner = fleet.client(0, fleet.make_tenant().token);
    auto const job = make_job(owner);
    auto const key = make_key(owner, job, "rotated");
    return {fleet,
            std::move(owner),
            "/api/jobs/" + job + "/trigger-keys/" + key.id,
            "/triggerKey",
            key.key,
            "POST",
            trigger_path(job),
            202};
  }

  /// Returns the status of one use; 0 if the connection fails, which nothing here may cause.
  int use(api_client& client) const {
    try {
      return client.call(method, target).status;
    } catch (std::exception const&) {
      return 0;
    }
  }
  bool works(std::size_t instance, std::string const& secret) const {
    auto client = input.client(instance, secret);
    auto const got = client.call(method, target);
    CHECK((got.status == good || code_of(got) == "secret_rotated"));
    return got.status == good;
  }
  /// Returns the number of instances on which the secret works.
  std::size_t works_on(std::string const& secret) const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < input.size(); ++i) count += works(i, secret) ? 1 : 0;
    return count;
  }
  /// Rotates the credential, and returns its part of the answer. `client`: the client that asks, by default its owner
  /// with another token.
  boost::json::value rotate(std::string const& mode, api_client* client = nullptr) {
    auto const got = (client != nullptr ? *client : owner).post(path + "/rotate", mode);
    REQUIRE_MESSAGE(got.status == 201, got.body);
    return body_of(got).at(shown.substr(1));
  }
};

}  // namespace svc::test
