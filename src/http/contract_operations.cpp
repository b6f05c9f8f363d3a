#include "http/contract_operations.hpp"

#include "http/contract_pointer.hpp"
#include "svc/core/time.hpp"
#include "svc/domain/role.hpp"
#include "svc/http/error_table.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace svc::http {
namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 5> token_kinds{"cli", "test", "trigger", "runner", "session"};
constexpr std::array<std::string_view, 14> rate_classes{"cli",     "trigger",   "anonymous", "feed",   "download",
                                                        "health",  "heartbeat", "probe",     "runner", "claim",
                                                        "session", "sign_in",   "page",      "none"};
/// In the order of `session_scope_kind`.
constexpr std::array<std::string_view, 3> scopes{"user", "organization", "project"};
constexpr std::string_view dashboard_path = "/dashboard/v1/";

std::string_view scheme_of(std::string_view kind) {
  if (kind == "trigger") return "triggerKey";
  if (kind == "session") return "sessionCookie";
  return kind == "runner" ? "runnerToken" : "cliToken";
}

template <class List>
bool holds(List const& list, std::string_view text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

/// A permission that the role table of the scope does not know would be one that every role has.
bool is_permission(std::string_view text, session_scope_kind scope) {
  if (text.empty()) return true;
  if (scope == session_scope_kind::organization) return parse_organization_permission(text).has_value();
  return scope == session_scope_kind::project && parse_permission(text).has_value();
}

/// Reads one operation; `at_` is its place in the document.
class operation_reader {
 public:
  operation_reader(json::value const& document, schema_set& schemas, std::string_view path, std::string_view method)
      : document_(document), schemas_(schemas), path_("/paths") {
    path_.push(path);
    op_.path = path;
    for (char const c : method) op_.method.push_back(static_cast<char>(c - 'a' + 'A'));
    path_.push(method);
  }

  void read(json::object const& item, json::object const& source, operation_table& table) {
    read_identity(source);
    read_own_keys(source);
    if (auto const* shared = item.if_contains("parameters")) read_parameters(shared->get_array());
    if (auto const* own = source.if_contains("parameters")) read_parameters(own->get_array());
    order_path_parameters();
    read_body(source);
    read_deprecation(source);
    op_.conditional = op_.method == "GET" && source.at("responses").get_object().contains("304");
    check_security(source.at("security"));
    check_responses(source.at("responses").get_object());
    // A module in front of the router serves it; the document only describes it.
    if (source.contains("x-served-by")) return;
    op_.lenient_query = op_.token_kinds.empty();
    op_.index = table.operations.size();
    table.operations.push_back(std::move(op_));
    table.rules.push_back(std::move(rules_));
  }

 private:
  void read_identity(json::object const& source) {
    op_.id = text(source, "operationId");
    auto const snake = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
    if (op_.id.empty() || !std::all_of(op_.id.begin(), op_.id.end(), snake))
      refuse("operationId", "must be snake_case");
  }

  void read_own_keys(json::object const& source) {
    read_scope(source);
    op_.permission = text(source, "x-permission");
    if (!is_permission(op_.permission, op_.scope))
      refuse("x-permission", "is no permission of the scope's role table in domain/role.hpp");
    for (auto const& kind : source.at("x-token-kinds").get_array()) {
      if (!holds(token_kinds, kind.get_string())) refuse("x-token-kinds", "names an unknown kind");
      op_.token_kinds.emplace_back(kind.get_string());
    }
    if (op_.token_kinds.empty() && !op_.permission.empty()) refuse("x-permission", "is asked of nobody");
    op_.takes_session = holds(op_.token_kinds, "session");
    op_.only_session = op_.takes_session && op_.token_kinds.size() == 1;
    if (!op_.only_session && op_.scope != session_scope_kind::project)
      refuse("x-scope", "a bearer token belongs to one project");
    if (op_.fresh && !op_.takes_session) refuse("x-fresh", "is asked of nobody");
    op_.own_pages = op_.token_kinds.empty() && op_.path.starts_with(dashboard_path) && op_.method != "GET";
    op_.rate_class = text(source, "x-rate-class");
    if (!holds(rate_classes, op_.rate_class)) refuse("x-rate-class", "is no class");
    bool const users_alone = !op_.token_kinds.empty() && !holds(op_.token_kinds, "trigger");
    if (op_.rate_class == "probe" && !users_alone) refuse("x-rate-class", "probe is for the tokens of users");
    op_.body_limit = number(source, "x-body-limit");
    op_.success = static_cast<unsigned>(number(source, "x-success"));
    op_.errors = read_codes(source.at("x-errors"), path_.text() + "/x-errors");
  }

  void read_scope(json::object const& source) {
    if (auto const* fresh = source.if_contains("x-fresh")) op_.fresh = fresh->get_bool();
    auto const* scope = source.if_contains("x-scope");
    if (scope == nullptr) return;
    auto const found = std::find(scopes.begin(), scopes.end(), std::string_view(scope->get_string()));
    if (found == scopes.end()) refuse("x-scope", "must be project, organization or user");
    op_.scope = static_cast<session_scope_kind>(found - scopes.begin());
    bool const named = op_.path.find("{organizationId}") != std::string::npos;
    if (named != (op_.scope == session_scope_kind::organization))
      refuse("x-scope", "organization and the path parameter organizationId need each other");
  }

  void read_parameters(json::array const& list) {
    for (auto const& entry : list) {
      auto const& source = resolve(document_, entry).get_object();
      parameter parameter{text(source, "name"), nullptr, false};
      if (auto const* required = source.if_contains("required")) parameter.required = required->get_bool();
      auto const path = text(source, "in");
      parameter.rule =
          &schemas_.compile(source.at("schema"), path_.text() + "/parameters/" + parameter.name + "/schema");
      constexpr unsigned scalars = json_string | json_integer | json_boolean;
      if ((parameter.rule->types & ~scalars) != 0)
        refuse("parameters", parameter.name + " must be a string, integer or boolean");
      add_parameter(path, std::move(parameter));
    }
  }

  void add_parameter(std::string_view path, parameter entry) {
    if (path == "header") {
      // The pipeline has the rules of these headers (RFC 9110); the document tells readers about them.
      if (!holds(known_headers, entry.name)) refuse("parameters", entry.name + " is no header that is enforced");
      op_.accepts_idempotency |= entry.name == "Idempotency-Key";
      return;
    }
    if (path != "path" && path != "query") refuse("parameters", entry.name + " must be in path, query or header");
    auto& list = path == "path" ? rules_.path : rules_.query;
    auto const same = [&](parameter const& p) { return p.name == entry.name; };
    if (std::any_of(list.begin(), list.end(), same)) refuse("parameters", entry.name + " is declared twice");
    list.push_back(std::move(entry));
  }

  /// Checks that the template and the declarations name the same parameters, and puts them in the template's order.
  void order_path_parameters() {
    std::vector<parameter> ordered;
    for (auto const segment : split_template(op_.path)) {
      if (!is_parameter(segment)) continue;
      auto const name = segment.substr(1, segment.size() - 2);
      auto const found =
          std::find_if(rules_.path.begin(), rules_.path.end(), [&](auto const& p) { return p.name == name; });
      if (found == rules_.path.end() || !found->required) {
        refuse("parameters", "lacks the required path parameter " + std::string(name));
      }
      ordered.push_back(*found);
    }
    if (ordered.size() != rules_.path.size()) refuse("parameters", "declares a path parameter that the path lacks");
    rules_.path = std::move(ordered);
  }

  void read_body(json::object const& source) {
    auto const* const body = source.if_contains("requestBody");
    if ((body != nullptr) != (op_.body_limit > 0)) refuse("x-body-limit", "and requestBody need each other");
    if (body == nullptr) return;
    auto const& content = body->at("content").get_object();
    op_.body_required = body->at("required").get_bool();
    op_.any_media = content.size() == 1 && content.contains("*/*");
    if (op_.any_media) return;
    if (content.size() != 1 || !content.contains("application/json")) {
      refuse("requestBody", "must be only application/json, or any media type");
    }
    rules_.body = &schemas_.compile(content.at("application/json").at("schema"), path_.text() + "/requestBody");
  }

  timestamp moment(json::value const& value, std::string_view key) {
    auto const read = parse_rfc3339(value.get_string());
    if (!read) refuse("x-deprecated", std::string(key) + " must be a date-time");
    return *read;
  }

  /// `deprecated` is for client generators; it must come together with our own key, which has the dates.
  void read_deprecation(json::object const& source) {
    auto const* const flag = source.if_contains("deprecated");
    auto const* const own = source.if_contains("x-deprecated");
    if ((flag != nullptr && flag->get_bool()) != (own != nullptr))
      refuse("deprecated", "and x-deprecated need each other");
    if (own == nullptr) return;
    auto const& dates = own->get_object();
    auto const since = moment(dates.at("since"), "since");
    op_.deprecation = "@" + std::to_string(since.micros / 1'000'000);
    auto const* const end = dates.if_contains("sunset");
    if (end == nullptr) return;
    auto const sunset = moment(*end, "sunset");
    if (sunset < since) refuse("x-deprecated", "sunset must not be before since");
    op_.sunset = to_http_date(sunset);
  }

  /// `security` is for client generators; it must say what x-token-kinds says.
  void check_security(json::value const& security) {
    std::set<std::string, std::less<>> named;
    std::set<std::string, std::less<>> expected;
    if (!security.is_array()) refuse("security", "must be a list");
    for (auto const& entry : security.get_array()) {
      if (!entry.is_object()) refuse("security", "must be a list of objects");
      for (auto const& scheme : entry.get_object()) named.emplace(scheme.key());
    }
    for (auto const& kind : op_.token_kinds) expected.emplace(scheme_of(kind));
    if (named != expected) refuse("security", "contradicts x-token-kinds");
  }

  void check_responses(json::object const& responses) {
    if (!responses.contains(std::to_string(op_.success))) refuse("responses", "lacks x-success");
    for (auto const& code : op_.errors) {
      auto const status = std::to_string(row_of(*errc_of(code)).status);
      if (!responses.contains(status)) refuse("responses", "lacks " + status + " for " + code);
    }
  }

  static std::string text(json::object const& source, std::string_view key) {
    return std::string(source.at(key).get_string());
  }

  std::size_t number(json::object const& source, std::string_view key) {
    auto const value = source.at(key).get_int64();
    if (value < 0) refuse(key, "must not be negative");
    return static_cast<std::size_t>(value);
  }

  [[noreturn]] void refuse(std::string_view key, std::string_view reason) {
    path_.push(key);
    refuse_contract(path_, reason);
  }

  static constexpr std::array<std::string_view, 5> known_headers{"If-Match", "If-None-Match", "Idempotency-Key",
                                                                 "Prefer", "Last-Event-ID"};

  json::value const& document_;
  schema_set& schemas_;
  pointer_path path_;
  operation op_;
  operation_rules rules_;
};

}  // namespace

operation_table read_operations(json::value const& document, schema_set& schemas) {
  operation_table table;
  std::set<std::string, std::less<>> ids;
  for (auto const& [path, item] : document.at("paths").get_object()) {
    for (auto const& [method, source] : item.get_object()) {
      if (method == "parameters") continue;
      operation_reader(document, schemas, path, method).read(item.get_object(), source.get_object(), table);
      std::string const id(source.at("operationId").get_string());
      if (!ids.insert(id).second) refuse_contract(pointer_path("/paths"), "operationId " + id + " is used twice");
    }
  }
  return table;
}

std::vector<std::string> read_codes(json::value const& list, std::string_view path) {
  std::vector<std::string> codes;
  for (auto const& entry : list.get_array()) {
    if (!errc_of(entry.get_string())) refuse_contract(pointer_path(path), "names an unknown code");
    codes.emplace_back(entry.get_string());
    if (std::count(codes.begin(), codes.end(), codes.back()) > 1)
      refuse_contract(pointer_path(path), "repeats a code");
  }
  return codes;
}

std::vector<std::string_view> split_template(std::string_view path) {
  std::vector<std::string_view> segments;
  while (path.size() > 1) {
    path.remove_prefix(1);
    auto const end = std::min(path.find('/'), path.size());
    segments.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return segments;
}

}  // namespace svc::http
