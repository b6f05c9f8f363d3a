#include "cli/http/client.hpp"

#include "cli/console/failure.hpp"
#include "cli/console/harmless.hpp"
#include "cli/console/interrupt.hpp"
#include "cli/http/retry.hpp"
#include "cli/http/transport.hpp"
#include "svc/core/random.hpp"
#include "svc/domain/token.hpp"

#include <algorithm>
#include <thread>

namespace svc::cli {

using std::chrono::milliseconds;

total_deadline::total_deadline(std::optional<milliseconds> from_now) {
  if (from_now) time_ = std::chrono::steady_clock::now() + *from_now;
}

milliseconds total_deadline::left() const {
  if (!time_) return std::chrono::hours(1);
  return std::chrono::duration_cast<milliseconds>(*time_ - std::chrono::steady_clock::now());
}

/// The part around `retry_policy` that sends, waits, and reports.
class client::implementation {
 public:
  implementation(settings const& settings, console& console)
      : context(settings), target(console), deadline(settings.timeout), wire(settings) {}

  answer send(request const& r);
  secret_string const* bearer_for(credential which) const;
  std::string source_of(credential which) const;
  void report(request const& r, attempt const& a, int tries) const;

  settings const& context;
  console& target;
  total_deadline deadline;
  transport wire;

 private:
  answer settled(request const& r, attempt&& last, retry_policy const& policy) const;
  failure why_not_again(attempt const& last, retry_policy const& policy, retry_decision const& next) const;
  void pause(milliseconds how_long, attempt const& after);

  int retries_left_ = retry_policy::most_retries;
};

namespace {

/// The longest silence of a stream; the service sends a comment every 15 s.
constexpr std::chrono::seconds silence_of_a_stream{45};
/// A duration far beyond any run; the largest duration would not fit into the clock's unit.
constexpr std::chrono::hours unlimited{24 * 365};
constexpr milliseconds look_while_waiting{50};
/// The shortest wait that gets a message.
constexpr milliseconds announced_wait{2000};

/// Returns the failure without a credential. The client never sends a token of another address, but its user should
/// know the reason.
failure no_credential(credential which, settings const& settings) {
  bool const key_would_do = which == credential::trigger_key;
  std::string hint = key_would_do ? "Set SERVICE_TRIGGER_KEY or SERVICE_TOKEN, or log in with: svc login"
                                  : "Set SERVICE_TOKEN, or log in with: svc login";
  if (settings.other_logins.empty()) return {exit_code::not_allowed, "no_credential", "No token is set.", hint};
  std::string others;
  for (auto const& address : settings.other_logins) others.append(others.empty() ? "" : ", ").append(address);
  return {exit_code::not_allowed, "no_credential",
          "There is no token for " + settings.url.text + ", which " + settings.url.source +
              " names. svc login has stored one for " + others + ".",
          hint + " --url " + settings.url.text + "\n     Or use the other service: --url " +
              settings.other_logins.front()};
}

bool is_redirect(answer const& a) {
  return a.status >= 300 && a.status < 400 && a.status != 304;
}

/// Returns the refusal of a request. A path that does not exist is usually the fault of an address with a path.
failure refusal_at(answer const& a, std::string const& source, request const& r, base_url const& url) {
  auto const out = refusal_of(a, source, r.target);
  auto const slash = url.text.find('/', url.scheme.size() + 3);
  if (out.code() != "route_not_found" || slash == std::string::npos) return out;
  return out.retold(url.source + " must not have the path " + url.text.substr(slash) + "; the service has no path " +
                        url.text.substr(slash) + r.target + ".",
                    "Use " + url.text.substr(0, slash));
}

std::string reason_of(attempt const& a, settings const& settings) {
  if (a.content != trouble::none) return failure_of(a, settings, 1, false).what();
  if (a.got.status == 429) return "The rate limit is reached.";
  auto const said = service_error_of(a.got);
  bool const lacks_store = said && said->code == "unavailable";
  return std::string(lacks_store ? "The service cannot reach what it needs" : "The service is busy") + " (status " +
         std::to_string(a.got.status) + ").";
}

std::string wait_text(milliseconds wait) {
  return std::to_string((wait.count() + 999) / 1000) + " s";
}

/// Returns true if the attempt may have succeeded although its answer does not confirm it. The answer was lost, or a
/// proxy or a busy service answered after it had forwarded the request.
bool may_have_succeeded(attempt const& a) {
  if (a.content != trouble::none) return a.sent;
  return a.got.status == 502 || a.got.status == 503 || a.got.status == 504;
}

outcome outcome_of_try(attempt const& a) {
  if (a.content == trouble::none) return outcome_of(a.got);
  return {.status = 0, .sent = a.sent, .transient = is_transient(a)};
}

}  // namespace

secret_string const* client::implementation::bearer_for(credential which) const {
  if (which == credential::none) return nullptr;
  if (which == credential::trigger_key && context.trigger_key) return &*context.trigger_key;
  if (!context.token) throw no_credential(which, context);
  return &*context.token;
}

std::string client::implementation::source_of(credential which) const {
  if (which == credential::trigger_key && context.trigger_key) return "SERVICE_TRIGGER_KEY";
  return context.token_source.empty() ? "SERVICE_TOKEN" : context.token_source;
}

void client::implementation::report(request const& r, attempt const& a, int tries) const {
  if (!context.verbose) return;
  std::string line = "svc: " + r.method + " " + without_tokens(r.target) + ", try " + std::to_string(tries) + ": ";
  line += a.content == trouble::none ? std::to_string(a.got.status) : failure_of(a, context, tries, false).code();
  line += ", " + std::to_string(a.took.count()) + " ms";
  if (auto const* const id = a.got.field("x-request-id")) line += ", request id " + *id;
  target.beside(harmless(line) + "\n");
}

/// Returns the failure that ends the command: the last result, or the reason why another try is not possible.
failure client::implementation::why_not_again(attempt const& last, retry_policy const& policy,
                                              retry_decision const& next) const {
  if (next.step == next_step::over)
    return failure_of(last, context, policy.tries(), last.sent && !policy.safe_to_repeat());
  auto const asked = next.asked ? wait_text(*next.asked) : std::string();
  auto out = next.step == next_step::too_long
                 ? failure(exit_code::unreachable, "long_wait",
                           reason_of(last, context) + " The service asks to retry in " + asked + ".",
                           "Give a longer --timeout to wait that long.")
                 : failure(exit_code::deadline, "deadline",
                           reason_of(last, context) +
                               (next.asked ? " The service asks to retry in " + asked + ", after"
                                           : " The next try would be after") +
                               " the end of --timeout.");
  if (next.asked) out = std::move(out).with("retryAfterSeconds", next.asked->count());
  return out;
}

void client::implementation::pause(milliseconds how_long, attempt const& after) {
  auto const until = std::chrono::steady_clock::now() + how_long;
  auto const reason = reason_of(after, context) + " The next try is in ";
  if (how_long >= announced_wait && target.how() == format::text && !target.err_is_terminal())
    target.note(reason + wait_text(how_long) + ".");
  for (auto now = std::chrono::steady_clock::now(); now < until; now = std::chrono::steady_clock::now()) {
    throw_if_interrupted();
    auto const left = std::chrono::ceil<milliseconds>(until - now);
    if (how_long >= announced_wait) target.progress(reason + wait_text(left) + ".");
    std::this_thread::sleep_for(std::min(left, look_while_waiting));
  }
  target.progress("");
}

answer client::implementation::send(request const& r) {
  auto const* const bearer = bearer_for(r.context);
  retry_policy policy(r);
  bool may_be_done = false;     // by an earlier try whose answer was lost
  bool may_be_deleted = false;  // by an earlier try, also one with the answer 502 to 504 by a proxy or the service
  for (;;) {
    throw_if_interrupted();
    auto last = wire.perform(r, bearer, {.deadline = deadline.at()});
    report(r, last, policy.tries());
    if (last.content == trouble::none && r.method == "DELETE" && last.got.status == 404 && may_be_deleted) {
      last.got.status = 204;
      last.got.body.clear();
      return last.got;
    }
    may_be_done |= last.content != trouble::none && last.sent;
    may_be_deleted |= may_have_succeeded(last);
    auto const left = deadline.at() ? std::optional(deadline.left()) : std::nullopt;
    auto next = policy.after(outcome_of_try(last), left, random_fraction());
    if (next.step == next_step::wait && --retries_left_ < 0) next.step = next_step::over;
    if (next.step == next_step::wait) {
      pause(next.wait, last);
    } else if (next.step == next_step::over && last.content == trouble::none) {
      last.got.after_lost = may_be_done;
      return std::move(last.got);
    } else {
      auto failure = why_not_again(last, policy, next);
      throw may_be_done ? std::move(failure).with("mayBeDone", true) : failure;
    }
  }
}

client::client(settings const& settings, console& console)
    : self_(std::make_unique<implementation>(settings, console)) {}
client::~client() = default;

total_deadline const& client::deadline() const {
  return self_->deadline;
}
settings const& client::with() const {
  return self_->context;
}

answer client::send_any(request const& r) {
  auto a = self_->send(r);
  if (is_redirect(a)) throw redirected(a, self_->context.url);
  return a;
}

answer client::send(request const& r) {
  auto a = send_any(r);
  if (a.status >= 300) throw refusal_at(a, self_->source_of(r.context), r, self_->context.url);
  if (is_html(a)) throw not_the_service(a);
  return a;
}

boost::json::value client::fetch(request const& r) {
  return parsed_body(send(r));
}

stream_end client::stream(request const& r, std::function<bool(std::string_view)> const& take,
                          std::function<void()> const& idle) {
  time_limits const within{.silence = silence_of_a_stream, .whole = unlimited, .deadline = self_->deadline.at()};
  auto const a = self_->wire.perform(r, self_->bearer_for(r.context), within, {take, idle});
  self_->report(r, a, 1);
  if (a.content == trouble::stopped) return stream_end::stopped;
  if (is_transient(a)) return stream_end::broken;
  if (a.content != trouble::none) throw failure_of(a, self_->context, 1, false);
  if (is_redirect(a.got)) throw redirected(a.got, self_->context.url);
  if (a.got.status >= 300) throw refusal_at(a.got, self_->source_of(r.context), r, self_->context.url);
  return stream_end::complete;
}

}  // namespace svc::cli
