#pragma once

#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_process.hpp"

#include <optional>
#include <string>
#include <vector>

namespace svc::test {

/// What a server does, and what svc makes of it.
struct fault {
  std::string name;
  std::vector<std::string> arguments;
  std::vector<scripted_answer> answers;  ///< to the first request, the second and so on; the last one to all others
  int code;
  std::string error{};  ///< `code` of the failure
  std::optional<std::size_t> requests{};
};

/// What one became.
struct fault_result {
  fault const* fault;
  svc_result result;
  std::vector<received> requests;
};

/// A key of the right form. With it alone svc asks nothing beside the request (whose token it is, when it expires).
std::string some_trigger_key();
/// A CLI token of the right form.
std::string some_token();
/// The environment of a client of this server, with a trigger key.
std::vector<std::string> environment_of(scripted_server const& server, std::vector<std::string> const& more = {});
/// `code` of the failure that `--json` wrote to stderr as its last line; empty: there is none.
std::string failure_code(svc_result const& r);

/// Each with a server of its own, all at the same time, with `--json`. Checks code, error, requests, and that no
/// credential was written.
std::vector<fault_result> check_faults(std::vector<fault> const& table);

}  // namespace svc::test
