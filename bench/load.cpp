// Closed-loop load over keep-alive TLS 1.3 connections: each sends its next request when the last answer is complete.
// Prints one JSON line: requests, latencies, and CPU microseconds per request of the named roles and of the client.

#include "arguments.hpp"
#include "process_cost.hpp"
#include "tally.hpp"
#include "tls_client.hpp"

#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <deque>

namespace svc::bench {
namespace {

using steady = std::chrono::steady_clock;

constexpr char const* usage =
    "usage: bench_load --name NAME --url https://ADDR:PORT/PATH --ca FILE [--method GET] [--body JSON]\n"
    "  [--requests FILE of METHOD TARGET TOKEN, or SESSION PROJECT] [--idempotency no|yes]\n"
    "  [--header 'Name: value']... [--expect 200] [--connections 64] [--warmup 1] [--seconds 3] [--role "
    "NAME=PID[+]]...\n";

/// The connections and their clocks; one thread, level-triggered epoll.
class driver {
 public:
  driver(arguments const& arguments, workload& work)
      : requests_(work.requests),
        result_(static_cast<int>(arguments.number("expect", 200))),
        poll_(::epoll_create1(EPOLL_CLOEXEC)) {
    auto const count = static_cast<std::size_t>(arguments.number("connections", 64));
    for (std::size_t i = 0; i < count; ++i) {
      auto& c = clients_.emplace_back(work.context.get(), work.where);
      epoll_event event{EPOLLIN, {.ptr = &c}};
      ::epoll_ctl(poll_, EPOLL_CTL_ADD, c.link.descriptor(), &event);
    }
    for (auto& c : clients_) ask(c);
  }
  driver(driver const&) = delete;
  driver& operator=(driver const&) = delete;
  ~driver() { ::close(poll_); }

  void run_until(steady::time_point end) {
    std::array<epoll_event, 64> events;
    while (steady::now() < end) {
      int const ready = ::epoll_wait(poll_, events.data(), static_cast<int>(events.size()), 100);
      for (int i = 0; i < ready; ++i) advance(*static_cast<client*>(events[static_cast<std::size_t>(i)].data.ptr));
    }
  }

  tally& result() { return result_; }

 private:
  struct client {
    client(SSL_CTX* context, address const& where) : link(context, where) {}
    connection link;
    steady::time_point sent;
  };

  void ask(client& c) {
    c.sent = steady::now();
    c.link.send(requests_.next());
  }

  void advance(client& c) {
    auto const status = c.link.receive();
    if (!status) return;
    result_.add(*status, steady::now() - c.sent);
    ask(c);
  }

  request_rotation& requests_;
  tally result_;
  int const poll_;
  std::deque<client> clients_;  // their addresses are epoll's
};

double own_cpu_micros() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  auto const micros = [](timeval const& t) {
    return static_cast<double>(t.tv_sec) * 1e6 + static_cast<double>(t.tv_usec);
  };
  return micros(used.ru_utime) + micros(used.ru_stime);
}

int run(arguments const& arguments) {
  workload work(arguments);
  auto const roles = parse_roles(arguments.all("role"));
  driver load(arguments, work);

  auto const seconds_of = [](double s) {
    return std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(s));
  };
  load.run_until(steady::now() + seconds_of(arguments.number("warmup", 1)));
  load.result().forget();
  std::vector<double> before;
  for (auto const& r : roles) before.push_back(r.cpu_micros());
  auto const own_before = own_cpu_micros();
  auto const start = steady::now();
  load.run_until(start + seconds_of(arguments.number("seconds", 3)));
  auto const took = std::chrono::duration<double>(steady::now() - start).count();

  auto const answers = static_cast<double>(std::max<std::size_t>(load.result().answers(), 1));
  std::string cpu;
  double sum = 0;
  for (std::size_t i = 0; i < roles.size(); ++i) {
    auto const each = (roles[i].cpu_micros() - before[i]) / answers;
    sum += each;
    cpu += '"' + roles[i].name() + "\":" + std::to_string(each) + ',';
  }
  std::printf("{%s,\"client_us\":%.3f,\"cpu_us\":{%s\"sum\":%.3f}}\n",
              load.result().members(arguments.needed("name"), took).c_str(),
              (own_cpu_micros() - own_before) / answers, cpu.c_str(), sum);
  return load.result().verdict("bench_load");
}

}  // namespace
}  // namespace svc::bench

int main(int argc, char** argv) {
  return svc::bench::run_program(argc, argv, "bench_load", svc::bench::usage, svc::bench::run);
}
