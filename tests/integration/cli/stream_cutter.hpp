#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace svc::test {

/// A plain HTTP proxy between `svc` and instances of the service: each connection is forwarded to the first instance
/// that accepts it. Streams of events are cut after a number of bytes, and the pause that the service asks for before
/// the next connection becomes ten milliseconds. Owns a thread; ends with its destructor.
class stream_cutter {
 public:
  /// `targets`: `ADDRESS:PORT`; `cut_after`: bytes of an answer, 0: no cut.
  stream_cutter(std::vector<std::string> targets, std::size_t cut_after);
  ~stream_cutter();
  stream_cutter(stream_cutter const&) = delete;
  stream_cutter& operator=(stream_cutter const&) = delete;

  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Streams that were cut.
  int cuts() const { return cuts_; }

 private:
  struct connection;

  void run();
  void accept_one();
  bool forward(connection& which, bool from_client);

  std::vector<std::string> targets_;
  std::size_t cut_after_;
  int listener_ = -1;
  int port_ = 0;
  std::vector<std::unique_ptr<connection>> connections_{};
  std::atomic<bool> over_ = false;
  std::atomic<int> cuts_ = 0;
  std::thread thread_;
};

}  // namespace svc::test
