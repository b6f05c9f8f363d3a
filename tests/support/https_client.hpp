#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::support {

using header_list = std::vector<std::pair<std::string, std::string>>;

/// A response as received; header names in lower case.
struct answer {
  int status = 0;
  header_list headers{};
  std::string body{};

  std::optional<std::string> header(std::string_view name) const;
  /// The header as a number; throws, and so fails the test, when it is missing or not a number.
  long long number(std::string_view name) const;
};

constexpr std::chrono::seconds usual_patience{10};

/// A blocking HTTP/1.1 client over one keep-alive TLS connection, verified against a CA file. Reconnects by
/// itself when the server closed between two requests. One thread at a time. Throws `std::runtime_error` when
/// the connection fails or `patience` passes without a byte.
class https_client {
 public:
  /// `url`: `https://ADDR:PORT`, or `http://ADDR:PORT` (plain; `ca_file` is not used). `unix:/PATH` may replace
  /// ADDR:PORT.
  https_client(std::string url, std::string ca_file, std::chrono::seconds patience = usual_patience);
  ~https_client();
  https_client(https_client&&) noexcept;
  https_client& operator=(https_client&&) noexcept;

  answer request(std::string_view method, std::string_view target, header_list const& headers = {},
                 std::string_view body = {});
  /// Sends the bytes as they are; reads one response.
  answer raw(std::string_view bytes, bool head = false);
  /// Sends a request on a new connection and reads the head of its answer; the body may arrive as long as this lives.
  answer open_stream(std::string_view bytes);
  /// Sends several requests in one write; returns the first `wanted` answers in order, fewer if the server closes
  /// earlier.
  std::vector<answer> pipelined(std::string_view bytes, std::size_t wanted);
  void close();

 private:
  struct connection;
  void connect();
  answer read_answer(bool head);
  answer read_head();
  void need(std::function<bool()> const& enough);

  std::string url_, ca_file_;
  std::chrono::seconds patience_;
  std::unique_ptr<connection> connection_;
};

/// An API client with a token: JSON bodies, bearer header.
class api_client {
 public:
  api_client(std::string url, std::string ca_file, std::string token, std::chrono::seconds patience = usual_patience)
      : http_(std::move(url), std::move(ca_file), patience), token_(std::move(token)) {}

  answer get(std::string_view target) { return call("GET", target); }
  answer post(std::string_view target, std::string_view body = {}) { return call("POST", target, body); }
  answer patch(std::string_view target, std::string_view body) { return call("PATCH", target, body); }
  answer del(std::string_view target) { return call("DELETE", target); }
  answer call(std::string_view method, std::string_view target, std::string_view body = {}, header_list more = {});

  void use(std::string token) { token_ = std::move(token); }
  std::string const& token() const { return token_; }
  https_client& http() { return http_; }

 private:
  https_client http_;
  std::string token_;
};

}  // namespace svc::support
