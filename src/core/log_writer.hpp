#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace svc::log {

/// Writes the lines of all threads to a descriptor on a thread of its own, many in one write. A wake-up and a
/// write for each line would cost a request a fifth of its CPU time. Lines are written whole and in the order of
/// `add`; the destructor writes the waiting lines. The caller owns the descriptor.
class log_writer {
 public:
  explicit log_writer(int descriptor);
  log_writer(log_writer const&) = delete;
  log_writer& operator=(log_writer const&) = delete;
  ~log_writer();

  /// Adds a line without its line end. Never waits for the descriptor: drops lines that do not fit, and logs
  /// their number.
  void add(std::string_view line);
  /// Lines that did not fit since the start. Any thread.
  std::size_t dropped() const { return all_dropped_; }

 private:
  void run();

  int const descriptor_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::string waiting_;  // these three under the mutex
  std::size_t dropped_ = 0;
  bool stopping_ = false;
  std::atomic<std::size_t> all_dropped_{0};
  std::thread thread_;  // last, because it uses the other members
};

}  // namespace svc::log
