// Clients that are too slow, and an instance that serves one request at a time.
#include "contract/provoker.hpp"

#include <atomic>
#include <memory>
#include <thread>

namespace svc::test {
namespace {

std::string head_of(request const& r, std::size_t length) {
  return r.method + " " + r.target + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer " + r.token +
         "\r\nContent-Type: application/json\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
}

/// By now the user has made more requests than the default limit admits.
constexpr char const* wide_window = "SVC_LIMITS_CLI_LIMIT=100000";

/// An instance whose only place is taken by a change that waits for its row.
class taken_instance {
 public:
  explicit taken_instance(contract_fixture& s)
      : process_(s.dev(), {patient_redis, wide_window, "SVC_WORKERS=1", "SVC_HTTP_IN_FLIGHT=1",
                           "SVC_HTTP_DEADLINE=60s", "SVC_POSTGRES_STATEMENT_TIMEOUT=60s"}),
        client_(process_.url(), s.ca()),
        row_(secret_string(s.dev().text("postgresUrl")), milliseconds(5000)) {
    auto const made = s.must(201, {"POST", "/api/tests", s.main().token, R"({"title":"held"})"});
    std::string const id(made.at("id").as_string());
    row_.run("BEGIN");
    row_.run("SELECT FROM tests WHERE id = $1 FOR UPDATE", {id});
    change_ = std::thread(&taken_instance::change, this, s.ca(),
                          request{"PATCH", "/api/tests/" + id, s.main().token, R"({"title":"changed"})"});
  }
  ~taken_instance() {
    over_ = true;
    process_.process().kill();
    change_.join();
  }
  taken_instance(taken_instance const&) = delete;
  taken_instance& operator=(taken_instance const&) = delete;

  support::answer send(request const& r) { return contract_fixture::send(client_, r); }

  /// Waits until others are refused for a while: a change whose token is just being looked up also has the place, and
  /// may itself be refused because this function took the place at that moment.
  void wait_until_taken() {
    auto const until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    for (int refused = 0; refused < 50; std::this_thread::sleep_for(std::chrono::milliseconds(5))) {
      if (std::chrono::steady_clock::now() > until) throw std::runtime_error("the change never took the place");
      bool const taken = send({"GET", "/api/health"}).body.find("\"overloaded\"") != std::string::npos;
      refused = taken ? refused + 1 : 0;
    }
  }

 private:
  void change(std::string const& ca, request const& request) {
    while (!over_) {
      try {
        support::https_client client(process_.url(), ca);
        contract_fixture::send(client, request);
      } catch (std::runtime_error const&) {
        // It still waits in the service, or the instance has ended: both are expected.
      }
    }
  }

  second_service process_;
  support::https_client client_;
  app::database_session row_;
  std::atomic<bool> over_ = false;
  std::thread change_;
};

}  // namespace

std::vector<provoker> slow_clients(contract_fixture& s) {
  auto const hasty = std::make_shared<second_service>(
      s.dev(), std::vector<std::string>{patient_redis, no_shedding, "SVC_LIMITS_PROBE_LIMIT=1000000",
                                        "SVC_HTTP_HEAD_TIMEOUT=20ms", "SVC_HTTP_BODY_TIMEOUT=20ms", wide_window});
  auto const ask = [&s, hasty](std::string const& bytes, bool counted) {
    support::https_client client(hasty->url(), s.ca());
    return std::vector{attempt{client.raw(bytes), counted}};
  };
  std::vector<provoker> out;
  out.push_back({"request_timeout", "head", any_operation, [&s, ask](http::operation const& op) {
                   auto const r = s.good(op);
                   return ask(r.method + " " + r.target + " HTTP/1.1\r\nHost: x\r\n", false);
                 }});
  out.push_back({"request_timeout", "body", with_body,
                 [&s, ask](http::operation const& op) { return ask(head_of(s.good(op), 10), true); }});
  return out;
}

std::vector<provoker> busy_service(contract_fixture& s) {
  auto const taken = std::make_shared<taken_instance>(s);
  taken->wait_until_taken();
  std::vector<provoker> out;
  out.push_back({"overloaded", "one place", any_operation, [&s, taken](http::operation const& op) {
                   return std::vector{attempt{taken->send(s.good(op)), false}};
                 }});
  return out;
}

}  // namespace svc::test
