#include "cli/settings/environment.hpp"

#include "cli/console/failure.hpp"
#include "svc/core/trace_parent.hpp"
#include "svc/domain/token.hpp"

#include <unistd.h>

#include <cstdlib>

namespace svc::cli {
namespace {

constexpr char const* token_hint =
    "A CLI token begins with svc_live_ (or svc_test_); people make them for a project.";
constexpr char const* key_hint =
    "A trigger key begins with svc_trigger_ (or job_); svc job keys create makes one for a job.";

std::string variable(environment_lookup const& look_up, char const* name) {
  auto const* const value = look_up(name);
  return value == nullptr ? std::string() : std::string(value);
}

std::optional<found_value> found(environment_lookup const& look_up, char const* name) {
  auto value = variable(look_up, name);
  if (value.empty()) return std::nullopt;
  return found_value{std::move(value), name};
}

std::string either_spelling(environment_lookup const& look_up, char const* lower, char const* upper) {
  auto value = variable(look_up, lower);
  return value.empty() ? variable(look_up, upper) : value;
}

std::string user_directory(environment_lookup const& look_up, char const* xdg, char const* below_home) {
  auto base = variable(look_up, xdg);
  if (!base.starts_with('/')) {
    auto const home = variable(look_up, "HOME");
    base = home.starts_with('/') ? home + below_home : std::string();
  }
  return base.empty() ? base : base + "/svc";
}

failure bad_credential(std::string const& sentence, char const* hint) {
  return {exit_code::usage, "bad_credential", sentence, hint};
}

/// Checks the common properties of both kinds of credential.
token_kind kind_of_credential(std::string_view text, std::string const& source, char const* hint) {
  constexpr std::string_view spaces = " \t\r\n";
  if (text.empty()) throw bad_credential(source + " is empty.", hint);
  if (spaces.find(text.front()) != std::string_view::npos || spaces.find(text.back()) != std::string_view::npos)
    throw bad_credential(source + " has white space around the credential.",
                         "Store it without spaces and line ends.");
  if (text.starts_with(runner_prefix))
    throw bad_credential(source + " holds a runner's token, which only svc-runner can use.", hint);
  for (std::string_view const word : {"Bearer", "\"", "'"})
    if (text.starts_with(word))
      throw bad_credential(source + " holds no valid credential: it starts with " + std::string(word) + ".",
                           "Store the token alone, without Bearer and quotes.");
  auto const read = read_token(text);
  if (!read) throw bad_credential(source + " holds no valid credential: it was cut off, changed or mistyped.", hint);
  return read->kind;
}

}  // namespace

secret_string checked_token(std::string_view text, std::string const& source) {
  if (is_trigger_key(kind_of_credential(text, source, token_hint)))
    throw bad_credential(source + " holds a trigger key, which can trigger its job and do nothing else.",
                         "Trigger keys belong in SERVICE_TRIGGER_KEY. A CLI token begins with svc_live_.");
  return secret_string(text);
}

secret_string checked_trigger_key(std::string_view text, std::string const& source) {
  if (!is_trigger_key(kind_of_credential(text, source, key_hint)))
    throw bad_credential(source + " holds a CLI token, which can do far more than trigger one job.",
                         "CLI tokens belong in SERVICE_TOKEN, with which svc job trigger works too.");
  return secret_string(text);
}

environment read_environment(environment_lookup const& look_up) {
  environment out;
  out.url = found(look_up, "SERVICE_URL");
  out.organization = found(look_up, "SERVICE_ORG");
  out.project = found(look_up, "SERVICE_PROJECT");
  out.ca_file = found(look_up, "SERVICE_CACERT");
  auto const secret = [&](char const* name) -> std::string_view {
    auto const* const value = look_up(name);
    return value == nullptr ? std::string_view() : value;
  };
  if (auto const text = secret("SERVICE_TOKEN"); !text.empty()) out.token = checked_token(text, "SERVICE_TOKEN");
  if (auto const text = secret("SERVICE_TRIGGER_KEY"); !text.empty())
    out.trigger_key = checked_trigger_key(text, "SERVICE_TRIGGER_KEY");
  out.proxies = {.http = either_spelling(look_up, "http_proxy", "HTTP_PROXY"),
                 .https = either_spelling(look_up, "https_proxy", "HTTPS_PROXY"),
                 .no_proxy = either_spelling(look_up, "no_proxy", "NO_PROXY")};
  out.config_directory = user_directory(look_up, "XDG_CONFIG_HOME", "/.config");
  out.cache_directory = user_directory(look_up, "XDG_CACHE_HOME", "/.cache");
  if (auto const given = found(look_up, "TRACEPARENT"))
    if (auto const trace = read_trace_parent(given->value)) out.trace_parent = trace->to_string();
  return out;
}

environment read_environment() {
  return read_environment([](char const* name) { return std::getenv(name); });
}

child_environment::child_environment() {
  for (char** position = environ; *position != nullptr; ++position) {
    std::string_view const each = *position;
    if (!each.starts_with("SERVICE_TOKEN=") && !each.starts_with("SERVICE_TRIGGER_KEY="))
      variables_.emplace_back(each);
  }
  for (auto& each : variables_) pointers_.push_back(each.data());
  pointers_.push_back(nullptr);
}

}  // namespace svc::cli
