#include "svc/api/body_intake.hpp"

#include "support/run_task.hpp"
#include "unit/http/shipped_contract.hpp"

#include <doctest/doctest.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <optional>
#include <string>
#include <vector>

namespace svc::api {
namespace {

/// A body that has arrived completely.
class ready_body final : public http::body_source {
 public:
  explicit ready_body(std::string text, body_intake const* intake = nullptr)
      : text_(std::move(text)), intake_(intake) {}

  task<result<http::body_text>> read(std::size_t limit, http::body_share share) override {
    http::body_text out(std::move(share));
    receiving = intake_ != nullptr ? intake_->receiving() : 0;
    if (text_.size() > limit) co_return error(errc::body_too_large);
    if (!out.begin() || !out.append(text_)) co_return error(errc::overloaded);
    out.finish();
    co_return std::move(out);
  }

  std::size_t receiving = 0;  ///< requests that wait for their bodies while this one is read

 private:
  std::string text_;
  body_intake const* intake_;
};

/// Counts its turns until it must stop.
task<> count_turns(int& turns, bool const& over) {
  while (!over) {
    ++turns;
    co_await asio::post(co_await asio::this_coro::executor, awaiting);
  }
}

struct request_buffers {
  std::optional<result<taken_body>> take(std::string_view operation, std::string text, uuid user = {}) {
    http::request head;
    head.has_body = !text.empty();
    head.fields = fields;
    ready_body body(std::move(text), &intake);
    bool over = false;
    turns = 0;
    asio::co_spawn(io, count_turns(turns, over), asio::detached);
    auto out = test::run_task(io, intake.take(http::named(operation), head, body, user));
    over = true;
    io.run();
    receiving = body.receiving;
    return out;
  }

  asio::io_context io{1};
  account ledger{http::terms_of({.process = 40'000'000, .worker = 40'000'000, .user = 20'000'000})};
  http::body_budget budget{ledger, 40'000'000};
  body_intake intake{http::shipped(), budget, 1000};
  std::vector<http::field> fields{{"Content-Type", "application/json"}};
  int turns = 0;
  std::size_t receiving = 0;
};

std::string test_of(std::size_t script) {
  return R"({"title":"t","script":")" + std::string(script, 'x') + "\"}";
}

/// A document with two more values.
std::string zeros(int count) {
  std::string out = "{\"z\":[0";
  for (int i = 1; i < count; ++i) out += ",0";
  return out + "]}";
}

TEST_CASE("body intake: accepted and refused bodies") {
  struct {
    char const* name;
    char const* operation;
    std::string text;
    std::optional<errc> expected;
  } const cases[] = {
      {"none, none needed", "get_test", "", std::nullopt},
      {"none, one needed", "create_test", "", errc::validation_failed},
      {"one, none taken", "get_test", "{}", errc::body_too_large},
      {"small", "create_test", test_of(10), std::nullopt},
      {"of two pieces", "create_test", test_of(70'000), std::nullopt},
      {"as large as a script may be", "create_test", test_of(5UL * 1024 * 1024), std::nullopt},
      {"a script that is too large", "create_test", test_of(5UL * 1024 * 1024 + 1), errc::validation_failed},
      {"larger than the operation takes", "create_test", test_of(11UL * 1024 * 1024), errc::body_too_large},
      {"no JSON", "create_test", "{\"title\":", errc::malformed_json},
      {"no JSON in the second piece", "create_test", test_of(70'000) + "x", errc::malformed_json},
      {"as many values as it may have", "create_test", zeros(998), errc::validation_failed},
      {"too many values", "create_test", zeros(999), errc::malformed_json},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    request_buffers buffers;
    auto got = buffers.take(c.operation, c.text);
    REQUIRE(got->has_error() == c.expected.has_value());
    if (c.expected) CHECK(got->error().code == *c.expected);
    if (!c.expected && !c.text.empty())
      CHECK((*got)->value.at("script").as_string().size() == c.text.size() - test_of(0).size());
    got.reset();
    CHECK(buffers.ledger.held() == 0);
  }
}

TEST_CASE("body intake: rules for the fields that describe the content") {
  struct {
    char const* name;
    std::vector<http::field> fields;
    char const* operation;
    std::string text;
    std::optional<errc> expected;
  } const cases[] = {
      {"one type", {{"Content-Type", "application/json"}}, "create_test", test_of(1), std::nullopt},
      {"no type", {}, "create_test", test_of(1), errc::unsupported_media_type},
      {"as it is",
       {{"Content-Type", "application/json"}, {"Content-Encoding", "identity"}},
       "create_test",
       test_of(1),
       std::nullopt},
      {"encoded",
       {{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}},
       "create_test",
       test_of(1),
       errc::unsupported_content_coding},
      {"encoded, larger than the operation takes",
       {{"Content-Type", "application/json"}, {"Content-Encoding", "gzip"}},
       "create_test",
       test_of(11UL * 1024 * 1024),
       errc::unsupported_content_coding},
      {"encoded, none taken", {{"Content-Encoding", "gzip"}}, "get_test", "{}", errc::body_too_large},
      {"encoded, nothing", {{"Content-Encoding", "gzip"}}, "trigger_job", "", std::nullopt},
      {"two types",
       {{"Content-Type", "application/json"}, {"content-type", "application/json"}},
       "create_test",
       test_of(1),
       errc::malformed_request},
      {"two types of nothing",
       {{"Content-Type", "application/json"}, {"Content-Type", "text/plain"}},
       "trigger_job",
       "",
       std::nullopt},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    request_buffers buffers;
    buffers.fields = c.fields;
    auto const got = buffers.take(c.operation, c.text);
    REQUIRE(got->has_error() == c.expected.has_value());
    if (c.expected) CHECK(got->error().code == *c.expected);
  }
}

TEST_CASE("body intake: a large body gives others turns, a small one needs none") {
  request_buffers buffers;
  auto const turns_of = [&buffers](std::size_t script) {
    CHECK(buffers.take("create_test", test_of(script))->has_value());
    return buffers.turns;
  };
  auto const small = turns_of(100);
  CHECK(turns_of(60'000) == small);
  // One turn for each 64 KiB.
  CHECK(turns_of(4UL * 1024 * 1024) >= small + 60);
}

TEST_CASE("body intake: memory counts for the user until the request is over") {
  request_buffers buffers;
  uuid const user = uuid::generate_v7(), other = uuid::generate_v7();
  auto first = buffers.take("create_test", test_of(5'000'000), user);
  REQUIRE(first->has_value());
  CHECK(buffers.receiving == 1);
  CHECK(buffers.intake.receiving() == 0);
  CHECK(buffers.ledger.held() >= 5'000'000);
  CHECK(buffers.ledger.held() < 5'100'000);
  auto second = buffers.take("create_test", test_of(5'000'000), user);
  auto third = buffers.take("create_test", test_of(5'000'000), user);
  REQUIRE(third->has_value());
  auto const more = buffers.take("create_test", test_of(5'000'000), user);
  REQUIRE(more->has_error());
  CHECK(more->error().code == errc::overloaded);
  CHECK(buffers.take("create_test", test_of(1'000'000), other)->has_value());
  first.reset();
  CHECK(buffers.take("create_test", test_of(5'000'000), user)->has_value());
}

}  // namespace
}  // namespace svc::api
