#include "cli/commands/trigger_request.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/console/failure.hpp"
#include "cli/console/show.hpp"
#include "svc/core/joined.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>

namespace svc::cli {
namespace {

constexpr std::size_t longest_parameter_name = 64;

/// As the contract's `ParameterName`.
bool is_parameter_name(std::string_view text) {
  auto const plain = [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; };
  return !text.empty() && text.size() <= longest_parameter_name && text.front() >= 'A' && text.front() <= 'Z' &&
         std::all_of(text.begin(), text.end(), plain);
}

void take_parameter(job_parameters& into, std::string_view name, std::string value) {
  if (!is_parameter_name(name))
    throw bad_usage("A parameter cannot be named \"" + std::string(name) + "\".",
                    "Names are a capital letter and up to 63 capital letters, digits and underscores.");
  if (!into.emplace(name, std::move(value)).second)
    throw bad_usage("The parameter " + std::string(name) + " is given twice.");
}

job_parameters parameters_in_file(std::string_view file) {
  job_parameters out;
  if (file.empty()) return out;
  auto const read = json_argument(file, "The file of parameters");
  if (!read.is_object())
    throw bad_usage("The file of parameters is not a JSON object.",
                    "It has names and values: {\"BRANCH\": \"main\"}");
  for (auto const& [name, value] : read.get_object()) {
    // A fraction would not be written as it is in the file.
    if (value.is_structured() || value.is_null() || value.is_double())
      throw bad_usage("The parameter " + std::string(name) + " in the file is neither text, integer, true nor false.",
                      "Write any other value in quotes.");
    take_parameter(out, name, value.is_string() ? std::string(value.get_string()) : boost::json::serialize(value));
  }
  return out;
}

}  // namespace

job_parameters parameters_of(std::vector<std::string> const& assignments, std::string_view file) {
  job_parameters out;
  for (auto const& text : assignments) {
    auto const sign = text.find('=');
    if (sign == std::string::npos)
      throw bad_usage("\"" + text + "\" is not a parameter and its value.", "Write --param NAME=VALUE.");
    take_parameter(out, std::string_view(text).substr(0, sign), text.substr(sign + 1));
  }
  out.merge(parameters_in_file(file));
  return out;
}

void check_parameters(job_parameters const& given, boost::json::value const& job) {
  auto const* const declared = member_of(job, "parameters");
  if (declared == nullptr || !declared->is_array()) return;
  std::vector<std::string> names;
  for (auto const& each : declared->get_array()) {
    auto const* const named = member_of(each, "name");
    if (named == nullptr || !named->is_string()) return;
    auto name = std::string(named->get_string());
    auto const* const required = member_of(each, "required");
    auto const* const initial = member_of(each, "default");
    bool const needed = required != nullptr && *required == true && (initial == nullptr || initial->is_null());
    if (needed && !given.contains(name))
      throw bad_usage("The job needs the parameter " + name + "; nothing was triggered.",
                      "Add --param " + name + "=VALUE.");
    names.push_back(std::move(name));
  }
  for (auto const& [name, value] : given) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    throw bad_usage("The job has no parameter " + name + "; nothing was triggered.",
                    names.empty() ? "It takes none." : "It takes " + joined(names, ", ") + ".");
  }
}

void check_idempotency_key(std::string_view key) {
  if (key.empty())
    throw bad_usage("--idempotency-key must not be empty; nothing was sent.",
                    "Is the variable set? An empty key would make a second run each time that the step is repeated.");
}

std::string trigger_body(job_parameters const& parameters, std::string const& dedup_key) {
  boost::json::object out;
  if (!parameters.empty()) {
    boost::json::object values;
    for (auto const& [name, value] : parameters) values[name] = value;
    out["parameters"] = std::move(values);
  }
  if (!dedup_key.empty()) out["dedupKey"] = dedup_key;
  return boost::json::serialize(out);
}

}  // namespace svc::cli
