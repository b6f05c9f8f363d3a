#pragma once

#include "cli/http/message.hpp"
#include "cli/settings/settings.hpp"

#include <curl/curl.h>

#include <string>

namespace svc::cli {

/// Header fields in libcurl's form. The destructor wipes their memory, because one of them holds the credential. The
/// list must outlive the transfer.
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

/// Throws `std::runtime_error` if libcurl rejects an option, because no option may silently have no effect.
void require_option(CURLcode taken);

/// Sets the options of every transfer: only HTTP/1.1, TLS 1.2 and up, verification, no redirects, netrc, cookies or
/// environment.
void set_rules(CURL* easy, settings const& settings);
/// `proxy` is the proxy's URL; empty: none.
void set_proxy(CURL* easy, std::string const& proxy);
/// Sets address, method, fields and body; `r` and `fields` must outlive the transfer. Each request without a trace of
/// its own gets the trace of the environment.
void set_request(CURL* easy, settings const& settings, request const& r, secret_string const* bearer,
                 field_list& fields);

}  // namespace svc::cli
