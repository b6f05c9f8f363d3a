#include "svc/sign_in/oidc/oidc_client.hpp"

#include "sign_in/oidc/authorization.hpp"
#include "sign_in/oidc/claims_json.hpp"
#include "sign_in/oidc/id_token.hpp"
#include "sign_in/oidc/provider_memory.hpp"
#include "sign_in/oidc/token_answer.hpp"
#include "svc/core/handed_answer.hpp"
#include "svc/core/ip_address.hpp"
#include "svc/core/log.hpp"
#include "svc/core/metrics.hpp"
#include "svc/core/single_flight.hpp"
#include "svc/core/spawn_task.hpp"
#include "svc/core/time.hpp"
#include "svc/egress/address_policy.hpp"
#include "svc/egress/http/http_client.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include <map>
#include <optional>

namespace svc::sign_in {
namespace {

/// The policy for an operator's own choice: everything but the ranges of cloud credentials.
std::shared_ptr<egress::address_policy const> any_network() {
  return std::make_shared<egress::address_policy const>(
      std::vector<cidr>{cidr::parse("0.0.0.0/0").value(), cidr::parse("::/0").value()});
}

/// One of a limited number, while it lives.
class counted_place {
 public:
  explicit counted_place(std::size_t& number) : number_(number) { ++number_; }
  ~counted_place() { --number_; }
  counted_place(counted_place const&) = delete;
  counted_place& operator=(counted_place const&) = delete;

 private:
  std::size_t& number_;
};

oidc_error unreachable(std::string_view document, std::string message) {
  return {oidc_failure::unreachable, "The provider's " + std::string(document) + " cannot be read: " + message};
}

}  // namespace

std::int64_t seconds_now() {
  return system_now().micros / 1'000'000;
}

class oidc_client::implementation {
 public:
  explicit implementation(parts instance)
      : parts_(std::move(instance)), http_(parts_.io, parts_.names, any_network(), parts_.trust) {
    for (auto const& each : parts_.settings->providers) {
      auto& state = states_.try_emplace(each.id).first->second;
      for (auto const* const outcome : {"ok", "unreachable"}) state.counted(parts_.counters, each.id, outcome).add(0);
    }
  }

  parts const& instance() const { return parts_; }

  task<oidc_result<std::string>> start(oidc_flow flow);
  task<oidc_result<identity>> finish(oidc_flow flow, std::vector<std::pair<std::string, std::string>> query);

 private:
  struct state {
    provider_memory memory{};
    std::size_t requests = 0;
    std::map<std::string, counter, std::less<>> outcomes{};

    counter& counted(metrics& counters, std::string const& provider, std::string_view outcome) {
      auto const found = outcomes.find(outcome);
      if (found != outcomes.end()) return found->second;
      return outcomes
          .emplace(outcome, counters.make_counter("svc_oidc_requests_total",
                                                  "Requests to identity providers, by provider and outcome",
                                                  {{"provider", provider}, {"outcome", std::string(outcome)}}))
          .first->second;
    }
  };
  enum class document_kind : std::uint8_t { metadata, keys };
  using flights = single_flight<std::string, std::optional<oidc_error>>;

  task<oidc_result<egress::http_answer>> fetch(oidc_provider const& provider, egress::http_request request);
  task<oidc_result<std::string>> read_document(oidc_provider const& provider, egress::http_url url,
                                               std::string_view name);
  task<> refresh(flights::flight_ptr flight, oidc_provider const& provider, document_kind kind);
  task<oidc_result<void>> fetch_metadata(oidc_provider const& provider);
  task<oidc_result<void>> fetch_keys(oidc_provider const& provider);
  task<oidc_result<void>> refreshed(oidc_provider const& provider, document_kind kind);
  task<oidc_result<discovery_document>> document_of(oidc_provider const& provider);
  task<oidc_result<key_set>> keys_for(oidc_provider const& provider, std::string_view token);
  task<oidc_result<identity>> redeem(oidc_provider const& provider, oidc_flow const& flow,
                                     discovery_document const& document, callback_code const& code);
  template <class T>
  oidc_result<T> counted(oidc_provider const& provider, oidc_result<T> outcome) {
    auto const name = outcome ? std::string_view("ok") : to_string(outcome.error().failure);
    states_.at(provider.id).counted(parts_.counters, provider.id, name).add();
    return outcome;
  }

  parts const parts_;
  egress::http_client http_;
  std::map<std::string, state, std::less<>> states_{};  ///< never grows after the constructor
  std::size_t requests_ = 0;
  flights flights_{};
};

/// Makes one request, if the limits allow it. Its outcome is counted by the caller, who knows whether the answer was
/// a good one.
task<oidc_result<egress::http_answer>> oidc_client::implementation::fetch(oidc_provider const& provider,
                                                                          egress::http_request request) {
  auto& mine = states_.at(provider.id);
  if (requests_ >= most_requests || mine.requests >= most_of_provider)
    co_return oidc_error{oidc_failure::busy, "Too many requests to identity providers wait for an answer."};
  request.follow_redirects = false;
  request.most_body_bytes = longest_document;
  counted_place const all(requests_), of_provider(mine.requests);
  co_return co_await http_.fetch(std::move(request), deadline::after(request_limit));
}

task<oidc_result<std::string>> oidc_client::implementation::read_document(oidc_provider const& provider,
                                                                          egress::http_url url,
                                                                          std::string_view name) {
  egress::http_request request{.url = std::move(url)};
  request.fields.push_back({"Accept", "application/json"});
  auto answer = co_await fetch(provider, std::move(request));
  if (!answer) co_return answer.error();
  if (answer->error != egress::failure::none) co_return unreachable(name, answer->message);
  if (answer->status != 200)
    co_return unreachable(name, "the server answers with status " + std::to_string(answer->status) + ".");
  if (answer->truncated)
    co_return oidc_error{oidc_failure::answer_invalid,
                         "The provider's " + std::string(name) + " is longer than 256 KiB."};
  co_return std::move(answer->body);
}

task<oidc_result<void>> oidc_client::implementation::fetch_metadata(oidc_provider const& provider) {
  auto const url = discovery_url(provider.issuer);
  if (!url) co_return oidc_error{oidc_failure::unsupported, "The issuer is not an https URL."};
  auto const body = co_await read_document(provider, *url, "discovery document");
  auto document = body ? parse_discovery(*body, provider.issuer) : oidc_result<discovery_document>(body.error());
  document = counted(provider, std::move(document));
  if (!document) co_return document.error();
  states_.at(provider.id).memory.store(std::move(*document), parts_.steady_now());
  co_return oidc_result<void>();
}

task<oidc_result<void>> oidc_client::implementation::fetch_keys(oidc_provider const& provider) {
  auto const document = co_await document_of(provider);
  if (!document) co_return document.error();
  auto const body = co_await read_document(provider, document->jwks_uri, "key set");
  auto keys = counted(provider, body ? parse_key_set(*body) : oidc_result<key_set>(body.error()));
  if (!keys) co_return keys.error();
  states_.at(provider.id).memory.store(std::move(*keys), parts_.steady_now());
  co_return oidc_result<void>();
}

/// One request serves all sign-ins that wait for the same document.
task<oidc_result<void>> oidc_client::implementation::refreshed(oidc_provider const& provider, document_kind kind) {
  auto const key = (kind == document_kind::keys ? "keys " : "metadata ") + provider.id;
  auto flight = flights_.find(key);
  if (!flight) {
    flight = flights_.lead(key);
    spawn_task(parts_.io, refresh(flight, provider, kind));
  }
  co_await flights::wait(flight, deadline::after(2 * request_limit));
  if (!flight->done) co_return oidc_error{oidc_failure::unreachable, "The provider did not answer in time."};
  if (flight->outcome) co_return *flight->outcome;
  co_return oidc_result<void>();
}

task<> oidc_client::implementation::refresh(flights::flight_ptr flight, oidc_provider const& provider,
                                            document_kind kind) {
  auto const key = (kind == document_kind::keys ? "keys " : "metadata ") + provider.id;
  flight->outcome = oidc_error{oidc_failure::unreachable, "The request to the provider failed."};
  try {
    auto const outcome =
        kind == document_kind::keys ? co_await fetch_keys(provider) : co_await fetch_metadata(provider);
    flight->outcome = outcome ? std::nullopt : std::optional(outcome.error());
  } catch (std::exception const& e) {
    log::error("a request to an identity provider failed", {{"provider", provider.id}, {"why", e.what()}});
  }
  flights_.remove(key, flight);
  flights::complete(flight);
}

task<oidc_result<discovery_document>> oidc_client::implementation::document_of(oidc_provider const& provider) {
  auto const& memory = states_.at(provider.id).memory;
  if (auto const* const known = memory.document(parts_.steady_now())) co_return *known;
  if (auto const done = co_await refreshed(provider, document_kind::metadata); !done) co_return done.error();
  if (auto const* const known = memory.document(parts_.steady_now())) co_return *known;
  co_return oidc_error{oidc_failure::unreachable, "The provider's discovery document expired while it was read."};
}

/// Returns the keys with which to verify the token. Keys are fetched when none are known, when they are old, and, at
/// most once a minute, when none of them fits.
task<oidc_result<key_set>> oidc_client::implementation::keys_for(oidc_provider const& provider,
                                                                 std::string_view token) {
  auto const header = read_id_token_header(token);
  if (!header) co_return header.error();
  auto& memory = states_.at(provider.id).memory;
  auto const* const known = memory.keys(parts_.steady_now());
  bool const fits = known != nullptr && known->find(header->kid, header->algorithm) != nullptr;
  if (!fits && (known == nullptr || memory.may_look_again(parts_.steady_now())))
    if (auto const done = co_await refreshed(provider, document_kind::keys); !done) co_return done.error();
  auto const* const found = memory.keys(parts_.steady_now());
  co_return found != nullptr ? *found : key_set{};
}

task<oidc_result<identity>> oidc_client::implementation::redeem(oidc_provider const& provider, oidc_flow const& flow,
                                                                discovery_document const& document,
                                                                callback_code const& code) {
  auto answer =
      co_await fetch(provider, token_request(document, *parts_.settings, provider, code.code, flow.verifier));
  if (!answer) co_return answer.error();
  if (answer->error != egress::failure::none) co_return unreachable("token endpoint", answer->message);
  if (answer->status >= 500 || answer->status == 429)
    co_return unreachable("token endpoint", "it answers with status " + std::to_string(answer->status) + ".");
  if (answer->truncated)
    co_return oidc_error{oidc_failure::answer_invalid, "The answer of the token endpoint is longer than 256 KiB."};
  auto const token = read_token_answer(answer->status, answer->body);
  wipe(answer->body);
  if (!token) co_return token.error();
  auto const keys = co_await keys_for(provider, token->reveal());
  if (!keys) co_return keys.error();
  id_token_expectation expected{.issuer = provider.issuer,
                                .client_id = provider.client_id,
                                .nonce = flow.nonce,
                                .groups_claim = provider.groups_claim,
                                .now = parts_.now()};
  if (flow.is_fresh_sign_in()) expected.fresh_since = flow.started_at;
  auto person = verify_id_token(token->reveal(), *keys, expected);
  if (person) person->provider = provider.id;
  co_return person;
}

task<oidc_result<std::string>> oidc_client::implementation::start(oidc_flow flow) {
  auto const* const provider = parts_.settings->find(flow.provider);
  if (provider == nullptr) co_return oidc_error{oidc_failure::unsupported, "No provider has this id."};
  auto const document = co_await document_of(*provider);
  if (!document) co_return document.error();
  co_return authorization_url(*document, *parts_.settings, *provider, flow);
}

task<oidc_result<identity>> oidc_client::implementation::finish(
    oidc_flow flow, std::vector<std::pair<std::string, std::string>> query) {
  auto const* const provider = parts_.settings->find(flow.provider);
  if (provider == nullptr) co_return oidc_error{oidc_failure::unsupported, "No provider has this id."};
  // A forged callback is refused before any request to the provider.
  if (auto const early = read_callback(query, flow, *provider, false, parts_.now()); !early) co_return early.error();
  auto const document = co_await document_of(*provider);
  if (!document) co_return document.error();
  auto const code = read_callback(query, flow, *provider, document->issuer_in_callback, parts_.now());
  if (!code) co_return code.error();
  co_return counted(*provider, co_await redeem(*provider, flow, *document, *code));
}

namespace {

/// Runs the operation on the client's thread and waits for its outcome on the caller's.
template <class T, class Operation>
task<oidc_result<T>> handed(asio::io_context& io, std::string provider, Operation operation) {
  using waiting = handed_answer<oidc_result<T>>;
  auto const mine =
      std::make_shared<waiting>(co_await asio::this_coro::executor, deadline::after(oidc_client::operation_limit));
  asio::post(io, [&io, mine, operation = std::move(operation)]() mutable {
    spawn_task(io,
               operation([mine](std::optional<oidc_result<T>> outcome) { waiting::give(mine, std::move(outcome)); }));
  });
  auto came = co_await mine->wait();
  if (!came) throw unavailable("a request to an identity provider was not answered");
  if (!*came)
    log::warn(
        "a sign-in with an identity provider failed",
        {{"provider", provider}, {"failure", to_string(came->error().failure)}, {"why", came->error().message}});
  co_return std::move(*came);
}

/// Gives an operation's outcome to the waiting thread; after an exception, there is none.
template <class Give, class T>
task<> given(Give give, task<oidc_result<T>> operation) {
  std::optional<oidc_result<T>> outcome;
  try {
    outcome = co_await std::move(operation);
  } catch (std::exception const& e) {
    log::error("a request to an identity provider failed", {{"why", e.what()}});
  }
  give(std::move(outcome));
}

}  // namespace

oidc_client::oidc_client(parts instance) : impl_(std::make_unique<implementation>(std::move(instance))) {}
oidc_client::~oidc_client() = default;

oidc_settings const& oidc_client::settings() const {
  return *impl_->instance().settings;
}

task<oidc_result<std::string>> oidc_client::start(oidc_flow flow) {
  auto const provider = flow.provider;
  co_return co_await handed<std::string>(impl_->instance().io, provider,
                                         [impl = impl_.get(), flow = std::move(flow)](auto give) mutable {
                                           return given(std::move(give), impl->start(std::move(flow)));
                                         });
}

task<oidc_result<identity>> oidc_client::finish(oidc_flow flow,
                                                std::vector<std::pair<std::string, std::string>> query) {
  auto const provider = flow.provider;
  co_return co_await handed<identity>(
      impl_->instance().io, provider,
      [impl = impl_.get(), flow = std::move(flow), query = std::move(query)](auto give) mutable {
        return given(std::move(give), impl->finish(std::move(flow), std::move(query)));
      });
}

}  // namespace svc::sign_in
