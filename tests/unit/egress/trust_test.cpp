#include "svc/egress/trust.hpp"
#include "support/temporary_directory.hpp"

#include <doctest/doctest.h>

#include <string>

using svc::egress::trust_store;

TEST_CASE("authorities that cannot be read stop the start, with the file's name") {
  svc::test::temporary_directory files;
  for (auto const& file : {files.path() + "/missing.pem", files.write("odd.pem", "no certificate")}) {
    CAPTURE(file);
    std::string said;
    try {
      trust_store const store({file});
    } catch (std::runtime_error const& e) {
      said = e.what();
    }
    CHECK(said.find(file) != std::string::npos);
  }
  trust_store const none({"", ""});
  CHECK(none.get() != nullptr);
  trust_store const usual({svc::egress::system_authorities, ""});
  CHECK(usual.get() != nullptr);
}
