#pragma once

#include "cli/http/message.hpp"
#include "cli/settings/settings.hpp"

#include <curl/curl.h>

#include <string>

namespace svc::cli {

/// Header fields in libcurl's form. Their memory is wiped by the destructor, because one of them holds the
/// credential; it must outlive the transfer.
class field_list {
 public:
  field_list() = default;
  ~field_list();
  field_list(field_list const&) = delete;
  field_list& operator=(field_list const&) = delete;

  void add(std::string const& line);
  curl_slist* get() const { return head_; }

 private:
  curl_slist* head_ = nullptr;
};

/// Throws `std::runtime_error` if libcurl does not take an option: none of them may silently not hold.
void require_option(CURLcode taken);

/// What holds for every transfer: HTTP/1.1 alone, TLS 1.2 and up, verification, no redirects, netrc, cookies or
/// environment.
void set_rules(CURL* easy, settings const& settings);
/// `proxy`: its URL, empty: none.
void set_proxy(CURL* easy, std::string const& proxy);
/// Address, method, fields and body; `r` and `fields` must outlive the transfer. The trace of the environment goes
/// with each request that names none itself.
void set_request(CURL* easy, settings const& settings, request const& r, secret_string const* bearer,
                 field_list& fields);

}  // namespace svc::cli
