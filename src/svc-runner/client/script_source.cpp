#include "svc-runner/client/script_source.hpp"

#include "svc/core/log.hpp"

#include <utility>
#include <vector>

namespace svc::runner {
namespace {

void put(claim& into, given_script const& given) {
  for (auto& test : into.tests)
    if (test.id == given.id) test.script = given.script;
}

}  // namespace

/// While one run asks for scripts, others wait for them instead of asking for the same.
struct script_source::asking {
  asking(script_source& source, claim const& into, std::set<std::string> const& missing) : source_(source) {
    for (auto const& test : into.tests)
      if (missing.contains(test.id)) mine_.emplace_back(test.id, test.version);
    source_.asked_.insert(mine_.begin(), mine_.end());
  }
  ~asking() {
    for (auto const& entry : mine_) source_.asked_.erase(entry);
    source_.news_.cancel();
  }
  asking(asking const&) = delete;
  asking& operator=(asking const&) = delete;

 private:
  script_source& source_;
  std::vector<script_name> mine_{};
};

bool script_source::refused(http_reply const& claim) {
  return claim.status == 400 && std::exchange(apart_, false);
}

task<claim_verdict> script_source::bring(claim& into, service_client::give_up enough) {
  for (;;) {
    std::set<std::string> missing;
    bool others = false;
    for (auto& test : into.tests) {
      script_name const name{test.id, test.version};
      if (!test.script) test.script = kept_.find(name);
      if (test.script) continue;
      if (asked_.contains(name))
        others = true;
      else
        missing.insert(test.id);
    }
    if (!missing.empty()) {
      auto const verdict = co_await ask(into, std::move(missing), enough);
      if (verdict != claim_verdict::done) co_return verdict;
    } else if (others) {
      static_cast<void>(co_await news_.async_wait(awaiting));
    } else {
      co_return claim_verdict::done;
    }
  }
}

task<claim_verdict> script_source::ask(claim& into, std::set<std::string> missing, service_client::give_up enough) {
  asking const mine(*this, into, missing);
  for (bool more = true; more && !missing.empty();) {
    auto const reply =
        co_await service_.insist("/internal/v1/runs/" + into.run_id + "/scripts",
                                 scripts_body(into.claim_id, missing), usual_patience, nullptr, enough);
    if (!reply) co_return claim_verdict::given_up;
    if (reply->status == 409) co_return claim_verdict::lost;
    auto const read = reply->status == 200 ? read_scripts(reply->body) : std::nullopt;
    if (!read || (read->more && read->scripts.empty())) {
      log::warn("the service does not deliver scripts, so claims include them again",
                {{"status", reply->status}, {"answer", read_error(reply->body)}});
      apart_ = false;
      co_return claim_verdict::refused;
    }
    for (auto const& script : read->scripts) {
      missing.erase(script.id);
      put(into, script);
      kept_.keep({script.id, script.version}, script.script);
    }
    more = read->more;
  }
  std::erase_if(into.tests, [&](test_script const& test) { return missing.contains(test.id); });
  co_return claim_verdict::done;
}

}  // namespace svc::runner
