#pragma once

#include <string>

namespace svc::app::dev {

/// PEM files of our own authority and of the server, inside one directory.
struct certificate_files {
  std::string authority;      ///< what clients trust
  std::string authority_key;  ///< owner only
  std::string certificate;
  std::string key;  ///< owner only
};

/// Makes missing files and renews those that expire soon: EC P-256; the server is `localhost`, 127.0.0.1 and ::1.
/// Throws `std::runtime_error` when the directory cannot be written.
certificate_files ensure_certificates(std::string const& directory);

}  // namespace svc::app::dev
