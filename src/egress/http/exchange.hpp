#pragma once

#include "egress/http/certificate.hpp"
#include "egress/http/curl_failure.hpp"
#include "egress/http/gzip_body.hpp"
#include "egress/http/redirect.hpp"
#include "svc/core/received_codings.hpp"
#include "svc/egress/http/http_client.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace svc::egress {

/// One request and its answer: libcurl's easy handle with everything that it points to, and the data from its
/// callbacks. Worker-local; it does not move and outlives its transfer.
class exchange {
 public:
  /// `addresses` have passed the policy. `request`, `hop` and `policy` outlive the exchange. Throws
  /// `std::runtime_error` if libcurl does not accept an option.
  exchange(http_request const& request, http_hop const& hop, std::vector<ip_address> const& addresses,
           address_policy const& policy, std::shared_ptr<trust_store const> const& trust,
           std::string const& user_agent);
  ~exchange();
  exchange(exchange const&) = delete;
  exchange& operator=(exchange const&) = delete;

  /// Sends no request: the transfer ends once a connection exists, with TLS if the URL requires it. Must be called
  /// before `begin`.
  void only_connect();
  /// Returns the connection's socket after a successful end. The socket is valid until this object is destroyed,
  /// which closes it.
  curl_socket_t socket() const;
  /// Returns the number of bytes written, or `std::nullopt` if the socket is not ready. A negative number:
  /// the connection has ended.
  std::optional<std::ptrdiff_t> write(std::string_view bytes);
  /// Like `write`; 0: the peer has closed the connection.
  std::optional<std::ptrdiff_t> read(std::span<char> into);

  /// True if the request can be sent at all; checked before `begin`.
  bool usable() const { return usable_; }
  CURL* easy() const { return easy_; }
  /// Starts the time of the exchange. libcurl divides the time among the addresses.
  void begin(steady::duration left);

  http_phase phase() const;
  /// Addresses that libcurl did not connect to because the gate had no permit for them.
  std::vector<ip_address> const& held_back() const { return held_back_; }
  /// Returns how libcurl ended the transfer. The text is valid as long as this object.
  curl_end end_of(CURLcode code) const;
  /// Moves the received data into `answer`, and adds the times.
  void report(http_answer& answer);

 private:
  static std::size_t take_head(char* bytes, std::size_t unit, std::size_t size, void* self) noexcept;
  static std::size_t take_body(char* bytes, std::size_t unit, std::size_t size, void* self) noexcept;
  static int before_resolving(void* state, void* reserved, void* self) noexcept;
  static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address) noexcept;
  static int before_request(void* self, char* peer, char* local, int peer_port, int local_port) noexcept;
  static CURLcode set_up_tls(CURL* easy, void* context, void* self) noexcept;

  void set_rules();
  void set_place(std::vector<ip_address> const& addresses);
  void set_request(std::string const& user_agent);
  void set_tls();
  void set_callbacks();
  std::size_t take_line(std::string_view line);
  std::size_t take_part(std::string_view part);
  std::size_t take_gzip(std::string_view part);
  /// Ends the transfer as `http_invalid`. Returns the value that makes libcurl close the connection.
  std::size_t refuse(std::string_view fault);

  http_request const& request_;
  http_hop const& hop_;
  address_policy const& policy_;
  certificate_check check_;
  bool usable_ = true;

  CURL* easy_;
  CURLSH* share_;
  curl_slist* pinned_ = nullptr;
  curl_slist* lines_ = nullptr;
  std::array<char, CURL_ERROR_SIZE> text_{};

  // These times are measured here, because libcurl 7.88 knows the end of the TCP handshake only after the TLS
  // handshake.
  steady::time_point begun_{};
  std::optional<steady::time_point> connected_, ready_, answered_;

  std::size_t head_bytes_ = 0;
  bool head_complete_ = false, head_too_large_ = false, truncated_ = false;
  bool blocked_ = false;
  std::vector<ip_address> held_back_{};
  std::vector<std::pair<std::string, std::string>> fields_;
  received_codings codings_;
  std::string_view fault_;  ///< reason why the answer is refused; static text
  std::optional<gzip_body> gzip_;
  std::string body_;
};

}  // namespace svc::egress
