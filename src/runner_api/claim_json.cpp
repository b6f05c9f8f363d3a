#include "runner_api/claim_json.hpp"

#include "svc/core/time.hpp"
#include "svc/http/json.hpp"
#include "svc/live/output/whole_output.hpp"

namespace svc::runner_api {
namespace {

class object_writer {
 public:
  explicit object_writer(std::string& out) : out_(out) { out_ += '{'; }
  void text(std::string_view name, std::string_view value) {
    member(name);
    http::append_json_string(out_, value);
  }
  void raw(std::string_view name, std::string_view json) {
    member(name);
    out_ += json;
  }
  std::string& member(std::string_view name) {
    if (!first_) out_ += ',';
    first_ = false;
    http::append_json_string(out_, name);
    return out_ += ':';
  }
  void end() { out_ += '}'; }

 private:
  std::string& out_;
  bool first_ = true;
};

void append_variables(std::string& out, std::vector<revealed_variable> const& all) {
  out += '[';
  for (auto const& variable : all) {
    if (&variable != &all.front()) out += ',';
    object_writer w(out);
    w.text("key", variable.key);
    w.text("value", variable.value.reveal());
    w.raw("isSecret", variable.is_secret ? "true" : "false");
    w.end();
  }
  out += ']';
}

/// Writes all members except the value of `tests`, which is last, and not the closing brace.
void begin_claim(std::string& out, claimed_run const& run, std::vector<revealed_variable> const& variables,
                 std::chrono::seconds lease) {
  object_writer w(out);
  w.text("runId", run.run.to_string());
  w.text("claimId", run.claim.to_string());
  w.raw("attempt", std::to_string(run.attempt));
  w.text("projectId", run.project.to_string());
  if (run.job) w.text("jobId", run.job->to_string());
  if (run.job_name) w.text("jobName", *run.job_name);
  w.text("jobType", run.job_type);
  w.text("queuedAt", to_rfc3339(run.queued_at));
  if (run.trace_parent) w.text("traceParent", *run.trace_parent);
  w.raw("timeoutSeconds", std::to_string(run.timeout_seconds));
  w.raw("leaseSeconds", std::to_string(lease.count()));
  // Redis may hold output of earlier attempts, which has to be stored before that of a later one.
  if (run.attempt == 1) w.raw("wholeOutputBytes", std::to_string(output::most_whole_output));
  w.raw("parameters", run.parameters);
  append_variables(w.member("variables"), variables);
  w.member("tests");
}

}  // namespace

std::size_t claims_writer::size() const {
  constexpr std::size_t members = 1024;
  std::size_t size = members;
  for (auto const& run : batch_.runs) {
    size += members + run.parameters.size() + run.tests.size();
    auto const given = batch_.variables.find(run.project);
    if (given == batch_.variables.end()) continue;
    for (auto const& variable : given->second) size += members + variable.value.reveal().size();
  }
  return size;
}

bool claims_writer::step(std::string& out, std::size_t most) {
  static std::vector<revealed_variable> const none;
  if (run_ == 0 && position_ == 0) out += R"({"claims":[)";
  for (auto const before = out.size(); out.size() - before < most;) {
    if (run_ == batch_.runs.size()) {
      out += "]}";
      return false;
    }
    auto const& run = batch_.runs[run_];
    auto const given = batch_.variables.find(run.project);
    if (position_ == 0) {
      if (run_ > 0) out += ',';
      begin_claim(out, run, given == batch_.variables.end() ? none : given->second, lease_);
    }
    auto const piece = std::string_view(run.tests).substr(position_, most);
    out += piece;
    position_ += piece.size();
    if (position_ < run.tests.size()) continue;
    out += '}';
    ++run_;
    position_ = 0;
  }
  return true;
}

std::string claims_json(store::claim_batch const& batch, std::chrono::seconds lease) {
  std::string out;
  claims_writer(batch, lease).step(out, std::string::npos);
  return out;
}

}  // namespace svc::runner_api
