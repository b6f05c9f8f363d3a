#include "monitor_campaign_server.hpp"

#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/parse.hpp>

#include <istream>
#include <iterator>
#include <memory>

namespace svc::test {

namespace asio = boost::asio;

/// One request, one answer.
class monitor_campaign_server::connection : public std::enable_shared_from_this<connection> {
 public:
  connection(monitor_campaign_server& server, asio::ip::tcp::socket socket)
      : server_(server), socket_(std::move(socket)) {}

  void start() {
    asio::async_read_until(socket_, buffer_, "\r\n\r\n", [self = shared_from_this()](auto failed, std::size_t) {
      if (!failed) self->read_head();
    });
  }

 private:
  void read_head() {
    std::istream head(&buffer_);
    std::string word;
    head >> word >> asked_.path;
    std::size_t length = 0;
    for (std::string line; std::getline(head, line) && line != "\r";) {
      auto const colon = line.find(": ");
      if (colon == std::string::npos) continue;
      auto const name = line.substr(0, colon), value = line.substr(colon + 2, line.size() - colon - 3);
      if (name == "Content-Length") length = std::stoul(value);
      if (name == "webhook-id") asked_.id = value;
    }
    auto const missing = length > buffer_.size() ? length - buffer_.size() : 0;
    asio::async_read(socket_, buffer_, asio::transfer_exactly(missing),
                     [self = shared_from_this()](auto failed, std::size_t) {
                       if (!failed) self->respond();
                     });
  }
  void respond() {
    asked_.body.assign(std::istreambuf_iterator<char>(&buffer_), {});
    out_ = server_.answer_to(asked_);
    // Nothing to say: the connection ends without an answer.
    asio::async_write(socket_, asio::buffer(out_), [self = shared_from_this()](auto, std::size_t) {});
  }

  monitor_campaign_server& server_;
  asio::ip::tcp::socket socket_;
  asio::streambuf buffer_;
  request asked_{};
  std::string out_{};
};

namespace {

std::string answer_with(std::string const& status) {
  return "HTTP/1.1 " + status + "\r\nConnection: close\r\n" +
         (status.starts_with("204") ? "\r\n" : "Content-Length: 0\r\n\r\n");
}

std::string member_of(boost::json::value const& body, char const* pointer) {
  auto const& found = body.at_pointer(pointer);
  return {found.as_string().begin(), found.as_string().end()};
}

std::size_t number_behind(std::string const& path, std::string_view prefix) {
  return std::stoul(path.substr(prefix.size()));
}

}  // namespace

monitor_campaign_server::monitor_campaign_server(std::size_t targets)
    : acceptor_(io_, {asio::ip::address_v4::loopback(), 0}), down_(targets, false) {
  accept();
  thread_ = std::thread([this] { io_.run(); });
}

monitor_campaign_server::~monitor_campaign_server() {
  io_.stop();
  thread_.join();
}

void monitor_campaign_server::accept() {
  acceptor_.async_accept([this](auto failed, asio::ip::tcp::socket socket) {
    if (!failed) std::make_shared<connection>(*this, std::move(socket))->start();
    accept();
  });
}

std::string monitor_campaign_server::answer_to(request const& request) {
  constexpr std::string_view target = "/target/", receiver = "/receiver/";
  std::lock_guard const lock(mutex_);
  if (request.path.starts_with(target)) return answer_of_target(number_behind(request.path, target));
  if (request.path.starts_with(receiver)) return answer_of_receiver(number_behind(request.path, receiver), request);
  return answer_with("404 Not Found");
}

std::string monitor_campaign_server::answer_of_target(std::size_t target) {
  ++asked_;
  return answer_with(down_.at(target) ? "503 Service Unavailable" : "200 OK");
}

std::string monitor_campaign_server::answer_of_receiver(std::size_t receiver, request const& request) {
  auto const body = boost::json::parse(request.body);
  received_message got{.id = request.id,
                       .type = member_of(body, "/type"),
                       .monitor = member_of(body, "/data/monitor/id"),
                       .outage = member_of(body, "/data/outage/id")};
  // A provider waits 5 s after a failed attempt, and sends nothing else meanwhile.
  auto const turn = ++sent_ % 80;
  got.taken = turn != 20 && turn != 60;
  received_[receiver].push_back(std::move(got));
  if (turn == 20) return answer_with("503 Service Unavailable");
  return turn == 60 ? "" : answer_with("204 No Content");
}

void monitor_campaign_server::set_down(std::size_t target, bool down) {
  std::lock_guard const lock(mutex_);
  down_.at(target) = down;
}

std::vector<received_message> monitor_campaign_server::received_by(std::size_t receiver) const {
  std::lock_guard const lock(mutex_);
  auto const found = received_.find(receiver);
  return found == received_.end() ? std::vector<received_message>() : found->second;
}

std::size_t monitor_campaign_server::asked() const {
  std::lock_guard const lock(mutex_);
  return asked_;
}

}  // namespace svc::test
