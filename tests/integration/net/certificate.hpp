#pragma once

#include "support/temporary_directory.hpp"
#include "support/throwaway_ca.hpp"

#include <string>

namespace svc::test {

/// A certificate for `localhost` and its key as PEM files in a separate directory, which is deleted with this object.
struct certificate {
  temporary_directory directory{};
  throwaway_ca pem = make_throwaway_ca("DNS:localhost,IP:127.0.0.1");
  std::string certificate_file = directory.write("certificate.pem", pem.certificate);
  std::string key_file = directory.write("key.pem", pem.key);
};

}  // namespace svc::test
