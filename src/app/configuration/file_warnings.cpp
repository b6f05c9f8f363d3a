// Warnings about files that can be used, but should be changed: certificates and the rights of files with secrets.

#include "app/configuration/file_warnings.hpp"

#include "app/configuration/configuration.hpp"

#include <openssl/bio.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>

#include <chrono>
#include <memory>

namespace svc::app {
namespace {

/// The alert `CertificateEnds` has the same number.
constexpr std::chrono::hours expires_soon{7 * 24};

std::optional<timestamp> time_of(ASN1_TIME const* time) {
  std::tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return std::nullopt;
  return timestamp{timegm(&parts) * std::int64_t{1'000'000}};
}

/// Returns true if a user or a connection string of the value has a password. Total.
bool has_password(std::string_view text) {
  if (text.find("password=") != std::string_view::npos) return true;
  auto const scheme = text.find("://");
  if (scheme == std::string_view::npos) return false;
  auto const authority = text.substr(scheme + 3, text.find_first_of("/?#", scheme + 3) - (scheme + 3));
  auto const sign = authority.rfind('@');
  return sign != std::string_view::npos && authority.substr(0, sign).find(':') != std::string_view::npos;
}

}  // namespace

std::string warn_of_readers(std::string const& file) {
  struct stat about{};
  if (::stat(file.c_str(), &about) != 0 || (about.st_mode & (S_IROTH | S_IWOTH)) == 0) return {};
  auto const* const rights = (about.st_mode & S_IWOTH) == 0   ? "read"
                             : (about.st_mode & S_IROTH) == 0 ? "changed"
                                                              : "read and changed";
  return file + " can be " + rights + " by every user of this machine: chown root:svcd " + file + " && chmod 0640 " +
         file;
}

std::string warn_of_certificate(std::string const& file, timestamp now) {
  std::unique_ptr<BIO, decltype(&BIO_free)> const text(BIO_new_file(file.c_str(), "r"), &BIO_free);
  if (!text) return {};
  std::unique_ptr<X509, decltype(&X509_free)> const certificate(
      PEM_read_bio_X509(text.get(), nullptr, nullptr, nullptr), &X509_free);
  if (!certificate) return {};
  auto const start = time_of(X509_get0_notBefore(certificate.get()));
  auto const end = time_of(X509_get0_notAfter(certificate.get()));
  if (!start || !end) return {};
  if (now < *start)
    return file + " is not valid before " + to_rfc3339(*start) +
           ": clients refuse the connection until then; check the clock of this machine";
  if (*end < now)
    return file + " expired at " + to_rfc3339(*end) + ": clients refuse the connection; renew the certificate";
  if (*end < now + expires_soon)
    return file + " expires at " + to_rfc3339(*end) + ": clients refuse the connection then; renew the certificate";
  return {};
}

bool holds_secret(raw_value const& value) {
  if (value.type != value_type::text || value.text.empty()) return false;
  if (value.name.ends_with("password")) return true;
  return value.name.ends_with("url") && has_password(value.text);
}

std::vector<std::string> warn_of_exposure(configuration const& values) {
  std::vector<std::string> out;
  if (auto const readers = warn_of_readers(values.master_key_file); !readers.empty())
    out.push_back("master_key_file: " + readers);
  std::string_view const admin = values.admin.address;
  if (admin.starts_with("0.0.0.0:") || admin.starts_with("[::]:"))
    out.push_back("admin.address: " + values.admin.address +
                  " shows /metrics and the state of the service to everybody who reaches this port; use an address "
                  "that only your monitoring reaches, or a firewall");
  return out;
}

}  // namespace svc::app
