#include "integration/cli/fault_table.hpp"
#include "support/https_client.hpp"

#include <doctest/doctest.h>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

using namespace svc::test;

namespace {

/// Passes requests on to the real service, and loses its first answer: what was sent has happened.
class answer_loser {
 public:
  explicit answer_loser(dev_service const& service) : url_(service.text("url")), ca_file_(service.text("caFile")) {}

  scripted_answer pass_on(received const& r) const {
    svc::support::https_client client(url_, ca_file_);
    auto const line = r.line();
    auto const method_end = line.find(' '), target_end = line.rfind(' ');
    svc::support::header_list fields;
    for (auto const* const name : {"Authorization", "Idempotency-Key", "Content-Type"})
      if (auto const value = r.field(name); !value.empty()) fields.emplace_back(name, value);
    auto const got = client.request(line.substr(0, method_end),
                                    line.substr(method_end + 1, target_end - method_end - 1), fields, r.body);
    if (r.nth == 0) return {.close = true};
    return whole_answer(got.status, got.body);
  }

 private:
  std::string url_, ca_file_;
};

std::int64_t runs_of(dev_service const& service) {
  auto const listed =
      run_svc({.arguments = {"api", "GET", "/api/runs?limit=100"}, .environment = environment_of(service)});
  REQUIRE(listed.code == 0);
  return boost::json::parse(listed.out).at("pagination").at("total").as_int64();
}

}  // namespace

TEST_CASE("connection cut after the request was sent: exactly one run exists after the retry") {
  temporary_directory const directory;
  dev_service const service(directory.path() + "/dev");
  auto const identity = make_throwaway_ca("IP:127.0.0.1");
  answer_loser const between(service);
  scripted_server const server([&](received const& r) { return between.pass_on(r); }, identity);
  auto const before = runs_of(service);
  auto const result = run_svc({.arguments = {"api", "POST", "/api/jobs/" + service.text("jobId") + "/trigger",
                                             "--idempotency-key", "auto", "-d", R"({"parameters":{}})"},
                               .environment = {"SERVICE_URL=" + server.url(),
                                               "SERVICE_CACERT=" + directory.write("ca.pem", identity.authority),
                                               "SERVICE_TRIGGER_KEY=" + service.text("triggerKey")}});
  CAPTURE(result.err);
  CHECK(result.code == 0);
  CHECK(boost::json::parse(result.out).at("success").as_bool());
  CHECK(server.requests().size() == 2);
  CHECK(runs_of(service) == before + 1);
}
