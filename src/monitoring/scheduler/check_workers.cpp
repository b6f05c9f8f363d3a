#include "svc/monitoring/scheduler/check_workers.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace svc::scheduler {

check_workers::check_workers(check_worker_parts const& parts, int number) {
  for (int i = 0; i < number; ++i) workers_.push_back(std::make_unique<check_worker>(parts, i));
}

void check_workers::start() {
  for (auto& worker : workers_) worker->start();
}

void check_workers::follow(postgres::primary_server const& where) {
  for (auto& worker : workers_) worker->follow(where);
}

void check_workers::drain() {
  for (auto& worker : workers_) worker->drain();
}

bool check_workers::finished() const {
  return std::ranges::all_of(workers_, [](auto const& worker) { return worker->finished(); });
}

void check_workers::join() {
  for (auto& worker : workers_) worker->join();
}

task<result<check_report>> check_workers::test(check_order order, deadline until) {
  if (workers_.empty())
    co_return error(errc::unavailable, "This instance makes no checks (checks.workers); ask another one.");
  auto& worker = *workers_[next_++ % workers_.size()];
  if (worker.finished()) co_return errc::overloaded;
  co_return co_await worker.test(std::move(order), until);
}

std::vector<watched_thread> check_workers::watched() {
  std::vector<watched_thread> all;
  for (auto& worker : workers_) std::ranges::move(worker->watched(), std::back_inserter(all));
  return all;
}

}  // namespace svc::scheduler
