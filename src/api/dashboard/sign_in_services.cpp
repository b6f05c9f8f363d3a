#include "svc/api/sign_in_services.hpp"

#include "svc/core/ascii.hpp"
#include "svc/sign_in/browser_input.hpp"
#include "svc/sign_in/oidc/identity_rules.hpp"

#include <array>

namespace svc::api {
namespace {

constexpr std::array<std::string_view, 4> methods{"password", "link", "oidc", "invitation"};
constexpr std::array<std::string_view, 4> verdict_texts{"succeeded", "failed", "limited", "refused"};
constexpr std::array end_reasons{session_end::sign_out, session_end::replaced, session_end::surplus,
                                 session_end::password, session_end::provider, session_end::ended};

}  // namespace

sign_in_services::sign_in_services(session_times times, sign_in_parts parts, metrics& counters)
    : times_(times), parts_(std::move(parts)) {
  for (auto const method : methods)
    for (std::size_t v = 0; v < verdict_texts.size(); ++v)
      sign_ins_[{std::string(method), static_cast<verdict>(v)}] =
          counters.make_counter("svc_sign_ins_total", "Attempts to sign in, by method and verdict",
                                {{"method", std::string(method)}, {"verdict", std::string(verdict_texts[v])}});
  for (auto const reason : end_reasons)
    ends_[std::string(reason)] = counters.make_counter(
        "svc_sessions_ended_total", "Sessions that requests have ended", {{"reason", std::string(reason)}});
}

bool sign_in_services::manages_address(std::string_view email) const {
  // An operator may have made an account with an address of a form that nobody can type; its domain counts as well.
  auto const normalised = sign_in::normalised_email(email);
  auto const text = normalised ? *normalised : lower_case(email);
  return sign_in::managing_provider(parts_.providers.settings(), text) != nullptr;
}

void sign_in_services::count_sign_in(std::string_view method, verdict outcome) {
  auto const found = sign_ins_.find(std::pair(std::string(method), outcome));
  if (found != sign_ins_.end()) found->second.add();
}

void sign_in_services::count_end(std::string_view reason, std::size_t sessions) {
  auto const found = ends_.find(reason);
  for (; sessions > 0 && found != ends_.end(); --sessions) found->second.add();
}

}  // namespace svc::api
