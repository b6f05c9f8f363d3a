#include "svc/redis/primary_locator.hpp"

#include "redis/handshake.hpp"
#include "redis/sentinel.hpp"
#include "svc/core/log.hpp"
#include "svc/core/random.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/redis/inquiry.hpp"
#include "svc/redis/subscriber.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace svc::redis {
namespace {

constexpr auto switch_channel = "+switch-master";

/// Announcements faster than this do not disturb a running search, because a sentinel that sends that many
/// announcements is no help.
constexpr std::chrono::seconds switch_pause{1};

std::string describe(sentinel_settings const& settings) {
  return settings.master + " as named by " + list_of(settings.sentinels);
}

std::optional<tls_context> context_of(settings const& settings) {
  std::optional<tls_context> out;
  if (settings.tls) out.emplace(settings.tls_ca_file);
  return out;
}

}  // namespace

/// The search itself, and one subscription to each sentinel. Shared by the locator and its own pending operations.
class primary_locator::search final : public std::enable_shared_from_this<search>, subscriber::listener {
 public:
  search(asio::io_context& io, sentinel_settings sentinels, settings const& server);

  void start();
  void stop();
  void join(std::weak_ptr<primary_locator::listener> listener) { listeners_.push_back(std::move(listener)); }
  void find();
  asio::io_context& io() { return io_; }

 private:
  /// The result of ROLE at an address.
  enum class verdict { primary, replica, unreachable };

  task<> run(std::shared_ptr<search> self);
  task<std::optional<address>> look();
  task<std::optional<address>> ask(settings const& sentinel);
  task<verdict> check(address candidate, std::string name);
  task<handshake_result> converse_with(settings const& settings, address address, tls_context const* tls,
                                       std::vector<handshake_step> steps);

  void on_message(std::string_view channel, std::string_view payload) override;
  void on_subscribed(std::string_view channel) override;
  void depose(address const& address);
  void found(address const& where);
  void not_found();
  template <class What>
  void notify(What content);

  asio::io_context& io_;
  sentinel_settings const settings_;
  settings const server_;
  std::optional<tls_context> server_tls_, sentinel_tls_;
  std::vector<settings> order_{};  ///< the sentinels, in the order in which to ask them
  std::vector<std::unique_ptr<subscriber>> subscriptions_{};
  std::vector<std::weak_ptr<primary_locator::listener>> listeners_{};
  steady_timer pause_;
  std::weak_ptr<transport> talking_{};
  std::optional<address> current_{};                    ///< the primary found last, unless deposed
  std::optional<address> heard_{};                      ///< an announced address that was not checked yet
  std::vector<std::string> faults_{};                   ///< the faults of this round
  std::optional<std::pair<address, verdict>> tried_{};  ///< the last failed check of this round
  steady::time_point heard_at_{};
  bool wanted_ = false;
  bool idle_ = false;
  bool lost_ = false;  ///< true if the log already says that no primary is found
  bool stopped_ = false;
};

primary_locator::search::search(asio::io_context& io, sentinel_settings sentinels, settings const& server)
    : io_(io), settings_(std::move(sentinels)), server_(server), server_tls_(context_of(server_)), pause_(io) {
  subscriber::listener& listener = *this;
  for (auto const& address : settings_.sentinels) {
    order_.push_back(settings_for(settings_, address));
    subscriptions_.push_back(std::make_unique<subscriber>(io_, order_.back(), listener));
  }
  sentinel_tls_ = context_of(order_.front());
}

void primary_locator::search::start() {
  auto const self = shared_from_this();
  spawn_task(io_, keep_running(
                      "the search for the primary of Redis", [self] { return !self->stopped_; },
                      [self] { self->wanted_ = true; }, [self] { return self->run(self); }));
  for (auto& subscription : subscriptions_) {
    subscription->start();
    subscription->subscribe(switch_channel);
  }
}

void primary_locator::search::stop() {
  stopped_ = true;
  for (auto& subscription : subscriptions_) subscription->stop();
  pause_.cancel();
  if (auto const open = talking_.lock()) open->close();
}

void primary_locator::search::find() {
  wanted_ = true;
  if (idle_) pause_.cancel();
}

task<> primary_locator::search::run([[maybe_unused]] std::shared_ptr<search> self) {
  backoff pause = reconnect_pause;
  while (!stopped_) {
    if (!wanted_) {
      idle_ = true;
      pause_.expires_at(steady::time_point::max());
      co_await pause_.async_wait(awaiting);
      idle_ = false;
      continue;
    }
    auto const where = co_await look();
    if (stopped_) break;
    if (where) {
      pause.reset();
      wanted_ = false;
      found(*where);
      continue;
    }
    not_found();
    if (heard_) continue;
    pause_.expires_after(pause.next(random_fraction()));
    co_await pause_.async_wait(awaiting);
  }
}

/// Runs one round: checks the announced address first, then the address that each sentinel names.
task<std::optional<address>> primary_locator::search::look() {
  faults_.clear();
  tried_.reset();
  for (std::size_t asked = 0; !stopped_;) {
    if (auto const announced = std::exchange(heard_, std::nullopt)) {
      if (co_await check(*announced, "an announcement") == verdict::primary) co_return announced;
      continue;
    }
    if (asked++ == order_.size()) break;
    auto const sentinel = order_.front();
    auto const named = co_await ask(sentinel);
    auto const verdict =
        named ? co_await check(*named, address{sentinel.host, sentinel.port}.to_string()) : verdict::replica;
    if (verdict == verdict::primary) co_return named;
    if (verdict == verdict::unreachable && !heard_) depose(*named);
    std::rotate(order_.begin(), order_.begin() + 1, order_.end());
  }
  co_return std::nullopt;
}

task<std::optional<address>> primary_locator::search::ask(settings const& sentinel) {
  auto steps = handshake_steps(sentinel, "0", {});
  steps.push_back({"SENTINEL", {"SENTINEL", "GET-MASTER-ADDR-BY-NAME", settings_.master}});
  address const address{sentinel.host, sentinel.port};
  auto said = co_await converse_with(sentinel, address, sentinel_tls_ ? &*sentinel_tls_ : nullptr, std::move(steps));
  if (!said.fault.empty()) {
    faults_.push_back(address.to_string() + ": " + said.fault);
    co_return std::nullopt;
  }
  auto const& answer = said.got.back().value;
  auto const named = read_named(answer);
  if (!named)
    faults_.push_back(address.to_string() +
                      (answer.is_nil() ? " knows no master of that name" : " names no address"));
  co_return named;
}

task<primary_locator::search::verdict> primary_locator::search::check(address candidate, std::string name) {
  // If several sentinels name the same wrong server, it costs one attempt in a round.
  if (tried_ && tried_->first == candidate) co_return tried_->second;
  auto steps = handshake_steps(server_, "0", {});
  steps.push_back(role_step);
  auto said = co_await converse_with(server_, candidate, server_tls_ ? &*server_tls_ : nullptr, std::move(steps));
  if (said.fault.empty()) co_return verdict::primary;
  faults_.push_back(candidate.to_string() + " (named by " + name + "): " + said.fault);
  auto const verdict = said.fault == role_step.otherwise ? verdict::replica : verdict::unreachable;
  // An announcement may have cut this attempt short.
  if (!heard_) tried_ = {candidate, verdict};
  co_return verdict;
}

task<handshake_result> primary_locator::search::converse_with(settings const& settings, address address,
                                                              tls_context const* tls,
                                                              std::vector<handshake_step> steps) {
  auto const inquiry_transport = std::make_shared<transport>(io_, settings, std::move(address), tls);
  talking_ = inquiry_transport;
  auto said = co_await converse(io_, inquiry_transport, std::move(steps), settings.connect_timeout);
  inquiry_transport->close();
  co_return said;
}

void primary_locator::search::on_message(std::string_view, std::string_view payload) {
  auto const now_at = read_switch(payload, settings_.master);
  if (!now_at || now_at == current_) return;
  find();
  auto const now = steady::now();
  if (now - heard_at_ < switch_pause) return;
  heard_at_ = now;
  heard_ = now_at;
  if (auto const open = talking_.lock()) open->close();
}

/// Searches again, because a switch may have been missed until now.
void primary_locator::search::on_subscribed(std::string_view) {
  find();
}

/// Drops the former primary. The sentinels have agreed on another primary, so the former one proves nothing, even
/// while it still answers.
void primary_locator::search::depose(address const& address) {
  if (!current_ || *current_ == address || stopped_) return;
  current_.reset();
  notify([](primary_locator::listener& listener) { listener.on_deposed(); });
}

void primary_locator::search::found(address const& where) {
  bool const news = current_ != where || lost_;
  current_ = where;
  lost_ = false;
  if (news) log::info("the primary of Redis is found", {{"address", where.to_string()}});
  notify([where](primary_locator::listener& listener) { listener.on_found(where); });
}

void primary_locator::search::not_found() {
  std::string reason;
  for (auto const& text : faults_) reason += (reason.empty() ? "" : "; ") + text;
  if (!std::exchange(lost_, true)) log::warn("the sentinels name no primary that can be reached", {{"why", reason}});
  reason = "no primary found: " + reason;
  notify([reason](primary_locator::listener& listener) { listener.on_not_found(reason); });
}

template <class What>
void primary_locator::search::notify(What content) {
  std::erase_if(listeners_, [](auto const& weak) { return weak.expired(); });
  for (auto const& weak : listeners_) {
    auto const listener = weak.lock();
    if (listener) asio::post(listener->io(), [listener, content] { content(*listener); });
  }
}

primary_locator::primary_locator(asio::io_context& io, sentinel_settings sentinels, settings const& server)
    : description_(describe(sentinels)) {
  settings direct = server;
  // A direct connection uses the address that a sentinel names. The settings must not hold the locator, because the
  // locator would then keep itself alive for ever.
  direct.through = nullptr;
  impl_ = std::make_shared<search>(io, std::move(sentinels), direct);
}

primary_locator::~primary_locator() {
  impl_->stop();
}

void primary_locator::start() {
  impl_->start();
}

void primary_locator::stop() {
  impl_->stop();
}

void primary_locator::join(std::weak_ptr<listener> listener) {
  asio::post(impl_->io(),
             [joined = impl_, listener = std::move(listener)]() mutable { joined->join(std::move(listener)); });
}

void primary_locator::find() {
  asio::post(impl_->io(), [locator = impl_] { locator->find(); });
}

}  // namespace svc::redis
