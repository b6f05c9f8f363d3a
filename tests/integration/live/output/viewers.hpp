#pragma once

#include "svc/core/deadline.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace svc::test {

/// Reads a stream over TLS without blocking. Keeps what it has read as a count, not as text.
class viewer {
 public:
  viewer(SSL_CTX* context, std::string const& url, std::string const& request);
  ~viewer();
  viewer(viewer const&) = delete;
  viewer& operator=(viewer const&) = delete;

  /// Reads the available data.
  void read();
  /// Counts heartbeats from now on; what was sent before does not count.
  void drop_pings() {
    read();
    pings = 0;
  }
  int descriptor() const { return descriptor_; }
  bool closed() const { return closed_; }

  int status = 0;
  std::string last_id{};       ///< of the last complete event
  std::string final_status{};  ///< of `complete`
  long lines = 0;              ///< that arrived in order, each once
  long pings = 0;
  std::string complaint{};            ///< about the first line that did not
  std::vector<std::string> others{};  ///< names of events except console, in order
  std::vector<std::string> data{};    ///< of the same events

 private:
  void understand();
  void event(std::string_view text);

  int descriptor_ = -1;
  SSL* tls_ = nullptr;
  std::string input_{};  ///< the incomplete event at the end
  bool in_body_ = false;
  std::size_t chunk_ = 0;  ///< bytes left of the chunk
  std::string body_{};
  bool closed_ = false;
};

/// Any number of viewers, read by one thread.
class audience {
 public:
  explicit audience(std::string const& ca_file);
  ~audience();
  audience(audience const&) = delete;
  audience& operator=(audience const&) = delete;

  viewer& add(std::string const& url, std::string const& run, std::string const& token,
              std::string const& last_id = {});
  /// Sends this request, which has all of its lines.
  viewer& ask(std::string const& url, std::string const& request) {
    return *viewers_.emplace_back(std::make_unique<viewer>(context_, url, request));
  }
  std::vector<std::unique_ptr<viewer>>& all() { return viewers_; }
  /// Reads until `enough` for all of them; false when `patience` is over first.
  bool read_until(std::function<bool(viewer const&)> const& enough,
                  std::chrono::seconds patience = std::chrono::seconds(30));

 private:
  SSL_CTX* context_;
  std::vector<std::unique_ptr<viewer>> viewers_{};
};

}  // namespace svc::test
