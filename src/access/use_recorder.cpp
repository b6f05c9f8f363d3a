#include "svc/access/use_recorder.hpp"

#include "svc/store/accounts/session_store.hpp"
#include "svc/store/tokens/token_store.hpp"

#include <exception>

namespace svc::access {
namespace {

constexpr std::size_t max_tokens = 100'000;

}  // namespace

void use_recorder::note(uses& collected, uuid const& id, timestamp time, std::string_view ip) {
  auto const found = collected.find(id);
  if (found == collected.end()) {
    if (collected.size() < max_tokens) collected.emplace(id, std::make_pair(time, std::string(ip)));
    return;
  }
  found->second.first = time;
  if (found->second.second != ip) found->second.second = ip;
}

template <class Store>
task<> use_recorder::flush(uses& collected, Store& store, deadline until) {
  if (collected.empty()) co_return;
  auto const taken = std::exchange(collected, {});
  std::vector<store::last_use> batch;
  batch.reserve(taken.size());
  for (auto const& [id, use] : taken) batch.push_back({id, use.first, use.second});
  try {
    co_await store.write(std::move(batch), until);
  } catch (std::exception const&) {
    collected.insert(taken.begin(), taken.end());
    throw;
  }
}

task<> use_recorder::flush(deadline until) {
  co_await flush(used_, store_, until);
  co_await flush(used_sessions_, sessions_, until);
}

}  // namespace svc::access
