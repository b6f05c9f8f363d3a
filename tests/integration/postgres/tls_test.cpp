// `sslmode=verify-full`: a server that cannot prove its name gets no session.
#include "fixture.hpp"
#include "support/free_port.hpp"
#include "support/temporary_directory.hpp"
#include "support/throwaway_ca.hpp"

using namespace svc;
using namespace svc::test;

namespace {

/// A server with TLS on 127.0.0.1, whose certificate is for these names.
class tls_server {
 public:
  explicit tls_server(throwaway_ca const& ca) : port_(free_port()) {
    server_.stop();
    server_.configure("ssl = on\nssl_cert_file = '" + server_.write("server.crt", ca.certificate) +
                      "'\nssl_key_file = '" + server_.write("server.key", ca.key) + "'");
    server_.listen_on(port_);
    server_.start();
  }

  std::string port() const { return std::to_string(port_); }
  std::string url(std::string const& host, std::string const& more) const {
    return "postgresql://svc@" + host + ":" + port() + "/postgres?sslmode=verify-full" + more;
  }

 private:
  private_postgres server_;
  int port_;
};

/// Empty when there is a session, and it is encrypted.
std::string refusal(std::string const& url) {
  asio::io_context io{1};
  postgres::pool pool(io, {.url = secret_string(url), .connect_timeout = std::chrono::seconds(10)});
  pool.start();
  std::string reason;
  try {
    auto const got = run_task(
        io, pool.run(postgres::query{{"encrypted", "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"}},
                     database::soon()));
    if (!got->front().boolean(0)) reason = "not encrypted";
  } catch (unavailable const& e) {
    reason = e.what();
  }
  pool.stop();
  return reason;
}

}  // namespace

TEST_CASE("verify-full: the right name and authority give a session, anything else an error with advice") {
  auto const right = make_throwaway_ca("DNS:localhost"), other = make_throwaway_ca("DNS:localhost");
  temporary_directory const files;
  auto const root = "&sslrootcert=" + files.write("right.pem", right.authority);
  auto const wrong_root = "&sslrootcert=" + files.write("other.pem", other.authority);
  tls_server const server(right);
  CHECK(refusal(server.url("localhost", root)).empty());
  // The name is verified wherever its address comes from.
  CHECK(refusal(server.url("localhost", root + "&hostaddr=127.0.0.1")).empty());
  auto const says = [](std::string const& reason, std::string const& part) {
    CAPTURE(reason);
    CHECK(reason.find(part) != reason.npos);
  };
  says(refusal(server.url("127.0.0.1", root)), "use a name of the certificate as the host in the URL");
  says(refusal(server.url("127.0.0.1", root)), "does not match host name \"127.0.0.1\"");
  says(refusal(server.url("localhost", wrong_root)), "certificate verify failed");
  says(refusal(server.url("localhost", wrong_root)), "name the file with its authority there");
  says(refusal(server.url("localhost", "&sslrootcert=/nowhere.pem")), "name a readable file");
}

TEST_CASE("verify-full: of several hosts one with a wrong name is passed over, and an expired one is refused") {
  auto const right = make_throwaway_ca("DNS:localhost"),
             expired = make_throwaway_ca("DNS:localhost", std::chrono::seconds(-60));
  temporary_directory const files;
  {
    tls_server const server(right);
    auto const root = "&sslrootcert=" + files.write("right.pem", right.authority);
    CHECK(refusal(server.url("127.0.0.1:" + server.port() + ",localhost", root)).empty());
  }
  tls_server const server(expired);
  auto const reason = refusal(server.url("localhost", "&sslrootcert=" + files.write("old.pem", expired.authority)));
  CAPTURE(reason);
  CHECK(reason.find("or has expired") != reason.npos);
}
