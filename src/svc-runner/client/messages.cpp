#include "svc-runner/client/messages.hpp"

#include "svc/http/json.hpp"

#include <boost/json.hpp>

namespace svc::runner {
namespace {

namespace json = boost::json;

constexpr std::size_t longest_details = 4000;

std::string text(json::object const& object, std::string_view name) {
  auto const* const value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : std::string();
}

std::int64_t number(json::object const& object, std::string_view name, std::int64_t otherwise) {
  auto const* const value = object.if_contains(name);
  return value != nullptr && value->is_int64() ? value->get_int64() : otherwise;
}

bool flag(json::object const& object, std::string_view name) {
  auto const* const value = object.if_contains(name);
  return value != nullptr && value->is_bool() && value->get_bool();
}

std::optional<json::object> object_of(std::string_view body) {
  auto parsed = http::parse_json(body);
  if (!parsed || !parsed.value().is_object()) return std::nullopt;
  return std::move(parsed.value().get_object());
}

/// Returns the members of an array that are objects.
std::vector<json::object const*> objects(json::object const& object, std::string_view name) {
  std::vector<json::object const*> out;
  auto const* const array = object.if_contains(name);
  if (array == nullptr || !array->is_array()) return out;
  for (auto const& each : array->get_array())
    if (each.is_object()) out.push_back(&each.get_object());
  return out;
}

/// Returns as many whole characters as fit. The service counts code points, which are never more than bytes.
std::string shortened(std::string const& details) {
  if (details.size() <= longest_details) return details;
  auto end = longest_details;
  while (end > 0 && (static_cast<unsigned char>(details[end]) & 0xC0U) == 0x80U) --end;
  return details.substr(0, end);
}

/// Returns the texts of an array; nothing if there is no such array.
std::optional<std::set<std::string>> names_in(json::object const& object, std::string_view name) {
  auto const* const array = object.if_contains(name);
  if (array == nullptr || !array->is_array()) return std::nullopt;
  std::set<std::string> out;
  for (auto const& each : array->get_array())
    if (each.is_string()) out.emplace(each.get_string());
  return out;
}

void append_lines(std::string& out, std::vector<output_line> const& lines, bool numbered) {
  out += '[';
  for (auto const& line : lines) {
    if (&line != &lines.front()) out += ',';
    out += numbered ? "{\"seq\":" + std::to_string(line.seq) + "," : "{";
    out += line.stream == output_stream::out ? R"("stream":"stdout","text":)" : R"("stream":"stderr","text":)";
    http::append_json_string(out, line.text);
    out += '}';
  }
  out += ']';
}

script_text script_in(json::object const& object) {
  return std::make_shared<std::string const>(text(object, "script"));
}

claim read_claim(json::object const& object) {
  claim out;
  out.run_id = text(object, "runId");
  out.claim_id = text(object, "claimId");
  out.attempt = number(object, "attempt", 1);
  out.job_name = text(object, "jobName");
  out.type = text(object, "jobType");
  out.trace_parent = text(object, "traceParent");
  out.timeout_seconds = number(object, "timeoutSeconds", out.timeout_seconds);
  out.lease_seconds = number(object, "leaseSeconds", out.lease_seconds);
  out.whole_output_bytes = number(object, "wholeOutputBytes", 0);
  if (auto const* parameters = object.if_contains("parameters"); parameters != nullptr && parameters->is_object()) {
    for (auto const& [name, value] : parameters->get_object())
      out.parameters.push_back({std::string(name), secret_string(value.is_string() ? std::string(value.get_string())
                                                                                   : http::to_json(value))});
  }
  for (auto const* v : objects(object, "variables"))
    out.variables.push_back({text(*v, "key"), secret_string(text(*v, "value")), flag(*v, "isSecret")});
  for (auto const* t : objects(object, "tests")) {
    out.tests.push_back({.id = text(*t, "id"), .title = text(*t, "title"), .version = text(*t, "version")});
    if (t->contains("script")) out.tests.back().script = script_in(*t);
  }
  return out;
}

}  // namespace

std::string_view to_string(outcome o) {
  switch (o) {
    case outcome::passed:
      return "passed";
    case outcome::failed:
      return "failed";
    case outcome::error:
      return "error";
    case outcome::skipped:
      return "skipped";
    case outcome::cancelled:
      return "cancelled";
    case outcome::timed_out:
      break;
  }
  return "timed_out";
}

std::string register_body(std::string const& name, std::string_view version, std::vector<std::string> const& labels,
                          std::int64_t slots) {
  return http::to_json(json::object{
      {"name", name}, {"version", version}, {"labels", json::array(labels.begin(), labels.end())}, {"slots", slots}});
}

std::string claim_body(std::string const& runner_id, std::vector<std::string> const& labels, std::size_t most,
                       std::int64_t wait_seconds, bool scripts_apart) {
  json::object out{{"executorId", runner_id},
                   {"labels", json::array(labels.begin(), labels.end())},
                   {"max", most},
                   {"waitSeconds", wait_seconds}};
  if (scripts_apart) out["scriptsApart"] = true;
  return http::to_json(out);
}

std::string scripts_body(std::string const& claim_id, std::set<std::string> const& tests) {
  return http::to_json(json::object{{"claimId", claim_id}, {"tests", json::array(tests.begin(), tests.end())}});
}

std::string heartbeat_body(std::string const& claim_id, std::int64_t wait_seconds) {
  return http::to_json(json::object{{"claimId", claim_id}, {"waitSeconds", wait_seconds}});
}

std::string heartbeats_body(std::vector<held_run> const& runs, std::chrono::milliseconds wait) {
  json::array all;
  for (auto const& run : runs) {
    json::object object{{"runId", run.run_id}, {"claimId", run.claim_id}};
    if (run.cancelling) object["cancelling"] = true;
    all.emplace_back(std::move(object));
  }
  return http::to_json(json::object{{"runs", std::move(all)}, {"waitMilliseconds", wait.count()}});
}

std::string with_run(std::string const& run_id, std::string_view body) {
  std::string out = "{\"runId\":";
  http::append_json_string(out, run_id);
  return out + "," + std::string(body.substr(1));
}

std::string output_body(std::string const& claim_id, std::vector<output_line> const& lines) {
  std::string out = "{\"claimId\":";
  http::append_json_string(out, claim_id);
  out += ",\"lines\":";
  append_lines(out, lines, true);
  return out + "}";
}

std::string complete_body(std::string const& claim_id, completion const& completion) {
  json::array tests;
  for (auto const& t : completion.tests) {
    json::object object{{"id", t.id}, {"status", to_string(t.status)}};
    if (t.duration_ms) object["durationMs"] = *t.duration_ms;
    if (!t.details.empty()) object["errorDetails"] = shortened(t.details);
    tests.emplace_back(std::move(object));
  }
  json::object out{{"claimId", claim_id},
                   {"status", to_string(completion.status)},
                   {"lastSeq", completion.last_seq},
                   {"tests", std::move(tests)}};
  if (!completion.details.empty()) out["errorDetails"] = shortened(completion.details);
  auto body = http::to_json(out);
  if (!completion.whole_output) return body;
  body.back() = ',';
  body += "\"wholeOutput\":";
  append_lines(body, *completion.whole_output, false);
  return body + "}";
}

std::string release_body(std::string const& claim_id) {
  return http::to_json(json::object{{"claimId", claim_id}});
}

std::optional<registration> read_registration(std::string_view body) {
  auto const o = object_of(body);
  if (!o || text(*o, "executorId").empty()) return std::nullopt;
  registration out;
  out.runner_id = text(*o, "executorId");
  out.lease_seconds = number(*o, "leaseSeconds", out.lease_seconds);
  out.long_poll_seconds = number(*o, "longPollSeconds", out.long_poll_seconds);
  return out;
}

std::optional<std::vector<claim>> read_claims(std::string_view body) {
  auto const o = object_of(body);
  if (!o) return std::nullopt;
  std::vector<claim> out;
  for (auto const* each : objects(*o, "claims")) {
    out.push_back(read_claim(*each));
    if (out.back().run_id.empty() || out.back().claim_id.empty()) return std::nullopt;
  }
  return out;
}

std::optional<given_scripts> read_scripts(std::string_view body) {
  auto const o = object_of(body);
  if (!o || !o->contains("scripts") || !o->contains("more")) return std::nullopt;
  given_scripts out{.more = flag(*o, "more")};
  for (auto const* each : objects(*o, "scripts")) {
    if (!each->contains("script")) return std::nullopt;
    out.scripts.push_back({text(*each, "id"), text(*each, "version"), script_in(*each)});
  }
  return out;
}

std::optional<heartbeat_answer> read_heartbeat(std::string_view body) {
  auto const o = object_of(body);
  if (!o) return std::nullopt;
  return heartbeat_answer{flag(*o, "cancel"), number(*o, "leaseSeconds", 30)};
}

std::optional<heartbeat_news> read_heartbeats(std::string_view body) {
  auto const o = object_of(body);
  if (!o) return std::nullopt;
  auto cancel = names_in(*o, "cancel"), lost = names_in(*o, "lost");
  if (!cancel || !lost) return std::nullopt;
  return heartbeat_news{number(*o, "leaseSeconds", 30), std::move(*cancel), std::move(*lost)};
}

std::optional<gathered_news> read_gathered(std::string_view body) {
  auto const o = object_of(body);
  if (!o) return std::nullopt;
  auto lost = names_in(*o, "lost");
  if (!lost) return std::nullopt;
  gathered_news out{.lost = std::move(*lost)};
  if (o->contains("held")) out.held.emplace();
  for (auto const* object : objects(*o, "held"))
    out.held->emplace(text(*object, "runId"), number(*object, "through", 0));
  return out;
}

std::optional<std::int64_t> read_through(std::string_view body) {
  auto const o = object_of(body);
  if (!o || o->if_contains("through") == nullptr) return std::nullopt;
  return number(*o, "through", 0);
}

std::string read_error(std::string_view body) {
  auto const o = object_of(body);
  if (!o) return {};
  return text(*o, "code") + ": " + text(*o, "error");
}

}  // namespace svc::runner
