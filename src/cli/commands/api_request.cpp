#include "cli/commands/api_request.hpp"

#include "cli/commands/trigger_request.hpp"
#include "cli/console/failure.hpp"
#include "svc/core/ascii.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/uuid.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace svc::cli {
namespace {

std::string method_of(std::string const& text) {
  constexpr std::array<std::string_view, 7> methods{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"};
  auto out = text;
  for (auto& c : out)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  if (std::find(methods.begin(), methods.end(), out) == methods.end())
    throw bad_usage("'" + text + "' is not a method.", "Use GET, HEAD, POST, PUT, PATCH, DELETE or OPTIONS.");
  return out;
}

/// Returns true for dot segments. Percent-encoding may hide dots, and a server may decode twice.
bool is_dots(std::string_view segment) {
  std::string plain;
  for (std::size_t i = 0; i < segment.size(); ++i) {
    auto const encoded = lower_case(segment.substr(i, 3));
    if (encoded == "%25") return true;
    bool const dot = encoded == "%2e";
    plain += dot ? '.' : segment[i];
    if (dot) i += 2;
  }
  return plain == "." || plain == "..";
}

/// Returns the problem with a target; empty: none. The target has a path and a query (RFC 3986), already
/// percent-encoded.
std::string_view problem_of(std::string_view target) {
  if (!target.starts_with('/')) return "must begin with /";
  if (target.starts_with("//")) return "must not begin with //";
  if (std::any_of(target.begin(), target.end(), [](char c) { return c <= ' ' || c >= '\x7f' || c == '\\'; }))
    return "must be percent-encoded: it contains a space, a backslash or a character beyond ASCII";
  if (target.find('#') != std::string_view::npos) return "must not contain a fragment (#)";
  auto path = target.substr(0, target.find('?'));
  while (!path.empty()) {
    path.remove_prefix(1);
    auto const segment = path.substr(0, path.find('/'));
    if (is_dots(segment)) return "must not contain . or .. as a segment, nor %25";
    path.remove_prefix(segment.size());
  }
  return {};
}

void add_field(request& request, std::string const& given) {
  constexpr std::array<std::string_view, 9> ours{
      "authorization", "proxy-authorization", "connection", "content-length", "cookie", "expect",
      "host",          "transfer-encoding",   "te"};
  auto const colon = given.find(':');
  auto const name = given.substr(0, colon);
  if (colon == std::string::npos || !is_token(name)) throw bad_usage("A header field is written as 'Name: value'.");
  if (std::find(ours.begin(), ours.end(), lower_case(name)) != ours.end())
    throw bad_usage("svc sets the field " + name + " itself.",
                    "The credential comes from SERVICE_TOKEN or svc login, never from an argument.");
  auto const first = given.find_first_not_of(" \t", colon + 1);
  auto const value = first == std::string::npos ? std::string() : given.substr(first);
  if (std::any_of(value.begin(), value.end(), [](char c) { return (c >= 0 && c < ' ' && c != '\t') || c == '\x7f'; }))
    throw bad_usage("The field " + name + " contains a control character.");
  request.fields.emplace_back(name, value);
}

std::string object_of_members(std::vector<std::string> const& members) {
  boost::json::object out;
  for (auto const& each : members) {
    auto const sign = each.find('=');
    if (sign == std::string::npos || sign == 0) throw bad_usage("--field is written as name=value.");
    out[each.substr(0, sign)] = boost::json::string(each.substr(sign + 1));
  }
  return boost::json::serialize(out);
}

}  // namespace

request api_request(api_arguments const& given) {
  request out{.method = method_of(given.method), .target = given.target};
  if (auto const problem = problem_of(given.target); !problem.empty())
    throw bad_usage("The path " + std::string(problem) + ".",
                    "Write the part after the service's address: /api/jobs?limit=5");
  for (auto const& field : given.fields) add_field(out, field);
  if (given.body && !given.members.empty()) throw bad_usage("--data and --field exclude each other.");
  if (!given.members.empty()) out.body = object_of_members(given.members);
  if (given.body) out.body = given.body;
  if (out.body && (out.method == "GET" || out.method == "HEAD"))
    throw bad_usage("A " + out.method + " request has no body.", "Write parameters into the path: /api/jobs?limit=5");
  if (given.idempotency_key) {
    check_idempotency_key(*given.idempotency_key);
    add_field(out, "Idempotency-Key: " +
                       (given.idempotency_key == "auto" ? uuid::generate_v7().to_string() : *given.idempotency_key));
  }
  return out;
}

}  // namespace svc::cli
