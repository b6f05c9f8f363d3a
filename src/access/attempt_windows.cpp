#include "svc/access/attempt_windows.hpp"

#include <utility>

namespace svc::access {

task<limit_decision> attempt_windows::count(rate_class which, std::string subject, deadline until) {
  auto const window = table_.of(which);
  auto const answered = co_await local_.ask(redis_, {subject, epoch_mode::none, 0, which, window}, until);
  if (answered && answered->verdict != admission_verdict::lost) co_return answered->decision;
  co_return co_await local_.decide(std::move(subject), {which, window}, now_());
}

}  // namespace svc::access
