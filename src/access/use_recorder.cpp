#include "svc/access/use_recorder.hpp"

#include "svc/store/tokens/token_store.hpp"

#include <exception>

namespace svc::access {
namespace {

constexpr std::size_t max_tokens = 100'000;

}  // namespace

void use_recorder::note(uuid const& token, timestamp time, std::string_view ip) {
  auto const found = used_.find(token);
  if (found == used_.end()) {
    if (used_.size() < max_tokens) used_.emplace(token, std::make_pair(time, std::string(ip)));
    return;
  }
  found->second.first = time;
  if (found->second.second != ip) found->second.second = ip;
}

task<> use_recorder::flush(deadline until) {
  if (used_.empty()) co_return;
  auto const taken = std::exchange(used_, {});
  std::vector<store::last_use> batch;
  batch.reserve(taken.size());
  for (auto const& [token, use] : taken) batch.push_back({token, use.first, use.second});
  try {
    co_await store_.write(std::move(batch), until);
  } catch (std::exception const&) {
    used_.insert(taken.begin(), taken.end());
    throw;
  }
}

}  // namespace svc::access
