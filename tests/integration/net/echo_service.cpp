#include "integration/net/echo_service.hpp"

#include <stdexcept>
#include <string>
#include <utility>

namespace svc::test {
namespace {

constexpr std::size_t body_limit = 200'000;

http::response failure(error const& error) {
  http::response made;
  switch (error.code) {
    case errc::malformed_request:
      made.status = 400;
      break;
    case errc::request_timeout:
      made.status = 408;
      break;
    case errc::body_too_large:
      made.status = 413;
      break;
    case errc::head_too_large:
      made.status = 431;
      break;
    default:
      made.status = 500;
  }
  made.content_type = "text/plain";
  made.body = error.message;
  return made;
}

/// Sends its number until the last one; `never` waits for a drain.
class counting_stream final : public http::body_stream {
 public:
  counting_stream(int last, bool finite, std::atomic<std::size_t>& stopped)
      : last_(last), finite_(finite), stopped_(stopped) {}

  bool finite() const override { return finite_; }
  void start(std::function<void()> wake) override { wake_ = std::move(wake); }
  piece next() override {
    if (drained_) return {"drained", {}, true};
    if (last_ == never) return {};
    auto const text = std::make_shared<std::string const>(std::to_string(++said_) + "\n");
    return {*text, text, said_ == last_};
  }
  steady::time_point due() const override { return steady::now() + std::chrono::hours(1); }
  void drain() override {
    drained_ = true;
    wake_();
  }
  void stop() override { ++stopped_; }

  static constexpr int never = 0;

 private:
  int last_, said_ = 0;
  bool finite_;
  bool drained_ = false;
  std::function<void()> wake_{};
  std::atomic<std::size_t>& stopped_;
};

}  // namespace

task<http::response> echo_service::serve(http::request const& head, http::body_source& body) {
  ++served;
  auto const target = std::string(head.target);
  http::response made;
  made.content_type = "text/plain";
  if (target == "/throw") throw std::logic_error("a service must not throw");
  if (target == "/unread") co_return made;
  if (target.starts_with("/count/")) {
    made.stream =
        std::make_shared<counting_stream>(std::stoi(target.substr(7)), target.ends_with("/finite"), stopped);
    ++streams;
    co_return made;
  }
  if (target == "/close") made.close = true;
  if (target == "/none") made.status = 204;
  if (target == "/client") {
    made.body = head.client_address;
    co_return made;
  }
  if (target.starts_with("/big/")) {
    made.body.assign(std::stoul(target.substr(5)), 'x');
    co_return made;
  }
  if (target == "/gate") {
    ++at_gate;
    while (!open_) co_await gate_.async_wait(awaiting);
  }
  auto const read = co_await body.read(target == "/small" ? 10 : body_limit, {budget_, uuid()});
  if (!read) co_return failure(read.error());
  made.body = std::string(head.method) + ' ' + target + ' ' + read->joined();
  co_return made;
}

http::response echo_service::refuse(error const& error, std::string_view) {
  return failure(error);
}

void echo_service::written(std::size_t bytes, bool whole) {
  bytes_written += bytes;
  ++(whole ? complete : incomplete);
}

}  // namespace svc::test
