#pragma once

#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_process.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::test {

/// A server's behaviour, and svc's expected reaction.
struct fault {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<scripted_answer> answers;  ///< for the first request, the second and so on; the last one for all others
  int code;
  std::string error{};  ///< `code` of the failure
  std::optional<std::size_t> requests{};
};

/// The result of one fault.
struct fault_result {
  fault const* fault;
  svc_result result;
  std::vector<received> requests;
};

/// Returns a key of the right form. With only this key svc sends no request besides the main one (about the token's
/// owner or expiry).
std::string some_trigger_key();
/// Returns a CLI token of the right form.
std::string some_token();
/// Returns the environment of a client of this server, with a trigger key.
std::vector<std::string> environment_of(scripted_server const& server, std::vector<std::string> const& more = {});
/// Returns `code` of the failure that `--json` wrote to stderr as its last line; empty if there is none.
std::string failure_code(svc_result const& r);

/// Plays all faults at the same time, each with its own server, with `--json`. Checks code, error and requests, and
/// that no credential was written.
std::vector<fault_result> check_faults(std::vector<fault> const& table);

}  // namespace svc::test
