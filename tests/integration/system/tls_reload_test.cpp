#include "support/fleet.hpp"
#include "support/service.hpp"
#include "support/throwaway_ca.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <thread>

namespace svc::test {
namespace {

/// The files of one instance, replaced as an operator does it: never half written.
class tls_files {
 public:
  tls_files() { use(0); }

  void use(std::size_t which) { replace(made_.at(which).certificate, made_.at(which).key); }
  void replace(std::string const& certificate, std::string const& key) const {
    move_to("cert.pem", certificate);
    move_to("key.pem", key);
  }
  throwaway_ca const& made(std::size_t which) const { return made_.at(which); }
  /// CA files that trust only that one, or both.
  std::string trusting(std::size_t which) const { return directory_.path() + "/ca" + std::to_string(which); }
  std::string trusting_both() const { return directory_.path() + "/both"; }
  std::vector<std::string> environment() const {
    return {"SVC_TLS_CERT_FILE=" + directory_.path() + "/cert.pem",
            "SVC_TLS_KEY_FILE=" + directory_.path() + "/key.pem"};
  }

 private:
  void move_to(std::string const& name, std::string const& text) const {
    auto const fresh = directory_.write(name + ".new", text);
    REQUIRE(std::rename(fresh.c_str(), (directory_.path() + "/" + name).c_str()) == 0);
  }

  temporary_directory directory_;
  std::array<throwaway_ca, 2> made_{make_throwaway_ca("IP:127.0.0.1"), make_throwaway_ca("IP:127.0.0.1")};
  std::string written_ = directory_.write("ca0", made_[0].authority) + directory_.write("ca1", made_[1].authority) +
                         directory_.write("both", made_[0].authority + made_[1].authority);
};

constexpr std::string_view certificate_loaded = "\"TLS certificate loaded\"";
constexpr std::string_view certificate_refused =
    "\"the TLS certificate or its key cannot be used; those loaded before stay\"";

bool reached(std::string const& url, std::string const& ca_file) {
  try {
    return api_client(url, ca_file, {}).get("/livez").status == 200;
  } catch (std::runtime_error const&) {
    return false;
  }
}

TEST_CASE("100 certificate reloads during handshakes: none fails, each new connection gets the newest") {
  tls_files files;
  auto const service = shared_fleet().beside(files.environment());
  std::atomic<bool> going = true;
  std::atomic<int> handshakes = 0, failed = 0;
  std::vector<std::jthread> clients;
  for (int i = 0; i < 3; ++i) {
    clients.emplace_back([&] {
      while (going) ++(reached(service->url(), files.trusting_both()) ? handshakes : failed);
    });
  }
  // Also when an expectation ends the test: the threads are joined after this.
  struct ending {
    std::atomic<bool>& going;
    ~ending() { going = false; }
  } const at_the_end{going};
  for (std::size_t n = 1; n <= 100; ++n) {
    CAPTURE(n);
    auto const before = handshakes.load();
    files.use(n % 2);
    service->process().signal(SIGHUP);
    REQUIRE(logged(service->process(), certificate_loaded, static_cast<int>(n) + 1));
    CHECK(reached(service->url(), files.trusting(n % 2)));
    CHECK_FALSE(reached(service->url(), files.trusting((n + 1) % 2)));
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (handshakes == before && failed == 0 && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }
  going = false;
  clients.clear();
  CHECK(failed.load() == 0);
  CHECK(handshakes.load() >= 100);
  MESSAGE(handshakes.load(), " handshakes during 100 reloads");
}

TEST_CASE("a changed certificate is noticed, a bad one refused, and connections stay open") {
  tls_files files;
  auto const service = shared_fleet().beside(files.environment());
  api_client pages(service->admin_url(), {}, {});
  auto const counted = [&](std::string const& result, int n) {
    return pages.get("/metrics").body.find("svc_tls_reloads_total{result=\"" + result + "\"} " + std::to_string(n)) !=
           std::string::npos;
  };
  // Trusts only the first CA: it could not reconnect.
  api_client old_one(service->url(), files.trusting(0), {});
  CHECK(old_one.get("/livez").status == 200);
  auto const first_end = pages.get("/metrics").body.find("svc_tls_certificate_expiry_timestamp_seconds 1");
  CHECK(first_end != std::string::npos);

  files.use(1);
  REQUIRE(logged(service->process(), certificate_loaded, 2));
  CHECK(reached(service->url(), files.trusting(1)));
  CHECK(old_one.get("/livez").status == 200);
  CHECK(counted("loaded", 1));

  struct {
    char const* subject;
    std::string certificate, key;
  } const bad[] = {
      {"no PEM", "nonsense", files.made(1).key},
      {"another one's key", files.made(1).certificate, files.made(0).key},
      {"half a certificate", files.made(1).certificate.substr(0, 200), files.made(1).key},
      {"nothing", "", ""},
  };
  int n = 0;
  for (auto const& b : bad) {
    CAPTURE(b.subject);
    files.replace(b.certificate, b.key);
    service->process().signal(SIGHUP);
    REQUIRE(logged(service->process(), certificate_refused, ++n));
    CHECK(reached(service->url(), files.trusting(1)));
    CHECK_FALSE(reached(service->url(), files.trusting(0)));
  }
  // Only because of the change, and only once.
  files.replace("nonsense again", files.made(0).key);
  REQUIRE(logged(service->process(), certificate_refused, ++n));
  CHECK(old_one.get("/livez").status == 200);
  CHECK(counted("refused", n));
  files.use(0);
  REQUIRE(logged(service->process(), certificate_loaded, 3));
  CHECK(reached(service->url(), files.trusting(0)));
  CHECK(service->process().stop() == 0);
}

}  // namespace
}  // namespace svc::test
