#pragma once

#include "egress/http/certificate.hpp"
#include "svc/core/deadline.hpp"
#include "svc/egress/mail/mail_client.hpp"

#include <curl/curl.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <string>

namespace svc::egress {

/// One mail on its own connection: libcurl's easy handle with everything that it points to, and the data from
/// its callbacks. It does not move. One thread runs it; any thread may call `give_up`.
class mail_transaction {
 public:
  mail_transaction(std::shared_ptr<mail_settings const> settings, std::shared_ptr<trust_store const> trust, mail mail,
                   steady::time_point until);
  mail_transaction(mail_transaction const&) = delete;
  mail_transaction& operator=(mail_transaction const&) = delete;

  /// Blocks until the end of the mail, the deadline, or at most a second after `give_up`.
  mail_answer run();
  /// Does the same without the mail: ends when a mail could be sent.
  mail_trial try_session();
  void give_up() { given_up_ = true; }

 private:
  struct free_easy {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  };
  struct free_list {
    void operator()(curl_slist* slist) const { curl_slist_free_all(slist); }
  };

  static std::size_t give_content(char* buffer, std::size_t unit, std::size_t size, void* self) noexcept;
  static std::size_t pass_over(char* bytes, std::size_t unit, std::size_t size, void* self) noexcept;
  static int look_around(void* self, curl_off_t, curl_off_t, curl_off_t, curl_off_t) noexcept;
  static int note_session(void* self, char* peer, char* local, int peer_port, int local_port) noexcept;
  static CURLcode set_up_tls(CURL* easy, void* context, void* self) noexcept;
  static curl_socket_t open_socket(void* self, curlsocktype purpose, curl_sockaddr* address) noexcept;

  CURLcode perform(CURL* easy, milliseconds left);
  void set_server(CURL* easy);
  void set_tls(CURL* easy);
  void set_mail(CURL* easy);
  void set_callbacks(CURL* easy);
  mail_answer answer_of(CURL* easy, CURLcode code) const;

  std::shared_ptr<mail_settings const> settings_;
  mail mail_;
  steady::time_point until_;
  certificate_check check_;
  std::unique_ptr<curl_slist, free_list> recipients_;
  std::array<char, CURL_ERROR_SIZE> text_{};
  std::size_t given_ = 0;
  bool in_session_ = false;
  std::atomic<bool> given_up_ = false;
};

}  // namespace svc::egress
