#include "api/cors.hpp"

#include <algorithm>

namespace svc::api {
namespace {

constexpr std::string_view exposed =
    "ETag, Idempotent-Replayed, Link, Location, RateLimit, RateLimit-Policy, Retry-After, WWW-Authenticate, "
    "X-RateLimit-Limit, X-RateLimit-Remaining, X-RateLimit-Reset, X-Request-Id";
constexpr std::string_view accepted =
    "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, Prefer, X-Request-Id";
/// Chromium keeps none for longer than two hours.
constexpr std::string_view kept_seconds = "7200";

/// The configured origin that asks, or nothing.
std::string_view origin_of(http::request const& head, std::vector<std::string> const& origins) {
  auto const asking = head.find("Origin");
  if (!asking || head.count("Origin") != 1) return {};
  auto const found = std::find(origins.begin(), origins.end(), *asking);
  return found == origins.end() ? std::string_view() : std::string_view(*found);
}

/// A cache must not give one origin's answer to another.
void vary_by_origin(http::response& out) {
  auto const found =
      std::find_if(out.fields.begin(), out.fields.end(), [](auto const& f) { return f.first == "Vary"; });
  if (found == out.fields.end()) {
    out.set("Vary", "Origin");
  } else {
    found->second += ", Origin";
  }
}

}  // namespace

void set_cors_fields(http::request const& head, std::vector<std::string> const& origins, http::response& out) {
  if (origins.empty()) return;
  vary_by_origin(out);
  auto const origin = origin_of(head, origins);
  if (origin.empty()) return;
  out.set("Access-Control-Allow-Origin", std::string(origin));
  out.set("Access-Control-Expose-Headers", std::string(exposed));
}

void set_preflight_fields(http::request const& head, std::vector<std::string> const& origins,
                          std::string_view methods, http::response& out) {
  if (!head.find("Access-Control-Request-Method") || origin_of(head, origins).empty()) return;
  out.set("Access-Control-Allow-Methods", std::string(methods));
  out.set("Access-Control-Allow-Headers", std::string(accepted));
  out.set("Access-Control-Max-Age", std::string(kept_seconds));
}

}  // namespace svc::api
