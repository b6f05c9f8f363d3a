// Tests the errors that can end any request: unreadable heads, paths and methods that do not exist, our own bugs.
#include "contract/provoker.hpp"

#include <algorithm>

namespace svc::test {
namespace {

/// Returns the head of the operation's request: `line` follows the method, `more` follows Host.
std::string head_of(request const& r, std::string const& line, std::string const& more) {
  auto const credential = r.token.empty() ? "" : "Authorization: Bearer " + r.token + "\r\n";
  return r.method + " " + line + "\r\nHost: x\r\n" + credential + more + "\r\n";
}

provoker unreadable(contract_fixture& s, std::string code, std::string mode,
                    std::function<std::string(request const&)> const& bytes) {
  return {std::move(code), mode, any_operation, [&s, mode, bytes](http::operation const& op) {
            auto client = s.client();
            return std::vector{attempt{client.raw(bytes(s.good(op))), false, mode}};
          }};
}

void add_unreadable(contract_fixture& s, std::vector<provoker>& out) {
  out.push_back(unreadable(s, "malformed_request", "space in a field name",
                           [](request const& r) { return head_of(r, r.target + " HTTP/1.1", "Bad Name: x\r\n"); }));
  out.push_back(unreadable(s, "malformed_request", "two Hosts",
                           [](request const& r) { return head_of(r, r.target + " HTTP/1.1", "Host: y\r\n"); }));
  out.push_back(unreadable(s, "target_too_long", "9000 bytes", [](request const& r) {
    return head_of(r, r.target + "?x=" + std::string(9000, 'x') + " HTTP/1.1", "");
  }));
  out.push_back(unreadable(s, "head_too_large", "17 KiB", [](request const& r) {
    return head_of(r, r.target + " HTTP/1.1", "X-Long: " + std::string(17 * 1024, 'x') + "\r\n");
  }));
  out.push_back(unreadable(s, "head_too_large", "101 fields", [](request const& r) {
    std::string fields;
    for (int i = 0; i < 101; ++i) fields += "X-" + std::to_string(i) + ": x\r\n";
    return head_of(r, r.target + " HTTP/1.1", fields);
  }));
  out.push_back(unreadable(s, "not_implemented", "gzip", [](request const& r) {
    return head_of(r, r.target + " HTTP/1.1", "Transfer-Encoding: gzip\r\n");
  }));
  out.push_back(unreadable(s, "version_not_supported", "HTTP/2.0",
                           [](request const& r) { return head_of(r, r.target + " HTTP/2.0", ""); }));
}

/// The request counts like any other with the main token.
attempt ask_counted(contract_fixture& s, request r, std::string about) {
  r.token = s.main().token;
  return {s.send(r), true, std::move(about)};
}

std::vector<attempt> play_other_method(contract_fixture& s, http::operation const& op) {
  auto const allowed = s.contract().methods(op);
  std::vector<attempt> out;
  for (std::string const method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    if (std::find(allowed.begin(), allowed.end(), method) != allowed.end()) continue;
    auto r = s.good(op);
    r.method = method;
    r.body.clear();
    out.push_back(ask_counted(s, r, method));
  }
  return out;
}

void configure_failpoints(contract_fixture& s, std::string const& spec) {
  support::https_client admin(s.dev().text("adminUrl"), {});
  auto const got = admin.request("POST", "/debug/failpoints", {}, spec);
  if (got.status != 200) throw std::runtime_error("the contract tests need a build with SVC_FAILPOINTS");
}

}  // namespace

std::vector<provoker> protocol(contract_fixture& s) {
  std::vector<provoker> out;
  add_unreadable(s, out);
  out.push_back({"malformed_request", "dot segment", any_operation, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.target += "/..";
                   return std::vector{ask_counted(s, r, "dot segment")};
                 }});
  out.push_back({"route_not_found", "below the path", any_operation, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.target += "/x/y/z";
                   return std::vector{ask_counted(s, r, r.target)};
                 }});
  out.push_back({"method_not_allowed", "methods", any_operation,
                 [&s](http::operation const& op) { return play_other_method(s, op); }});
  out.push_back({"not_implemented", "method", any_operation, [&s](http::operation const& op) {
                   auto r = s.good(op);
                   r.method = "BREW";
                   return std::vector{ask_counted(s, r, "BREW")};
                 }});
  out.push_back({"internal_error", "failpoint", any_operation, [&s](http::operation const& op) {
                   configure_failpoints(s, "pipeline.before_handler=bug*1");
                   return std::vector{s.ask(op, s.good(op))};
                 }});
  return out;
}

}  // namespace svc::test
