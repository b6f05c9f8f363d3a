// Measures memory per idle connection: opens many keep-alive TLS 1.3 connections, sends one request on each, waits
// until all are idle and prints one JSON line: resident memory of the named roles before, after, and per connection.

#include "arguments.hpp"
#include "process_cost.hpp"
#include "tls_client.hpp"

#include <poll.h>

#include <chrono>
#include <cstdio>
#include <deque>
#include <stdexcept>
#include <thread>

namespace svc::bench {
namespace {

constexpr char const* usage =
    "usage: bench_hold --name NAME --url https://ADDR:PORT/PATH --ca FILE --role NAME=PID[+]\n"
    "  [--header 'Name: value']... [--connections 5000] [--settle 1]\n";

void ask_once(connection& c, std::string_view request) {
  constexpr int patience_millis = 5000;
  c.send(request);
  for (;;) {
    pollfd wanted{c.descriptor(), POLLIN, 0};
    if (::poll(&wanted, 1, patience_millis) != 1) throw std::runtime_error("no answer");
    if (c.receive()) return;
  }
}

int run(arguments const& arguments) {
  workload work(arguments);
  role const role(arguments.needed("role"));
  auto const count = static_cast<std::size_t>(arguments.number("connections", 5000));

  auto const before = role.resident_bytes();
  std::deque<connection> held;
  for (std::size_t i = 0; i < count; ++i)
    ask_once(held.emplace_back(work.context.get(), work.where), work.requests.next());
  // Some memory a server releases only when it is idle.
  std::this_thread::sleep_for(std::chrono::duration<double>(arguments.number("settle", 1)));
  auto const after = role.resident_bytes();
  std::printf(
      "{\"name\":\"%s\",\"connections\":%zu,\"resident_before\":%lld,\"resident_after\":%lld,\"bytes_each\":%lld}\n",
      arguments.needed("name").c_str(), count, static_cast<long long>(before), static_cast<long long>(after),
      static_cast<long long>(after - before) / static_cast<long long>(count));
  return 0;
}

}  // namespace
}  // namespace svc::bench

int main(int argc, char** argv) {
  return svc::bench::run_program(argc, argv, "bench_hold", svc::bench::usage, svc::bench::run);
}
