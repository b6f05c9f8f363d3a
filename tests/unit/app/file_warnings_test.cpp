#include "app/configuration/file_warnings.hpp"

#include "app/configuration/configuration.hpp"
#include "app/dev/certificates.hpp"
#include "unit/app/load_text.hpp"

#include <doctest/doctest.h>
#include <sys/stat.h>

namespace svc::app {
namespace {

using test::temporary_directory;

TEST_CASE("a file that every user may read or change is named with the command that mends it") {
  temporary_directory const dir;
  auto const file = dir.write("key", "x");
  struct {
    mode_t mode;
    std::string expected;
  } const cases[] = {{0600, ""},     {0640, ""},        {0660, ""},
                     {0644, "read"}, {0642, "changed"}, {0666, "read and changed"}};
  for (auto const& c : cases) {
    CAPTURE(c.mode);
    REQUIRE(::chmod(file.c_str(), c.mode) == 0);
    CHECK(warn_of_readers(file) ==
          (c.expected.empty() ? ""
                              : file + " can be " + c.expected + " by every user of this machine: chown root:svcd " +
                                    file + " && chmod 0640 " + file));
  }
  CHECK(warn_of_readers(dir.path() + "/none").empty());
}

TEST_CASE("a certificate is reported before its start, within its last week and after its end") {
  temporary_directory const dir;
  auto const file = dev::ensure_certificates(dir.path() + "/tls").certificate;
  auto const now = system_now();
  auto const days = [now](int count) { return now + std::chrono::hours(24 * count); };
  CHECK(warn_of_certificate(file, now).empty());
  CHECK(warn_of_certificate(file, days(-1000)).find(file + " is not valid before ") == 0);
  CHECK(warn_of_certificate(file, days(10'000)).find(file + " expired at ") == 0);
  // The first day with a warning is a week before the end, so the warning of that day names an end within a week.
  int day = 0;
  while (day < 10'000 && warn_of_certificate(file, days(day)).empty()) ++day;
  CHECK(warn_of_certificate(file, days(day)).find(file + " expires at ") == 0);
  CHECK(warn_of_certificate(file, days(day + 5)).find(file + " expires at ") == 0);
  CHECK(warn_of_certificate(file, days(day + 7)).find(file + " expired at ") == 0);
  CHECK(warn_of_certificate(dir.write("other", "no PEM"), now).empty());
  CHECK(warn_of_certificate(dir.path() + "/none", now).empty());
}

TEST_CASE("a configuration file with a password that every user may read is reported, another one is not") {
  temporary_directory const dir;
  struct {
    std::string text;
    bool secret;
  } const cases[] = {{"workers = 2\n", false},
                     {"[redis]\npassword = 'x'\n", true},
                     {"[redis]\npassword = ''\n", false},
                     {"[redis]\nurl = 'redis://:secret@h'\n", true},
                     {"[redis]\nurl = 'redis://h/0'\n", false},
                     {"[postgres]\nurl = 'postgresql://u@h/d'\n", false},
                     {"[postgres]\nurl = 'postgresql://u:p@h/d'\n", true},
                     {"[postgres]\nurl = 'host=h password=p'\n", true},
                     {"public_url = 'https://a:8443/b@c'\n", false}};
  auto const file = dir.write("svcd.toml", "");
  for (auto const& c : cases) {
    CAPTURE(c.text);
    REQUIRE(::chmod(file.c_str(), 0644) == 0);
    CHECK(names(load_text(dir, c.text).warnings, "can be read by every user") == c.secret);
    REQUIRE(::chmod(file.c_str(), 0640) == 0);
    CHECK(load_text(dir, c.text).warnings.empty());
  }
}

TEST_CASE("check-config reports an open master key and an admin listener on all addresses") {
  temporary_directory const dir;
  configuration values;
  values.master_key_file = dir.write("master.key", "x");
  REQUIRE(::chmod(values.master_key_file.c_str(), 0600) == 0);
  CHECK(warn_of_exposure(values).empty());
  REQUIRE(::chmod(values.master_key_file.c_str(), 0666) == 0);
  CHECK(names(warn_of_exposure(values), "master_key_file: " + values.master_key_file + " can be read and changed"));
  for (auto const* const address : {"0.0.0.0:9464", "[::]:9464"}) {
    values.admin.address = address;
    CHECK(names(warn_of_exposure(values), "admin.address: " + values.admin.address));
  }
}

}  // namespace
}  // namespace svc::app
