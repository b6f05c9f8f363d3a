#include "egress/http/multi.hpp"

#include "svc/core/failpoint.hpp"

#include <new>
#include <stdexcept>
#include <string>
#include <utility>

namespace svc::egress {

namespace {

void require_multi(CURLMcode said) {
  if (said != CURLM_OK) throw std::runtime_error(std::string("libcurl: ") + curl_multi_strerror(said));
}

CURLM* new_multi() {
  start_curl();
  CURLM* const out = curl_multi_init();
  if (out == nullptr) throw std::bad_alloc();
  return out;
}

}  // namespace

// libcurl's own start is not otherwise safe with several threads.
void start_curl() {
  static CURLcode const said = curl_global_init(CURL_GLOBAL_DEFAULT);
  require_curl(said);
}

void require_curl(CURLcode said) {
  if (said != CURLE_OK) throw std::runtime_error(std::string("libcurl: ") + curl_easy_strerror(said));
}

curl_multi::curl_multi(asio::io_context& io, work_scheduler* shares)
    : io_(io),
      shares_(shares),
      sockets_(io, [this](int socket, bool r,
                          bool w) { be_ready(socket, (r ? CURL_CSELECT_IN : 0) | (w ? CURL_CSELECT_OUT : 0)); }),
      timer_(io),
      multi_(new_multi()) {
  require_multi(curl_multi_setopt(multi_, CURLMOPT_SOCKETFUNCTION, &curl_multi::take_socket));
  require_multi(curl_multi_setopt(multi_, CURLMOPT_SOCKETDATA, this));
  require_multi(curl_multi_setopt(multi_, CURLMOPT_TIMERFUNCTION, &curl_multi::take_timer));
  require_multi(curl_multi_setopt(multi_, CURLMOPT_TIMERDATA, this));
  // Each transfer has a connection of its own.
  require_multi(curl_multi_setopt(multi_, CURLMOPT_PIPELINING, static_cast<long>(CURLPIPE_NOTHING)));
}

curl_multi::~curl_multi() {
  stop();
}

void curl_multi::stop() {
  if (multi_ == nullptr) return;
  for (auto* const transfer : std::exchange(open_, {})) {
    curl_multi_remove_handle(multi_, transfer->easy_);
    transfer->end(std::nullopt, true);
  }
  curl_multi_cleanup(std::exchange(multi_, nullptr));
  sockets_.stop();
  timer_.cancel();
}

int curl_multi::take_socket(CURL* easy, curl_socket_t socket, int events, void* self, void* /*of_socket*/) noexcept {
  bool const read = events == CURL_POLL_IN || events == CURL_POLL_INOUT;
  bool const write = events == CURL_POLL_OUT || events == CURL_POLL_INOUT;
  auto& multi = *static_cast<curl_multi*>(self);
  char* pointer = nullptr;
  curl_easy_getinfo(easy, CURLINFO_PRIVATE, &pointer);
  if (pointer != nullptr && (read || write))
    multi.owners_[socket] = reinterpret_cast<transfer*>(pointer)->owner_;
  else
    multi.owners_.erase(socket);
  multi.sockets_.want(socket, read, write);
  return 0;
}

int curl_multi::take_timer(CURLM* /*multi*/, long milliseconds, void* self) noexcept {
  auto& multi = *static_cast<curl_multi*>(self);
  if (milliseconds < 0) {
    multi.timer_.cancel();
    return 0;
  }
  multi.timer_.expires_after(std::chrono::milliseconds(milliseconds));
  multi.timer_.async_wait([weak = multi.weak_from_this()](boost::system::error_code ec) {
    auto const alive = weak.lock();
    if (!ec && alive) alive->act(CURL_SOCKET_TIMEOUT, 0);
  });
  return 0;
}

void curl_multi::be_ready(curl_socket_t socket, int events) {
  auto const found = owners_.find(socket);
  if (found == owners_.end()) return act(socket, events);
  auto const owner = found->second;
  work_for(owner);
  if (shares_ == nullptr || !shares_->must_wait(owner)) return act(socket, events);
  sockets_.pause(socket);
  // Another socket may have this number by then: libcurl finds nothing to do for that.
  shares_->later(owner, [weak = weak_from_this(), socket, events] {
    auto const alive = weak.lock();
    if (!alive) return;
    alive->sockets_.resume(socket);
    alive->act(socket, events);
  });
}

void curl_multi::act(curl_socket_t socket, int events) {
  if (multi_ == nullptr) return;
  auto const self = shared_from_this();
  if (socket != CURL_SOCKET_TIMEOUT) SVC_FAILPOINT_NOW("egress.piece");
  int running = 0;
  curl_multi_socket_action(multi_, socket, events, &running);
  note_ends();
}

void curl_multi::note_ends() {
  int left = 0;
  while (auto const* const message = curl_multi_info_read(multi_, &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    char* pointer = nullptr;
    curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &pointer);
    reinterpret_cast<transfer*>(pointer)->end(message->data.result, false);
  }
}

curl_multi::transfer::transfer(std::shared_ptr<curl_multi> multi, CURL* easy)
    : multi_(std::move(multi)), easy_(easy), changed_(multi_->io_) {
  if (multi_->multi_ == nullptr) {
    stopped_ = true;
    return;
  }
  set_option(easy_, CURLOPT_PRIVATE, this);
  require_multi(curl_multi_add_handle(multi_->multi_, easy_));
  multi_->open_.insert(this);
}

curl_multi::transfer::~transfer() {
  if (multi_->open_.erase(this) > 0) curl_multi_remove_handle(multi_->multi_, easy_);
}

void curl_multi::transfer::end(std::optional<CURLcode> code, bool stopped) {
  code_ = code;
  stopped_ = stopped;
  changed_.cancel();
}

task<> curl_multi::transfer::over_by(steady::time_point until) {
  if (code_ || stopped_) co_return;
  changed_.expires_at(until);
  auto const owner = owner_;
  co_await changed_.async_wait(awaiting);
  work_for(owner);
}

}  // namespace svc::egress
