// `svc update`: the service's client takes the place of the running one, or the running one stays.
#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_process.hpp"

#include "svc/core/hash.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

using namespace svc::test;

namespace {

namespace fs = std::filesystem;

std::string bytes_at(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream out;
  out << file.rdbuf();
  return out.str();
}

std::string digest_line(std::string_view bytes) {
  return svc::to_hex(svc::byte_view(svc::sha256(bytes))) + "  svc-linux-amd64\n";
}

/// A client that its user has installed.
struct installed_client {
  temporary_directory home;
  std::string directory = home.path() + "/bin";
  std::string program = directory + "/svc";

  installed_client() {
    fs::create_directories(directory);
    fs::copy_file(client_binary(), program);
  }
  svc_result update(std::string const& url, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), "update");
    svc_process process({.arguments = std::move(more),
                         .environment = {"SERVICE_URL=" + url},
                         .directory = home.path(),
                         .home = home.path()},
                        program);
    return process.wait();
  }
  bool untouched() const {
    auto const files = fs::directory_iterator(directory);
    return bytes_at(program) == bytes_at(client_binary()) && std::distance(begin(files), end(files)) == 1;
  }
};

/// A service that hands out these bytes and announces this digest.
scripted_server handing_out(std::string announced, std::string bytes) {
  return scripted_server([announced = std::move(announced), bytes = std::move(bytes)](received const& r) {
    return whole_answer(200, r.line().find(".sha256 ") == std::string::npos ? bytes : announced);
  });
}

std::string const another_client = "#!/bin/sh\necho svc 9.9.9\n";

}  // namespace

TEST_CASE("update replaces the program by the service's one, once") {
  installed_client const client;
  scripted_server const server = handing_out(digest_line(another_client), another_client);
  auto const result = client.update(server.url(), {"--json"});
  CAPTURE(result.err);
  CHECK(result.code == 0);
  CHECK(result.out.find(R"("replaced":true)") != std::string::npos);
  CHECK(result.out.find(client.program) != std::string::npos);
  CHECK(bytes_at(client.program) == another_client);
  CHECK(fs::status(client.program).permissions() == fs::perms(0755));
  for (auto const& request : server.requests()) {
    CHECK(request.field("Authorization").empty());
    CHECK(request.line().starts_with("GET /cli/svc-linux-"));
  }
}

TEST_CASE("update downloads nothing when the program is the service's one already") {
  installed_client const client;
  scripted_server const server = handing_out(digest_line(bytes_at(client_binary())), another_client);
  auto const result = client.update(server.url());
  CAPTURE(result.err);
  CHECK(result.code == 0);
  CHECK(result.err.find("already") != std::string::npos);
  CHECK(server.requests().size() == 1);
  CHECK(client.untouched());
}

TEST_CASE("an impossible update keeps the program and has advice") {
  struct row {
    std::string name, announced, bytes;
    int code;
    std::string says;
  };
  std::string const broken = "#!/bin/sh\nexit 1\n", foreign = "#!/nowhere/ld-linux\n";
  row const rows[] = {
      {"a tampered program", digest_line(another_client), another_client + "#", 4, "is not the one that the service"},
      {"no digest", "<html>", another_client, 4, "is not a SHA-256"},
      {"a digest that is too short", "abc  svc\n", another_client, 4, "is not a SHA-256"},
      {"a program that fails", digest_line(broken), broken, 1, "does not start on this system"},
      {"a program for another system", digest_line(foreign), foreign, 1, "does not start on this system"},
  };
  for (auto const& r : rows) {
    CAPTURE(r.name);
    installed_client const client;
    scripted_server const server = handing_out(r.announced, r.bytes);
    auto const result = client.update(server.url());
    CAPTURE(result.err);
    CHECK(result.code == r.code);
    CHECK(result.err.find(r.says) != std::string::npos);
    CHECK(client.untouched());
  }
}

TEST_CASE("an update from a service without a client, and one that breaks, keep the program") {
  installed_client const client;
  scripted_server const none([](received const&) {
    return whole_answer(404, error_body("not_found", "This service does not hand out its client; ask its operator."));
  });
  auto const refused = client.update(none.url());
  CHECK(refused.code == 1);
  CHECK(refused.err.find("ask its operator") != std::string::npos);
  scripted_server const cut([](received const& r) {
    if (r.line().find(".sha256 ") != std::string::npos) return whole_answer(200, digest_line(another_client));
    return scripted_answer{.bytes = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf", .close = true};
  });
  auto const broken = client.update(cut.url(), {"--timeout", "2"});
  CAPTURE(broken.err);
  CHECK((broken.code == 4 || broken.code == 5));
  CHECK(client.untouched());
}

TEST_CASE("an address that only a working copy names installs no program") {
  installed_client const client;
  scripted_server const server = handing_out(digest_line(another_client), another_client);
  client.home.write("svc.toml", "url = \"" + server.url() + "\"\n");
  svc_process process({.arguments = {"update"}, .directory = client.home.path(), .home = client.home.path()},
                      client.program);
  auto const result = process.wait();
  CHECK(result.code == 3);
  CHECK(result.err.find("no program is installed from there") != std::string::npos);
  CHECK(server.requests().empty());
  CHECK(client.untouched());
}

TEST_CASE("a program that was built here is not updated") {
  scripted_server const server = handing_out(digest_line(another_client), another_client);
  for (std::string const sign : {"CMakeCache.txt", "CMakeLists.txt"}) {
    CAPTURE(sign);
    installed_client const client;
    if (sign == "CMakeLists.txt") fs::create_directories(client.home.path() + "/.git");
    static_cast<void>(client.home.write(sign, ""));
    auto const result = client.update(server.url());
    CHECK(result.code == 3);
    CHECK_MESSAGE(result.err.find("was built here, and its next build replaces it") != std::string::npos, result.err);
    CHECK(client.untouched());
  }
  CHECK(server.requests().empty());
  installed_client const installed;
  fs::create_directories(installed.home.path() + "/.git");
  CHECK(installed.update(server.url()).code == 0);
}

TEST_CASE("a program that lies next to the service's programs, or has its manual page, is replaced only with --yes") {
  scripted_server const server = handing_out(digest_line(another_client), another_client);
  for (std::string const sign : {"bin/svcd", "bin/svc-runner", "share/man/man1/svc.1"}) {
    CAPTURE(sign);
    installed_client const client;
    fs::create_directories(client.home.path() + "/share/man/man1");
    static_cast<void>(client.home.write(sign, ""));
    auto const result = client.update(server.url());
    CHECK(result.code == 3);
    CHECK_MESSAGE(result.err.find("nothing was replaced") != std::string::npos, result.err);
    CHECK(bytes_at(client.program) == bytes_at(client_binary()));
    CHECK(client.update(server.url(), {"--yes"}).code == 0);
    CHECK(bytes_at(client.program) == another_client);
  }
}

TEST_CASE("at a terminal an update asks first") {
  scripted_server const server = handing_out(digest_line(another_client), another_client);
  for (std::string const typed : {"n", "y"}) {
    CAPTURE(typed);
    installed_client const client;
    svc_process process({.arguments = {"update"},
                         .environment = {"SERVICE_URL=" + server.url()},
                         .input = std::nullopt,
                         .directory = client.home.path(),
                         .home = client.home.path(),
                         .terminal = terminal_size{}},
                        client.program);
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    while (!process.out().text().ends_with("[y/N] ") && std::chrono::steady_clock::now() < until)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    process.write(typed + "\n");
    CHECK(process.wait().code == 0);
    CHECK(bytes_at(client.program) == (typed == "y" ? another_client : bytes_at(client_binary())));
  }
}

TEST_CASE("an update on a full disk, or without the right to write, keeps the program") {
  if (!can_mount()) return;
  scripted_server const server = handing_out(digest_line(another_client + std::string(300'000, '#')),
                                             another_client + std::string(300'000, '#'));
  installed_client const client;
  fs::permissions(client.home.path(), fs::perms(0755));
  auto const shell = [&](std::string const& script) {
    svc_process process({.arguments = {"-c", script},
                         .environment = {"SERVICE_URL=" + server.url()},
                         .directory = client.home.path(),
                         .home = client.home.path()},
                        "/bin/sh");
    return process.wait();
  };
  auto const size = fs::file_size(client.program);
  // A file system with room for the client and little else.
  auto const pages = std::to_string((size + 100'000) / 4096 + 2);
  auto const full = shell("unshare -m sh -c 'mkdir -p small && mount -t tmpfs -o nr_blocks=" + pages +
                          " small small && cp bin/svc small/ && small/svc update; code=$?; ls -A small; exit $code'");
  CAPTURE(full.err);
  CHECK(full.code == 3);
  CHECK(full.err.find("No space left on device") != std::string::npos);
  CHECK(full.err.find("Free some space") != std::string::npos);
  CHECK(full.out == "svc\n");
  auto const refused = shell("setpriv --reuid 65534 --regid 65534 --clear-groups bin/svc update");
  CAPTURE(refused.err);
  CHECK(refused.code == 3);
  CHECK(refused.err.find("Permission denied") != std::string::npos);
  CHECK(refused.err.find("Nothing was replaced") != std::string::npos);
  CHECK(client.untouched());
}

TEST_CASE("a program that a package of the system owns is not updated") {
  if (!can_mount()) return;
  scripted_server const server = handing_out(digest_line(another_client), another_client);
  installed_client const client;
  // The program lies in /usr/bin of a namespace of its own.
  svc_process packaged({.arguments = {"-c",
                                      "unshare -m sh -c 'cp bin/svc small && mount --bind small /usr/bin/env && "
                                      "SERVICE_URL=" +
                                          server.url() + " /usr/bin/env update'"},
                        .directory = client.home.path(),
                        .home = client.home.path()},
                       "/bin/sh");
  auto const result = packaged.wait();
  CAPTURE(result.err);
  CHECK(result.code == 3);
  CHECK(result.err.find("belongs to a package") != std::string::npos);
}
