// Passwords of addresses that an identity provider manages.
#include "browser.hpp"

#include "support/free_port.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

namespace svc::test {
namespace {

/// An instance whose operator has configured a provider for corp.example, on the stores of `session_fleet`, whose own
/// instances know no provider. Nobody listens at the provider's address.
class managing_instance {
 public:
  fleet& installation = session_fleet();

  browser page() const { return {installation, api_client(url(), installation.text("caFile"), {})}; }
  std::chrono::nanoseconds time_of_hashes() {
    std::chrono::nanoseconds out{};
    auto const tasks = "/proc/" + std::to_string(process_.process().pid()) + "/task";
    for (auto const& task : std::filesystem::directory_iterator(tasks)) {
      std::string name;
      long long running = 0;
      std::ifstream(task.path() / "comm") >> name;
      std::ifstream(task.path() / "schedstat") >> running;
      if (name.starts_with("password-")) out += std::chrono::nanoseconds(running);
    }
    return out;
  }

 private:
  std::string url() const { return "https://127.0.0.1:" + std::to_string(port_); }
  std::string tables() const {
    return "[[listeners]]\naddress = '127.0.0.1:" + std::to_string(port_) +
           "'\n[[sign_in.oidc]]\nid = 'corp'\nissuer = 'https://127.0.0.1:" + std::to_string(free_port()) +
           "'\nclient_id = 'svc'\nclient_secret_file = '" + files_.write("secret", "s3cret") +
           "'\ndomains = ['corp.example']\n";
  }
  std::vector<std::string> environment() const {
    auto out = installation.environment();
    out.insert(out.begin(), "SVC_PUBLIC_URL=" + url());
    return out;
  }

  int port_ = free_port();
  temporary_directory files_;
  configured_service process_{installation.dev(), tables(), environment()};
};

std::string credentials(std::string const& email, std::string const& password) {
  return R"({"email":")" + email + R"(","password":")" + password + R"("})";
}

/// Tries to sign in by a password, each time from a new browser. Each attempt must fail. Returns the processor time
/// that the threads of passwords have taken, because waits depend on what else the machine does.
std::chrono::nanoseconds cost_of_refusals(managing_instance& place, std::string const& email,
                                          std::string const& password) {
  auto const before = place.time_of_hashes();
  for (int i = 0; i < 4; ++i) {
    auto page = place.page();
    auto const got = page.post("/dashboard/v1/sign-in/password", credentials(email, password));
    CHECK(got.status == 401);
    CHECK(code_of(got) == "sign_in_failed");
    CHECK_FALSE(got.header("set-cookie"));
  }
  return place.time_of_hashes() - before;
}

}  // namespace

TEST_CASE("an address of a provider's domain gets no password, and a stored one is refused as a wrong one is") {
  managing_instance place;
  auto const& installation = place.installation;
  std::string const email = "hugo@corp.example", password = "seven unrelated words make one";
  std::string const other_password = "other words that nobody has guessed";
  installation.admin({"create-user", "--email", email, "--name", "Hugo"});
  // The password was set before the operator configured the provider.
  browser home(installation, 0), again(installation, 1);
  home.sign_in(email);
  REQUIRE(home.call("PUT", "/dashboard/v1/me/password", one_member("password", password)).status == 204);
  REQUIRE(again.post("/dashboard/v1/sign-in/password", credentials(email, password)).status == 200);

  // Both cost hashes, so the time does not tell which addresses a provider manages. A refusal without one costs
  // nothing.
  auto const managed = cost_of_refusals(place, email, password);
  auto const unknown = cost_of_refusals(place, "nobody@elsewhere.example", password);
  CAPTURE(managed.count());
  CAPTURE(unknown.count());
  CHECK(managed > unknown / 4);
  CHECK(unknown > managed / 4);

  auto const link = new_link_secret(installation, email);
  auto page = place.page();
  auto const preview = body_of(page.post("/dashboard/v1/sign-in/link/preview", one_member("token", link)));
  CHECK_FALSE(preview.at("setsPassword").as_bool());
  auto const with_password = page.post("/dashboard/v1/sign-in/link",
                                       R"({"token":")" + link + R"(","password":")" + other_password + R"("})");
  CHECK(code_of(with_password) == "sign_in_refused");
  REQUIRE(page.post("/dashboard/v1/sign-in/link", one_member("token", link)).status == 200);
  CHECK(code_of(page.call("PUT", "/dashboard/v1/me/password", one_member("password", other_password))) ==
        "sign_in_refused");
  CHECK(code_of(page.post("/dashboard/v1/me/fresh", one_member("password", password))) == "sign_in_failed");
  // Nothing has changed the stored password.
  CHECK(again.post("/dashboard/v1/me/fresh", one_member("password", password)).status == 204);
}

}  // namespace svc::test
