#pragma once

#include "svc/domain/monitoring/checks/assertion.hpp"

namespace svc::checks {

/// An answer of JSON over TLS whose certificate is valid for nine days and a bit.
inline answer json_answer() {
  constexpr std::int64_t day = 86'400'000'000;
  answer out;
  out.status = 200;
  out.headers = {{"Content-Type", "application/json"},
                 {"Content-Length", "42"},
                 {"x-two", "a"},
                 {"X-Two", "b"},
                 {"X-Empty", ""}};
  out.body = R"({"s":"text","n":42,"f":1.5,"big":9007199254740993,"number_text":"7","t":true,"z":null,)"
             R"("list":[1,2,3],"o":{"k":"v"},"empty":[],"filler":"---------------------"})";
  out.phases = {.dns_ms = 1, .connect_ms = 2, .tls_ms = 3, .first_byte_ms = 200, .transfer_ms = 43};
  out.response_time_ms = 249;
  out.ip_address = "192.0.2.7";
  out.http_version = "2";
  out.tls = certificate{"CN=issuer", "CN=subject", {0}, {10 * day}, "ab"};
  out.dns_answers = {"192.0.2.9", "192.0.2.1"};
  out.time = {day / 2};
  return out;
}

}  // namespace svc::checks
