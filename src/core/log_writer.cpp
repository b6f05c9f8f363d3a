#include "core/log_writer.hpp"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace svc::log {
namespace {

/// How long a line may wait for company. A person does not notice it; under load one write carries hundreds.
constexpr std::chrono::milliseconds gathering{10};
/// Written at once from here on; also what a buffer keeps when it is empty.
constexpr std::size_t full = 256 * 1024;
/// A descriptor that stalls costs lines, not memory.
constexpr std::size_t most_waiting = 4 * 1024 * 1024;

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    auto const n = ::write(descriptor, bytes.data(), bytes.size());
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (errno == EAGAIN) {
      pollfd writable{descriptor, POLLOUT, 0};
      ::poll(&writable, 1, -1);
    } else if (errno != EINTR) {
      return;  // nowhere to say so
    }
  }
}

}  // namespace

log_writer::log_writer(int descriptor) : descriptor_(descriptor), thread_(&log_writer::run, this) {}

log_writer::~log_writer() {
  {
    std::lock_guard const lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void log_writer::add(std::string_view line) {
  bool tell = false;
  {
    std::lock_guard const lock(mutex_);
    auto const before = waiting_.size();
    if (before + line.size() >= most_waiting) {
      ++dropped_;
      return;
    }
    waiting_.append(line).push_back('\n');
    // Only who begins a batch or fills it wakes the writer.
    tell = before == 0 || (before < full && waiting_.size() >= full);
  }
  if (tell) wake_.notify_one();
}

void log_writer::run() {
  std::string batch;
  bool last = false;
  while (!last) {
    std::size_t dropped = 0;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
      wake_.wait_for(lock, gathering, [this] { return stopping_ || waiting_.size() >= full; });
      batch.swap(waiting_);
      dropped = std::exchange(dropped_, 0);
      last = stopping_;
    }
    if (dropped > 0) {
      batch += R"({"level":"warn","message":"log lines were dropped","count":)" + std::to_string(dropped) + "}\n";
    }
    write_all(descriptor_, batch);
    batch.clear();
    if (batch.capacity() > full) batch.shrink_to_fit();
  }
}

}  // namespace svc::log
