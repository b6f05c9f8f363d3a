#pragma once

#include "svc/core/secret.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace svc::runner {

/// Messages to and from the service, as in openapi/internal.yaml. Values.
struct registration {
  std::string runner_id{};
  std::int64_t lease_seconds = 30;
  std::int64_t long_poll_seconds = 30;
};

struct named_value {
  std::string name{};
  secret_string value{};
  bool secret = false;
};

/// Shared by all runs that use it.
using script_text = std::shared_ptr<std::string const>;

struct test_script {
  std::string id{};
  std::string title{};
  std::string version{};  ///< of the script; empty if the claim contained the script
  script_text script{};   ///< null until the runner has fetched it
};

/// A run that belongs to this runner until its lease ends.
struct claim {
  std::string run_id{};
  std::string claim_id{};
  std::int64_t attempt = 1;
  std::string job_name{};
  std::string type{};          ///< the job's type
  std::string trace_parent{};  ///< of the request that created the run (W3C Trace Context); empty: none
  std::int64_t timeout_seconds = 3600;
  std::int64_t lease_seconds = 30;
  std::int64_t whole_output_bytes = 0;  ///< the largest output that the completion may contain
  std::vector<named_value> parameters{};
  std::vector<named_value> variables{};
  std::vector<test_script> tests{};
};

/// The contract's words for the end of a run or a test.
enum class outcome : std::uint8_t { passed, failed, error, skipped, cancelled, timed_out };
std::string_view to_string(outcome o);

struct test_result {
  std::string id{};
  outcome status = outcome::skipped;
  std::optional<std::int64_t> duration_ms{};
  std::string details{};  ///< empty: none
};

enum class output_stream : std::uint8_t { out, err };

struct output_line {
  std::int64_t seq = 0;
  output_stream stream = output_stream::out;
  std::string text{};
};

struct completion {
  outcome status = outcome::passed;
  std::int64_t last_seq = 0;
  std::string details{};
  std::vector<test_result> tests{};
  std::optional<std::vector<output_line>> whole_output{};  ///< all lines; none of them was sent before
};

struct heartbeat_answer {
  bool cancel = false;
  std::int64_t lease_seconds = 30;
};

/// One script of a response to a request for scripts.
struct given_script {
  std::string id{}, version{};
  script_text script{};
};

struct given_scripts {
  std::vector<given_script> scripts{};
  bool more = false;  ///< false: all scripts fit
};

/// A run in a heartbeat.
struct held_run {
  std::string run_id{}, claim_id{};
  bool cancelling = false;  ///< the runner knows that the run is to be cancelled
};

/// The response to a heartbeat of several runs.
struct heartbeat_news {
  std::int64_t lease_seconds = 30;
  std::set<std::string> cancel{}, lost{};  ///< ids of runs
};

/// The response to output or completions of several runs.
struct gathered_news {
  std::optional<std::map<std::string, std::int64_t>> held{};  ///< of output: the last line that the service has, by
                                                              ///< run
  std::set<std::string> lost{};
};

/// Bodies of requests.
std::string register_body(std::string const& name, std::string_view version, std::vector<std::string> const& labels,
                          std::int64_t slots);
std::string claim_body(std::string const& runner_id, std::vector<std::string> const& labels, std::size_t most,
                       std::int64_t wait_seconds, bool scripts_apart);
std::string scripts_body(std::string const& claim_id, std::set<std::string> const& tests);
std::string heartbeat_body(std::string const& claim_id, std::int64_t wait_seconds);
std::string heartbeats_body(std::vector<held_run> const& runs, std::chrono::milliseconds wait);
/// Returns the body of a request about one run as a member of a request about several.
std::string with_run(std::string const& run_id, std::string_view body);
std::string output_body(std::string const& claim_id, std::vector<output_line> const& lines);
std::string complete_body(std::string const& claim_id, completion const& completion);
std::string release_body(std::string const& claim_id);

/// Read the bodies of responses. The result is nothing if a body does not follow the contract.
std::optional<registration> read_registration(std::string_view body);
std::optional<std::vector<claim>> read_claims(std::string_view body);
std::optional<given_scripts> read_scripts(std::string_view body);
std::optional<heartbeat_answer> read_heartbeat(std::string_view body);
std::optional<heartbeat_news> read_heartbeats(std::string_view body);
std::optional<gathered_news> read_gathered(std::string_view body);
std::optional<std::int64_t> read_through(std::string_view body);
/// Returns `code` and `error` of an error's body, as far as present.
std::string read_error(std::string_view body);

}  // namespace svc::runner
