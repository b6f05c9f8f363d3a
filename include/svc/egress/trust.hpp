#pragma once

#include <initializer_list>
#include <string>

using X509_STORE = struct x509_store_st;  // declared here so that users need no OpenSSL header

namespace svc::egress {

/// Debian's bundle of authorities (package ca-certificates).
inline constexpr char const* system_authorities = "/etc/ssl/certs/ca-certificates.crt";

/// The authorities that certificates are checked against, loaded once and shared by all workers. Immutable.
class trust_store {
 public:
  /// `files` are PEM; empty names are ignored. Throws `std::runtime_error` with the name of an unusable file.
  explicit trust_store(std::initializer_list<std::string> files);
  ~trust_store();
  trust_store(trust_store const&) = delete;
  trust_store& operator=(trust_store const&) = delete;

  X509_STORE* get() const { return store_; }

 private:
  X509_STORE* store_;
};

}  // namespace svc::egress
