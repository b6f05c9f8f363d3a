#include "app/dev/alert_sink.hpp"
#include "svc/core/spawn_task.hpp"

#include <boost/beast/core/basic_stream.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <boost/json.hpp>

#include <chrono>
#include <utility>

namespace svc::app::dev {
namespace {

namespace beast = boost::beast;

constexpr std::chrono::seconds sink_patience{10};
/// Pause after a failed accept. Accepts may fail for long if no descriptors are left.
constexpr std::chrono::milliseconds sink_pause{100};

/// C0, DEL, and C1 (U+0080 to U+009F, in UTF-8 C2 80 to C2 9F) become blanks.
void blank_controls(std::string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    auto const byte = static_cast<unsigned char>(text[i]);
    bool const c1 = byte == 0xC2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xA0;
    if (c1) text.erase(i + 1, 1);
    if (c1 || byte < 0x20 || byte == 0x7f) text[i] = ' ';
  }
}

std::string line_of_alert(boost::json::object const& data, boost::json::value const* type) {
  auto const* const text = data.if_contains("message");
  std::string out = type != nullptr && type->is_string() ? std::string(type->get_string()) + ": " : std::string();
  if (text != nullptr && text->is_string()) out += text->get_string();
  // Users choose names, and this is a terminal.
  blank_controls(out);
  return out;
}

}  // namespace

std::vector<std::string> lines_of_webhook(std::string const& body) {
  boost::system::error_code failed;
  auto const parsed = boost::json::parse(body, failed);
  auto const* const whole = failed ? nullptr : parsed.if_object();
  auto const* const data = whole != nullptr ? whole->if_contains("data") : nullptr;
  if (data == nullptr || !data->is_object()) return {};
  auto const* const several = data->get_object().if_contains("alerts");
  if (several == nullptr || !several->is_array())
    return {line_of_alert(data->get_object(), whole->if_contains("type"))};
  std::vector<std::string> out;
  for (auto const& each : several->get_array())
    if (each.is_object()) out.push_back(line_of_alert(each.get_object(), each.get_object().if_contains("type")));
  return out;
}

alert_sink::alert_sink(std::function<void(std::string const& line)> say)
    : say_(std::move(say)), acceptor_(io_, {asio::ip::address_v4::loopback(), 0}) {
  spawn_task(io_, accept_all());
  thread_ = std::thread([this] { io_.run(); });
}

alert_sink::~alert_sink() {
  io_.stop();
  thread_.join();
}

std::string alert_sink::url() const {
  return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + "/";
}

task<> alert_sink::accept_all() {
  for (;;) {
    socket socket(io_);
    auto const [failed] = co_await acceptor_.async_accept(socket, awaiting);
    if (!failed) {
      spawn_task(io_, serve(std::move(socket)));
      continue;
    }
    steady_timer pause(io_, sink_pause);
    co_await pause.async_wait(awaiting);
  }
}

task<> alert_sink::serve(socket socket) {
  namespace http = beast::http;
  beast::basic_stream<tcp, executor> stream(std::move(socket));
  stream.expires_after(sink_patience);
  beast::flat_buffer buffer;
  http::request<http::string_body> got;
  if (auto const [failed, size] = co_await http::async_read(stream, buffer, got, awaiting); failed) co_return;
  for (auto const& line : lines_of_webhook(got.body())) say_(line);
  http::response<http::empty_body> const taken(http::status::no_content, got.version());
  co_await http::async_write(stream, taken, awaiting);
}

}  // namespace svc::app::dev
