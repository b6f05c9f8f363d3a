#include "cli/commands/api_request.hpp"
#include "cli/commands/arguments.hpp"
#include "cli/commands/resource.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/show.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

struct api_options {
  api_arguments given;
  std::string data;
  bool include = false;
};

/// Reads the argument's forms `TEXT`, `@FILE` and `-`.
std::string text_of_data(std::string const& data) {
  if (data == "-") return text_of_file(data);
  return data.starts_with('@') ? text_of_file(data.substr(1)) : data;
}

/// Returns the credential that the user has: the service itself decides whether it is enough.
credential credential_at_hand(settings const& settings) {
  if (settings.token) return credential::token;
  return settings.trigger_key ? credential::trigger_key : credential::none;
}

/// Returns the refusal of a request with whatever credential there was.
failure refusal_of_call(settings const& settings, request const& r, answer const& got) {
  bool const has_key = r.context == credential::trigger_key;
  auto const out = refusal_of(got, has_key ? "SERVICE_TRIGGER_KEY" : settings.token_source, r.target);
  if (r.context != credential::none || got.status != 401) return out;
  return out.retold("No token is set, and this request needs one.", "Set SERVICE_TOKEN, or log in with: svc login");
}

void show_head(console& console, answer const& got) {
  auto const shown = [&](std::string const& line) {
    console.data_line(console.out_is_terminal() ? harmless(line) : line);
  };
  shown("HTTP " + std::to_string(got.status));
  for (auto const& [name, value] : got.fields) shown(name + ": " + value);
  console.data_line("");
}

/// Prints the body unchanged; on a terminal indented and harmless.
void show_body(console& console, answer const& got) {
  if (console.how() == format::quiet || got.body.empty()) return;
  if (console.how() == format::templated)
    return console.data_line(expanded(console.template_text(), parsed_body(got)));
  if (!console.out_is_terminal()) return console.data(got.body);
  auto const* const type = got.field("content-type");
  bool const json = type != nullptr && type->find("json") != std::string::npos;
  console.data_line(json ? laid_out(got.body, true) : harmless(got.body, false, true));
}

exit_code call_api(context& cx, api_options& o) {
  if (!o.data.empty()) o.given.body = text_of_data(o.data);
  auto r = api_request(o.given);
  r.context = credential_at_hand(cx.config());
  auto& client = r.context == credential::token ? cx.client() : cx.client_without_check();
  auto const got = client.send_any(r);
  bool const refused = got.status >= 400;
  if (o.include) show_head(cx.console, got);
  if (!refused || o.include) show_body(cx.console, got);
  if (refused) throw refusal_of_call(cx.config(), r, got);
  return exit_code::ok;
}

}  // namespace

void add_api_command(CLI::App& root, context& cx) {
  auto const o = std::make_shared<api_options>();
  auto* const api = add_command(root, cx, "api", "Send any request to the API and print its answer",
                                "GET /api/jobs?limit=5", [&cx, o] { return call_api(cx, *o); });
  api->add_option("METHOD", o->given.method, "GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS")->required();
  api->add_option("PATH", o->given.target, "the part after the service's address: /api/jobs?limit=5")->required();
  auto* const data =
      api->add_option("-d,--data", o->data, "the body: TEXT, @FILE, or - for stdin")->type_name("BODY");
  api->add_option("-f,--field", o->given.members, "a string of a JSON body, as name=value; repeatable")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false)
      ->excludes(data);
  api->add_option("-H,--header", o->given.fields, "a header field, as 'Name: value'; repeatable")
      ->type_name("FIELD")
      ->allow_extra_args(false);
  api->add_flag("-i,--include", o->include, "print the status and the header fields too");
  api->add_option("--idempotency-key", o->given.idempotency_key,
                  "makes a POST safe to repeat; auto makes a key for this command")
      ->type_name("KEY|auto");
  api->footer(
      "Examples:\n  svc api GET /api/jobs?limit=5\n"
      "  svc api POST /api/jobs/ID/trigger --idempotency-key auto -d '{\"parameters\": {\"a\": \"b\"}}'");
}

}  // namespace svc::cli
