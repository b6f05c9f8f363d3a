// The lines that the runner and a supervisor exchange.

#include "svc-runner/supervision/supervision.hpp"

#include "svc/core/numbers.hpp"
#include "svc/http/json.hpp"

#include <boost/json.hpp>

namespace svc::runner {
namespace {

namespace json = boost::json;

std::vector<std::string> read_texts(json::value const& value) {
  std::vector<std::string> out;
  for (auto const& each : value.as_array()) out.emplace_back(each.as_string());
  return out;
}

json::object limits_of(run_limits const& l) {
  return {
      {"memoryMb", l.memory_mb}, {"processes", l.processes}, {"cpuPercent", l.cpu_percent}, {"fileMb", l.file_mb}};
}

run_limits read_limits(json::object const& object) {
  run_limits out;
  out.memory_mb = object.at("memoryMb").as_int64();
  out.processes = object.at("processes").as_int64();
  out.cpu_percent = object.at("cpuPercent").as_int64();
  out.file_mb = object.at("fileMb").as_int64();
  return out;
}

supervision read_fields(json::object const& o) {
  supervision out;
  out.program = o.at("program").as_string();
  out.arguments = read_texts(o.at("arguments"));
  for (auto const& pair : o.at("environment").as_array())
    out.environment.emplace_back(std::string(pair.as_array().at(0).as_string()),
                                 std::string(pair.as_array().at(1).as_string()));
  out.directory = o.at("directory").as_string();
  out.sealed_arguments = read_texts(o.at("sealed"));
  if (o.at("uid").is_int64()) out.uid = o.at("uid").get_int64();
  out.own_uid = o.at("ownUid").as_bool();
  auto const& groups = o.at("groups").as_object();
  out.groups.version = static_cast<int>(groups.at("version").as_int64());
  out.groups.memory = groups.at("memory").as_string();
  out.groups.processes = groups.at("processes").as_string();
  out.groups.cpu = groups.at("cpu").as_string();
  out.group_name = o.at("groupName").as_string();
  out.limits = read_limits(o.at("limits").as_object());
  out.limit_processes = o.at("limitProcesses").as_bool();
  out.limit_memory = o.at("limitMemory").as_bool();
  out.filter = o.at("filter").as_bool();
  out.sandboxed = o.at("sandboxed").as_bool();
  return out;
}

/// Values may be any bytes, so this does not use `http::parse_json`, which accepts well-formed text only.
std::optional<json::object> parse(std::string_view line) {
  json::parse_options lenient;
  lenient.allow_invalid_utf8 = true;
  boost::system::error_code bad;
  auto value = json::parse(line, bad, {}, lenient);
  if (bad || !value.is_object()) return std::nullopt;
  return std::move(value.get_object());
}

}  // namespace

std::string to_line(supervision const& supervision) {
  json::array environment;
  for (auto const& [name, value] : supervision.environment) environment.push_back(json::array{name, value});
  json::object const o{
      {"program", supervision.program},
      {"arguments", json::array(supervision.arguments.begin(), supervision.arguments.end())},
      {"environment", std::move(environment)},
      {"directory", supervision.directory},
      {"sealed", json::array(supervision.sealed_arguments.begin(), supervision.sealed_arguments.end())},
      {"uid", supervision.uid ? json::value(*supervision.uid) : json::value(nullptr)},
      {"ownUid", supervision.own_uid},
      {"groups", json::object{{"version", supervision.groups.version},
                              {"memory", supervision.groups.memory},
                              {"processes", supervision.groups.processes},
                              {"cpu", supervision.groups.cpu}}},
      {"groupName", supervision.group_name},
      {"limits", limits_of(supervision.limits)},
      {"limitProcesses", supervision.limit_processes},
      {"limitMemory", supervision.limit_memory},
      {"filter", supervision.filter},
      {"sandboxed", supervision.sandboxed}};
  return json::serialize(o) + "\n";
}

std::optional<supervision> read_supervision(std::string_view line) try {
  auto const o = parse(line);
  if (!o) return std::nullopt;
  return read_fields(*o);
} catch (std::exception const&) {
  return std::nullopt;
}

std::string end_line(milliseconds grace) {
  return std::to_string(grace.count()) + "\n";
}

std::optional<milliseconds> read_end_line(std::string_view line) {
  if (!line.ends_with('\n')) return std::nullopt;
  auto const count = parse_number<std::int64_t>(line.substr(0, line.size() - 1));
  return count && *count >= 0 ? std::optional(milliseconds(*count)) : std::nullopt;
}

std::string to_line(supervision_report const& report) {
  return json::serialize(json::object{{"error", report.error},
                                      {"exitCode", report.exit_code},
                                      {"memoryKills", report.memory_kills},
                                      {"refusedForks", report.refused_forks},
                                      {"left", report.left},
                                      {"outlasted", report.outlasted}}) +
         "\n";
}

std::optional<supervision_report> read_report(std::string_view line) try {
  auto const o = parse(line);
  if (!o) return std::nullopt;
  return supervision_report{.error = std::string(o->at("error").as_string()),
                            .exit_code = static_cast<int>(o->at("exitCode").as_int64()),
                            .memory_kills = o->at("memoryKills").as_int64(),
                            .refused_forks = o->at("refusedForks").as_int64(),
                            .left = o->at("left").as_int64(),
                            .outlasted = o->at("outlasted").as_bool()};
} catch (std::exception const&) {
  return std::nullopt;
}

}  // namespace svc::runner
