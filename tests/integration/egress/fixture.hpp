#pragma once

#include "integration/egress/dns_server.hpp"
#include "integration/egress/http_server.hpp"
#include "support/run_task.hpp"
#include "support/temporary_directory.hpp"
#include "svc/egress/http/http_client.hpp"

#include <doctest/doctest.h>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>

#include <map>

namespace svc::egress {

using namespace std::chrono_literals;
using namespace svc::test;

inline resolver_settings asking(std::initializer_list<int> ports) {
  resolver_settings out;
  for (int const port : ports)
    out.servers.push_back({*ip_address::parse("127.0.0.1"), static_cast<std::uint16_t>(port)});
  out.patience = 5s;
  return out;
}

/// Names and their addresses; all others are unknown.
inline dns_server::script knowing(std::map<std::string, std::vector<std::string>> names) {
  return [names = std::move(names)](dns_question const& q) {
    auto const found = names.find(q.name);
    if (found == names.end()) return dns_script{.rcode = q.name.empty() ? 0 : 3};
    return dns_addresses(q, found->second);
  };
}

/// 127.0.0.1 is open; 127.0.0.2 and ::1, where nothing may arrive, are not.
inline std::shared_ptr<address_policy const> loopback_policy() {
  return std::make_shared<address_policy const>(std::vector{*cidr::parse("127.0.0.1/32")});
}

/// A worker of one test, and its client. `*.test` is 127.0.0.1 unless a script says otherwise.
struct egress_fixture {
  explicit egress_fixture(dns_server::script names = knowing({{"a.test", {"127.0.0.1"}},
                                                              {"b.test", {"127.0.0.1"}},
                                                              {"inside.test", {"127.0.0.2"}},
                                                              {"inside6.test", {"::1"}}}),
                          std::string const& authorities = {})
      : dns(std::move(names)),
        trust(std::make_shared<trust_store const>(std::initializer_list<std::string>{authorities})) {}

  http_answer fetch(http_request request, milliseconds within = 10s) {
    return run_task(io, client.fetch(std::move(request), deadline::after(within)));
  }
  http_answer get(std::string const& url, milliseconds within = 10s) {
    return fetch({.url = parse_http_url(url).value()}, within);
  }
  std::string code_of_get(std::string const& url, milliseconds within = 10s) {
    return std::string(code_of(get(url, within).error));
  }

  dns_server dns;
  std::shared_ptr<trust_store const> trust;
  asio::io_context io{1};
  resolver names{io, asking({dns.port()})};
  http_client client{io, names, loopback_policy(), trust, {.user_agent = "checks/1"}};
};

/// The answers of several requests that run at the same time.
inline std::vector<http_answer> fetch_all(egress_fixture& fixture, std::vector<http_request> const& all,
                                          milliseconds within) {
  std::vector<http_answer> out(all.size());
  std::size_t left = all.size();
  for (std::size_t i = 0; i < all.size(); ++i)
    asio::co_spawn(fixture.io, fixture.client.fetch(all[i], deadline::after(within)),
                   [&out, &left, i](std::exception_ptr, http_answer got) { out[i] = std::move(got), --left; });
  fixture.io.restart();
  while (left > 0 && fixture.io.run_one() > 0) {
  }
  return out;
}

/// A GET of that URL.
inline http_request to(std::string const& url) {
  return {.url = parse_http_url(url).value()};
}

/// True if a request has that line: its first one, or a field.
inline bool has_line(std::string const& request, std::string_view line) {
  return request.starts_with(line) || request.find("\r\n" + std::string(line) + "\r\n") != std::string::npos;
}

}  // namespace svc::egress
