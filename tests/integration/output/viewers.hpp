#pragma once

#include "svc/output/output_writer.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

using SSL = struct ssl_st;
using SSL_CTX = struct ssl_ctx_st;

namespace svc::test {

/// One that reads a run's stream over TLS without blocking. What it has heard is kept as a count, not as text.
class viewer {
 public:
  viewer(SSL_CTX* context, std::string const& url, std::string const& request);
  ~viewer();
  viewer(viewer const&) = delete;
  viewer& operator=(viewer const&) = delete;

  /// Reads what is there.
  void read();
  int descriptor() const { return descriptor_; }
  bool closed() const { return closed_; }

  int status = 0;
  std::string last_id{};       ///< of the last whole event
  std::string final_status{};  ///< of `complete`
  long lines = 0;              ///< that came in order, each once
  long beats = 0;
  std::string complaint{};            ///< about the first line that did not
  std::vector<std::string> others{};  ///< names of events but console, in order

 private:
  void understand();
  void event(std::string_view text);

  int descriptor_ = -1;
  SSL* tls_ = nullptr;
  std::string input_{};  ///< what is no whole event yet
  bool in_body_ = false;
  std::size_t chunk_ = 0;  ///< bytes left of it
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
  std::vector<std::unique_ptr<viewer>>& all() { return viewers_; }
  /// Reads until `enough` of all of them; false when `patience` is over before.
  bool read_until(std::function<bool(viewer const&)> const& enough,
                  std::chrono::seconds patience = std::chrono::seconds(30));

 private:
  SSL_CTX* context_;
  std::vector<std::unique_ptr<viewer>> viewers_{};
};

}  // namespace svc::test
