#include "support/fleet.hpp"
#include "support/service.hpp"
#include "support/tls_probe.hpp"

#include <doctest/doctest.h>

#include <sys/stat.h>
#include <csignal>
#include <cstdio>

namespace svc::test {
namespace {

constexpr std::string_view keys_loaded = "\"TLS session ticket keys loaded\"";
constexpr std::string_view keys_refused = "\"the TLS session ticket keys cannot be used; those loaded before stay\"";

std::string key_line(char digit) {
  return std::string(160, digit) + "\n";
}

class key_file {
 public:
  void hold(std::string const& text, mode_t mode = 0600) const {
    auto const fresh = directory_.write("keys.new", text);
    REQUIRE(::chmod(fresh.c_str(), mode) == 0);
    REQUIRE(std::rename(fresh.c_str(), path().c_str()) == 0);
  }
  std::string path() const { return directory_.path() + "/keys"; }
  std::vector<std::string> environment() const { return {"SVC_TLS_TICKET_KEYS_FILE=" + path()}; }

 private:
  temporary_directory directory_;
};

TEST_CASE("a session of instance 1 resumes on instance 2, also while the ticket keys rotate") {
  key_file file;
  file.hold(key_line('1'));
  auto const service = shared_fleet().beside(file.environment()), two = shared_fleet().beside(file.environment());
  constexpr tls_version versions[] = {tls_version::v1_2, tls_version::v1_3};
  std::vector<std::shared_ptr<SSL_SESSION>> before, after;
  auto const resumes = [](second_service const& target, tls_version version,
                          std::shared_ptr<SSL_SESSION> const& session) {
    auto const met = probe_tls(target.url(), version, session);
    CHECK(met.answered);
    return met.resumed;
  };
  for (auto const version : versions) {
    CAPTURE(static_cast<int>(version));
    auto const first = probe_tls(service->url(), version);
    CHECK(first.answered);
    CHECK_FALSE(first.resumed);
    before.push_back(first.session);
    CHECK(resumes(*two, version, first.session));
    // An instance with its own keys performs a full handshake.
    CHECK_FALSE(probe_tls(shared_fleet().url(1), version, first.session).resumed);
  }

  file.hold(key_line('2') + key_line('1'));
  service->process().signal(SIGHUP);
  for (auto const* each : {&service, &two}) REQUIRE(logged((*each)->process(), keys_loaded, 1));
  for (std::size_t i = 0; i < 2; ++i) {
    CAPTURE(i);
    CHECK(resumes(*service, versions[i], before[i]));
    CHECK(resumes(*two, versions[i], before[i]));
    after.push_back(probe_tls(service->url(), versions[i]).session);
    CHECK(resumes(*two, versions[i], after[i]));
  }

  file.hold(key_line('2'));
  for (auto const* each : {&service, &two}) REQUIRE(logged((*each)->process(), keys_loaded, 2));
  for (std::size_t i = 0; i < 2; ++i) {
    CAPTURE(i);
    CHECK_FALSE(resumes(*two, versions[i], before[i]));
    CHECK(resumes(*two, versions[i], after[i]));
  }

  int n = 0;
  auto const still_resumes = [&] {
    service->process().signal(SIGHUP);
    REQUIRE(logged(service->process(), keys_refused, ++n));
    CHECK(resumes(*service, tls_version::v1_3, after[1]));
  };
  file.hold("nonsense");
  still_resumes();
  file.hold(key_line('3'), 0644);
  still_resumes();
  CHECK(service->process().err().text().find("333333") == std::string::npos);
}

TEST_CASE("a new certificate does not end the sessions of an instance without a file of ticket keys") {
  auto const service = shared_fleet().beside({});
  auto const session = probe_tls(service->url(), tls_version::v1_3).session;
  service->process().signal(SIGHUP);
  REQUIRE(logged(service->process(), "\"TLS certificate loaded\"", 2));
  CHECK(probe_tls(service->url(), tls_version::v1_3, session).resumed);
}

TEST_CASE("a client that offers only other protocols gets the alert of RFC 7301 3.2") {
  constexpr int no_application_protocol = 1000 + 120;
  for (auto const version : {tls_version::v1_2, tls_version::v1_3}) {
    CAPTURE(static_cast<int>(version));
    auto const met = probe_tls(shared_fleet().url(1), version, {}, "\x02h2");
    CHECK_FALSE(met.answered);
    CHECK(met.reason == no_application_protocol);
    CHECK(probe_tls(shared_fleet().url(1), version, {}, "\x02h2\x08http/1.1").answered);
  }
}

}  // namespace
}  // namespace svc::test
