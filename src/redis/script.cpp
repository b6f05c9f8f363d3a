
#include "redis/suspended.hpp"
#include "svc/core/bytes.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/redis/client.hpp"

#include <openssl/evp.h>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>
#include <vector>

namespace svc::redis {

namespace {

/// Redis identifies scripts by SHA-1; nothing here depends on its security.
std::string sha1_hex(std::string_view text) {
  std::array<std::uint8_t, EVP_MAX_MD_SIZE> digest;
  unsigned length = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &length, EVP_sha1(), nullptr) != 1) {
    throw std::runtime_error("OpenSSL offers no SHA-1, which EVALSHA needs");
  }
  return to_hex({digest.data(), length});
}

struct call final : suspended_waiter {
  call(std::span<std::string_view const> k, std::span<std::string_view const> a, deadline until)
      : suspended_waiter(until), keys(k), arguments(a) {}

  std::span<std::string_view const> keys;
  std::span<std::string_view const> arguments;
  std::pair<std::uint16_t, std::size_t> position{};  ///< its part of the keys, and its place among those that wait
};

using calls = std::vector<call*>;

deadline most_patient(calls const& batch) {
  auto const longest = [](call const* a, call const* b) { return a->until() < b->until(); };
  return deadline((*std::ranges::max_element(batch, longest))->until());
}

/// Gives each call its part of the reply, or all calls the whole reply if it does not have one part for each.
void hand_out(outcome got, calls const& batch) {
  auto& parts = got.value.elements;
  bool const whole = got.ok() && parts.size() == batch.size();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    batch[i]->result = whole ? outcome{delivery::answered, std::move(parts[i])} : got;
    batch[i]->resume();
  }
}

}  // namespace

script::script(std::string_view name, std::string_view body) : name_(name), body_(body), sha_(sha1_hex(body)) {}

/// Outlives the `script_batch` while calls are in flight.
struct script_batch::impl : std::enable_shared_from_this<impl> {
  impl(client& client, script const& script, reply_wait wait) : redis(client), content(script), settings(wait) {}

  void add(call& call);
  void depart();
  static task<> send(std::shared_ptr<impl> self, calls batch);

  client& redis;
  script const& content;
  reply_wait settings;
  calls waiting;
};

script_batch::script_batch(client& redis, script const& script, reply_wait wait)
    : impl_(std::make_shared<impl>(redis, script, wait)) {}
script_batch::~script_batch() = default;

task<outcome> script_batch::evaluate(std::span<std::string_view const> keys,
                                     std::span<std::string_view const> arguments, deadline until) {
  call mine(keys, arguments, until);
  impl_->add(mine);
  co_await mine.resumed();
  co_return std::move(mine.result);
}

void script_batch::impl::add(call& call) {
  waiting.push_back(&call);
  // Runs after the handlers that are ready now, so their calls join the batch.
  if (waiting.size() == 1) asio::post(redis.context(), [self = shared_from_this()] { self->depart(); });
}

void script_batch::impl::depart() {
  auto all = std::exchange(waiting, {});
  for (std::size_t i = 0; i < all.size(); ++i) all[i]->position = {redis.part_of(all[i]->keys.front()), i};
  std::sort(all.begin(), all.end(), [](call const* a, call const* b) { return a->position < b->position; });
  for (auto first = all.begin(); first != all.end();) {
    auto target = first;
    while (target != all.end() && target - first < static_cast<std::ptrdiff_t>(most_calls) &&
           (*target)->position.first == (*first)->position.first)
      ++target;
    spawn_task(redis.context(), send(shared_from_this(), calls(first, target)));
    first = target;
  }
}

task<> script_batch::impl::send(std::shared_ptr<impl> self, calls batch) {
  std::vector<std::string_view> keys, arguments;
  for (auto const* call : batch) {
    keys.insert(keys.end(), call->keys.begin(), call->keys.end());
    arguments.insert(arguments.end(), call->arguments.begin(), call->arguments.end());
  }
  hand_out(co_await self->redis.evaluate(self->content, keys, arguments, most_patient(batch), self->settings), batch);
}

}  // namespace svc::redis
